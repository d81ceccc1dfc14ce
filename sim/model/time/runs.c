/* SPDX-License-Identifier: MIT
 *
 * runs.c - how long a scheduler stays with a warp. Instructions that issue clock by clock are a
 * run: while one lasts the scheduler takes nothing from other warps, and where its warp lets a
 * clock pass, of a stall or for a scoreboard, it goes to another, and stays there
 * (micro/warp_turns.cu). Of a way between two records the longest run of GMSIM_RUN clocks or more
 * takes scheduler and pipes when it begins; what is left of the way, and all other ways, share
 * slots in the order of turns (warp.c).
 *
 * An SM does so from the first run on that one of its warps comes to.
 *
 * Left out: a way's other runs; those on ways of more than a piece (share.c); which comes next of
 * several warps that wait, here that which has waited longest.
 */
#include "sim/model/time/runs.h"

bool gmsim_run_on_way(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t next, bool straight)
{
    gmsim_warp *warp = &sm->warp[slot];
    if (!warp->run) {
        if (straight && warp->head) /* the scheduler is with it until it lets a clock pass */
            gmsim_warp_hold(warp, next + MIN(warp->head, warp->clocks + 1u));
        return false;
    }
    if (straight && !warp->run_at) {
        gmsim_run_to_record(s, sm, slot, gmsim_warp_run(s, sm, warp, next));
    } else {
        warp->turn = GMSIM_TURN_RUN;
        gmsim_ready_at(s, sm, slot, next + warp->run_at);
    }
    return true;
}

void gmsim_run_turn(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    gmsim_warp *warp = &sm->warp[slot];
    const gmsim_sub_partition *part = warp->part;
    if (part->held_until > now && part->held_by != warp)
        gmsim_ready_at(s, sm, slot, part->held_until);
    else
        gmsim_run_to_record(s, sm, slot, gmsim_warp_run(s, sm, warp, now));
}

bool gmsim_run_puts_off(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    gmsim_warp *warp = &sm->warp[slot];
    if (warp->issued)
        return false;
    const uint64_t issue = gmsim_warp_issue(s, sm, warp, now - MIN(now, warp->clocks));
    if (issue > now)
        gmsim_ready_at(s, sm, slot, issue);
    return issue > now;
}
