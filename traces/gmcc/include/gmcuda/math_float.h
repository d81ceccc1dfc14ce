/* SPDX-License-Identifier: MIT
 *
 * gmcuda/math_float.h - the single-precision functions of kernels. What PTX has is one instruction;
 * sin, cos, tan, exp, log, tanh, erf and atan are range reductions and minimax polynomials in
 * single precision, a few ulp from the true value, as CUDA's are; the rarer ones go through double.
 *
 * The results are close to those of NVIDIA's library, not equal to them bit by bit, and the
 * instruction counts differ as well.
 */
#ifndef GMCUDA_MATH_FLOAT_H
#define GMCUDA_MATH_FLOAT_H

#define GMCUDA_REAL     float
#define GMCUDA_WORD     int
#define GMCUDA_NAME(fn) fn##f
#include "gmcuda/math_alike.h"

GMCUDA_DEVICE float fmaf(float x, float y, float z)
{
    return __fmaf_rn(x, y, z);
}
#ifdef __CLANG_CUDA_APPROX_TRANSCENDENTALS__ /* --use_fast_math */
GMCUDA_ASM1(sqrtf, float, "f", float, "f", "sqrt.approx.f32")
#else
GMCUDA_DEVICE float sqrtf(float x)
{
    return __fsqrt_rn(x);
}
#endif
GMCUDA_DEVICE float rsqrtf(float x)
{
    return __frsqrt_rn(x);
}
GMCUDA_DEVICE float fdividef(float x, float y)
{
    return __fdividef(x, y);
}
GMCUDA_DEVICE float copysignf(float x, float sign)
{
    return __int_as_float((__float_as_int(x) & 0x7fffffff) | (__float_as_int(sign) & 0x80000000));
}
GMCUDA_DEVICE bool isinf(float x)
{
    return (__float_as_int(x) & 0x7fffffff) == 0x7f800000;
}
GMCUDA_DEVICE bool isfinite(float x)
{
    return (__float_as_int(x) & 0x7fffffff) < 0x7f800000;
}
GMCUDA_DEVICE bool isnormal(float x)
{
    int magnitude = __float_as_int(x) & 0x7fffffff;
    return magnitude < 0x7f800000 && magnitude >= 0x00800000;
}
/* Half away from zero; the largest value below 1/2 keeps 0.49999997 from becoming 1. */
GMCUDA_DEVICE float roundf(float x)
{
    return fabsf(x) < 8388608.0f ? truncf(x + copysignf(0.49999997f, x)) : x;
}
GMCUDA_DEVICE long lrintf(float x)
{
    return (long)__float2ll_rn(x);
}
GMCUDA_DEVICE long long llrintf(float x)
{
    return __float2ll_rn(x);
}

/* x * 2^n in two steps, so that neither factor overflows. */
GMCUDA_FUNCTION float ldexpf(float x, int n)
{
    n = n > 300 ? 300 : n < -300 ? -300 : n;
    int half = n / 2, quarter = half / 2;
    float a = __int_as_float((127 + quarter) << 23),
          b = __int_as_float((127 + half - quarter) << 23);
    float c = __int_as_float((127 + (n - half) / 2) << 23);
    float d = __int_as_float((127 + (n - half) - (n - half) / 2) << 23);
    return n >= 0 ? x * a * b * c * d : x * (a * b) * (c * d);
}
GMCUDA_FUNCTION float frexpf(float x, int *exponent)
{
    int bits = __float_as_int(x);
    *exponent = 0;
    if (x == 0.0f || !isfinite(x))
        return x + x;
    int shift = 0;
    if ((bits & 0x7f800000) == 0) { /* subnormal */
        bits = __float_as_int(x * 16777216.0f);
        shift = 24;
    }
    *exponent = (bits >> 23 & 0xff) - 126 - shift;
    return __int_as_float((bits & 0x807fffff) | 0x3f000000);
}

/* x = q * pi/2 + r with |r| <= pi/4; pi/2 in three parts serves up to 2^16, double beyond. */
GMCUDA_FUNCTION float __gmcuda_quadrant(float x, int *quadrant)
{
    if (fabsf(x) > 65536.0f) {
        double r = __gmcuda_quadrant((double)x, quadrant);
        return (float)r;
    }
    float q = rintf(x * 0.636619772f);
    *quadrant = (int)q;
    float r = fmaf(q, -1.57079637f, x);
    r = fmaf(q, 4.37113883e-8f, r);
    return fmaf(q, 1.71512451e-15f, r);
}
GMCUDA_DEVICE float __gmcuda_sin(float r)
{
    float t = r * r;
    float p = fmaf(fmaf(-1.95848697e-4f, t, 8.33273400e-3f), t, -1.66666642e-1f);
    return fmaf(p * t, r, r);
}
GMCUDA_DEVICE float __gmcuda_cos(float r)
{
    float t = r * r;
    float p = fmaf(fmaf(2.45451029e-5f, t, -1.38882897e-3f), t, 4.16666642e-2f);
    return fmaf(fmaf(p, t, -0.5f), t, 1.0f);
}
/* sin(r + quadrant * pi/2) */
GMCUDA_DEVICE float __gmcuda_sin(float r, int quadrant)
{
    float v = quadrant & 1 ? __gmcuda_cos(r) : __gmcuda_sin(r);
    return quadrant & 2 ? -v : v;
}

#ifdef __CLANG_CUDA_APPROX_TRANSCENDENTALS__
#define GMCUDA_FAST(fn)                                                                            \
    GMCUDA_DEVICE float fn(float x)                                                                \
    {                                                                                              \
        return __##fn(x);                                                                          \
    }
/* clang-format off */
GMCUDA_FAST(sinf)
GMCUDA_FAST(cosf)
GMCUDA_FAST(tanf)
GMCUDA_FAST(expf)
GMCUDA_FAST(logf)
GMCUDA_FAST(log2f)
GMCUDA_FAST(log10f)
/* clang-format on */
#undef GMCUDA_FAST
GMCUDA_DEVICE float powf(float x, float y)
{
    return __powf(x, y);
}
#else
GMCUDA_FUNCTION float sinf(float x)
{
    int quadrant;
    float r = __gmcuda_quadrant(x, &quadrant);
    return x == 0.0f ? x : __gmcuda_sin(r, quadrant);
}
GMCUDA_FUNCTION float cosf(float x)
{
    int quadrant;
    float r = __gmcuda_quadrant(x, &quadrant);
    return __gmcuda_sin(r, quadrant + 1);
}
GMCUDA_FUNCTION float tanf(float x)
{
    int quadrant;
    float r = __gmcuda_quadrant(x, &quadrant), t = r * r;
    float p = __gmcuda_horner(t, 8.33279174e-3f, 4.98370407e-3f, 2.32166182e-2f, 5.37639000e-2f,
                              1.33344457e-1f, 3.33333224e-1f);
    float v = fmaf(p * t, r, r);
    return x == 0.0f ? x : quadrant & 1 ? -1.0f / v : v;
}
/* e^x = 2^n e^r, and 2^n in two halves, so that subnormal results round once. */
GMCUDA_FUNCTION float expf(float x)
{
    float n = rintf(fminf(fmaxf(x, -104.0f), 89.0f) * 1.44269504f);
    float r = fmaf(n, -6.93147182e-1f, x);
    r = fmaf(n, 1.90465421e-9f, r);
    float e = __gmcuda_ex2(r * 1.44269504f);
    int half = (int)n >> 1;
    float v = e * __int_as_float((half + 127) << 23) * __int_as_float(((int)n - half + 127) << 23);
    return x > 89.0f ? __builtin_inff() : x < -104.0f ? 0.0f : v;
}
/* x = 2^e m with m in [sqrt(1/2), sqrt(2)): the sum of both logarithms. *e is a whole number. */
GMCUDA_FUNCTION float __gmcuda_log(float x, float *e)
{
    float scale = x < 1.17549435e-38f ? 8388608.0f : 1.0f;
    int bits = __float_as_int(x * scale) - 0x3f3504f3;
    *e = (float)(bits >> 23) - (scale == 1.0f ? 0.0f : 23.0f);
    float m = __int_as_float((bits & 0x007fffff) + 0x3f3504f3), f = m - 1.0f;
    float p = __gmcuda_horner(f, -7.97422901e-2f, 1.26557380e-1f, -1.29892901e-1f, 1.42099410e-1f,
                              -1.66415796e-1f, 2.00012013e-1f, -2.50003040e-1f, 3.33333313e-1f);
    return fmaf(f * f, fmaf(p, f, -0.5f), f);
}
/* Where x has no ordinary logarithm: NaN below 0, -inf at 0, and +inf and NaN themselves. */
GMCUDA_DEVICE bool __gmcuda_log_special(float x, float *result)
{
    if (x > 0.0f && x <= 3.40282347e+38f)
        return false;
    *result = x == 0.0f ? -__builtin_inff() : x < 0.0f ? __builtin_nanf("") : x;
    return true;
}
GMCUDA_FUNCTION float logf(float x)
{
    float e, v;
    if (__gmcuda_log_special(x, &v))
        return v;
    v = __gmcuda_log(x, &e);
    return fmaf(e, 6.93147182e-1f, fmaf(e, -1.90465421e-9f, v));
}
GMCUDA_FUNCTION float log2f(float x)
{
    float e, v;
    if (__gmcuda_log_special(x, &v))
        return v;
    v = __gmcuda_log(x, &e);
    return fmaf(v, 1.44269502f, fmaf(v, 1.92596303e-8f, e));
}
GMCUDA_FUNCTION float log10f(float x)
{
    float e, v;
    if (__gmcuda_log_special(x, &v))
        return v;
    v = __gmcuda_log(x, &e);
    return fmaf(e, 3.01029995e-1f, v * 4.34294482e-1f);
}
GMCUDA_DEVICE float powf(float x, float y)
{
    return (float)pow((double)x, (double)y);
}
#endif

GMCUDA_FUNCTION float exp2f(float x)
{
    return __gmcuda_ex2(x);
}
GMCUDA_FUNCTION float exp10f(float x)
{
    return (float)exp2((double)x * 3.3219280948873623);
}
/* x in quarter turns is exact: no range reduction loses bits. */
GMCUDA_FUNCTION float sinpif(float x)
{
    float q = rintf(x + x);
    int quadrant = (int)(long long)q;
    float r = fmaf(q, -0.5f, x) * 3.14159274f;
    return x == 0.0f || fabsf(x) >= 16777216.0f ? x * 0.0f : __gmcuda_sin(r, quadrant);
}
GMCUDA_FUNCTION float cospif(float x)
{
    float q = rintf(x + x);
    int quadrant = (int)(long long)q;
    float r = fmaf(q, -0.5f, x) * 3.14159274f;
    return fabsf(x) >= 16777216.0f ? x * 0.0f + 1.0f : __gmcuda_sin(r, quadrant + 1);
}

GMCUDA_FUNCTION float tanhf(float x)
{
    float a = fabsf(x);
    if (a >= 0.6f) {
        float e = expf(a + a);
        return copysignf(fmaf(-2.0f, __gmcuda_rcp(e + 1.0f), 1.0f), x);
    }
    float t = x * x;
    float p = __gmcuda_horner(t, -6.26931945e-3f, 2.11111028e-2f, -5.38739823e-2f, 1.33329153e-1f,
                              -3.33333313e-1f);
    return x == 0.0f ? x : fmaf(p * t, x, x);
}
GMCUDA_FUNCTION float erfcf(float x)
{
    return (float)erfc((double)x);
}
GMCUDA_FUNCTION float erff(float x)
{
    float a = fabsf(x), t = x * x;
    if (a >= 1.0f) { /* 1 - e^(-x^2) G(u) / |x| */
        float u = (a - 3.0f) * __gmcuda_rcp(a + 3.0f);
        float g = __gmcuda_horner(u, 1.11918815e-3f, 6.77518838e-4f, -1.39746787e-2f,
                                  4.63966206e-2f, -9.54756364e-2f, 1.39877066e-1f, -1.46582797e-1f,
                                  9.53062996e-2f, 5.37003458e-1f);
        float tail = a > 4.0f ? 0.0f : expf(-t) * g * __gmcuda_rcp(a);
        return isnan(x) ? x : copysignf(1.0f - tail, x);
    }
    float p = __gmcuda_horner(t, 7.85384836e-5f, -8.01018963e-4f, 5.18832728e-3f, -2.68538110e-2f,
                              1.12835854e-1f, -3.76126260e-1f);
    return x * fmaf(p, t, 1.12837911f);
}
GMCUDA_DEVICE float normcdff(float x)
{
    return (float)normcdf((double)x);
}

/* atan of a in [0, 1] */
GMCUDA_DEVICE float __gmcuda_atan(float a)
{
    float t = a * a;
    float p = __gmcuda_horner(t, 3.92367458e-3f, -2.02289540e-2f, 4.91972528e-2f, -8.02938715e-2f,
                              1.08728409e-1f, -1.42582655e-1f, 1.99987605e-1f, -3.33333254e-1f);
    return fmaf(p * t, a, a);
}
GMCUDA_FUNCTION float atanf(float x)
{
    float a = fabsf(x);
    float v = __gmcuda_atan(a > 1.0f ? 1.0f / a : a);
    return copysignf(a > 1.0f ? 1.57079637f - v : v, x);
}
GMCUDA_FUNCTION float atan2f(float y, float x)
{
    float ax = fabsf(x), ay = fabsf(y);
    if (isnan(x) || isnan(y))
        return x + y;
    float high = fmaxf(ax, ay), low = fminf(ax, ay);
    float v = high == 0.0f ? 0.0f : low == high ? 0.785398185f : __gmcuda_atan(low / high);
    if (ay > ax)
        v = 1.57079637f - v;
    if (signbit(x))
        v = 3.14159274f - v;
    return copysignf(v, y);
}
/* asin of a in [0, 1/2] */
GMCUDA_DEVICE float __gmcuda_asin(float a, float t)
{
    float p = __gmcuda_horner(t, 3.81963775e-2f, 2.64993273e-2f, 4.50099073e-2f, 7.49881342e-2f);
    return fmaf(fmaf(p, t, 1.66666731e-1f) * t, a, a);
}
GMCUDA_FUNCTION float asinf(float x)
{
    float a = fabsf(x);
    if (a <= 0.5f)
        return __gmcuda_asin(x, x * x);
    float t = fmaf(-0.5f, a, 0.5f);
    return copysignf(fmaf(-2.0f, __gmcuda_asin(sqrtf(t), t), 1.57079637f), x);
}
GMCUDA_FUNCTION float acosf(float x)
{
    float a = fabsf(x);
    if (a <= 0.5f)
        return 1.57079637f - __gmcuda_asin(x, x * x);
    float t = fmaf(-0.5f, a, 0.5f), v = 2.0f * __gmcuda_asin(sqrtf(t), t);
    return x < 0.0f ? 3.14159274f - v : v;
}

/* Exact: the remainder of a float by a float is one, and double division steps down to it. */
GMCUDA_DEVICE float fmodf(float x, float y)
{
    return (float)fmod((double)x, (double)y);
}
GMCUDA_DEVICE float remainderf(float x, float y)
{
    return (float)remainder((double)x, (double)y);
}

#define GMCUDA_THROUGH_DOUBLE(fn)                                                                  \
    GMCUDA_FUNCTION float fn##f(float x)                                                           \
    {                                                                                              \
        return (float)fn((double)x);                                                               \
    }
/* clang-format off */
GMCUDA_THROUGH_DOUBLE(acosh)
GMCUDA_THROUGH_DOUBLE(asinh)
GMCUDA_THROUGH_DOUBLE(atanh)
GMCUDA_THROUGH_DOUBLE(cbrt)
GMCUDA_THROUGH_DOUBLE(cosh)
GMCUDA_THROUGH_DOUBLE(expm1)
GMCUDA_THROUGH_DOUBLE(lgamma)
GMCUDA_THROUGH_DOUBLE(log1p)
GMCUDA_THROUGH_DOUBLE(rcbrt)
GMCUDA_THROUGH_DOUBLE(sinh)
GMCUDA_THROUGH_DOUBLE(tgamma)
/* clang-format on */
#undef GMCUDA_THROUGH_DOUBLE
/* Squares of floats neither overflow nor underflow a double. */
GMCUDA_FUNCTION float hypotf(float x, float y)
{
    return isinf(x) || isinf(y) ? __builtin_inff()
                                : (float)sqrt((double)x * (double)x + (double)y * (double)y);
}
GMCUDA_DEVICE float norm3df(float x, float y, float z)
{
    return (float)sqrt((double)x * (double)x + (double)y * (double)y + (double)z * (double)z);
}

#endif
