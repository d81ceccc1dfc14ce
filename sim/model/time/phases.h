/* SPDX-License-Identifier: MIT
 *
 * phases.h - what completes a phase of an mbarrier. A trace has who arrives, which copies complete
 * on it and which waits were over, but neither the count that it was initialised with nor the
 * parities that were waited for. Both follow from one CTA's streams: as many lanes arrive, and as
 * many copies land, in each phase; and a producer's first wait, which finds its place empty, must
 * pass, or nobody would ever go on.
 */
#ifndef GMSIM_PHASES_H
#define GMSIM_PHASES_H

#include "sim/model/model.h"
#include "traces/code/decoded.h"

#pragma GCC visibility push(hidden)

#define GMSIM_MBARRIERS 64u /* of a CTA; others hold nobody */

typedef struct gmsim_phase {
    uint32_t offset;           /* in the CTA's shared window */
    uint32_t arrivals, copies; /* that complete a phase: lanes; 0: none are needed */
    bool passes;               /* a warp's first wait asks for the phase before the first */
    bool held;                 /* false: what completes it is not known; it holds nobody */
} gmsim_phase;

/* A CTA barrier that more warps use than it counts: so many of them in order share one, as what
 * cuBLAS launches does (its warpgroups each wait at barrier 0 for 128 threads). */
typedef struct gmsim_shared_barrier {
    uint32_t users;     /* warps, as a mask; 0: it is not such a one */
    uint8_t each, next; /* warps that share one; the first number that the others have instead */
} gmsim_shared_barrier;

#define GMSIM_CTA_BARRIERS 16u

typedef struct gmsim_phases {
    uint32_t count;
    gmsim_phase phase[GMSIM_MBARRIERS];
    gmsim_shared_barrier barrier[GMSIM_CTA_BARRIERS];
} gmsim_phases;

/* The number of the mbarrier at that offset; GMSIM_MBARRIERS where it is none of them. */
static inline uint32_t gmsim_phases_find(const gmsim_phases *phases, uint32_t offset)
{
    for (uint32_t i = 0; i < phases->count; i++)
        if (phases->phase[i].offset == offset)
            return i;
    return GMSIM_MBARRIERS;
}

/* The number under which the warp waits at a CTA barrier. */
static inline uint32_t gmsim_phases_barrier(const gmsim_phases *phases, uint32_t number,
                                            uint32_t warp)
{
    const gmsim_shared_barrier *shared = &phases->barrier[number];
    if (!(shared->users >> warp & 1u))
        return number;
    uint32_t before = (uint32_t)__builtin_popcount(shared->users & ((1u << warp) - 1u));
    uint32_t group = before / shared->each;
    return group ? shared->next + group - 1u : number;
}

/* A record that has to do with mbarriers: its kind, and the offset; from bit 24 on the rank of the
 * mbarrier's CTA in the cluster, less its own (as bits). */
typedef enum gmsim_phase_event {
    GMSIM_PHASE_NONE,
    GMSIM_PHASE_ARRIVE,
    GMSIM_PHASE_COPY,
    GMSIM_PHASE_WAIT,
} gmsim_phase_event;

gmsim_phase_event gmsim_phase_event_of(const gmtrace_record *record, uint32_t *offset);

/* CTAs of the cluster that get what a copy brings, a bit each; 0: its own alone. */
uint32_t gmsim_phase_ctas(const gmtrace_record *record);

/* Reads the streams of the launch's first CTA, of so many warps, and of `peers` others of its
 * cluster, by rank. A kernel without mbarriers has
 * none. False on an error of the trace's, other than that it is cut short; without an error, for
 * want of memory. */
bool gmsim_phases_read(gmsim_phases *phases, gmtrace_reader *reader, const gmtrace_kernel *kernel,
                       const gmtrace_decoded *decoded, uint32_t warps, const uint64_t *peer,
                       uint32_t peers, GError **error);

#pragma GCC visibility pop

#endif
