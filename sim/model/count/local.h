/* SPDX-License-Identifier: MIT
 *
 * local.h - lines and sectors of an access to local memory.
 */
#ifndef GMSIM_LOCAL_H
#define GMSIM_LOCAL_H

#include "sim/model/count/coalesce.h"

#pragma GCC visibility push(hidden)

/* An access of more than 4 bytes a lane passes word by word. */
static inline uint32_t gmsim_local_passes(const gmtrace_record *record)
{
    return record->size > 4u ? ((uint32_t)record->size + 3u) / 4u : 1u;
}

/* What pass 0, 1, ... touches. window is the address of the warp's local memory, a multiple of
 * 128. */
void gmsim_coalesce_local(gmsim_footprint *footprint, const gmtrace_chunk *chunk,
                          const gmtrace_record *record, uint64_t window, uint32_t pass);

/* The bytes of each of the footprint's lines that the pass touches, as gmsim_line_bytes. */
void gmsim_local_bytes(uint64_t (*bytes)[2], const gmsim_footprint *footprint,
                       const gmtrace_chunk *chunk, const gmtrace_record *record, uint64_t window,
                       uint32_t pass);

#pragma GCC visibility pop

#endif
