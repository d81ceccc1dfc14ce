/* SPDX-License-Identifier: MIT
 *
 * decode_operand.c - operands to places: registers, constants in the pool, addresses; and which
 * parts of an opcode have been understood.
 */
#include "traces/ptx/decode.h"

#include <stdlib.h>

bool gmptx_unsupported(const ptx_decoder *d)
{
    return gmptx_fail(d->error, GMTRACE_UNSUPPORTED, d->statement->line,
                      "instruction %.*s is not supported", SLICE(d->statement->opcode));
}

bool gmptx_bad_operand(const ptx_decoder *d, unsigned number)
{
    return gmptx_fail(d->error, GMTRACE_CORRUPT, d->statement->line,
                      "operand %u of %.*s is missing or does not suit it", number + 1,
                      SLICE(d->statement->opcode));
}

/* ---------------------------------------------------------------------------------------- parts */

bool gmptx_take(ptx_parts *parts, const char *word)
{
    for (uint32_t i = 1; i < parts->count; i++)
        if (!(parts->used >> i & 1) && slice_is(parts->part[i], word)) {
            parts->used |= 1u << i;
            return true;
        }
    return false;
}

bool gmptx_all_taken(const ptx_parts *parts)
{
    return parts->used == (1u << parts->count) - 1;
}

/* ------------------------------------------------------------------------------------- operands */

unsigned gmptx_operand_count(const ptx_decoder *d)
{
    return d->statement->count;
}

const ptx_operand *gmptx_operand(const ptx_decoder *d, unsigned number)
{
    return number < d->statement->count ? &d->function->operand[d->statement->first + number]
                                        : NULL;
}

const ptx_operand *gmptx_element(const ptx_decoder *d, const ptx_operand *list, unsigned number)
{
    return number < list->count ? &d->function->element[list->index + number] : NULL;
}

unsigned gmptx_register_bytes(const ptx_decoder *d, const ptx_operand *o)
{
    if (!o || o->kind != OPERAND_REGISTER)
        return 0;
    const unsigned bytes = gmptx_type_bytes((ptx_type)d->function->reg[o->index].type);
    return bytes == 1 ? 2 : bytes; /* registers of 8 bits are kept in 16 */
}

bool gmptx_is_predicate(const ptx_decoder *d, const ptx_operand *o)
{
    return o && o->kind == OPERAND_REGISTER && d->function->reg[o->index].type == PTX_PRED;
}

bool gmptx_add_ref(ptx_op *op, ptx_ref ref)
{
    if (op->refs == PTX_MAX_REFS)
        return false;
    op->r[op->refs++] = ref;
    return true;
}

static uint32_t pool_hash(uint64_t value, unsigned bytes)
{
    return (uint32_t)((value + bytes) * 0x9e3779b97f4a7c15ull >> 33);
}

static uint64_t pool_value(const ptx_kernel *k, uint32_t offset, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, k->pool + offset, bytes);
    return v;
}

/* Entries are told apart by their width in the low bits of the slot: offsets are multiples of 64.
 */
static bool pool_room(ptx_decoder *d)
{
    if (d->pool_count * 2 < d->pool_slots)
        return true;
    const uint32_t slots = d->pool_slots ? d->pool_slots * 2 : 256;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    for (uint32_t i = 0; i < d->pool_slots; i++) {
        const uint32_t e = d->pool_slot[i];
        if (!e)
            continue;
        const unsigned bytes = e & 15;
        uint32_t at = pool_hash(pool_value(d->kernel, e & ~63u, bytes), bytes) & (slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = e;
    }
    free(d->pool_slot);
    d->pool_slot = slot;
    d->pool_slots = slots;
    return true;
}

#define POOL_LEAST 4096u /* bytes of constants, a power of two */

static bool constant(ptx_decoder *d, uint64_t value, unsigned bytes, ptx_ref *ref)
{
    ptx_kernel *k = d->kernel;
    if (bytes < 8)
        value &= (1ull << 8 * bytes) - 1;
    if (!pool_room(d))
        return gmptx_fail(d->error, GMTRACE_MEMORY, d->statement->line, "out of memory");
    uint32_t at = pool_hash(value, bytes) & (d->pool_slots - 1);
    for (; d->pool_slot[at]; at = (at + 1) & (d->pool_slots - 1)) {
        const uint32_t e = d->pool_slot[at];
        if ((e & 15) == bytes && pool_value(k, e & ~63u, bytes) == value) {
            *ref = REF(PTX_FILE_POOL, e & ~63u);
            return true;
        }
    }
    const uint32_t size = LANES * 8, used = k->pool_bytes;
    uint8_t *pool = k->pool;
    if (used == 0 || (used >= POOL_LEAST && (used & (used - 1)) == 0)) { /* it doubles when full */
        pool = used < 1u << 29 ? realloc(pool, used ? 2 * (size_t)used : POOL_LEAST) : NULL;
        if (!pool)
            return gmptx_fail(d->error, GMTRACE_MEMORY, d->statement->line, "out of memory");
        k->pool = pool;
    }
    memset(pool + k->pool_bytes, 0, size);
    for (unsigned i = 0; i < LANES; i++)
        memcpy(pool + k->pool_bytes + i * bytes, &value, bytes);
    d->pool_slot[at] = k->pool_bytes | bytes;
    d->pool_count++;
    *ref = REF(PTX_FILE_POOL, k->pool_bytes);
    k->pool_bytes += size;
    return true;
}

static uint64_t float_bits(const ptx_operand *o, ptx_type type)
{
    const uint64_t bits = (uint64_t)o->value;
    const uint32_t low = (uint32_t)bits;
    float narrow;
    double wide;
    uint64_t out = 0;
    if (o->kind == OPERAND_FLOAT32 && type == PTX_F64) {
        memcpy(&narrow, &low, sizeof narrow);
        wide = (double)narrow;
        memcpy(&out, &wide, sizeof wide);
        return out;
    }
    if (o->kind == OPERAND_FLOAT64 && type == PTX_F32) {
        memcpy(&wide, &bits, sizeof wide);
        narrow = (float)wide;
        memcpy(&out, &narrow, sizeof narrow);
        return out;
    }
    return bits;
}

bool gmptx_symbol_address(ptx_decoder *d, uint32_t symbol, uint64_t *value, bool *in_frame,
                          ptx_space *space)
{
    ptx_kernel *k = d->kernel;
    const gmptx_module *m = d->module;
    const ptx_symbol *s = &m->symbol[symbol];
    *in_frame = false;
    *space = PTX_SPACE_NONE;
    if (s->is_function) {
        *value = PTX_FUNCTION_WINDOW + s->index;
        return true;
    }
    const ptx_variable *v = &m->variable[s->index];
    *space = (ptx_space)v->space;
    switch ((ptx_space)v->space) {
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        if (v->is_extern)
            return gmptx_fail(d->error, GMTRACE_UNSUPPORTED, d->statement->line,
                              "%.*s is defined in another module", SLICE(v->name));
        *value = (uint64_t)(uintptr_t)m->memory[v->space == PTX_SPACE_CONST] + v->offset;
        return true;
    case PTX_SPACE_SHARED:
        *value = k->shared_offset[s->index];
        return *value != UINT64_MAX ||
               gmptx_fail(d->error, GMTRACE_UNSUPPORTED, d->statement->line,
                          "shared variable %.*s has no place", SLICE(v->name));
    default:
        *value = v->offset;
        /* the parameters of a kernel are the launch's, all others the frame's */
        *in_frame = true;
        if (v->space == PTX_SPACE_PARAM && d->function->is_entry)
            for (uint32_t i = 0; i < d->function->param_count; i++)
                if (d->function->param[i] == s->index)
                    *in_frame = false;
        return true;
    }
}

bool gmptx_place(ptx_decoder *d, const ptx_operand *o, unsigned bytes, ptx_type type, ptx_ref *ref)
{
    uint64_t value;
    bool in_frame;
    ptx_space space;
    if (!o)
        return false;
    switch ((ptx_operand_kind)o->kind) {
    case OPERAND_REGISTER:
        *ref = REF(PTX_FILE_VIRTUAL, o->index);
        return gmptx_register_bytes(d, o) == bytes && gmptx_is_predicate(d, o) == !bytes;
    case OPERAND_INT:
        if (!bytes)
            return constant(d, o->value ? UINT64_MAX : 0, 4, ref);
        return constant(d, (uint64_t)o->value, bytes, ref);
    case OPERAND_FLOAT32:
    case OPERAND_FLOAT64:
        if (bytes < 4 || (!type_is_float(type) && bytes != (o->kind == OPERAND_FLOAT32 ? 4u : 8u)))
            return false;
        return constant(d, float_bits(o, type), bytes, ref);
    case OPERAND_SYMBOL:
        return bytes >= 4 && gmptx_symbol_address(d, o->index, &value, &in_frame, &space) &&
               !in_frame && constant(d, value + (uint64_t)o->value, bytes, ref);
    case OPERAND_SPECIAL:
        *ref = REF(PTX_FILE_SPECIAL, o->index * PTX_SPECIAL_BYTES);
        return o->index < SPECIAL_CLOCK &&
               bytes == (special_is_wide((ptx_special)o->index) ? 8u : 4u);
    default:
        return false;
    }
}

bool gmptx_place_result(ptx_decoder *d, const ptx_operand *o, unsigned bytes, ptx_ref *ref)
{
    if (o && o->kind == OPERAND_SINK) {
        *ref = REF(PTX_FILE_SPECIAL, SPECIAL_COUNT * PTX_SPECIAL_BYTES);
        return true;
    }
    return o && o->kind == OPERAND_REGISTER && gmptx_place(d, o, bytes, PTX_NONE, ref);
}

bool gmptx_decode_address(ptx_decoder *d, ptx_op *op, const ptx_operand *o, ptx_space space)
{
    uint64_t value = 0;
    bool in_frame = false;
    ptx_space own = PTX_SPACE_NONE;
    if (!o || o->kind != OPERAND_ADDRESS)
        return false;
    op->space = (uint8_t)space;
    op->offset = o->value;
    /* registers that hold addresses of parameters: a kernel's, or of the stack in a function */
    op->mode2 = space == PTX_SPACE_PARAM && !d->function->is_entry;
    if (o->base == OPERAND_REGISTER) {
        const ptx_operand base = {.kind = OPERAND_REGISTER, .index = o->index};
        const unsigned bytes = gmptx_register_bytes(d, &base);
        op->narrow = bytes == 4;
        op->address = REF(PTX_FILE_VIRTUAL, o->index);
        const bool may_be_narrow =
            space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM;
        return bytes == 8 || (bytes == 4 && may_be_narrow);
    }
    if (o->base == OPERAND_INT)
        return constant(d, 0, 8, &op->address);
    if (!gmptx_symbol_address(d, o->index, &value, &in_frame, &own))
        return false;
    if (space != own) {
        /* a generic access may name a global variable outright */
        const bool same = space == PTX_SPACE_NONE && own == PTX_SPACE_GLOBAL;
        if (!same)
            return false;
    }
    op->in_frame = in_frame;
    if (space == PTX_SPACE_PARAM)
        op->mode2 = in_frame;
    op->offset = (int64_t)((uint64_t)op->offset + value);
    return constant(d, 0, 8, &op->address);
}
