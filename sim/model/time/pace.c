/* SPDX-License-Identifier: MIT
 *
 * pace.c - the time of the instructions between two records. The code's own control bits say how
 * long after an instruction the next may issue, and which scoreboards an instruction sets and waits
 * for; results of variable latency (special functions, shuffles, constants) come after a time that
 * depends on the opcode. Pipes, rates and latencies: micro/math_rates.cu. A load from constant
 * memory takes the SM's constant cache two clocks an address (micro/constant.cu): one address, or
 * 32 if the lanes' indices differ.
 *
 * Left out: fetching the instructions, conflicts between register banks, results that arrive
 * together, loads of constants that miss.
 */
#include "sim/model/time/pace.h"

#include <string.h>

/* Repetitions of a loop that are gone through; the others take as long as the last of them. */
#define REPEATS 4u

/* pipe, clocks on it, on the heavy half, on the load-store unit, on the constant cache; latency */
static const gmsim_cost costs[GMTRACE_UNITS] = {
    [GMTRACE_UNIT_OTHER] = {GMSIM_PIPE_ISSUE, 0, 0, 0, 0, 12},
    [GMTRACE_UNIT_FP32] = {GMSIM_PIPE_FMA, 1, 0, 0, 0, 0},
    [GMTRACE_UNIT_FP16] = {GMSIM_PIPE_FMA, 1, 0, 0, 0, 0},
    [GMTRACE_UNIT_FP64] = {GMSIM_PIPE_FP64, 2, 0, 0, 0, 8},
    [GMTRACE_UNIT_IMAD] = {GMSIM_PIPE_FMA, 1, 2, 0, 0, 0},
    [GMTRACE_UNIT_IMAD_WIDE] = {GMSIM_PIPE_FMA, 1, 2, 0, 0, 0},
    [GMTRACE_UNIT_ALU] = {GMSIM_PIPE_ALU, 2, 0, 0, 0, 0},
    [GMTRACE_UNIT_SFU] = {GMSIM_PIPE_XU, 8, 0, 0, 0, 17},
    [GMTRACE_UNIT_CONVERT] = {GMSIM_PIPE_XU, 8, 0, 0, 0, 17},
    [GMTRACE_UNIT_CONVERT64] = {GMSIM_PIPE_XU, 8, 0, 0, 0, 17},
    [GMTRACE_UNIT_BITS] = {GMSIM_PIPE_XU, 8, 0, 0, 0, 17},
    [GMTRACE_UNIT_TENSOR] = {GMSIM_PIPE_TENSOR, 6, 0, 0, 0, 25},
    [GMTRACE_UNIT_TENSOR_F16] = {GMSIM_PIPE_TENSOR, 6, 0, 0, 0, 25},
    [GMTRACE_UNIT_TENSOR_TF32] = {GMSIM_PIPE_TENSOR, 6, 0, 0, 0, 25},
    [GMTRACE_UNIT_TENSOR_INT8] = {GMSIM_PIPE_TENSOR, 6, 0, 0, 0, 25},
    [GMTRACE_UNIT_TENSOR_FP64] = {GMSIM_PIPE_TENSOR, 16, 0, 0, 0, 32},
    [GMTRACE_UNIT_WGMMA] = {GMSIM_PIPE_TENSOR, 4, 0, 0, 0, 32},
    [GMTRACE_UNIT_SHUFFLE] = {GMSIM_PIPE_ISSUE, 0, 0, 1, 0, 24},
    [GMTRACE_UNIT_VOTE] = {GMSIM_PIPE_ALU, 2, 0, 0, 0, 0},
    [GMTRACE_UNIT_MATCH_ANY] = {GMSIM_PIPE_ISSUE, 0, 0, 64, 0, 375},
    [GMTRACE_UNIT_MATCH_ALL] = {GMSIM_PIPE_ISSUE, 0, 0, 2, 0, 28},
    [GMTRACE_UNIT_REDUX] = {GMSIM_PIPE_ISSUE, 0, 0, 2, 0, 44},
    [GMTRACE_UNIT_LDC] = {GMSIM_PIPE_ISSUE, 0, 0, 0, 2, 28},
    [GMTRACE_UNIT_ULDC] = {GMSIM_PIPE_UNIFORM, 2, 0, 0, 0, 30},
    [GMTRACE_UNIT_S2R] = {GMSIM_PIPE_ISSUE, 0, 0, 0, 0, 28},
    [GMTRACE_UNIT_S2UR] = {GMSIM_PIPE_ISSUE, 0, 0, 0, 0, 28},
    [GMTRACE_UNIT_CS2R] = {GMSIM_PIPE_ALU, 2, 0, 0, 0, 12},
    [GMTRACE_UNIT_UNIFORM] = {GMSIM_PIPE_UNIFORM, 2, 0, 0, 0, 12},
    [GMTRACE_UNIT_MEMBAR] = {GMSIM_PIPE_ISSUE, 0, 0, 0, 0, 255},
};

void gmsim_paces_begin(gmsim_paces *paces, const gmtrace_kernel *kernel,
                       const gmtrace_decoded *decoded, const gmsim_gpu *gpu)
{
    gmsim_paces_clear(paces);
    paces->kernel = kernel;
    paces->cost = g_new(gmsim_cost, kernel->instr_count + 1u);
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        gmsim_cost *cost = &paces->cost[i];
        *cost = costs[decoded[i].unit];
        if (decoded[i].varies) {
            cost->constant = (uint8_t)(cost->constant * GMTRACE_WARP_LANES);
            cost->latency =
                (uint16_t)(cost->latency + (GMTRACE_WARP_LANES - 1u) * gpu->sm_constant_address);
        }
    }
    paces->cost[kernel->instr_count] = (gmsim_cost){.pipe = GMSIM_PIPE_ISSUE};
}

void gmsim_paces_clear(gmsim_paces *paces)
{
    g_free(paces->cost);
    g_free(paces->pace);
    memset(paces, 0, sizeof *paces);
}

typedef struct walk {
    uint64_t clock;
    uint64_t due[GMSIM_SCOREBOARDS];
    uint64_t pipe[GMSIM_PIPES], unit, constant;
} walk;

static uint32_t bounded(uint64_t clocks)
{
    return clocks < GMTRACE_PATH_NEVER ? (uint32_t)clocks : GMTRACE_PATH_NEVER - 1u;
}

static void walk_piece(const gmsim_paces *paces, const gmtrace_path_piece *piece, gmsim_pace *pace,
                       walk *w)
{
    for (uint32_t n = piece->first; n < piece->first + piece->count; n++) {
        const gmtrace_instr *instr = &paces->kernel->instr[n];
        const gmsim_cost *cost = &paces->cost[n];
        for (uint32_t b = 0; b < GMSIM_SCOREBOARDS; b++) {
            if (!(instr->wait_mask >> b & 1u))
                continue;
            if (w->due[b])
                w->clock = MAX(w->clock, w->due[b]);
            else if (pace->wait_at[b] == GMTRACE_PATH_NEVER)
                pace->wait_at[b] = bounded(w->clock);
        }
        if (instr->write_barrier < GMSIM_SCOREBOARDS)
            w->due[instr->write_barrier] = w->clock + MAX(cost->latency, 1u);
        else if (instr->read_barrier < GMSIM_SCOREBOARDS)
            w->due[instr->read_barrier] = w->clock + MAX(cost->latency / 2u, 1u);
        w->clock += MAX(instr->stall, 1u);
        w->pipe[GMSIM_PIPE_ISSUE]++;
        w->pipe[GMSIM_PIPE_HEAVY] += cost->heavy;
        if (cost->pipe != GMSIM_PIPE_ISSUE)
            w->pipe[cost->pipe] += cost->clocks;
        w->unit += cost->unit;
        w->constant += cost->constant;
    }
}

const gmsim_pace *gmsim_pace_make(gmsim_paces *paces, const gmtrace_path *way)
{
    if (way->number >= paces->room) {
        uint32_t room = MAX(2u * paces->room, MAX(way->number + 1u, 256u));
        paces->pace = g_renew(gmsim_pace, paces->pace, room);
        memset(paces->pace + paces->room, 0, (room - paces->room) * sizeof *paces->pace);
        paces->room = room;
    }
    gmsim_pace *pace = &paces->pace[way->number];
    walk w = {.clock = 0};
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
            w.unit += (w.unit - before.unit) * more;
            w.constant += (w.constant - before.constant) * more;
            w.clock += clocks;
        }
    }
    pace->clocks = bounded(w.clock);
    pace->unit = bounded(w.unit);
    pace->constant = bounded(w.constant);
    for (uint32_t p = 0; p < GMSIM_PIPES; p++)
        pace->pipe[p] = bounded(w.pipe[p]);
    for (uint32_t b = 0; b < GMSIM_SCOREBOARDS; b++)
        pace->due[b] = bounded(w.due[b]);
    pace->known = true;
    return pace;
}
