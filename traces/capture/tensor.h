/* SPDX-License-Identifier: MIT
 *
 * tensor.h - a copy of a box of a tensor, from the ring's cells to the trace's record.
 */
#ifndef GMCAPTURE_TENSOR_H
#define GMCAPTURE_TENSOR_H

#include "traces/capture/decode.h"

/* Of a GMC_TENSOR event: fills what the header gives (kind, op, ...) and the copy, but for the
 * number of its map. False where the instruction is none that copies boxes. */
bool gmc_tensor_decode(const gmc_code *code, const gmc_cell *header, const gmc_cell *payload,
                       gmtrace_record *record);
void gmc_tensor_map(const gmc_cell *payload, uint64_t map[GMTRACE_TENSOR_WORDS]);

#endif
