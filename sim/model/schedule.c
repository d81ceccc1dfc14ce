/* SPDX-License-Identifier: MIT
 *
 * schedule.c - which warp goes next, and when. A trace holds no order between warps; this is the
 * order the model gives them:
 *
 * - The first CTAs are dealt one an SM at a time, group by group of SMs, until no SM takes another;
 *   the first group has its turns more often than the others; but none takes more than an even
 *   share of the grid before all have theirs (micro/cta_order.cu). After that the
 *   next CTA goes to the SM that finishes one.
 * - A warp goes on until the code before its next record waits for a scoreboard that an earlier
 *   access has yet to set free (traces/path.h); then until that access is done (memory.c). Between
 * two records it issues the instructions that lie between, one a clock, in turn with the other
 * warps of its sub-partition. Of the warps of an SM that can go the one that has waited longest
 * goes.
 * - The load-store unit takes one request a clock, more slowly where a request has many lines or
 *   bank conflicts.
 * - A warp at a CTA barrier waits for all warps of its CTA that have not ended, or for the number
 *   of threads the barrier names. BAR.ARV arrives without waiting. Lanes of one warp that arrive in
 *   separate records, one after the other, arrive together.
 * - A wait for asynchronous copies lasts until the groups it names are there.
 *
 * Time serves the order: it decides which accesses meet in a cache, not how long a kernel takes.
 * SMs advance together in steps of WINDOW clocks; within a step they go one after the other.
 *
 * Left out: the math pipes, instruction fetch, cluster barriers and mbarriers (neither holds a warp
 * back here), clusters placed together.
 */
#include "sim/model/schedule.h"

#include "sim/model/hot.h"
#include "sim/model/lanes.h"

#include <stdlib.h>
#include <string.h>

/* Clocks that an SM runs ahead of the others at most. */
#define WINDOW 128u
/* From the last arrival at a barrier until its warps go on. Assumed. */
#define BARRIER_CLOCKS 20u
/* Warps of an SM that start at once; the others follow later (micro/launch.cu, fill). */
#define FIRST_WARPS 32u
/* From a memory instruction's turn until its operands have been read. */
#define READ_CLOCKS 10u
/* Accesses a warp has under way at most where the trace does not tell its dependences. Assumed. */
#define UNDER_WAY       4u
#define ALL_SCOREBOARDS ((1u << GMSIM_SCOREBOARDS) - 1u)
/* Times beyond this many clocks after the epoch move it. */
#define EPOCH_CLOCKS (1u << 30)

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

static uint32_t since_epoch(const gmsim_scheduler *s, uint64_t clock)
{
    uint64_t clocks = clock > s->epoch ? clock - s->epoch : 0;
    return clocks < GMSIM_NEVER ? (uint32_t)clocks : GMSIM_NEVER - 1u;
}

static gmsim_cta *cta_of(gmsim_sm *sm, const gmsim_warp *warp)
{
    return &sm->cta[warp->cta];
}

/* A warp that waited at a barrier can go on. */
static void resume(const gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t clock)
{
    sm->ready[slot] = since_epoch(s, clock);
}

/* Lets a barrier's warps go if nothing is missing any more. */
static void try_release(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, uint32_t barrier)
{
    gmsim_cta *cta = &sm->cta[place];
    uint32_t arrived = cta->arrived_at[barrier], expected = cta->expected[barrier];
    bool complete = expected ? gmsim_lane_count(arrived) >= expected : (cta->live & ~arrived) == 0;
    if (!complete)
        return;
    for (uint32_t left = cta->waiting_at[barrier]; left; left &= left - 1u) {
        uint32_t slot = place * s->plan.cta_warps + gmsim_lowest(left);
        uint64_t go = cta->arrival + BARRIER_CLOCKS;
        s->timing.stall[GMSIM_STALL_BARRIER] += go - MIN(go, sm->warp[slot].arrived);
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
    s->end = MAX(s->end, now);
    s->timing.warp_active += now - MIN(now, warp->start);
    if (cta->live == 0) {
        sm->resident--;
        if (sm->resident == 0)
            sm->active += cta->end - MIN(cta->end, sm->active_since);
    } else if (cta->waiting)
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

static bool start_cta(gmsim_scheduler *s, uint32_t sm_number, uint32_t place, uint64_t now,
                      uint32_t start, GError **error)
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
        warp->last = GMTRACE_NO_INSTR;
        warp->start = now;
        warp->who = (gmsim_executor){
            .cta = cta->number,
            .warp = i,
            .sm = sm_number,
            .copy_instr = GMTRACE_NO_INSTR,
            .window = (1ull << 50) +
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
        uint32_t threads = s->plan.cta_threads - i * GMTRACE_WARP_LANES;
        gmtrace_path_enter(s->paths, &warp->path,
                           threads < 32u ? (1u << threads) - 1u : GMSIM_ALL_LANES);
        cta->live |= 1u << i;
        uint64_t go = now + start;
        sm->ready[first + i] = since_epoch(s, go);
        s->timing.stall[GMSIM_STALL_LAUNCH] += go - now;
    }
    cta->end = now;
    if (cta->live && sm->resident++ == 0)
        sm->active_since = now;
    return true;
}

/* Gives a free place the next CTA, if there is one. */
static bool deal(gmsim_scheduler *s, uint32_t sm_number, uint32_t place, uint64_t now,
                 uint32_t start, GError **error)
{
    while (s->next_cta < s->plan.ctas && s->sm[sm_number].cta[place].live == 0)
        if (!start_cta(s, sm_number, place, now, start, error))
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
    s->barriers++;
    while (warp->cursor.next < warp->cursor.end || refill(s, warp, error)) {
        const gmtrace_record *next = warp->cursor.next;
        if (next->kind == GMTRACE_EXEC) {
            gmtrace_path_step(s->paths, &warp->path, next);
            warp->cursor.next++;
            s->records++;
            continue;
        }
        if (next->kind != GMTRACE_BARRIER || next->address != barrier || (next->mask & lanes))
            break;
        lanes |= next->mask;
        gmtrace_path_step(s->paths, &warp->path, next);
        warp->cursor.next++;
        s->records++;
        s->barriers++;
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

/* Scoreboards an instruction waits for; without control bits, the one that its own access, if any,
 * would take: so many accesses a warp may have under way. */
static inline uint32_t waits_of(const gmsim_scheduler *s, const gmsim_warp *warp, uint32_t instr)
{
    const gmtrace_kernel *kernel = s->replay->tally.kernel;
    if (!s->plan.control_bits)
        return 1u << warp->next_scoreboard;
    return instr < kernel->instr_count ? kernel->instr[instr].wait_mask : ALL_SCOREBOARDS;
}

/* What lies between two records, while it is put together. Its own clock starts when the warp can
 * go on; the first instruction after the last record issues `slots` later. */
typedef struct ahead {
    uint64_t clock; /* when the warp can go on */
    uint64_t slots;
} ahead;

/* The instruction after `at` more clocks waits for a scoreboard. */
static inline void wait_for(gmsim_scheduler *s, gmsim_warp *warp, ahead *plan, uint32_t board,
                            uint64_t at)
{
    if (warp->due[board] > plan->slots + at) /* set by the way itself */
        plan->slots = warp->due[board] - at;
    uint64_t before = plan->clock - 1u + plan->slots + at;
    if (warp->free[board] <= before)
        return;
    uint64_t waits = warp->free[board] - before;
    plan->clock += waits;
    gmsim_stall cause = (gmsim_stall)warp->cause[board];
    uint64_t queued = cause == GMSIM_STALL_DRAM_LATENCY ? MIN(waits, warp->queued[board]) : 0;
    s->timing.stall[cause] += waits - queued;
    s->timing.stall[GMSIM_STALL_DRAM_BANDWIDTH] += queued;
}

static inline void add_way(gmsim_scheduler *s, gmsim_warp *warp, ahead *plan,
                           const gmtrace_path *way)
{
    const gmsim_pace *pace = gmsim_pace_of(s->paces, way);
    if (!pace->clocks)
        return;
    for (uint32_t left = way->wait_mask; left; left &= left - 1u) {
        uint32_t board = gmsim_lowest(left);
        if (pace->wait_at[board] != GMTRACE_PATH_NEVER)
            wait_for(s, warp, plan, board, pace->wait_at[board]);
    }
    for (uint32_t board = 0; board < GMSIM_SCOREBOARDS; board++)
        if (pace->due[board])
            warp->due[board] = (uint32_t)MIN(plan->slots + pace->due[board], UINT32_MAX);
    plan->slots += pace->clocks;
    for (uint32_t p = 0; p < GMSIM_PIPES; p++)
        warp->pipe[p] += pace->pipe[p];
    warp->unit += pace->unit;
    warp->constant += pace->constant;
}

static inline uint64_t stall_of(const gmtrace_kernel *kernel, uint32_t instr)
{
    return instr < kernel->instr_count ? MAX(kernel->instr[instr].stall, 1u) : 1u;
}

/* An instruction that is in the trace but does not touch memory. */
static inline void add_instruction(gmsim_scheduler *s, gmsim_warp *warp, ahead *plan,
                                   uint32_t instr)
{
    const gmtrace_kernel *kernel = s->replay->tally.kernel;
    const gmsim_cost *cost = &s->paces->cost[MIN(instr, kernel->instr_count)];
    if (instr < kernel->instr_count && kernel->instr[instr].write_barrier < GMSIM_SCOREBOARDS)
        warp->due[kernel->instr[instr].write_barrier] =
            (uint32_t)MIN(plan->slots + cost->latency, UINT32_MAX);
    plan->slots += stall_of(kernel, instr);
    warp->pipe[GMSIM_PIPE_ISSUE]++;
    warp->pipe[GMSIM_PIPE_HEAVY] += cost->heavy;
    if (cost->pipe != GMSIM_PIPE_ISSUE)
        warp->pipe[cost->pipe] += cost->clocks;
    warp->unit += cost->unit;
    warp->constant += cost->constant;
}

typedef enum plan_result { PLAN_FAILED, PLAN_END, PLAN_READY } plan_result;

/* Finds the warp's next record that takes a turn, and when the warp can go on towards it if the
 * last one issued at `now`; at the end of its stream, when it ends. Instructions without memory
 * access, recorded or not, are only added up. */
static plan_result plan_next(gmsim_scheduler *s, gmsim_warp *warp, uint64_t now, uint64_t *ready,
                             GError **error)
{
    ahead plan = {.clock = now + 1u, .slots = stall_of(s->replay->tally.kernel, warp->last)};
    memset(warp->pipe, 0, sizeof warp->pipe);
    memset(warp->due, 0, sizeof warp->due);
    warp->pipe[GMSIM_PIPE_ISSUE] = 1u;
    warp->unit = warp->constant = 0;
    const gmtrace_record *record;
    for (;;) {
        if (warp->cursor.next == warp->cursor.end && !refill(s, warp, error)) {
            if (*error)
                return PLAN_FAILED;
            add_way(s, warp, &plan, gmtrace_path_end(s->paths, &warp->path));
            *ready = plan.clock - 1u + plan.slots + s->plan.gpu->launch_exit;
            return PLAN_END;
        }
        record = warp->cursor.next;
        add_way(s, warp, &plan, gmtrace_path_step(s->paths, &warp->path, record));
        for (uint32_t left = waits_of(s, warp, record->instr); left; left &= left - 1u)
            wait_for(s, warp, &plan, gmsim_lowest(left), 0);
        if (record->kind != GMTRACE_EXEC)
            break;
        add_instruction(s, warp, &plan, record->instr);
        warp->cursor.next++;
        s->records++;
    }
    if (record->kind == GMTRACE_COPY_WAIT && record->aux < warp->groups &&
        record->aux < GMSIM_COPY_GROUPS) {
        uint64_t there = warp->group[(warp->groups - 1u - record->aux) % GMSIM_COPY_GROUPS];
        uint64_t before = plan.clock - 1u + plan.slots;
        if (there > before) {
            plan.clock += there - before;
            s->timing.stall[GMSIM_STALL_L2] += there - before;
        }
    }
    warp->clocks = (uint32_t)MIN(plan.slots - 1u, UINT32_MAX);
    *ready = plan.clock;
    return PLAN_READY;
}

/* When the record issues if the warp goes on at `now`: after its own time, and after what other
 * warps have put on the pipes it needs. */
static uint64_t issue_at(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, gmsim_warp *warp,
                         uint64_t now)
{
    gmsim_sub_partition *part = &sm->part[slot % s->plan.sub_partitions];
    uint64_t issue = now + warp->clocks;
    for (uint32_t p = GMSIM_PIPE_ISSUE + 1u; p < GMSIM_PIPES; p++)
        if (warp->pipe[p]) {
            part->pipe_free[p] = MAX(part->pipe_free[p], now) + warp->pipe[p];
            issue = MAX(issue, part->pipe_free[p]);
        }
    if (warp->constant) {
        sm->constant_free = MAX(sm->constant_free, now) + warp->constant;
        issue = MAX(issue, sm->constant_free);
    }
    s->timing.stall[GMSIM_STALL_MATH] += issue - now - warp->clocks;
    uint64_t *slots = &part->pipe_free[GMSIM_PIPE_ISSUE];
    *slots = MAX(*slots, now) + warp->pipe[GMSIM_PIPE_ISSUE];
    issue = MAX(issue, *slots - 1u);
    for (uint32_t board = 0; board < GMSIM_SCOREBOARDS; board++)
        if (warp->due[board] > warp->clocks + 1u) { /* not there yet */
            warp->free[board] = issue + warp->due[board] - warp->clocks - 1u;
            warp->cause[board] = GMSIM_STALL_ISSUE;
        }
    sm->unit_free = MAX(sm->unit_free, now) + warp->unit;
    return issue;
}

static gmsim_stall cause_of(const gmtrace_record *record, const gmsim_executor *who)
{
    if (record->space == GMTRACE_SPACE_SHARED)
        return GMSIM_STALL_SHARED;
    switch ((gmsim_reach)who->reach) {
    case GMSIM_REACH_L1:
        return GMSIM_STALL_L1;
    case GMSIM_REACH_DRAM:
        return GMSIM_STALL_DRAM_LATENCY;
    default:
        return GMSIM_STALL_L2;
    }
}

/* An access: its time at the load-store unit, what it counts, and what waits for it. `*issue` moves
 * on while its sub-partition's queue is full. */
static const char *access_memory(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                                 const gmtrace_record *record, uint64_t *issue)
{
    gmsim_warp *warp = &sm->warp[slot];
    gmsim_executor *who = &warp->who;
    gmsim_sub_partition *part = &sm->part[slot % s->plan.sub_partitions];
    const gmsim_site *site = gmsim_tally_site(&s->replay->tally, record->instr);
    uint64_t room = part->began[part->next];
    if (room > *issue) {
        s->timing
            .stall[record->space == GMTRACE_SPACE_SHARED ? GMSIM_STALL_SHARED : GMSIM_STALL_L1] +=
            room - *issue;
        *issue = room;
    }
    who->now = MAX(*issue, sm->unit_free);
    who->held = who->queued = who->stored = 0;
    who->reach = GMSIM_REACH_L1;
    const char *wrong = gmsim_replay_record(s->replay, who, warp->cursor.chunk, record);
    sm->unit_free = MAX(who->now + MAX(who->clocks, 1u), who->held);
    warp->stored = MAX(warp->stored, who->stored);
    part->began[part->next] = who->now;
    part->next = (part->next + 1u) % GMSIM_QUEUE;
    uint32_t board = site->scoreboard;
    if (!s->plan.control_bits) {
        board = warp->next_scoreboard;
        warp->next_scoreboard = (board + 1u) % UNDER_WAY;
    }
    if (record->op == GMTRACE_OP_COPY_READ) {
        warp->copied = MAX(warp->copied, who->done);
    } else if (board < GMSIM_SCOREBOARDS && who->done > warp->free[board]) {
        warp->free[board] = who->done;
        warp->queued[board] = who->queued;
        warp->cause[board] = (uint8_t)cause_of(record, who);
    }
    if (site->read_scoreboard < GMSIM_SCOREBOARDS && s->plan.control_bits &&
        who->now + READ_CLOCKS > warp->free[site->read_scoreboard]) {
        warp->free[site->read_scoreboard] = who->now + READ_CLOCKS;
        warp->cause[site->read_scoreboard] = GMSIM_STALL_L1;
    }
    if (record->op == GMTRACE_OP_LOAD && record->space != GMTRACE_SPACE_SHARED) {
        s->timing.loads++;
        s->timing.load_cycles += who->done - *issue;
    }
    return wrong;
}

/* Plans the way to the warp's next record, which it would reach at sm->ready[slot] if it were
 * alone; `now` is when the last one issued. */
static bool plan_turn(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now, GError **error)
{
    gmsim_warp *warp = &sm->warp[slot];
    uint64_t next = now;
    plan_result planned = plan_next(s, warp, now, &next, error);
    if (planned == PLAN_END)
        end_warp(s, sm, slot, MAX(next, warp->stored));
    if (planned != PLAN_READY)
        return planned == PLAN_END;
    warp->planned = true;
    sm->ready[slot] = since_epoch(s, next + warp->clocks);
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
    uint64_t issue = issue_at(s, sm, slot, warp, now - MIN(now, warp->clocks));
    s->records++;
    warp->last = record->instr;
    if (record->kind == GMTRACE_ACCESS || record->kind == GMTRACE_BULK) {
        const char *wrong = access_memory(s, sm, slot, record, &issue);
        if (wrong)
            return corrupt(error, warp, wrong);
    } else if (record->kind == GMTRACE_BARRIER) {
        warp->planned = false;
        sm->ready[slot] = since_epoch(s, issue);
        return arrive(s, sm, slot, record, issue, error);
    } else if (record->kind == GMTRACE_COPY_COMMIT) {
        uint64_t before = warp->groups ? warp->group[(warp->groups - 1u) % GMSIM_COPY_GROUPS] : 0;
        warp->group[warp->groups++ % GMSIM_COPY_GROUPS] = MAX(before, warp->copied);
    }
    return plan_turn(s, sm, slot, issue, error);
}

/* Least of the warps' ready times. */
GMSIM_CLONES static uint32_t earliest(const uint32_t ready[GMSIM_MAX_SM_WARPS])
{
    uint32_t least[8];
    memcpy(least, ready, sizeof least);
    for (uint32_t i = 8; i < GMSIM_MAX_SM_WARPS; i += 8u)
        for (uint32_t k = 0; k < 8u; k++)
            least[k] = ready[i + k] < least[k] ? ready[i + k] : least[k];
    for (uint32_t k = 1; k < 8u; k++)
        least[0] = least[k] < least[0] ? least[k] : least[0];
    return least[0];
}

GMSIM_CLONES static uint32_t slot_with(const uint32_t ready[GMSIM_MAX_SM_WARPS], uint32_t clock)
{
    uint32_t slot = 0;
    while (ready[slot] != clock)
        slot++;
    return slot;
}

/* Runs an SM up to a clock; returns when it can go on, GMSIM_NEVER if no warp can. */
static bool run_sm(gmsim_scheduler *s, uint32_t sm_number, uint64_t limit, uint32_t *next,
                   GError **error)
{
    gmsim_sm *sm = &s->sm[sm_number];
    for (;;) {
        uint32_t clock = earliest(sm->ready);
        if (clock == GMSIM_NEVER || s->epoch + clock >= limit) {
            *next = clock;
            return true;
        }
        uint32_t slot = slot_with(sm->ready, clock), place = sm->warp[slot].cta;
        if (!warp_turn(s, sm, slot, s->epoch + clock, error))
            return false;
        if (sm->cta[place].live == 0)
            s->freed[s->freed_count++] =
                (gmsim_freed){.clock = sm->cta[place].end, .sm = sm_number, .place = place};
    }
}

static int by_clock(const void *a, const void *b)
{
    const gmsim_freed *one = a, *other = b;
    if (one->clock != other->clock)
        return one->clock < other->clock ? -1 : 1;
    return one->sm != other->sm ? (one->sm < other->sm ? -1 : 1)
                                : (int)one->place - (int)other->place;
}

/* The places that became free in this step take the next CTAs, in the order in which they did. */
static bool deal_freed(gmsim_scheduler *s, GError **error)
{
    const gmsim_gpu *gpu = s->plan.gpu;
    qsort(s->freed, s->freed_count, sizeof *s->freed, by_clock);
    for (uint32_t i = 0; i < s->freed_count; i++) {
        const gmsim_freed *freed = &s->freed[i];
        s->ended = MAX(s->ended, freed->clock * 1000u);
        if (gpu->launch_ctas)
            s->ended += 1000000u / gpu->launch_ctas;
        uint64_t now = s->ended / 1000u;
        s->end = MAX(s->end, now);
        if (!deal(s, freed->sm, freed->place, now + gpu->launch_refill, gpu->launch_start, error))
            return false;
    }
    s->freed_count = 0;
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

/* Gives each SM of a group one more CTA, if it takes one. */
static bool deal_group(gmsim_scheduler *s, uint32_t first, uint32_t sms, bool *dealt,
                       GError **error)
{
    for (uint32_t i = first; i < first + sms; i++) {
        uint32_t place = 0;
        while (place < s->first_ctas && s->sm[i].cta[place].live)
            place++;
        if (place == s->first_ctas || s->next_cta == s->plan.ctas)
            continue;
        const gmsim_gpu *gpu = s->plan.gpu;
        uint32_t before = place * s->plan.cta_warps;
        if (!deal(s, i, place,
                  before + s->plan.cta_warps > FIRST_WARPS && before ? gpu->launch_half : 0,
                  place ? gpu->launch_start : gpu->launch_first, error))
            return false;
        *dealt = true;
    }
    return true;
}

/* The first CTAs, until the SMs are full: group by group; the first group out of turn. */
static bool deal_first(gmsim_scheduler *s, GError **error)
{
    gmsim_list groups = s->plan.groups;
    uint32_t first[GMSIM_LIST_MAX + 1] = {0}, sms = s->plan.sms, turn = 0;
    /* An even share for every SM first, then the rest. */
    s->first_ctas = (uint32_t)MIN(MAX(s->plan.ctas / sms, 1u), s->plan.sm_ctas);
    if (groups.count == 0)
        groups = (gmsim_list){.count = 1, .value = {sms}};
    for (uint32_t i = 0; i < groups.count; i++)
        first[i + 1] = first[i] + groups.value[i];
    uint32_t again = groups.count > 1u ? s->plan.again : 0;
    for (bool dealt = true; dealt && s->next_cta < s->plan.ctas;) {
        dealt = false;
        for (uint32_t i = again != 0; i < groups.count; i++) {
            if (again && turn++ % again == 0 && !deal_group(s, 0, groups.value[0], &dealt, error))
                return false;
            if (!deal_group(s, first[i], groups.value[i], &dealt, error))
                return false;
        }
        if (!dealt && s->first_ctas < s->plan.sm_ctas) {
            s->first_ctas++;
            turn = 0;
            dealt = true;
        }
    }
    return true;
}

static bool run(gmsim_scheduler *s, GError **error)
{
    if (!deal_first(s, error))
        return false;
    uint64_t reported = 0, limit = WINDOW;
    for (;;) {
        uint32_t soonest = GMSIM_NEVER;
        bool resident = false;
        gmsim_memory_step(&s->replay->memory, limit - WINDOW);
        for (uint32_t i = 0; i < s->plan.sms; i++) {
            uint32_t next = GMSIM_NEVER;
            if (!run_sm(s, i, limit, &next, error))
                return false;
            soonest = MIN(soonest, next);
        }
        if (s->freed_count) {
            if (!deal_freed(s, error))
                return false;
            soonest = MIN(soonest, since_epoch(s, limit));
        }
        for (uint32_t i = 0; i < s->plan.sms && !resident; i++)
            resident = s->sm[i].resident != 0;
        if (!resident)
            return true;
        if (soonest == GMSIM_NEVER) {
            if (!resolve_deadlock(s, limit, error))
                return false;
            soonest = since_epoch(s, limit);
        }
        limit = s->epoch + soonest + WINDOW;
        if (soonest > EPOCH_CLOCKS)
            move_epoch(s, soonest);
        if (s->progress && s->records - reported >= PROGRESS_STEP) {
            reported = s->records;
            s->progress(s->records, s->plan.records, s->progress_data);
        }
    }
}

bool gmsim_schedule(gmsim_scheduler *s, GError **error)
{
    GError *problem = NULL;
    s->next_cta = s->records = s->barriers = s->epoch = s->end = s->ended = 0;
    s->freed_count = 0;
    s->truncated = false;
    memset(&s->timing, 0, sizeof s->timing);
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        gmsim_sm *sm = &s->sm[i];
        memset(sm->ready, 0xff, sizeof sm->ready);
        memset(sm->part, 0, sizeof sm->part);
        sm->unit_free = sm->constant_free = sm->active = sm->active_since = 0;
        sm->resident = 0;
        for (uint32_t place = 0; place < GMSIM_MAX_SM_CTAS; place++)
            sm->cta[place].live = sm->cta[place].waiting = 0;
    }
    bool done = run(s, &problem);
    s->end = MAX(s->end, s->replay->memory.drained);
    for (uint32_t i = 0; i < s->plan.sms; i++)
        s->timing.sm_active += s->sm[i].active;
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
