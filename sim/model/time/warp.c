/* SPDX-License-Identifier: MIT
 *
 * warp.c - a warp's way from one record to the next, and what it waits for:
 *
 * - It goes on until the code before its next record waits for a scoreboard that an earlier access
 *   has yet to set free (traces/code/path.h); then until that access is done (memory.c).
 * - Between two records it issues the instructions that lie between, in its own time (pace.c), but
 *   no sooner than its sub-partition's scheduler and pipes, which other warps use too, let it.
 * - A sub-partition holds gpu.sm_queue memory instructions that the SM's load-store unit has not
 *   taken. The unit takes one request a clock, more slowly where a request has many lines or bank
 *   conflicts, and not while the way to L2 is full of stores.
 * - A wait for asynchronous copies lasts until the groups it names are there.
 * - A warp is gone when its last store has left the SM and its last atomic has come back.
 *
 * Left out: instruction fetch, the scheduler's choice among warps that could all issue.
 */
#include "sim/model/time/warp.h"

#include "sim/model/count/lanes.h"
#include "sim/model/trace_error.h"

#include <string.h>

#define ALL_SCOREBOARDS ((1u << GMSIM_SCOREBOARDS) - 1u)

bool gmsim_warp_refill(gmsim_scheduler *s, gmsim_warp *warp, GError **error)
{
    gmtrace_error reason = {.status = GMTRACE_OK};
    if (gmtrace_cursor_refill(s->reader, &warp->cursor, &reason))
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

/* The next record, a clock later. */
static gmsim_ahead next_untimed(gmsim_scheduler *s, gmsim_warp *warp, uint64_t now, uint64_t *ready,
                                GError **error)
{
    warp->clocks = 0;
    *ready = now + 1u;
    for (;; warp->cursor.next++, s->records++) {
        if (warp->cursor.next == warp->cursor.end && !gmsim_warp_refill(s, warp, error))
            return *error ? GMSIM_AHEAD_FAILED : GMSIM_AHEAD_END;
        if (warp->cursor.next->kind != GMTRACE_EXEC)
            return GMSIM_AHEAD_RECORD;
    }
}

gmsim_ahead gmsim_warp_ahead(gmsim_scheduler *s, gmsim_warp *warp, uint64_t now, uint64_t *ready,
                             GError **error)
{
    if (s->plan.functional)
        return next_untimed(s, warp, now, ready, error);
    ahead plan = {.clock = now + 1u, .slots = stall_of(s->replay->tally.kernel, warp->last)};
    memset(warp->pipe, 0, sizeof warp->pipe);
    memset(warp->due, 0, sizeof warp->due);
    warp->pipe[GMSIM_PIPE_ISSUE] = 1u;
    warp->unit = warp->constant = 0;
    const gmtrace_record *record;
    for (;;) {
        if (warp->cursor.next == warp->cursor.end && !gmsim_warp_refill(s, warp, error)) {
            if (*error)
                return GMSIM_AHEAD_FAILED;
            add_way(s, warp, &plan, gmtrace_path_end(s->paths, &warp->path));
            *ready = plan.clock - 1u + plan.slots + s->plan.gpu->launch_exit;
            return GMSIM_AHEAD_END;
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
    return GMSIM_AHEAD_RECORD;
}

uint64_t gmsim_warp_issue(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    gmsim_warp *warp = &sm->warp[slot];
    if (s->plan.functional)
        return now;
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

/* The access alone, in the order in which warps come. */
static const char *access_untimed(gmsim_scheduler *s, gmsim_warp *warp,
                                  const gmtrace_record *record, uint64_t now)
{
    warp->who.now = now;
    return gmsim_replay_record(s->replay, &warp->who, warp->cursor.chunk, record);
}

const char *gmsim_warp_access(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                              const gmtrace_record *record, uint64_t *issue)
{
    gmsim_warp *warp = &sm->warp[slot];
    gmsim_executor *who = &warp->who;
    const gmsim_gpu *gpu = s->plan.gpu;
    gmsim_sub_partition *part = &sm->part[slot % s->plan.sub_partitions];
    const gmsim_site *site = gmsim_tally_site(&s->replay->tally, record->instr);
    if (s->plan.functional)
        return access_untimed(s, warp, record, *issue);
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
    part->next = part->next + 1u < gpu->sm_queue ? part->next + 1u : 0;
    uint32_t board = site->scoreboard;
    if (!s->plan.control_bits) {
        board = warp->next_scoreboard;
        warp->next_scoreboard = (board + 1u) % gpu->sm_under_way;
    }
    if (record->op == GMTRACE_OP_COPY_READ) {
        warp->copied = MAX(warp->copied, who->done);
    } else if (board < GMSIM_SCOREBOARDS && who->done > warp->free[board]) {
        warp->free[board] = who->done;
        warp->queued[board] = who->queued;
        warp->cause[board] = (uint8_t)cause_of(record, who);
    }
    if (site->read_scoreboard < GMSIM_SCOREBOARDS && s->plan.control_bits &&
        who->now + gpu->sm_operands > warp->free[site->read_scoreboard]) {
        warp->free[site->read_scoreboard] = who->now + gpu->sm_operands;
        warp->cause[site->read_scoreboard] = GMSIM_STALL_L1;
    }
    if (record->op == GMTRACE_OP_LOAD && record->space != GMTRACE_SPACE_SHARED) {
        s->timing.loads++;
        s->timing.load_cycles += who->done - *issue;
    }
    return wrong;
}
