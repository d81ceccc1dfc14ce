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

void gmsim_coalesce_local(gmsim_footprint *footprint, const gmtrace_chunk *chunk,
                          const gmtrace_record *record, uint64_t window, uint32_t pass)
{
    uint32_t left = record->size - 4u * pass, size = left < 4u ? left : 4u;
    uint64_t within = size == 1u ? 3u : size == 2u ? 2u : 0; /* offset bits that stay in the word */
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
