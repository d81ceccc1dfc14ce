/* SPDX-License-Identifier: MIT
 *
 * launch.h - a launch while it runs: what was asked for, and how far all its SMs have come.
 */
#ifndef GMSIM_LAUNCH_H
#define GMSIM_LAUNCH_H

#include "sim/model/count/lanes.h"
#include "sim/model/time/phases.h"
#include "sim/model/time/sm.h"
#include "sim/model/time/turns.h"
#include "traces/code/constants.h"

#pragma GCC visibility push(hidden)

/* One launch as it is to be run. */
typedef struct gmsim_plan {
    uint64_t ctas;
    uint32_t sms;
    gmsim_list groups; /* of SMs, as gmsim_gpu has them */
    uint32_t again;
    bool singles;          /* launch.singles is given */
    const gmsim_gpu *gpu;  /* [launch] */
    uint32_t cta_warps;    /* warps a CTA */
    uint32_t cta_threads;  /* threads a CTA */
    uint32_t sm_ctas;      /* CTAs resident on an SM */
    uint32_t sm_warps;     /* warps for which it has registers */
    uint32_t places;       /* CTAs for which it has all but warps and registers */
    uint32_t cta_messages; /* that the GPU has from each, its end among them */
    uint32_t sub_partitions;
    bool control_bits;    /* the code has them */
    bool functional;      /* warps take turns, a clock a record; no times */
    bool apart;           /* gmsim_options */
    uint64_t window_size; /* bytes of local memory between two warps' windows */
    uint64_t records;     /* expected, for progress */
} gmsim_plan;

/* CTAs in clusters. */
typedef struct gmsim_clusters {
    uint32_t size; /* CTAs; 0: there are none */
    uint32_t grid[3], extent[3];
    uint32_t *home; /* of every CTA: its last place, the SM's first, plus one; 0: not dealt */
} gmsim_clusters;

/* A place on an SM that a CTA has left. */
typedef struct gmsim_freed {
    uint64_t clock;
    uint32_t sm, place;
    uint64_t turn; /* over the groups of SMs, in which it takes another */
    bool full;     /* warps of others are in its slots: it takes none */
    bool early;    /* no CTA has left it, but warps that ended before theirs have made room */
} gmsim_freed;

/* Places that have waited for CTAs since before the GPU could give any: whose turn it is. */
typedef struct gmsim_waiting {
    uint32_t count;                /* of all SMs, which say which (sm->waiting) */
    uint32_t turn, taken;          /* the group of SMs whose turn it is, CTAs that it took in it */
    uint32_t next[GMSIM_LIST_MAX]; /* by group: which of its SMs is next */
} gmsim_waiting;

typedef struct gmsim_polls gmsim_polls;

typedef struct gmsim_scheduler {
    gmsim_sm *sm;
    gmsim_sm_lists *lists; /* of each SM */
    gmsim_freed *freed;    /* room for every place of every SM */
    uint32_t freed_count;
    gmsim_waiting waiting;
    gmsim_replay *replay;
    gmsim_shared *shared;
    gmsim_phases phases;              /* of the kernel's mbarriers */
    struct gmsim_mbarrier *mbarriers; /* of every place of every SM as many; NULL: none */
    gmsim_clusters clusters;
    gmsim_polls *polls; /* NULL: the kernel's code has no loops that poll */
    gmtrace_paths *paths;
    gmsim_paces *paces;
    gmtrace_reader *reader;
    struct gmsim_crew *crew; /* NULL: one thread runs all SMs */
    gmsim_plan plan;
    struct gmsim_code *code;            /* of each SM (fetch.c); NULL: nobody waits for code */
    struct gmsim_code_line *code_lines; /* of all of them, */
    uint32_t code_count;                /* of each so many; */
    uint32_t *code_blocks;              /* and blocks of them */
    bool code_small;                    /* an SM's cache holds all of the kernel's */
    gmtrace_loaded *loaded;             /* what indices of constants are made of; may be NULL */
    gmtrace_constants *constants;       /* NULL: none that could miss */
    uint32_t constant_lanes;
    struct gmsim_constant_sm *constant_sm; /* of each SM */
    uint64_t *constant_l2;                 /* when L2 has each block; NULL: it has all */
    uint64_t next_cta;
    uint64_t ended; /* thousandths of a clock at which the last CTA so far was given back */
    uint64_t step;  /* number of this step */
    uint64_t epoch; /* clock that ready times are counted from */
    uint64_t end;   /* clock at which the last warp so far ended */
    uint64_t records, barriers, product_bytes;
    gmsim_timing timing; /* all but cycles and launch_cycles */
    bool truncated;
    bool depends;             /* set: on the order in which a crew steps warps; it is of no use */
    gmsim_turns turns;        /* of the SM that runs */
    gmsim_recorder *recorder; /* of the timeline that is asked for, or NULL */
    gmsim_progress progress;
    gpointer progress_data;
    const volatile int *stop; /* gmsim_options.stop */
} gmsim_scheduler;

/* Lanes of a CTA's warp: its last may have fewer. */
static inline uint32_t gmsim_lanes_of(const gmsim_plan *plan, uint32_t warp)
{
    uint32_t threads = plan->cta_threads - warp * GMTRACE_WARP_LANES;
    return threads < GMTRACE_WARP_LANES ? (1u << threads) - 1u : GMSIM_ALL_LANES;
}

/* Clocks after the epoch, as ready times are kept. */
static inline uint32_t gmsim_since_epoch(const gmsim_scheduler *s, uint64_t clock)
{
    uint64_t clocks = clock > s->epoch ? clock - s->epoch : 0;
    return clocks < GMSIM_NEVER ? (uint32_t)clocks : GMSIM_NEVER - 1u;
}

/* The sub-partition's pipe is taken for so many clocks from `begin` on; returns when it is free. */
static inline uint64_t gmsim_pipe_take(gmsim_sub_partition *part, uint32_t p, uint64_t begin,
                                       uint64_t clocks)
{
    part->taken[p] += clocks;
    return part->pipe_free[p] = begin + clocks;
}

/* The warp goes on at that clock. */
static inline void gmsim_ready_at(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t clock)
{
    uint32_t ready = sm->ready[slot] = gmsim_since_epoch(s, clock);
    sm->next = MIN(sm->next, ready);
    gmsim_turns_at(&s->turns, slot, ready);
}

#pragma GCC visibility pop

#endif
