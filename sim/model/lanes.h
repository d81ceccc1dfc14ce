/* SPDX-License-Identifier: MIT
 *
 * lanes.h - addresses of a record's lanes, and the mask arithmetic that goes with them. The same
 * addresses as gmtrace_expand(), inlined for the replay's hot path.
 */
#ifndef GMSIM_LANES_H
#define GMSIM_LANES_H

#include "traces/gmtrace.h"

#define GMSIM_ALL_LANES 0xffffffffu

static inline unsigned gmsim_lowest(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

static inline unsigned gmsim_highest(uint32_t mask)
{
    return 31u - (unsigned)__builtin_clz(mask);
}

/* True when the set bits of a non-zero mask stand side by side. */
static inline bool gmsim_is_run(uint32_t mask)
{
    uint32_t low = mask >> gmsim_lowest(mask);
    return (low & (low + 1u)) == 0;
}

static inline unsigned gmsim_lane_count(uint32_t mask)
{
    mask -= (mask >> 1) & 0x55555555u;
    mask = (mask & 0x33333333u) + ((mask >> 2) & 0x33333333u);
    mask = (mask + (mask >> 4)) & 0x0f0f0f0fu;
    return (mask * 0x01010101u) >> 24;
}

static inline uint64_t gmsim_affine_address(const gmtrace_record *record, unsigned lane)
{
    return record->address + (uint64_t)((int64_t)lane * record->stride);
}

/* Fills address[0..31]; entries of inactive lanes are unspecified. */
static inline void gmsim_lane_addresses(const gmtrace_chunk *chunk, const gmtrace_record *record,
                                        uint64_t address[GMTRACE_WARP_LANES])
{
    switch ((gmtrace_shape)record->shape) {
    case GMTRACE_AFFINE:
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            address[i] = gmsim_affine_address(record, i);
        break;
    case GMTRACE_GRID: {
        uint32_t columns = 1u << record->log2_columns;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            address[i] = record->address +
                         (uint64_t)((int64_t)(i & (columns - 1u)) * record->stride) +
                         (uint64_t)((int64_t)(i >> record->log2_columns) * record->stride2);
        break;
    }
    case GMTRACE_OFFSETS: {
        const uint32_t *offset = chunk->offset32 + (size_t)record->lanes * GMTRACE_WARP_LANES;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            address[i] = record->address + offset[i];
        break;
    }
    case GMTRACE_FULL: {
        const uint64_t *full = chunk->address64 + (size_t)record->lanes * GMTRACE_WARP_LANES;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            address[i] = full[i];
        break;
    }
    }
}

#endif
