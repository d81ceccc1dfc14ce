/* SPDX-License-Identifier: MIT
 *
 * l1.c - L1: sectored, write-through, one an SM, empty when a kernel starts. First rules:
 *
 * - A load sector hits when its line's tag is present and the sector is valid. A miss fetches the
 *   missing sectors alone.
 * - A store sector counts as a hit when its line's tag is present, whatever the sector (measured on
 *   an H200: contiguous byte stores hit 3 of 4, stores after a load of the line all). With
 *   gpu.l1_store_allocate a store that misses leaves its tag behind, and sectors written whole
 *   become valid; otherwise it leaves nothing.
 * - Coherent loads (.STRONG.GPU, .STRONG.SYS), atomics and reductions go to L2 past the cache.
 *
 * Left out: misses that are still on their way (a second access finds the data at once),
 * replacement other than LRU, eviction hints, invalidation by atomics.
 */
#include "sim/model/l1.h"

uint32_t gmsim_l1_ways(const gmsim_gpu *gpu)
{
    uint32_t ways = gpu->l1_max_cache / (GMSIM_LINE_BYTES * gpu->l1_sets);
    return ways ? ways : 1u;
}

uint32_t gmsim_l1_sets(const gmsim_gpu *gpu, uint32_t bytes)
{
    uint32_t sets = bytes / (GMSIM_LINE_BYTES * gmsim_l1_ways(gpu));
    return sets ? sets : 1u;
}

GMSIM_CLONES uint32_t gmsim_l1_read(const gmsim_cache *l1, gmsim_footprint *footprint,
                                    gmsim_entry *const *sets, gmsim_l1_load how)
{
    if (how == GMSIM_L1_BYPASS)
        return 0;
    const gmsim_cache cache = *l1; /* so that stores of bytes below cannot alias it */
    uint32_t lines = footprint->lines, missed = 0, missed_sectors = 0;
    for (uint32_t i = 0; i < lines; i++) {
        uint64_t line = footprint->line[i];
        uint32_t missing = footprint->touched[i];
        gmsim_entry *set = sets[i];
        if (gmsim_cache_find(&cache, set, line)) {
            gmsim_entry entry = *set;
            if (how == GMSIM_L1_ALLOCATE)
                *set = entry | missing;
            missing &= ~(uint32_t)entry;
        } else if (how == GMSIM_L1_ALLOCATE) {
            gmsim_cache_insert(&cache, set, line, missing);
        }
        if (missing) {
            footprint->line[missed] = line;
            footprint->touched[missed++] = (uint8_t)missing;
            missed_sectors += gmsim_sector_count(missing);
        }
    }
    uint32_t hits = footprint->sectors - missed_sectors;
    footprint->lines = missed;
    footprint->sectors = missed_sectors;
    return hits;
}

GMSIM_CLONES uint32_t gmsim_l1_write(const gmsim_cache *l1, const gmsim_footprint *footprint,
                                     gmsim_entry *const *sets, bool allocate)
{
    uint32_t hits = 0;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        uint64_t line = footprint->line[i];
        gmsim_entry *set = sets[i];
        if (gmsim_cache_find(l1, set, line)) {
            hits += gmsim_sector_count(footprint->touched[i]);
            if (allocate)
                *set |= footprint->full[i];
        } else if (allocate) {
            gmsim_cache_insert(l1, set, line, footprint->full[i]);
        }
    }
    return hits;
}
