/* SPDX-License-Identifier: MIT
 *
 * cuda_bf16.h - __nv_bfloat16 and __nv_bfloat162: storage and conversions on both sides, arithmetic
 * through float, rounded once; atomicAdd. Left out: saturating functions, mathematical ones.
 */
#ifndef GMCUDA_CUDA_BF16_H
#define GMCUDA_CUDA_BF16_H

#include <cuda_runtime.h>

GMCUDA_BOTH unsigned short __gmcuda_bfloat_bits(float f)
{
    unsigned int u = __builtin_bit_cast(unsigned int, f);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff;
    return (unsigned short)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

#define GMCUDA_HD __host__ __device__ __attribute__((nodebug))
struct __attribute__((aligned(2))) __nv_bfloat16_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
    unsigned short x, y;
};
struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    GMCUDA_HD __nv_bfloat16(float f) : __x(__gmcuda_bfloat_bits(f)) {}
    GMCUDA_HD __nv_bfloat16(double f) : __x(__gmcuda_bfloat_bits((float)f)) {}
    GMCUDA_HD __nv_bfloat16(int i) : __x(__gmcuda_bfloat_bits((float)i)) {}
    GMCUDA_HD __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
    GMCUDA_HD operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    GMCUDA_HD operator float() const { return __builtin_bit_cast(float, (unsigned int)__x << 16); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    GMCUDA_HD __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
    GMCUDA_HD __nv_bfloat162(const __nv_bfloat162_raw &raw)
        : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y})
    {
    }
    GMCUDA_HD operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};
#undef GMCUDA_HD
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* clang-format off */
GMCUDA_SAME(float, __bfloat162float, (__nv_bfloat16 h), (float)h)
GMCUDA_SAME(__nv_bfloat16, __float2bfloat16, (float f), __nv_bfloat16(f))
GMCUDA_SAME(__nv_bfloat16, __float2bfloat16_rn, (float f), __nv_bfloat16(f))
GMCUDA_SAME(__nv_bfloat162, __floats2bfloat162_rn, (float x, float y),
            __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y)))
GMCUDA_SAME(__nv_bfloat162, __halves2bfloat162, (__nv_bfloat16 x, __nv_bfloat16 y),
            __nv_bfloat162(x, y))
GMCUDA_SAME(float2, __bfloat1622float2, (__nv_bfloat162 h), make_float2((float)h.x, (float)h.y))
GMCUDA_SAME(unsigned short, __bfloat16_as_ushort, (__nv_bfloat16 h), h.__x)
GMCUDA_SAME(__nv_bfloat16, __ushort_as_bfloat16, (unsigned short u), __builtin_bit_cast(__nv_bfloat16, u))
GMCUDA_SAME(short, __bfloat16_as_short, (__nv_bfloat16 h), (short)h.__x)
GMCUDA_SAME(__nv_bfloat16, __short_as_bfloat16, (short s), __builtin_bit_cast(__nv_bfloat16, s))
GMCUDA_SAME(__nv_bfloat162, __bfloat162bfloat162, (__nv_bfloat16 h), __nv_bfloat162(h, h))
GMCUDA_SAME(__nv_bfloat162, __float2bfloat162_rn, (float f), __nv_bfloat162(__nv_bfloat16(f), __nv_bfloat16(f)))
GMCUDA_SAME(__nv_bfloat162, __float22bfloat162_rn, (float2 f), __nv_bfloat162(__nv_bfloat16(f.x), __nv_bfloat16(f.y)))
GMCUDA_SAME(__nv_bfloat162, make_bfloat162, (__nv_bfloat16 x, __nv_bfloat16 y), __nv_bfloat162(x, y))
GMCUDA_SAME(__nv_bfloat16, __low2bfloat16, (__nv_bfloat162 h), h.x)
GMCUDA_SAME(__nv_bfloat16, __high2bfloat16, (__nv_bfloat162 h), h.y)
GMCUDA_SAME(__nv_bfloat16, __double2bfloat16, (double f), __nv_bfloat16(f))
GMCUDA_SAME(__nv_bfloat16, __int2bfloat16_rn, (int i), __nv_bfloat16(i))
GMCUDA_SAME(int, __bfloat162int_rz, (__nv_bfloat16 h), (int)(float)h)
GMCUDA_SAME(int, __bfloat162int_rn, (__nv_bfloat16 h), (int)__builtin_rintf((float)h))
GMCUDA_SAME(float, __low2float, (__nv_bfloat162 h), (float)h.x)
GMCUDA_SAME(float, __high2float, (__nv_bfloat162 h), (float)h.y)
/* clang-format on */

#define GMCUDA_ARITHMETIC(op, name)                                                                \
    GMCUDA_BOTH __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b)                               \
    {                                                                                              \
        return __nv_bfloat16((float)a op(float) b);                                                \
    }                                                                                              \
    GMCUDA_BOTH __nv_bfloat162 name##2(__nv_bfloat162 a, __nv_bfloat162 b)                         \
    {                                                                                              \
        return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                                     \
    }
/* clang-format off */
GMCUDA_ARITHMETIC(+, __hadd)
GMCUDA_ARITHMETIC(-, __hsub)
GMCUDA_ARITHMETIC(*, __hmul)
GMCUDA_ARITHMETIC(/, __hdiv)
/* clang-format on */
#undef GMCUDA_ARITHMETIC
GMCUDA_BOTH __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hdiv2(a, b);
}
GMCUDA_BOTH __nv_bfloat16 __habs(__nv_bfloat16 a)
{
    return __ushort_as_bfloat16((unsigned short)(a.__x & 0x7fff));
}
GMCUDA_BOTH __nv_bfloat16 __hneg(__nv_bfloat16 a)
{
    return __ushort_as_bfloat16((unsigned short)(a.__x ^ 0x8000));
}
GMCUDA_BOTH __nv_bfloat162 __habs2(__nv_bfloat162 a)
{
    return __nv_bfloat162(__habs(a.x), __habs(a.y));
}
GMCUDA_BOTH __nv_bfloat162 __hneg2(__nv_bfloat162 a)
{
    return __nv_bfloat162(__hneg(a.x), __hneg(a.y));
}

#if defined(__CUDA__)
/* One rounding, at the end: a product of two is exact in single precision. */
GMCUDA_BOTH __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __nv_bfloat16(fmaf((float)a, (float)b, (float)c));
}
GMCUDA_BOTH __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
GMCUDA_BOTH __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat16(fmaxf((float)a, (float)b));
}
GMCUDA_BOTH __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat16(fminf((float)a, (float)b));
}
GMCUDA_BOTH __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
GMCUDA_BOTH __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
#endif

#define GMCUDA_HALF     __nv_bfloat16
#define GMCUDA_PAIR     __nv_bfloat162
#define GMCUDA_PTX      "bf16"
#define GMCUDA_INFINITY 0x7f80
#include <gmcuda/halves.h>

#endif
