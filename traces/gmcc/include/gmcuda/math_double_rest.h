/* SPDX-License-Identifier: MIT
 *
 * gmcuda/math_double_rest.h - the double-precision functions built on exp, log and sqrt: powers,
 * hyperbolic and inverse functions, error and gamma functions.
 *
 * pow carries its logarithm in two doubles; lgamma is accurate absolutely, not relatively, next to
 * its zeros at 1 and 2.
 */
#ifndef GMCUDA_MATH_DOUBLE_REST_H
#define GMCUDA_MATH_DOUBLE_REST_H

/* x^y for finite x > 0. */
GMCUDA_FUNCTION double __gmcuda_pow(double x, double y)
{
    double e, s, low, tail = __gmcuda_log(x, &e, &s, &low);
    double a = e * 0.69314718036912382, b = 2.0 * s; /* both exact */
    double high = a + b, part = high - a;
    low = 2.0 * low + tail + ((a - (high - part)) + (b - part));
    low = fma(e, 1.9082149292705877e-10, low);
    double sum = high + low;
    low = (high - sum) + low;
    double p = y * sum;
    if (!(fabs(p) < 1100.0))
        return p > 0.0 ? GMCUDA_INF : 0.0;
    double rest = fma(y, sum, -p) + y * low;
    double v = exp(p);
    return isinf(v) ? v : fma(v, rest, v);
}
GMCUDA_FUNCTION double pow(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (isnan(x) || isnan(y))
        return GMCUDA_NAN;
    double a = fabs(x);
    bool whole = trunc(y) == y;
    bool odd = whole && fabs(y) < 9007199254740992.0 && trunc(y * 0.5) != y * 0.5;
    bool negative = signbit(x) && odd;
    double v;
    if (isinf(y))
        v = a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? GMCUDA_INF : 0.0;
    else if (a == 0.0 || isinf(a))
        v = (a == 0.0) == (y > 0.0) ? 0.0 : GMCUDA_INF;
    else if (x < 0.0 && !whole)
        v = GMCUDA_NAN;
    else
        v = __gmcuda_pow(a, y);
    return negative ? -v : v;
}
GMCUDA_DEVICE double exp10(double x)
{
    return isnan(x) ? x : __gmcuda_pow(10.0, x);
}
GMCUDA_FUNCTION double cbrt(double x)
{
    double a = fabs(x);
    if (a == 0.0 || !isfinite(x))
        return x;
    double v = exp2(log2(a) * 0.33333333333333333);
    v -= (v - a / (v * v)) * 0.33333333333333333; /* one step of Newton's */
    return copysign(v, x);
}
GMCUDA_DEVICE double rcbrt(double x)
{
    return 1.0 / cbrt(x);
}
GMCUDA_FUNCTION double hypot(double x, double y)
{
    double a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
    if (isinf(x) || isinf(y))
        return GMCUDA_INF;
    if (a == 0.0 || isnan(x) || isnan(y))
        return a + x * 0.0 + y * 0.0;
    int e;
    (void)frexp(a, &e);
    a = ldexp(a, -e);
    b = ldexp(b, -e);
    return ldexp(sqrt(fma(a, a, b * b)), e);
}
GMCUDA_DEVICE double norm3d(double x, double y, double z)
{
    return hypot(hypot(x, y), z);
}

GMCUDA_FUNCTION double sinh(double x)
{
    double a = fabs(x), t = expm1(a > 709.0 ? a * 0.5 : a);
    double v = a > 709.0 ? 0.5 * t * t : 0.5 * (t + t / (t + 1.0));
    return copysign(v, x);
}
GMCUDA_FUNCTION double cosh(double x)
{
    double a = fabs(x), e = exp(a > 709.0 ? a * 0.5 : a);
    return a > 709.0 ? 0.5 * e * e : 0.5 * e + 0.5 / e;
}
GMCUDA_FUNCTION double tanh(double x)
{
    double a = fabs(x), t = expm1(fmin(a + a, 50.0));
    return isnan(x) ? x : copysign(t / (t + 2.0), x);
}
GMCUDA_FUNCTION double asinh(double x)
{
    double a = fabs(x);
    double v =
        a > 1e8 ? log(a) + 0.69314718055994531 : log1p(a + a * a / (1.0 + sqrt(a * a + 1.0)));
    return copysign(v, x);
}
GMCUDA_FUNCTION double acosh(double x)
{
    double t = x - 1.0;
    return x < 1.0   ? GMCUDA_NAN
           : x > 1e8 ? log(x) + 0.69314718055994531
                     : log1p(t + sqrt(2.0 * t + t * t));
}
GMCUDA_FUNCTION double atanh(double x)
{
    double a = fabs(x);
    return copysign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}

/* atan of a in [0, 1] */
GMCUDA_FUNCTION double __gmcuda_atan(double a)
{
    double t = a * a;
    double p = __gmcuda_horner(
        t, -2.8138548609710917e-05, 0.00029678675481308557, -0.0014816963125772304,
        0.0046899905512905165, -0.010677191825143524, 0.018905784181521237, -0.027682360832012382,
        0.035423432316296799, -0.041684794139590114, 0.047064998852792611, -0.052499026576246,
        0.058799503263317572, -0.066663460949824199, 0.076922774270716948, -0.090909071805539921,
        0.1111111103716541, -0.14285714284195417, 0.19999999999987575, -0.33333333333333315);
    return fma(p * t, a, a);
}
GMCUDA_FUNCTION double atan(double x)
{
    double a = fabs(x), v = __gmcuda_atan(a > 1.0 ? 1.0 / a : a);
    return copysign(a > 1.0 ? 1.5707963267948966 - (v - 6.123233995736766e-17) : v, x);
}
GMCUDA_FUNCTION double atan2(double y, double x)
{
    double ax = fabs(x), ay = fabs(y);
    if (isnan(x) || isnan(y))
        return x + y;
    double high = fmax(ax, ay), low = fmin(ax, ay);
    double v = high == 0.0 ? 0.0 : low == high ? 0.78539816339744831 : __gmcuda_atan(low / high);
    if (ay > ax)
        v = 1.5707963267948966 - (v - 6.123233995736766e-17);
    if (signbit(x))
        v = 3.1415926535897931 - (v - 1.2246467991473532e-16);
    return copysign(v, y);
}
/* asin of a in [0, 1/2], t its square */
GMCUDA_FUNCTION double __gmcuda_asin(double a, double t)
{
    double p = __gmcuda_horner(t, 0.028289000107726784, -0.010913236243419054, 0.016132664054722294,
                               0.0077704775413416638, 0.011882230625900908, 0.013928755725632364,
                               0.017355336643027044, 0.022372043548555483, 0.030381947493805878,
                               0.044642857101409562, 0.075000000000220113, 0.16666666666666646);
    return fma(p * t, a, a);
}
GMCUDA_FUNCTION double asin(double x)
{
    double a = fabs(x);
    if (a <= 0.5)
        return __gmcuda_asin(x, x * x);
    double t = fma(-0.5, a, 0.5), v = __gmcuda_asin(sqrt(t), t);
    return copysign(1.5707963267948966 - (2.0 * v - 6.123233995736766e-17), x);
}
GMCUDA_FUNCTION double acos(double x)
{
    double a = fabs(x);
    if (a <= 0.5)
        return 1.5707963267948966 - (__gmcuda_asin(x, x * x) - 6.123233995736766e-17);
    double t = fma(-0.5, a, 0.5), v = 2.0 * __gmcuda_asin(sqrt(t), t);
    return x < 0.0 ? 3.1415926535897931 - (v - 1.2246467991473532e-16) : v;
}

/* erf x / x on [0, 1], t = x^2 */
GMCUDA_FUNCTION double __gmcuda_erf(double t)
{
    double p = __gmcuda_horner(
        t, 5.9452621909531464e-11, -1.1365666187484279e-09, 1.4657879892961192e-08,
        -1.6350025229646525e-07, 1.6460972817739361e-06, -1.4925593506949914e-05,
        0.00012055331036903577, -0.00085483269787423944, 0.0052239776247808723,
        -0.026866170645072896, 0.11283791670954857, -0.37612638903183748, 1.1283791670955126);
    return p;
}
/* erfc a for a >= 1: e^(-a^2) G(u) / a */
GMCUDA_FUNCTION double __gmcuda_erfc(double a)
{
    double t = a * a, low = fma(a, a, -t), u = (a - 3.0) / (a + 3.0);
    double p =
        __gmcuda_horner(u, -1.4168179817567377e-08, 8.6930125915744526e-08, -7.3204930102322e-08,
                        -3.670696548557165e-07, 3.0076620212837944e-07, 1.9040340631049206e-06,
                        -9.9924088710848277e-07, -1.1115394960422975e-05, 6.4664018040923162e-06,
                        6.8980632124639708e-05, -8.4608655569200894e-05, -0.00041254384098976971,
                        0.0012428762039310712, 0.00091082269098924113, -0.01401982562867206,
                        0.046350263331266232, -0.09546975030655748, 0.13988054760176991,
                        -0.14658304803289179, 0.095306226959228024, 0.5370034535441699);
    return a > 27.3 ? 0.0 : exp(-t) * (1.0 - low) * p / a;
}
GMCUDA_FUNCTION double erf(double x)
{
    double a = fabs(x);
    return isnan(x) ? x : a < 1.0 ? x * __gmcuda_erf(x * x) : copysign(1.0 - __gmcuda_erfc(a), x);
}
GMCUDA_FUNCTION double erfc(double x)
{
    double a = fabs(x);
    if (isnan(x))
        return x;
    if (a < 1.0) /* beyond 1/2, 1 - erf x loses bits unless 1/2 goes first */
        return x > 0.5 ? 0.5 - (x * __gmcuda_erf(x * x) - 0.5) : 1.0 - x * __gmcuda_erf(x * x);
    double v = __gmcuda_erfc(a);
    return x < 0.0 ? 2.0 - v : v;
}
GMCUDA_FUNCTION double normcdf(double x)
{
    return 0.5 * erfc(x * -0.70710678118654752);
}

/* Stirling's series beyond log sqrt(2 pi), for x >= 12. */
GMCUDA_FUNCTION double __gmcuda_stirling(double x)
{
    double r = 1.0 / x, t = r * r;
    double p =
        __gmcuda_horner(t, -1.9175269175269175e-3, 8.4175084175084175e-4, -5.9523809523809524e-4,
                        7.9365079365079365e-4, -2.7777777777777778e-3);
    return fma(p, t, 8.3333333333333333e-2) * r;
}
/* gamma(x) for 0 < x: shifted upwards, and the power in two halves that do not overflow. */
GMCUDA_FUNCTION double __gmcuda_gamma(double x)
{
    double product = 1.0;
    while (x < 12.0) {
        product *= x;
        x += 1.0;
    }
    double half = __gmcuda_pow(x, 0.5 * x - 0.25);
    return half * exp(-x) * half * (2.5066282746310005 * exp(__gmcuda_stirling(x)) / product);
}
GMCUDA_FUNCTION double tgamma(double x)
{
    if (x == 0.0)
        return copysign(GMCUDA_INF, x);
    if (isnan(x) || x > 171.7)
        return isnan(x) ? x : GMCUDA_INF;
    if (x > 0.0)
        return __gmcuda_gamma(x);
    if (trunc(x) == x) /* -inf as well */
        return GMCUDA_NAN;
    return x < -184.0 ? 0.0 : 3.1415926535897931 / (sinpi(x) * __gmcuda_gamma(1.0 - x));
}
/* The same for x > 0 alone: lgamma reflects once. */
GMCUDA_FUNCTION double __gmcuda_lgamma(double x)
{
    if (x == 1.0 || x == 2.0)
        return 0.0;
    if (x < 1e-17)
        return -log(x);
    if (x < 12.0)
        return log(__gmcuda_gamma(x));
    return (x - 0.5) * log(x) - x + 0.91893853320467274 + __gmcuda_stirling(x);
}
GMCUDA_FUNCTION double lgamma(double x)
{
    if (!isfinite(x))
        return isnan(x) ? x : GMCUDA_INF;
    if (x > 0.0)
        return __gmcuda_lgamma(x);
    if (trunc(x) == x)
        return GMCUDA_INF;
    return log(3.1415926535897931 / fabs(sinpi(x))) - __gmcuda_lgamma(1.0 - x);
}

#endif
