/* SPDX-License-Identifier: MIT
 *
 * step.h - SMs go on to a clock, those from `first` on up to but without `end`. What an SM does
 * before it is answered depends on no other SM, nor on what they do in this step; answers come SM
 * by SM, in the order of their numbers. False on an error, which is then set.
 */
#ifndef GMSIM_TIME_STEP_H
#define GMSIM_TIME_STEP_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

/* A run of neighbouring SMs, and what they have come to. */
typedef struct gmsim_part {
    uint32_t first, end; /* SMs */
    uint32_t soonest;    /* least of gmsim_sm.next */
    bool resident;       /* one has a CTA, */
    bool left;           /* or a place that one has left, or that waits for one */
    uint64_t records;    /* so far, */
    uint64_t work;       /* and in all, with the lines that L1 was asked for */
} gmsim_part;

/* Sets all but first and end. */
void gmsim_step_look(const gmsim_scheduler *s, gmsim_part *part);

/* Until each comes to `limit`, or needs an answer. */
bool gmsim_step_run(gmsim_scheduler *s, uint32_t first, uint32_t end, uint64_t limit,
                    GError **error);
/* Then: what each asked for is answered, and it goes on to `limit`. */
bool gmsim_step_answer(gmsim_scheduler *s, uint32_t first, uint32_t end, uint64_t limit,
                       GError **error);
/* Both, one SM after the other: each is answered while what it holds is in the host's cache. */
bool gmsim_step_all(gmsim_scheduler *s, uint32_t first, uint32_t end, uint64_t limit,
                    GError **error);

/* Sets CORRUPT: what is wrong with the warp's stream. Returns false. */
bool gmsim_step_corrupt(GError **error, const gmsim_warp *warp, const char *what);

#pragma GCC visibility pop

#endif
