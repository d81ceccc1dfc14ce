/* SPDX-License-Identifier: MIT
 *
 * tensor.h - the tensor maps of the launch that is being written, each once (FORMAT.md,
 * "LAUNCH_END").
 */
#ifndef GMTRACE_PRIVATE_TENSOR_H
#define GMTRACE_PRIVATE_TENSOR_H

#include "traces/format/internal.h"

#define GMT_MAP_BYTES (GMTRACE_TENSOR_WORDS * sizeof(uint64_t))

typedef struct gmt_tensor_maps {
    gmt_buffer words; /* of the maps, one after another, as they are stored */
    uint32_t count;
    uint32_t *table; /* by hash: 1 + number, 0 where free */
    uint32_t places; /* a power of two, or 0 */
    uint32_t last;   /* the number given last */
} gmt_tensor_maps;

/* The next launch has none yet. */
void gmt_tensor_maps_clear(gmt_tensor_maps *maps);
void gmt_tensor_maps_free(gmt_tensor_maps *maps);
/* The number of a map, which is added where it is new; GMT_MAX_MAPS where there are that many, and
 * UINT32_MAX without memory. */
uint32_t gmt_tensor_maps_number(gmt_tensor_maps *maps, const uint64_t map[GMTRACE_TENSOR_WORDS]);

#endif
