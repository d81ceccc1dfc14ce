/* SPDX-License-Identifier: MIT
 *
 * cuda_fp16.h - half and half2: conversions on both sides, arithmetic in kernels, one PTX
 * instruction each where there is one, through float where there is none. Left out: conversions in
 * directed rounding modes, saturating arithmetic.
 */
#ifndef GMCUDA_CUDA_FP16_H
#define GMCUDA_CUDA_FP16_H

#include <cuda_runtime.h>

/* Rounds to nearest even; the host's and the kernels' conversions agree. */
GMCUDA_BOTH unsigned short __gmcuda_half_bits(float f)
{
#ifdef __CUDA_ARCH__
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
#else
    unsigned int u = __builtin_bit_cast(unsigned int, f), sign = u >> 16 & 0x8000u;
    u &= 0x7fffffffu;
    if (u > 0x7f800000u)
        return 0x7fff;
    if (u >= 0x477ff000u) /* rounds to 65520 and beyond */
        return (unsigned short)(sign | 0x7c00u);
    if (u < 0x38800000u) { /* subnormal: let an addition do the rounding */
        float shifted = __builtin_bit_cast(float, u) + 0.5f;
        return (unsigned short)(sign | (__builtin_bit_cast(unsigned int, shifted) - 0x3f000000u));
    }
    u += 0xfffu + (u >> 13 & 1);
    return (unsigned short)(sign | ((u - 0x38000000u) >> 13));
#endif
}
GMCUDA_BOTH float __gmcuda_half_value(unsigned short h)
{
#ifdef __CUDA_ARCH__
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
#else
    unsigned int sign = (h & 0x8000u) << 16, rest = h & 0x7fffu;
    if (rest >= 0x7c00u)
        return __builtin_bit_cast(float, sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    if (rest >= 0x400u)
        return __builtin_bit_cast(float, sign | ((rest << 13) + 0x38000000u));
    float f = (float)rest * 5.9604644775390625e-8f;
    return sign ? -f : f;
#endif
}

#define GMCUDA_HD __host__ __device__ __attribute__((nodebug))
struct __attribute__((aligned(2))) __half_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
    unsigned short x, y;
};
struct __attribute__((aligned(2))) __half {
    unsigned short __x;
    __half() = default;
    GMCUDA_HD __half(float f) : __x(__gmcuda_half_bits(f)) {}
    GMCUDA_HD __half(double f) : __x(__gmcuda_half_bits((float)f)) {}
    GMCUDA_HD __half(int i) : __x(__gmcuda_half_bits((float)i)) {}
    GMCUDA_HD __half(unsigned int i) : __x(__gmcuda_half_bits((float)i)) {}
    GMCUDA_HD __half(const __half_raw &raw) : __x(raw.x) {}
    GMCUDA_HD operator __half_raw() const { return __half_raw{__x}; }
    GMCUDA_HD operator float() const { return __gmcuda_half_value(__x); }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    GMCUDA_HD __half2(__half a, __half b) : x(a), y(b) {}
    GMCUDA_HD __half2(const __half2_raw &raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
    GMCUDA_HD operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};
typedef __half half;
typedef __half2 half2;

/* clang-format off */
GMCUDA_SAME(__half, __ushort_as_half, (unsigned short bits), __builtin_bit_cast(__half, bits))
GMCUDA_SAME(unsigned short, __half_as_ushort, (__half h), h.__x)
GMCUDA_SAME(__half, __short_as_half, (short bits), __ushort_as_half((unsigned short)bits))
GMCUDA_SAME(short, __half_as_short, (__half h), (short)h.__x)
GMCUDA_SAME(float, __half2float, (__half h), (float)h)
GMCUDA_SAME(__half, __float2half, (float f), __half(f))
GMCUDA_SAME(__half, __float2half_rn, (float f), __half(f))
GMCUDA_SAME(__half, __double2half, (double f), __half(f))
GMCUDA_SAME(__half, __int2half_rn, (int i), __half(i))
GMCUDA_SAME(__half, __uint2half_rn, (unsigned int i), __half((float)i))
GMCUDA_SAME(int, __half2int_rz, (__half h), (int)(float)h)
GMCUDA_SAME(int, __half2int_rn, (__half h), (int)rintf((float)h))
GMCUDA_SAME(int, __half2int_rd, (__half h), (int)floorf((float)h))
GMCUDA_SAME(int, __half2int_ru, (__half h), (int)ceilf((float)h))
GMCUDA_SAME(unsigned int, __half2uint_rz, (__half h), (unsigned int)(float)h)
GMCUDA_SAME(unsigned int, __half2uint_rn, (__half h), (unsigned int)rintf((float)h))
GMCUDA_SAME(short, __half2short_rz, (__half h), (short)(float)h)
GMCUDA_SAME(short, __half2short_rn, (__half h), (short)rintf((float)h))
GMCUDA_SAME(__half2, make_half2, (__half x, __half y), __half2(x, y))
GMCUDA_SAME(__half2, __halves2half2, (__half x, __half y), __half2(x, y))
GMCUDA_SAME(__half2, __half2half2, (__half h), __half2(h, h))
GMCUDA_SAME(__half2, __float2half2_rn, (float f), __half2(__half(f), __half(f)))
GMCUDA_SAME(__half2, __floats2half2_rn, (float x, float y), __half2(__half(x), __half(y)))
GMCUDA_SAME(__half2, __float22half2_rn, (float2 f), __half2(__half(f.x), __half(f.y)))
GMCUDA_SAME(float2, __half22float2, (__half2 h), make_float2((float)h.x, (float)h.y))
GMCUDA_SAME(__half, __low2half, (__half2 h), h.x)
GMCUDA_SAME(__half, __high2half, (__half2 h), h.y)
GMCUDA_SAME(float, __low2float, (__half2 h), (float)h.x)
GMCUDA_SAME(float, __high2float, (__half2 h), (float)h.y)
GMCUDA_SAME(__half2, __low2half2, (__half2 h), __half2(h.x, h.x))
GMCUDA_SAME(__half2, __high2half2, (__half2 h), __half2(h.y, h.y))
GMCUDA_SAME(__half2, __lowhigh2highlow, (__half2 h), __half2(h.y, h.x))
/* clang-format on */

#define GMCUDA_H(h)  __half_as_ushort(h)
#define GMCUDA_H2(h) __builtin_bit_cast(unsigned int, h)
/* On the host through float, whose one rounding to half is right for these. */
#ifdef __CUDA_ARCH__
#define GMCUDA_HALF1(name, text, value)                                                            \
    GMCUDA_BOTH __half name(__half a)                                                              \
    {                                                                                              \
        unsigned short d;                                                                          \
        asm(text ".f16 %0, %1;" : "=h"(d) : "h"(GMCUDA_H(a)));                                     \
        return __ushort_as_half(d);                                                                \
    }                                                                                              \
    GMCUDA_BOTH __half2 name##2(__half2 a)                                                         \
    {                                                                                              \
        unsigned int d;                                                                            \
        asm(text ".f16x2 %0, %1;" : "=r"(d) : "r"(GMCUDA_H2(a)));                                  \
        return __builtin_bit_cast(__half2, d);                                                     \
    }
#define GMCUDA_HALF2(name, text, value)                                                            \
    GMCUDA_BOTH __half name(__half a, __half b)                                                    \
    {                                                                                              \
        unsigned short d;                                                                          \
        asm(text ".f16 %0, %1, %2;" : "=h"(d) : "h"(GMCUDA_H(a)), "h"(GMCUDA_H(b)));               \
        return __ushort_as_half(d);                                                                \
    }                                                                                              \
    GMCUDA_BOTH __half2 name##2(__half2 a, __half2 b)                                              \
    {                                                                                              \
        unsigned int d;                                                                            \
        asm(text ".f16x2 %0, %1, %2;" : "=r"(d) : "r"(GMCUDA_H2(a)), "r"(GMCUDA_H2(b)));           \
        return __builtin_bit_cast(__half2, d);                                                     \
    }
#else
#define GMCUDA_HALF1(name, text, value)                                                            \
    GMCUDA_BOTH __half name(__half h)                                                              \
    {                                                                                              \
        const float a = (float)h;                                                                  \
        return __half(value);                                                                      \
    }                                                                                              \
    GMCUDA_BOTH __half2 name##2(__half2 h)                                                         \
    {                                                                                              \
        return __half2(name(h.x), name(h.y));                                                      \
    }
#define GMCUDA_HALF2(name, text, value)                                                            \
    GMCUDA_BOTH __half name(__half h, __half other)                                                \
    {                                                                                              \
        const float a = (float)h, b = (float)other;                                                \
        return __half(value);                                                                      \
    }                                                                                              \
    GMCUDA_BOTH __half2 name##2(__half2 h, __half2 other)                                          \
    {                                                                                              \
        return __half2(name(h.x, other.x), name(h.y, other.y));                                    \
    }
#endif
/* clang-format off */
GMCUDA_HALF1(__hneg, "neg", -a)
GMCUDA_HALF1(__habs, "abs", a < 0 ? -a : a == 0 ? 0.0f : a)
GMCUDA_HALF2(__hadd, "add", a + b)
GMCUDA_HALF2(__hsub, "sub", a - b)
GMCUDA_HALF2(__hmul, "mul", a * b)
GMCUDA_HALF2(__hmin, "min", a != a ? b : b != b || a < b ? a : b)
GMCUDA_HALF2(__hmax, "max", a != a ? b : b != b || a > b ? a : b)
/* clang-format on */
GMCUDA_DEVICE __half __hfma(__half a, __half b, __half c)
{
    unsigned short d;
    asm("fma.rn.f16 %0, %1, %2, %3;"
        : "=h"(d)
        : "h"(GMCUDA_H(a)), "h"(GMCUDA_H(b)), "h"(GMCUDA_H(c)));
    return __ushort_as_half(d);
}
GMCUDA_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    unsigned int d;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(d)
        : "r"(GMCUDA_H2(a)), "r"(GMCUDA_H2(b)), "r"(GMCUDA_H2(c)));
    return __builtin_bit_cast(__half2, d);
}
GMCUDA_BOTH __half __hdiv(__half a, __half b)
{
    return __half((float)a / (float)b);
}
GMCUDA_BOTH __half2 __h2div(__half2 a, __half2 b)
{
    return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

#define GMCUDA_HALF     __half
#define GMCUDA_PAIR     __half2
#define GMCUDA_PTX      "f16"
#define GMCUDA_INFINITY 0x7c00
#include <gmcuda/halves.h>

#undef GMCUDA_H
#undef GMCUDA_H2
#undef GMCUDA_HD
#undef GMCUDA_HALF1
#undef GMCUDA_HALF2

#endif
