/* SPDX-License-Identifier: MIT
 *
 * decode.h - one ring record into one trace record. Pure: no ring, no thread, no CUDA, so that it
 * can be tested without a GPU.
 */
#ifndef GMCAPTURE_DECODE_H
#define GMCAPTURE_DECODE_H

#include <stdbool.h>

#include "traces/capture/ring.h"
#include "traces/gmtrace.h"

/* Where a kernel's code, or a function it calls, lies: distances from the kernel's entry in
 * instructions, and its part of the instruction table. */
typedef struct gmc_range {
    int64_t first; /* distance of its first instruction */
    uint32_t count;
    uint32_t index; /* of its first instruction in the table */
} gmc_range;

typedef struct gmc_code {
    const gmtrace_instr *instr;
    uint32_t instr_count;
    const gmc_range *range; /* the kernel's own first */
    uint32_t range_count;
} gmc_code;

/* Payload cells of a record, 0 for an affine one; -1 where the header makes no sense. */
int gmc_payload_cells(const gmc_cell *header);

/* Fills record and, where the lanes' addresses are not affine, address[32] and *has_addresses.
 * `payload` points to the record's payload, contiguous. Lanes that go to several mbarriers have
 * addresses, too, though such a record holds one: gmc_next_barrier() takes it apart. False for an
 * event that is not a record of the trace (enter, exit), is not known or has no sound size. */
bool gmc_decode(const gmc_code *code, const gmc_cell *header, const gmc_cell *payload,
                gmtrace_record *record, uint64_t address[GMTRACE_WARP_LANES], bool *has_addresses);

/* Of the lanes in *left, those that go to the same mbarrier as the lowest: sets the record's mask
 * and address and takes them out of *left. */
void gmc_next_barrier(gmtrace_record *record, const uint64_t address[GMTRACE_WARP_LANES],
                      uint32_t *left);

#endif
