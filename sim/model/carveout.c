/* SPDX-License-Identifier: MIT
 *
 * carveout.c - the carve-out the driver chooses when a trace does not tell. No document says how it
 * does; these rules together reproduce all 1,694 launches of validate/micro/carveout.cu and all 336
 * of carveout_barriers.cu on an H200 (driver 580.159, CUDA 13.0):
 *
 * - A lone CTA gets what it needs.
 * - Otherwise there is room for the CTAs that fit, or for more: as many as an SM's limit of CTAs
 *   less the warps of one, and as named barriers admit; with shared memory no more than twice as
 *   many as fit, and only up to gpu.shared_generous.
 * - With a preference of the program: the preference, but at least the whole CTAs whose own shared
 *   memory the preference holds, with their reservations.
 *
 * The grid's size plays no part. An H200's limit of CTAs, 32, is also half an SM's warps and the
 * most of a CTA: which of them counts is not known. GPUs without gpu.shared_generous were not
 * measured: there the least carve-out that leaves the occupancy as it is stands in.
 */
#include "sim/model/carveout.h"

uint32_t gmsim_carveout_for(const gmsim_gpu *gpu, uint64_t bytes)
{
    for (uint32_t i = 0; i < gpu->shared_carveouts.count; i++)
        if (gpu->shared_carveouts.value[i] >= bytes)
            return gpu->shared_carveouts.value[i];
    return gpu->shared_per_sm;
}

/* CTAs the driver leaves room for without a preference, where `blocks` fit. */
static uint32_t with_headroom(const gmsim_gpu *gpu, uint64_t own, const gmsim_occupancy *limits,
                              uint32_t blocks)
{
    uint32_t slots = gpu->occupancy_blocks_per_sm, warps = limits->warps_per_block;
    if (blocks <= 1u)
        return 1u;
    uint32_t most = MIN(slots > warps ? slots - warps : 0, limits->limit_barriers);
    return MAX(blocks, own ? MIN(2u * blocks, most) : most);
}

static uint32_t by_default(const gmsim_gpu *gpu, uint64_t own, const gmsim_occupancy *limits,
                           uint32_t blocks)
{
    uint64_t a_block = limits->shared_per_block;
    uint32_t need = gmsim_carveout_for(gpu, a_block * MAX(blocks, 1u));
    if (!gpu->shared_generous)
        return need;
    uint64_t ample = a_block * with_headroom(gpu, own, limits, blocks);
    return MAX(need, MIN(gmsim_carveout_for(gpu, ample), gpu->shared_generous));
}

static uint32_t by_preference(const gmsim_gpu *gpu, uint32_t percent, uint64_t own,
                              const gmsim_occupancy *limits, uint32_t blocks)
{
    uint64_t preferred = (uint64_t)MIN(percent, 100u) * gpu->shared_per_sm / 100u;
    uint32_t a_block = limits->shared_per_block;
    uint32_t least = gmsim_carveout_for(gpu, MAX(preferred, a_block));
    if (!gpu->shared_generous)
        return least;
    if (!own)
        return MAX(least, by_default(gpu, own, limits, blocks));
    return MAX(least, gmsim_carveout_for(gpu, preferred / own * a_block));
}

uint32_t gmsim_carveout_chosen(const gmsim_gpu *gpu, const gmsim_demand *demand,
                               const gmsim_occupancy *limits, uint32_t blocks)
{
    uint64_t own = (uint64_t)demand->static_shared + demand->dynamic_shared;
    if (demand->shared_config >= limits->shared_per_block &&
        demand->shared_config <= gpu->shared_per_sm)
        return demand->shared_config;
    if (demand->carveout_percent >= 0)
        return by_preference(gpu, (uint32_t)demand->carveout_percent, own, limits, blocks);
    return by_default(gpu, own, limits, blocks);
}
