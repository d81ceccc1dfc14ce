/* SPDX-License-Identifier: MIT
 *
 * check.c - the numbers of a GPU against one another. Ranges of single numbers are the schema's.
 */
#include "sim/device/gpu.h"

/* The first contradiction as a sentence, or NULL. Free with g_free(). */
static char *contradiction(const gmsim_gpu *gpu)
{
    if (gpu->occupancy_warps_per_sm * 32u != gpu->occupancy_threads_per_sm)
        return g_strdup_printf("occupancy.threads_per_sm (%u) must be 32 times "
                               "occupancy.warps_per_sm (%u)",
                               gpu->occupancy_threads_per_sm, gpu->occupancy_warps_per_sm);
    if (gpu->occupancy_threads_per_block > gpu->occupancy_threads_per_sm)
        return g_strdup_printf("occupancy.threads_per_block (%u) exceeds "
                               "occupancy.threads_per_sm (%u)",
                               gpu->occupancy_threads_per_block, gpu->occupancy_threads_per_sm);
    if (gpu->occupancy_registers_per_block > gpu->occupancy_registers_per_sm)
        return g_strdup_printf("occupancy.registers_per_block (%u) exceeds "
                               "occupancy.registers_per_sm (%u)",
                               gpu->occupancy_registers_per_block, gpu->occupancy_registers_per_sm);
    if (gpu->occupancy_registers_per_sm % gpu->occupancy_sub_partitions)
        return g_strdup_printf("occupancy.registers_per_sm (%u) does not divide among "
                               "occupancy.sub_partitions (%u)",
                               gpu->occupancy_registers_per_sm, gpu->occupancy_sub_partitions);
    if (gpu->shared_carveouts.value[gpu->shared_carveouts.count - 1] != gpu->shared_per_sm)
        return g_strdup_printf("the largest of shared.carveouts (%u bytes) must be shared.per_sm "
                               "(%u bytes)",
                               gpu->shared_carveouts.value[gpu->shared_carveouts.count - 1],
                               gpu->shared_per_sm);
    if (gpu->shared_per_sm > gpu->l1_size)
        return g_strdup_printf("shared.per_sm (%u bytes) exceeds l1.size (%u bytes)",
                               gpu->shared_per_sm, gpu->l1_size);
    if (gpu->l1_max_cache > gpu->l1_size)
        return g_strdup_printf("l1.max_cache (%u bytes) exceeds l1.size (%u bytes)",
                               gpu->l1_max_cache, gpu->l1_size);
    if (gpu->shared_per_block > gpu->shared_per_block_optin)
        return g_strdup_printf("shared.per_block (%u bytes) exceeds shared.per_block_optin "
                               "(%u bytes)",
                               gpu->shared_per_block, gpu->shared_per_block_optin);
    if (gpu->shared_per_block_optin + gpu->shared_reserved > gpu->shared_per_sm)
        return g_strdup_printf("shared.per_block_optin and shared.reserved together (%u bytes) "
                               "exceed shared.per_sm (%u bytes)",
                               gpu->shared_per_block_optin + gpu->shared_reserved,
                               gpu->shared_per_sm);
    if (gpu->l2_size % ((uint64_t)GMSIM_LINE_BYTES * gpu->l2_ways))
        return g_strdup_printf("l2.size (%" G_GUINT64_FORMAT " bytes) must be a whole number of "
                               "sets of l2.ways (%u) lines of %u bytes",
                               gpu->l2_size, gpu->l2_ways, GMSIM_LINE_BYTES);
    uint64_t grouped = 0;
    for (uint32_t i = 0; i < gpu->launch_groups.count; i++)
        grouped += gpu->launch_groups.value[i];
    if (gpu->launch_groups.count && grouped != gpu->gpu_sm_count)
        return g_strdup_printf("launch.groups add up to %" G_GUINT64_FORMAT
                               " SMs, gpu.sm_count is %u",
                               grouped, gpu->gpu_sm_count);
    if (gpu->l2_spread > gpu->l2_latency)
        return g_strdup_printf("l2.spread (%u clocks) exceeds l2.latency (%u)", gpu->l2_spread,
                               gpu->l2_latency);
    if (gpu->l2_fill_sectors == 3)
        return g_strdup("l2.fill_sectors must be 1, 2 or 4");
    return NULL;
}

bool gmsim_gpu_check(const gmsim_gpu *gpu, GError **error)
{
    g_autofree char *wrong = contradiction(gpu);
    if (wrong)
        g_set_error_literal(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, wrong);
    return !wrong;
}
