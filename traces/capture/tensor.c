/* SPDX-License-Identifier: MIT
 *
 * tensor.c - the callback tells operands as those of a load: shared side, mbarrier, coordinates,
 * one uniform register after another. A store or a reduction has no mbarrier, a prefetch no shared
 * side either, so that their coordinates begin earlier (seen on an H200).
 */
#include "traces/capture/tensor.h"

#include <string.h>

#include "traces/capture/tensor_code.h"

/* A CTA's own shared memory is given with its rank in the cluster from bit 24 on. */
static uint32_t own(uint32_t address, uint32_t rank)
{
    return address >> 24 == rank ? address & 0xffffff : address;
}

/* By the program's own code, whatever stood in its place while it was patched. */
static gmtrace_op op_of(const gmtrace_instr *instr)
{
    switch (instr->encoding[0] & GMC_OPCODE_MASK) {
    case GMC_UTMALDG:
    case GMC_UTMALDG_MULTICAST:
        return GMTRACE_OP_BULK_LOAD;
    case GMC_UTMASTG:
        return GMTRACE_OP_BULK_STORE;
    case GMC_UTMAREDG:
        return GMTRACE_OP_BULK_REDUCE;
    case GMC_UTMAPF:
        return GMTRACE_OP_PREFETCH;
    default:
        return GMTRACE_OP_NONE;
    }
}

bool gmc_tensor_decode(const gmc_code *code, const gmc_cell *header, const gmc_cell *payload,
                       gmtrace_record *record)
{
    gmc_tensor told;
    memcpy(&told, payload, sizeof told);
    const gmtrace_op op =
        record->instr == GMTRACE_NO_INSTR ? GMTRACE_OP_NONE : op_of(&code->instr[record->instr]);
    const uint32_t word[] = {(uint32_t)header->address,    (uint32_t)(header->address >> 32),
                             (uint32_t)told.coordinate[0], (uint32_t)told.coordinate[1],
                             (uint32_t)told.coordinate[2], (uint32_t)told.coordinate[3],
                             (uint32_t)told.coordinate[4]};
    const unsigned before = op == GMTRACE_OP_BULK_LOAD ? 2 : op == GMTRACE_OP_PREFETCH ? 0 : 1;
    const unsigned rank = ((uint32_t)(told.map[1] >> 4) & 7) + 1;
    gmtrace_tensor_copy copy = {0};
    if (op == GMTRACE_OP_NONE || rank > GMTRACE_TENSOR_DIMS)
        return false;
    for (unsigned i = 0; i < rank; i++)
        copy.coordinate[i] = (int32_t)word[before + i];
    if (before > 0)
        copy.shared = own(word[0], told.rank);
    if (op == GMTRACE_OP_BULK_LOAD) {
        copy.barrier = own(word[1], told.rank);
        copy.multicast = (uint16_t)(told.args >> 16);
        copy.im2col = (uint16_t)told.args;
    }
    record->kind = GMTRACE_TENSOR;
    record->op = (uint8_t)op;
    record->space = GMTRACE_SPACE_GLOBAL;
    gmtrace_put_tensor_copy(record, &copy);
    return true;
}

void gmc_tensor_map(const gmc_cell *payload, uint64_t map[GMTRACE_TENSOR_WORDS])
{
    gmc_tensor told;
    memcpy(&told, payload, sizeof told);
    memcpy(map, told.map, sizeof told.map);
}
