/* SPDX-License-Identifier: MIT
 *
 * schedule.c - which warp goes next. A trace holds no order between warps; this is the order the
 * model gives them: that of the times at which their records would issue, were each warp alone on
 * its SM (warp.c). CTAs come as deal.c has it.
 *
 * - A warp at a CTA barrier waits for all warps of its CTA that have not ended, or for the number
 *   of threads the barrier names. BAR.ARV arrives without waiting. Lanes of one warp that arrive in
 *   separate records, one after the other, arrive together.
 * - SMs advance together in steps of GMSIM_STEP clocks; within a step they go one after the other.
 *
 * Left out: cluster barriers and mbarriers (neither holds a warp back here).
 */
#include "sim/model/time/schedule.h"

#include "sim/model/count/lanes.h"
#include "sim/model/hot.h"
#include "sim/model/time/deal.h"
#include "sim/model/time/warp.h"

#include <stdlib.h>
#include <string.h>

/* Times beyond this many clocks after the epoch move it. */
#define EPOCH_CLOCKS (1u << 30)

#define PROGRESS_STEP  (1u << 13) /* records */
#define PROGRESS_STEPS 15u        /* looked at every 16 steps */

static gmsim_cta *cta_of(gmsim_sm *sm, const gmsim_warp *warp)
{
    return &sm->cta[warp->cta];
}

/* A warp that waited at a barrier can go on. */
static void resume(const gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t clock)
{
    sm->ready[slot] = gmsim_since_epoch(s, clock);
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
        uint32_t slot = place * s->plan.cta_warps + gmsim_lowest(left);
        uint64_t go =
            cta->arrival + s->plan.gpu->sm_barrier + released * s->plan.gpu->sm_barrier_warp;
        sm->timing.stall[GMSIM_STALL_BARRIER] += go - MIN(go, sm->warp[slot].arrived);
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
    cta->end = MAX(cta->end, now);
    cta->arrival = MAX(cta->arrival, now);
    sm->end = MAX(sm->end, now);
    sm->timing.warp_active += now - MIN(now, warp->start);
    if (cta->live == 0) {
        sm->left |= 1u << warp->cta;
        sm->resident--;
        sm->active_until = MAX(sm->active_until, cta->end);
        if (sm->resident == 0)
            sm->active += sm->active_until - MIN(sm->active_until, sm->active_since);
    } else if (cta->waiting)
        for (uint32_t barrier = 0; barrier < GMSIM_NAMED_BARRIERS; barrier++)
            if (cta->waiting_at[barrier])
                try_release(s, sm, warp->cta, barrier);
}

static bool corrupt(GError **error, const gmsim_warp *warp, const char *what)
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
        return corrupt(error, warp, "a barrier number above 15");
    sm->barriers++;
    while (warp->cursor.next < warp->cursor.end || gmsim_warp_refill(s, warp, error)) {
        const gmtrace_record *next = warp->cursor.next;
        if (next->kind == GMTRACE_EXEC) {
            gmtrace_path_step(s->paths, &warp->path, next);
            warp->cursor.next++;
            sm->records++;
            continue;
        }
        if (next->kind != GMTRACE_BARRIER || next->address != barrier || (next->mask & lanes))
            break;
        lanes |= next->mask;
        gmtrace_path_step(s->paths, &warp->path, next);
        warp->cursor.next++;
        sm->records++;
        sm->barriers++;
    }
    if (*error)
        return false;
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

/* The warp's way to its next record, or to its end, is known: it would be there at sm->ready[slot]
 * if it were alone. */
GMSIM_INLINE void set_out(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, gmsim_ahead ahead,
                          uint64_t next)
{
    gmsim_warp *warp = &sm->warp[slot];
    if (ahead == GMSIM_AHEAD_END) {
        end_warp(s, sm, slot, MAX(next, warp->stored));
    } else if (ahead == GMSIM_AHEAD_WAITS) {
        sm->unplanned |= 1ull << slot;
        sm->ready[slot] = GMSIM_NEVER;
    } else {
        warp->planned = true;
        sm->ready[slot] = gmsim_since_epoch(s, next + warp->clocks);
    }
}

/* Plans the way to the warp's next record; `now` is when the last one issued. */
static bool plan_turn(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now, GError **error)
{
    uint64_t next = now;
    gmsim_ahead ahead = gmsim_warp_ahead(s, sm, &sm->warp[slot], now, &next, error);
    if (ahead == GMSIM_AHEAD_FAILED)
        return false;
    set_out(s, sm, slot, ahead, next);
    return true;
}

/* The turn of a warp whose next record issues at `now`, if other warps let it. Turns come in the
 * order of these times, so that those who share the load-store unit reach it in that order. */
static bool warp_turn(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now, GError **error)
{
    gmsim_warp *warp = &sm->warp[slot];
    if (!warp->planned) /* it has just begun, or was at a barrier */
        return plan_turn(s, sm, slot, now, error);
    const gmtrace_record *record = warp->cursor.next++;
    uint64_t issue = gmsim_warp_issue(s, sm, slot, now - MIN(now, warp->clocks));
    sm->records++;
    warp->last = record->instr;
    if (record->kind == GMTRACE_ACCESS || record->kind == GMTRACE_BULK) {
        const char *wrong = gmsim_warp_access(s, sm, slot, record, &issue);
        if (wrong)
            return corrupt(error, warp, wrong);
    } else if (record->kind == GMTRACE_BARRIER) {
        warp->planned = false;
        sm->ready[slot] = gmsim_since_epoch(s, issue);
        return arrive(s, sm, slot, record, issue, error);
    } else if (record->kind == GMTRACE_COPY_COMMIT) {
        gmsim_warp_commit(sm, slot);
    }
    return plan_turn(s, sm, slot, issue, error);
}

/* Least of the warps' ready times. */
GMSIM_CLONES static uint32_t earliest(const uint32_t ready[GMSIM_MAX_SM_WARPS])
{
    uint32_t least[8];
    memcpy(least, ready, sizeof least);
#pragma GCC unroll 8
    for (uint32_t i = 8; i < GMSIM_MAX_SM_WARPS; i += 8u)
        for (uint32_t k = 0; k < 8u; k++)
            least[k] = ready[i + k] < least[k] ? ready[i + k] : least[k];
    for (uint32_t k = 0; k < 4u; k++)
        least[k] = least[k + 4u] < least[k] ? least[k + 4u] : least[k];
    uint32_t one = MIN(least[0], least[1]), other = MIN(least[2], least[3]);
    return MIN(one, other);
}

GMSIM_CLONES static uint32_t slot_with(const uint32_t ready[GMSIM_MAX_SM_WARPS], uint32_t clock)
{
    uint32_t slot = 0;
    while (ready[slot] != clock)
        slot++;
    return slot;
}

/* Of two warps that wait for a place in a queue the one of the older CTA, then the one that has
 * waited longer. */
static bool comes_before(const gmsim_sm *sm, uint32_t a, uint32_t b)
{
    const gmsim_warp *one = &sm->warp[a], *other = &sm->warp[b];
    if (one->who.cta != other->who.cta)
        return one->who.cta < other->who.cta;
    return one->since != other->since ? one->since < other->since : a < b;
}

/* When the sub-partition's queue has a place. */
GMSIM_INLINE uint64_t place_at(const gmsim_sub_partition *part)
{
    return part->began[part->next];
}

static void comes_next(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_sub_partition *part,
                       uint32_t slot)
{
    part->first = slot + 1u;
    sm->ready[slot] = gmsim_since_epoch(s, MAX(place_at(part), sm->warp[slot].since));
}

/* The warp would issue a memory instruction at `now`, and its sub-partition's queue is full. */
static void wait_for_place(const gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    gmsim_sub_partition *part = sm->warp[slot].part;
    if (!(part->waiting >> slot & 1u)) {
        part->waiting |= 1ull << slot;
        sm->warp[slot].since = now;
    }
    sm->ready[slot] = GMSIM_NEVER;
    uint32_t first = part->first - 1u;
    if (part->first && first != slot && comes_before(sm, first, slot))
        return;
    if (part->first)
        sm->ready[first] = GMSIM_NEVER;
    comes_next(s, sm, part, slot);
}

/* The warp has its place; the next one waits for the next. */
static void take_place(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_sub_partition *part)
{
    part->first = 0;
    if (!part->waiting)
        return;
    uint32_t best = (uint32_t)__builtin_ctzll(part->waiting);
    for (uint64_t left = part->waiting & (part->waiting - 1u); left; left &= left - 1u) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        if (comes_before(sm, slot, best))
            best = slot;
    }
    comes_next(s, sm, part, best);
}

/* When a warp that has waited for its place sets out: so that it reaches its access with the place,
 * not sooner than it could. */
static uint64_t begins_at(gmsim_sm *sm, const gmsim_sub_partition *part, const gmsim_warp *warp)
{
    uint64_t place = place_at(part), there = warp->since + warp->clocks;
    if (place <= there)
        return warp->since;
    gmsim_stall cause =
        warp->cursor.next->space == GMTRACE_SPACE_SHARED ? GMSIM_STALL_SHARED : GMSIM_STALL_L1;
    if (warp->constant > warp->clocks) /* those before it wait for constants, too */
        cause = GMSIM_STALL_MATH;
    sm->timing.stall[cause] += place - there;
    return place - warp->clocks;
}

/* Runs an SM up to a clock, or until it needs an answer that is under way. sm->next is when it can
 * go on; GMSIM_NEVER if no warp can. */
static bool run_sm(gmsim_scheduler *s, gmsim_sm *sm, uint64_t limit, GError **error)
{
    for (;;) {
        uint32_t clock = sm->next = earliest(sm->ready);
        if (clock == GMSIM_NEVER || s->epoch + clock >= limit)
            return true;
        uint32_t slot = slot_with(sm->ready, clock);
        const gmsim_warp *warp = &sm->warp[slot];
        if (warp->planned && !sm->memory.direct && !gmsim_warp_has_room(sm, warp->cursor.next))
            return true;
        uint64_t now = s->epoch + clock;
        gmsim_sub_partition *part = warp->part;
        bool queues =
            warp->planned && !s->plan.functional &&
            (warp->cursor.next->kind == GMTRACE_ACCESS || warp->cursor.next->kind == GMTRACE_BULK);
        if (queues && place_at(part) > now) {
            wait_for_place(s, sm, slot, now);
            continue;
        }
        bool waited = part->waiting >> slot & 1u;
        if (waited) {
            part->waiting &= ~(1ull << slot);
            now = begins_at(sm, part, warp);
        }
        if (!warp_turn(s, sm, slot, now, error))
            return false;
        if (waited)
            take_place(s, sm, part);
    }
}

/* The SM's turn at what all share: what it asked for in this step is answered, and warps that wait
 * for an answer set out. If it could not go on without one, or if an answer came before the step's
 * end, it goes on to there; all it asks for is then answered at once. */
static bool answer_sm(gmsim_scheduler *s, gmsim_sm *sm, uint64_t limit, GError **error)
{
    if (sm->memory.out.asks || sm->accesses) {
        gmsim_sm_memory_serve(&sm->memory, s->shared);
        gmsim_warp_take_answers(sm);
        uint64_t left = sm->unplanned;
        for (sm->unplanned = 0; left; left &= left - 1u) {
            uint32_t slot = (uint32_t)__builtin_ctzll(left);
            uint64_t next = 0;
            gmsim_ahead ahead = gmsim_warp_go_on(s, sm, &sm->warp[slot], &next);
            set_out(s, sm, slot, ahead, next);
        }
    } else if (sm->next == GMSIM_NEVER || s->epoch + sm->next >= limit) {
        return true;
    }
    sm->memory.direct = s->shared;
    bool done = run_sm(s, sm, limit, error);
    sm->memory.direct = NULL;
    return done;
}

/* One step of all SMs. What an SM does before its outbox is served does not depend on what others
 * do in this step; it is served at once here, while what it holds is in the host's cache. */
static bool run_step(gmsim_scheduler *s, uint64_t limit, GError **error)
{
    gmsim_shared_step(s->shared, limit - GMSIM_STEP);
    if (s->plan.apart)
        for (uint32_t i = s->plan.sms; i-- > 0;) {
            s->replay->turn = s->step << 16 | i;
            if (!run_sm(s, &s->sm[i], limit, error))
                return false;
        }
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        gmsim_sm *sm = &s->sm[i];
        s->replay->turn = s->step << 16 | i;
        if ((!s->plan.apart && !run_sm(s, sm, limit, error)) || !answer_sm(s, sm, limit, error))
            return false;
    }
    s->step++;
    return true;
}

/* Nobody can go on: a barrier waits for warps that never come. In a trace that was cut short that
 * is to be expected, and the warps go on. */
static bool resolve_deadlock(gmsim_scheduler *s, uint64_t now, GError **error)
{
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        gmsim_sm *sm = &s->sm[i];
        for (uint32_t place = 0; place < s->plan.sm_ctas; place++) {
            gmsim_cta *cta = &sm->cta[place];
            if (cta->waiting == 0)
                continue;
            if (!s->truncated)
                return corrupt(error,
                               &sm->warp[place * s->plan.cta_warps + gmsim_lowest(cta->waiting)],
                               "waits at a barrier that the other warps never reach");
            for (uint32_t left = cta->waiting; left; left &= left - 1u)
                resume(s, sm, place * s->plan.cta_warps + gmsim_lowest(left), now);
            cta->waiting = 0;
            memset(cta->arrived_at, 0, sizeof cta->arrived_at);
            memset(cta->waiting_at, 0, sizeof cta->waiting_at);
        }
    }
    return true;
}

/* Ready times are 32 bits wide: long launches move the clock they are counted from. */
static void move_epoch(gmsim_scheduler *s, uint32_t clocks)
{
    s->epoch += clocks;
    for (uint32_t i = 0; i < s->plan.sms; i++)
        for (uint32_t slot = 0; slot < GMSIM_MAX_SM_WARPS; slot++) {
            uint32_t *ready = &s->sm[i].ready[slot];
            if (*ready != GMSIM_NEVER)
                *ready = *ready > clocks ? *ready - clocks : 0;
        }
}

/* The places that CTAs have left in this step. */
static void collect_freed(gmsim_scheduler *s)
{
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        gmsim_sm *sm = &s->sm[i];
        for (; sm->left; sm->left &= sm->left - 1u) {
            uint32_t place = gmsim_lowest(sm->left);
            s->freed[s->freed_count++] =
                (gmsim_freed){.clock = sm->cta[place].end, .sm = i, .place = place};
        }
    }
}

static bool run(gmsim_scheduler *s, GError **error)
{
    if (!gmsim_deal_first(s, error))
        return false;
    uint64_t reported = 0, limit = GMSIM_STEP;
    for (;;) {
        uint32_t soonest = GMSIM_NEVER;
        bool resident = false;
        if (!run_step(s, limit, error))
            return false;
        for (uint32_t i = 0; i < s->plan.sms; i++)
            soonest = MIN(soonest, s->sm[i].next);
        collect_freed(s);
        if (s->freed_count) {
            if (!gmsim_deal_freed(s, error))
                return false;
            soonest = MIN(soonest, gmsim_since_epoch(s, limit));
        }
        for (uint32_t i = 0; i < s->plan.sms && !resident; i++)
            resident = s->sm[i].resident != 0;
        if (!resident)
            return true;
        if (soonest == GMSIM_NEVER) {
            if (!resolve_deadlock(s, limit, error))
                return false;
            soonest = gmsim_since_epoch(s, limit);
        }
        limit = s->epoch + soonest + GMSIM_STEP;
        if (soonest > EPOCH_CLOCKS)
            move_epoch(s, soonest);
        if (s->progress && (s->step & PROGRESS_STEPS) == 0) {
            uint64_t records = 0;
            for (uint32_t i = 0; i < s->plan.sms; i++)
                records += s->sm[i].records;
            if (records - reported >= PROGRESS_STEP) {
                reported = records;
                s->progress(records, s->plan.records, s->progress_data);
            }
        }
    }
}

/* What an SM counted. */
static void add_sm(gmsim_scheduler *s, const gmsim_sm *sm)
{
    s->records += sm->records;
    s->barriers += sm->barriers;
    s->end = MAX(s->end, sm->end);
    s->timing.sm_active += sm->active;
    s->timing.warp_active += sm->timing.warp_active;
    s->timing.loads += sm->timing.loads;
    s->timing.load_cycles += sm->timing.load_cycles;
    for (uint32_t i = 0; i < GMSIM_STALLS; i++)
        s->timing.stall[i] += sm->timing.stall[i];
}

bool gmsim_schedule(gmsim_scheduler *s, GError **error)
{
    GError *problem = NULL;
    s->next_cta = s->records = s->barriers = s->epoch = s->end = s->ended = s->step = 0;
    s->freed_count = 0;
    s->truncated = false;
    memset(&s->timing, 0, sizeof s->timing);
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        gmsim_sm *sm = &s->sm[i];
        memset(sm->ready, 0xff, sizeof sm->ready);
        memset(sm->part, 0, sizeof sm->part);
        sm->unit_free = sm->unit_work = sm->unit_done = sm->stored = sm->constant_free = 0;
        sm->active = sm->active_since = sm->active_until = 0;
        sm->resident = sm->accesses = sm->left = 0;
        sm->unplanned = sm->records = sm->barriers = sm->end = 0;
        memset(&sm->timing, 0, sizeof sm->timing);
        for (uint32_t place = 0; place < GMSIM_MAX_SM_CTAS; place++)
            sm->cta[place].live = sm->cta[place].waiting = 0;
    }
    bool done = run(s, &problem);
    s->end = MAX(s->end, s->shared->drained);
    for (uint32_t i = 0; i < s->plan.sms; i++)
        add_sm(s, &s->sm[i]);
    if (!done) {
        for (uint32_t i = 0; i < s->plan.sms; i++)
            for (uint32_t place = 0; place < s->plan.sm_ctas; place++)
                for (uint32_t w = 0; w < s->plan.cta_warps; w++)
                    if (s->sm[i].cta[place].live >> w & 1u)
                        gmtrace_cursor_close(s->reader,
                                             &s->sm[i].warp[place * s->plan.cta_warps + w].cursor);
        g_propagate_error(error, problem);
    }
    return done;
}
