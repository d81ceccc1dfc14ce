/* SPDX-License-Identifier: MIT
 *
 * path_memory.h - what a launch knows of memory, found by address. Private to path*.c.
 */
#ifndef GMTRACE_PATH_MEMORY_H
#define GMTRACE_PATH_MEMORY_H

#include "traces/gmtrace.h"

/* Ranges are many and small where a capture kept samples: each is looked for among those of its
 * bucket alone. */
typedef struct path_memory {
    const gmtrace_known *known;
    uint32_t *before; /* of each bucket: ranges that begin before it; NULL: there are none */
    uint32_t buckets, shift;
    uint32_t count; /* ranges of memory: those of constants come behind */
} path_memory;

/* `known` may be NULL. False without memory. */
bool path_memory_make(path_memory *memory, const gmtrace_known *known);
void path_memory_free(path_memory *memory);
/* Bytes of constant bank 3; false where not all are known. `known` may be NULL. */
bool path_memory_constant(const gmtrace_known *known, uint64_t offset, uint32_t size,
                          uint64_t *value);
/* The last range that begins at or before an address, NULL if none does. */
const gmtrace_known_range *path_memory_at(const path_memory *memory, uint64_t address);
/* The `size` bytes at an address, NULL where not all are known. `*last` is what the look-up before
 * found, at first NULL: nearly always it is the same. */
static inline const uint8_t *path_memory_get(const path_memory *memory, uint64_t address,
                                             uint32_t size, const gmtrace_known_range **last)
{
    const gmtrace_known_range *r = *last;
    if (!r || address < r->base ||
        (r + 1 < memory->known->range + memory->known->range_count && address >= r[1].base))
        r = *last = path_memory_at(memory, address);
    const uint64_t at = r ? address - r->base : 0;
    return r && at <= r->size && r->size - at >= size ? r->bytes + at : NULL;
}

#endif
