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
} path_memory;

/* `known` may be NULL. False without memory. */
bool path_memory_make(path_memory *memory, const gmtrace_known *known);
void path_memory_free(path_memory *memory);
/* The last range that begins at or before an address, NULL if none does. */
const gmtrace_known_range *path_memory_at(const path_memory *memory, uint64_t address);

#endif
