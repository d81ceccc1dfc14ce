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

/* Set bits of a 4-bit sector mask. */
static inline uint32_t gmsim_sector_count(uint32_t mask)
{
    static const uint8_t set[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return set[mask & 0xfu];
}

static inline uint64_t gmsim_affine_address(const gmtrace_record *record, unsigned lane)
{
    return record->address + (uint64_t)((int64_t)lane * record->stride);
}

/* Fills address[0..31]; entries of inactive lanes are unspecified. Returns the OR of all entries,
 * which tells how they are aligned at least. */
static inline uint64_t gmsim_lane_addresses(const gmtrace_chunk *chunk,
                                            const gmtrace_record *record,
                                            uint64_t address[GMTRACE_WARP_LANES])
{
    uint64_t bits = 0;
    switch ((gmtrace_shape)record->shape) {
    case GMTRACE_AFFINE:
    case GMTRACE_GRID: {
        unsigned columns = record->shape == GMTRACE_GRID ? 1u << record->log2_columns : 32u;
        uint64_t row = record->address, stride = (uint64_t)(int64_t)record->stride;
        for (unsigned first = 0; first < GMTRACE_WARP_LANES; first += columns) {
            uint64_t next = row;
            for (unsigned i = first; i < first + columns; i++) {
                address[i] = next;
                bits |= next;
                next += stride;
            }
            row += (uint64_t)(int64_t)record->stride2;
        }
        break;
    }
    case GMTRACE_OFFSETS: {
        const uint32_t *offset = chunk->offset32 + (size_t)record->lanes * GMTRACE_WARP_LANES;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
            address[i] = record->address + offset[i];
            bits |= address[i];
        }
        break;
    }
    case GMTRACE_FULL: {
        const uint64_t *full = chunk->address64 + (size_t)record->lanes * GMTRACE_WARP_LANES;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
            address[i] = full[i];
            bits |= address[i];
        }
        break;
    }
    }
    return bits;
}

#endif
