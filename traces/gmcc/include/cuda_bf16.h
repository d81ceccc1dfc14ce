/* SPDX-License-Identifier: MIT
 *
 * cuda_bf16.h - __nv_bfloat16 and __nv_bfloat162: storage and conversions on both sides, arithmetic
 * through float, rounded once. Left out: fused and saturating functions, atomics.
 */
#ifndef GMCUDA_CUDA_BF16_H
#define GMCUDA_CUDA_BF16_H

#include "cuda_runtime.h"

GMCUDA_BOTH unsigned short __gmcuda_bfloat_bits(float f)
{
    unsigned int u = __builtin_bit_cast(unsigned int, f);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff;
    return (unsigned short)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

#define GMCUDA_HD __host__ __device__ __attribute__((nodebug))
struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    GMCUDA_HD __nv_bfloat16(float f) : __x(__gmcuda_bfloat_bits(f)) {}
    GMCUDA_HD __nv_bfloat16(double f) : __x(__gmcuda_bfloat_bits((float)f)) {}
    GMCUDA_HD __nv_bfloat16(int i) : __x(__gmcuda_bfloat_bits((float)i)) {}
    GMCUDA_HD operator float() const { return __builtin_bit_cast(float, (unsigned int)__x << 16); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    GMCUDA_HD __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
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
GMCUDA_SAME(float, __low2float, (__nv_bfloat162 h), (float)h.x)
GMCUDA_SAME(float, __high2float, (__nv_bfloat162 h), (float)h.y)
/* clang-format on */

#define GMCUDA_OPERATOR(op, name)                                                                  \
    GMCUDA_BOTH __nv_bfloat16 operator op(__nv_bfloat16 a, __nv_bfloat16 b)                        \
    {                                                                                              \
        return __nv_bfloat16((float)a op(float) b);                                                \
    }                                                                                              \
    GMCUDA_BOTH __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b)                               \
    {                                                                                              \
        return a op b;                                                                             \
    }                                                                                              \
    GMCUDA_BOTH __nv_bfloat162 name##2(__nv_bfloat162 a, __nv_bfloat162 b)                         \
    {                                                                                              \
        return __nv_bfloat162(a.x op b.x, a.y op b.y);                                             \
    }
/* clang-format off */
GMCUDA_OPERATOR(+, __hadd)
GMCUDA_OPERATOR(-, __hsub)
GMCUDA_OPERATOR(*, __hmul)
GMCUDA_OPERATOR(/, __hdiv)
/* clang-format on */
#undef GMCUDA_OPERATOR

#endif
