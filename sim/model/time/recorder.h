/* SPDX-License-Identifier: MIT
 *
 * recorder.h - fills a launch's timeline while it runs. Each SM and the half that all share record
 * apart, so that it makes no difference in which order, or on how many threads, they run.
 */
#ifndef GMSIM_RECORDER_H
#define GMSIM_RECORDER_H

#include "sim/model/count/tally.h"
#include "sim/model/timeline.h"

#pragma GCC visibility push(hidden)

/* What one of them did. The first of the stalls (issue) has the clocks of resident warps until
 * the end: what remains of them is issue. */
typedef struct gmsim_course {
    uint32_t shift;             /* a bin is 1 << shift clocks */
    uint64_t now;               /* when the turn began that is being taken */
    uint64_t sum[GMSIM_STALLS]; /* and what the SM's warps had waited then */
    gmsim_bin bin[GMSIM_TIMELINE_BINS];
} gmsim_course;

typedef struct gmsim_recorder {
    gmsim_timeline timeline;
    uint32_t sms;
    uint64_t l1_hit, l1_miss; /* counted so far */
    gmsim_course shared;
    gmsim_course sm[];
} gmsim_recorder;

/* NULL where there is no memory. Free with free(). */
gmsim_recorder *gmsim_recorder_new(uint32_t sms);
void gmsim_recorder_begin(gmsim_recorder *recorder);
/* A step of the schedule that began at that clock is over. */
void gmsim_recorder_step(gmsim_recorder *recorder, const gmsim_tally *tally, uint64_t clock)
    __attribute__((cold));
void gmsim_recorder_cta(gmsim_recorder *recorder, const gmsim_resident *resident);
/* Adds up what all recorded. */
void gmsim_recorder_end(gmsim_recorder *recorder);

/* A warp was resident, or waited, for so many clocks from `from` on. */
void gmsim_course_resident(gmsim_course *course, uint64_t from, uint64_t clocks)
    __attribute__((cold));
void gmsim_course_wait(gmsim_course *course, gmsim_stall cause, uint64_t from, uint64_t clocks)
    __attribute__((cold));
/* Before and after a turn of a warp that began at `now`: what the turn added to the SM's stalls is
 * recorded from there on, one cause after the other. Exact are the sums; between the waits of a
 * turn there may be some instructions. Barriers and the launch are recorded where they are. */
void gmsim_course_before(gmsim_course *course, const gmsim_timing *timing, uint64_t now)
    __attribute__((cold));
void gmsim_course_after(gmsim_course *course, const gmsim_timing *timing) __attribute__((cold));
void gmsim_course_flow(gmsim_course *course, gmsim_flow flow, uint64_t clock, uint64_t sectors);
/* What L2 counted since `before` arrived at that clock. */
void gmsim_course_l2(gmsim_course *course, const gmsim_l2_counts *before,
                     const gmsim_l2_counts *after, uint64_t clock);

#pragma GCC visibility pop

#endif
