/* SPDX-License-Identifier: MIT
 *
 * decode.c - what the callbacks of the patching API say, in the trace's words. What they leave out
 * (is this atomic a reduction?) comes from the instruction table.
 */
#include "traces/capture/decode.h"

#include "traces/capture/tensor.h"

#include <string.h>

enum { FLAG_READ = 1, FLAG_WRITE = 2, FLAG_PREFETCH = 8 }; /* Sanitizer_DeviceMemoryFlags */

int gmc_payload_cells(const gmc_cell *header)
{
    unsigned lanes = (unsigned)__builtin_popcount(header->mask);
    if (GMC_MARK_EVENT(header->mark) == GMC_TENSOR)
        return (int)GMC_TENSOR_CELLS;
    switch (GMC_MARK_SHAPE(header->mark)) {
    case GMC_AFFINE:
        return 0;
    case GMC_NEAR:
        return (int)((lanes + 7) / 8);
    case GMC_FAR:
        return (int)((lanes + 3) / 4);
    default:
        return -1;
    }
}

static uint32_t find_instr(const gmc_code *code, uint32_t pc)
{
    if (pc == GMC_FAR_PC)
        return GMTRACE_NO_INSTR;
    int64_t distance = (int32_t)pc;
    for (uint32_t i = 0; i < code->range_count; i++) {
        const gmc_range *range = &code->range[i];
        if (distance >= range->first && distance - range->first < range->count)
            return range->index + (uint32_t)(distance - range->first);
    }
    return GMTRACE_NO_INSTR;
}

static gmtrace_op access_op(const gmc_code *code, uint32_t instr, uint32_t flags)
{
    if (flags & FLAG_PREFETCH)
        return GMTRACE_OP_PREFETCH;
    if ((flags & (FLAG_READ | FLAG_WRITE)) == (FLAG_READ | FLAG_WRITE)) {
        bool reduction =
            instr != GMTRACE_NO_INSTR && code->instr[instr].op_class == GMTRACE_CLASS_REDUCTION;
        return reduction ? GMTRACE_OP_REDUCTION : GMTRACE_OP_ATOMIC;
    }
    return flags & FLAG_WRITE ? GMTRACE_OP_STORE : GMTRACE_OP_LOAD;
}

/* In a kernel with clusters, shared addresses carry the CTA's rank in the cluster from bit 24 on.
 * Records of a CTA's own shared memory hold offsets in its window. */
static uint64_t own_window(const gmc_cell *header)
{
    switch (GMC_MARK_EVENT(header->mark)) {
    case GMC_SHARED:
    case GMC_COPY_WRITE:
    case GMC_MATRIX:
    case GMC_MBARRIER:
        break;
    default:
        return 0;
    }
    uint64_t address = header->address;
    if (GMC_MARK_SHAPE(header->mark) == GMC_AFFINE) /* then it is lane 0's, which may be inactive */
        address += (uint64_t)((int64_t)(int32_t)header->stride * __builtin_ctz(header->mask));
    return address & ~(uint64_t)0xffffff;
}

/* Some accesses are reported with a size that no instruction has (in llm.c's attention_backward, in
 * an n-body that reads one float4 of shared memory for all lanes). The opcode then says what they
 * are. What that does not say either is no record. */
static bool mend_size(const gmc_code *code, gmtrace_record *record)
{
    const bool sound = record->size <= 32 && (record->size & (record->size - 1)) == 0;
    if (record->kind != GMTRACE_ACCESS || sound)
        return true;
    if (record->instr == GMTRACE_NO_INSTR)
        return false;
    const gmtrace_instr *instr = &code->instr[record->instr];
    record->size = instr->width;
    if (instr->op_class == GMTRACE_CLASS_LOAD)
        record->op = GMTRACE_OP_LOAD;
    else if (instr->op_class == GMTRACE_CLASS_STORE)
        record->op = GMTRACE_OP_STORE;
    return record->size != 0;
}

static void set_access(gmtrace_record *record, gmtrace_op op, gmtrace_space space, uint32_t size)
{
    record->kind = GMTRACE_ACCESS;
    record->op = (uint8_t)op;
    record->space = (uint8_t)space;
    record->size = (uint8_t)size;
}

static void set_bulk(gmtrace_record *record, const gmc_cell *header, gmtrace_op op,
                     gmtrace_space space, bool from_operand)
{
    record->kind = GMTRACE_BULK;
    record->op = (uint8_t)op;
    record->space = (uint8_t)space;
    record->address = from_operand ? header->stride : header->address;
    record->aux64 = from_operand ? header->address : header->stride;
    record->aux = header->aux * 16u;
}

static gmtrace_mbarrier mbarrier_action(uint32_t kind)
{
    /* 2 to 5 are arrivals: with or without drop, with or without completion. */
    if (kind == 1)
        return GMTRACE_MBARRIER_INIT;
    if (kind == 6)
        return GMTRACE_MBARRIER_WAIT;
    return kind == 7 ? GMTRACE_MBARRIER_INVALIDATE : GMTRACE_MBARRIER_ARRIVE;
}

static void set_kind(gmtrace_record *record, gmtrace_kind kind, uint32_t aux)
{
    record->kind = (uint8_t)kind;
    record->aux = aux;
}

static bool set_event(const gmc_code *code, const gmc_cell *header, gmtrace_record *record)
{
    uint32_t size = header->aux & 0xffu, flags = header->aux >> 8;
    gmtrace_op op = access_op(code, record->instr, flags);
    switch (GMC_MARK_EVENT(header->mark)) {
    case GMC_GLOBAL:
        set_access(record, op, GMTRACE_SPACE_GLOBAL, size);
        break;
    case GMC_SHARED:
        set_access(record, op, GMTRACE_SPACE_SHARED, size);
        break;
    case GMC_LOCAL:
        set_access(record, op, GMTRACE_SPACE_LOCAL, size);
        break;
    case GMC_REMOTE_SHARED:
        set_access(record, op, GMTRACE_SPACE_REMOTE_SHARED, size);
        break;
    case GMC_COPY_READ:
        set_access(record, GMTRACE_OP_COPY_READ, GMTRACE_SPACE_GLOBAL, size);
        break;
    case GMC_COPY_WRITE:
        set_access(record, GMTRACE_OP_COPY_WRITE, GMTRACE_SPACE_SHARED, size);
        break;
    case GMC_MATRIX:
        set_access(record, op, GMTRACE_SPACE_SHARED, size);
        break;
    case GMC_PREFETCH:
        set_access(record, GMTRACE_OP_PREFETCH, GMTRACE_SPACE_GLOBAL, 0);
        break;
    case GMC_ASYNC_STORE:
        set_access(record, GMTRACE_OP_STORE, GMTRACE_SPACE_REMOTE_SHARED, size);
        break;
    case GMC_ASYNC_REDUCE:
        set_access(record, GMTRACE_OP_REDUCTION, GMTRACE_SPACE_REMOTE_SHARED, size);
        break;
    case GMC_MBARRIER:
        set_kind(record, GMTRACE_MBARRIER, mbarrier_action(header->aux));
        record->space = GMTRACE_SPACE_SHARED;
        break;
    case GMC_BARRIER:
        set_kind(record, GMTRACE_BARRIER, header->aux);
        record->address = header->address;
        break;
    case GMC_CLUSTER_ARRIVE:
        set_kind(record, GMTRACE_CLUSTER_ARRIVE, 0);
        break;
    case GMC_CLUSTER_WAIT:
        set_kind(record, GMTRACE_CLUSTER_WAIT, 0);
        break;
    case GMC_SYNCWARP:
        set_kind(record, GMTRACE_SYNCWARP, header->aux);
        break;
    case GMC_CALL:
        if (record->instr == GMTRACE_NO_INSTR)
            return false;
        set_kind(record, GMTRACE_EXEC, 0);
        break;
    case GMC_COPY_COMMIT:
        set_kind(record, GMTRACE_COPY_COMMIT, 0);
        break;
    case GMC_COPY_WAIT:
        set_kind(record, GMTRACE_COPY_WAIT, header->aux);
        break;
    case GMC_BULK_LOAD:
        set_bulk(record, header, GMTRACE_OP_BULK_LOAD, GMTRACE_SPACE_GLOBAL, false);
        record->aux = (header->aux & 0xffffu) * 16u;
        record->aux64 = GMTRACE_BULK_TO(GMC_TO_TARGET(header->stride),
                                        GMC_TO_BARRIER(header->stride), header->aux >> 16);
        break;
    case GMC_BULK_STORE:
        set_bulk(record, header, GMTRACE_OP_BULK_STORE, GMTRACE_SPACE_GLOBAL, true);
        break;
    case GMC_BULK_SHARED:
        set_bulk(record, header, GMTRACE_OP_BULK_COPY, GMTRACE_SPACE_REMOTE_SHARED, false);
        break;
    case GMC_BULK_REDUCE_GLOBAL:
        set_bulk(record, header, GMTRACE_OP_BULK_REDUCE, GMTRACE_SPACE_GLOBAL, true);
        break;
    case GMC_BULK_REDUCE_SHARED:
        set_bulk(record, header, GMTRACE_OP_BULK_REDUCE, GMTRACE_SPACE_REMOTE_SHARED, false);
        break;
    case GMC_WGMMA:
        set_kind(record, GMTRACE_WGMMA, (header->stride & 0xffffu) | header->aux << 16);
        record->address = header->address & 0xffffffffu;
        record->aux64 = header->address >> 32;
        record->space = GMTRACE_SPACE_SHARED;
        break;
    default:
        return false;
    }
    return true;
}

bool gmc_decode(const gmc_code *code, const gmc_cell *header, const gmc_cell *payload,
                gmtrace_record *record, uint64_t address[GMTRACE_WARP_LANES], bool *has_addresses)
{
    memset(record, 0, sizeof *record);
    record->mask = header->mask;
    record->instr = find_instr(code, header->pc);
    *has_addresses = false;
    if (GMC_MARK_EVENT(header->mark) == GMC_TENSOR)
        return gmc_tensor_decode(code, header, payload, record);
    if (!set_event(code, header, record) || !mend_size(code, record))
        return false;
    if (GMC_MARK_EVENT(header->mark) > GMC_LAST_ACCESS)
        return true;

    uint64_t window = own_window(header);
    uint32_t shape = GMC_MARK_SHAPE(header->mark);
    if (shape == GMC_AFFINE) {
        record->address = header->address - window;
        record->stride = (int32_t)header->stride;
        if (record->kind == GMTRACE_ACCESS || record->stride == 0)
            return true;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            address[i] = record->address + (uint64_t)((int64_t)record->stride * i);
        record->stride = 0;
        *has_addresses = true;
        return true;
    }
    memset(address, 0, GMTRACE_WARP_LANES * sizeof *address);
    uint32_t rest = header->mask, entry = 0;
    for (; rest; rest &= rest - 1, entry++) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        if (shape == GMC_NEAR) {
            int32_t distance;
            memcpy(&distance, (const char *)payload + 4 * entry, sizeof distance);
            address[lane] = header->address + (uint64_t)(int64_t)distance - window;
        } else {
            memcpy(&address[lane], (const char *)payload + 8 * entry, sizeof *address);
        }
    }
    *has_addresses = true;
    return true;
}

void gmc_next_barrier(gmtrace_record *record, const uint64_t address[GMTRACE_WARP_LANES],
                      uint32_t *left)
{
    record->address = address[__builtin_ctz(*left)];
    record->mask = 0;
    for (uint32_t rest = *left; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        record->mask |= (uint32_t)(address[lane] == record->address) << lane;
    }
    *left &= ~record->mask;
}
