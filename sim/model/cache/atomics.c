/* SPDX-License-Identifier: MIT
 *
 * atomics.c - how long atomics and reductions take. L2 carries them out sector by sector. Rules, as
 * measured on an H200 by micro/atomics_timing.cu:
 *
 * - Lanes that meet in an address pass one after the other. A pass of one lane is a request by
 *   itself on the way out, and one more if something comes back; a wider one has its sectors and
 *   their masks, twice that for compare-and-swap.
 * - In L2 an atomic takes its time by sectors, and longer where a lane is alone, or where the next
 *   addition of floats needs the last one's sum; less long where additions to other words come in
 *   between (`red.add.f32` of 32 lanes to 4, 16 or 32 words, against one word). A group of slices is
 *   through sooner than the slice, which does one thing after the other, and additions of doubles
 *   at half the rate. What a slice takes is what the last SM to be done shows: the mean over SMs is
 *   less.
 * - Of requests of several lanes that a slice keeps up with, SMs of its side get more while those
 *   of the other wait, too; where the slice itself is slow, all get the same (explore/probes.py).
 *
 * Left out: what the operation is, but for floats and compare-and-swap.
 */
#include "sim/model/cache/atomics.h"

uint32_t gmsim_atomic_units(const gmsim_ask *ask, const gmsim_message *message)
{
    uint32_t passes = message->passes, sectors = message->operations;
    bool returns = ask->kind == GMSIM_ASK_ATOMIC;
    if (message->lanes <= passes)
        return passes * (1u + returns);
    return (sectors + passes * (1u + (returns && sectors < 3u * passes))) << ask->is_swap;
}

gmsim_atomic_work gmsim_atomic_work_of(const gmsim_gpu *gpu, const gmsim_ask *ask,
                                       const gmsim_message *message, uint32_t sector_cost,
                                       uint32_t others)
{
    uint64_t cost = sector_cost, passes = message->passes, sectors = message->operations;
    gmsim_atomic_work work;
    if (message->lanes <= passes) {
        work.group = passes * cost * (passes > 1u ? gpu->atomic_meeting : gpu->atomic_alone) / 100u;
        work.slice = passes * cost * gpu->atomic_slice_alone / 100u;
    } else {
        work.group = (sectors * gpu->atomic_sector + passes * gpu->atomic_pass) * cost / 100u
                     << ask->is_swap;
        work.slice =
            sectors * cost * (ask->is_double ? gpu->atomic_slice_double : gpu->atomic_slice) / 100u
            << ask->is_swap;
    }
    if (ask->is_float && (passes > 1u || (message->lanes == 1u && !others))) {
        uint64_t sum = passes * cost * gpu->atomic_slice_float / 100u;
        work.slice =
            MAX(work.slice, sum - sum * others * (100u - gpu->atomic_slice_float_others) / 200u);
    }
    work.by_side =
        message->lanes > passes && work.slice <= sectors * cost * gpu->atomic_slice / 100u;
    if (ask->kind == GMSIM_ASK_ATOMIC)
        work.group = work.group * gpu->atomic_returning / 100u;
    return work;
}
