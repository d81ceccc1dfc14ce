/* SPDX-License-Identifier: MIT
 *
 * records.c - an instruction line becomes one record: the access it made, the barrier it reached,
 * or that it was executed. Three become more: a generic access whose lanes lie in several spaces
 * one for each space, a bulk copy one for each run of adjacent elements.
 *
 * Not in the lines, so not in the records: which barrier (all become barrier 0, for all threads),
 * the mask of WARPSYNC, the shared side of asynchronous copies, operands of warpgroup MMA.
 */
#include "traces/import/records.h"

#define WINDOW   ((uint64_t)16 << 20) /* of shared and of local memory in generic addresses */
#define MAX_BULK ((uint64_t)1 << 20)  /* bytes a record; no copy is larger */
#define SECTOR   32u

static uint32_t threads_of(const accel_header *header)
{
    return header->block[0] * header->block[1] * header->block[2];
}

static void expand(const accel_inst *inst, uint64_t address[GMTRACE_WARP_LANES])
{
    uint64_t at = inst->base;
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        address[lane] = inst->shape == ACCEL_LANES ? inst->address[lane] : at;
        at += (uint64_t)inst->stride;
    }
}

/* ----------------------------------------------------------------------------- generic accesses */

static bool lies_in(uint64_t address, uint64_t base, uint64_t other)
{
    const uint64_t size = other > base && other - base < WINDOW ? other - base : WINDOW;
    return address >= base && address - base < size;
}

/* Where a generic address points; *offset is then the place in that space. Without both windows in
 * the header a small number can only be an offset in shared memory. */
static gmtrace_space resolve(const accel_header *h, uint64_t address, uint64_t *offset)
{
    *offset = address;
    if (!h->shared_base || !h->local_base)
        return address < WINDOW ? GMTRACE_SPACE_SHARED : GMTRACE_SPACE_GLOBAL;
    if (lies_in(address, h->shared_base, h->local_base)) {
        *offset = address - h->shared_base;
        return GMTRACE_SPACE_SHARED;
    }
    if (lies_in(address, h->local_base, h->shared_base)) {
        *offset = address - h->local_base;
        return GMTRACE_SPACE_LOCAL;
    }
    return GMTRACE_SPACE_GLOBAL;
}

void accel_note_local(accel_local *local, const accel_header *header, const accel_inst *inst)
{
    const accel_site *site = inst->site;
    uint64_t address[GMTRACE_WARP_LANES], offset;
    if (inst->shape == ACCEL_NO_ADDRESS)
        return;
    expand(inst, address);
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1) {
        offset = address[__builtin_ctz(rest)];
        if (site->action == ACCEL_GENERIC &&
            resolve(header, offset, &offset) != GMTRACE_SPACE_LOCAL)
            continue;
        const uint64_t end = offset + site->size;
        local->low = offset < local->low ? offset : local->low;
        local->high = end > local->high ? end : local->high;
    }
}

/* -------------------------------------------------------------------------------------- records */

static bool append(accel_output *out, const gmtrace_record *record, const uint64_t *address,
                   gmtrace_error *error)
{
    return gmtrace_writer_append(out->writer, out->cta, out->warp, record, address, error);
}

static gmtrace_record plain(const accel_inst *inst, gmtrace_kind kind)
{
    return (gmtrace_record){.instr = inst->site->index, .mask = inst->mask, .kind = (uint8_t)kind};
}

static bool put_access(accel_output *out, const accel_inst *inst, gmtrace_space space,
                       gmtrace_error *error)
{
    const accel_site *site = inst->site;
    gmtrace_record r = plain(inst, GMTRACE_ACCESS);
    r.op = site->op;
    r.space = (uint8_t)space;
    r.size = site->size;
    out->copies += site->op == GMTRACE_OP_COPY_READ;
    const uint64_t low = space == GMTRACE_SPACE_LOCAL ? out->local_low : 0;
    const unsigned first = (unsigned)__builtin_ctz(inst->mask);
    if (inst->shape == ACCEL_AFFINE && inst->stride >= INT32_MIN && inst->stride <= INT32_MAX) {
        r.stride = (int32_t)inst->stride;
        r.address = inst->base - low - first * (uint64_t)inst->stride;
        return append(out, &r, NULL, error);
    }
    uint64_t address[GMTRACE_WARP_LANES];
    expand(inst, address);
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1)
        address[__builtin_ctz(rest)] -= low;
    return append(out, &r, address, error);
}

static bool put_generic(accel_output *out, const accel_inst *inst, gmtrace_error *error)
{
    static const gmtrace_space space[] = {GMTRACE_SPACE_GLOBAL, GMTRACE_SPACE_SHARED,
                                          GMTRACE_SPACE_LOCAL};
    accel_inst part = *inst;
    uint64_t address[GMTRACE_WARP_LANES];
    uint32_t lanes[GMTRACE_SPACE_COUNT] = {0};
    expand(inst, address);
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        lanes[resolve(out->header, address[lane], &part.address[lane])] |= 1u << lane;
    }
    part.shape = ACCEL_LANES;
    for (unsigned i = 0; i < sizeof space / sizeof *space; i++) {
        part.mask = lanes[space[i]];
        if (part.mask && !put_access(out, &part, space[i], error))
            return false;
    }
    return true;
}

/* A prefetch to L2: a lane touches a sector. */
static bool put_prefetch(accel_output *out, const accel_inst *inst, uint64_t start, uint64_t bytes,
                         gmtrace_error *error)
{
    const uint64_t end = start + bytes;
    gmtrace_record r = plain(inst, GMTRACE_ACCESS);
    r.op = GMTRACE_OP_PREFETCH;
    r.space = GMTRACE_SPACE_GLOBAL;
    r.stride = SECTOR;
    for (uint64_t at = start - start % SECTOR; at < end; at += SECTOR * GMTRACE_WARP_LANES) {
        const uint64_t sectors = (end - at + SECTOR - 1) / SECTOR;
        r.mask = sectors >= GMTRACE_WARP_LANES ? UINT32_MAX : (1u << sectors) - 1;
        r.address = at;
        if (!append(out, &r, NULL, error))
            return false;
    }
    return true;
}

/* Adjacent elements are one copy. Its address in shared memory is not told. */
static bool put_bulk(accel_output *out, const accel_inst *inst, gmtrace_error *error)
{
    const uint64_t width = inst->width, *list = inst->list;
    gmtrace_record r = plain(inst, GMTRACE_BULK);
    r.op = inst->site->op;
    r.space = GMTRACE_SPACE_GLOBAL;
    for (size_t i = 0, next; i < inst->list_count; i = next) {
        uint64_t bytes = width;
        for (next = i + 1;
             next < inst->list_count && list[next] == list[i] + bytes && bytes + width <= MAX_BULK;
             next++)
            bytes += width;
        if (bytes > MAX_BULK)
            bytes = MAX_BULK;
        if (inst->site->action == ACCEL_BULK_PREFETCH) {
            if (!put_prefetch(out, inst, list[i], bytes, error))
                return false;
            continue;
        }
        r.aux = (uint32_t)bytes;
        r.address = r.aux64 = 0;
        *(r.op == GMTRACE_OP_BULK_LOAD || r.op == GMTRACE_OP_BULK_COPY ? &r.address : &r.aux64) =
            list[i];
        if (!append(out, &r, NULL, error))
            return false;
    }
    return true;
}

static bool put_other(accel_output *out, const accel_inst *inst, gmtrace_error *error)
{
    const accel_site *site = inst->site;
    gmtrace_record r = plain(inst, GMTRACE_EXEC);
    if (site->action == ACCEL_PLAIN) {
        r.kind = site->kind;
        if (r.kind == GMTRACE_BARRIER)
            r.aux = threads_of(out->header);
        if (r.kind == GMTRACE_COPY_WAIT && inst->immediate > 0 && inst->immediate < UINT32_MAX)
            r.aux = (uint32_t)inst->immediate;
    } else if (site->action == ACCEL_MBARRIER && inst->shape != ACCEL_NO_ADDRESS) {
        uint64_t address[GMTRACE_WARP_LANES];
        expand(inst, address);
        r.kind = GMTRACE_MBARRIER;
        r.space = GMTRACE_SPACE_SHARED;
        r.address = address[__builtin_ctz(inst->mask)];
        r.aux = site->mbarrier;
    }
    return append(out, &r, NULL, error);
}

void accel_begin_warp(accel_output *output, uint64_t cta, uint32_t warp)
{
    const uint32_t left = threads_of(output->header) - warp * GMTRACE_WARP_LANES;
    output->cta = cta;
    output->warp = warp;
    output->last_mask = left >= GMTRACE_WARP_LANES ? UINT32_MAX : (1u << left) - 1;
}

bool accel_put(accel_output *out, const accel_inst *inst, gmtrace_error *error)
{
    if (!inst->mask) { /* issued, but its predicate held for no lane */
        gmtrace_record r = plain(inst, GMTRACE_EXEC);
        r.mask = out->last_mask;
        r.aux = 1;
        return append(out, &r, NULL, error);
    }
    out->last_mask = inst->mask;
    const bool addresses = inst->shape != ACCEL_NO_ADDRESS;
    switch ((accel_action)inst->site->action) {
    case ACCEL_ACCESS:
        return addresses ? put_access(out, inst, (gmtrace_space)inst->site->instr.space, error)
                         : put_other(out, inst, error);
    case ACCEL_GENERIC:
        return addresses ? put_generic(out, inst, error) : put_other(out, inst, error);
    case ACCEL_BULK:
    case ACCEL_BULK_PREFETCH:
        return inst->shape == ACCEL_LIST ? put_bulk(out, inst, error) : put_other(out, inst, error);
    default:
        return put_other(out, inst, error);
    }
}
