/* SPDX-License-Identifier: MIT
 *
 * cache.c - geometry of a cache array. Any number of sets is allowed, not powers of two alone: the
 * caches of real GPUs rarely have one.
 */
#include "sim/model/cache.h"

/* Sets are padded to whole vectors of 4 entries. */
static uint32_t stride_of(uint32_t ways)
{
    return (ways + 3u) & ~3u;
}

size_t gmsim_cache_entries(uint32_t sets, uint32_t ways)
{
    return (size_t)sets * stride_of(ways);
}

void gmsim_cache_init(gmsim_cache *cache, gmsim_entry *entry, uint32_t sets, uint32_t ways)
{
    cache->entry = entry;
    cache->sets = sets;
    cache->ways = ways;
    cache->stride = stride_of(ways);
    cache->power = (uint32_t)__builtin_ctz(sets);
    cache->odd = sets >> cache->power;
    cache->magic = UINT64_MAX / cache->odd;
    gmsim_cache_clear(cache);
}

void gmsim_cache_clear(gmsim_cache *cache)
{
    memset(cache->entry, 0, (size_t)cache->sets * cache->stride * sizeof *cache->entry);
}
