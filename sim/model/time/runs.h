/* SPDX-License-Identifier: MIT
 *
 * runs.h - how long a scheduler stays with a warp: runs.c tells what is modelled. What every record
 * goes through is inlined.
 */
#ifndef GMSIM_RUNS_H
#define GMSIM_RUNS_H

#include "sim/model/hot.h"
#include "sim/model/time/places.h"
#include "sim/model/time/warp.h"

#pragma GCC visibility push(hidden)

/* The warp's way begins at `next`, `straight` behind a record or not. True if it has a run, whose
 * turn comes first then; false if the warp is on its way to its record as without. */
bool gmsim_run_on_way(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t next,
                      bool straight);

/* The turn of a run, at `now`: the scheduler may be with another warp. */
void gmsim_run_turn(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now);

/* The turn of a record, at `now`, which stands in a queue then or whose way began before its
 * scheduler was free of a run. True if it is to be executed later, in a turn of its own: what comes
 * until then goes before it. */
bool gmsim_run_puts_off(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now);

/* The warp is at its next record at `next`, if nothing else is in the way. */
GMSIM_INLINE void gmsim_run_to_record(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                                      uint64_t next)
{
    gmsim_warp *warp = &sm->warp[slot];
    warp->turn = GMSIM_TURN_RECORD;
    /* Places come no sooner than now: it would find none, and need not look. */
    if (gmsim_place_at(warp->part) > next && gmsim_place_at(warp->part) != GMSIM_PLACE_UNKNOWN &&
        !s->plan.functional && (sm->comes[slot] & GMSIM_COMES_QUEUES))
        gmsim_place_wait(s, sm, slot, next);
    else
        gmsim_ready_at(s, sm, slot, next);
}

#pragma GCC visibility pop

#endif
