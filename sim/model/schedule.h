/* SPDX-License-Identifier: MIT
 *
 * schedule.h - the order in which CTAs and warps of a launch run.
 */
#ifndef GMSIM_SCHEDULE_H
#define GMSIM_SCHEDULE_H

#include "sim/model/replay.h"

#pragma GCC visibility push(hidden)

#define GMSIM_MAX_CTA_WARPS  32u
#define GMSIM_MAX_SM_WARPS   64u
#define GMSIM_MAX_SM_CTAS    32u
#define GMSIM_NAMED_BARRIERS 16u

typedef struct gmsim_warp {
    gmtrace_cursor cursor;
    gmsim_executor who;
    uint32_t cta; /* place of its CTA on the SM */
} gmsim_warp;

/* Masks are over the warps of the CTA. */
typedef struct gmsim_cta {
    uint64_t number;
    uint32_t live; /* warps that have not ended; 0: the place is free */
    uint32_t waiting;
    uint32_t arrived_at[GMSIM_NAMED_BARRIERS];
    uint32_t waiting_at[GMSIM_NAMED_BARRIERS];
    uint32_t expected[GMSIM_NAMED_BARRIERS]; /* warps; 0: all that live */
} gmsim_cta;

typedef struct gmsim_sm {
    uint64_t ready; /* warp slots that can go on */
    uint32_t last;  /* the slot that went last */
    uint32_t resident;
    gmsim_warp warp[GMSIM_MAX_SM_WARPS];
    gmsim_cta cta[GMSIM_MAX_SM_CTAS];
} gmsim_sm;

/* One launch as it is to be run. */
typedef struct gmsim_plan {
    uint64_t ctas;
    uint32_t sms;
    uint32_t cta_warps;   /* warps a CTA */
    uint32_t cta_threads; /* threads a CTA */
    uint32_t sm_ctas;     /* CTAs resident on an SM */
    uint64_t window_size; /* bytes of local memory between two warps' windows */
    uint64_t records;     /* expected, for progress */
} gmsim_plan;

typedef struct gmsim_scheduler {
    gmsim_sm *sm;
    gmsim_replay *replay;
    gmtrace_reader *reader;
    gmsim_plan plan;
    uint64_t next_cta;
    uint64_t records, barriers;
    uint64_t skipped; /* of the records, those of instructions without memory access */
    bool truncated;
    gmsim_progress progress;
    gpointer progress_data;
} gmsim_scheduler;

/* Runs the launch selected in the reader to its end. sm, replay, reader, plan and progress are set
 * by the caller, the rest is set here. Every cursor is closed on return. */
bool gmsim_schedule(gmsim_scheduler *scheduler, GError **error);

/* Sets error to what the trace library says. */
void gmsim_schedule_error(GError **error, const gmtrace_error *reason);

#pragma GCC visibility pop

#endif
