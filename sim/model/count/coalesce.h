/* SPDX-License-Identifier: MIT
 *
 * coalesce.h - which 128-byte lines and 32-byte sectors one warp access touches.
 */
#ifndef GMSIM_COALESCE_H
#define GMSIM_COALESCE_H

#include "sim/device/gpu.h"
#include "traces/gmtrace.h"

#pragma GCC visibility push(hidden)

/* 32 lanes of up to 32 bytes, each of which may straddle two lines. */
#define GMSIM_MAX_LINES    64u
#define GMSIM_MAX_WIDTH    32u
#define GMSIM_LINE_SECTORS 4u

/* Line numbers are address / 128. They stand in the order in which lanes, from the lowest, first
 * touch them; of a lane that straddles two lines the lower comes first. */
typedef struct gmsim_footprint {
    uint32_t lines;   /* distinct lines: tags */
    uint32_t sectors; /* distinct sectors */
    uint32_t bytes;   /* distinct bytes */
    uint64_t line[GMSIM_MAX_LINES];
    uint8_t touched[GMSIM_MAX_LINES]; /* 4-bit sector masks: at least one byte asked for ... */
    uint8_t full[GMSIM_MAX_LINES];    /* ... and all 32 bytes */
} gmsim_footprint;

/* Any shape, mask and size of 1 to 32 bytes; unaligned addresses and addresses that wrap around
 * 2^64 are well defined. */
void gmsim_coalesce(gmsim_footprint *footprint, const gmtrace_chunk *chunk,
                    const gmtrace_record *record);

/* By far the most common access: each lane has a word of one line, in order. */
static inline bool gmsim_is_line(const gmtrace_record *record)
{
    return record->mask == UINT32_MAX && record->shape == GMTRACE_AFFINE && record->stride == 4 &&
           record->size == 4u && (record->address & (GMSIM_LINE_BYTES - 1u)) == 0;
}

/* The footprint of such an access. */
static inline void gmsim_coalesce_line(gmsim_footprint *footprint, const gmtrace_record *record)
{
    footprint->lines = 1u;
    footprint->sectors = GMSIM_LINE_SECTORS;
    footprint->bytes = GMSIM_LINE_BYTES;
    footprint->line[0] = record->address / GMSIM_LINE_BYTES;
    footprint->touched[0] = footprint->full[0] = 0xf;
}

/* The same from addresses already expanded; bits is the OR of them, or more. */
void gmsim_coalesce_lanes(gmsim_footprint *footprint, const uint64_t address[GMTRACE_WARP_LANES],
                          uint64_t bits, uint32_t mask, uint32_t size);

/* Every byte of [first, first + bytes), as one access; bytes <= GMSIM_MAX_LINES * 128 - 127. */
void gmsim_coalesce_range(gmsim_footprint *footprint, uint64_t first, uint64_t bytes);

/* The bytes of each of the footprint's lines that the access asks for: a bit each, 64 of a line a
 * word. Returns the OR of all lanes' addresses as far as words of four bytes are concerned: the
 * last two bits are right. */
uint64_t gmsim_line_bytes(uint64_t (*bytes)[2], const gmsim_footprint *footprint,
                          const gmtrace_chunk *chunk, const gmtrace_record *record);

/* Whether there is a sector of which it does not ask for all. */
static inline bool gmsim_has_part(const gmsim_footprint *footprint)
{
    return footprint->bytes != footprint->sectors * GMSIM_SECTOR_BYTES;
}

/* Sectors that the footprint's distinct bytes would fill if they lay packed. */
static inline uint32_t gmsim_sectors_ideal(const gmsim_footprint *footprint)
{
    return (footprint->bytes + GMSIM_SECTOR_BYTES - 1u) / GMSIM_SECTOR_BYTES;
}

#pragma GCC visibility pop

#endif
