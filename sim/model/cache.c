/* SPDX-License-Identifier: MIT
 *
 * cache.c - geometry of a cache array. Any number of sets is allowed, not powers of two alone: the
 * caches of real GPUs rarely have one.
 */
#include "sim/model/cache.h"

void gmsim_cache_init(gmsim_cache *cache, gmsim_entry *entry, uint32_t sets, uint32_t ways)
{
    cache->entry = entry;
    cache->sets = sets;
    cache->ways = ways;
    cache->power = (uint32_t)__builtin_ctz(sets);
    cache->odd = sets >> cache->power;
    cache->magic = UINT64_MAX / cache->odd;
    gmsim_cache_clear(cache);
}

void gmsim_cache_clear(gmsim_cache *cache)
{
    memset(cache->entry, 0, (size_t)cache->sets * cache->ways * sizeof *cache->entry);
}
