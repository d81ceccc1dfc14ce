/* SPDX-License-Identifier: MIT
 *
 * schedule.c - which warp goes next. A trace holds no order between warps; this is the order the
 * model gives them:
 *
 * - The first wave deals CTAs one an SM at a time, CTA i to SM i mod n, until no SM takes another.
 *   After that the next CTA goes to the SM that finishes one.
 * - Warps of an SM take turns, a few records each; SMs take turns, a few warps each, so that L2
 *   sees their traffic mixed.
 * - A warp at a CTA barrier waits for all warps of its CTA that have not ended, or for the number
 *   of threads the barrier names. BAR.ARV arrives without waiting. Lanes of one warp that arrive in
 *   separate records, one after the other, arrive together.
 *
 * Left out: time (a turn is a turn whatever its accesses cost), cluster barriers, mbarriers and
 * waits for asynchronous copies (none of them holds a warp back here), the order in which hardware
 * spreads the first wave over GPCs, and clusters placed together.
 */
#include "sim/model/schedule.h"

#include "sim/model/lanes.h"

/* Records a warp replays in its turn, and records an SM replays in its turn. */
#define WARP_TURN 4u
#define SM_TURN   256u

#define PROGRESS_STEP (1u << 20)

void gmsim_schedule_error(GError **error, const gmtrace_error *reason)
{
    static const gint code[] = {
        [GMTRACE_OK] = GMSIM_ERROR_CORRUPT,
        [GMTRACE_IO] = GMSIM_ERROR_IO,
        [GMTRACE_CORRUPT] = GMSIM_ERROR_CORRUPT,
        [GMTRACE_TRUNCATED] = GMSIM_ERROR_CORRUPT,
        [GMTRACE_UNSUPPORTED] = GMSIM_ERROR_UNSUPPORTED,
        [GMTRACE_NOT_A_TRACE] = GMSIM_ERROR_CORRUPT,
        [GMTRACE_MEMORY] = GMSIM_ERROR_IO,
        [GMTRACE_USAGE] = GMSIM_ERROR_USAGE,
    };
    if (reason->offset == UINT64_MAX)
        g_set_error(error, GMSIM_ERROR, code[reason->status], "%s", reason->text);
    else
        g_set_error(error, GMSIM_ERROR, code[reason->status], "%s (at byte %" G_GUINT64_FORMAT ")",
                    reason->text, reason->offset);
}

static gmsim_cta *cta_of(gmsim_sm *sm, const gmsim_warp *warp)
{
    return &sm->cta[warp->cta];
}

/* Lets a barrier's warps go if nothing is missing any more. */
static void try_release(const gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, uint32_t barrier)
{
    gmsim_cta *cta = &sm->cta[place];
    uint32_t arrived = cta->arrived_at[barrier], expected = cta->expected[barrier];
    bool complete = expected ? gmsim_lane_count(arrived) >= expected : (cta->live & ~arrived) == 0;
    if (!complete)
        return;
    sm->ready |= (uint64_t)cta->waiting_at[barrier] << (place * s->plan.cta_warps);
    cta->waiting &= ~cta->waiting_at[barrier];
    cta->arrived_at[barrier] = cta->waiting_at[barrier] = 0;
}

/* A warp's stream has ended: its place may be all that a barrier waited for. */
static void end_warp(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot)
{
    gmsim_warp *warp = &sm->warp[slot];
    gmsim_cta *cta = cta_of(sm, warp);
    gmtrace_cursor_close(s->reader, &warp->cursor);
    sm->ready &= ~(1ull << slot);
    cta->live &= ~(1u << warp->who.warp);
    if (cta->live == 0)
        sm->resident--;
    else if (cta->waiting)
        for (uint32_t barrier = 0; barrier < GMSIM_NAMED_BARRIERS; barrier++)
            if (cta->waiting_at[barrier])
                try_release(s, sm, warp->cta, barrier);
}

/* Next segment of a warp: false at the end of its stream or on an error, which is then set. */
static bool refill(gmsim_scheduler *s, gmsim_warp *warp, GError **error)
{
    gmtrace_error reason = {.status = GMTRACE_OK};
    if (gmtrace_cursor_refill(s->reader, &warp->cursor, &reason))
        return true;
    if (reason.status == GMTRACE_TRUNCATED)
        s->truncated = true;
    else if (reason.status != GMTRACE_OK)
        gmsim_schedule_error(error, &reason);
    return false;
}

static bool start_cta(gmsim_scheduler *s, uint32_t sm_number, uint32_t place, GError **error)
{
    gmsim_sm *sm = &s->sm[sm_number];
    gmsim_cta *cta = &sm->cta[place];
    uint32_t warps = s->plan.cta_warps, first = place * warps;
    memset(cta, 0, sizeof *cta);
    cta->number = s->next_cta++;
    for (uint32_t i = 0; i < warps; i++) {
        gmsim_warp *warp = &sm->warp[first + i];
        gmtrace_error reason = {.status = GMTRACE_OK};
        memset(warp, 0, sizeof *warp);
        warp->cta = place;
        warp->who = (gmsim_executor){
            .cta = cta->number,
            .warp = i,
            .sm = sm_number,
            .copy_instr = GMTRACE_NO_INSTR,
            .window = (1ull << 61) +
                      ((uint64_t)sm_number * GMSIM_MAX_SM_WARPS + first + i) * s->plan.window_size,
        };
        if (!gmtrace_cursor_open(s->reader, &warp->cursor, cta->number, i, &reason)) {
            if (reason.status != GMTRACE_TRUNCATED) {
                gmsim_schedule_error(error, &reason);
                return false;
            }
            s->truncated = true;
            continue;
        }
        cta->live |= 1u << i;
        sm->ready |= 1ull << (first + i);
    }
    if (cta->live)
        sm->resident++;
    return true;
}

/* Gives a free place the next CTA, if there is one. */
static bool deal(gmsim_scheduler *s, uint32_t sm_number, uint32_t place, GError **error)
{
    while (s->next_cta < s->plan.ctas && s->sm[sm_number].cta[place].live == 0)
        if (!start_cta(s, sm_number, place, error))
            return false;
    return true;
}

static bool corrupt(GError **error, const gmsim_warp *warp, const char *what)
{
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT,
                "CTA %" G_GUINT64_FORMAT " warp %u: %s; capture the program again", warp->who.cta,
                warp->who.warp, what);
    return false;
}

/* Instructions without memory access take no turn: with them in the trace, accesses come in the
 * same order as without. */
static inline void skip_exec(gmsim_scheduler *s, gmsim_warp *warp)
{
    warp->cursor.next++;
    s->records++;
    s->skipped++;
}

/* The warp arrives at a CTA barrier, with all lanes that arrive in consecutive records. */
static bool arrive(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, const gmtrace_record *record,
                   GError **error)
{
    gmsim_warp *warp = &sm->warp[slot];
    gmsim_cta *cta = cta_of(sm, warp);
    uint64_t barrier = record->address;
    uint32_t aux = record->aux, bit = 1u << warp->who.warp, lanes = record->mask;
    bool waits = !gmsim_tally_site(&s->replay->tally, record->instr)->arrive_only;
    if (barrier >= GMSIM_NAMED_BARRIERS)
        return corrupt(error, warp, "a barrier number above 15");
    s->barriers++;
    while (warp->cursor.next < warp->cursor.end || refill(s, warp, error)) {
        const gmtrace_record *next = warp->cursor.next;
        if (next->kind == GMTRACE_EXEC) {
            skip_exec(s, warp);
            continue;
        }
        if (next->kind != GMTRACE_BARRIER || next->address != barrier || (next->mask & lanes))
            break;
        lanes |= next->mask;
        warp->cursor.next++;
        s->records++;
        s->barriers++;
    }
    if (*error)
        return false;
    cta->expected[barrier] = aux >= s->plan.cta_threads ? 0 : (aux + 31u) / 32u;
    cta->arrived_at[barrier] |= bit;
    if (waits) {
        cta->waiting_at[barrier] |= bit;
        cta->waiting |= bit;
        sm->ready &= ~(1ull << slot);
    }
    try_release(s, sm, warp->cta, (uint32_t)barrier);
    return true;
}

static bool warp_turn(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, GError **error)
{
    gmsim_warp *warp = &sm->warp[slot];
    for (uint32_t i = 0; i < WARP_TURN;) {
        if (warp->cursor.next == warp->cursor.end && !refill(s, warp, error)) {
            if (*error)
                return false;
            end_warp(s, sm, slot);
            return true;
        }
        if (warp->cursor.next->kind == GMTRACE_EXEC) {
            skip_exec(s, warp);
            continue;
        }
        const gmtrace_record *record = warp->cursor.next++;
        s->records++;
        i++;
        if (record->kind == GMTRACE_ACCESS || record->kind == GMTRACE_BULK) {
            const char *wrong =
                gmsim_replay_record(s->replay, &warp->who, warp->cursor.chunk, record);
            if (wrong)
                return corrupt(error, warp, wrong);
        } else if (record->kind == GMTRACE_BARRIER) {
            if (!arrive(s, sm, slot, record, error))
                return false;
            if (!(sm->ready >> slot & 1u))
                return true;
        }
    }
    return true;
}

/* The ready slot after one, round and round. */
static inline uint32_t slot_after(uint64_t ready, uint32_t slot)
{
    uint64_t after = ready & (slot < 63u ? UINT64_MAX << (slot + 1u) : 0);
    return (uint32_t)__builtin_ctzll(after ? after : ready);
}

/* Records that a warp will replay in its next turn: long out of the host's cache by then. */
static inline void prefetch_records(const gmsim_warp *warp)
{
    uintptr_t record = (uintptr_t)warp->cursor.next; /* NULL where none was read yet */
    for (uint32_t i = 0; i < WARP_TURN * sizeof(gmtrace_record) + 63u; i += 64u)
        __builtin_prefetch((const void *)(record + i));
}

static bool sm_turn(gmsim_scheduler *s, uint32_t sm_number, GError **error)
{
    gmsim_sm *sm = &s->sm[sm_number];
    uint64_t stop = s->records - s->skipped + SM_TURN;
    while (sm->ready && s->records - s->skipped < stop) {
        sm->last = slot_after(sm->ready, sm->last);
        uint32_t second = slot_after(sm->ready, slot_after(sm->ready, sm->last));
        prefetch_records(&sm->warp[second]);
        __builtin_prefetch(&sm->warp[slot_after(sm->ready, second)]);
        uint32_t place = sm->warp[sm->last].cta;
        if (!warp_turn(s, sm, sm->last, error))
            return false;
        if (sm->cta[place].live == 0 && !deal(s, sm_number, place, error))
            return false;
    }
    return true;
}

/* Nobody can go on: a barrier waits for warps that never come. In a trace that was cut short that
 * is to be expected, and the warps go on. */
static bool resolve_deadlock(gmsim_scheduler *s, GError **error)
{
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        gmsim_sm *sm = &s->sm[i];
        for (uint32_t place = 0; place < s->plan.sm_ctas; place++) {
            gmsim_cta *cta = &sm->cta[place];
            if (cta->waiting == 0)
                continue;
            if (!s->truncated)
                return corrupt(
                    error,
                    &sm->warp[place * s->plan.cta_warps + (uint32_t)__builtin_ctz(cta->waiting)],
                    "waits at a barrier that the other warps never reach");
            sm->ready |= (uint64_t)cta->waiting << (place * s->plan.cta_warps);
            cta->waiting = 0;
            memset(cta->arrived_at, 0, sizeof cta->arrived_at);
            memset(cta->waiting_at, 0, sizeof cta->waiting_at);
        }
    }
    return true;
}

static bool run(gmsim_scheduler *s, GError **error)
{
    for (uint32_t place = 0; place < s->plan.sm_ctas; place++)
        for (uint32_t i = 0; i < s->plan.sms; i++)
            if (!deal(s, i, place, error))
                return false;
    uint64_t reported = 0;
    for (;;) {
        uint64_t before = s->records;
        bool resident = false, ready = false;
        for (uint32_t i = 0; i < s->plan.sms; i++) {
            if (!sm_turn(s, i, error))
                return false;
            resident |= s->sm[i].resident != 0;
            ready |= s->sm[i].ready != 0;
        }
        if (!resident)
            return true;
        if (!ready && s->records == before && !resolve_deadlock(s, error))
            return false;
        if (s->progress && s->records - reported >= PROGRESS_STEP) {
            reported = s->records;
            s->progress(s->records, s->plan.records, s->progress_data);
        }
    }
}

bool gmsim_schedule(gmsim_scheduler *s, GError **error)
{
    GError *problem = NULL;
    s->next_cta = s->records = s->skipped = s->barriers = 0;
    s->truncated = false;
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        s->sm[i].ready = 0;
        s->sm[i].last = GMSIM_MAX_SM_WARPS - 1u;
        s->sm[i].resident = 0;
        for (uint32_t place = 0; place < GMSIM_MAX_SM_CTAS; place++)
            s->sm[i].cta[place].live = 0;
    }
    bool done = run(s, &problem);
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
