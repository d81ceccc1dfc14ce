/* SPDX-License-Identifier: MIT
 *
 * gmcuda/halves.h - what half and bfloat16 have alike: comparisons, functions through float,
 * operators, atomic sums, loads, stores and shuffles. Read once for each type, which has sums,
 * products and the like already:
 *
 *     GMCUDA_HALF      the type
 *     GMCUDA_PAIR      two of them
 *     GMCUDA_PTX       what PTX calls it
 *     GMCUDA_INFINITY  the bits of infinity
 */

#define GMCUDA_BITS(h)   __builtin_bit_cast(unsigned short, h)
#define GMCUDA_BITS2(h)  __builtin_bit_cast(unsigned int, h)
#define GMCUDA_AS(bits)  __builtin_bit_cast(GMCUDA_HALF, (unsigned short)(bits))
#define GMCUDA_AS2(bits) __builtin_bit_cast(GMCUDA_PAIR, (unsigned int)(bits))

/* False with what is no number; with a u, true. Of pairs: both; or 1 where it holds and 0 where it
 * does not, each; or all bits of either. */
#define GMCUDA_COMPARE(name, condition)                                                            \
    GMCUDA_BOTH bool __h##name(GMCUDA_HALF x, GMCUDA_HALF y)                                       \
    {                                                                                              \
        const float a = (float)x, b = (float)y;                                                    \
        return condition;                                                                          \
    }                                                                                              \
    GMCUDA_BOTH bool __hb##name##2(GMCUDA_PAIR a, GMCUDA_PAIR b)                                   \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    GMCUDA_BOTH GMCUDA_PAIR __h##name##2(GMCUDA_PAIR a, GMCUDA_PAIR b)                             \
    {                                                                                              \
        return GMCUDA_PAIR(GMCUDA_HALF((float)__h##name(a.x, b.x)),                                \
                           GMCUDA_HALF((float)__h##name(a.y, b.y)));                               \
    }                                                                                              \
    GMCUDA_BOTH unsigned int __h##name##2_mask(GMCUDA_PAIR a, GMCUDA_PAIR b)                       \
    {                                                                                              \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);      \
    }
/* clang-format off */
GMCUDA_COMPARE(eq, a == b)
GMCUDA_COMPARE(ne, a < b || a > b)
GMCUDA_COMPARE(lt, a < b)
GMCUDA_COMPARE(le, a <= b)
GMCUDA_COMPARE(gt, a > b)
GMCUDA_COMPARE(ge, a >= b)
GMCUDA_COMPARE(equ, !(a < b || a > b))
GMCUDA_COMPARE(neu, a != b)
GMCUDA_COMPARE(ltu, !(a >= b))
GMCUDA_COMPARE(leu, !(a > b))
GMCUDA_COMPARE(gtu, !(a <= b))
GMCUDA_COMPARE(geu, !(a < b))
/* clang-format on */
GMCUDA_BOTH bool __hisnan(GMCUDA_HALF a)
{
    return (GMCUDA_BITS(a) & 0x7fff) > GMCUDA_INFINITY;
}
GMCUDA_BOTH int __hisinf(GMCUDA_HALF a)
{
    return (GMCUDA_BITS(a) & 0x7fff) != GMCUDA_INFINITY ? 0 : GMCUDA_BITS(a) & 0x8000 ? -1 : 1;
}

#define GMCUDA_OPERATOR(type, op, function)                                                        \
    GMCUDA_BOTH type operator op(type a, type b)                                                   \
    {                                                                                              \
        return function(a, b);                                                                     \
    }                                                                                              \
    GMCUDA_BOTH type &operator op##=(type &a, type b)                                              \
    {                                                                                              \
        return a = function(a, b);                                                                 \
    }
/* clang-format off */
GMCUDA_OPERATOR(GMCUDA_HALF, +, __hadd)
GMCUDA_OPERATOR(GMCUDA_HALF, -, __hsub)
GMCUDA_OPERATOR(GMCUDA_HALF, *, __hmul)
GMCUDA_OPERATOR(GMCUDA_HALF, /, __hdiv)
GMCUDA_OPERATOR(GMCUDA_PAIR, +, __hadd2)
GMCUDA_OPERATOR(GMCUDA_PAIR, -, __hsub2)
GMCUDA_OPERATOR(GMCUDA_PAIR, *, __hmul2)
GMCUDA_OPERATOR(GMCUDA_PAIR, /, __h2div)
/* clang-format on */
GMCUDA_BOTH GMCUDA_HALF operator-(GMCUDA_HALF a)
{
    return __hneg(a);
}
GMCUDA_BOTH GMCUDA_PAIR operator-(GMCUDA_PAIR a)
{
    return __hneg2(a);
}

#if defined(__CUDA__)
#define GMCUDA_THROUGH_FLOAT(name, function)                                                       \
    GMCUDA_DEVICE GMCUDA_HALF h##name(GMCUDA_HALF a)                                               \
    {                                                                                              \
        return GMCUDA_HALF(function((float)a));                                                    \
    }                                                                                              \
    GMCUDA_DEVICE GMCUDA_PAIR h2##name(GMCUDA_PAIR a)                                              \
    {                                                                                              \
        return GMCUDA_PAIR(h##name(a.x), h##name(a.y));                                            \
    }
/* clang-format off */
GMCUDA_THROUGH_FLOAT(sqrt, sqrtf)
GMCUDA_THROUGH_FLOAT(rsqrt, rsqrtf)
GMCUDA_THROUGH_FLOAT(rcp, 1.0f / )
GMCUDA_THROUGH_FLOAT(exp, expf)
GMCUDA_THROUGH_FLOAT(exp2, exp2f)
GMCUDA_THROUGH_FLOAT(exp10, exp10f)
GMCUDA_THROUGH_FLOAT(log, logf)
GMCUDA_THROUGH_FLOAT(log2, log2f)
GMCUDA_THROUGH_FLOAT(log10, log10f)
GMCUDA_THROUGH_FLOAT(sin, sinf)
GMCUDA_THROUGH_FLOAT(cos, cosf)
GMCUDA_THROUGH_FLOAT(tanh, tanhf)
GMCUDA_THROUGH_FLOAT(floor, floorf)
GMCUDA_THROUGH_FLOAT(ceil, ceilf)
GMCUDA_THROUGH_FLOAT(trunc, truncf)
GMCUDA_THROUGH_FLOAT(rint, rintf)
/* clang-format on */

GMCUDA_DEVICE GMCUDA_HALF atomicAdd(GMCUDA_HALF *address, GMCUDA_HALF value)
{
    unsigned short d;
    asm volatile("atom.add.noftz." GMCUDA_PTX " %0, [%1], %2;"
                 : "=h"(d)
                 : "l"(address), "h"(GMCUDA_BITS(value))
                 : "memory");
    return GMCUDA_AS(d);
}
GMCUDA_DEVICE GMCUDA_PAIR atomicAdd(GMCUDA_PAIR *address, GMCUDA_PAIR value)
{
    unsigned int d;
    asm volatile("atom.add.noftz." GMCUDA_PTX "x2 %0, [%1], %2;"
                 : "=r"(d)
                 : "l"(address), "r"(GMCUDA_BITS2(value))
                 : "memory");
    return GMCUDA_AS2(d);
}
#define GMCUDA_LOADS(name)                                                                         \
    GMCUDA_DEVICE GMCUDA_HALF name(const GMCUDA_HALF *p)                                           \
    {                                                                                              \
        return GMCUDA_AS(name((const unsigned short *)p));                                         \
    }                                                                                              \
    GMCUDA_DEVICE GMCUDA_PAIR name(const GMCUDA_PAIR *p)                                           \
    {                                                                                              \
        return GMCUDA_AS2(name((const unsigned int *)p));                                          \
    }
/* clang-format off */
GMCUDA_LOADS(__ldg)
GMCUDA_LOADS(__ldca)
GMCUDA_LOADS(__ldcg)
GMCUDA_LOADS(__ldcs)
GMCUDA_LOADS(__ldlu)
GMCUDA_LOADS(__ldcv)
/* clang-format on */
#define GMCUDA_STORES(name)                                                                        \
    GMCUDA_DEVICE void name(GMCUDA_HALF *p, GMCUDA_HALF v)                                         \
    {                                                                                              \
        name((unsigned short *)p, GMCUDA_BITS(v));                                                 \
    }                                                                                              \
    GMCUDA_DEVICE void name(GMCUDA_PAIR *p, GMCUDA_PAIR v)                                         \
    {                                                                                              \
        name((unsigned int *)p, GMCUDA_BITS2(v));                                                  \
    }
/* clang-format off */
GMCUDA_STORES(__stwb)
GMCUDA_STORES(__stcg)
GMCUDA_STORES(__stcs)
GMCUDA_STORES(__stwt)
/* clang-format on */
#define GMCUDA_SHUFFLES(name, lane)                                                                \
    GMCUDA_CONVERGENT GMCUDA_HALF name(unsigned int mask, GMCUDA_HALF value, lane n,               \
                                       int width = 32)                                             \
    {                                                                                              \
        return GMCUDA_AS(name(mask, (int)GMCUDA_BITS(value), n, width));                           \
    }                                                                                              \
    GMCUDA_CONVERGENT GMCUDA_PAIR name(unsigned int mask, GMCUDA_PAIR value, lane n,               \
                                       int width = 32)                                             \
    {                                                                                              \
        return GMCUDA_AS2(name(mask, GMCUDA_BITS2(value), n, width));                              \
    }
/* clang-format off */
GMCUDA_SHUFFLES(__shfl_sync, int)
GMCUDA_SHUFFLES(__shfl_up_sync, unsigned int)
GMCUDA_SHUFFLES(__shfl_down_sync, unsigned int)
GMCUDA_SHUFFLES(__shfl_xor_sync, int)
/* clang-format on */
#endif

#undef GMCUDA_HALF
#undef GMCUDA_PAIR
#undef GMCUDA_PTX
#undef GMCUDA_INFINITY
#undef GMCUDA_BITS
#undef GMCUDA_BITS2
#undef GMCUDA_AS
#undef GMCUDA_AS2
#undef GMCUDA_COMPARE
#undef GMCUDA_THROUGH_FLOAT
#undef GMCUDA_OPERATOR
#undef GMCUDA_LOADS
#undef GMCUDA_STORES
#undef GMCUDA_SHUFFLES
