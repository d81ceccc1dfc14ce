/* SPDX-License-Identifier: MIT
 *
 * operand.c - operands of machine code become places: of the frame, of constants that the kernel
 * keeps spread over lanes, or of constants that a launch sets. Words that several kinds of
 * instruction have.
 */
#include "traces/ptx/sass/sass.h"

#include <stdlib.h>

static void take(sass_builder *b, const sass_operand *o, bool other)
{
    const unsigned n = b->op->refs;
    if (o->negated)
        b->op->first |= 1u << n;
    if (other)
        b->op->count |= 1u << n;
    b->op->offset |= (int64_t)o->part << 2 * n;
    b->next++;
}

void gmsass_ref(sass_builder *b, ptx_ref ref)
{
    if (b->op->refs == PTX_MAX_REFS) {
        b->bad = true;
        return;
    }
    b->op->r[b->op->refs++] = ref;
}

ptx_ref gmsass_constant(sass_builder *b, uint32_t low, uint32_t high)
{
    ptx_kernel *k = b->kernel;
    for (uint32_t at = 0; at < k->pool_bytes; at += 2 * PTX_UNIT) {
        const uint32_t *from = (const uint32_t *)(const void *)(k->pool + at);
        if (from[0] == low && from[LANES] == high)
            return REF(PTX_FILE_POOL, at);
    }
    if (k->pool_bytes == b->pool_count) {
        b->pool_count = b->pool_count ? b->pool_count * 2 : 64 * PTX_UNIT;
        uint8_t *pool = aligned_alloc(256, b->pool_count);
        if (!pool) {
            b->bad = true;
            return REF(PTX_FILE_POOL, 0);
        }
        if (k->pool)
            memcpy(pool, k->pool, k->pool_bytes);
        free(k->pool);
        k->pool = pool;
    }
    uint32_t *to = (uint32_t *)(void *)(k->pool + k->pool_bytes);
    EACH_LANE
    {
        to[i] = low;
        to[LANES + i] = high;
    }
    k->pool_bytes += 2 * PTX_UNIT;
    return REF(PTX_FILE_POOL, k->pool_bytes - 2 * PTX_UNIT);
}

ptx_ref gmsass_register_place(sass_kind file, uint32_t number)
{
    return REF(PTX_FILE_FRAME,
               (file == SASS_UREG ? SASS_UNIFORM : SASS_REGISTERS) +
                   (number == SASS_ZERO ? file == SASS_UREG ? 64u : 255u : number) * PTX_UNIT);
}

/* A constant's slot; those of a pair stand side by side. */
static ptx_ref slot_of(sass_builder *b, uint8_t bank, uint32_t offset, unsigned units)
{
    sass_kernel *s = b->kernel->sass;
    if (bank >= SASS_BANKS || offset % 4 || offset + 4 * units > s->bank_bytes[bank]) {
        b->bad = true;
        return REF(PTX_FILE_FRAME, 0);
    }
    for (uint32_t i = 0; i + units <= s->constant_count; i++) {
        const sass_place *p = &s->constant[i];
        if (p->bank == bank && p->offset == offset &&
            (units == 1 || (p[1].bank == bank && p[1].offset == offset + 4)))
            return REF(PTX_FILE_FRAME, SASS_CONSTANTS + i * PTX_UNIT);
    }
    for (unsigned u = 0; u < units; u++) {
        sass_place *p = realloc(s->constant, (s->constant_count + 1) * sizeof *p);
        if (!p) {
            b->bad = true;
            return REF(PTX_FILE_FRAME, 0);
        }
        s->constant = p;
        p[s->constant_count++] = (sass_place){offset + 4 * u, bank};
    }
    return REF(PTX_FILE_FRAME, SASS_CONSTANTS + (s->constant_count - units) * PTX_UNIT);
}

void gmsass_source(sass_builder *b, unsigned units)
{
    const sass_operand *o = gmsass_peek(b);
    ptx_ref ref = 0;
    switch (o->kind) {
    case SASS_REG:
    case SASS_UREG:
        ref = o->number == SASS_ZERO ? gmsass_constant(b, 0, 0)
                                     : gmsass_register_place((sass_kind)o->kind, o->number);
        break;
    case SASS_IMM:
        ref = units == 2 ? gmsass_constant(b, 0, (uint32_t)o->value)
                         : gmsass_constant(b, (uint32_t)o->value, (uint32_t)(o->value >> 63));
        break;
    case SASS_CONST:
        if (o->number != SASS_ZERO || o->uniform != SASS_ZERO)
            b->bad = true;
        else
            ref = slot_of(b, o->bank, (uint32_t)o->value, units);
        break;
    default:
        b->bad = true;
    }
    b->bad |= o->byte != 0;
    take(b, o, o->inverted || o->absolute);
    gmsass_ref(b, ref);
}

void gmsass_result(sass_builder *b, unsigned units)
{
    const sass_operand *o = gmsass_peek(b);
    if ((o->kind != SASS_REG && o->kind != SASS_UREG) || o->negated ||
        (o->number != SASS_ZERO && o->number + units > (o->kind == SASS_UREG ? 63u : 255u)))
        b->bad = true;
    take(b, o, false);
    gmsass_ref(b, gmsass_register_place((sass_kind)o->kind, o->number));
    b->op->writes++;
}

ptx_ref gmsass_predicate_place(const sass_operand *o)
{
    return REF(PTX_FILE_FRAME, SASS_PREDICATES + ((o->kind == SASS_UPRED) * 8u + o->number) * 4u);
}

void gmsass_predicate(sass_builder *b)
{
    const sass_operand *o = gmsass_peek(b);
    if (!gmsass_at_predicate(b))
        b->bad = true;
    const ptx_ref ref =
        o->number == 7 ? gmsass_constant(b, UINT32_MAX, UINT32_MAX) : gmsass_predicate_place(o);
    take(b, o, false);
    gmsass_ref(b, ref);
}

void gmsass_set_predicate(sass_builder *b)
{
    const sass_operand *o = gmsass_peek(b);
    if (!gmsass_at_predicate(b) || o->negated)
        b->bad = true;
    take(b, o, false);
    gmsass_ref(b, gmsass_predicate_place(o));
    b->op->writes++;
}

void gmsass_no_predicate(sass_builder *b)
{
    const sass_operand none = {.kind = SASS_PRED, .number = 7};
    gmsass_ref(b, gmsass_predicate_place(&none));
}

void gmsass_result_and_predicate(sass_builder *b)
{
    if (!gmsass_at_predicate(b)) {
        gmsass_result(b, 1);
        gmsass_no_predicate(b);
        return;
    }
    b->next = 1;
    gmsass_result(b, 1);
    b->next = 0;
    gmsass_set_predicate(b);
    b->next = 2;
}

unsigned gmsass_take_choices(sass_builder *b, const sass_choice *choice, size_t count,
                             uint8_t *value)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        if (sass_take(&b->in, choice[i].word)) {
            *value = choice[i].value;
            found++;
        }
    return found;
}

uint8_t gmsass_take_rounding(sass_builder *b)
{
    static const sass_choice words[] = {{SASS_WORD_RN, ROUND_NEAREST}, {SASS_WORD_RM, ROUND_DOWN},
                                        {SASS_WORD_FLOOR, ROUND_DOWN}, {SASS_WORD_RP, ROUND_UP},
                                        {SASS_WORD_CEIL, ROUND_UP},    {SASS_WORD_RZ, ROUND_ZERO},
                                        {SASS_WORD_TRUNC, ROUND_ZERO}};
    uint8_t way = ROUND_NEAREST;
    gmsass_take_choices(b, words, sizeof words / sizeof *words, &way);
    return way;
}
