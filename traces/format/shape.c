/* SPDX-License-Identifier: MIT
 *
 * shape.c - from 32 lane addresses to the shortest shape that gives them back, and the reverse.
 */
#include "traces/format/internal.h"

void gmtrace_expand(const gmtrace_chunk *chunk, const gmtrace_record *record,
                    uint64_t address[GMTRACE_WARP_LANES])
{
    const uint64_t base = record->address;
    const uint64_t stride = (uint64_t)(int64_t)record->stride;
    switch ((gmtrace_shape)record->shape) {
    case GMTRACE_AFFINE:
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            address[i] = base + i * stride;
        return;
    case GMTRACE_GRID: {
        const uint64_t stride2 = (uint64_t)(int64_t)record->stride2;
        const unsigned log2 = record->log2_columns, column = (1u << log2) - 1;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            address[i] = base + (i & column) * stride + (i >> log2) * stride2;
        return;
    }
    case GMTRACE_OFFSETS: {
        const uint32_t *offset = chunk->offset32 + (size_t)record->lanes * GMTRACE_WARP_LANES;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            address[i] = base + offset[i];
        return;
    }
    case GMTRACE_FULL:
        memcpy(address, chunk->address64 + (size_t)record->lanes * GMTRACE_WARP_LANES,
               GMTRACE_WARP_LANES * sizeof *address);
        return;
    }
}

static bool fits32(uint64_t stride)
{
    return (uint64_t)(int64_t)(int32_t)stride == stride;
}

#define GROUP                                                                                      \
    8u /* lanes compared at once: wrong shapes are given up early, right ones cost little */

static unsigned last_of(uint32_t mask)
{
    return 31u - (unsigned)__builtin_clz(mask);
}

/* Does address[i] = base + i * stride hold for all active lanes? The last one tells of most that it
 * does not. */
static bool holds_affine(const uint64_t *address, uint32_t mask, uint64_t base, uint64_t stride)
{
    if (address[last_of(mask)] != base + last_of(mask) * stride)
        return false;
    if (mask == UINT32_MAX) {
        uint64_t wrong = 0;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES - 1; i++)
            wrong |= (address[i + 1] - address[i]) ^ stride;
        return !wrong;
    }
    for (unsigned first = 0; first < GMTRACE_WARP_LANES; first += GROUP) {
        uint64_t wrong = 0;
        for (unsigned i = first; i < first + GROUP; i++)
            wrong |= (address[i] - (base + i * stride)) & (0 - (uint64_t)(mask >> i & 1));
        if (wrong)
            return false;
    }
    return true;
}

static bool pick_affine(gmtrace_record *record, const uint64_t *address)
{
    const uint32_t mask = record->mask;
    const unsigned a = (unsigned)__builtin_ctz(mask);
    const uint32_t rest = mask & (mask - 1);
    uint64_t stride = 0;
    if (rest) {
        const unsigned b = (unsigned)__builtin_ctz(rest);
        const int64_t rise = (int64_t)(address[b] - address[a]), run = (int64_t)(b - a);
        if (run == 1)
            stride = (uint64_t)rise;
        else if (rise % run == 0)
            stride = (uint64_t)(rise / run);
        else
            return false;
    }
    const uint64_t base = address[a] - a * stride;
    if (!fits32(stride) || !holds_affine(address, mask, base, stride))
        return false;
    record->shape = GMTRACE_AFFINE;
    record->address = base;
    record->stride = (int32_t)stride;
    record->stride2 = 0;
    record->log2_columns = 0;
    return true;
}

static bool holds_grid(const uint64_t *address, uint32_t mask, uint64_t base, uint64_t stride,
                       uint64_t stride2, unsigned log2)
{
    const unsigned columns = 1u << log2, last = last_of(mask);
    if (address[last] != base + (last & (columns - 1)) * stride + (last >> log2) * stride2)
        return false;
    for (unsigned first = 0; first < GMTRACE_WARP_LANES; first += columns, base += stride2) {
        uint64_t wrong = 0, expected = base;
        for (unsigned i = first; i < first + columns; i++, expected += stride)
            wrong |= (address[i] ^ expected) & (0 - (uint64_t)(mask >> i & 1));
        if (wrong)
            return false;
    }
    return true;
}

/* Rows of 2, 4, 8 or 16 lanes. Only masks with two neighbours in a row and two rows with the same
 * column are tried; others gain little from this shape. */
static bool pick_grid(gmtrace_record *record, const uint64_t *address)
{
    const uint32_t mask = record->mask;
    for (unsigned log2 = 1; log2 <= 4; log2++) {
        const unsigned columns = 1u << log2;
        /* lanes whose right neighbour is active and in the same row */
        static const uint32_t row_end[5] = {0, 0xaaaaaaaa, 0x88888888, 0x80808080, 0x80008000};
        const uint32_t pairs = mask & (mask >> 1) & ~row_end[log2];
        const uint32_t rows = mask & (mask >> columns);
        if (!pairs || !rows)
            continue;
        const unsigned p = (unsigned)__builtin_ctz(pairs), r = (unsigned)__builtin_ctz(rows);
        const uint64_t stride = address[p + 1] - address[p];
        const uint64_t stride2 = address[r + columns] - address[r];
        if (!fits32(stride) || !fits32(stride2))
            continue;
        const uint64_t base = address[p] - (p & (columns - 1)) * stride - (p >> log2) * stride2;
        if (!holds_grid(address, mask, base, stride, stride2, log2))
            continue;
        record->shape = GMTRACE_GRID;
        record->address = base;
        record->stride = (int32_t)stride;
        record->stride2 = (int32_t)stride2;
        record->log2_columns = (uint8_t)log2;
        return true;
    }
    return false;
}

static void find_range(const uint64_t *address, uint32_t mask, uint64_t *lowest, uint64_t *highest)
{
    const uint64_t any = address[__builtin_ctz(mask)];
    uint64_t low = any, high = any;
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        const uint64_t a = mask >> i & 1 ? address[i] : any;
        low = a < low ? a : low;
        high = a > high ? a : high;
    }
    *lowest = low;
    *highest = high;
}

bool gmtrace_pick_shape(gmtrace_record *record, const uint64_t address[GMTRACE_WARP_LANES])
{
    return pick_affine(record, address) || pick_grid(record, address);
}

size_t gmt_pick_shape(gmtrace_record *record, const uint64_t address[GMTRACE_WARP_LANES],
                      void *lanes)
{
    if (gmtrace_pick_shape(record, address))
        return 0;
    const uint32_t mask = record->mask;
    uint64_t low, high;
    find_range(address, mask, &low, &high);
    record->address = low;
    record->stride = record->stride2 = 0;
    record->log2_columns = 0;
    if (high - low <= UINT32_MAX) {
        record->shape = GMTRACE_OFFSETS;
        uint32_t *offset = lanes;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            offset[i] = (uint32_t)(address[i] - low) & (0 - (mask >> i & 1));
        return GMTRACE_WARP_LANES * sizeof *offset;
    }
    record->shape = GMTRACE_FULL;
    uint64_t *full = lanes;
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
        full[i] = mask >> i & 1 ? address[i] : 0;
    return GMTRACE_WARP_LANES * sizeof *full;
}
