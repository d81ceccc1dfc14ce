/* SPDX-License-Identifier: MIT
 *
 * occupancy.c - CTAs an SM. The limits follow the rules of the CUDA toolkit's cuda_occupancy.h
 * (13.0) for compute capability 7.0 to 9.0; tests compare with that header and with an H200.
 *
 * Two numbers differ for shared memory. What an SM can give is the largest carve-out, or the one
 * the program prefers: that decides whether shared memory limits a kernel. What it is set to give
 * is the carve-out the driver chose for the launch, which may be much smaller; Nsight Compute
 * divides that one to get launch__occupancy_limit_shared_mem, and so does limit_shared here.
 *
 * Leaves out: the virtual-resource limit of compute capability 10 and later, and clusters (a
 * cluster must fit one GPC).
 */
#include "sim/model/occupancy.h"

#include "sim/model/carveout.h"

#include <string.h>

static uint64_t round_up(uint64_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint32_t clip(uint64_t value)
{
    return (uint32_t)MIN(value, UINT32_MAX);
}

static uint32_t limit_by_warps(const gmsim_gpu *gpu, const gmsim_demand *demand, uint32_t warps)
{
    if (demand->threads > gpu->occupancy_threads_per_block)
        return 0;
    return gpu->occupancy_warps_per_sm / warps;
}

/* An H200 grants at least 16 registers a thread, whatever fewer the kernel asks for
 * (launch__registers_per_thread, validate/micro/carveout.cu). */
uint32_t gmsim_registers_granted(uint32_t asked)
{
    return asked ? MAX(asked, 16u) : 0;
}

/* A warp's registers come from its sub-partition alone, in units: what is left over there is lost.
 * The launch check counts a CTA's warps as if they filled the sub-partitions evenly. */
static uint32_t limit_by_registers(const gmsim_gpu *gpu, const gmsim_demand *demand, uint32_t warps,
                                   uint32_t *a_block)
{
    uint32_t parts = gpu->occupancy_sub_partitions;
    uint64_t a_warp = round_up(demand->registers * UINT64_C(32), gpu->occupancy_register_unit);
    *a_block = clip(a_warp * warps);
    if (!a_warp)
        return UINT32_MAX;
    if (demand->registers > gpu->occupancy_registers_per_thread ||
        a_warp * round_up(warps, parts) > gpu->occupancy_registers_per_block)
        return 0;
    return (uint32_t)(gpu->occupancy_registers_per_sm / parts / a_warp * parts / warps);
}

/* The carve-out that can be had: the program's preference rounded up to one on offer, or the
 * largest without a preference; never less than one CTA needs. */
static uint32_t largest_carveout(const gmsim_gpu *gpu, const gmsim_demand *demand, uint32_t a_block)
{
    uint64_t percent = (uint64_t)CLAMP(demand->carveout_percent, 0, 100);
    uint64_t preferred =
        demand->carveout_percent < 0 ? gpu->shared_per_sm : percent * gpu->shared_per_sm / 100u;
    return gmsim_carveout_for(gpu, MAX(preferred, a_block));
}

void gmsim_occupancy_compute(const gmsim_gpu *gpu, const gmsim_demand *demand,
                             gmsim_occupancy *result)
{
    uint32_t warps = MAX(demand->threads / 32u + (demand->threads % 32u != 0), 1u);
    uint64_t asked =
        (uint64_t)demand->static_shared + demand->dynamic_shared + gpu->shared_reserved;
    uint32_t a_block = clip(round_up(asked, gpu->shared_unit));

    memset(result, 0, sizeof *result);
    result->warps_per_block = warps;
    result->shared_per_block = a_block;
    result->limit_blocks = gpu->occupancy_blocks_per_sm;
    result->limit_warps = limit_by_warps(gpu, demand, warps);
    result->limit_registers = limit_by_registers(gpu, demand, warps, &result->registers_per_block);
    result->limit_barriers = UINT32_MAX;
    if (gpu->occupancy_barriers_per_sm && demand->barriers)
        result->limit_barriers = gpu->occupancy_barriers_per_sm / demand->barriers;
    uint32_t others = MIN(MIN(result->limit_warps, result->limit_blocks),
                          MIN(result->limit_registers, result->limit_barriers));

    uint32_t largest = largest_carveout(gpu, demand, a_block), can = UINT32_MAX;
    bool fits = asked <= (uint64_t)gpu->shared_per_block_optin + gpu->shared_reserved;
    if (a_block)
        can = fits ? largest / a_block : 0;
    result->shared_config = gmsim_carveout_chosen(gpu, demand, result, MIN(others, can));
    result->limit_shared = can;
    if (a_block && fits)
        result->limit_shared = result->shared_config / a_block;

    result->blocks = MIN(others, MIN(can, result->limit_shared));
    if (result->limit_warps == result->blocks)
        result->limiters |= GMSIM_LIMIT_WARPS;
    if (result->limit_blocks == result->blocks)
        result->limiters |= GMSIM_LIMIT_BLOCKS;
    if (result->limit_registers == result->blocks)
        result->limiters |= GMSIM_LIMIT_REGISTERS;
    if (result->limit_barriers == result->blocks)
        result->limiters |= GMSIM_LIMIT_BARRIERS;
    /* A small carve-out that holds all the CTAs there is room for otherwise stops none. */
    if (can <= result->blocks || result->limit_shared < others)
        result->limiters |= GMSIM_LIMIT_SHARED;

    result->warps = result->blocks * warps;
    result->theoretical_pct = 100.0 * result->warps / gpu->occupancy_warps_per_sm;
    uint32_t taken = result->shared_config + gpu->l1_reserved;
    uint32_t left = gpu->l1_size > taken ? gpu->l1_size - taken : 0;
    result->l1_bytes = MIN(left, gpu->l1_max_cache);
}
