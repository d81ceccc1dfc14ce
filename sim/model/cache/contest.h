/* SPDX-License-Identifier: MIT
 *
 * contest.h - lines that SMs of both sides of L2 store to. Where a side stores to a line which the
 * other has stored to within gpu.l2_contested_clocks (micro/ports.cu, window; micro/line_steps.cu;
 * not where 32,000 lines are written by all SMs, each again after some 900 clocks:
 * explore/probes.py, store.scatter), one slice carries out the stores of both, that of the line's
 * atomics: two lines take as many clocks as four. What one store takes grows with the lines that
 * the slice has (micro/store_crowd.cu, same). Where the slice's last ones were all to that line, as
 * to a flag, what an SM sends behind such a store waits until the slice takes it (sm_answers.c;
 * micro/flag_beside.cu).
 *
 * Left out: that SMs which store to the same lines in the same order wait for the same slice; that
 * other requests to the slice hold up their SM, too (flag_beside.cu, one store to 16 loads).
 */
#ifndef GMSIM_CONTEST_H
#define GMSIM_CONTEST_H

#include <stdbool.h>

#include "sim/device/gpu.h"
#include "sim/model/cache/l2.h"
#include "sim/model/cache/recent.h"

#define GMSIM_CONTESTS     16384u /* a power of two */
#define GMSIM_CONTEST_LAST 4u     /* stores of a slice that count */

/* One more than the clock at which each side stored to the line last; 0: not yet. */
typedef struct gmsim_contest {
    uint64_t line, clock[GMSIM_L2_SIDES];
} gmsim_contest;

/* Are the two sides at odds about the line? `side` stores to it at that clock. `contest` is the
 * line's entry, by its hash, of GMSIM_CONTESTS; all ones at first. */
static inline bool gmsim_contest_meets(gmsim_contest *contest, const gmsim_gpu *gpu, uint32_t side,
                                       uint64_t line, uint64_t clock)
{
    if (contest->line != line)
        *contest = (gmsim_contest){.line = line};
    const uint64_t other = contest->clock[1u - side];
    contest->clock[side] = clock + 1u;
    return other && clock < other + gpu->l2_contested_clocks;
}

/* The side's store that came last is carried out at that clock: it counts from then on. */
static inline void gmsim_contest_waits(gmsim_contest *contest, uint32_t side, uint64_t clock)
{
    contest->clock[side] = MAX(contest->clock[side], clock + 1u);
}

/* Of how many lines the slice's last such stores were, this one of `line` among them. */
static inline uint32_t gmsim_contest_lines(gmsim_recent *recent, uint64_t line)
{
    return gmsim_recent_among(recent, line + 1u, GMSIM_CONTEST_LAST);
}

/* Sixteenths of a clock that the slice takes for such a store of so many units (store_units()),
 * where the last were to so many lines. */
static inline uint32_t gmsim_contest_work(const gmsim_gpu *gpu, uint32_t lines, uint32_t units)
{
    return (gpu->l2_contested + lines * gpu->l2_contested_line) *
           (100u + units * gpu->l2_contested_sector_percent) / 100u;
}

#endif
