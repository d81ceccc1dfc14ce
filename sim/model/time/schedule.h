/* SPDX-License-Identifier: MIT
 *
 * schedule.h - the order in which CTAs and warps of a launch run.
 */
#ifndef GMSIM_SCHEDULE_H
#define GMSIM_SCHEDULE_H

#include "sim/model/time/pace.h"
#include "sim/model/replay.h"
#include "traces/code/path.h"

#pragma GCC visibility push(hidden)

#define GMSIM_MAX_CTA_WARPS      32u
#define GMSIM_MAX_SM_WARPS       64u
#define GMSIM_MAX_SM_CTAS        32u
#define GMSIM_NAMED_BARRIERS     16u
#define GMSIM_MAX_SUB_PARTITIONS 8u
#define GMSIM_QUEUE              4u /* memory instructions a sub-partition holds */

/* Groups of asynchronous copies whose end is remembered. */
#define GMSIM_COPY_GROUPS 8u

typedef struct gmsim_warp {
    gmtrace_cursor cursor;
    gmsim_executor who;
    uint32_t cta; /* place of its CTA on the SM */
    gmtrace_path_warp path;
    uint32_t last;                              /* instruction of its last record */
    uint32_t next_scoreboard;                   /* used where there are no control bits */
    uint32_t clocks;                            /* from there to the next one, were it alone */
    uint32_t pipe[GMSIM_PIPES], unit, constant; /* what it asks of the pipes on the way */
    uint32_t due[GMSIM_SCOREBOARDS];    /* clocks until what the way sets is there; 0: nothing */
    uint64_t free[GMSIM_SCOREBOARDS];   /* when what sets the scoreboard is there */
    uint64_t queued[GMSIM_SCOREBOARDS]; /* and clocks of that spent in queues beyond L2 */
    uint8_t cause[GMSIM_SCOREBOARDS];   /* gmsim_stall of a wait for it */
    uint64_t start, arrived;            /* on the SM; at the barrier where it waits */
    uint64_t stored; /* when its last store so far is there: it is not gone before */
    uint64_t copied; /* when the copies not committed yet are there */
    uint64_t group[GMSIM_COPY_GROUPS];
    uint32_t groups; /* committed so far */
    bool planned;    /* instructions and clocks are those before its next record, which is there */
} gmsim_warp;

/* Masks are over the warps of the CTA. */
typedef struct gmsim_cta {
    uint64_t number;
    uint32_t live; /* warps that have not ended; 0: the place is free */
    uint32_t waiting;
    uint32_t arrived_at[GMSIM_NAMED_BARRIERS];
    uint32_t waiting_at[GMSIM_NAMED_BARRIERS];
    uint32_t expected[GMSIM_NAMED_BARRIERS]; /* warps; 0: all that live */
    uint64_t arrival;                        /* of the last warp at a barrier */
    uint64_t end;                            /* of the last warp to end so far */
} gmsim_cta;

#define GMSIM_NEVER UINT32_MAX

/* What the warps of a sub-partition share. */
typedef struct gmsim_sub_partition {
    uint64_t pipe_free[GMSIM_PIPES];
    uint64_t began[GMSIM_QUEUE]; /* when its last memory instructions left its queue */
    uint32_t next;               /* the oldest of them */
} gmsim_sub_partition;

typedef struct gmsim_sm {
    uint32_t
        ready[GMSIM_MAX_SM_WARPS]; /* clocks after the epoch; GMSIM_NEVER: does not wait to go */
    uint32_t resident;
    uint64_t constant_free;        /* when the constant cache is */
    uint64_t unit_free;            /* when the load-store unit takes the next request */
    uint64_t active, active_since; /* clocks with a CTA; since when it has one */
    gmsim_sub_partition part[GMSIM_MAX_SUB_PARTITIONS];
    gmsim_warp warp[GMSIM_MAX_SM_WARPS];
    gmsim_cta cta[GMSIM_MAX_SM_CTAS];
} gmsim_sm;

/* One launch as it is to be run. */
typedef struct gmsim_plan {
    uint64_t ctas;
    uint32_t sms;
    gmsim_list groups; /* of SMs, as gmsim_gpu has them */
    uint32_t again;
    const gmsim_gpu *gpu; /* [launch] */
    uint32_t cta_warps;   /* warps a CTA */
    uint32_t cta_threads; /* threads a CTA */
    uint32_t sm_ctas;     /* CTAs resident on an SM */
    uint32_t sub_partitions;
    bool control_bits;    /* the code has them */
    bool functional;      /* warps take turns, a clock a record; no times */
    uint64_t window_size; /* bytes of local memory between two warps' windows */
    uint64_t records;     /* expected, for progress */
} gmsim_plan;

/* A place on an SM that a CTA has left. */
typedef struct gmsim_freed {
    uint64_t clock;
    uint32_t sm, place;
} gmsim_freed;

typedef struct gmsim_scheduler {
    gmsim_sm *sm;
    gmsim_freed *freed; /* room for every place of every SM */
    uint32_t freed_count;
    gmsim_replay *replay;
    gmtrace_paths *paths;
    gmsim_paces *paces;
    gmtrace_reader *reader;
    gmsim_plan plan;
    uint64_t next_cta;
    uint32_t first_ctas; /* an SM takes at most before the first of its CTAs ends */
    uint64_t ended;      /* thousandths of a clock at which the last CTA so far was given back */
    uint64_t epoch;      /* clock that ready times are counted from */
    uint64_t end;        /* clock at which the last warp so far ended */
    uint64_t records, barriers;
    gmsim_timing timing; /* all but cycles and launch_cycles */
    bool truncated;
    gmsim_progress progress;
    gpointer progress_data;
} gmsim_scheduler;

/* Clocks after the epoch, as ready times are kept. */
static inline uint32_t gmsim_since_epoch(const gmsim_scheduler *s, uint64_t clock)
{
    uint64_t clocks = clock > s->epoch ? clock - s->epoch : 0;
    return clocks < GMSIM_NEVER ? (uint32_t)clocks : GMSIM_NEVER - 1u;
}

/* deal.c. CTAs for empty SMs at the beginning; for the places that became free in this step. */
bool gmsim_deal_first(gmsim_scheduler *s, GError **error);
bool gmsim_deal_freed(gmsim_scheduler *s, GError **error);

/* warp.c. */
typedef enum gmsim_ahead { GMSIM_AHEAD_FAILED, GMSIM_AHEAD_END, GMSIM_AHEAD_RECORD } gmsim_ahead;

/* Next segment of a warp: false at the end of its stream or on an error, which is then set. */
bool gmsim_warp_refill(gmsim_scheduler *s, gmsim_warp *warp, GError **error);

/* Finds the warp's next record that takes a turn, and when the warp can go on towards it if the
 * last one issued at `now`; at the end of its stream, when it ends. Instructions without memory
 * access, recorded or not, are only added up. */
gmsim_ahead gmsim_warp_ahead(gmsim_scheduler *s, gmsim_warp *warp, uint64_t now, uint64_t *ready,
                             GError **error);

/* When the record issues if the warp goes on at `now`: after its own time, and after what other
 * warps have put on the pipes it needs. */
uint64_t gmsim_warp_issue(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now);

/* An access: its time at the load-store unit, what it counts, and what waits for it. `*issue` moves
 * on while its sub-partition's queue is full. Returns NULL, or what is wrong with the record. */
const char *gmsim_warp_access(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                              const gmtrace_record *record, uint64_t *issue);

/* Runs the launch selected in the reader to its end. sm, replay, paths, paces, reader, plan and
 * progress are set by the caller, the rest is set here. Every cursor is closed on return. */
bool gmsim_schedule(gmsim_scheduler *scheduler, GError **error);

/* Sets error to what the trace library says. */
void gmsim_schedule_error(GError **error, const gmtrace_error *reason);

#pragma GCC visibility pop

#endif
