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

#include "sim/model/lanes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(hidden)

/* Into every clone (below) with the instructions of that clone. */
#define GMSIM_INLINE static inline __attribute__((always_inline))

/* (line number + 1) << 8 | dirty sectors << 4 | valid sectors. 0: empty. */
typedef uint64_t gmsim_entry;

#define GMSIM_ENTRY_VALID       ((gmsim_entry)0x0fu)
#define GMSIM_ENTRY_STATE       ((gmsim_entry)0xffu)
#define GMSIM_ENTRY_DIRTY_SHIFT 4u

typedef struct gmsim_cache {
    gmsim_entry *entry; /* owned by the caller */
    uint32_t sets, ways;
    uint32_t stride; /* entries from one set to the next; those past `ways` stay empty */
    /* Set of a line: sets = odd << power. */
    uint32_t power, odd;
    uint64_t magic; /* for the remainder by odd */
} gmsim_cache;

/* Hot functions, compiled twice on x86-64: the better one for the host is chosen at start. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define GMSIM_CLONES
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GMSIM_CLONES
#endif
#if !defined(GMSIM_CLONES) && defined(__x86_64__) && defined(__GLIBC__)
#if __has_attribute(target_clones)
#define GMSIM_CLONES __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef GMSIM_CLONES
#define GMSIM_CLONES
#endif

/* Entries that a cache needs. */
size_t gmsim_cache_entries(uint32_t sets, uint32_t ways);
/* Sets the geometry over that many entries, and empties them. sets < 2^24. */
void gmsim_cache_init(gmsim_cache *cache, gmsim_entry *entry, uint32_t sets, uint32_t ways);
void gmsim_cache_clear(gmsim_cache *cache);

/* The first entry of a line's set. */
GMSIM_INLINE gmsim_entry *gmsim_cache_set(const gmsim_cache *cache, uint64_t line)
{
    uint64_t block = line >> cache->power, mask = (1u << cache->power) - 1u;
    uint64_t quotient = (uint64_t)(((unsigned __int128)block * cache->magic) >> 64);
    uint64_t high = block - quotient * cache->odd; /* the remainder, or that plus odd */
    if (high >= cache->odd)
        high -= cache->odd;
    return cache->entry + (high << cache->power | ((line ^ block) & mask)) * cache->stride;
}

/* The sets of several lines, fetched ahead of their use: the arrays are larger than the first cache
 * levels of the host, and their accesses are independent. */
GMSIM_INLINE void gmsim_cache_sets(const gmsim_cache *cache, const uint64_t *line, uint32_t lines,
                                   gmsim_entry **set)
{
    const gmsim_cache geometry = *cache; /* so that the stores below cannot alias it */
    for (uint32_t i = 0; i < lines; i++) {
        gmsim_entry *first = gmsim_cache_set(&geometry, line[i]);
        set[i] = first;
        __builtin_prefetch(first, 1);
        if (geometry.stride > 8u) /* 64 bytes */
            __builtin_prefetch(first + 8, 1);
        if (geometry.stride > 16u)
            __builtin_prefetch(first + 16, 1);
    }
}

GMSIM_INLINE gmsim_entry gmsim_entry_tag(uint64_t line)
{
    return (line + 1u) << 8;
}

/* Four entries at a time, whatever vectors the host has. */
typedef gmsim_entry gmsim_entries __attribute__((vector_size(32)));

/* Place of a line in its set, or `ways`. Entries of the padding are empty and never match. */
GMSIM_INLINE uint32_t gmsim_cache_way(const gmsim_entry *set, uint32_t ways, uint64_t line)
{
    gmsim_entry tag = (line + 1u) & (UINT64_MAX >> 8);
    if (set[0] >> 8 == tag)
        return 0;
    gmsim_entries tags = {tag, tag, tag, tag}, place = {1, 2, 3, 4}, found = {0};
    for (uint32_t way = 0; way < ways; way += 4u) {
        gmsim_entries four;
        memcpy(&four, set + way, sizeof four);
        found |= (gmsim_entries)((four >> 8) == tags) & place;
        place += 4u;
    }
    uint32_t after = (uint32_t)(found[0] | found[1] | found[2] | found[3]); /* one at most is set */
    return after ? after - 1u : ways;
}

/* Entries 0 to count - 1 of a set move one place back. */
GMSIM_INLINE void gmsim_cache_shift(gmsim_entry *set, uint32_t count)
{
    if (count > 3u) {
        memmove(set + 1, set, count * sizeof *set);
        return;
    }
    if (count > 2u)
        set[3] = set[2];
    if (count > 1u)
        set[2] = set[1];
    if (count > 0)
        set[1] = set[0];
}

/* Finds a line in its set and puts it first; false when it is absent. */
GMSIM_INLINE bool gmsim_cache_find(const gmsim_cache *cache, gmsim_entry *set, uint64_t line)
{
    uint32_t way = gmsim_cache_way(set, cache->ways, line);
    if (way == 0)
        return true;
    if (way == cache->ways)
        return false;
    gmsim_entry found = set[way];
    gmsim_cache_shift(set, way);
    set[0] = found;
    return true;
}

/* Makes an absent line the first of its set; returns the entry that had to leave, 0 for none. */
GMSIM_INLINE gmsim_entry gmsim_cache_insert(const gmsim_cache *cache, gmsim_entry *set,
                                            uint64_t line, gmsim_entry state)
{
    gmsim_entry victim = set[cache->ways - 1u];
    gmsim_cache_shift(set, cache->ways - 1u);
    set[0] = gmsim_entry_tag(line) | state;
    return victim;
}

#pragma GCC visibility pop

#endif
