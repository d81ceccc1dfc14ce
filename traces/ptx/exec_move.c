/* SPDX-License-Identifier: MIT
 *
 * exec_move.c - moves between registers, conversions of numbers and of addresses.
 */
#include "traces/ptx/exec.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

uint16_t gmptx_narrow(double d, bool brain, unsigned round); /* exec_half.c */

#define MOVE(T)                                                                                    \
    {                                                                                              \
        T *d = lanes_of(w, op->r[0]);                                                              \
        const T *a = lanes_of(w, op->r[1]);                                                        \
        const uint32_t mask = w->active;                                                           \
        if (mask == ALL_LANES)                                                                     \
            memmove(d, a, LANES * sizeof(T));                                                      \
        else                                                                                       \
            EACH_LANE d[i] = mask >> i & 1 ? a[i] : d[i];                                          \
        return;                                                                                    \
    }

WIDE void gmptx_run_move(ptx_warp *w, const ptx_op *op)
{
    switch (op->width[0]) {
    case 2:
        MOVE(uint16_t)
    case 4:
        MOVE(uint32_t)
    default:
        MOVE(uint64_t)
    }
}

/* The address of a variable in the running frame. */
void gmptx_run_move_frame(ptx_warp *w, const ptx_op *op)
{
    const uint64_t start = op->space == PTX_SPACE_LOCAL ? w->frame_local : w->frame_stack;
    const uint64_t value = start + (uint64_t)op->offset;
    if (op->width[0] == 4) {
        uint32_t *d = lanes_of(w, op->r[0]);
        EACH_ACTIVE(w) d[i] = (uint32_t)value;
        return;
    }
    uint64_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w) d[i] = value;
}

void gmptx_run_move_predicate(ptx_warp *w, const ptx_op *op)
{
    uint32_t a = *mask_of(w, op->r[1]);
    if (op->flags & PTX_FLAG_NEGATED)
        a = ~a;
    uint32_t *d = mask_of(w, op->r[0]);
    *d = (*d & ~w->active) | (a & w->active);
}

/* mov.b64 d, {a, b}: element k of a lane lies at byte k * width of d's lane. */
void gmptx_run_pack(ptx_warp *w, const ptx_op *op)
{
    const unsigned bytes = op->width[0], count = op->refs - 1u;
    uint8_t *d = lanes_of(w, op->r[0]);
    for (unsigned k = 0; k < count; k++) {
        const uint8_t *a = lanes_of(w, op->r[1 + k]);
        EACH_ACTIVE(w) memcpy(d + (i * count + k) * bytes, a + i * bytes, bytes);
    }
}

void gmptx_run_unpack(ptx_warp *w, const ptx_op *op)
{
    const unsigned bytes = op->width[0], count = op->writes;
    const uint8_t *a = lanes_of(w, op->r[count]);
    for (unsigned k = 0; k < count; k++) {
        uint8_t *d = lanes_of(w, op->r[k]);
        EACH_ACTIVE(w) memcpy(d + i * bytes, a + (i * count + k) * bytes, bytes);
    }
}

/* Clocks count the CTA's instructions: they rise, and are the same on every run. */
uint64_t gmptx_clock(ptx_warp *w)
{
    w->state = WARP_PAUSES;
    return w->cta->instructions;
}

void gmptx_run_clock(ptx_warp *w, const ptx_op *op)
{
    const uint64_t now = gmptx_clock(w);
    const uint32_t value = op->imm == SPECIAL_CLOCK_HI || op->imm == SPECIAL_TIMER_HI
                               ? (uint32_t)(now >> 32)
                               : (uint32_t)now;
    if (special_is_wide((ptx_special)op->imm)) {
        uint64_t *d = lanes_of(w, op->r[0]);
        EACH_ACTIVE(w) d[i] = now;
        return;
    }
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w) d[i] = value;
}

/* ---------------------------------------------------------------------------------- conversions */

/* Integers of `T` in registers of `U`: the case of their bytes, and of whether they are signed. */
#define WIDEN(T, U)                                                                                \
    case sizeof(U) * 100 + sizeof(T) * 10 + ((T)-1 < 1): {                                         \
        const U *a = from;                                                                         \
        EACH_LANE to[i] = (int64_t)(T)a[i];                                                        \
        break;                                                                                     \
    }

/* Integer lanes of `type`, out of registers of `bytes`, as 64 bits. */
static void widen(int64_t *to, const void *from, ptx_type type, unsigned bytes)
{
    const unsigned size = gmptx_type_bytes(type);
    switch (bytes * 100 + size * 10 + type_is_signed(type)) {
        WIDEN(uint8_t, uint16_t)
        WIDEN(int8_t, uint16_t)
        WIDEN(uint16_t, uint16_t)
        WIDEN(int16_t, uint16_t)
        WIDEN(uint8_t, uint32_t)
        WIDEN(int8_t, uint32_t)
        WIDEN(uint16_t, uint32_t)
        WIDEN(int16_t, uint32_t)
        WIDEN(uint32_t, uint32_t)
        WIDEN(int32_t, uint32_t)
        WIDEN(uint8_t, uint64_t)
        WIDEN(int8_t, uint64_t)
        WIDEN(uint16_t, uint64_t)
        WIDEN(int16_t, uint64_t)
        WIDEN(uint32_t, uint64_t)
        WIDEN(int32_t, uint64_t)
    default:
        WIDEN(int64_t, uint64_t)
    }
}

static int64_t clamp(int64_t v, ptx_type from, ptx_type to)
{
    const unsigned bits = gmptx_type_bytes(to) * 8;
    const bool huge = !type_is_signed(from) && v < 0; /* above 2^63 */
    if (type_is_signed(to)) {
        const int64_t top = (int64_t)(UINT64_MAX >> (65 - bits));
        return huge || v > top ? top : v < -top - 1 ? -top - 1 : v;
    }
    if (type_is_signed(from) && v < 0)
        return 0;
    const uint64_t top = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
    return (uint64_t)v > top ? (int64_t)top : v;
}

/* `value` holds the result as 64 bits; registers may be wider than the type. */
static void put_ints(ptx_warp *w, const ptx_op *op, int64_t *value)
{
    widen(value, value, (ptx_type)op->type, 8);
    switch (op->width[0]) {
    case 2: {
        uint16_t *d = lanes_of(w, op->r[0]);
        EACH_ACTIVE(w) d[i] = (uint16_t)value[i];
        return;
    }
    case 4: {
        uint32_t *d = result_of(w, op->r[0]);
        EACH_LANE d[i] = (uint32_t)value[i];
        blend_uint32_t(w, op->r[0]);
        return;
    }
    default: {
        uint64_t *d = result_of(w, op->r[0]);
        EACH_LANE d[i] = (uint64_t)value[i];
        blend_uint64_t(w, op->r[0]);
    }
    }
}

static double flush_float(double v, bool ftz)
{
    return ftz && v != 0 && fabs(v) < 0x1p-126 ? copysign(0.0, v) : v;
}

/* Any float type as double; exact. */
static void read_floats(const ptx_warp *w, const ptx_op *op, double *value)
{
    const void *from = lanes_of(w, op->r[1]);
    const bool ftz = op->flags & PTX_FLAG_FTZ;
    EACH_ACTIVE(w)
    {
        switch (op->type2) {
        case PTX_F16:
            value[i] =
                (double)gmptx_half_to_float(((const uint16_t *)from)[i * (op->width[1] / 2u)]);
            break;
        case PTX_BF16:
            value[i] = (double)bf16_to_float(((const uint16_t *)from)[i * (op->width[1] / 2u)]);
            break;
        case PTX_F32:
            value[i] = flush_float((double)((const float *)from)[i], ftz);
            break;
        default:
            value[i] = ((const double *)from)[i];
        }
    }
}

static double round_whole(double v, unsigned mode)
{
    switch (mode) {
    case 2:
        return trunc(v);
    case 3:
        return floor(v);
    case 4:
        return ceil(v);
    default:
        return nearbyint(v);
    }
}

static int64_t double_to_int(double v, ptx_type type, unsigned mode)
{
    const unsigned bits = gmptx_type_bytes(type) * 8;
    if (isnan(v))
        return 0;
    v = round_whole(v, mode);
    if (type_is_signed(type)) {
        const double top = ldexp(1.0, (int)bits - 1);
        return v >= top    ? (int64_t)((1ull << (bits - 1)) - 1)
               : v <= -top ? (int64_t)(0 - (1ull << (bits - 1)))
                           : (int64_t)v;
    }
    if (v >= ldexp(1.0, (int)bits))
        return bits == 64 ? -1 : (int64_t)((1ull << bits) - 1);
    return v <= 0 ? 0 : (int64_t)(uint64_t)v;
}

static void put_floats(ptx_warp *w, const ptx_op *op, const double *value)
{
    void *to = lanes_of(w, op->r[0]);
    const bool saturate = op->flags & PTX_FLAG_SATURATE, ftz = op->flags & PTX_FLAG_FTZ;
    const int before = fegetround();
    fesetround(direction_of(op->mode));
    EACH_ACTIVE(w)
    {
        volatile double v = value[i]; /* so that no rounding happens before the mode is set */
        if (op->mode2)
            v = round_whole(v, op->mode2);
        if (saturate)
            v = v > 0 ? (v < 1 ? v : 1.0) : 0.0;
        switch (op->type) {
        case PTX_F16:
        case PTX_BF16: {
            const uint16_t bits = gmptx_narrow(v, op->type == PTX_BF16, op->mode & 3);
            if (op->width[0] == 4)
                ((uint32_t *)to)[i] = bits;
            else
                ((uint16_t *)to)[i] = bits;
            break;
        }
        case PTX_F32:
            ((float *)to)[i] = (float)flush_float((double)(float)v, ftz);
            break;
        default:
            ((double *)to)[i] = v;
        }
    }
    fesetround(before);
}

/* cvt.rn.f16x2.f32 d, a, b: a becomes the upper half. */
static void convert_pair(ptx_warp *w, const ptx_op *op)
{
    uint32_t *d = lanes_of(w, op->r[0]);
    const float *a = lanes_of(w, op->r[1]), *b = lanes_of(w, op->r[2]);
    const bool brain = op->type == PTX_BF16X2;
    EACH_ACTIVE(w)
    d[i] = (uint32_t)gmptx_narrow((double)a[i], brain, op->mode & 3) << 16 |
           gmptx_narrow((double)b[i], brain, op->mode & 3);
}

static void ints_to_floats(ptx_warp *w, const ptx_op *op, const int64_t *value)
{
    const bool is_signed = type_is_signed((ptx_type)op->type2);
    if (op->type == PTX_F16 || op->type == PTX_BF16) {
        double wide[LANES] = {0};
        EACH_ACTIVE(w) wide[i] = is_signed ? (double)value[i] : (double)(uint64_t)value[i];
        put_floats(w, op, wide);
        return;
    }
    const int before = fegetround();
    fesetround(direction_of(op->mode));
    void *to = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w)
    {
        volatile int64_t v = value[i];
        if (op->type == PTX_F32)
            ((float *)to)[i] = is_signed ? (float)v : (float)(uint64_t)v;
        else
            ((double *)to)[i] = is_signed ? (double)v : (double)(uint64_t)v;
    }
    fesetround(before);
}

void gmptx_run_cvt(ptx_warp *w, const ptx_op *op)
{
    const ptx_type to = (ptx_type)op->type, from = (ptx_type)op->type2;
    int64_t value[LANES];
    double real[LANES];
    if (to == PTX_F16X2 || to == PTX_BF16X2) {
        convert_pair(w, op);
        return;
    }
    if (type_is_float(from)) {
        read_floats(w, op, real);
        if (type_is_float(to)) {
            put_floats(w, op, real);
            return;
        }
        for (unsigned i = 0; i < LANES; i++)
            value[i] = 0;
        EACH_ACTIVE(w) value[i] = double_to_int(real[i], to, op->mode2);
        put_ints(w, op, value);
        return;
    }
    widen(value, lanes_of(w, op->r[1]), from, op->width[1]);
    if (type_is_float(to)) {
        ints_to_floats(w, op, value);
        return;
    }
    if (op->flags & PTX_FLAG_SATURATE)
        for (unsigned i = 0; i < LANES; i++)
            value[i] = clamp(value[i], from, to);
    put_ints(w, op, value);
}

/* ------------------------------------------------------------------------------------ addresses */

/* op->offset: where the space's window begins among generic addresses. */
#define SHIFT_ADDRESSES(NAME, SIGN)                                                                \
    WIDE void NAME(ptx_warp *w, const ptx_op *op)                                                  \
    {                                                                                              \
        uint64_t *d = result_of(w, op->r[0]);                                                      \
        const uint64_t *a = lanes_of(w, op->r[1]), add = (uint64_t)op->offset;                     \
        EACH_LANE d[i] = a[i] SIGN add;                                                            \
        blend_uint64_t(w, op->r[0]);                                                               \
    }
SHIFT_ADDRESSES(gmptx_run_cvta_from, +)
SHIFT_ADDRESSES(gmptx_run_cvta_to, -)

/* Ten bits of the significand stay, rounded to the nearest, halves away from 0. */
void gmptx_run_cvt_tf32(ptx_warp *w, const ptx_op *op)
{
    uint32_t *d = lanes_of(w, op->r[0]);
    const uint32_t *a = lanes_of(w, op->r[1]);
    EACH_ACTIVE(w)
    {
        const uint32_t magnitude = a[i] & 0x7fffffff;
        d[i] = magnitude > 0x7f800000    ? 0x7fffffff /* NaN */
               : magnitude == 0x7f800000 ? a[i]
                                         : (a[i] + 0x1000) & ~UINT32_C(0x1fff);
    }
}

void gmptx_run_isspacep(ptx_warp *w, const ptx_op *op)
{
    uint32_t *d = mask_of(w, op->r[0]), bits = 0;
    const uint64_t *a = lanes_of(w, op->r[1]);
    const gmptx_module *m = w->kernel->module;
    const uint64_t start = (uint64_t)(uintptr_t)m->memory[1], bytes = m->memory_bytes[1];
    for (unsigned i = 0; i < LANES; i++) {
        bool yes = false;
        switch (op->space) {
        case PTX_SPACE_GLOBAL:
            yes = a[i] < GMPTX_SHARED_WINDOW && a[i] - start >= bytes;
            break;
        case PTX_SPACE_CONST:
            yes = a[i] - start < bytes;
            break;
        default:
            yes = a[i] - (uint64_t)op->offset < GMPTX_WINDOW_BYTES;
        }
        bits |= (uint32_t)yes << i;
    }
    *d = (*d & ~w->active) | (bits & w->active);
}

void gmptx_run_nothing(ptx_warp *w, const ptx_op *op)
{
    (void)w;
    (void)op;
}
