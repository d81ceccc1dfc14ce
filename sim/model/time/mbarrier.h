/* SPDX-License-Identifier: MIT
 *
 * mbarrier.h - mbarriers hold warps back. A wait lasts until the phase it asks for is complete: all
 * arrived that phases.h says do, and what copies brought is there; then some clocks more, until the
 * warp goes on (micro/mbarrier.cu). A warp's n-th wait for an mbarrier is for its n-th phase, or,
 * where the first wait passes, for the one before.
 *
 * Left out: mbarriers of which phases.h does not know what completes a phase, which hold nobody;
 * waits that give up (test_wait, the tries of try_wait that failed).
 */
#ifndef GMSIM_MBARRIER_H
#define GMSIM_MBARRIER_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

#define GMSIM_PHASES_KEPT 4u /* whose end is remembered */

typedef struct gmsim_mbarrier {
    uint64_t arrived, landed;          /* so far: lanes, copies */
    uint64_t clock[GMSIM_PHASES_KEPT]; /* the last event so far of phase n modulo that */
    uint32_t complete;                 /* phases */
    uint32_t waiting;                  /* warps of the CTA, as a mask */
    uint32_t waits[GMSIM_MAX_CTA_WARPS];
} gmsim_mbarrier;

/* Room for what so many places hold; NULL in `s` where the kernel has no mbarriers. False without
 * memory. */
bool gmsim_mbarriers_begin(gmsim_scheduler *s);
void gmsim_mbarriers_end(gmsim_scheduler *s);

/* A CTA comes to the place. */
void gmsim_mbarriers_enter(const gmsim_scheduler *s, uint32_t sm, uint32_t place);

/* The warp's MBARRIER record issued at `now`. Returns whether the warp waits: then it is
 * resumed, or its ready time stands for when it can go on. */
bool gmsim_mbarrier_record(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                           const gmtrace_record *record, uint64_t now);

/* So many lanes of other CTAs arrive. */
void gmsim_mbarrier_arrive(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, uint32_t number,
                           uint32_t lanes, uint64_t clock);

/* What a copy of a warp of that CTA brought is there at that clock; `number` is the mbarrier's. */
void gmsim_mbarrier_land(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, uint32_t number,
                         uint64_t clock);

/* A step is over: what CTAs told others of their clusters is known. */
void gmsim_mbarriers_step(gmsim_scheduler *s);

/* Nobody can go on. Those that wait go on, and what they wait for holds nobody any more; false
 * where nobody does. */
bool gmsim_mbarriers_give_up(gmsim_scheduler *s, uint64_t now);

#pragma GCC visibility pop

#endif
