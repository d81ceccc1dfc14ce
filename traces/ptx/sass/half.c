/* SPDX-License-Identifier: MIT
 *
 * half.c - pairs of f16 and bf16 in one register.
 */
#include "traces/ptx/sass/sass.h"

/* The two halves of a source of all lanes, with what the text says of them. */
static void halves_of(const ptx_warp *w, const ptx_op *op, unsigned n, uint32_t *to)
{
    const uint32_t *from = lanes_of(w, op->r[n]);
    const unsigned part = part_of(op, n);
    const uint32_t keep = is_other(op, n) ? 0x7fff7fffu : UINT32_MAX,
                   flip = is_negated(op, n) ? 0x80008000u : 0;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t x = from[i];
        x = part == SASS_LOW    ? (x & 0xffff) * 0x10001u
            : part == SASS_HIGH ? (x >> 16) * 0x10001u
                                : x;
        to[i] = (x & keep) ^ flip;
    }
}

static float widen(uint32_t half, bool brain)
{
    return brain ? bf16_to_float((uint16_t)half) : gmptx_half_to_float((uint16_t)half);
}

/* op->mode: half_op; op->type: PTX_F16X2 or PTX_BF16X2. r = d, a, b, c */
static void halves(ptx_warp *w, const ptx_op *op)
{
    uint32_t a[LANES], b[LANES], c[LANES] = {0}, *d = lanes_of(w, op->r[0]);
    const bool brain = op->type == PTX_BF16X2;
    halves_of(w, op, 1, a);
    halves_of(w, op, 2, b);
    if (op->refs > 3)
        halves_of(w, op, 3, c);
    EACH_ACTIVE(w)
    {
        const half_op what = (half_op)op->mode;
        const uint32_t low =
            gmptx_compute_half(what, brain, (uint16_t)a[i], (uint16_t)b[i], (uint16_t)c[i]);
        const uint32_t high = gmptx_compute_half(what, brain, (uint16_t)(a[i] >> 16),
                                                 (uint16_t)(b[i] >> 16), (uint16_t)(c[i] >> 16));
        d[i] = high << 16 | low;
    }
}

/* The sum of the lower halves, as float: how halves become floats. */
static void sum_wide(ptx_warp *w, const ptx_op *op)
{
    uint32_t a[LANES], b[LANES];
    float *d = lanes_of(w, op->r[0]);
    const bool brain = op->type == PTX_BF16X2;
    halves_of(w, op, 1, a);
    halves_of(w, op, 2, b);
    EACH_ACTIVE(w) d[i] = widen(a[i] & 0xffff, brain) + widen(b[i] & 0xffff, brain);
}

static bool make(sass_builder *b, half_op what, unsigned sources)
{
    ptx_op *op = b->op;
    op->type = sass_take(&b->in, SASS_WORD_BF16_V2) ? PTX_BF16X2 : PTX_F16X2;
    sass_take(&b->in, SASS_WORD_MMA);
    op->mode = (uint8_t)what;
    op->run = sass_take(&b->in, SASS_WORD_F32) ? sum_wide : halves;
    gmsass_result(b, 1);
    for (unsigned i = 0; i < sources; i++)
        gmsass_source(b, 1);
    return op->run == halves || what == HALF_ADD;
}
static bool make_hadd2(sass_builder *b)
{
    return make(b, HALF_ADD, 2);
}
static bool make_hmul2(sass_builder *b)
{
    return make(b, HALF_MUL, 2);
}
static bool make_hfma2(sass_builder *b)
{
    return make(b, HALF_FMA, 3);
}
/* r = d, a, b, predicate */
static void hmnmx2(ptx_warp *w, const ptx_op *op)
{
    ptx_op one = *op;
    const uint32_t all = w->active, p = predicate_of(w, op, 3);
    one.refs = 3;
    one.mode = op->mode ? HALF_MIN_NAN : HALF_MIN;
    w->active = all & p;
    halves(w, &one);
    one.mode = op->mode ? HALF_MAX_NAN : HALF_MAX;
    w->active = all & ~p;
    halves(w, &one);
    w->active = all;
}
static bool make_hmnmx2(sass_builder *b)
{
    const bool nan = sass_take(&b->in, SASS_WORD_NAN);
    if (!make(b, HALF_MIN, 2))
        return false;
    gmsass_predicate(b);
    b->op->mode = nan;
    b->op->run = hmnmx2;
    return true;
}

/* r = p of the lower halves, p of the upper ones, a, b, predicate */
static void hsetp2(ptx_warp *w, const ptx_op *op)
{
    uint32_t a[LANES], b[LANES], low = 0, high = 0;
    const bool brain = op->type == PTX_BF16X2;
    halves_of(w, op, 2, a);
    halves_of(w, op, 3, b);
    EACH_ACTIVE(w)
    {
        low |= (uint32_t)gmsass_compare(op, (double)widen(a[i] & 0xffff, brain),
                                        (double)widen(b[i] & 0xffff, brain))
               << i;
        high |= (uint32_t)gmsass_compare(op, (double)widen(a[i] >> 16, brain),
                                         (double)widen(b[i] >> 16, brain))
                << i;
    }
    gmsass_join(w, op, low, high, predicate_of(w, op, 4));
}
static bool make_hsetp2(sass_builder *b)
{
    b->op->type = sass_take(&b->in, SASS_WORD_BF16_V2) ? PTX_BF16X2 : PTX_F16X2;
    if (!gmsass_take_comparison(b))
        return false;
    gmsass_compared(b, 1);
    b->op->run = hsetp2;
    return true;
}

/* r = d, a, b: two floats become the halves of one register, b the lower one. */
static void f2fp(ptx_warp *w, const ptx_op *op)
{
    uint32_t room[2][LANES], *d = lanes_of(w, op->r[0]);
    const float *a = float_of(w, op, 1, room[0]), *b = float_of(w, op, 2, room[1]);
    const bool brain = op->type == PTX_BF16X2;
    EACH_ACTIVE(w)
    {
        const double x = (double)a[i], y = (double)b[i];
        const uint32_t high = brain ? gmptx_double_to_bf16(x) : gmptx_double_to_half(x);
        const uint32_t low = brain ? gmptx_double_to_bf16(y) : gmptx_double_to_half(y);
        d[i] = high << 16 | low;
    }
}
static bool make_f2fp(sass_builder *b)
{
    const bool brain = sass_take(&b->in, SASS_WORD_BF16);
    if (brain == sass_take(&b->in, SASS_WORD_F16) || !sass_take(&b->in, SASS_WORD_PACK_AB))
        return false;
    sass_take(&b->in, SASS_WORD_F32);
    b->op->type = brain ? PTX_BF16X2 : PTX_F16X2;
    gmsass_result(b, 1);
    gmsass_source(b, 1);
    gmsass_source(b, 1);
    b->op->run = f2fp;
    return true;
}

const sass_row gmsass_half_rows[] = {
    {SASS_HADD2, make_hadd2},   {SASS_HMUL2, make_hmul2},   {SASS_HFMA2, make_hfma2},
    {SASS_HMNMX2, make_hmnmx2}, {SASS_HSETP2, make_hsetp2}, {SASS_F2FP, make_f2fp},
    {SASS_NOP, NULL},
};
