/* SPDX-License-Identifier: MIT
 *
 * gmcuda/math_double.h - the double-precision functions of kernels that stand on their own:
 * rounding, classification, exponents, remainders, sin, cos, tan, exp, log and their bases. The
 * rest, built on these, is in math_double_rest.h.
 *
 * A few ulp from the true value; the polynomials are minimax fits. Results are close to those of
 * NVIDIA's library, not equal to them bit by bit.
 */
#ifndef GMCUDA_MATH_DOUBLE_H
#define GMCUDA_MATH_DOUBLE_H

#define GMCUDA_BITS(x) __double_as_longlong(x)
#define GMCUDA_INF     __builtin_inf()
#define GMCUDA_NAN     __builtin_nan("")

/* A polynomial in t by Horner's rule, the coefficient of the highest power first. */
template <typename T> GMCUDA_DEVICE T __gmcuda_horner(T, T p)
{
    return p;
}
template <typename T, typename... Rest>
GMCUDA_DEVICE T __gmcuda_horner(T t, T p, T next, Rest... rest)
{
    return __gmcuda_horner(t, fma(p, t, next), rest...);
}

#define GMCUDA_REAL     double
#define GMCUDA_WORD     long long
#define GMCUDA_NAME(fn) fn
#include "gmcuda/math_alike.h"

GMCUDA_DEVICE double fma(double x, double y, double z)
{
    return __fma_rn(x, y, z);
}
GMCUDA_DEVICE double sqrt(double x)
{
    return __dsqrt_rn(x);
}
GMCUDA_DEVICE double rsqrt(double x)
{
    return 1.0 / __dsqrt_rn(x);
}
GMCUDA_DEVICE double copysign(double x, double sign)
{
    const long long top = -9223372036854775807 - 1;
    return __longlong_as_double((GMCUDA_BITS(x) & ~top) | (GMCUDA_BITS(sign) & top));
}
GMCUDA_DEVICE bool isinf(double x)
{
    return fabs(x) == GMCUDA_INF;
}
GMCUDA_DEVICE bool isfinite(double x)
{
    return fabs(x) < GMCUDA_INF;
}
GMCUDA_DEVICE bool isnormal(double x)
{
    return fabs(x) < GMCUDA_INF && fabs(x) >= 2.2250738585072014e-308;
}
GMCUDA_DEVICE double round(double x)
{
    return fabs(x) < 4503599627370496.0 ? trunc(x + copysign(0.49999999999999994, x)) : x;
}
GMCUDA_DEVICE long lrint(double x)
{
    return (long)__double2ll_rn(x);
}
GMCUDA_DEVICE long long llrint(double x)
{
    return __double2ll_rn(x);
}
/* 2^n for an exponent that a normal number has. */
GMCUDA_DEVICE double __gmcuda_two_to(int n)
{
    return __longlong_as_double((long long)(n + 1023) << 52);
}
/* The last factor alone may round a result into the subnormal range. */
GMCUDA_FUNCTION double ldexp(double x, int n)
{
    n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
    while (n > 1000) {
        x *= __gmcuda_two_to(1000);
        n -= 1000;
    }
    while (n < -1000) {
        x *= __gmcuda_two_to(-900);
        n += 900;
    }
    return x * __gmcuda_two_to(n);
}
GMCUDA_FUNCTION double frexp(double x, int *exponent)
{
    *exponent = 0;
    if (x == 0.0 || !isfinite(x))
        return x + x;
    int shift = isnormal(x) ? 0 : 54;
    long long bits = GMCUDA_BITS(shift ? x * 18014398509481984.0 : x);
    *exponent = (int)(bits >> 52 & 0x7ff) - 1022 - shift;
    return __longlong_as_double((bits & ~(0x7ffll << 52)) | 0x3fell << 52);
}

/* Long division of the significands, eleven bits a step: exact. */
GMCUDA_FUNCTION double fmod(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    if (!(a < GMCUDA_INF) || b == 0.0 || isnan(y))
        return GMCUDA_NAN;
    if (a < b)
        return x;
    int ea, eb;
    unsigned long long ma = (unsigned long long)ldexp(frexp(a, &ea), 53);
    unsigned long long mb = (unsigned long long)ldexp(frexp(b, &eb), 53);
    unsigned long long m = ma % mb;
    for (int left = ea - eb; left > 0; left -= 11)
        m = (m << (left < 11 ? left : 11)) % mb;
    return copysign(ldexp((double)(long long)m, eb - 53), x);
}
GMCUDA_FUNCTION double remainder(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    if (!(a < GMCUDA_INF) || b == 0.0 || isnan(y))
        return GMCUDA_NAN;
    double r = b < 8e307 ? fmod(a, b + b) : a; /* in [0, 2b): 0 and 2 are the even quotients */
    if (r > b - r) {
        r -= b;
        if (r >= b - r)
            r -= b;
    }
    return signbit(x) ? -r : r;
}

/* 2/pi, 64 bits a word, behind one word of zeros. */
static __constant__ const unsigned long long __gmcuda_two_over_pi[20] = {0,
                                                                         0xa2f9836e4e441529u,
                                                                         0xfc2757d1f534ddc0u,
                                                                         0xdb6295993c439041u,
                                                                         0xfe5163abdebbc561u,
                                                                         0xb7246e3a424dd2e0u,
                                                                         0x06492eea09d1921cu,
                                                                         0xfe1deb1cb129a73eu,
                                                                         0xe88235f52ebb4484u,
                                                                         0xe99c7026b45f7e41u,
                                                                         0x3991d639835339f4u,
                                                                         0x9c845f8bbdf9283bu,
                                                                         0x1ff897ffde05980fu,
                                                                         0xef2f118b5a0a6d1fu,
                                                                         0x6d367ecf27cb09b7u,
                                                                         0x4f463f669e5fea2du,
                                                                         0x7527bac7ebe5f17bu,
                                                                         0x3d0739f78a5292eau,
                                                                         0x6bfb5fb11f8d5d08u,
                                                                         0x56033046fc7b6babu};

/* x = q * pi/2 + r, |r| <= pi/4: three parts of pi/2 up to 2^20, beyond that as many bits of 2/pi
 * as the exponent asks for (Payne and Hanek's reduction). Gives r, and q modulo 4. */
GMCUDA_FUNCTION double __gmcuda_quadrant(double x, int *quadrant)
{
    if (!(fabs(x) > 1048576.0)) {
        double q = rint(x * 0.63661977236758138);
        *quadrant = (int)q;
        double r = fma(q, -1.5707963267948966, x);
        r = fma(q, -6.123233995736766e-17, r);
        return fma(q, 1.4973849048591833e-33, r);
    }
    *quadrant = 0;
    if (!isfinite(x))
        return GMCUDA_NAN;
    long long bits = GMCUDA_BITS(x);
    unsigned long long m = (unsigned long long)(bits & 0xfffffffffffffll) | 1ull << 52;
    /* Bits of weight 4 and more do not matter: begin where m times the bit has weight 2. */
    int first = (int)(bits >> 52 & 0x7ff) - 1023 - 52 - 2 + 64;
    const unsigned long long *w = __gmcuda_two_over_pi + (first >> 6);
    int shift = first & 63;
    unsigned long long a = w[0], b = w[1], c = w[2];
    if (shift) {
        a = a << shift | b >> (64 - shift);
        b = b << shift | c >> (64 - shift);
        c = c << shift | w[3] >> (64 - shift);
    }
    /* The low 192 bits of m * abc: quarters of a turn in the top two bits. */
    unsigned long long middle = b * m, carried = __umul64hi(c, m);
    unsigned long long high = a * m + __umul64hi(b, m);
    middle += carried;
    high += middle < carried;
    int q = (int)(high >> 62);
    high = high << 2 | middle >> 62;
    middle = middle << 2 | c * m >> 62;
    bool negative = high >> 63;
    if (negative) { /* nearer to the next quarter */
        q++;
        high = ~high;
        middle = ~middle;
    }
    double r = (double)high * 5.4210108624275222e-20 + (double)middle * 2.9387358770557188e-39;
    r *= 1.5707963267948966;
    r = negative ? -r : r;
    *quadrant = x < 0 ? -q : q;
    return x < 0 ? -r : r;
}
GMCUDA_FUNCTION double __gmcuda_sin(double r)
{
    double t = r * r;
    double p =
        __gmcuda_horner(t, 1.5916555571813541e-10, -2.5051109613998218e-08, 2.7557315993671152e-06,
                        -0.00019841269836543422, 0.0083333333333308023, -0.16666666666666666);
    return fma(p * t, r, r);
}
GMCUDA_FUNCTION double __gmcuda_cos(double r)
{
    double t = r * r;
    double p =
        __gmcuda_horner(t, -1.1381685491372129e-11, 2.0876132946527333e-09, -2.7557317206810049e-07,
                        2.4801587298638211e-05, -0.0013888888888887311, 0.041666666666666664);
    return fma(fma(p, t, -0.5), t, 1.0);
}
GMCUDA_DEVICE double __gmcuda_sin(double r, int quadrant)
{
    double v = quadrant & 1 ? __gmcuda_cos(r) : __gmcuda_sin(r);
    return quadrant & 2 ? -v : v;
}
GMCUDA_FUNCTION double sin(double x)
{
    int quadrant;
    double r = __gmcuda_quadrant(x, &quadrant);
    return x == 0.0 ? x : __gmcuda_sin(r, quadrant);
}
GMCUDA_FUNCTION double cos(double x)
{
    int quadrant;
    double r = __gmcuda_quadrant(x, &quadrant);
    return __gmcuda_sin(r, quadrant + 1);
}
GMCUDA_FUNCTION double tan(double x)
{
    int quadrant;
    double r = __gmcuda_quadrant(x, &quadrant), t = r * r;
    double p = __gmcuda_horner(
        t, 1.8623122021296737e-05, -3.5272015132568759e-05, 7.1115196447870218e-05,
        -5.8335323973691063e-06, 0.00012151588200311733, 0.00022987449283275724,
        0.00059245291038888118, 0.0014553948404789061, 0.0035921817913925191, 0.0088632312901507134,
        0.021869488735729713, 0.053968253963367116, 0.13333333333338032, 0.33333333333333326);
    double v = fma(p * t, r, r);
    return x == 0.0 ? x : quadrant & 1 ? -1.0 / v : v;
}
GMCUDA_FUNCTION double sinpi(double x)
{
    double q = rint(x + x), r = fma(q, -0.5, x) * 3.1415926535897931;
    return x == 0.0 || fabs(x) >= 9007199254740992.0 ? x * 0.0
                                                     : __gmcuda_sin(r, (int)((long long)q & 3));
}
GMCUDA_FUNCTION double cospi(double x)
{
    double q = rint(x + x), r = fma(q, -0.5, x) * 3.1415926535897931;
    return fabs(x) >= 9007199254740992.0 ? x * 0.0 + 1.0
                                         : __gmcuda_sin(r, (int)((long long)q & 3) + 1);
}

/* e^r - 1 for |r| <= log(2)/2 */
GMCUDA_FUNCTION double __gmcuda_expm1(double r)
{
    double p = __gmcuda_horner(r, 2.5068216775499016e-08, 2.7620160176641112e-07,
                               2.7557355575914923e-06, 2.4801521157540925e-05,
                               0.00019841269784432738, 0.0013888888917292074, 0.0083333333333563287,
                               0.041666666666624004, 0.16666666666666644, 0.50000000000000011);
    return fma(p * r, r, r);
}
GMCUDA_FUNCTION double exp(double x)
{
    double n = rint(fmin(fmax(x, -746.0), 710.0) * 1.4426950408889634);
    double r = fma(n, -0.69314718036912382, x);
    r = fma(n, -1.9082149292705877e-10, r);
    double v = ldexp(__gmcuda_expm1(r) + 1.0, (int)n);
    return x > 709.79 ? GMCUDA_INF : x < -745.2 ? 0.0 : v;
}
GMCUDA_FUNCTION double exp2(double x)
{
    double n = rint(fmin(fmax(x, -1076.0), 1024.0));
    double v = ldexp(__gmcuda_expm1((x - n) * 0.69314718055994531) + 1.0, (int)n);
    return x >= 1024.0 ? GMCUDA_INF : x < -1076.0 ? 0.0 : v;
}
GMCUDA_FUNCTION double expm1(double x)
{
    return x == 0.0 ? x : fabs(x) < 0.34657359 ? __gmcuda_expm1(x) : exp(x) - 1.0;
}

/* log x = e log 2 + 2s + s^3 P(s^2), x = 2^e m, s = (m - 1)/(m + 1). Returns the term with P; gives
 * e, s, and what s lost to rounding. */
GMCUDA_FUNCTION double __gmcuda_log(double x, double *e, double *s, double *s_low)
{
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752) {
        m += m;
        exponent--;
    }
    *e = (double)exponent;
    double f = m - 1.0, g = m + 1.0, g_low = m - (g - 1.0);
    double d = f / g, t = d * d;
    *s = d;
    *s_low = (fma(-d, g, f) - d * g_low) / g;
    double p = __gmcuda_horner(t, 0.1464420721346773, 0.15329449674454826, 0.18182958298248303,
                               0.22222210173500773, 0.28571428631941731, 0.39999999999886166,
                               0.66666666666666696);
    return p * t * d;
}
GMCUDA_DEVICE bool __gmcuda_log_special(double x, double *result)
{
    if (x > 0.0 && x < GMCUDA_INF)
        return false;
    *result = x == 0.0 ? -GMCUDA_INF : x < 0.0 ? GMCUDA_NAN : x;
    return true;
}
GMCUDA_FUNCTION double log(double x)
{
    double e, s, low, v;
    if (__gmcuda_log_special(x, &v))
        return v;
    v = __gmcuda_log(x, &e, &s, &low);
    v = fma(e, 1.9082149292705877e-10, v + 2.0 * low) + 2.0 * s;
    return fma(e, 0.69314718036912382, v);
}
GMCUDA_FUNCTION double log2(double x)
{
    double e, s, low, v;
    if (__gmcuda_log_special(x, &v))
        return v;
    v = __gmcuda_log(x, &e, &s, &low) + 2.0 * low + 2.0 * s;
    return fma(v, 1.4426950408889634, fma(v, 2.0355273740931033e-17, e));
}
GMCUDA_FUNCTION double log10(double x)
{
    double e, s, low, v;
    if (__gmcuda_log_special(x, &v))
        return v;
    v = __gmcuda_log(x, &e, &s, &low) + 2.0 * low + 2.0 * s;
    return fma(e, 0.30102999554947019, fma(e, 1.1451100898021838e-10, v * 0.43429448190325182));
}
GMCUDA_FUNCTION double log1p(double x)
{
    double u = 1.0 + x;
    if (u == 1.0 || x == GMCUDA_INF)
        return x;
    return u == 0.0 ? -GMCUDA_INF : log(u) - ((u - 1.0) - x) / u;
}

#endif
