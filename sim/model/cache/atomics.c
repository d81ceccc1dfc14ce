/* SPDX-License-Identifier: MIT
 *
 * atomics.c - how long atomics and reductions take. L2 carries them out sector by sector. Rules, as
 * measured on an H200 by micro/atomics_timing.cu, and by micro/atomics_grid.cu for a slice:
 *
 * - Lanes that meet in an address pass one after the other. A pass of one lane is a request by
 *   itself on the way out, and one more if something comes back; a wider one has its sectors and
 *   their masks, twice that for compare-and-swap of several lanes in half a line.
 * - A slice does one thing after the other. Each pass through a sector takes its time: one clock of
 *   L2 for a sector with all its words, a quarter more for one with some, two for doubles in both
 *   16 bytes of a sector (micro/atomics_words.cu) and for such compare-and-swap.
 * - The next addition of floats to a word needs the last one's sum: passes come three clocks apart,
 *   those of such doubles four. The slice meanwhile works on other sectors of the line. Of several
 *   lines that it is at each comes behind any of them by chance, and waits only behind itself
 *   (micro/atomics_few.cu, float: two lines of a slice 2.5 clocks each, four 1.9).
 * - All slices of a cluster together have a rate, which counts where many lines are used: a pass
 *   through a line takes its time, and each sector of it, however many words it has, but for a lane
 *   alone, which takes less, and more if something comes back (micro/atomics_scatter.cu). Of
 *   compare-and-swap half of a line is a request by itself, of one lane or, at three times the
 *   cost, of several.
 * - Of requests of several lanes that a slice keeps up with, SMs of its side get more while those
 *   of the other wait, too; where the slice itself is slow, all get the same (explore/probes.py).
 * - A reduction of one lane waits for what its slice does for loads, too (micro/atomics_beside.cu).
 *
 * Left out: what the operation is, but for floats and compare-and-swap; that atomics with results
 * and of several lanes may wait for loads, which no microbenchmark shows.
 */
#include "sim/model/cache/atomics.h"

/* Compare-and-swap has two operands a lane: passes of several lanes in half of a line take twice
 * the room (micro/cas_contend.cu, fail). */
static bool is_wide(const gmsim_ask *ask, const gmsim_message *message)
{
    return ask->is_swap && message->lone < message->operations;
}

uint32_t gmsim_atomic_units(const gmsim_ask *ask, const gmsim_message *message)
{
    uint32_t passes = message->passes, sectors = message->operations;
    bool returns = ask->kind == GMSIM_ASK_ATOMIC;
    if (message->lanes <= passes)
        return passes * (1u + returns);
    return (sectors + passes * (1u + (returns && sectors < 3u * passes))) << is_wide(ask, message);
}

/* Percent of a sector's time that the slice takes for it. */
static uint64_t slice_work(const gmsim_gpu *gpu, const gmsim_ask *ask, const gmsim_message *message)
{
    const uint32_t wide = ask->is_double ? message->wide : 0;
    const bool whole = message->full == message->touched;
    if (ask->is_swap)
        return message->lone * gpu->atomic_slice_part +
               (message->operations - message->lone) * gpu->atomic_slice_wide;
    return wide * gpu->atomic_slice_wide +
           (message->operations - wide) * (whole ? gpu->atomic_slice : gpu->atomic_slice_part);
}

/* The same where sums of floats wait for one another: at least `work`. */
static uint64_t sums_work(const gmsim_gpu *gpu, const gmsim_ask *ask, const gmsim_message *message,
                          uint32_t among, uint64_t work)
{
    const bool wide = ask->is_double && message->wide;
    const uint64_t sums =
        ask->is_float
            ? message->passes * (gpu->atomic_slice_float + (wide ? gpu->atomic_slice : 0u))
            : 0;
    return MAX(work, (sums + (among - 1u) * work) / among);
}

/* The same of compare-and-swap of several words. */
static uint64_t swap_work(const gmsim_gpu *gpu, const gmsim_message *message)
{
    const uint64_t passes = message->passes, lone = message->lone;
    const bool both = message->touched & 0x3u && message->touched & 0xcu && !lone;
    const uint64_t several =
        (passes << both) * gpu->atomic_half + (message->lanes - lone) * gpu->atomic_lane;
    return lone * gpu->atomic_alone +
           (lone < message->operations ? several * gpu->atomic_swap / 100u : 0);
}

/* Percent of a sector's time that all slices of the cluster together take. */
static uint64_t group_work(const gmsim_gpu *gpu, const gmsim_ask *ask, const gmsim_message *message)
{
    const uint64_t passes = message->passes, sectors = message->operations;
    const uint64_t returning = ask->kind == GMSIM_ASK_ATOMIC ? gpu->atomic_returning : 100u;
    if (message->lanes <= passes)
        return passes * (passes > 1u ? gpu->atomic_meeting : gpu->atomic_alone) * returning / 100u;
    if (ask->is_swap)
        return swap_work(gpu, message) * returning / 100u;
    if (ask->kind == GMSIM_ASK_ATOMIC)
        return passes * gpu->atomic_back_request + sectors * gpu->atomic_back_sector;
    return passes * gpu->atomic_request + sectors * gpu->atomic_sector;
}

gmsim_atomic_work gmsim_atomic_work_of(const gmsim_gpu *gpu, const gmsim_ask *ask,
                                       const gmsim_message *message, uint32_t sector_cost,
                                       uint32_t among)
{
    uint64_t cost = sector_cost, passes = message->passes, sectors = message->operations;
    uint64_t pass = slice_work(gpu, ask, message);
    uint64_t slice = sums_work(gpu, ask, message, among, pass);
    gmsim_atomic_work work = {.slice = slice * cost / 100u,
                              .beside = message->operations == 1u && ask->kind != GMSIM_ASK_ATOMIC
                                            ? pass * cost / 100u
                                            : 0,
                              .group = group_work(gpu, ask, message) * cost / 100u};
    work.by_side = message->lanes > passes && slice <= sectors * gpu->atomic_slice;
    return work;
}
