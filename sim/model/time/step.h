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
