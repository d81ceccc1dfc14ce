/* SPDX-License-Identifier: MIT
 *
 * pace.c - the time of the instructions between two records. The code's own control bits say how
 * long after an instruction the next may issue, and which scoreboards an instruction sets and waits
 * for; results of variable latency (special functions, shuffles, constants) come after a time that
 * depends on the unit (traces/code/decoded.h). What a unit costs is the GPU's: [pipe] of its .ini.
 * Wherever the way does not go on with the next instruction, a branch was taken: what follows it
 * comes some clocks later than its control bits say (micro/code_fetch.cu), and where it leads
 * forward over more than 64 bytes, not back in a loop, nobody issues in one of them
 * (micro/switch_cost.cu, 32 warps; branch_cost.cu, `div`, whose branch is shorter). A load from
 * constant memory takes its time for each address that lanes ask for.
 *
 * Left out: fetching instructions of loops that do not fit the smallest cache (over 5 KB a taken
 * branch costs twice as much, over 32 KB an instruction two clocks), results that arrive together.
 * Loads of constants that miss are in constants.c.
 */
#include "sim/model/time/pace.h"

#include "sim/model/time/operands.h"

#include <string.h>

/* Repetitions of a loop that are gone through; the others take as long as the last of them. */
#define REPEATS 4u

#define DENSE 3u /* of so many instructions one writes late */

/* Where the GPU has the cost of a unit. */
static const size_t cost_at[GMTRACE_UNITS] = {
    [GMTRACE_UNIT_OTHER] = offsetof(gmsim_gpu, pipe_other),
    [GMTRACE_UNIT_FP32] = offsetof(gmsim_gpu, pipe_fp32),
    [GMTRACE_UNIT_FP16] = offsetof(gmsim_gpu, pipe_fp16),
    [GMTRACE_UNIT_FP16_MMA] = offsetof(gmsim_gpu, pipe_fp16_mma),
    [GMTRACE_UNIT_FP64] = offsetof(gmsim_gpu, pipe_fp64),
    [GMTRACE_UNIT_IMAD] = offsetof(gmsim_gpu, pipe_imad),
    [GMTRACE_UNIT_IMAD_WIDE] = offsetof(gmsim_gpu, pipe_imad_wide),
    [GMTRACE_UNIT_ALU] = offsetof(gmsim_gpu, pipe_alu),
    [GMTRACE_UNIT_SFU] = offsetof(gmsim_gpu, pipe_sfu),
    [GMTRACE_UNIT_CHECK] = offsetof(gmsim_gpu, pipe_check),
    [GMTRACE_UNIT_CONVERT] = offsetof(gmsim_gpu, pipe_convert),
    [GMTRACE_UNIT_CONVERT64] = offsetof(gmsim_gpu, pipe_convert64),
    [GMTRACE_UNIT_BITS] = offsetof(gmsim_gpu, pipe_bits),
    [GMTRACE_UNIT_TENSOR] = offsetof(gmsim_gpu, pipe_tensor),
    [GMTRACE_UNIT_TENSOR_F16] = offsetof(gmsim_gpu, pipe_tensor_f16),
    [GMTRACE_UNIT_TENSOR_TF32] = offsetof(gmsim_gpu, pipe_tensor_tf32),
    [GMTRACE_UNIT_TENSOR_INT8] = offsetof(gmsim_gpu, pipe_tensor_int8),
    [GMTRACE_UNIT_TENSOR_FP64] = offsetof(gmsim_gpu, pipe_tensor_fp64),
    [GMTRACE_UNIT_WGMMA] = offsetof(gmsim_gpu, pipe_wgmma),
    [GMTRACE_UNIT_SHUFFLE] = offsetof(gmsim_gpu, pipe_shuffle),
    [GMTRACE_UNIT_VOTE] = offsetof(gmsim_gpu, pipe_vote),
    [GMTRACE_UNIT_MATCH_ANY] = offsetof(gmsim_gpu, pipe_match_any),
    [GMTRACE_UNIT_MATCH_ALL] = offsetof(gmsim_gpu, pipe_match_all),
    [GMTRACE_UNIT_REDUX] = offsetof(gmsim_gpu, pipe_redux),
    [GMTRACE_UNIT_LDC] = offsetof(gmsim_gpu, pipe_ldc),
    [GMTRACE_UNIT_ULDC] = offsetof(gmsim_gpu, pipe_uldc),
    [GMTRACE_UNIT_S2R] = offsetof(gmsim_gpu, pipe_s2r),
    [GMTRACE_UNIT_S2UR] = offsetof(gmsim_gpu, pipe_s2ur),
    [GMTRACE_UNIT_CS2R] = offsetof(gmsim_gpu, pipe_cs2r),
    [GMTRACE_UNIT_B2R] = offsetof(gmsim_gpu, pipe_b2r),
    [GMTRACE_UNIT_UNIFORM] = offsetof(gmsim_gpu, pipe_uniform),
    [GMTRACE_UNIT_MEMBAR] = offsetof(gmsim_gpu, pipe_membar),
    [GMTRACE_UNIT_MEMBAR_CTA] = offsetof(gmsim_gpu, pipe_membar_cta),
    [GMTRACE_UNIT_MEMBAR_SYS] = offsetof(gmsim_gpu, pipe_membar_sys),
    [GMTRACE_UNIT_RECONVERGE] = offsetof(gmsim_gpu, pipe_reconverge),
    [GMTRACE_UNIT_RETURN] = offsetof(gmsim_gpu, pipe_return),
    [GMTRACE_UNIT_JUMP] = offsetof(gmsim_gpu, pipe_jump),
};

static gmsim_cost cost_of(const gmsim_gpu *gpu, const gmtrace_decoded *decoded)
{
    gmsim_cost cost;
    memcpy(&cost, (const char *)gpu + cost_at[decoded->unit], sizeof cost);
    cost.clocks = (uint16_t)((cost.clocks * decoded->sixteenths + 15u) / 16u);
    if (decoded->addresses > 1u) {
        cost.constant = (uint16_t)(cost.constant * decoded->addresses);
        cost.latency =
            (uint16_t)(cost.latency + (decoded->addresses - 1u) * gpu->sm_constant_address);
    }
    if (decoded->space == GMTRACE_SPACE_SHARED && decoded->unit == GMTRACE_UNIT_OTHER) {
        /* On a way: its predicate was false for all lanes. */
        cost.unit = 1;
        cost.latency = (uint16_t)gpu->shared_latency;
    }
    return cost;
}

bool gmsim_paces_begin(gmsim_paces *paces, const gmtrace_kernel *kernel,
                       const gmtrace_decoded *decoded, const gmsim_gpu *gpu)
{
    gmsim_paces_clear(paces);
    paces->kernel = kernel;
    paces->branch = gpu->sm_branch;
    paces->gpu = gpu;
    paces->decoded = decoded;
    paces->cost = g_try_new(gmsim_cost, kernel->instr_count + 1u);
    if (!paces->cost)
        return false;
    for (uint32_t i = 0; i < kernel->instr_count; i++)
        paces->cost[i] = cost_of(gpu, &decoded[i]);
    paces->cost[kernel->instr_count] = (gmsim_cost){.pipe = GMSIM_PIPE_ISSUE};
    return true;
}

void gmsim_paces_clear(gmsim_paces *paces)
{
    g_free(paces->cost);
    g_free(paces->ways.pace);
    g_free(paces->quiet.pace);
    memset(paces, 0, sizeof *paces);
}

typedef struct walk {
    uint64_t clock;
    uint32_t next; /* instruction behind the last one; GMTRACE_NO_INSTR: the way begins */
    uint64_t due[GMSIM_SCOREBOARDS];
    uint64_t pipe[GMSIM_PIPES], unit, constant, full;
    uint64_t ports;              /* slots, where instructions issue as soon as they can read */
    gmsim_operands alone, among; /* in clocks of the warp alone; in slots, among others */
    uint64_t special;            /* instructions of that pipe */
    uint64_t doubles;            /* what else takes the pipe of doubles */
    uint64_t doubled;            /* instructions up to the last that wrote late; 0: none */
    bool dense;                  /* which was not the only one of DENSE */
    bool fenced;                 /* and nothing but shared memory accessed since */
    uint64_t issued, gaps;       /* the last instruction; as gmsim_pace */
    uint64_t head, run, run_at;  /* as gmsim_pace */
    uint64_t run_from;           /* where the present run began */
    uint64_t held;               /* clocks of the scheduler beyond one an instruction */
    uint32_t slept;              /* as gmsim_pace */
    uint32_t stall;              /* count of the last instruction */
} walk;

static uint32_t bounded(uint64_t clocks)
{
    return clocks < GMTRACE_PATH_NEVER ? (uint32_t)clocks : GMTRACE_PATH_NEVER - 1u;
}

/* A fence waits for all that the warp has under way; it takes its `delay`, or its `latency` where
 * nothing but shared memory was accessed since the fence before. */
static bool fences(const gmtrace_decoded *decoded)
{
    return decoded->unit >= GMTRACE_UNIT_MEMBAR && decoded->unit <= GMTRACE_UNIT_MEMBAR_SYS;
}

/* When the registers may be written that an instruction reads: of a load of constants when it is
 * there. */
static uint32_t read_after(const gmtrace_decoded *decoded, const gmsim_cost *cost)
{
    return MAX(decoded->unit == GMTRACE_UNIT_LDC ? cost->latency : cost->latency / 2u, 1u);
}

/* Where others may issue right behind what writes late, it costs its slots; but hardly where there
 * was another just before: then the others' are such, too (micro/pipe_rates.cu). */
static void among_others(walk *w)
{
    if (gmsim_operands_forget(&w->among, w->ports) && !w->dense) {
        w->ports++;
        w->held++;
    }
}

/* The run is over behind the last instruction; at the way's `end` a record may go on with it. */
static void end_run(walk *w, bool end)
{
    const uint64_t until = w->issued + 1u + (end && w->clock <= w->issued + 1u);
    if (!w->head)
        w->head = until;
    if (until - w->run_from >= GMSIM_RUN && until - w->run_from > w->run) {
        w->run = until - w->run_from;
        w->run_at = w->run_from;
    }
    w->run_from = w->clock;
}

/* NANOSLEEP ends with the next tick of a clock whose ticks are the next power of two of nanoseconds
 * apart: right behind another it takes as long, alone half of that in the mean, and SLEEPS_MORE;
 * and no less than SLEEPS_LEAST clocks (micro/nanosleep.cu). */
#define SLEEPS_LEAST 96u
#define SLEEPS_MORE  64u
static uint64_t ticks_apart(const gmsim_gpu *gpu, uint32_t ns)
{
    uint64_t whole = 1;
    while (whole <= ns)
        whole *= 2u;
    return MAX(whole * gpu->gpu_clock_mhz / 1000u, SLEEPS_LEAST);
}

/* The warp sleeps: what comes behind is that much later, whatever others do. */
static void sleep_on(walk *w, uint64_t apart)
{
    const uint64_t clocks = w->slept ? apart : MAX(apart / 2u + SLEEPS_MORE, SLEEPS_LEAST);
    end_run(w, false);
    w->slept = bounded(apart);
    w->clock += clocks;
    w->issued += clocks;
    w->run_from = w->clock;
}

/* A taken branch takes some clocks beyond its stall count, but not where that is as long as both
 * (micro/math_mixes.cu, `dmix`, whose branch waits ten for doubles). */
#define BRANCH_TAKES 10u
static uint32_t branch_of(const gmsim_paces *paces, uint32_t stall)
{
    return MIN(paces->branch, BRANCH_TAKES - MIN(stall, BRANCH_TAKES));
}

static void walk_piece(const gmsim_paces *paces, const gmtrace_path_piece *piece, gmsim_pace *pace,
                       walk *w)
{
    if (w->next != GMTRACE_NO_INSTR && w->next != piece->first) {
        w->clock += branch_of(paces, w->stall);
        w->held += gmsim_pace_is_forward(w->next, piece->first);
    }
    w->next = piece->first + piece->count;
    for (uint32_t n = piece->first; n < piece->first + piece->count; n++) {
        const gmtrace_instr *instr = &paces->kernel->instr[n];
        const gmsim_cost *cost = &paces->cost[n];
        const gmtrace_decoded *decoded = &paces->decoded[n];
        const bool fence = fences(decoded);
        const uint32_t waits = fence ? UINT32_MAX : instr->wait_mask;
        for (uint32_t b = 0; b < GMSIM_SCOREBOARDS; b++) {
            if (!(waits >> b & 1u))
                continue;
            w->clock = MAX(w->clock, w->due[b]);
            if (pace->wait_at[b] == GMTRACE_PATH_NEVER) { /* and for what came before the way */
                pace->wait_at[b] = bounded(w->clock);
                pace->waits |= (uint16_t)(1u << b);
            }
        }
        if (decoded->empties_l1)
            pace->uses |= GMSIM_EMPTIES_L1;
        const uint8_t drain = decoded->groups_left;
        if (drain && (!pace->drain || drain < pace->drain)) {
            pace->drain = drain;
            pace->drain_at = bounded(w->clock);
        }
        const uint64_t gap = w->clock - w->issued;
        w->gaps += gap * gap;
        if (gap > 1u && w->pipe[GMSIM_PIPE_ISSUE])
            end_run(w, false);
        if (waits || gap > 1u)
            among_others(w);
        w->clock = w->issued = gmsim_operands_read(&w->alone, decoded, w->clock);
        if (instr->write_barrier < GMSIM_SCOREBOARDS)
            w->due[instr->write_barrier] = w->clock + MAX(cost->latency, 1u);
        if (instr->read_barrier < GMSIM_SCOREBOARDS)
            w->due[instr->read_barrier] = w->clock + read_after(decoded, cost);
        w->stall = instr->stall;
        w->clock += MAX(instr->stall, 1u) + (fence && w->fenced ? cost->latency : cost->delay);
        w->fenced |= fence;
        pace->fences |= fence;
        if (decoded->sleeps)
            sleep_on(w, ticks_apart(paces->gpu, decoded->sleeps));
        const uint64_t slots = MAX(cost->issue, 1u), number = ++w->pipe[GMSIM_PIPE_ISSUE];
        if (decoded->writes_late) {
            w->dense = w->doubled && number - w->doubled <= DENSE;
            w->doubled = number;
        }
        w->held += slots - 1u;
        w->pipe[GMSIM_PIPE_HEAVY] += cost->heavy;
        if (cost->pipe != GMSIM_PIPE_ISSUE)
            w->pipe[cost->pipe] += cost->clocks;
        w->special += cost->pipe == GMSIM_PIPE_XU;
        w->full += cost->full;
        w->doubles += cost->doubles;
        w->ports = gmsim_operands_read(&w->among, decoded, w->ports) + slots;
        w->unit += cost->unit;
        w->constant += cost->constant;
    }
}

static uint64_t scheduler(const gmsim_paces *paces, uint64_t slots, uint64_t ports)
{
    return MAX(slots + (slots * paces->gpu->sm_missed + 50u) / 100u, ports);
}

/* - FFMA goes to either half of its pipe, and three times of four in the way of what only the heavy
 *   half can do.
 * - HFMA2.MMA, by which compilers load constants, takes the pipe of doubles.
 * - What reads more of a bank of the register file than that gives keeps the scheduler
 *   (operands.c, micro/math_mixes.cu).
 * - Where the special functions' pipe is free again the scheduler may issue something else first,
 *   and where it always has something to issue it misses a clock now and then.
 * (micro/pipe_rates.cu) */
static void take_turns(const gmsim_paces *paces, walk *w)
{
    const uint64_t issued = w->pipe[GMSIM_PIPE_ISSUE], others = issued - w->special;
    if (w->pipe[GMSIM_PIPE_HEAVY])
        w->pipe[GMSIM_PIPE_HEAVY] += 3u * w->full / 4u;
    if (w->pipe[GMSIM_PIPE_FP64])
        w->pipe[GMSIM_PIPE_FP64] += w->doubles;
    w->pipe[GMSIM_PIPE_XU] += MIN(w->special, others) * paces->gpu->sm_passed / 100u;
    w->pipe[GMSIM_PIPE_ISSUE] = scheduler(paces, issued + w->held, w->ports);
    w->gaps += (w->clock - w->issued) * (w->clock - w->issued);
    /* How unevenly instructions follow each other does not grow with the slots that they take, nor
     * with what they read: doubles read two registers of a bank for one. */
    if (issued)
        w->gaps = w->gaps * issued / w->pipe[GMSIM_PIPE_ISSUE];
}

const gmsim_pace *gmsim_pace_make(gmsim_paces *paces, gmsim_pace_table *table,
                                  const gmtrace_path *way)
{
    if (way->number >= table->room) {
        uint32_t room = MAX(2u * table->room, MAX(way->number + 1u, 256u));
        static const gmsim_pace none;
        gmsim_pace *pace = g_try_renew(gmsim_pace, table->pace, room);
        if (!pace) {
            paces->failed = true;
            return &none;
        }
        table->pace = pace;
        memset(pace + table->room, 0, (room - table->room) * sizeof *table->pace);
        table->room = room;
    }
    gmsim_pace *pace = &table->pace[way->number];
    walk w = {.next = GMTRACE_NO_INSTR, .fenced = table == &paces->quiet};
    for (uint32_t b = 0; b < GMSIM_SCOREBOARDS; b++)
        pace->wait_at[b] = GMTRACE_PATH_NEVER;
    /* Pieces of one loop stand one after the other with the same count, and take turns. */
    for (uint32_t first = 0, end; first < way->piece_count; first = end) {
        uint32_t times = way->piece[first].times;
        for (end = first + 1u;
             times > 1u && end < way->piece_count && way->piece[end].times == times; end++)
            ;
        walk before = w;
        for (uint32_t t = 0; t < MIN(times, REPEATS); t++) {
            before = w;
            for (uint32_t p = first; p < end; p++)
                walk_piece(paces, &way->piece[p], pace, &w);
        }
        if (times > REPEATS) {
            uint64_t more = times - REPEATS, clocks = (w.clock - before.clock) * more;
            for (uint32_t b = 0; b < GMSIM_SCOREBOARDS; b++)
                w.due[b] += w.due[b] ? clocks : 0;
            for (uint32_t p = 0; p < GMSIM_PIPES; p++)
                w.pipe[p] += (w.pipe[p] - before.pipe[p]) * more;
            w.full += (w.full - before.full) * more;
            w.doubles += (w.doubles - before.doubles) * more;
            w.special += (w.special - before.special) * more;
            const uint64_t ports = (w.ports - before.ports) * more;
            w.ports += ports;
            gmsim_operands_later(&w.among, ports);
            gmsim_operands_later(&w.alone, clocks);
            w.unit += (w.unit - before.unit) * more;
            w.constant += (w.constant - before.constant) * more;
            w.gaps += (w.gaps - before.gaps) * more;
            w.held += (w.held - before.held) * more;
            w.clock += clocks;
            w.issued += clocks;
            w.run_from += clocks;
        }
    }
    if (w.pipe[GMSIM_PIPE_ISSUE])
        end_run(&w, true);
    take_turns(paces, &w);
    pace->head = bounded(w.head);
    pace->run = bounded(w.run);
    pace->run_at = bounded(w.run_at);
    paces->runs |= pace->run != 0;
    pace->gaps = w.gaps;
    pace->slept = w.slept;
    pace->clocks = bounded(w.clock);
    pace->next = w.next;
    pace->branch = branch_of(paces, w.stall);
    pace->unit = bounded(w.unit);
    pace->constant = bounded(w.constant);
    for (uint32_t p = 0; p < GMSIM_PIPES; p++)
        pace->pipe[p] = bounded(w.pipe[p]);
    for (uint32_t b = 0; b < GMSIM_SCOREBOARDS; b++)
        pace->due[b] = bounded(w.due[b]);
    for (uint32_t p = 0; p < GMSIM_PIPES; p++)
        pace->uses = (uint16_t)(pace->uses | (pace->pipe[p] != 0) << p);
    pace->uses = (uint16_t)(pace->uses | (pace->unit ? GMSIM_USES_UNIT : 0) |
                            (pace->constant ? GMSIM_USES_CONSTANT : 0));
    for (uint32_t b = 0; b < GMSIM_SCOREBOARDS; b++)
        pace->sets = (uint16_t)(pace->sets | (pace->due[b] != 0) << b);
    if (paces->constants)
        pace->uses |= GMSIM_USES_CONSTANT;
    pace->known = true;
    return pace;
}
