/* SPDX-License-Identifier: MIT
 *
 * carveout.c - the carve-out the driver chooses when a trace does not tell. No document says how it
 * does; these rules together reproduce all 1,694 launches of validate/micro/carveout.cu on an H200
 * (driver 580.159, CUDA 13.0). The headroom's steps have exceptions that are not understood:
 *
 * - Without shared memory: gpu.shared_bare by the CTA's warps, the last of it where one CTA fits an
 *   SM.
 * - With shared memory: enough for the CTAs that fit; up to gpu.shared_generous, enough for twice
 *   as many of them, but no more than gpu.shared_headroom by the CTA's warps, nor than the SM's
 *   limit of CTAs. A lone CTA gets no such headroom.
 * - With a preference of the program: the preference, but at least the whole CTAs whose own shared
 *   memory the preference holds, with their reservations.
 *
 * The grid's size plays no part. GPUs without gpu.shared_generous were not measured: there the
 * least carve-out that leaves the occupancy as it is stands in.
 */
#include "sim/model/carveout.h"

uint32_t gmsim_carveout_for(const gmsim_gpu *gpu, uint64_t bytes)
{
    for (uint32_t i = 0; i < gpu->shared_carveouts.count; i++)
        if (gpu->shared_carveouts.value[i] >= bytes)
            return gpu->shared_carveouts.value[i];
    return gpu->shared_per_sm;
}

static uint32_t at(const gmsim_steps *steps, uint32_t where)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < steps->count && steps->from[i] <= where; i++)
        value = steps->value[i];
    return value;
}

static uint32_t without_shared(const gmsim_gpu *gpu, uint32_t warps, uint32_t blocks)
{
    return at(&gpu->shared_bare, blocks <= 1u ? UINT32_MAX : warps);
}

/* CTAs the driver leaves room for. */
static uint32_t with_headroom(const gmsim_gpu *gpu, uint32_t warps, uint32_t blocks)
{
    uint32_t most = MIN(at(&gpu->shared_headroom, warps), gpu->occupancy_blocks_per_sm);
    return blocks <= 1u ? blocks : MAX(blocks, MIN(2u * blocks, most));
}

static uint32_t by_default(const gmsim_gpu *gpu, uint64_t own, uint32_t a_block, uint32_t warps,
                           uint32_t blocks)
{
    uint32_t need = gmsim_carveout_for(gpu, (uint64_t)a_block * MAX(blocks, 1u));
    if (!gpu->shared_generous)
        return need;
    if (!own)
        return MAX(without_shared(gpu, warps, blocks), need);
    uint64_t ample = (uint64_t)a_block * with_headroom(gpu, warps, blocks);
    return MAX(need, MIN(gmsim_carveout_for(gpu, ample), gpu->shared_generous));
}

static uint32_t by_preference(const gmsim_gpu *gpu, uint32_t percent, uint64_t own,
                              uint32_t a_block, uint32_t warps, uint32_t blocks)
{
    uint64_t preferred = (uint64_t)MIN(percent, 100u) * gpu->shared_per_sm / 100u;
    uint32_t least = gmsim_carveout_for(gpu, MAX(preferred, a_block));
    if (!gpu->shared_generous)
        return least;
    if (!own)
        return MAX(least, without_shared(gpu, warps, blocks));
    return MAX(least, gmsim_carveout_for(gpu, preferred / own * a_block));
}

uint32_t gmsim_carveout_chosen(const gmsim_gpu *gpu, const gmsim_demand *demand, uint32_t a_block,
                               uint32_t warps, uint32_t blocks)
{
    uint64_t own = (uint64_t)demand->static_shared + demand->dynamic_shared;
    if (demand->shared_config >= a_block && demand->shared_config <= gpu->shared_per_sm)
        return demand->shared_config;
    if (demand->carveout_percent >= 0)
        return by_preference(gpu, (uint32_t)demand->carveout_percent, own, a_block, warps, blocks);
    return by_default(gpu, own, a_block, warps, blocks);
}
