/* SPDX-License-Identifier: MIT
 *
 * mbarrier.c - see mbarrier.h. Arrivals are counted by their number alone: the first `arrivals` of
 * them are the first phase's, and likewise copies. Copies are counted when they have been answered,
 * which may be before they are there; the phase ends with the last clock of what it consists of.
 */
#include "sim/model/time/mbarrier.h"

#include "sim/model/count/lanes.h"
#include "sim/model/time/cluster.h"

#include <stdlib.h>
#include <string.h>

static gmsim_mbarrier *mbarriers_of(const gmsim_scheduler *s, const gmsim_sm *sm, uint32_t place)
{
    size_t number = (size_t)(sm - s->sm) * s->plan.places + place;
    return s->mbarriers + number * s->phases.count;
}

bool gmsim_mbarriers_begin(gmsim_scheduler *s)
{
    size_t places = (size_t)s->plan.sms * s->plan.places;
    s->mbarriers = NULL;
    if (!s->phases.count || s->plan.functional)
        return true;
    s->mbarriers = calloc(places * s->phases.count, sizeof *s->mbarriers);
    return s->mbarriers != NULL;
}

void gmsim_mbarriers_end(gmsim_scheduler *s)
{
    free(s->mbarriers);
    s->mbarriers = NULL;
}

void gmsim_mbarriers_enter(const gmsim_scheduler *s, uint32_t sm, uint32_t place)
{
    if (s->mbarriers)
        memset(mbarriers_of(s, &s->sm[sm], place), 0, s->phases.count * sizeof *s->mbarriers);
}

/* Phases that are complete, at least so far as arrivals, or copies, go. */
static uint32_t complete(const gmsim_phase *phase, const gmsim_mbarrier *barrier)
{
    uint64_t arrivals = phase->arrivals ? barrier->arrived / phase->arrivals : UINT32_MAX;
    uint64_t copies = phase->copies ? barrier->landed / phase->copies : UINT32_MAX;
    return (uint32_t)MIN(arrivals, copies);
}

/* A waiting warp, whose phase ended at `end`, goes on. */
static void resume(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t end)
{
    const gmsim_warp *warp = &sm->warp[slot];
    uint64_t go = MAX(end, warp->arrived) + s->plan.gpu->sm_mbarrier_wake;
    sm->timing.stall[GMSIM_STALL_BARRIER] += go - warp->arrived;
    if (gmsim_sm_recorded(sm))
        gmsim_course_wait(sm->course, GMSIM_STALL_BARRIER, warp->arrived, go - warp->arrived);
    gmsim_ready_at(s, sm, slot, go);
}

/* The phase that the warp's last wait so far asks for, plus one; 0: the one before the first. */
static uint32_t wanted(const gmsim_phase *phase, const gmsim_mbarrier *barrier, uint32_t warp)
{
    return barrier->waits[warp] - phase->passes;
}

/* Something happened at `clock`: those whose phase is complete now go on. */
static void let_go(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, const gmsim_phase *phase,
                   gmsim_mbarrier *barrier)
{
    barrier->complete = complete(phase, barrier);
    for (uint32_t left = barrier->waiting; left; left &= left - 1u) {
        uint32_t warp = gmsim_lowest(left), want = wanted(phase, barrier, warp);
        if (want > barrier->complete)
            continue;
        barrier->waiting &= ~(1u << warp);
        resume(s, sm, sm->cta[place].slot[warp], barrier->clock[(want - 1u) % GMSIM_PHASES_KEPT]);
    }
}

/* The phase that the last of so many events is part of had one at that clock. */
static void note(gmsim_mbarrier *barrier, uint64_t events, uint32_t each, uint64_t clock)
{
    uint64_t *last = &barrier->clock[(events - 1u) / each % GMSIM_PHASES_KEPT];
    *last = MAX(*last, clock);
}

void gmsim_mbarrier_arrive(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, uint32_t number,
                           uint32_t lanes, uint64_t clock)
{
    const gmsim_phase *phase = &s->phases.phase[number];
    gmsim_mbarrier *barrier = &mbarriers_of(s, sm, place)[number];
    if (!phase->held || !phase->arrivals)
        return;
    barrier->arrived += lanes;
    note(barrier, barrier->arrived, phase->arrivals, clock);
    let_go(s, sm, place, phase, barrier);
}

void gmsim_mbarrier_land(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, uint32_t number,
                         uint64_t clock)
{
    const gmsim_phase *phase = &s->phases.phase[number];
    gmsim_mbarrier *barrier = &mbarriers_of(s, sm, place)[number];
    if (!phase->held || !phase->copies)
        return;
    barrier->landed++;
    note(barrier, barrier->landed, phase->copies, clock);
    let_go(s, sm, place, phase, barrier);
}

/* Returns whether the warp waits. */
static bool wait(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint32_t number, uint64_t now)
{
    const gmsim_phase *phase = &s->phases.phase[number];
    gmsim_warp *warp = &sm->warp[slot];
    gmsim_mbarrier *barrier = &mbarriers_of(s, sm, warp->cta)[number];
    uint32_t number_in_cta = warp->who.warp;
    barrier->waits[number_in_cta]++;
    uint32_t want = wanted(phase, barrier, number_in_cta);
    if (!phase->held || !want)
        return false;
    warp->arrived = now;
    if (want > barrier->complete) {
        barrier->waiting |= 1u << number_in_cta;
        sm->ready[slot] = GMSIM_NEVER;
        return true;
    }
    uint64_t end = barrier->clock[(want - 1u) % GMSIM_PHASES_KEPT];
    if (want + GMSIM_PHASES_KEPT <= barrier->complete || end <= now)
        return false;
    resume(s, sm, slot, end);
    return true;
}

bool gmsim_mbarrier_record(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                           const gmtrace_record *record, uint64_t now)
{
    const gmsim_warp *warp = &sm->warp[slot];
    uint32_t offset = 0;
    gmsim_phase_event event = gmsim_phase_event_of(record, &offset);
    uint32_t number = gmsim_phases_find(&s->phases, offset & 0xffffffu);
    if (number == GMSIM_MBARRIERS || event == GMSIM_PHASE_NONE)
        return false;
    if (event == GMSIM_PHASE_WAIT)
        return wait(s, sm, slot, number, now);
    const uint32_t lanes = gmsim_lane_count(record->mask), rank = offset >> 24;
    if (rank && s->clusters.size)
        gmsim_cluster_tell(s, sm, warp->cta,
                           1u << (gmsim_cluster_rank(s, warp->who.cta) ^ rank) % 16u, number, lanes,
                           now + s->plan.gpu->sm_remote);
    else
        gmsim_mbarrier_arrive(s, sm, warp->cta, number, lanes, now);
    return false;
}

/* What an SM has told. */
static void pass_on(gmsim_scheduler *s, gmsim_sm *from)
{
    for (uint32_t i = 0; i < from->told; i++) {
        const gmsim_told *told = &from->tell[i];
        gmsim_sm *sm;
        uint32_t place;
        if (!gmsim_cluster_find(s, told->cta, &sm, &place) || sm->cta[place].number != told->cta)
            continue;
        if (told->lanes)
            gmsim_mbarrier_arrive(s, sm, place, told->number, told->lanes, told->clock);
        else
            gmsim_mbarrier_land(s, sm, place, told->number, told->clock);
    }
    from->told = 0;
}

void gmsim_mbarriers_step(gmsim_scheduler *s)
{
    for (uint32_t i = 0; s->clusters.size && i < s->plan.sms; i++)
        if (s->sm[i].told)
            pass_on(s, &s->sm[i]);
}

bool gmsim_mbarriers_give_up(gmsim_scheduler *s, uint64_t now)
{
    bool any = false;
    if (!s->mbarriers)
        return false;
    for (uint32_t i = 0; i < s->plan.sms; i++)
        for (uint32_t place = 0; place < s->plan.sm_ctas; place++)
            for (uint32_t n = 0; n < s->phases.count; n++) {
                gmsim_mbarrier *barrier = &mbarriers_of(s, &s->sm[i], place)[n];
                for (uint32_t left = barrier->waiting; left; left &= left - 1u)
                    resume(s, &s->sm[i], place * s->plan.cta_warps + gmsim_lowest(left), now);
                any |= barrier->waiting != 0;
                s->phases.phase[n].held &= barrier->waiting == 0;
                barrier->waiting = 0;
            }
    return any;
}
