/* SPDX-License-Identifier: MIT
 *
 * occupancy.c - CTAs an SM. The limits follow the rules of the CUDA toolkit's cuda_occupancy.h
 * (13.0) for compute capability 7.0 to 9.0; tests compare with that header and with an H200.
 *
 * Leaves out: the virtual-resource limit of compute capability 10 and later, and clusters (a
 * cluster must fit one GPC).
 */
#include "sim/model/occupancy.h"

#include <string.h>

static uint32_t round_up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* The smallest carve-out the hardware offers that holds `bytes`, or the largest there is. */
static uint32_t carveout_for(const gmsim_gpu *gpu, uint64_t bytes)
{
    for (uint32_t i = 0; i < gpu->shared_carveout_count; i++)
        if (gpu->shared_carveout[i] >= bytes)
            return gpu->shared_carveout[i];
    return gpu->shared_per_sm;
}

static void limit_by_registers(const gmsim_gpu *gpu, const gmsim_demand *demand,
                               gmsim_occupancy *result)
{
    uint32_t warp = round_up(demand->registers * 32u, gpu->occupancy_register_unit);
    uint32_t parts = gpu->occupancy_sub_partitions;
    result->registers_per_block = warp * result->warps_per_block;
    if (!warp)
        return;
    /* The launch check takes a CTA's warps as a multiple of the sub-partitions. */
    uint64_t checked = (uint64_t)warp * round_up(result->warps_per_block, parts);
    if (checked > gpu->occupancy_registers_per_block ||
        demand->registers > gpu->occupancy_registers_per_thread) {
        result->limit_registers = 0;
        return;
    }
    uint32_t warps = gpu->occupancy_registers_per_sm / parts / warp * parts;
    result->limit_registers = warps / result->warps_per_block;
}

/* The carve-out that cuda_occupancy.h assumes: the preference, or the largest without one. */
static uint32_t preferred_carveout(const gmsim_gpu *gpu, const gmsim_demand *demand)
{
    if (demand->carveout_percent < 0)
        return gpu->shared_per_sm;
    return carveout_for(gpu, (uint64_t)demand->carveout_percent * gpu->shared_per_sm / 100u);
}

static void limit_by_shared(const gmsim_gpu *gpu, const gmsim_demand *demand,
                            gmsim_occupancy *result)
{
    uint64_t asked =
        (uint64_t)demand->static_shared + gpu->shared_reserved + demand->dynamic_shared;
    if (asked > gpu->shared_per_block_optin + gpu->shared_reserved) {
        result->shared_per_block = asked > UINT32_MAX ? UINT32_MAX : (uint32_t)asked;
        result->limit_shared = 0;
        return;
    }
    result->shared_per_block = round_up((uint32_t)asked, gpu->shared_unit);
    if (!result->shared_per_block)
        return;
    uint32_t capacity = preferred_carveout(gpu, demand);
    if (capacity < result->shared_per_block)
        capacity = carveout_for(gpu, result->shared_per_block);
    result->limit_shared = capacity / result->shared_per_block;
}

/* First rule for the carve-out the driver chooses, until a microbenchmark settles it: a preference
 * is followed as above; without one, the least that leaves the occupancy as it is. */
static uint32_t chosen_carveout(const gmsim_gpu *gpu, const gmsim_demand *demand,
                                const gmsim_occupancy *result)
{
    if (demand->shared_config != UINT32_MAX)
        return demand->shared_config;
    uint32_t preferred = preferred_carveout(gpu, demand);
    if (demand->carveout_percent >= 0 && preferred >= result->shared_per_block)
        return preferred;
    uint64_t need = (uint64_t)result->shared_per_block * MAX(result->blocks, 1u);
    return carveout_for(gpu, need);
}

void gmsim_occupancy_compute(const gmsim_gpu *gpu, const gmsim_demand *demand,
                             gmsim_occupancy *result)
{
    memset(result, 0, sizeof *result);
    result->limit_registers = result->limit_shared = result->limit_barriers = UINT32_MAX;
    result->warps_per_block = MAX((demand->threads + 31u) / 32u, 1u);
    result->limit_blocks = gpu->occupancy_blocks_per_sm;
    result->limit_warps = demand->threads > gpu->occupancy_threads_per_block
                              ? 0
                              : gpu->occupancy_warps_per_sm / result->warps_per_block;
    limit_by_registers(gpu, demand, result);
    limit_by_shared(gpu, demand, result);
    if (gpu->occupancy_barriers_per_sm && demand->barriers)
        result->limit_barriers = gpu->occupancy_barriers_per_sm / demand->barriers;

    const uint32_t limit[] = {result->limit_warps, result->limit_blocks, result->limit_registers,
                              result->limit_shared, result->limit_barriers};
    result->blocks = UINT32_MAX;
    for (unsigned i = 0; i < G_N_ELEMENTS(limit); i++)
        result->blocks = MIN(result->blocks, limit[i]);
    for (unsigned i = 0; i < G_N_ELEMENTS(limit); i++)
        if (limit[i] == result->blocks)
            result->limiters |= 1u << i; /* in the order of GMSIM_LIMIT_* */
    result->warps = result->blocks * result->warps_per_block;
    result->theoretical_pct = 100.0 * result->warps / gpu->occupancy_warps_per_sm;

    result->shared_config = chosen_carveout(gpu, demand, result);
    uint32_t left = gpu->l1_size > result->shared_config ? gpu->l1_size - result->shared_config : 0;
    result->l1_bytes = MIN(left, gpu->l1_max_cache);
}
