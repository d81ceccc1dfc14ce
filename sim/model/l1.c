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

uint32_t gmsim_l1_read(const gmsim_cache *l1, const gmsim_footprint *footprint,
                       gmsim_entry *const *l1_set, gmsim_entry *const *l2_set, gmsim_l1_load how,
                       gmsim_traffic *misses)
{
    const gmsim_cache cache = *l1; /* so that stores of bytes below cannot alias it */
    uint32_t lines = footprint->lines, missed = 0, sectors = 0;
    for (uint32_t i = 0; i < lines; i++) {
        uint64_t line = footprint->line[i];
        uint32_t touched = footprint->touched[i], valid = 0;
        if (how != GMSIM_L1_BYPASS) {
            gmsim_entry *set = l1_set[i];
            if (gmsim_cache_find(&cache, set, line)) {
                valid = (uint32_t)*set;
                if (how == GMSIM_L1_ALLOCATE)
                    *set |= touched;
            } else if (how == GMSIM_L1_ALLOCATE) {
                gmsim_cache_insert(&cache, set, line, touched);
            }
        }
        uint32_t missing = touched & ~valid;
        misses->line[missed] = line;
        misses->set[missed] = l2_set[i];
        misses->touched[missed] = (uint8_t)missing;
        missed += missing != 0;
        sectors += gmsim_sector_count(missing);
    }
    misses->lines = missed;
    misses->sectors = sectors;
    return footprint->sectors - sectors;
}

uint32_t gmsim_l1_write(const gmsim_cache *l1, const gmsim_footprint *footprint,
                        gmsim_entry *const *l1_set, bool allocate)
{
    uint32_t hits = 0;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        uint64_t line = footprint->line[i];
        gmsim_entry *set = l1_set[i];
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
