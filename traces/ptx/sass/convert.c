/* SPDX-License-Identifier: MIT
 *
 * convert.c - between integers and floats of all sizes. Halves: half.c.
 */
#include "traces/ptx/sass/sass.h"

/* op->mode: rounding; op->mode2: what is read; op->type: what is written (ptx_type). */

static uint8_t take_type(sass_builder *b, uint8_t otherwise)
{
    static const struct {
        sass_word word;
        uint8_t type;
    } words[] = {{SASS_WORD_U8, PTX_U8},   {SASS_WORD_S8, PTX_S8},   {SASS_WORD_U16, PTX_U16},
                 {SASS_WORD_S16, PTX_S16}, {SASS_WORD_U32, PTX_U32}, {SASS_WORD_S32, PTX_S32},
                 {SASS_WORD_U64, PTX_U64}, {SASS_WORD_S64, PTX_S64}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sass_take(&b->in, words[i].word))
            return words[i].type;
    return otherwise;
}

static uint8_t take_float(sass_builder *b)
{
    return sass_take(&b->in, SASS_WORD_F64)   ? PTX_F64
           : sass_take(&b->in, SASS_WORD_F16) ? PTX_F16
                                              : PTX_F32;
}

static unsigned units_of_type(uint8_t type)
{
    return units_in(gmptx_type_bytes((ptx_type)type));
}

/* A source as double, of which every smaller float is one. */
static void read_float(const ptx_warp *w, const ptx_op *op, double *to)
{
    uint32_t room[LANES];
    if (op->mode2 == PTX_F64) {
        double_of(w, op, 1, to);
    } else if (op->mode2 == PTX_F16) {
        const uint32_t *from = lanes_of(w, op->r[1]);
        for (unsigned i = 0; i < LANES; i++) {
            const uint16_t h = (uint16_t)(from[i] >> (part_of(op, 1) == SASS_HIGH ? 16 : 0));
            to[i] = (double)gmptx_half_to_float(h);
            to[i] = is_negated(op, 1) ? -to[i] : to[i];
        }
    } else {
        const float *from = float_of(w, op, 1, room);
        for (unsigned i = 0; i < LANES; i++)
            to[i] = (double)from[i];
    }
}

/* ----------------------------------------------------------------------------- float to integer */

static uint64_t integer_of(double v, uint8_t type, bool nan_is_zero)
{
    const unsigned bits = 8 * gmptx_type_bytes((ptx_type)type);
    const bool is_signed = type_is_signed((ptx_type)type);
    const double limit = ldexp(1.0, (int)bits - is_signed);
    if (isnan(v))
        return nan_is_zero ? 0 : UINT64_C(1) << (bits - 1);
    if (is_signed)
        return v >= limit    ? (UINT64_C(1) << (bits - 1)) - 1
               : v <= -limit ? UINT64_C(1) << (bits - 1)
                             : (uint64_t)(int64_t)v;
    return v >= limit ? UINT64_MAX >> (64 - bits) : v <= 0 ? 0 : (uint64_t)v;
}
static void f2i(ptx_warp *w, const ptx_op *op)
{
    double v[LANES];
    uint64_t out[LANES];
    read_float(w, op, v);
    fesetround(direction_of(op->mode));
    for (unsigned i = 0; i < LANES; i++)
        v[i] = nearbyint(v[i]);
    fesetround(FE_TONEAREST);
    for (unsigned i = 0; i < LANES; i++)
        out[i] = integer_of(v[i], op->type, op->flags & PTX_FLAG_NEGATED);
    uint32_t *d = lanes_of(w, op->r[0]);
    if (units_of_type(op->type) == 2)
        set_wide(w, op, 0, out);
    else
        EACH_ACTIVE(w) d[i] = (uint32_t)out[i];
}
static bool make_f2i(sass_builder *b)
{
    ptx_op *op = b->op;
    op->mode = gmsass_take_rounding(b);
    op->type = take_type(b, PTX_S32);
    op->mode2 = take_float(b);
    if (sass_take(&b->in, SASS_WORD_NTZ))
        op->flags |= PTX_FLAG_NEGATED; /* NaN becomes 0 */
    sass_take(&b->in, SASS_WORD_FTZ);  /* subnormals become 0 or 1 all the same, but upwards */
    gmsass_result(b, units_of_type(op->type));
    gmsass_source(b, units_of_type(op->mode2));
    op->run = f2i;
    return true;
}

/* ----------------------------------------------------------------------------- integer to float */

static void set_float(ptx_warp *w, const ptx_op *op, const double *v)
{
    uint32_t *d = lanes_of(w, op->r[0]);
    if (op->type == PTX_F64) {
        set_wide(w, op, 0, v);
        return;
    }
    EACH_ACTIVE(w)
    {
        const float f = (float)v[i];
        if (op->type == PTX_F16)
            d[i] = gmptx_double_to_half(v[i]);
        else if (op->type == PTX_BF16)
            d[i] = gmptx_double_to_bf16(v[i]);
        else
            memcpy(&d[i], &f, sizeof f);
    }
}

static void i2f(ptx_warp *w, const ptx_op *op)
{
    const unsigned bits = 8 * gmptx_type_bytes((ptx_type)op->mode2);
    const bool is_signed = type_is_signed((ptx_type)op->mode2);
    uint64_t value[LANES];
    double wide[LANES];
    uint32_t *d = lanes_of(w, op->r[0]);
    if (bits == 64)
        wide_of(w, op, 1, value);
    else
        for (unsigned i = 0; i < LANES; i++)
            value[i] = ((const uint32_t *)lanes_of(w, op->r[1]))[i];
    fesetround(direction_of(op->mode));
    EACH_ACTIVE(w)
    {
        const int64_t s = (int64_t)(value[i] << (64 - bits)) >> (64 - bits);
        const uint64_t u = value[i] << (64 - bits) >> (64 - bits);
        if (op->type == PTX_F32) { /* rounded once */
            const float f = is_signed ? (float)s : (float)u;
            memcpy(&d[i], &f, sizeof f);
        }
        wide[i] = is_signed ? (double)s : (double)u;
    }
    fesetround(FE_TONEAREST);
    if (op->type != PTX_F32)
        set_float(w, op, wide);
}
static bool make_i2f(sass_builder *b)
{
    ptx_op *op = b->op;
    op->mode = gmsass_take_rounding(b);
    op->mode2 = take_type(b, PTX_S32);
    op->type = take_float(b);
    if (op->type == PTX_F32)
        sass_take(&b->in, SASS_WORD_F32);
    gmsass_result(b, units_of_type(op->type));
    gmsass_source(b, units_of_type(op->mode2));
    op->run = i2f;
    return !op->first && !op->count && !(op->type == PTX_F16 && op->mode);
}

/* ------------------------------------------------------------------------------- float to float */

static void f2f(ptx_warp *w, const ptx_op *op)
{
    double v[LANES];
    read_float(w, op, v);
    fesetround(direction_of(op->mode));
    set_float(w, op, v);
    fesetround(FE_TONEAREST);
}
/* The first word is what is written. */
static bool make_f2f(sass_builder *b)
{
    ptx_op *op = b->op;
    const sass_word lead = b->in.lead;
    op->mode = gmsass_take_rounding(b);
    op->type = lead == SASS_WORD_F64    ? PTX_F64
               : lead == SASS_WORD_F16  ? PTX_F16
               : lead == SASS_WORD_BF16 ? PTX_BF16
                                        : PTX_F32;
    sass_take(&b->in, lead);
    op->mode2 = take_float(b);
    sass_take(&b->in, SASS_WORD_F32);
    gmsass_result(b, units_of_type(op->type));
    gmsass_source(b, units_of_type(op->mode2));
    op->run = f2f;
    return lead != SASS_WORD_COUNT && !(op->mode && op->type != PTX_F32);
}

static void frnd(ptx_warp *w, const ptx_op *op)
{
    double v[LANES];
    read_float(w, op, v);
    fesetround(direction_of(op->mode));
    for (unsigned i = 0; i < LANES; i++)
        v[i] = nearbyint(v[i]);
    fesetround(FE_TONEAREST);
    set_float(w, op, v);
}
static bool make_frnd(sass_builder *b)
{
    ptx_op *op = b->op;
    op->mode = gmsass_take_rounding(b);
    op->type = op->mode2 = take_float(b);
    gmsass_result(b, units_of_type(op->type));
    gmsass_source(b, units_of_type(op->type));
    op->run = frnd;
    return true;
}

const sass_row gmsass_convert_rows[] = {
    {SASS_F2I, make_f2i}, {SASS_I2F, make_i2f},   {SASS_I2FP, make_i2f},
    {SASS_F2F, make_f2f}, {SASS_FRND, make_frnd}, {SASS_NOP, NULL},
};
