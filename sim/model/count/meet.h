/* SPDX-License-Identifier: MIT
 *
 * meet.h - whether two warps read the same address by instructions whose results steer them
 * (traces/code/unsteady.h): then what they do depends on who came first. Addresses of such
 * instructions are remembered with their first warp, by kind of instruction, some 60,000 of them;
 * beyond, meetings may be missed, but none is invented. Counts nothing: what a launch costs does
 * not depend on it.
 */
#ifndef GMSIM_MEET_H
#define GMSIM_MEET_H

#include "sim/model/count/lanes.h"
#include "traces/code/unsteady.h"

#pragma GCC visibility push(hidden)

#define GMSIM_MEET_BITS 16u

typedef struct gmsim_meet {
    struct {
        uint64_t key, who; /* the word's address, and the CTA's where that is shared; CTA, warp */
    } slot[1u << GMSIM_MEET_BITS];
    uint32_t kinds; /* 1 << gmtrace_unsteady: warps have met */
    bool lost; /* some were not remembered: which ones depends on the order in which they come */
} gmsim_meet;

void gmsim_meet_reset(gmsim_meet *meet);
/* A warp's record of an instruction of that kind. */
void gmsim_meet_note(gmsim_meet *meet, uint32_t kind, uint64_t cta, uint32_t warp,
                     const gmtrace_chunk *chunk, const gmtrace_record *record);
/* What other warps have noted in another table. */
void gmsim_meet_add(gmsim_meet *meet, const gmsim_meet *other);

#pragma GCC visibility pop

#endif
