/* SPDX-License-Identifier: MIT
 *
 * path_memory.c - an index of what a launch knows of memory. Ranges come in order and do not
 * overlap; addresses from the first one on are cut into buckets of a power of two, about two a
 * range.
 */
#include "traces/code/path_memory.h"

#include <stdlib.h>
#include <string.h>

#define FEWEST 64u /* buckets */

bool path_memory_make(path_memory *m, const gmtrace_known *known)
{
    *m = (path_memory){.known = known};
    if (!known)
        return true;
    const gmtrace_known_range *range = known->range;
    uint32_t count = known->range_count;
    while (count && range[count - 1u].base >= GMTRACE_BANK_ADDRESS(0u))
        count--;
    m->count = count;
    if (!count)
        return true;
    const uint64_t span = range[count - 1u].base - range[0].base;
    while (span >> m->shift >= 2u * (uint64_t)count + FEWEST)
        m->shift++;
    m->buckets = (uint32_t)(span >> m->shift) + 1u;
    m->before = malloc((m->buckets + (size_t)1) * sizeof *m->before);
    if (!m->before)
        return false;
    for (uint32_t b = 0, n = 0; b <= m->buckets; b++) {
        while (n < count && (range[n].base - range[0].base) >> m->shift < b)
            n++;
        m->before[b] = n;
    }
    return true;
}

void path_memory_free(path_memory *m)
{
    free(m->before);
}

const gmtrace_known_range *path_memory_at(const path_memory *m, uint64_t address)
{
    const gmtrace_known_range *range = m->before ? m->known->range : NULL;
    if (!range || address < range[0].base)
        return NULL;
    const uint64_t bucket = (address - range[0].base) >> m->shift;
    if (bucket >= m->buckets)
        return &range[m->count - 1u];
    uint32_t low = m->before[bucket], high = m->before[bucket + 1u];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2u;
        if (range[middle].base <= address)
            low = middle + 1u;
        else
            high = middle;
    }
    return &range[low - 1u]; /* one begins at the first bucket's beginning */
}

bool path_memory_constant(const gmtrace_known *known, uint64_t offset, uint32_t size,
                          uint64_t *value)
{
    *value = 0;
    for (uint32_t i = known ? known->range_count : 0; i > 0; i--) {
        const gmtrace_known_range *range = &known->range[i - 1u];
        if (range->base < GMTRACE_BANK_ADDRESS(3u))
            return false;
        const uint64_t first = range->base - GMTRACE_BANK_ADDRESS(3u);
        if (first > offset)
            continue;
        if (offset - first > range->size || range->size - (offset - first) < size)
            return false;
        memcpy(value, range->bytes + (offset - first), size);
        return true;
    }
    return false;
}
