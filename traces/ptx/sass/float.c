/* SPDX-License-Identifier: MIT
 *
 * float.c - float and double arithmetic and comparisons. IEEE operations are exact; what MUFU
 * approximates is computed by the C library, at least as exactly, so that last bits may differ.
 */
#include "traces/ptx/sass/sass.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif

/* Around `inner`: the way of rounding, and results between 0 and 1. */
static void adjusted(ptx_warp *w, const ptx_op *op)
{
    fesetround(direction_of(op->mode2));
    op->inner(w, op);
    fesetround(FE_TONEAREST);
    if (!(op->flags & PTX_FLAG_SATURATE))
        return;
    float *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w) d[i] = d[i] > 0 ? d[i] < 1 ? d[i] : 1 : 0;
}

/* Takes the words that all of these may have; which of `run` and `ftz` it is. */
static bool finish(sass_builder *b, ptx_run run, ptx_run ftz)
{
    ptx_op *op = b->op;
    op->mode2 = gmsass_take_rounding(b);
    op->run = sass_take(&b->in, SASS_WORD_FTZ) ? ftz : run;
    if (sass_take(&b->in, SASS_WORD_SAT))
        op->flags |= PTX_FLAG_SATURATE;
    if (op->mode2 || op->flags & PTX_FLAG_SATURATE) {
        op->inner = op->run;
        op->run = adjusted;
    }
    return op->run != NULL;
}

static bool sources(sass_builder *b, unsigned units, unsigned count)
{
    gmsass_result(b, units);
    for (unsigned i = 0; i < count; i++)
        gmsass_source(b, units);
    return true;
}

/* ----------------------------------------------------------------------------------- arithmetic */

#define FLOAT_BODY(N, EXPR)                                                                        \
    {                                                                                              \
        uint32_t room_[3][LANES];                                                                  \
        const float *a_ = float_of(w, op, 1, room_[0]),                                            \
                    *b_ = N > 1 ? float_of(w, op, 2, room_[1]) : a_,                               \
                    *c_ = N > 2 ? float_of(w, op, 3, room_[2]) : a_;                               \
        float *d_ = result_of(w, op->r[0]);                                                        \
        EACH_LANE                                                                                  \
        {                                                                                          \
            const float a = a_[i], b = b_[i], c = c_[i];                                           \
            (void)b, (void)c;                                                                      \
            d_[i] = (EXPR);                                                                        \
        }                                                                                          \
        blend_float(w, op->r[0]);                                                                  \
    }
#define FLOATS(NAME, N, EXPR, FLUSHED)                                                             \
    static void NAME(ptx_warp *w, const ptx_op *op)                                                \
        FLOAT_BODY(N, EXPR) static void NAME##_ftz(ptx_warp *w, const ptx_op *op)                  \
            FLOAT_BODY(N, FLUSHED)

FLOATS(addf, 2, a + b, flush(flush(a) + flush(b)))
FLOATS(mulf, 2, a *b, flush(flush(a) * flush(b)))
FLOATS(fmaf_, 3, fmaf(a, b, c), flush(fmaf(flush(a), flush(b), flush(c))))
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2,fma"))) static void fmaf_fast(ptx_warp *w, const ptx_op *op)
    FLOAT_BODY(3, __builtin_fmaf(a, b, c))
        __attribute__((target("avx2,fma"))) static void fmaf_ftz_fast(ptx_warp *w, const ptx_op *op)
            FLOAT_BODY(3, flush(__builtin_fmaf(flush(a), flush(b), flush(c))))
#endif

                static bool make_fadd(sass_builder *b)
{
    return sources(b, 1, 2) && finish(b, addf, addf_ftz);
}
static bool make_fmul(sass_builder *b)
{
    return sources(b, 1, 2) && finish(b, mulf, mulf_ftz);
}
static bool make_ffma(sass_builder *b)
{
    ptx_run run = fmaf_, ftz = fmaf__ftz;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2")) {
        run = fmaf_fast;
        ftz = fmaf_ftz_fast;
    }
#endif
    return sources(b, 1, 3) && finish(b, run, ftz);
}

/* r = d, a, b, predicate: the smaller one where it holds. */
static void fmnmx(ptx_warp *w, const ptx_op *op)
{
    uint32_t room[2][LANES];
    const float *a = float_of(w, op, 1, room[0]), *b = float_of(w, op, 2, room[1]);
    const uint32_t p = predicate_of(w, op, 3);
    const bool ftz = op->flags & PTX_FLAG_FTZ;
    float *d = result_of(w, op->r[0]);
    for (unsigned i = 0; i < LANES; i++) {
        const float x = ftz ? flush(a[i]) : a[i], y = ftz ? flush(b[i]) : b[i];
        const float low = (float)min64((double)x, (double)y);
        const float high = (float)max64((double)x, (double)y);
        d[i] = p >> i & 1 ? low : high;
        if (op->mode && (isnan(x) || isnan(y)))
            d[i] = NAN;
    }
    blend_float(w, op->r[0]);
}
static bool make_fmnmx(sass_builder *b)
{
    b->op->mode = sass_take(&b->in, SASS_WORD_NAN);
    b->op->flags |= sass_take(&b->in, SASS_WORD_FTZ) ? PTX_FLAG_FTZ : 0;
    sources(b, 1, 2);
    gmsass_predicate(b);
    b->op->run = fmnmx;
    return true;
}

static void fsel(ptx_warp *w, const ptx_op *op)
{
    uint32_t room[2][LANES];
    const float *a = float_of(w, op, 1, room[0]), *b = float_of(w, op, 2, room[1]);
    const uint32_t p = predicate_of(w, op, 3);
    float *d = result_of(w, op->r[0]);
    EACH_LANE d[i] = p >> i & 1 ? a[i] : b[i];
    blend_float(w, op->r[0]);
}
static bool make_fsel(sass_builder *b)
{
    sources(b, 1, 2);
    gmsass_predicate(b);
    b->op->run = fsel;
    return true;
}

/* ---------------------------------------------------------------------------------- comparisons */

/* r = p, p, a, b, predicate */
static void fsetp(ptx_warp *w, const ptx_op *op)
{
    uint32_t room[2][LANES], yes = 0;
    const float *a = float_of(w, op, 2, room[0]), *b = float_of(w, op, 3, room[1]);
    const bool ftz = op->flags & PTX_FLAG_FTZ;
    EACH_ACTIVE(w)
    yes |= (uint32_t)gmsass_compare(op, (double)(ftz ? flush(a[i]) : a[i]),
                                    (double)(ftz ? flush(b[i]) : b[i]))
           << i;
    gmsass_join(w, op, yes, ~yes, predicate_of(w, op, 4));
}
static void dsetp(ptx_warp *w, const ptx_op *op)
{
    double a[LANES], b[LANES];
    uint32_t yes = 0;
    double_of(w, op, 2, a);
    double_of(w, op, 3, b);
    EACH_ACTIVE(w) yes |= (uint32_t)gmsass_compare(op, a[i], b[i]) << i;
    gmsass_join(w, op, yes, ~yes, predicate_of(w, op, 4));
}
static bool make_setp(sass_builder *b)
{
    const unsigned units = b->in.name == SASS_DSETP ? 2 : 1;
    b->op->flags |= sass_take(&b->in, SASS_WORD_FTZ) ? PTX_FLAG_FTZ : 0;
    if (!gmsass_take_comparison(b))
        return false;
    gmsass_compared(b, units);
    b->op->run = units == 2 ? dsetp : fsetp;
    return true;
}

/* p where a / b needs the long way: exponents near the ends, zero (micro/silent_loops.cu, escape),
 * infinity, NaN. */
static void fchk(ptx_warp *w, const ptx_op *op)
{
    uint32_t room[2][LANES], yes = 0;
    const float *a = float_of(w, op, 1, room[0]), *b = float_of(w, op, 2, room[1]);
    EACH_ACTIVE(w)
    {
        uint32_t x, y;
        memcpy(&x, &a[i], sizeof x);
        memcpy(&y, &b[i], sizeof y);
        const int ea = (int)(x >> 23 & 255) - 127, eb = (int)(y >> 23 & 255) - 127;
        const bool far =
            eb <= -127 || eb >= 125 || ea == 128 || ea - eb >= 127 || ea - eb <= -125 || ea <= -103;
        yes |= (uint32_t)far << i;
    }
    set_predicate(w, op, 0, yes);
}
static bool make_fchk(sass_builder *b)
{
    gmsass_set_predicate(b);
    gmsass_source(b, 1);
    gmsass_source(b, 1);
    b->op->run = fchk;
    return true;
}

/* --------------------------------------------------------------------------------------- double */

#define DOUBLES(NAME, N, EXPR)                                                                     \
    static void NAME(ptx_warp *w, const ptx_op *op)                                                \
    {                                                                                              \
        double a[LANES], b[LANES], c[LANES];                                                       \
        double_of(w, op, 1, a);                                                                    \
        double_of(w, op, 2, b);                                                                    \
        double_of(w, op, N > 2 ? 3 : 2, c);                                                        \
        for (unsigned i = 0; i < LANES; i++)                                                       \
            a[i] = (EXPR);                                                                         \
        set_wide(w, op, 0, a);                                                                     \
    }
DOUBLES(addd, 2, a[i] + b[i])
DOUBLES(muld, 2, a[i] * b[i])
DOUBLES(fmad, 3, fma(a[i], b[i], c[i]))
static bool make_double(sass_builder *b)
{
    const sass_name name = b->in.name;
    const ptx_run run = name == SASS_DADD ? addd : name == SASS_DMUL ? muld : fmad;
    return sources(b, 2, run == fmad ? 3 : 2) && finish(b, run, NULL);
}

/* ----------------------------------------------------------------------------------------- MUFU */

#define TURN 6.283185307179586
FLOATS(rcp, 1, 1.0f / a, flush(1.0f / flush(a)))
FLOATS(rsq, 1, (float)(1.0 / sqrt((double)a)), flush((float)(1.0 / sqrt((double)flush(a)))))
FLOATS(root, 1, sqrtf(a), flush(sqrtf(flush(a))))
FLOATS(ex2, 1, exp2f(a), flush(exp2f(flush(a))))
FLOATS(lg2, 1, log2f(a), flush(log2f(flush(a))))
FLOATS(sine, 1, (float)sin((double)a *TURN), flush((float)sin((double)flush(a) * TURN)))
FLOATS(cosine, 1, (float)cos((double)a *TURN), flush((float)cos((double)flush(a) * TURN)))
FLOATS(tangent, 1, tanhf(a), flush(tanhf(flush(a))))

/* The upper half of a double's approximate reciprocal, or of its root's. */
static void upper_half(ptx_warp *w, const ptx_op *op)
{
    uint32_t room[LANES];
    const uint32_t *a = (const uint32_t *)(const void *)float_of(w, op, 1, room);
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w)
    {
        uint64_t bits = (uint64_t)a[i] << 32;
        double x;
        memcpy(&x, &bits, sizeof x);
        x = op->mode ? 1.0 / sqrt(x) : 1.0 / x;
        memcpy(&bits, &x, sizeof bits);
        d[i] = (uint32_t)(bits >> 32);
    }
}

static bool make_mufu(sass_builder *b)
{
    static const struct {
        sass_word word;
        ptx_run run, ftz;
    } table[] = {{SASS_WORD_RCP, rcp, rcp_ftz},        {SASS_WORD_RSQ, rsq, rsq_ftz},
                 {SASS_WORD_SQRT, root, root_ftz},     {SASS_WORD_EX2, ex2, ex2_ftz},
                 {SASS_WORD_LG2, lg2, lg2_ftz},        {SASS_WORD_SIN, sine, sine_ftz},
                 {SASS_WORD_COS, cosine, cosine_ftz},  {SASS_WORD_TANH, tangent, tangent_ftz},
                 {SASS_WORD_RCP64H, upper_half, NULL}, {SASS_WORD_RSQ64H, upper_half, NULL}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (sass_take(&b->in, table[i].word)) {
            b->op->mode = table[i].word == SASS_WORD_RSQ64H;
            return sources(b, 1, 1) && finish(b, table[i].run, table[i].ftz);
        }
    return false;
}

const sass_row gmsass_float_rows[] = {
    {SASS_FADD, make_fadd},   {SASS_FMUL, make_fmul},   {SASS_FFMA, make_ffma},
    {SASS_FMNMX, make_fmnmx}, {SASS_FSEL, make_fsel},   {SASS_FSETP, make_setp},
    {SASS_DSETP, make_setp},  {SASS_FCHK, make_fchk},   {SASS_DADD, make_double},
    {SASS_DMUL, make_double}, {SASS_DFMA, make_double}, {SASS_MUFU, make_mufu},
    {SASS_NOP, NULL},
};
