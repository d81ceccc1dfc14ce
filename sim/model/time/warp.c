/* SPDX-License-Identifier: MIT
 *
 * warp.c - a warp's way from one record to the next, and what it waits for:
 *
 * - It goes on until the code before its next record waits for a scoreboard that an earlier access
 *   has yet to set free (traces/code/path.h); then until that access is done (sm_memory.c,
 *   shared.c). Of an access whose answer is under way that is not known yet: the warp sets out once
 *   it is.
 * - Between two records it issues the instructions that lie between, in its own time (pace.c), but
 *   no sooner than its sub-partition's scheduler and pipes, which other warps use too, let it.
 * - Its accesses go through its sub-partition's queue to the SM's load-store unit (access.c).
 * - A wait for asynchronous copies lasts until the groups it names are there; so does one for
 *   warpgroup MMA (wgmma.h).
 * - Code that the SM does not have yet is fetched (fetch.h).
 * - A warp is gone when its last store has left the SM and its last atomic has come back.
 *
 * Left out: on short ways, the scheduler's choice among warps that could all issue, but for runs
 * (runs.c; of long ones: share.c).
 */
#include "sim/model/time/warp.h"

#include "sim/model/count/lanes.h"
#include "sim/model/hot.h"
#include "sim/model/time/access.h"
#include "sim/model/time/constants.h"
#include "sim/model/time/fetch.h"
#include "sim/model/time/mbarrier.h"
#include "sim/model/time/places.h"
#include "sim/model/time/share.h"
#include "sim/model/time/wgmma.h"
#include "sim/model/trace_error.h"

#include <string.h>

bool gmsim_warp_refill(gmsim_scheduler *s, gmsim_warp *warp, GError **error)
{
    gmtrace_error reason; /* the reader clears it, but for its long text */
    const bool filled = gmtrace_cursor_refill(s->reader, &warp->cursor, &reason);
    if (filled)
        return true;
    if (reason.status == GMTRACE_TRUNCATED)
        s->truncated = true;
    else if (reason.status != GMTRACE_OK)
        gmsim_trace_error(error, NULL, &reason);
    return false;
}

/* Scoreboards an instruction waits for; without control bits, the one that its own access, if any,
 * would take: so many accesses a warp may have under way. */
static inline uint32_t waits_of(const gmsim_scheduler *s, const gmsim_warp *warp, uint32_t instr)
{
    if (!s->plan.control_bits)
        return 1u << warp->next_scoreboard;
    return gmsim_tally_site(&s->replay->tally, instr)->wait_mask;
}

/* What lies between two records, while it is put together. Its own clock starts when the warp can
 * go on; the first instruction after the last record issues `slots` later. */
typedef struct ahead {
    uint64_t clock; /* when the warp can go on, but for waits of warp->way */
    uint64_t slots;
    uint32_t unknown; /* waits that are put off until answers come, as a mask */
} ahead;

/* A wait for an answer under way, and all that come after it, are put off. Only the first for a
 * scoreboard counts: later ones find it free. */
static void put_off(gmsim_way *way, ahead *plan, uint32_t wait, uint64_t at)
{
    for (uint32_t i = 0; i < way->waits; i++)
        if (way->wait[i] == wait)
            return;
    plan->unknown = UINT32_MAX;
    way->at[way->waits] = at;
    way->wait[way->waits++] = (uint8_t)wait;
}

/* The warp, `slots` after `clock`, waits for a scoreboard. */
static inline void wait_until_free(gmsim_sm *sm, const gmsim_warp *warp, uint64_t *clock,
                                   uint32_t board, uint64_t slots)
{
    uint64_t before = *clock - 1u + slots;
    if (warp->free[board] <= before)
        return;
    uint64_t waits = warp->free[board] - before;
    *clock += waits;
    gmsim_stall cause = (gmsim_stall)warp->cause[board];
    uint64_t queued = cause == GMSIM_STALL_DRAM_LATENCY ? MIN(waits, warp->queued[board]) : 0;
    sm->timing.stall[cause] += waits - queued;
    sm->timing.stall[GMSIM_STALL_DRAM_BANDWIDTH] += queued;
}

/* The instruction after `at` more clocks waits for a scoreboard. */
static inline void wait_for(gmsim_sm *sm, gmsim_warp *warp, ahead *plan, uint32_t board,
                            uint64_t at)
{
    if (warp->due[board] > plan->slots + at) /* set by the way itself */
        plan->slots = warp->due[board] - at;
    if (plan->unknown >> board & 1u)
        put_off(&warp->way, plan, board, plan->slots + at);
    else
        wait_until_free(sm, warp, &plan->clock, board, plan->slots + at);
}

/* The warp, `slots` after `clock`, waits for a group of copies. */
static void wait_for_group(gmsim_sm *sm, const gmsim_warp *warp, uint64_t *clock, uint32_t group,
                           uint64_t slots)
{
    uint64_t there = warp->group[group % GMSIM_COPY_GROUPS], before = *clock - 1u + slots;
    if (there <= before)
        return;
    *clock += there - before;
    sm->timing.stall[GMSIM_STALL_L2] += there - before;
}

/* The warp, `slots` after `clock`, waits until all but `left` groups of warpgroup MMA are there. */
static void wait_for_products(gmsim_sm *sm, const gmsim_warp *warp, uint64_t *clock, uint32_t left,
                              uint64_t slots)
{
    uint64_t there = gmsim_wgmma_there(warp, left), before = *clock - 1u + slots;
    if (there <= before)
        return;
    *clock += there - before;
    sm->timing.stall[GMSIM_STALL_MATH] += there - before;
}

/* WARPGROUP.DEPBAR, after `at` more clocks. */
static __attribute__((cold, noinline)) void drain(gmsim_sm *sm, gmsim_warp *warp, ahead *plan,
                                                  uint32_t left, uint64_t at)
{
    if (warp->way.waits) {
        warp->way.products = left;
        put_off(&warp->way, plan, GMSIM_UNDER_WAY_PRODUCTS, plan->slots + at);
    } else {
        wait_for_products(sm, warp, &plan->clock, left, plan->slots + at);
    }
}

/* The way may need code or constants that the SM does not have: clocks until it has that code. */
static __attribute__((cold, noinline)) uint64_t go_far(gmsim_scheduler *s, gmsim_sm *sm,
                                                       gmsim_warp *warp, const gmtrace_path *way,
                                                       uint64_t clock, uint64_t at, uint32_t clocks)
{
    if (s->constants)
        gmsim_constants_set_out(s, sm, gmsim_slot_of(sm, warp), way, at, clocks);
    return gmsim_fetch_way(s, sm, way, clock - 1u + at, clocks);
}

/* What runs the way has (runs.c). */
static __attribute__((noinline)) void add_run(gmsim_sm *sm, gmsim_warp *warp, const ahead *plan,
                                              const gmsim_pace *pace)
{
    sm->runs |= pace->run != 0;
    if (!sm->runs)
        return;
    if (plan->slots == 1u)
        warp->head = pace->head;
    if (pace->run > warp->run) {
        warp->run = pace->run;
        warp->run_at = (uint32_t)MIN(plan->slots - 1u + pace->run_at, UINT32_MAX);
    }
}

/* The way to instruction `to`, or to the end: GMTRACE_NO_INSTR. */
GMSIM_INLINE void add_way(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, ahead *plan,
                          const gmtrace_path *way, uint32_t to)
{
    const gmsim_pace *pace = gmsim_pace_of(s->paces, &s->paces->ways, way);
    if (!pace->clocks)
        return;
    if (__builtin_expect(pace->fences, 0)) {
        if (warp->quiet)
            pace = gmsim_pace_of(s->paces, &s->paces->quiet, way);
        warp->quiet = true;
    }
    if (__builtin_expect(gmsim_fetch_may_wait(sm, way), 0))
        plan->slots += go_far(s, sm, warp, way, plan->clock, plan->slots, pace->clocks);
    for (uint32_t left = pace->waits; left; left &= left - 1u) {
        uint32_t board = gmsim_lowest(left);
        wait_for(sm, warp, plan, board, pace->wait_at[board]);
    }
    if (__builtin_expect(pace->drain, 0))
        drain(sm, warp, plan, pace->drain - 1u, pace->drain_at);
    for (uint32_t left = pace->sets; left; left &= left - 1u) {
        uint32_t board = gmsim_lowest(left);
        warp->due[board] = (uint32_t)MIN(plan->slots + pace->due[board], UINT32_MAX);
    }
    if (__builtin_expect(s->paces->runs, 0))
        add_run(sm, warp, plan, pace);
    warp->uses |= pace->uses;
    warp->sets |= pace->sets;
    plan->slots += pace->clocks + (to != pace->next && to != GMTRACE_NO_INSTR ? pace->branch : 0);
    gmsim_pipes_add(warp->pipe, warp->pipe, pace->pipe);
    warp->unit += pace->unit;
    warp->gaps += pace->gaps;
    if (__builtin_expect(pace->slept != 0, 0))
        warp->slept = pace->slept;
    warp->constant += pace->constant;
}

/* An instruction that is in the trace but does not touch memory. */
static inline void add_instruction(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, ahead *plan,
                                   uint32_t instr)
{
    const gmtrace_kernel *kernel = s->replay->tally.kernel;
    const gmsim_cost *cost = &s->paces->cost[MIN(instr, kernel->instr_count)];
    uint32_t board =
        instr < kernel->instr_count ? kernel->instr[instr].write_barrier : GMSIM_SCOREBOARDS;
    if (board < GMSIM_SCOREBOARDS) {
        warp->due[board] = (uint32_t)MIN(plan->slots + cost->latency, UINT32_MAX);
        warp->sets |= 1u << board;
    }
    if (__builtin_expect(sm->code != NULL, 0))
        plan->slots += gmsim_fetch_instruction(s, sm, instr, plan->clock - 1u + plan->slots);
    plan->slots += gmsim_tally_site(&s->replay->tally, instr)->stall + cost->delay;
    if (instr < kernel->instr_count && kernel->instr[instr].op_class == GMTRACE_CLASS_CALL) {
        plan->slots += s->paces->branch; /* as on a way */
        const uint32_t target = kernel->instr[instr].target;
        warp->pipe[GMSIM_PIPE_ISSUE] +=
            target != GMTRACE_NO_INSTR && gmsim_pace_is_forward(instr + 1u, target);
    }
    warp->pipe[GMSIM_PIPE_ISSUE] += MAX(cost->issue, 1u);
    warp->pipe[GMSIM_PIPE_HEAVY] += cost->heavy;
    if (cost->pipe != GMSIM_PIPE_ISSUE)
        warp->pipe[cost->pipe] += cost->clocks;
    warp->uses |= 1u << cost->pipe | (uint32_t)(cost->heavy != 0) << GMSIM_PIPE_HEAVY |
                  (cost->unit ? GMSIM_USES_UNIT : 0) | (cost->constant ? GMSIM_USES_CONSTANT : 0);
    warp->unit += cost->unit;
    warp->constant += cost->constant;
}

/* The next record, a clock later. */
static gmsim_ahead next_untimed(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, uint64_t now,
                                uint64_t *ready, GError **error)
{
    warp->clocks = 0;
    *ready = now + 1u;
    for (;; warp->cursor.next++, sm->records++) {
        if (warp->cursor.next == warp->cursor.end && !gmsim_warp_refill(s, warp, error))
            return *error ? GMSIM_AHEAD_FAILED : GMSIM_AHEAD_END;
        if (warp->cursor.next->kind != GMTRACE_EXEC) {
            gmsim_warp_comes(sm, warp, warp->cursor.next);
            return GMSIM_AHEAD_RECORD;
        }
    }
}

/* The way is complete: the warp goes on, unless it waits for an answer. */
static gmsim_ahead set_out(gmsim_warp *warp, const ahead *plan, bool ends, uint64_t *ready)
{
    if (warp->way.waits) {
        warp->way.clock = plan->clock;
        warp->way.slots = plan->slots;
        warp->way.ends = ends;
        return GMSIM_AHEAD_WAITS;
    }
    warp->clocks = (uint32_t)MIN(plan->slots - 1u, UINT32_MAX);
    *ready = plan->clock;
    return ends ? GMSIM_AHEAD_END : GMSIM_AHEAD_RECORD;
}

gmsim_ahead gmsim_warp_ahead(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, uint64_t now,
                             uint64_t *ready, GError **error)
{
    if (s->plan.functional)
        return next_untimed(s, sm, warp, now, ready, error);
    ahead plan = {.clock = now + 1u,
                  .slots = gmsim_tally_site(&s->replay->tally, warp->last)->stall,
                  .unknown = warp->under_way | warp->unserved};
    memset(warp->pipe, 0, sizeof warp->pipe);
    memset(warp->due, 0, sizeof warp->due);
    warp->pipe[GMSIM_PIPE_ISSUE] = 1u;
    warp->unit = warp->constant = warp->uses = warp->sets = 0;
    warp->gaps = 0;
    warp->slept = 0;
    warp->head = warp->run = warp->run_at = 0;
    warp->way.waits = 0;
    const gmtrace_record *record;
    for (;;) {
        if (warp->cursor.next == warp->cursor.end && !gmsim_warp_refill(s, warp, error)) {
            if (*error)
                return GMSIM_AHEAD_FAILED;
            add_way(s, sm, warp, &plan, gmtrace_path_end(sm->paths, &warp->path), GMTRACE_NO_INSTR);
            if (plan.unknown >> GMSIM_UNDER_WAY_STORED & 1u)
                put_off(&warp->way, &plan, GMSIM_UNDER_WAY_STORED, 0);
            return set_out(warp, &plan, true, ready);
        }
        record = warp->cursor.next;
        add_way(s, sm, warp, &plan,
                gmtrace_path_step_in(sm->paths, &warp->path, record, warp->cursor.chunk),
                record->instr);
        for (uint32_t left = waits_of(s, warp, record->instr); left; left &= left - 1u)
            wait_for(sm, warp, &plan, gmsim_lowest(left), 0);
        if (record->kind != GMTRACE_EXEC)
            break;
        add_instruction(s, sm, warp, &plan, record->instr);
        warp->cursor.next++;
        sm->records++;
    }
    gmsim_warp_comes(sm, warp, record);
    warp->quiet &= record->space == GMTRACE_SPACE_SHARED || !gmsim_warp_queues(record);
    if (record->kind == GMTRACE_COPY_WAIT && record->aux < warp->groups &&
        record->aux < GMSIM_COPY_GROUPS) {
        warp->way.group = warp->groups - 1u - record->aux;
        if (warp->way.waits || warp->way.group >= warp->groups_known)
            put_off(&warp->way, &plan, GMSIM_UNDER_WAY_COPIES, plan.slots);
        else
            wait_for_group(sm, warp, &plan.clock, warp->way.group, plan.slots);
    }
    return set_out(warp, &plan, false, ready);
}

gmsim_ahead gmsim_warp_go_on(gmsim_sm *sm, gmsim_warp *warp, uint64_t *ready)
{
    gmsim_way *way = &warp->way;
    ahead plan = {.clock = way->clock, .slots = way->slots};
    for (uint32_t i = 0; i < way->waits; i++)
        if (way->wait[i] < GMSIM_SCOREBOARDS)
            wait_until_free(sm, warp, &plan.clock, way->wait[i], way->at[i]);
        else if (way->wait[i] == GMSIM_UNDER_WAY_COPIES)
            wait_for_group(sm, warp, &plan.clock, way->group, way->at[i]);
        else if (way->wait[i] == GMSIM_UNDER_WAY_PRODUCTS)
            wait_for_products(sm, warp, &plan.clock, way->products, way->at[i]);
    way->waits = 0;
    return set_out(warp, &plan, way->ends, ready);
}

/* Of what a way uses: pipes but for the scheduler, and constants. */
#define UNITS (GMSIM_USES_PIPES | GMSIM_USES_CONSTANT)

/* From when on a warp has so many clocks of what is free from `free` on and was taken for `taken`
 * so far: first of those that nobody has taken since it set out, when `idle` had not been, so that
 * who came sooner for later ones does not stand behind it (micro/lsu_share.cu, two warps). */
static inline uint64_t left_behind(uint64_t free, uint64_t taken, uint64_t idle, uint64_t clocks)
{
    const uint64_t now_idle = free - taken;
    return free - MIN(clocks, now_idle - MIN(now_idle, idle));
}

/* The warp, which set out at `now`, takes the pipe for so many clocks. Returns when the pipe is
 * free for what follows. */
GMSIM_INLINE uint64_t take_pipe(const gmsim_warp *warp, uint32_t p, uint64_t now, uint64_t clocks)
{
    gmsim_sub_partition *part = warp->part;
    const uint64_t free = MAX(part->pipe_free[p], now);
    return gmsim_pipe_take(part, p, left_behind(free, part->taken[p], warp->idle[p], clocks),
                           clocks);
}

/* The next of `pieces`, as below, of pipes and constants alone, all but the scheduler. */
GMSIM_INLINE uint64_t use_units(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                                uint64_t now, uint32_t clocks, uint32_t pieces, uint32_t slack)
{
    uint64_t end = now + clocks;
    for (uint32_t left = warp->uses & GMSIM_USES_PIPES; left; left &= left - 1u) {
        uint32_t p = gmsim_lowest(left), work = warp->pipe[p] / pieces;
        const uint64_t free = take_pipe(warp, p, now, work);
        end = MAX(end, free - MIN(free, slack));
        if (pieces > 1u)
            warp->pipe[p] -= work;
    }
    const uint32_t port = warp->constant / pieces;
    const uint64_t asks =
        left_behind(MAX(sm->constant_free, now), sm->constant_taken, warp->constant_idle, port);
    if (__builtin_expect(s->constants != NULL, 0))
        end +=
            gmsim_constants_read(s, sm, gmsim_slot_of(sm, warp), now, asks, clocks, pieces == 1u);
    if (warp->constant) {
        sm->constant_free = asks + port;
        sm->constant_taken += port;
        end = MAX(end, sm->constant_free);
        warp->constant -= port;
    }
    warp->late = end - now - clocks;
    sm->timing.stall[GMSIM_STALL_MATH] += warp->late;
    return end;
}

/* A store of few instructions' way gets in between others' ways, which do not issue clock by clock:
 * it waits so many clocks for each instruction (micro/store_members.cu, three words behind 16 and
 * 48 steps). */
#define SHORT_WAY      4u
#define SHORT_WAY_SLOT 4u

/* When the record issues, that would at `issue` behind all that others have booked: its way of so
 * many instructions began at `now`. */
GMSIM_INLINE uint64_t issue_between(const gmsim_scheduler *s, const gmsim_sm *sm, uint64_t issue,
                                    uint64_t now, uint32_t clocks, uint32_t instructions)
{
    const uint32_t parts = s->plan.sub_partitions;
    const uint32_t warps = MAX(sm->resident * s->plan.cta_warps, parts) / parts;
    const uint32_t others = MIN(warps - 1u, SHORT_WAY_SLOT);
    return instructions > SHORT_WAY
               ? issue
               : MIN(issue, now + clocks + (uint64_t)instructions * others * s->plan.gpu->sm_issue);
}

/* The next of `pieces` of what the warp asks of the pipes, from `now` on. Returns when it is
 * through, not sooner than after `clocks`, with all but shuffles and the like. A pipe that others
 * have taken for no longer than `slack` does not hold it up. */
GMSIM_INLINE uint64_t use_pipes(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                                uint64_t now, uint32_t clocks, uint32_t pieces, uint32_t slack,
                                bool stores)
{
    const bool others = warp->uses & UNITS;
    uint64_t end = now + clocks;
    warp->late = 0;
    if (others)
        end = use_units(s, sm, warp, now, clocks, pieces, slack);
    warp->paced = end;
    uint32_t instructions = warp->pipe[GMSIM_PIPE_ISSUE] / pieces;
    if (!instructions && warp->run)
        return end; /* its run had them all */
    const uint64_t slots =
        take_pipe(warp, GMSIM_PIPE_ISSUE, now, (uint64_t)instructions * s->plan.gpu->sm_issue);
    if (pieces > 1u)
        warp->pipe[GMSIM_PIPE_ISSUE] -= instructions;
    uint64_t issue = slots - MIN(slots, s->plan.gpu->sm_issue + slack);
    if (stores)
        issue = issue_between(s, sm, issue, now, clocks, instructions);
    return MAX(end, issue);
}

/* Shuffles and the like are in the load-store unit all along the way, not behind the accesses that
 * it has taken since. */
GMSIM_INLINE uint64_t use_unit(gmsim_sm *sm, gmsim_warp *warp, uint64_t now, uint64_t end,
                               uint32_t pieces)
{
    if (!warp->unit)
        return end;
    uint32_t work = warp->unit / pieces;
    sm->unit_work = MAX(sm->unit_work, now) + work;
    warp->unit -= work;
    return MAX(end, sm->unit_work);
}

uint64_t gmsim_warp_piece(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    gmsim_warp *warp = &sm->warp[slot];
    uint32_t pieces = warp->pieces--, clocks = warp->clocks / pieces;
    /* On long ways the pipes are shared before (share.c): pieces that overlap do not wait. */
    const uint32_t slack =
        warp->part->loads >> slot & 1u ? MAX(clocks, GMSIM_PIECE_CLOCKS) / 2u : 0;
    uint64_t end = use_pipes(s, sm, warp, now, clocks, pieces, slack, false);
    for (uint32_t left = warp->sets; left; left &= left - 1u) {
        uint32_t *due = &warp->due[gmsim_lowest(left)];
        *due -= MIN(*due, clocks);
    }
    warp->clocks -= clocks;
    if (pieces == 1u)
        memset(warp->pipe, 0, sizeof warp->pipe);
    return use_unit(sm, warp, now, end, pieces);
}

/* When the record issues if the warp goes on at `now`. */
GMSIM_INLINE uint64_t issue_at(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                               uint64_t now, const gmtrace_record *record)
{
    const bool before_products = record->kind == GMTRACE_WGMMA;
    const bool stores = record->kind == GMTRACE_ACCESS && record->op == GMTRACE_OP_STORE &&
                        record->space != GMTRACE_SPACE_SHARED;
    /* Warpgroup MMA goes at its own rate, whoever is beside it (micro/wgmma.cu). */
    if (warp->uses & ~GMSIM_EMPTIES_L1 && s->plan.gpu->sm_meeting && !before_products) {
        const uint64_t late = gmsim_share_meet(s, sm, warp, now);
        sm->timing.stall[GMSIM_STALL_MATH] += late;
        now += late;
    }
    uint64_t issue = use_pipes(s, sm, warp, now, warp->clocks, 1, 0, stores);
    for (uint32_t left = warp->sets; left; left &= left - 1u) {
        uint32_t board = gmsim_lowest(left);
        if (warp->due[board] <= warp->clocks + 1u)
            continue; /* it is there */
        /* A scoreboard counts: it is free when all that set it are there. */
        gmsim_set_free(warp, board, issue + warp->due[board] - warp->clocks - 1u, 0,
                       GMSIM_STALL_ISSUE);
    }
    return use_unit(sm, warp, now, issue, 1);
}

uint64_t gmsim_warp_run(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, uint64_t now)
{
    gmsim_sub_partition *part = warp->part;
    const uint32_t run = MIN(warp->run, warp->pipe[GMSIM_PIPE_ISSUE]);
    const uint32_t before = MIN(warp->run_at, warp->clocks);
    const uint64_t begin = MAX(part->pipe_free[GMSIM_PIPE_ISSUE], now);
    const uint64_t from = begin - MIN(begin, before);
    warp->pipe[GMSIM_PIPE_ISSUE] -= run;
    gmsim_warp_hold(warp, gmsim_pipe_take(part, GMSIM_PIPE_ISSUE, begin,
                                          (uint64_t)run * s->plan.gpu->sm_issue));
    if (!(warp->uses & UNITS))
        return from + warp->clocks;
    const uint64_t end = use_units(s, sm, warp, from, warp->clocks, 1, 0);
    warp->uses &= ~UNITS;
    return end;
}

uint64_t gmsim_warp_issue(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, uint64_t now)
{
    const uint64_t issue = issue_at(s, sm, warp, now, warp->cursor.next);
    warp->clocks = 0;
    warp->issued = true;
    return issue;
}

bool gmsim_warp_knows(const gmsim_warp *warp, uint32_t unknown)
{
    for (uint32_t i = 0; i < warp->way.waits; i++)
        if (unknown >> warp->way.wait[i] & 1u)
            return false;
    return true;
}

/* An instruction on an mbarrier issues at `now`, or when the SM takes it, which is returned. */
static uint64_t test(const gmsim_gpu *gpu, gmsim_sm *sm, gmsim_warp *warp, bool waits,
                     uint32_t board, uint64_t now)
{
    uint64_t begin = MAX(sm->mbarrier_free, now);
    sm->mbarrier_free = begin + gpu->sm_mbarrier_issue * (waits ? 2u : 1u);
    sm->timing.stall[GMSIM_STALL_SHARED] += begin - now;
    gmsim_set_free(warp, board, begin + gpu->sm_mbarrier, 0, GMSIM_STALL_SHARED);
    return begin;
}

const char *gmsim_warp_execute(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                               const gmtrace_record *record, uint64_t *now)
{
    sm->records++;
    warp->last = record->instr;
    if (!s->plan.functional && !warp->issued)
        *now = issue_at(s, sm, warp, *now, record);
    warp->issued = false;
    if (gmsim_warp_queues(record)) {
        if (!s->plan.functional)
            return gmsim_access_issue(s, sm, warp, record, now);
        warp->who.now = *now;
        return gmsim_replay_record(s->replay, &sm->memory, &warp->who, warp->cursor.chunk, record);
    }
    if (record->kind == GMTRACE_COPY_COMMIT)
        gmsim_access_commit(s, sm, warp, *now);
    else if (record->kind == GMTRACE_WGMMA) {
        sm->product_bytes += gmsim_wgmma_bytes(record);
        if (!s->plan.functional)
            *now = gmsim_wgmma_issue(s, sm, warp, record, *now);
    } else if (record->kind == GMTRACE_MBARRIER && !s->plan.functional)
        *now = test(s->plan.gpu, sm, warp, record->aux == GMTRACE_MBARRIER_WAIT,
                    gmsim_tally_site(&s->replay->tally, record->instr)->scoreboard, *now);
    return NULL;
}
