/* SPDX-License-Identifier: MIT
 *
 * path_real.c - runs steps of floats and doubles. IEEE operations are exact; special functions are
 * the C library's, at least as exact as the hardware's, so that last bits may differ.
 */
#include "traces/code/path_step.h"
#include "traces/format/wide.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#define TURN 6.283185307179586 /* sines and cosines are of turns */

static inline float to_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t from_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline double to_double(uint32_t low, uint32_t high)
{
    const uint64_t bits = (uint64_t)high << 32 | low;
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static inline float flushed(const path_step *step, float f)
{
    return step->mode & REAL_FLUSHES && fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

static inline float finished(const path_step *step, float f)
{
    if (step->mode & REAL_SATURATES)
        f = f > 0 ? (f < 1 ? f : 1) : 0;
    return flushed(step, f);
}

static void put_double(path_made made, unsigned lane, double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    made[0][lane] = (uint32_t)bits;
    made[1][lane] = (uint32_t)(bits >> 32);
}

/* All lanes' floats; where it flushes, those without an exponent are zeros of their sign. */
static inline __attribute__((always_inline)) void copy_floats(void *to, const void *from,
                                                              bool flushes)
{
    uint32_t bits[GMTRACE_WARP_LANES];
    memcpy(bits, from, sizeof bits);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES && flushes; i++)
        bits[i] &= bits[i] & 0x7f800000u ? UINT32_MAX : 0x80000000u;
    memcpy(to, bits, sizeof bits);
}

/* Sums, products and both of floats. */
static inline __attribute__((always_inline)) void floats_as(const path_step *step, path_sources a,
                                                            path_made made, bool flushes)
{
    float x[GMTRACE_WARP_LANES], y[GMTRACE_WARP_LANES], z[GMTRACE_WARP_LANES];
    copy_floats(x, a[0], flushes);
    copy_floats(y, a[1], flushes);
    if (step->what == STEP_REAL_ADD) {
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            x[i] += y[i];
    } else if (step->what == STEP_REAL_MUL) {
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            x[i] *= y[i];
        const float scale = step->shift ? ldexpf(1, step->shift - SCALE_ONE) : 1;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES && step->shift; i++)
            x[i] *= scale;
    } else {
        copy_floats(z, a[2], flushes);
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            x[i] = fmaf(x[i], y[i], z[i]);
    }
    for (unsigned i = 0; i < GMTRACE_WARP_LANES && step->mode & REAL_SATURATES; i++)
        x[i] = x[i] > 0 ? (x[i] < 1 ? x[i] : 1) : 0;
    copy_floats(made[0], x, flushes);
}

/* Of all lanes at once, as nothing is done more often. */
WIDE static void floats(const path_step *step, path_sources a, path_made made)
{
    if (step->mode & REAL_FLUSHES)
        floats_as(step, a, made, true);
    else
        floats_as(step, a, made, false);
}

static void arithmetic(const path_step *step, path_sources a, unsigned lanes, path_made made)
{
    const bool sum = step->what == STEP_REAL_ADD, product = step->what == STEP_REAL_MUL;
    if (!(step->mode & REAL_DOUBLE)) {
        floats(step, a, made);
        return;
    }
    for (unsigned i = 0; i < lanes; i++) {
        const double x = to_double(a[0][i], a[1][i]), y = to_double(a[2][i], a[3][i]);
        const double z = sum || product ? 0 : to_double(a[4][i], a[5][i]);
        put_double(made, i, sum ? x + y : product ? x * y : fma(x, y, z));
    }
}

static bool holds(uint8_t mode, double x, double y)
{
    return mode & (x < y ? 1 : x > y ? 4 : isnan(x) || isnan(y) ? 8 : 2);
}

/* mode: the comparison; shift: the modes. */
static void compare(const path_step *step, path_sources a, unsigned lanes, path_made made)
{
    const path_step values = {.mode = step->shift};
    for (unsigned i = 0; i < lanes; i++) {
        const bool is_double = step->shift & REAL_DOUBLE;
        const double x =
            is_double ? to_double(a[0][i], a[1][i]) : (double)flushed(&values, to_float(a[0][i]));
        const double y =
            is_double ? to_double(a[2][i], a[3][i]) : (double)flushed(&values, to_float(a[1][i]));
        const uint32_t with = a[is_double ? 4 : 2][i];
        const bool found = holds(step->mode & COMPARES, x, y);
        made[0][i] = path_step_join(step->mode, found, with);
        made[1][i] = path_step_join(step->mode, !found, with);
    }
}

static void minmax(const path_step *step, path_sources a, unsigned lanes, path_made made)
{
    for (unsigned i = 0; i < lanes; i++) {
        const float x = flushed(step, to_float(a[0][i])), y = flushed(step, to_float(a[1][i]));
        const float f = a[2][i] ? fminf(x, y) : fmaxf(x, y);
        made[0][i] = from_float(step->mode & REAL_NAN && (isnan(x) || isnan(y)) ? NAN : f);
    }
}

/* Does a division of floats need the long way: exponents near the ends, zero over or under the line
 * (micro/silent_loops.cu, escape), infinity, NaN? */
static void check(path_sources a, unsigned lanes, path_made made)
{
    for (unsigned i = 0; i < lanes; i++) {
        const int over = (int)(a[0][i] >> 23 & 255u) - 127;
        const int under = (int)(a[1][i] >> 23 & 255u) - 127;
        made[0][i] = under <= -127 || under >= 125 || over == 128 || over - under >= 127 ||
                     over - under <= -125 || over <= -103;
    }
}

static float special(uint8_t function, float x)
{
    switch (function) {
    case SASS_WORD_RCP:
        return 1 / x;
    case SASS_WORD_RSQ:
        return (float)(1 / sqrt((double)x));
    case SASS_WORD_SQRT:
        return sqrtf(x);
    case SASS_WORD_EX2:
        return exp2f(x);
    case SASS_WORD_LG2:
        return log2f(x);
    case SASS_WORD_SIN:
        return (float)sin((double)x * TURN);
    case SASS_WORD_COS:
        return (float)cos((double)x * TURN);
    default:
        return tanhf(x);
    }
}

static void specials(const path_step *step, path_sources a, unsigned lanes, path_made made)
{
    const bool root = step->shift == SASS_WORD_RSQ64H;
    for (unsigned i = 0; i < lanes; i++) {
        if (root || step->shift == SASS_WORD_RCP64H) { /* the upper half of a double's */
            const double x = to_double(0, a[0][i]), d = root ? 1 / sqrt(x) : 1 / x;
            uint64_t bits;
            memcpy(&bits, &d, sizeof bits);
            made[0][i] = (uint32_t)(bits >> 32);
        } else {
            const float x = flushed(step, to_float(a[0][i]));
            made[0][i] = from_float(finished(step, special(step->shift, x)));
        }
    }
}

static void to_real(const path_step *step, path_sources a, unsigned lanes, path_made made)
{
    const unsigned above = step->shift >> 6 ? 32u - 8u * (step->shift >> 6) : 0; /* bits not read */
    for (unsigned i = 0; i < lanes; i++) {
        const uint32_t top = a[0][i] >> (step->shift & 31u) << above;
        const uint32_t low =
            step->mode & REAL_SIGNED ? (uint32_t)((int32_t)top >> above) : top >> above;
        uint64_t u = low;
        if (step->mode & REAL_BITS_64)
            u |= (uint64_t)a[1][i] << 32;
        else if (step->mode & REAL_SIGNED)
            u = (uint64_t)(int64_t)(int32_t)low;
        const bool sign = step->mode & REAL_SIGNED;
        if (step->mode & REAL_DOUBLE)
            put_double(made, i, sign ? (double)(int64_t)u : (double)u);
        else /* rounded once */
            made[0][i] = from_float(sign ? (float)(int64_t)u : (float)u);
    }
}

static double rounded(const path_step *step, double d)
{
    const unsigned how = step->mode & (REAL_CUTS | REAL_FLOORS);
    return how == REAL_CUTS     ? trunc(d)
           : how == REAL_FLOORS ? floor(d)
           : how                ? ceil(d)
                                : nearbyint(d);
}

static double value_of(const path_step *step, path_sources a, unsigned lane)
{
    return step->mode & REAL_DOUBLE ? to_double(a[0][lane], a[1][lane])
                                    : (double)to_float(a[0][lane]);
}

static uint64_t integer_of(const path_step *step, double d)
{
    const unsigned bits = step->mode & REAL_BITS_64 ? 64 : 32;
    const bool sign = step->mode & REAL_SIGNED;
    const double limit = ldexp(1.0, (int)bits - sign);
    const uint64_t top = UINT64_C(1) << (bits - 1u);
    if (isnan(d))
        return step->shift ? 0 : top;
    if (sign)
        return d >= limit ? top - 1u : d < -limit ? top : (uint64_t)(int64_t)d;
    return d >= limit ? UINT64_MAX : d <= 0 ? 0 : (uint64_t)d;
}

static void to_integer(const path_step *step, path_sources a, unsigned lanes, path_made made)
{
    for (unsigned i = 0; i < lanes; i++) {
        const uint64_t u = integer_of(step, rounded(step, value_of(step, a, i)));
        made[0][i] = (uint32_t)u;
        made[1][i] = (uint32_t)(u >> 32);
    }
}

static void resize(const path_step *step, path_sources a, unsigned lanes, path_made made)
{
    for (unsigned i = 0; i < lanes; i++) {
        double d = value_of(step, a, i);
        if (step->what == STEP_ROUND)
            d = rounded(step, d);
        if (step->what == STEP_WIDEN || (step->what == STEP_ROUND && step->mode & REAL_DOUBLE))
            put_double(made, i, d);
        else
            made[0][i] = from_float((float)d);
    }
}

static void run(const path_step *step, path_sources source, unsigned lanes, path_made made)
{
    switch (step->what) {
    case STEP_REAL_COMPARE:
        compare(step, source, lanes, made);
        return;
    case STEP_REAL_MINMAX:
        minmax(step, source, lanes, made);
        return;
    case STEP_REAL_CHECK:
        check(source, lanes, made);
        return;
    case STEP_REAL_SPECIAL:
        specials(step, source, lanes, made);
        return;
    case STEP_TO_REAL:
        to_real(step, source, lanes, made);
        return;
    case STEP_TO_INTEGER:
        to_integer(step, source, lanes, made);
        return;
    case STEP_ROUND:
    case STEP_WIDEN:
    case STEP_NARROW:
        resize(step, source, lanes, made);
        return;
    default:
        arithmetic(step, source, lanes, made);
    }
}

void path_step_real(const path_step *step, path_sources source, unsigned lanes, path_made made)
{
    static const int way[] = {0, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    const unsigned rounding =
        (step->mode & REAL_CUTS ? 1u : 0u) + (step->mode & REAL_FLOORS ? 2u : 0u);
    const bool rounds = rounding && (step->what == STEP_REAL_ADD || step->what == STEP_REAL_MUL ||
                                     step->what == STEP_REAL_FMA || step->what == STEP_TO_REAL ||
                                     step->what == STEP_NARROW);
    if (rounds)
        fesetround(way[rounding]);
    run(step, source, lanes, made);
    if (rounds)
        fesetround(FE_TONEAREST);
}
