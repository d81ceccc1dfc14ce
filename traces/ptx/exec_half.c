/* SPDX-License-Identifier: MIT
 *
 * exec_half.c - f16 and bf16, single and in pairs, and their conversions. Sums and products are
 * computed in float or, odd-rounded, in double, which makes the one rounding to half exact.
 */
#include "traces/ptx/exec.h"

/* Most rows have no variant that flushes subnormals. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

float gmptx_half_to_float(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, m = h & 0x3ff;
    uint32_t bits;
    if (exponent == 31)
        bits = sign | 0x7f800000u | m << 13;
    else if (exponent)
        bits = sign | (exponent + 112) << 23 | m << 13;
    else {
        const float v = (float)m * 0x1p-24f;
        memcpy(&bits, &v, sizeof bits);
        bits |= sign;
    }
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* A double to a format with `exponent` and `mantissa` bits; round: ROUND_NEAREST is to even. */
static uint16_t narrow(double d, unsigned exponent, unsigned mantissa, unsigned round)
{
    const int bias = (1 << (exponent - 1)) - 1;
    const uint16_t infinity = (uint16_t)(((1u << exponent) - 1) << mantissa);
    const bool negative = signbit(d);
    const uint16_t sign = negative ? 0x8000 : 0;
    if (isnan(d))
        return 0x7fff; /* the canonical NaN of both formats */
    if (isinf(d))
        return sign | infinity;
    if (d == 0)
        return sign;
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    const int e = (int)(bits >> 52 & 0x7ff) - 1023; /* doubles' own subnormals vanish anyway */
    const uint64_t significand = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int below = e < 1 - bias ? 1 - bias - e : 0;
    const unsigned shift =
        52 - mantissa + (unsigned)below < 63 ? 52 - mantissa + (unsigned)below : 63;
    const uint64_t rest = significand & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1)
                                                                             << (shift - 1);
    uint64_t units = significand >> shift;
    units += round == ROUND_NEAREST ? rest > half || (rest == half && units & 1)
             : round == ROUND_ZERO  ? false
                                    : rest && negative == (round == ROUND_DOWN);
    if (below) /* subnormal, or just grown out of it */
        return (uint16_t)(sign | units);
    const uint64_t narrowed =
        ((uint64_t)(e + bias) << mantissa) + (units - (UINT64_C(1) << mantissa));
    if (narrowed < infinity)
        return (uint16_t)(sign | narrowed);
    const bool stays = round == ROUND_ZERO || (round == ROUND_DOWN && !negative) ||
                       (round == ROUND_UP && negative);
    return (uint16_t)(sign | (stays ? infinity - 1u : infinity));
}

uint16_t gmptx_double_to_half(double d)
{
    return narrow(d, 5, 10, 0);
}
uint16_t gmptx_double_to_bf16(double d)
{
    return narrow(d, 8, 7, 0);
}
uint16_t gmptx_narrow(double d, bool brain, unsigned round)
{
    return brain ? narrow(d, 8, 7, round) : narrow(d, 5, 10, round);
}

/* a + b with the last bit set where the sum is not exact: rounding it once more is then exact. */
static double add_odd(double a, double b)
{
    const double sum = a + b;
    if (!isfinite(sum))
        return sum;
    const double part = sum - a, error = (a - (sum - part)) + (b - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && !(bits & 1))
        bits += (error > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return odd;
}

/* Exact, or rounded so that rounding it to half once more is exact. */
static double computed(half_op what, double a, double b, double c)
{
    const bool any_nan = isnan(a) || isnan(b);
    switch (what) {
    case HALF_ADD:
        return add_odd(a, b);
    case HALF_SUB:
        return add_odd(a, -b);
    case HALF_MUL:
        return a * b;
    case HALF_FMA:
        return add_odd(a * b, c);
    case HALF_FMA_RELU: {
        const double v = add_odd(a * b, c);
        return v < 0 ? 0 : v;
    }
    case HALF_MIN:
        return min64(a, b);
    case HALF_MAX:
        return max64(a, b);
    case HALF_MIN_NAN:
        return any_nan ? (double)NAN : min64(a, b);
    case HALF_MAX_NAN:
        return any_nan ? (double)NAN : max64(a, b);
    case HALF_EX2:
        return exp2(a);
    case HALF_TANH:
        return tanh(a);
    case HALF_NEG:
    case HALF_ABS:
        break;
    }
    return 0;
}

uint16_t gmptx_compute_half(half_op what, bool brain, uint16_t ha, uint16_t hb, uint16_t hc)
{
    if (what == HALF_NEG)
        return ha ^ 0x8000;
    if (what == HALF_ABS)
        return ha & 0x7fff;
    const double a = (double)(brain ? bf16_to_float(ha) : gmptx_half_to_float(ha));
    const double b = (double)(brain ? bf16_to_float(hb) : gmptx_half_to_float(hb));
    const double c = (double)(brain ? bf16_to_float(hc) : gmptx_half_to_float(hc));
    return gmptx_narrow(computed(what, a, b, c), brain, 0);
}

/* Lanes of 16 bits, or of 32 that hold two: as bytes they are the same. */
static void run_half(ptx_warp *w, const ptx_op *op, half_op what)
{
    const bool brain = op->type == PTX_BF16 || op->type == PTX_BF16X2;
    const unsigned halves = op->type == PTX_F16X2 || op->type == PTX_BF16X2 ? 2 : 1;
    uint16_t *d = lanes_of(w, op->r[0]);
    const uint16_t *a = lanes_of(w, op->r[1]);
    const uint16_t *b = op->refs > 2 ? lanes_of(w, op->r[2]) : a;
    const uint16_t *c = op->refs > 3 ? lanes_of(w, op->r[3]) : a;
    EACH_ACTIVE(w)
    for (unsigned k = i * halves; k < (i + 1) * halves; k++)
        d[k] = gmptx_compute_half(what, brain, a[k], b[k], c[k]);
}
RUN_AS(add, run_half, HALF_ADD)
RUN_AS(sub, run_half, HALF_SUB)
RUN_AS(mul, run_half, HALF_MUL)
RUN_AS(fma_half, run_half, HALF_FMA)
RUN_AS(fma_relu, run_half, HALF_FMA_RELU)
RUN_AS(min, run_half, HALF_MIN)
RUN_AS(max, run_half, HALF_MAX)
RUN_AS(min_nan, run_half, HALF_MIN_NAN)
RUN_AS(max_nan, run_half, HALF_MAX_NAN)
RUN_AS(neg, run_half, HALF_NEG)
RUN_AS(abs_half, run_half, HALF_ABS)
RUN_AS(ex2, run_half, HALF_EX2)
RUN_AS(tanh_half, run_half, HALF_TANH)

/* ---------------------------------------------------------------------- comparisons of pairs */

static bool holds(unsigned comparison, float a, float b)
{
#define WHETHER(N, EXPR, ...)                                                                      \
    case COMPARISON_##N:                                                                           \
        return EXPR;
    switch (comparison) {
        EACH_COMPARISON(WHETHER, )
    }
    return false;
}

static void compare_pair(ptx_warp *w, const ptx_op *op, uint32_t low_high[2])
{
    const uint16_t *a = lanes_of(w, op->r[op->writes]), *b = lanes_of(w, op->r[op->writes + 1]);
    low_high[0] = low_high[1] = 0;
    EACH_ACTIVE(w)
    for (unsigned k = 0; k < 2; k++) {
        const uint16_t x = a[2 * i + k], y = b[2 * i + k];
        const bool is = op->mode2 ? holds(op->mode, bf16_to_float(x), bf16_to_float(y))
                                  : holds(op->mode, gmptx_half_to_float(x), gmptx_half_to_float(y));
        low_high[k] |= (uint32_t)is << i;
    }
}

/* setp.lt.f16x2 p|q, a, b */
void gmptx_run_setp_pair(ptx_warp *w, const ptx_op *op)
{
    uint32_t low_high[2];
    compare_pair(w, op, low_high);
    for (unsigned k = 0; k < op->writes; k++) {
        uint32_t *p = mask_of(w, op->r[k]);
        *p = (*p & ~w->active) | low_high[k];
    }
}

/* set.lt.f16x2.f16x2 and set.lt.u32.f16x2: 1.0 or all ones in each half */
void gmptx_run_set_pair(ptx_warp *w, const ptx_op *op)
{
    uint32_t low_high[2];
    compare_pair(w, op, low_high);
    const uint32_t yes = op->type == PTX_F16X2 ? 0x3c00 : op->type == PTX_BF16X2 ? 0x3f80 : 0xffff;
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w) d[i] = (low_high[0] >> i & 1) * yes | (low_high[1] >> i & 1) * yes << 16;
}

#define ROWS(KEY, ONE, TWO, NAME)                                                                  \
    {KEY, PTX_F16, ONE, NAME}, {KEY, PTX_BF16, ONE, NAME}, {KEY, PTX_F16X2, TWO, NAME},            \
    {                                                                                              \
        KEY, PTX_BF16X2, TWO, NAME                                                                 \
    }

const ptx_row gmptx_half_rows[] = {
    ROWS("add", "222", "444", add),
    ROWS("sub", "222", "444", sub),
    ROWS("mul", "222", "444", mul),
    ROWS("fma", "2222", "4444", fma_half),
    ROWS("fma.relu", "2222", "4444", fma_relu),
    ROWS("min", "222", "444", min),
    ROWS("max", "222", "444", max),
    ROWS("min.NaN", "222", "444", min_nan),
    ROWS("max.NaN", "222", "444", max_nan),
    ROWS("neg", "22", "44", neg),
    ROWS("abs", "22", "44", abs_half),
    ROWS("ex2.approx", "22", "44", ex2),
    ROWS("tanh.approx", "22", "44", tanh_half),
    {NULL},
};
