/* SPDX-License-Identifier: MIT
 *
 * local.c - local memory. Each thread sees a private window from offset 0; in memory the windows of
 * a warp's 32 lanes are interleaved by 4-byte word, word w of lane l at (w * 32 + l) * 4, so that a
 * warp whose lanes use the same offset touches one 128-byte line for each word (Nsight Compute
 * profiling guide, "Local Memory"). A 16-byte access is four such words.
 *
 * Left out: addresses that are not multiples of the access's size. They fault on hardware; here
 * they are rounded down.
 */
#include "sim/model/count/local.h"

#include "sim/model/count/lanes.h"

#include <string.h>

/* Address bits that stay in the word. */
static uint64_t offset_in_word(uint32_t size)
{
    return size == 1u ? 3u : size == 2u ? 2u : 0;
}

void gmsim_coalesce_local(gmsim_footprint *footprint, const gmtrace_chunk *chunk,
                          const gmtrace_record *record, uint64_t window, uint32_t pass)
{
    uint32_t left = record->size - 4u * pass, size = left < 4u ? left : 4u;
    uint64_t within = offset_in_word(size);
    if (record->shape == GMTRACE_AFFINE && record->stride == 0) {
        uint32_t mask = record->mask, touched = 0, full = 0, sectors = 0;
        for (uint32_t s = 0; s < GMSIM_LINE_SECTORS; s++) {
            uint32_t lanes = mask >> (8u * s) & 0xffu;
            touched |= (uint32_t)(lanes != 0) << s;
            full |= (uint32_t)(lanes == 0xffu && size == 4u) << s;
            sectors += lanes != 0;
        }
        footprint->lines = 1;
        footprint->sectors = sectors;
        footprint->bytes = gmsim_lane_count(mask) * size;
        footprint->line[0] = window / GMSIM_LINE_BYTES + record->address / 4u + pass;
        footprint->touched[0] = (uint8_t)touched;
        footprint->full[0] = (uint8_t)full;
        return;
    }
    uint64_t address[GMTRACE_WARP_LANES];
    gmsim_lane_addresses(chunk, record, address);
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++) {
        uint64_t word = address[lane] / 4u + pass;
        address[lane] = window + (word * 32u + lane) * 4u + (address[lane] & within);
    }
    gmsim_coalesce_lanes(footprint, address, 0, record->mask, size);
}

/* Each bit of 16 becomes the lowest of four. */
static uint64_t spread(uint64_t bits)
{
    bits = (bits | bits << 24) & UINT64_C(0x000000ff000000ff);
    bits = (bits | bits << 12) & UINT64_C(0x000f000f000f000f);
    bits = (bits | bits << 6) & UINT64_C(0x0303030303030303);
    return (bits | bits << 3) & UINT64_C(0x1111111111111111);
}

void gmsim_local_bytes(uint64_t (*bytes)[2], const gmsim_footprint *footprint,
                       const gmtrace_chunk *chunk, const gmtrace_record *record, uint64_t window,
                       uint32_t pass)
{
    uint32_t rest = record->size - 4u * pass, size = rest < 4u ? rest : 4u, at = 0;
    uint64_t address[GMTRACE_WARP_LANES], some = (1u << size) - 1u,
                                          first = window / GMSIM_LINE_BYTES;
    if (record->shape == GMTRACE_AFFINE && record->stride == 0) { /* one line */
        const uint64_t within = record->address & offset_in_word(size);
        bytes[0][0] = spread(record->mask & 0xffffu) * some << within;
        bytes[0][1] = spread(record->mask >> 16) * some << within;
        return;
    }
    memset(bytes, 0, footprint->lines * sizeof *bytes);
    gmsim_lane_addresses(chunk, record, address);
    for (uint32_t left = record->mask; left; left &= left - 1u) {
        uint32_t lane = gmsim_lowest(left);
        uint64_t within = address[lane] & offset_in_word(size);
        uint64_t line = (first + address[lane] / 4u + pass) & (UINT64_MAX / GMSIM_LINE_BYTES);
        for (uint32_t n = 0; footprint->line[at] != line && n < footprint->lines; n++)
            at = at + 1u < footprint->lines ? at + 1u : 0;
        if (footprint->line[at] == line)
            bytes[at][lane / 16u] |= some << (4u * (lane % 16u) + within);
    }
}
