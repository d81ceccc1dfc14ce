/* SPDX-License-Identifier: MIT
 *
 * runs.h - how long a scheduler stays with a warp. Instructions that issue clock by clock are a
 * run: while one lasts the scheduler takes nothing from other warps, and where its warp lets a
 * clock pass, of a stall or for a scoreboard, it goes to another, and stays there
 * (micro/warp_turns.cu). Of a way between two records the longest run of GMSIM_RUN clocks or more
 * takes scheduler and pipes when it begins; what is left of the way, and all other ways, share
 * slots in the order of turns (warp.c).
 *
 * Left out: a way's other runs; those on ways of more than a piece (share.c); which comes next of
 * several warps that wait, here that which has waited longest.
 */
#ifndef GMSIM_RUNS_H
#define GMSIM_RUNS_H

#include "sim/model/hot.h"
#include "sim/model/time/launch.h"

/* Whether the scheduler is with another warp at that clock. */
GMSIM_INLINE bool gmsim_run_held(const gmsim_warp *warp, uint64_t now)
{
    return warp->part->held_until > now && warp->part->held_by != warp;
}

GMSIM_INLINE void gmsim_run_hold(gmsim_warp *warp, uint64_t until)
{
    warp->part->held_by = warp;
    warp->part->held_until = until;
}

/* A way without a run of its own to take goes on at `now`, right behind a record: the scheduler is
 * with the warp until that lets a clock pass. */
GMSIM_INLINE void gmsim_run_short(gmsim_warp *warp, uint64_t now)
{
    if (warp->head)
        gmsim_run_hold(warp, now + MIN(warp->head, warp->clocks + 1u));
}

#endif
