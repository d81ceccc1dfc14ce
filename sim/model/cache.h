/* SPDX-License-Identifier: MIT
 *
 * cache.h - a sectored set-associative array, tags and sector states only. What a hit, a miss, a
 * write or an eviction means is the business of whoever uses it (l1.h, l2.h).
 *
 * Replacement is least recently used within a set. Lines of 128 bytes hold four sectors of 32
 * bytes, each with a valid and a dirty bit.
 *
 * A set is its entries from the most to the least recently used: the usual hit is the first
 * compare, and no time stamps are kept. The set of a line keeps aligned runs of lines spread evenly
 * (contiguous data fills every set alike) and folds higher bits in, so that lines a power of two
 * apart do not all meet in one set.
 *
 * An entry keeps the low 56 bits of the line number. Addresses 2^63 apart would be taken for one
 * another; no GPU has that many.
 */
#ifndef GMSIM_CACHE_H
#define GMSIM_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(hidden)

/* (line number + 1) << 8 | dirty sectors << 4 | valid sectors. 0: empty. */
typedef uint64_t gmsim_entry;

#define GMSIM_ENTRY_VALID       ((gmsim_entry)0x0fu)
#define GMSIM_ENTRY_STATE       ((gmsim_entry)0xffu)
#define GMSIM_ENTRY_DIRTY_SHIFT 4u

typedef struct gmsim_cache {
    gmsim_entry *entry; /* sets * ways, owned by the caller */
    uint32_t sets, ways;
    /* Set of a line: sets = odd << power. */
    uint32_t power, odd;
    uint64_t magic; /* for the remainder by odd */
} gmsim_cache;

/* Sets the geometry over entries that hold sets * ways, and empties them. sets < 2^24. */
void gmsim_cache_init(gmsim_cache *cache, gmsim_entry *entry, uint32_t sets, uint32_t ways);
void gmsim_cache_clear(gmsim_cache *cache);

/* The first entry of a line's set. */
static inline gmsim_entry *gmsim_cache_set(const gmsim_cache *cache, uint64_t line)
{
    uint64_t block = line >> cache->power, mask = (1u << cache->power) - 1u;
    uint64_t quotient = (uint64_t)(((unsigned __int128)block * cache->magic) >> 64);
    uint64_t high = block - quotient * cache->odd; /* the remainder, or that plus odd */
    if (high >= cache->odd)
        high -= cache->odd;
    return cache->entry + (high << cache->power | ((line ^ block) & mask)) * cache->ways;
}

/* The sets of several lines, fetched ahead of their use: the arrays are larger than the first cache
 * levels of the host, and their accesses are independent. */
static inline void gmsim_cache_sets(const gmsim_cache *cache, const uint64_t *line, uint32_t lines,
                                    gmsim_entry **set)
{
    const gmsim_cache geometry = *cache;
    for (uint32_t i = 0; i < lines; i++) {
        set[i] = gmsim_cache_set(&geometry, line[i]);
        __builtin_prefetch(set[i], 1);
        if (geometry.ways > 8u)
            __builtin_prefetch(set[i] + 8, 1);
    }
}

static inline gmsim_entry gmsim_entry_tag(uint64_t line)
{
    return (line + 1u) << 8;
}

/* Finds a line in its set and puts it first; false when it is absent. */
static inline bool gmsim_cache_find(const gmsim_cache *cache, gmsim_entry *set, uint64_t line)
{
    gmsim_entry tag = gmsim_entry_tag(line);
    if ((set[0] & ~GMSIM_ENTRY_STATE) == tag)
        return true;
    for (uint32_t way = 1; way < cache->ways; way++) {
        gmsim_entry found = set[way];
        if ((found & ~GMSIM_ENTRY_STATE) == tag) {
            memmove(set + 1, set, way * sizeof *set);
            set[0] = found;
            return true;
        }
    }
    return false;
}

/* Makes an absent line the first of its set; returns the entry that had to leave, 0 for none. */
static inline gmsim_entry gmsim_cache_insert(const gmsim_cache *cache, gmsim_entry *set,
                                             uint64_t line, gmsim_entry state)
{
    gmsim_entry victim = set[cache->ways - 1u];
    memmove(set + 1, set, (cache->ways - 1u) * sizeof *set);
    set[0] = gmsim_entry_tag(line) | state;
    return victim;
}

/* Set bits of a 4-bit sector mask. */
static inline uint32_t gmsim_sector_count(uint32_t mask)
{
    return (uint32_t)(0x4332322132212110u >> (4u * (mask & 0xfu))) & 0xfu;
}

#pragma GCC visibility pop

#endif
