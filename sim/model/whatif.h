/* SPDX-License-Identifier: MIT
 *
 * whatif.h - what a replay leaves out or changes of a launch, to find what that costs. All of it is
 * decided before the first record or in one place for each access; where nothing is asked, a replay
 * does not pay for it. What a GPU of other numbers would do is asked of its gmsim_gpu instead.
 */
#ifndef GMSIM_WHATIF_H
#define GMSIM_WHATIF_H

#include "sim/model/model.h"

/* Who executes the access that may be changed. */
typedef struct gmsim_actor {
    uint64_t cta;
    uint32_t warp, slot; /* of its CTA; of all SMs: gmsim_whatif_slots() */
} gmsim_actor;

/* May be changed between launches. */
struct gmsim_whatif {
    bool l1_holds;        /* loads that may find their data in L1 do, all of them */
    bool free_fills;      /* what DRAM brings takes nothing of the rate at which L2 is written */
    bool no_waiting;      /* warps arrive at barriers of the CTA, and none waits there */
    bool full_occupancy;  /* registers and shared memory limit nothing; L1 keeps its size */
    uint32_t more_shared; /* bytes a CTA more than it has */
    uint32_t one_in;      /* of so many CTAs only the first is run: 1 or 0: all */
    /* NULL, or changes an access before it is carried out: `record`, and *chunk if its lanes'
     * addresses stand elsewhere then. Space, operation and instruction stay. False: it touches no
     * memory, and takes no longer than an instruction. */
    bool (*access)(gmsim_whatif *whatif, const gmsim_actor *actor, const gmtrace_chunk **chunk,
                   gmtrace_record *record);
};

/* Warps that all SMs can hold. */
static inline uint32_t gmsim_whatif_slots(const gmsim_gpu *gpu)
{
    return gpu->gpu_sm_count * 64u;
}

#endif
