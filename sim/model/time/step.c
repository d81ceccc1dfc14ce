/* SPDX-License-Identifier: MIT
 *
 * step.c - what an SM does in a step of the schedule: the turns of its warps, in the order of the
 * times at which their records would issue, were each warp alone on its SM (warp.c).
 *
 * - A warp at a CTA barrier waits for all warps of its CTA that have not ended, or for the number
 *   of threads the barrier names. BAR.ARV arrives without waiting. Lanes of one warp that arrive in
 *   separate records, one after the other, arrive together.
 *
 * - What stands in queues the load-store unit takes when it can (access.h). A warp is at a barrier
 *   when what stood before it in its sub-partition's queue has been taken.
 *
 * - mbarriers: mbarrier.h.
 *
 * - Clusters: cluster.h.
 */
#include "sim/model/time/step.h"

#include "sim/model/count/lanes.h"
#include "sim/model/hot.h"
#include "sim/model/time/access.h"
#include "sim/model/time/cluster.h"
#include "sim/model/time/constants.h"
#include "sim/model/time/deal.h"
#include "sim/model/time/fetch.h"
#include "sim/model/time/mbarrier.h"
#include "sim/model/time/places.h"
#include "sim/model/time/polls.h"
#include "sim/model/time/runs.h"
#include "sim/model/time/share.h"
#include "sim/model/time/warp.h"

#include <string.h>

/* Clocks from the answer to a poll to the next read: from one to the next it is 292 to 315, which
 * is what the answer takes (micro/poll.cu, `wait`, `chain`). */
#define POLL_LOOP 1u

/* Others learn of a warp that sets out when their present piece is over, half a piece later in the
 * mean: it is counted so much before. */
#define SOONER (GMSIM_PIECE_CLOCKS / 2u)

static gmsim_cta *cta_of(gmsim_sm *sm, const gmsim_warp *warp)
{
    return &sm->cta[warp->cta];
}

/* A warp that waited at a barrier can go on. */
static void resume(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t clock)
{
    gmsim_ready_at(s, sm, slot, clock);
}

/* Lets a barrier's warps go if nothing is missing any more. */
static void try_release(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, uint32_t barrier)
{
    gmsim_cta *cta = &sm->cta[place];
    uint32_t arrived = cta->arrived_at[barrier], expected = cta->expected[barrier];
    bool complete = expected ? gmsim_lane_count(arrived) >= expected : (cta->live & ~arrived) == 0;
    if (!complete)
        return;
    uint32_t released = 0;
    for (uint32_t left = cta->waiting_at[barrier]; left; left &= left - 1u) {
        released++; /* one after the other */
        uint32_t slot = cta->slot[gmsim_lowest(left)];
        uint64_t go = MAX(cta->arrival + s->plan.gpu->sm_barrier, sm->held) +
                      released * s->plan.gpu->sm_barrier_warp;
        const gmsim_warp *warp = &sm->warp[slot];
        /* Meanwhile what is right behind it may issue, and what control bits ask for is over. */
        const uint64_t stall = gmsim_tally_site(&s->replay->tally, warp->last)->stall;
        const uint64_t meanwhile = MAX(stall, s->plan.gpu->sm_barrier_shadow);
        go = MAX(go - MIN(go, meanwhile), warp->arrived);
        sm->timing.stall[GMSIM_STALL_BARRIER] += go - warp->arrived;
        if (gmsim_sm_recorded(sm))
            gmsim_course_wait(sm->course, GMSIM_STALL_BARRIER, warp->arrived, go - warp->arrived);
        resume(s, sm, slot, go);
    }
    cta->waiting &= ~cta->waiting_at[barrier];
    cta->arrived_at[barrier] = cta->waiting_at[barrier] = 0;
}

/* A warp's stream has ended: its place may be all that a barrier waited for. */
static void end_warp(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    gmsim_warp *warp = &sm->warp[slot];
    gmsim_cta *cta = cta_of(sm, warp);
    gmtrace_cursor_close(s->reader, &warp->cursor);
    sm->ready[slot] = GMSIM_NEVER;
    cta->live &= ~(1u << warp->who.warp);
    sm->taken &= ~(UINT64_C(1) << slot);
    sm->gone[slot] = now;
    cta->end = MAX(cta->end, now);
    cta->arrival = MAX(cta->arrival, now);
    sm->end = MAX(sm->end, now);
    uint64_t began = MIN(now, warp->start);
    sm->timing.warp_active += now - began;
    if (gmsim_sm_recorded(sm))
        gmsim_course_resident(sm->course, began, now - began);
    gmsim_cluster_leave(s, sm, warp->cta);
    if (cta->live == 0) {
        sm->left |= 1u << warp->cta;
        sm->resident--;
        if (s->code_small)
            gmsim_fetch_forget(s, sm); /* the next CTAs find all that this one needed */
        sm->active_until = MAX(sm->active_until, cta->end);
        if (sm->resident == 0)
            sm->active += sm->active_until - MIN(sm->active_until, sm->active_since);
    } else if (cta->waiting)
        for (uint32_t barrier = 0; barrier < GMSIM_NAMED_BARRIERS; barrier++)
            if (cta->waiting_at[barrier])
                try_release(s, sm, warp->cta, barrier);
    sm->room = sm->room || gmsim_has_room(s, sm);
}

bool gmsim_step_corrupt(GError **error, const gmsim_warp *warp, const char *what)
{
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT,
                "CTA %" G_GUINT64_FORMAT " warp %u: %s; capture the program again", warp->who.cta,
                warp->who.warp, what);
    return false;
}

/* The warp arrives at a CTA barrier, with all lanes that arrive in consecutive records. */
static bool arrive(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, const gmtrace_record *record,
                   uint64_t now, GError **error)
{
    gmsim_warp *warp = &sm->warp[slot];
    gmsim_cta *cta = cta_of(sm, warp);
    uint64_t barrier = record->address;
    uint32_t aux = record->aux, bit = 1u << warp->who.warp, lanes = record->mask;
    bool waits = !gmsim_tally_site(&s->replay->tally, record->instr)->arrive_only;
    if (barrier >= GMSIM_NAMED_BARRIERS)
        return gmsim_step_corrupt(error, warp, "a barrier number above 15");
    sm->barriers++;
    const uint32_t all = gmsim_lanes_of(&s->plan, warp->who.warp);
    while (lanes != all &&
           (warp->cursor.next < warp->cursor.end || gmsim_warp_refill(s, warp, error))) {
        const gmtrace_record *next = warp->cursor.next;
        if (next->kind == GMTRACE_EXEC) {
            gmtrace_path_step_in(sm->paths, &warp->path, next, warp->cursor.chunk);
            warp->cursor.next++;
            sm->records++;
            continue;
        }
        if (next->kind != GMTRACE_BARRIER || next->address != barrier || (next->mask & lanes))
            break;
        lanes |= next->mask;
        gmtrace_path_step_in(sm->paths, &warp->path, next, warp->cursor.chunk);
        warp->cursor.next++;
        sm->records++;
        sm->barriers++;
    }
    if (*error)
        return false;
    barrier = gmsim_phases_barrier(&s->phases, (uint32_t)barrier, warp->who.warp);
    cta->expected[barrier] = aux >= s->plan.cta_threads ? 0 : (aux + 31u) / 32u;
    cta->arrived_at[barrier] |= bit;
    cta->arrival = MAX(cta->arrival, now);
    warp->arrived = now;
    if (waits) {
        cta->waiting_at[barrier] |= bit;
        cta->waiting |= bit;
        sm->ready[slot] = GMSIM_NEVER;
    }
    try_release(s, sm, warp->cta, (uint32_t)barrier);
    return true;
}

/* The warp goes on at `next`, `straight` behind a record or not: it would be at its next turn at
 * sm->ready[slot] if it were alone. */
GMSIM_INLINE void go(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t next, bool straight)
{
    gmsim_warp *warp = &sm->warp[slot];
    gmsim_warp_sets_out(sm, warp, next);
    if (warp->pieces > 1u) {
        warp->turn = GMSIM_TURN_PIECE;
        next += gmsim_share(s, sm, slot);
        gmsim_ready_at(s, sm, slot, next + warp->clocks / warp->pieces);
        return;
    }
    if (warp->ends) {
        warp->turn = GMSIM_TURN_END;
        gmsim_ready_at(s, sm, slot, next + warp->clocks);
    } else if (!sm->runs || !gmsim_run_on_way(s, sm, slot, next, straight)) {
        gmsim_run_to_record(s, sm, slot, next + warp->clocks);
    }
}

/* CCTL.IVALL on the warp's way, behind a load or fence that others are to be seen by. */
GMSIM_INLINE void empty_l1(gmsim_sm *sm, const gmsim_warp *warp)
{
    if (warp->uses & GMSIM_EMPTIES_L1)
        gmsim_l1_empty(&sm->memory.l1, GMSIM_LOCAL_WINDOWS / GMSIM_LINE_BYTES);
}

/* The warp's way to its next record, or to its end, is known. */
GMSIM_INLINE void set_out(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, gmsim_ahead ahead,
                          uint64_t next, bool straight)
{
    gmsim_warp *warp = &sm->warp[slot];
    if (ahead == GMSIM_AHEAD_WAITS) {
        sm->unplanned |= 1ull << slot;
        sm->ready[slot] = GMSIM_NEVER;
    } else {
        warp->ends = ahead == GMSIM_AHEAD_END;
        warp->pieces = warp->clocks / GMSIM_PIECE_CLOCKS + 1u;
        if (warp->pieces == 1u) { /* a longer way: at its end */
            empty_l1(sm, warp);
        } else {
            warp->run = warp->head = 0;
            if (!straight) { /* until then it leaves the pipes to others */
                warp->turn = GMSIM_TURN_SETS_OUT;
                gmsim_ready_at(s, sm, slot, next - MIN(SOONER, next - s->epoch));
                return;
            }
        }
        go(s, sm, slot, next, straight);
    }
}

/* The warp has a piece of a long way, or of that to its end, behind it at `now`, if others let it.
 */
static void on_the_way(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    gmsim_warp *warp = &sm->warp[slot];
    if (warp->turn == GMSIM_TURN_SETS_OUT) {
        go(s, sm, slot, now + SOONER, false);
        return;
    }
    bool ends = warp->turn == GMSIM_TURN_END;
    if (!s->plan.functional)
        now = gmsim_warp_piece(s, sm, slot, now - MIN(now, warp->clocks / warp->pieces));
    if (ends) {
        const uint64_t gone = MAX(now + s->plan.gpu->launch_exit, warp->stored);
        /* What it stores is still on its way out. */
        sm->timing.stall[GMSIM_STALL_L1] += gone - now - s->plan.gpu->launch_exit;
        end_warp(s, sm, slot, gone);
        return;
    }
    if (warp->clocks) {
        warp->pieces = 2; /* or more */
    } else {
        warp->pieces = 1;
        gmsim_share_over(s, sm, slot, now);
        empty_l1(sm, warp);
    }
    go(s, sm, slot, now, false);
}

/* The record's part in an mbarrier or in its cluster's barrier. Whether the warp waits there. */
static __attribute__((noinline)) bool meets(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                                            const gmtrace_record *record, uint64_t now)
{
    sm->warp[slot].turn = GMSIM_TURN_PLAN;
    if (record->kind == GMTRACE_CLUSTER_ARRIVE)
        gmsim_cluster_arrive(s, sm, slot, now);
    else if (record->kind == GMTRACE_CLUSTER_WAIT)
        return gmsim_cluster_wait(s, sm, slot, now);
    else if (record->kind == GMTRACE_MBARRIER && s->mbarriers)
        return gmsim_mbarrier_record(s, sm, slot, record, now);
    return false;
}

/* The answer to the warp's poll is known: its next turn is when that is there. */
static void wake_poll(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot)
{
    gmsim_warp *warp = &sm->warp[slot];
    const uint32_t board = gmsim_tally_site(&s->replay->tally, warp->last)->scoreboard;
    if (warp->under_way | warp->unserved)
        return;
    sm->polling &= ~(1ull << slot);
    gmsim_ready_at(s, sm, slot,
                   board < GMSIM_SCOREBOARDS ? MAX(warp->free[board], warp->polled) : warp->polled);
}

/* The record, at a site that polls or writes what others poll, has issued at `now`. Whether the
 * warp waits for what it finds. */
static __attribute__((noinline)) bool polls(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                                            const gmtrace_record *record, uint64_t now)
{
    if (!gmsim_polls_note(s, sm, slot, record, now))
        return false;
    sm->warp[slot].turn = GMSIM_TURN_POLL;
    sm->ready[slot] = GMSIM_NEVER;
    sm->polling |= 1ull << slot;
    wake_poll(s, sm, slot);
    return true;
}

/* The answer to the warp's poll is there at `now`. False where it polls again. */
static __attribute__((noinline)) bool polled(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                                             uint64_t now)
{
    gmsim_warp *warp = &sm->warp[slot];
    const uint32_t rows = warp->poll_rows;
    if (gmsim_polls_over(s, sm, slot, now))
        return true;
    if (warp->poll_rows != rows)
        warp->slept = 0; /* the row before is read at once */
    sm->timing.stall[GMSIM_STALL_L2] += now - MIN(now, warp->polled);
    sm->records--;
    warp->cursor.next--;
    gmsim_warp_comes(sm, warp, warp->cursor.next);
    memset(warp->pipe, 0, sizeof warp->pipe);
    warp->pipe[GMSIM_PIPE_ISSUE] = 1u;
    warp->unit = warp->constant = warp->uses = warp->sets = warp->clocks = 0;
    warp->pieces = 1u;
    /* It slept until a tick, read, and sleeps until the next one. */
    const uint64_t again = MAX(now + POLL_LOOP, warp->slept ? warp->polled + warp->slept : 0);
    gmsim_run_to_record(s, sm, slot, again);
    return false;
}

/* The warp's next record may stand in its sub-partition's queue: there accesses are in the order in
 * which they issue. */
GMSIM_INLINE bool comes_to_queue(const gmsim_scheduler *s, const gmsim_sm *sm, uint32_t slot)
{
    const gmtrace_record *record = sm->warp[slot].cursor.next;
    return sm->comes[slot] & GMSIM_COMES_QUEUES && !s->plan.functional &&
           (sm->standing ||
            (record->op == GMTRACE_OP_STORE && record->space == GMTRACE_SPACE_GLOBAL));
}

/* The turn of a warp whose next record issues at `now`, if other warps let it. Turns come in the
 * order of these times, so that those who share the load-store unit reach it in that order. */
GMSIM_INLINE bool warp_turn(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now,
                            GError **error)
{
    gmsim_warp *warp = &sm->warp[slot];
    if (warp->turn >= GMSIM_TURN_PIECE) {
        on_the_way(s, sm, slot, now);
        return true;
    }
    if (warp->turn == GMSIM_TURN_RECORD) { /* else it has just begun, or was at a barrier */
        if ((comes_to_queue(s, sm, slot) ||
             __builtin_expect(warp->part->held_until > now - MIN(now, warp->clocks), 0)) &&
            gmsim_run_puts_off(s, sm, slot, now))
            return true;
        const gmtrace_record *record = warp->cursor.next++;
        /* Until the warp's next turn others go, whose records push this one's out of the cache. */
        __builtin_prefetch(record + 3);
        now -= MIN(now, warp->clocks);
        const char *wrong = gmsim_warp_execute(s, sm, warp, record, &now);
        if (wrong)
            return gmsim_step_corrupt(error, warp, wrong);
        if (__builtin_expect(s->polls != NULL, 0) && polls(s, sm, slot, record, now))
            return true;
        if (__builtin_expect(record->kind >= GMTRACE_BARRIER, 0)) {
            if (record->kind == GMTRACE_BARRIER) {
                warp->turn = GMSIM_TURN_PLAN;
                if (warp->part->standing) { /* behind what stands in the queue */
                    sm->ready[slot] = GMSIM_NEVER;
                    sm->deferred |= 1ull << slot;
                    warp->behind = warp->part->standing;
                    return true;
                }
                gmsim_ready_at(s, sm, slot, now);
                return arrive(s, sm, slot, record, now, error);
            }
            if (meets(s, sm, slot, record, now))
                return true;
        }
    } else if (__builtin_expect(warp->turn == GMSIM_TURN_RUN, 0)) {
        gmsim_run_turn(s, sm, slot, now);
        return true;
    } else if (__builtin_expect(warp->turn == GMSIM_TURN_POLL, 0)) {
        if (!polled(s, sm, slot, now))
            return true;
        now = MIN(now, warp->polled); /* of its way it has gone what waits for nothing */
    }
    uint64_t next = now;
    gmsim_ahead ahead = gmsim_warp_ahead(s, sm, warp, now, &next, error);
    if (ahead == GMSIM_AHEAD_FAILED)
        return false;
    set_out(s, sm, slot, ahead, next, next == now + 1u);
    return true;
}

/* The turn, at `now`, of a warp whose next record `queues`; where it has waited for its place, it
 * or another sets out. The waits that the turn adds are recorded, when it is over, from when it
 * begins. */
GMSIM_INLINE bool take_turn(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, bool queues,
                            uint64_t now, GError **error)
{
    gmsim_sub_partition *part = sm->warp[slot].part;
    if (!queues || !gmsim_place_has_waited(part, slot)) {
        if (gmsim_sm_recorded(sm))
            gmsim_course_before(sm->course, &sm->timing, now);
        return warp_turn(s, sm, slot, now, error);
    }
    slot = gmsim_place_leave(sm, part, now);
    if (gmsim_sm_recorded(sm))
        gmsim_course_before(sm->course, &sm->timing, sm->since[slot] + sm->warp[slot].clocks);
    if (!warp_turn(s, sm, slot, gmsim_place_set_out(sm, part, slot), error))
        return false;
    if (part->waiting)
        gmsim_place_next(s, sm, part);
    return true;
}

/* All that the warp waited for is known. */
static void go_on(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot)
{
    uint64_t next = 0;
    if (gmsim_sm_recorded(sm))
        gmsim_course_before(sm->course, &sm->timing, sm->warp[slot].way.clock);
    sm->unplanned &= ~(1ull << slot);
    gmsim_ahead ahead = gmsim_warp_go_on(sm, &sm->warp[slot], &next);
    set_out(s, sm, slot, ahead, next, false);
    if (gmsim_sm_recorded(sm))
        gmsim_course_after(sm->course, &sm->timing);
}

/* Something that stood in the sub-partition's queue has left it: those on their way to a barrier
 * behind it come closer. */
static bool come_closer(gmsim_scheduler *s, gmsim_sm *sm, const gmsim_sub_partition *part,
                        uint64_t now, GError **error)
{
    for (uint64_t left = sm->deferred; left; left &= left - 1u) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        gmsim_warp *warp = &sm->warp[slot];
        if (warp->part != part || --warp->behind)
            continue;
        sm->deferred &= ~(1ull << slot);
        gmsim_ready_at(s, sm, slot, now);
        if (!arrive(s, sm, slot, warp->cursor.next - 1, now, error))
            return false;
    }
    return true;
}

/* The load-store unit takes what is next of what stands in queues. */
static __attribute__((noinline)) bool take_next(gmsim_scheduler *s, gmsim_sm *sm, GError **error)
{
    uint32_t slot;
    const char *wrong = gmsim_unit_take(s, sm, &slot);
    const gmsim_warp *warp = &sm->warp[slot];
    if (wrong)
        return gmsim_step_corrupt(error, warp, wrong);
    const uint64_t now = warp->who.now;
    const gmsim_sub_partition *part = &sm->part[sm->served]; /* the warp's */
    if (part->waiting)
        gmsim_place_next(s, sm, part);
    if ((sm->unplanned >> slot & 1u) && gmsim_warp_knows(warp, warp->under_way | warp->unserved))
        go_on(s, sm, slot);
    if (__builtin_expect(sm->polling >> slot & 1u, 0))
        wake_poll(s, sm, slot);
    return come_closer(s, sm, part, now, error);
}

/* Whether the load-store unit takes an access from a queue before the next warp's turn at `clock`;
 * sm->next is when. */
static __attribute__((noinline)) bool unit_goes_first(const gmsim_scheduler *s, gmsim_sm *sm,
                                                      uint32_t clock)
{
    const uint32_t at = gmsim_since_epoch(s, gmsim_unit_takes_at(sm));
    if (at > clock)
        return false;
    sm->next = at;
    return true;
}

/* Runs an SM up to a clock, or until it needs an answer that is under way. sm->next is when it can
 * go on; GMSIM_NEVER if no warp can. */
GMSIM_CLONES static bool run_sm(gmsim_scheduler *s, gmsim_sm *sm, uint64_t limit, GError **error)
{
    const uint64_t epoch = s->epoch, span = limit - epoch;
    const uint32_t until = span < GMSIM_NEVER ? (uint32_t)span : GMSIM_NEVER;
    const bool timed = !s->plan.functional, few = sm->slots <= GMSIM_FEW_WARPS;
    gmsim_turns_forget(&s->turns);
    for (;;) {
        uint32_t slot = 0;
        const uint32_t clock = sm->next =
            gmsim_turns_next(&s->turns, sm->ready, few, until, &slot, sm->coming);
        if (__builtin_expect(sm->standing, 0) && unit_goes_first(s, sm, clock)) {
            if (sm->next >= until || (!sm->memory.direct && !gmsim_unit_has_room(sm)))
                return true;
            if (!take_next(s, sm, error))
                return false;
            continue;
        }
        if (clock >= until)
            return true;
        const gmsim_warp *warp = &sm->warp[slot];
        const bool record = warp->turn == GMSIM_TURN_RECORD;
        const uint32_t comes = record ? sm->comes[slot] : 0;
        if (record && !sm->memory.direct && !gmsim_warp_has_room(s, sm, warp, comes))
            return true;
        gmsim_turns_pass(&s->turns);
        if (s->turns.some)
            gmsim_warp_expect(sm, gmsim_turns_first(&s->turns));
        const bool queues = timed && (comes & GMSIM_COMES_QUEUES);
        if (queues && gmsim_place_at(warp->part) > epoch + clock) {
            if (gmsim_place_has_waited(warp->part, slot))
                gmsim_place_next(s, sm, warp->part);
            else
                gmsim_place_wait(s, sm, slot, epoch + clock);
            continue;
        }
        if (!take_turn(s, sm, slot, queues, epoch + clock, error))
            return false;
        if (gmsim_sm_recorded(sm))
            gmsim_course_after(sm->course, &sm->timing);
    }
}

/* Whether a warp is ready before that time, or something stands in a queue: else there is nothing
 * to run. */
static bool may_go(const gmsim_sm *sm, uint32_t until)
{
    return sm->next < until || sm->standing;
}

/* The SM's turn at what all share: what it asked for in this step is answered, and warps that wait
 * for an answer set out. If it could not go on without one, or if an answer came before the step's
 * end, it goes on to there; all it asks for is then answered at once. */
static bool answer_sm(gmsim_scheduler *s, gmsim_sm *sm, uint64_t limit, GError **error)
{
    uint32_t until = gmsim_since_epoch(s, limit);
    if (sm->memory.out.asks || sm->accesses) {
        gmsim_sm_memory_serve(&sm->memory, s->shared);
        gmsim_access_take_answers(s, sm);
        for (uint64_t left = sm->unplanned; left; left &= left - 1u) {
            uint32_t slot = (uint32_t)__builtin_ctzll(left);
            if (gmsim_warp_knows(&sm->warp[slot], sm->warp[slot].unserved))
                go_on(s, sm, slot);
        }
        for (uint64_t left = sm->polling; left; left &= left - 1u)
            wake_poll(s, sm, (uint32_t)__builtin_ctzll(left));
        until = GMSIM_NEVER; /* who goes next is to be found out again */
    }
    if (!may_go(sm, until))
        return true;
    sm->memory.direct = s->shared;
    bool done = run_sm(s, sm, limit, error);
    sm->memory.direct = NULL;
    return done;
}

void gmsim_step_look(const gmsim_scheduler *s, gmsim_part *part)
{
    part->soonest = GMSIM_NEVER;
    part->resident = part->left = false;
    part->records = 0;
    for (uint32_t i = part->first; i < part->end; i++) {
        gmsim_sm *sm = &s->sm[i];
        sm->open = sm->room;
        part->soonest = MIN(part->soonest, sm->next);
        part->resident |= sm->resident != 0;
        part->left |= sm->open || (sm->left | sm->waiting) != 0;
        part->records += sm->records;
    }
    part->work = part->records + s->replay->l1_clocks;
}

/* Each runs, or is answered, or both. */
static bool step(gmsim_scheduler *s, uint32_t first, uint32_t end, uint64_t limit, bool runs,
                 bool answers, GError **error)
{
    const uint32_t until = gmsim_since_epoch(s, limit);
    for (uint32_t i = first; i < end; i++) {
        gmsim_sm *sm = &s->sm[i];
        s->replay->turn = s->step << 16 | i;
        if ((runs && may_go(sm, until) && !run_sm(s, sm, limit, error)) ||
            (answers && !answer_sm(s, sm, limit, error)))
            return false;
    }
    return true;
}

bool gmsim_step_run(gmsim_scheduler *s, uint32_t first, uint32_t end, uint64_t limit,
                    GError **error)
{
    return step(s, first, end, limit, true, false, error);
}

bool gmsim_step_answer(gmsim_scheduler *s, uint32_t first, uint32_t end, uint64_t limit,
                       GError **error)
{
    return step(s, first, end, limit, false, true, error);
}

bool gmsim_step_all(gmsim_scheduler *s, uint32_t first, uint32_t end, uint64_t limit,
                    GError **error)
{
    return step(s, first, end, limit, true, true, error);
}
