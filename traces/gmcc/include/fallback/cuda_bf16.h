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
GMCUDA_SAME(int, __bfloat162int_rn, (__nv_bfloat16 h), (int)rintf((float)h))
GMCUDA_SAME(float, __low2float, (__nv_bfloat162 h), (float)h.x)
GMCUDA_SAME(float, __high2float, (__nv_bfloat162 h), (float)h.y)
/* clang-format on */

#define GMCUDA_OPERATOR(op, name)                                                                  \
    GMCUDA_BOTH __nv_bfloat16 operator op(__nv_bfloat16 a, __nv_bfloat16 b)                        \
    {                                                                                              \
        return __nv_bfloat16((float)a op(float) b);                                                \
    }                                                                                              \
    GMCUDA_BOTH __nv_bfloat16 &operator op##=(__nv_bfloat16 &a, __nv_bfloat16 b)                   \
    {                                                                                              \
        return a = a op b;                                                                         \
    }                                                                                              \
    GMCUDA_BOTH __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b)                               \
    {                                                                                              \
        return a op b;                                                                             \
    }                                                                                              \
    GMCUDA_BOTH __nv_bfloat162 operator op(__nv_bfloat162 a, __nv_bfloat162 b)                     \
    {                                                                                              \
        return __nv_bfloat162(a.x op b.x, a.y op b.y);                                             \
    }                                                                                              \
    GMCUDA_BOTH __nv_bfloat162 &operator op##=(__nv_bfloat162 &a, __nv_bfloat162 b)                \
    {                                                                                              \
        return a = a op b;                                                                         \
    }                                                                                              \
    GMCUDA_BOTH __nv_bfloat162 name##2(__nv_bfloat162 a, __nv_bfloat162 b)                         \
    {                                                                                              \
        return a op b;                                                                             \
    }
/* clang-format off */
GMCUDA_OPERATOR(+, __hadd)
GMCUDA_OPERATOR(-, __hsub)
GMCUDA_OPERATOR(*, __hmul)
GMCUDA_OPERATOR(/, __hdiv)
/* clang-format on */
#undef GMCUDA_OPERATOR
GMCUDA_BOTH __nv_bfloat16 __habs(__nv_bfloat16 a)
{
    return __ushort_as_bfloat16((unsigned short)(a.__x & 0x7fff));
}
GMCUDA_BOTH __nv_bfloat16 __hneg(__nv_bfloat16 a)
{
    return __ushort_as_bfloat16((unsigned short)(a.__x ^ 0x8000));
}
GMCUDA_BOTH __nv_bfloat16 operator-(__nv_bfloat16 a)
{
    return __hneg(a);
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
GMCUDA_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 value)
{
    unsigned short d;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;"
                 : "=h"(d)
                 : "l"(address), "h"(__bfloat16_as_ushort(value))
                 : "memory");
    return __ushort_as_bfloat16(d);
}
GMCUDA_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value)
{
    unsigned int d;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;"
                 : "=r"(d)
                 : "l"(address), "r"(__builtin_bit_cast(unsigned int, value))
                 : "memory");
    return __builtin_bit_cast(__nv_bfloat162, d);
}
#define GMCUDA_BFLOAT_LOAD(name)                                                                   \
    GMCUDA_DEVICE __nv_bfloat16 name(const __nv_bfloat16 *p)                                       \
    {                                                                                              \
        return __ushort_as_bfloat16(name((const unsigned short *)p));                              \
    }                                                                                              \
    GMCUDA_DEVICE __nv_bfloat162 name(const __nv_bfloat162 *p)                                     \
    {                                                                                              \
        return __builtin_bit_cast(__nv_bfloat162, name((const unsigned int *)p));                  \
    }
#define GMCUDA_BFLOAT_STORE(name)                                                                  \
    GMCUDA_DEVICE void name(__nv_bfloat16 *p, __nv_bfloat16 v)                                     \
    {                                                                                              \
        name((unsigned short *)p, __bfloat16_as_ushort(v));                                        \
    }                                                                                              \
    GMCUDA_DEVICE void name(__nv_bfloat162 *p, __nv_bfloat162 v)                                   \
    {                                                                                              \
        name((unsigned int *)p, __builtin_bit_cast(unsigned int, v));                              \
    }
#define GMCUDA_BFLOAT_SHUFFLE(name, lane)                                                          \
    GMCUDA_CONVERGENT __nv_bfloat16 name(unsigned int mask, __nv_bfloat16 value, lane n,           \
                                         int width = 32)                                           \
    {                                                                                              \
        return __ushort_as_bfloat16(                                                               \
            (unsigned short)name(mask, (int)__bfloat16_as_ushort(value), n, width));               \
    }
/* clang-format off */
GMCUDA_BFLOAT_LOAD(__ldg)
GMCUDA_BFLOAT_LOAD(__ldca)
GMCUDA_BFLOAT_LOAD(__ldcg)
GMCUDA_BFLOAT_LOAD(__ldcs)
GMCUDA_BFLOAT_LOAD(__ldlu)
GMCUDA_BFLOAT_LOAD(__ldcv)
GMCUDA_BFLOAT_STORE(__stwb)
GMCUDA_BFLOAT_STORE(__stcg)
GMCUDA_BFLOAT_STORE(__stcs)
GMCUDA_BFLOAT_STORE(__stwt)
GMCUDA_BFLOAT_SHUFFLE(__shfl_sync, int)
GMCUDA_BFLOAT_SHUFFLE(__shfl_up_sync, unsigned int)
GMCUDA_BFLOAT_SHUFFLE(__shfl_down_sync, unsigned int)
GMCUDA_BFLOAT_SHUFFLE(__shfl_xor_sync, int)
/* clang-format on */
#undef GMCUDA_BFLOAT_LOAD
#undef GMCUDA_BFLOAT_STORE
#undef GMCUDA_BFLOAT_SHUFFLE
#endif

#endif
