/* SPDX-License-Identifier: MIT
 *
 * shared.h - the half of the memory hierarchy that all SMs share: the merging before L2, L2, DRAM.
 * It serves messages (message.h) one after the other, by one thread, in an order that does not
 * depend on how SMs were run.
 */
#ifndef GMSIM_SHARED_H
#define GMSIM_SHARED_H

#include "sim/model/cache/contest.h"
#include "sim/model/cache/dram.h"
#include "sim/model/cache/far_order.h"
#include "sim/model/cache/l2.h"
#include "sim/model/cache/lrc.h"
#include "sim/model/cache/message.h"
#include "sim/model/cache/recent.h"
#include "sim/model/cache/slice.h"
#include "sim/model/time/queue.h"
#include "sim/model/time/recorder.h"

#pragma GCC visibility push(hidden)

/* A line on its way from DRAM to L2. */
typedef struct gmsim_fill {
    uint64_t line, start;
    uint64_t done;  /* when an SM on the side of its home has it */
    uint64_t waits; /* of that time, what does not depend on who asks */
} gmsim_fill;

#define GMSIM_FILLS  16384u /* a power of two */
#define GMSIM_SLICES 512u   /* most there can be */

#define GMSIM_OUTBOX         1024u /* messages that an SM can send before they are served */
#define GMSIM_MESSAGES_AHEAD 2u    /* that the host's cache is told of */

/* Atomics that wait for a slice: of SMs of the line's side, and of the other. */
typedef struct gmsim_rivals {
    uint64_t step, work[2];
    gmsim_queue reads;   /* what the slice reads besides, and they themselves */
    uint64_t last;       /* line and sectors of what came last, */
    uint64_t clock;      /* and when; of atomics before it, none came later */
    bool read;           /* the line has been read since */
    gmsim_recent recent; /* sectors that it was of */
} gmsim_rivals;

typedef struct gmsim_shared {
    const gmsim_gpu *gpu;
    gmsim_l2 l2;
    gmsim_dram dram;
    gmsim_lrc_entry lrc[GMSIM_LIST_MAX][GMSIM_LRC_ENTRIES];  /* of each GPC */
    gmsim_lrc_crowd crowd[GMSIM_L2_SIDES][GMSIM_LRC_CROWDS]; /* of each side */
    gmsim_fill fill[GMSIM_FILLS];                            /* by a hash of the line */
    gmsim_contest contest[GMSIM_CONTESTS];                   /* likewise */
    gmsim_recent contested[GMSIM_SLICES];                    /* lines, of each slice */
    gmsim_slice slice[GMSIM_SLICES];
    gmsim_rivals rivals[GMSIM_SLICES];
    gmsim_far_order order[GMSIM_L2_SIDES][GMSIM_SLICES]; /* of each side's reads */
    gmsim_queue crossing[GMSIM_L2_SIDES];                /* from each side of L2 to the other */
    gmsim_queue atomics[GMSIM_SLICES];                   /* by cluster of slices */
    int16_t away[GMSIM_LIST_MAX][GMSIM_SLICES]; /* clocks that a group of slices is farther from a
                                                 * GPC than the mean */
    gmsim_queue filling[GMSIM_LIST_MAX];        /* each port of L2 */
    uint32_t port[GMSIM_LIST_MAX];              /* of each group of SMs */
    uint32_t lrc_of[GMSIM_LIST_MAX];            /* likewise */
    uint32_t slices, groups, clusters, cluster_slices;
    uint32_t cluster_mask; /* cluster_slices less 1 where that is a power of two, or 0 */
    uint32_t fill_cost;    /* of a port for a sector that is written, in its own parts of a clock */
    uint32_t cross_cost;   /* likewise of a way across for a read */
    uint32_t sector_fill;  /* sectors that one from DRAM counts for there; 0: what if none? */
    uint32_t read_cost, crowded_cost, sector_cost, write_cost,
        atomic_cost;         /* in 1/16 clocks of a slice */
    uint64_t completed_cost; /* 1/128 of those, for a byte's time of DRAM */
    uint32_t group_slices_shift, group_shift, cluster_shift; /* of l2.group_slices and so on */
    uint32_t write_clocks, lrc_clocks; /* from an SM to L2; to where reads merge */
    bool updates;                      /* the launch has atomics, so far */
    bool holds;       /* a store that has been served since it was false (contest.h) */
    uint64_t step;    /* clock at which this step began */
    uint64_t drained; /* clock at which the last store so far is there */
    gmsim_l2_place place[GMSIM_OUTBOX + GMSIM_MESSAGES_AHEAD]; /* of the SM's messages */
    gmsim_course *course; /* where it is recorded over time; NULL: nowhere */
} gmsim_shared;

/* The GPC that a group of SMs (launch.groups) is of, or is a part of: small groups that follow one
 * another are one GPC, as long as they are together no larger than the largest group
 * (micro/merge_shape.cu, pair and with; micro/merge_side.cu). */
uint32_t gmsim_gpc_of(const gmsim_gpu *gpu, uint32_t group);

/* Fills in what follows from the GPU, which must outlive it; `set` is L2's (gmsim_l2_init()). */
void gmsim_shared_init(gmsim_shared *shared, gmsim_l2_set *set, const gmsim_gpu *gpu);

/* Forgets the times of an earlier launch. What is in L2 stays. */
void gmsim_shared_begin(gmsim_shared *shared);

/* A step of the schedule begins at that clock. */
void gmsim_shared_step(gmsim_shared *shared, uint64_t step);

/* Where an SM lies. */
typedef struct gmsim_sender {
    uint32_t gpc, side; /* of L2, that it asks */
    uint32_t sm;        /* its number */
} gmsim_sender;

/* An SM's messages are about to be served: finds their places in L2, which the host's first caches
 * do not hold, so that each can be fetched some messages before its own. Joins have places, too,
 * but nobody asks for those. */
void gmsim_shared_expect(gmsim_shared *shared, gmsim_sender from, const gmsim_message *message,
                         uint32_t count);

/* Serves the messages of a request; of stores, `bytes` are those that each writes; `place` is the
 * first one's of shared->place. `ask` tells when the last of them that returns something is there;
 * joins are left to the SM. */
void gmsim_shared_serve(gmsim_shared *shared, gmsim_sender from, gmsim_ask *ask,
                        gmsim_message *message, const uint64_t (*bytes)[2],
                        const gmsim_l2_place *place);
/* The same where there is a course: what it counts is recorded there when the last message's answer
 * is there. */
void gmsim_shared_serve_recorded(gmsim_shared *shared, gmsim_sender from, gmsim_ask *ask,
                                 gmsim_message *message, const uint64_t (*bytes)[2],
                                 const gmsim_l2_place *place) __attribute__((cold));

#pragma GCC visibility pop

#endif
