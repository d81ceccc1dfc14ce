/* SPDX-License-Identifier: MIT
 *
 * exec_float.c - float and double arithmetic, comparisons, rounding modes and saturation.
 * IEEE operations are exact. The approximate ones (ex2, lg2, sin, cos, tanh, rcp, sqrt, rsqrt,
 * div .approx) are computed by the C library, so they are at least as exact as the hardware's and
 * differ from it in last bits.
 */
#include "traces/ptx/exec.h"

/* Most rows have no variant that flushes subnormals. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif

/* Results that are NaN are the canonical one; min and max take the number where one is NaN and
 * order the zeros. */
static inline float min32(float a, float b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}
static inline float max32(float a, float b)
{
    return isnan(a) ? b : isnan(b) ? a : a > b || (a == b && !signbit(a)) ? a : b;
}

#define F1(NAME, EXPR)                                                                             \
    RUN1(NAME, float, float, EXPR)                                                                 \
    static inline float NAME##_of(float a)                                                         \
    {                                                                                              \
        return EXPR;                                                                               \
    }                                                                                              \
    RUN1(NAME##_ftz, float, float, flush(NAME##_of(flush(a))))
#define F2(NAME, EXPR)                                                                             \
    RUN2(NAME, float, float, float, EXPR)                                                          \
    static inline float NAME##_of(float a, float b)                                                \
    {                                                                                              \
        return EXPR;                                                                               \
    }                                                                                              \
    RUN2(NAME##_ftz, float, float, float, flush(NAME##_of(flush(a), flush(b))))
#define F3(NAME, EXPR)                                                                             \
    RUN3(NAME, float, float, float, float, EXPR)                                                   \
    static inline float NAME##_of(float a, float b, float c)                                       \
    {                                                                                              \
        return EXPR;                                                                               \
    }                                                                                              \
    RUN3(NAME##_ftz, float, float, float, float, flush(NAME##_of(flush(a), flush(b), flush(c))))

F2(addf, a + b)
F2(subf, a - b)
F2(mulf, a *b)
F2(divf, a / b)
F2(minf, min32(a, b))
F2(maxf, max32(a, b))
F2(minf_nan, isnan(a) || isnan(b) ? NAN : min32(a, b))
F2(maxf_nan, isnan(a) || isnan(b) ? NAN : max32(a, b))
F3(fmaf_, fmaf(a, b, c))
F1(negf, -a)
F1(absf, fabsf(a))
F1(sqrtf_, sqrtf(a))
F1(rsqrtf_, (float)(1.0 / sqrt((double)a)))
F1(rcpf, 1.0f / a)
F1(ex2f, exp2f(a))
F1(lg2f, log2f(a))
F1(sinf_, sinf(a))
F1(cosf_, cosf(a))
F1(tanhf_, tanhf(a))
RUN2(copysignf_, float, float, float, copysignf(b, a))

RUN2(addd, double, double, double, a + b)
RUN2(subd, double, double, double, a - b)
RUN2(muld, double, double, double, a *b)
RUN2(divd, double, double, double, a / b)
RUN2(mind, double, double, double, min64(a, b))
RUN2(maxd, double, double, double, max64(a, b))
RUN3(fmad, double, double, double, double, fma(a, b, c))
RUN1(negd, double, double, -a)
RUN1(absd, double, double, fabs(a))
RUN1(sqrtd, double, double, sqrt(a))
RUN1(rsqrtd, double, double, 1.0 / sqrt(a))
RUN1(rcpd, double, double, 1.0 / a)
RUN2(copysignd, double, double, double, copysign(b, a))

/* The approximations that double division and roots start from keep the upper half of the bits
 * alone; code that uses them refines them. */
static inline double upper(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= 0xffffffff00000000ull;
    memcpy(&v, &bits, sizeof v);
    return v;
}
RUN1(rcpd_approx, double, double, upper(1.0 / a))
RUN1(rsqrtd_approx, double, double, upper(1.0 / sqrt(a)))

#if defined(__x86_64__) && defined(__GNUC__)
/* With the instruction instead of the library's function, eight times as fast. Chosen when the
 * kernel is decoded. */
__attribute__((target("avx2,fma"))) static void fmaf_fast(ptx_warp *w, const ptx_op *op)
{
    float *d_ = result_of(w, op->r[0]);
    const float *a_ = lanes_of(w, op->r[1]), *b_ = lanes_of(w, op->r[2]),
                *c_ = lanes_of(w, op->r[3]);
    EACH_LANE d_[i] = __builtin_fmaf(a_[i], b_[i], c_[i]);
    blend_float(w, op->r[0]);
}
__attribute__((target("avx2,fma"))) static void fmaf_ftz_fast(ptx_warp *w, const ptx_op *op)
{
    float *d_ = result_of(w, op->r[0]);
    const float *a_ = lanes_of(w, op->r[1]), *b_ = lanes_of(w, op->r[2]),
                *c_ = lanes_of(w, op->r[3]);
    EACH_LANE d_[i] = flush(__builtin_fmaf(flush(a_[i]), flush(b_[i]), flush(c_[i])));
    blend_float(w, op->r[0]);
}
__attribute__((target("avx2,fma"))) static void fmad_fast(ptx_warp *w, const ptx_op *op)
{
    double *d_ = result_of(w, op->r[0]);
    const double *a_ = lanes_of(w, op->r[1]), *b_ = lanes_of(w, op->r[2]),
                 *c_ = lanes_of(w, op->r[3]);
    EACH_LANE d_[i] = __builtin_fma(a_[i], b_[i], c_[i]);
    blend_double(w, op->r[0]);
}
ptx_run gmptx_faster(ptx_run run)
{
    if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2"))
        return run;
    return run == fmaf_       ? fmaf_fast
           : run == fmaf__ftz ? fmaf_ftz_fast
           : run == fmad      ? fmad_fast
                              : run;
}
#else
ptx_run gmptx_faster(ptx_run run)
{
    return run;
}
#endif

/* is NaN or infinite ... : testp */
#define TESTP(NAME, EXPR)                                                                          \
    static void NAME(ptx_warp *w, const ptx_op *op)                                                \
    {                                                                                              \
        uint32_t *d = mask_of(w, op->r[0]), bits = 0;                                              \
        const bool wide = op->type == PTX_F64;                                                     \
        const void *a_ = lanes_of(w, op->r[1]);                                                    \
        for (unsigned i = 0; i < LANES; i++) {                                                     \
            const int kind =                                                                       \
                wide ? fpclassify(((const double *)a_)[i]) : fpclassify(((const float *)a_)[i]);   \
            bits |= (uint32_t)(EXPR) << i;                                                         \
        }                                                                                          \
        *d = (*d & ~w->active) | (bits & w->active);                                               \
    }
TESTP(test_finite, kind != FP_NAN && kind != FP_INFINITE)
TESTP(test_infinite, kind == FP_INFINITE)
TESTP(test_number, kind != FP_NAN)
TESTP(test_nan, kind == FP_NAN)
TESTP(test_normal, kind == FP_NORMAL)
TESTP(test_subnormal, kind == FP_SUBNORMAL)

const ptx_row gmptx_float_rows[] = {
    {"add", PTX_F32, "444", addf, addf_ftz},
    {"sub", PTX_F32, "444", subf, subf_ftz},
    {"mul", PTX_F32, "444", mulf, mulf_ftz},
    {"div", PTX_F32, "444", divf, divf_ftz},
    {"div.approx", PTX_F32, "444", divf, divf_ftz},
    {"div.full", PTX_F32, "444", divf, divf_ftz},
    {"min", PTX_F32, "444", minf, minf_ftz},
    {"max", PTX_F32, "444", maxf, maxf_ftz},
    {"min.NaN", PTX_F32, "444", minf_nan, minf_nan_ftz},
    {"max.NaN", PTX_F32, "444", maxf_nan, maxf_nan_ftz},
    {"fma", PTX_F32, "4444", fmaf_, fmaf__ftz},
    {"mad", PTX_F32, "4444", fmaf_, fmaf__ftz},
    {"neg", PTX_F32, "44", negf, negf_ftz},
    {"abs", PTX_F32, "44", absf, absf_ftz},
    {"sqrt", PTX_F32, "44", sqrtf_, sqrtf__ftz},
    {"sqrt.approx", PTX_F32, "44", sqrtf_, sqrtf__ftz},
    {"rsqrt.approx", PTX_F32, "44", rsqrtf_, rsqrtf__ftz},
    {"rcp", PTX_F32, "44", rcpf, rcpf_ftz},
    {"rcp.approx", PTX_F32, "44", rcpf, rcpf_ftz},
    {"ex2.approx", PTX_F32, "44", ex2f, ex2f_ftz},
    {"lg2.approx", PTX_F32, "44", lg2f, lg2f_ftz},
    {"sin.approx", PTX_F32, "44", sinf_, sinf__ftz},
    {"cos.approx", PTX_F32, "44", cosf_, cosf__ftz},
    {"tanh.approx", PTX_F32, "44", tanhf_, tanhf__ftz},
    {"copysign", PTX_F32, "444", copysignf_},
    {"add", PTX_F64, "888", addd},
    {"sub", PTX_F64, "888", subd},
    {"mul", PTX_F64, "888", muld},
    {"div", PTX_F64, "888", divd},
    {"min", PTX_F64, "888", mind},
    {"max", PTX_F64, "888", maxd},
    {"fma", PTX_F64, "8888", fmad},
    {"mad", PTX_F64, "8888", fmad},
    {"neg", PTX_F64, "88", negd},
    {"abs", PTX_F64, "88", absd},
    {"sqrt", PTX_F64, "88", sqrtd},
    {"rsqrt.approx", PTX_F64, "88", rsqrtd, rsqrtd_approx},
    {"rcp", PTX_F64, "88", rcpd},
    {"rcp.approx", PTX_F64, "88", rcpd_approx, rcpd_approx},
    {"copysign", PTX_F64, "888", copysignd},
    {"testp.finite", PTX_F32, "p4", test_finite},
    {"testp.infinite", PTX_F32, "p4", test_infinite},
    {"testp.number", PTX_F32, "p4", test_number},
    {"testp.notanumber", PTX_F32, "p4", test_nan},
    {"testp.normal", PTX_F32, "p4", test_normal},
    {"testp.subnormal", PTX_F32, "p4", test_subnormal},
    {"testp.finite", PTX_F64, "p8", test_finite},
    {"testp.infinite", PTX_F64, "p8", test_infinite},
    {"testp.number", PTX_F64, "p8", test_number},
    {"testp.notanumber", PTX_F64, "p8", test_nan},
    {"testp.normal", PTX_F64, "p8", test_normal},
    {"testp.subnormal", PTX_F64, "p8", test_subnormal},
    {NULL},
};

/* ------------------------------------------------------------------------------------- wrappers */

void gmptx_run_rounded(ptx_warp *w, const ptx_op *op)
{
    const int before = fegetround();
    fesetround(direction_of(op->mode));
    op->inner(w, op);
    fesetround(before);
}

/* .sat: to [0, 1], NaN to 0. */
void gmptx_run_saturated(ptx_warp *w, const ptx_op *op)
{
    if (op->mode)
        gmptx_run_rounded(w, op);
    else
        op->inner(w, op);
    if (op->type == PTX_F32) {
        float *d = lanes_of(w, op->r[0]);
        EACH_ACTIVE(w) d[i] = d[i] > 0.0f ? (d[i] < 1.0f ? d[i] : 1.0f) : 0.0f;
        return;
    }
    uint16_t *d = lanes_of(w, op->r[0]);
    const unsigned halves = op->type == PTX_F16X2 ? 2 : 1;
    EACH_ACTIVE(w)
    for (unsigned k = 0; k < halves; k++) {
        uint16_t *h = &d[i * halves + k];
        const float v = gmptx_half_to_float(*h);
        *h = v > 0.0f ? (v < 1.0f ? *h : 0x3c00) : 0;
    }
}

/* ---------------------------------------------------------------------------------- comparisons */

#define COMPARE(NAME, T, CONVERT, EXPR)                                                            \
    WIDE static uint32_t NAME(const ptx_warp *w, const ptx_op *op)                                 \
    {                                                                                              \
        const T *a_ = lanes_of(w, op->r[op->writes]), *b_ = lanes_of(w, op->r[op->writes + 1]);    \
        uint32_t bits = 0, yes[LANES];                                                             \
        EACH_LANE                                                                                  \
        {                                                                                          \
            const __auto_type a = CONVERT(a_[i]);                                                  \
            const __auto_type b = CONVERT(b_[i]);                                                  \
            yes[i] = (uint32_t)(EXPR);                                                             \
        }                                                                                          \
        for (unsigned i = 0; i < LANES; i++)                                                       \
            bits |= yes[i] << i;                                                                   \
        return bits;                                                                               \
    }
#define SAME(x)                      (x)
#define COMPARE_AS(N, EXPR, S, T, C) COMPARE(N##_##S, T, C, EXPR)
#define INT_COMPARES(S, T)           INTEGER_COMPARISONS(COMPARE_AS, S, T, SAME)
#define FLOAT_COMPARES(S, T, C)      EACH_COMPARISON(COMPARE_AS, S, T, C)

INT_COMPARES(u16, uint16_t)
INT_COMPARES(s16, int16_t)
INT_COMPARES(u32, uint32_t)
INT_COMPARES(s32, int32_t)
INT_COMPARES(u64, uint64_t)
INT_COMPARES(s64, int64_t)
FLOAT_COMPARES(f32, float, SAME)
FLOAT_COMPARES(f32z, float, flush)
FLOAT_COMPARES(f64, double, SAME)
FLOAT_COMPARES(f16, uint16_t, gmptx_half_to_float)
FLOAT_COMPARES(bf16, uint16_t, bf16_to_float)

#define FUNCTION_OF(N, EXPR, S) N##_##S,
#define INT_ROW(S)                                                                                 \
    {                                                                                              \
        INTEGER_COMPARISONS(FUNCTION_OF, S)                                                        \
    }
#define FLOAT_ROW(S)                                                                               \
    {                                                                                              \
        EACH_COMPARISON(FUNCTION_OF, S)                                                            \
    }

unsigned gmptx_compare_number(ptx_slice name)
{
#define NAME_OF(N, EXPR, ...) #N,
    static const char *const names[COMPARISONS] = {EACH_COMPARISON(NAME_OF, )};
    unsigned i = 0;
    while (i < COMPARISONS && !slice_is(name, names[i]))
        i++;
    return i;
}

ptx_compare gmptx_compare_of(ptx_slice name, ptx_type type, bool ftz)
{
    static const char *const unsigned_names[4] = {"lo", "ls", "hi", "hs"};
    static const ptx_compare table[PTX_TYPE_COUNT][COMPARISONS] = {
        [PTX_B16] = {eq_u16, ne_u16}, [PTX_B32] = {eq_u32, ne_u32}, [PTX_B64] = {eq_u64, ne_u64},
        [PTX_U16] = INT_ROW(u16),     [PTX_S16] = INT_ROW(s16),     [PTX_U32] = INT_ROW(u32),
        [PTX_S32] = INT_ROW(s32),     [PTX_U64] = INT_ROW(u64),     [PTX_S64] = INT_ROW(s64),
        [PTX_F32] = FLOAT_ROW(f32),   [PTX_F64] = FLOAT_ROW(f64),   [PTX_F16] = FLOAT_ROW(f16),
        [PTX_BF16] = FLOAT_ROW(bf16),
    };
    static const ptx_compare flushing[COMPARISONS] = FLOAT_ROW(f32z);
    const unsigned number = gmptx_compare_number(name);
    if (number < COMPARISONS)
        return ftz && type == PTX_F32 ? flushing[number] : table[type][number];
    for (unsigned i = 0; i < 4; i++)
        if (slice_is(name, unsigned_names[i]) &&
            (type == PTX_U16 || type == PTX_U32 || type == PTX_U64))
            return table[type][2 + i];
    return NULL;
}

static uint32_t combine(const ptx_op *op, uint32_t compared, uint32_t other)
{
    if (op->flags & PTX_FLAG_NEGATED)
        other = ~other;
    switch (op->mode2) {
    case '&':
        return compared & other;
    case '|':
        return compared | other;
    case '^':
        return compared ^ other;
    default:
        return compared;
    }
}

/* setp.lt.and.s32 p|q, a, b, c: r = p, [q,] a, b, [c] */
void gmptx_run_setp(ptx_warp *w, const ptx_op *op)
{
    const uint32_t compared = op->compare(w, op);
    const uint32_t other = op->mode2 ? *mask_of(w, op->r[op->writes + 2]) : 0;
    const uint32_t active = w->active;
    uint32_t *p = mask_of(w, op->r[0]);
    *p = (*p & ~active) | (combine(op, compared, other) & active);
    if (op->writes == 2) {
        uint32_t *q = mask_of(w, op->r[1]);
        *q = (*q & ~active) | (combine(op, ~compared, other) & active);
    }
}

/* set.lt.u32.f32: all ones or 1.0 */
void gmptx_run_set(ptx_warp *w, const ptx_op *op)
{
    const uint32_t other = op->mode2 ? *mask_of(w, op->r[op->writes + 2]) : 0;
    const uint32_t bits = combine(op, op->compare(w, op), other);
    const ptx_type type = (ptx_type)op->type;
    if (gmptx_type_bytes(type) == 2) {
        const uint16_t yes = type == PTX_F16 ? 0x3c00 : type == PTX_BF16 ? 0x3f80 : 0xffff;
        uint16_t *d = lanes_of(w, op->r[0]);
        EACH_ACTIVE(w) d[i] = bits >> i & 1 ? yes : 0;
        return;
    }
    const uint32_t yes = type == PTX_F32 ? 0x3f800000u : UINT32_MAX;
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w) d[i] = bits >> i & 1 ? yes : 0;
}
