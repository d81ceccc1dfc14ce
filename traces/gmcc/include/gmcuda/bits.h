/* SPDX-License-Identifier: MIT
 *
 * gmcuda/bits.h - integer and bit functions, conversions and reinterpretations. Where PTX has one
 * instruction for a function, it is that instruction.
 */
#ifndef GMCUDA_BITS_H
#define GMCUDA_BITS_H

#define GMCUDA_ASM1(name, result, rc, type, tc, text)                                              \
    GMCUDA_DEVICE result name(type a)                                                              \
    {                                                                                              \
        result d;                                                                                  \
        asm(text " %0, %1;" : "=" rc(d) : tc(a));                                                  \
        return d;                                                                                  \
    }
#define GMCUDA_ASM2(name, result, rc, type, tc, text)                                              \
    GMCUDA_DEVICE result name(type a, type b)                                                      \
    {                                                                                              \
        result d;                                                                                  \
        asm(text " %0, %1, %2;" : "=" rc(d) : tc(a), tc(b));                                       \
        return d;                                                                                  \
    }
#define GMCUDA_ASM3(name, result, rc, type, tc, text)                                              \
    GMCUDA_DEVICE result name(type a, type b, type c)                                              \
    {                                                                                              \
        result d;                                                                                  \
        asm(text " %0, %1, %2, %3;" : "=" rc(d) : tc(a), tc(b), tc(c));                            \
        return d;                                                                                  \
    }

/* clang-format off */
GMCUDA_ASM1(__popc, int, "r", unsigned int, "r", "popc.b32")
GMCUDA_ASM1(__popcll, int, "r", unsigned long long, "l", "popc.b64")
GMCUDA_ASM1(__clz, int, "r", int, "r", "clz.b32")
GMCUDA_ASM1(__clzll, int, "r", long long, "l", "clz.b64")
GMCUDA_ASM1(__brev, unsigned int, "r", unsigned int, "r", "brev.b32")
GMCUDA_ASM1(__brevll, unsigned long long, "l", unsigned long long, "l", "brev.b64")
GMCUDA_ASM2(__mulhi, int, "r", int, "r", "mul.hi.s32")
GMCUDA_ASM2(__umulhi, unsigned int, "r", unsigned int, "r", "mul.hi.u32")
GMCUDA_ASM2(__mul64hi, long long, "l", long long, "l", "mul.hi.s64")
GMCUDA_ASM2(__umul64hi, unsigned long long, "l", unsigned long long, "l", "mul.hi.u64")
GMCUDA_ASM2(__mul24, int, "r", int, "r", "mul24.lo.s32")
GMCUDA_ASM2(__umul24, unsigned int, "r", unsigned int, "r", "mul24.lo.u32")
GMCUDA_ASM3(__sad_bits, unsigned int, "r", int, "r", "sad.s32")
GMCUDA_ASM3(__usad, unsigned int, "r", unsigned int, "r", "sad.u32")
GMCUDA_ASM3(__byte_perm, unsigned int, "r", unsigned int, "r", "prmt.b32")
GMCUDA_ASM3(__dp4a, int, "r", int, "r", "dp4a.s32.s32")
GMCUDA_ASM3(__dp4a, unsigned int, "r", unsigned int, "r", "dp4a.u32.u32")
GMCUDA_ASM3(__dp2a_lo, int, "r", int, "r", "dp2a.lo.s32.s32")
GMCUDA_ASM3(__dp2a_lo, unsigned int, "r", unsigned int, "r", "dp2a.lo.u32.u32")
GMCUDA_ASM3(__dp2a_hi, int, "r", int, "r", "dp2a.hi.s32.s32")
GMCUDA_ASM3(__dp2a_hi, unsigned int, "r", unsigned int, "r", "dp2a.hi.u32.u32")
GMCUDA_ASM3(__funnelshift_l, unsigned int, "r", unsigned int, "r", "shf.l.wrap.b32")
GMCUDA_ASM3(__funnelshift_lc, unsigned int, "r", unsigned int, "r", "shf.l.clamp.b32")
GMCUDA_ASM3(__funnelshift_r, unsigned int, "r", unsigned int, "r", "shf.r.wrap.b32")
GMCUDA_ASM3(__funnelshift_rc, unsigned int, "r", unsigned int, "r", "shf.r.clamp.b32")
/* clang-format on */

GMCUDA_DEVICE unsigned int __sad(int a, int b, unsigned int c)
{
    return __sad_bits(a, b, (int)c);
}

/* The lowest set bit, counted from 1; 0 where there is none. */
GMCUDA_DEVICE int __ffs(int a)
{
    return a == 0 ? 0 : 32 - __clz(a & -a);
}
GMCUDA_DEVICE int __ffsll(long long a)
{
    return a == 0 ? 0 : 64 - __clzll(a & -a);
}
/* The position of the n-th set bit from bit `base` on (n > 0 upwards, n < 0 downwards, 0: base
 * itself), or -1. */
GMCUDA_FUNCTION unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    unsigned int step = offset < 0 ? ~0u : 1u;
    int left = offset < 0 ? -offset : offset == 0 ? 1 : offset;
    for (unsigned int bit = base; bit < 32; bit += step) {
        if ((mask >> bit & 1) && --left == 0)
            return bit;
        if (offset == 0)
            break;
    }
    return ~0u;
}
GMCUDA_DEVICE int __hadd(int a, int b)
{
    return (a >> 1) + (b >> 1) + (a & b & 1);
}
GMCUDA_DEVICE int __rhadd(int a, int b)
{
    return (a >> 1) + (b >> 1) + ((a | b) & 1);
}
GMCUDA_DEVICE unsigned int __uhadd(unsigned int a, unsigned int b)
{
    return (a >> 1) + (b >> 1) + (a & b & 1);
}
GMCUDA_DEVICE unsigned int __urhadd(unsigned int a, unsigned int b)
{
    return (a >> 1) + (b >> 1) + ((a | b) & 1);
}

#define GMCUDA_SAME_BITS(name, result, type)                                                       \
    GMCUDA_DEVICE result name(type a)                                                              \
    {                                                                                              \
        return __builtin_bit_cast(result, a);                                                      \
    }
/* clang-format off */
GMCUDA_SAME_BITS(__float_as_int, int, float)
GMCUDA_SAME_BITS(__float_as_uint, unsigned int, float)
GMCUDA_SAME_BITS(__int_as_float, float, int)
GMCUDA_SAME_BITS(__uint_as_float, float, unsigned int)
GMCUDA_SAME_BITS(__double_as_longlong, long long, double)
GMCUDA_SAME_BITS(__longlong_as_double, double, long long)
/* clang-format on */
#undef GMCUDA_SAME_BITS
GMCUDA_DEVICE int __double2hiint(double a)
{
    return (int)(__double_as_longlong(a) >> 32);
}
GMCUDA_DEVICE int __double2loint(double a)
{
    return (int)__double_as_longlong(a);
}
GMCUDA_DEVICE double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)high << 32 | (unsigned int)low);
}

/* Conversions in every rounding mode, as cvt.<mode> has them. */
#define GMCUDA_TO_INTEGER(name, result, rc, type, tc, types)                                       \
    GMCUDA_ASM1(name##_rn, result, rc, type, tc, "cvt.rni." types)                                 \
    GMCUDA_ASM1(name##_rz, result, rc, type, tc, "cvt.rzi." types)                                 \
    GMCUDA_ASM1(name##_rd, result, rc, type, tc, "cvt.rmi." types)                                 \
    GMCUDA_ASM1(name##_ru, result, rc, type, tc, "cvt.rpi." types)
#define GMCUDA_TO_FLOAT(name, result, rc, type, tc, types)                                         \
    GMCUDA_ASM1(name##_rn, result, rc, type, tc, "cvt.rn." types)                                  \
    GMCUDA_ASM1(name##_rz, result, rc, type, tc, "cvt.rz." types)                                  \
    GMCUDA_ASM1(name##_rd, result, rc, type, tc, "cvt.rm." types)                                  \
    GMCUDA_ASM1(name##_ru, result, rc, type, tc, "cvt.rp." types)

/* clang-format off */
GMCUDA_TO_INTEGER(__float2int, int, "r", float, "f", "s32.f32")
GMCUDA_TO_INTEGER(__float2uint, unsigned int, "r", float, "f", "u32.f32")
GMCUDA_TO_INTEGER(__float2ll, long long, "l", float, "f", "s64.f32")
GMCUDA_TO_INTEGER(__float2ull, unsigned long long, "l", float, "f", "u64.f32")
GMCUDA_TO_INTEGER(__double2int, int, "r", double, "d", "s32.f64")
GMCUDA_TO_INTEGER(__double2uint, unsigned int, "r", double, "d", "u32.f64")
GMCUDA_TO_INTEGER(__double2ll, long long, "l", double, "d", "s64.f64")
GMCUDA_TO_INTEGER(__double2ull, unsigned long long, "l", double, "d", "u64.f64")
GMCUDA_TO_FLOAT(__int2float, float, "f", int, "r", "f32.s32")
GMCUDA_TO_FLOAT(__uint2float, float, "f", unsigned int, "r", "f32.u32")
GMCUDA_TO_FLOAT(__ll2float, float, "f", long long, "l", "f32.s64")
GMCUDA_TO_FLOAT(__ull2float, float, "f", unsigned long long, "l", "f32.u64")
GMCUDA_TO_FLOAT(__ll2double, double, "d", long long, "l", "f64.s64")
GMCUDA_TO_FLOAT(__ull2double, double, "d", unsigned long long, "l", "f64.u64")
GMCUDA_TO_FLOAT(__double2float, float, "f", double, "d", "f32.f64")
/* clang-format on */
GMCUDA_DEVICE double __int2double_rn(int a)
{
    return (double)a;
}
GMCUDA_DEVICE double __uint2double_rn(unsigned int a)
{
    return (double)a;
}

#endif
