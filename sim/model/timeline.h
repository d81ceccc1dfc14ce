/* SPDX-License-Identifier: MIT
 *
 * timeline.h - what a launch did over time, where gmsim_options ask for it: what its warps waited
 * for, what passed through the caches, which CTA was on which SM. Arrays of fixed size, however
 * long the launch: where its time does not fit any more, two neighbouring stretches become one, and
 * where its CTAs do not, those of every other SM are left out.
 *
 * Clocks count from the launch's first CTA; gmsim_timing.launch_cycles lie outside of them.
 */
#ifndef GMSIM_TIMELINE_H
#define GMSIM_TIMELINE_H

#include "sim/model/model.h"

G_BEGIN_DECLS

#define GMSIM_TIMELINE_BINS 512u
#define GMSIM_TIMELINE_CTAS 16384u

/* Sectors of 32 bytes. Those of L2 and DRAM count when they arrive, those of L1 when they are
 * looked up. */
typedef enum gmsim_flow {
    GMSIM_FLOW_L1_HIT,
    GMSIM_FLOW_L1_MISS,
    GMSIM_FLOW_L2_READ,    /* by SMs */
    GMSIM_FLOW_L2_HIT,     /* of those, found on either side */
    GMSIM_FLOW_L2_WRITTEN, /* by SMs */
    GMSIM_FLOW_L2_UPDATED, /* by atomics and reductions */
    GMSIM_FLOW_DRAM_READ,
    GMSIM_FLOW_DRAM_WRITTEN,
    GMSIM_FLOWS
} gmsim_flow;

/* Over all SMs. Added up over a launch the flows are the result's counters and the stalls
 * gmsim_timing.stall; of issue, which is what waits leave of a warp's clocks, somewhat more where
 * waits of one warp overlap. */
typedef struct gmsim_bin {
    uint64_t stall[GMSIM_STALLS]; /* clocks of warps */
    uint64_t flow[GMSIM_FLOWS];
} gmsim_bin;

/* A CTA on its SM, from its start until its last warp has ended. */
typedef struct gmsim_resident {
    uint64_t cta, begin, end;
    uint32_t sm, place;
} gmsim_resident;

struct gmsim_timeline {
    uint64_t bin_clocks; /* a bin's; a power of two */
    uint32_t bins;       /* up to the last in which something happened */
    uint32_t residents;
    uint32_t sm_step; /* of every so-manieth SM, from 0 on */
    uint64_t lost;    /* CTAs of those SMs that found no place here, the last to end */
    gmsim_bin bin[GMSIM_TIMELINE_BINS];
    gmsim_resident resident[GMSIM_TIMELINE_CTAS]; /* as they ended, to a step of the schedule */
};

G_END_DECLS

#endif
