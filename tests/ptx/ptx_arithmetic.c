/* SPDX-License-Identifier: MIT
 *
 * ptx_arithmetic.c - every arithmetic opcode of the PTX interpreter against values computed here.
 */
#include "tests/ptx/ptx_fixture.h"

#include <fenv.h>

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

static void test_integers(void)
{
    CHECK("add.s16 %d, %a, %b", u16, u16, u16, u16, a + b)
    CHECK("add.u32 %d, %a, %b", u32, u32, u32, u32, a + b)
    CHECK("add.s32 %d, %a, -7", u32, u32, u32, u32, a - 7)
    CHECK("add.s64 %d, %a, %b", u64, u64, u64, u64, a + b)
    CHECK("add.sat.s32 %d, %a, %b", s32, s32, s32, s32,
          (s64)a + b > INT32_MAX   ? INT32_MAX
          : (s64)a + b < INT32_MIN ? INT32_MIN
                                   : (s64)a + b)
    CHECK("sub.s16 %d, %a, %b", u16, u16, u16, u16, a - b)
    CHECK("sub.s32 %d, %a, %b", u32, u32, u32, u32, a - b)
    CHECK("sub.u64 %d, %a, %b", u64, u64, u64, u64, a - b)
    CHECK("mul.lo.s32 %d, %a, %b", u32, u32, u32, u32, (u64)a * b)
    CHECK("mul.lo.u64 %d, %a, %b", u64, u64, u64, u64, a * b)
    CHECK("mul.lo.s16 %d, %a, %b", u16, u16, u16, u16, (u32)a * b)
    CHECK("mul.hi.u16 %d, %a, %b", u16, u16, u16, u16, (u32)a * b >> 16)
    CHECK("mul.hi.s16 %d, %a, %b", s16, s16, s16, s16, (s32)a * b >> 16)
    CHECK("mul.hi.u32 %d, %a, %b", u32, u32, u32, u32, (u64)a * b >> 32)
    CHECK("mul.hi.s32 %d, %a, %b", s32, s32, s32, s32, (s64)a * b >> 32)
    CHECK("mul.hi.u64 %d, %a, %b", u64, u64, u64, u64, (u128)a * b >> 64)
    CHECK("mul.hi.s64 %d, %a, %b", s64, s64, s64, s64, (s128)a * b >> 64)
    CHECK("mul.wide.u16 %d, %a, %b", u32, u16, u16, u16, (u32)a * b)
    CHECK("mul.wide.s16 %d, %a, %b", s32, s16, s16, s16, (s32)a * b)
    CHECK("mul.wide.u32 %d, %a, %b", u64, u32, u32, u32, (u64)a * b)
    CHECK("mul.wide.s32 %d, %a, %b", s64, s32, s32, s32, (s64)a * b)
    CHECK("mul24.lo.u32 %d, %a, %b", u32, u32, u32, u32, (u64)(a & 0xffffff) * (b & 0xffffff))
    CHECK("mad.lo.s32 %d, %a, %b, %c", u32, u32, u32, u32, (u64)a * b + c)
    CHECK("mad.lo.u64 %d, %a, %b, %c", u64, u64, u64, u64, a * b + c)
    CHECK("mad.hi.s32 %d, %a, %b, %c", u32, s32, s32, u32, (u32)((s64)a * b >> 32) + c)
    CHECK("mad.hi.u32 %d, %a, %b, %c", u32, u32, u32, u32, (u32)((u64)a * b >> 32) + c)
    CHECK("mad.wide.u32 %d, %a, %b, %c", u64, u32, u32, u64, (u64)a * b + c)
    CHECK("mad.wide.s32 %d, %a, %b, %c", u64, s32, s32, u64, (u64)((s64)a * b) + c)
    CHECK("mad.wide.s16 %d, %a, %b, %c", u32, s16, s16, u32, (u32)((s32)a * b) + c)
    CHECK("sad.u32 %d, %a, %b, %c", u32, u32, u32, u32, c + (a > b ? a - b : b - a))
    CHECK("div.u32 %d, %a, %b", u32, u32, u32, u32, b ? a / b : UINT32_MAX)
    CHECK("div.s32 %d, %a, %b", s32, s32, s32, s32, b ? (s64)a / b : -1)
    CHECK("div.u64 %d, %a, %b", u64, u64, u64, u64, b ? a / b : UINT64_MAX)
    CHECK("div.s64 %d, %a, %b", s64, s64, s64, s64, b ? (s128)a / b : -1)
    CHECK("div.u16 %d, %a, %b", u16, u16, u16, u16, b ? a / b : 0xffff)
    CHECK("rem.u32 %d, %a, %b", u32, u32, u32, u32, b ? a % b : a)
    CHECK("rem.s32 %d, %a, %b", s32, s32, s32, s32, b ? (s64)a % b : a)
    CHECK("rem.s64 %d, %a, %b", s64, s64, s64, s64, b ? (s128)a % b : a)
    CHECK("rem.u64 %d, %a, %b", u64, u64, u64, u64, b ? a % b : a)
    CHECK("min.s32 %d, %a, %b", s32, s32, s32, s32, a < b ? a : b)
    CHECK("min.u32 %d, %a, %b", u32, u32, u32, u32, a < b ? a : b)
    CHECK("max.s64 %d, %a, %b", s64, s64, s64, s64, a > b ? a : b)
    CHECK("max.u16 %d, %a, %b", u16, u16, u16, u16, a > b ? a : b)
    CHECK("neg.s32 %d, %a", u32, u32, u32, u32, 0 - a)
    CHECK("neg.s64 %d, %a", u64, u64, u64, u64, 0 - a)
    CHECK("abs.s32 %d, %a", u32, s32, u32, u32, a < 0 ? 0 - (u32)a : (u32)a)
    CHECK("abs.s64 %d, %a", u64, s64, u32, u32, a < 0 ? 0 - (u64)a : (u64)a)
}

static void test_carry(void)
{
    CHECK("{ .reg .b32 l; .reg .b32 h; .reg .b32 m; .reg .b32 n; mov.b64 {l, h}, %a;"
          " mov.b64 {m, n}, %b; add.cc.u32 l, l, m; addc.u32 h, h, n; mov.b64 %d, {l, h}; }",
          u64, u64, u64, u64, a + b)
    CHECK("{ .reg .b32 l; .reg .b32 h; .reg .b32 m; .reg .b32 n; mov.b64 {l, h}, %a;"
          " mov.b64 {m, n}, %b; sub.cc.u32 l, l, m; subc.u32 h, h, n; mov.b64 %d, {l, h}; }",
          u64, u64, u64, u64, a - b)
    CHECK("{ .reg .b64 l; mad.lo.cc.u64 l, %a, %b, %c; madc.hi.u64 %d, %a, %b, 0; }", u64, u64, u64,
          u64, ((u128)a * b + c) >> 64)
    CHECK("{ .reg .b32 l; mad.lo.cc.u32 l, %a, %b, %c; madc.hi.u32 %d, %a, %b, 0; }", u32, u32, u32,
          u32, ((u64)a * b + c) >> 32)
    CHECK("{ .reg .b64 l; add.cc.u64 l, %a, %b; addc.u64 %d, %c, 0; }", u64, u64, u64, u64,
          c + (a + b < a))
}

static u32 reverse(u32 v)
{
    u32 out = 0;
    for (int i = 0; i < 32; i++)
        out |= (v >> i & 1) << (31 - i);
    return out;
}
static u64 take_bits(u64 v, unsigned at, unsigned count, unsigned bits, bool is_signed)
{
    at &= 0xff;
    count &= 0xff;
    u64 out = 0;
    const unsigned top = MIN(at + count - 1, bits - 1);
    const u64 sign = count && is_signed ? v >> top & 1 : 0;
    for (unsigned i = 0; i < bits; i++)
        out |= (i < count && at + i < bits ? v >> (at + i) & 1 : sign) << i;
    return out;
}
static u64 put_bits(u64 a, u64 b, unsigned at, unsigned count, unsigned bits)
{
    at &= 0xff;
    count &= 0xff;
    for (unsigned i = 0; i < count && at + i < bits; i++)
        b = (b & ~(1ull << (at + i))) | (a >> i & 1) << (at + i);
    return b;
}
static u32 choose_bytes(u32 a, u32 b, u32 select)
{
    u32 out = 0;
    for (int i = 0; i < 4; i++) {
        const u32 s = select >> 4 * i & 15;
        u32 byte = (s & 4 ? b : a) >> 8 * (s & 3) & 0xff;
        if (s & 8)
            byte = byte & 0x80 ? 0xff : 0;
        out |= byte << 8 * i;
    }
    return out;
}
#define BYTE_APART(T, SHIFT) ((u32)abs((T)(a >> (SHIFT)) - (T)(b >> (SHIFT))))
static u32 lookup(u32 a, u32 b, u32 c, u32 table)
{
    u32 out = 0;
    for (int i = 0; i < 32; i++)
        out |= (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
    return out;
}

static void test_bits(void)
{
    CHECK("and.b32 %d, %a, %b", u32, u32, u32, u32, a & b)
    CHECK("or.b64 %d, %a, %b", u64, u64, u64, u64, a | b)
    CHECK("xor.b16 %d, %a, %b", u16, u16, u16, u16, a ^ b)
    CHECK("not.b32 %d, %a", u32, u32, u32, u32, ~a)
    CHECK("cnot.b32 %d, %a", u32, u32, u32, u32, a == 0)
    CHECK("shl.b32 %d, %a, %b", u32, u32, u32, u32, b > 31 ? 0 : a << b)
    CHECK("shl.b64 %d, %a, %b", u64, u64, u32, u32, b > 63 ? 0 : a << b)
    CHECK("shl.b16 %d, %a, %b", u16, u16, u32, u32, b > 15 ? 0 : (u32)a << b)
    CHECK("shr.u32 %d, %a, %b", u32, u32, u32, u32, b > 31 ? 0 : a >> b)
    CHECK("shr.s32 %d, %a, %b", s32, s32, u32, u32, a >> MIN(b, 31u))
    CHECK("shr.s64 %d, %a, %b", s64, s64, u32, u32, a >> MIN(b, 63u))
    CHECK("shr.u64 %d, %a, %b", u64, u64, u32, u32, b > 63 ? 0 : a >> b)
    CHECK("shf.l.wrap.b32 %d, %a, %b, %c", u32, u32, u32, u32,
          (((u64)b << 32 | a) << (c & 31)) >> 32)
    CHECK("shf.r.wrap.b32 %d, %a, %b, %c", u32, u32, u32, u32, ((u64)b << 32 | a) >> (c & 31))
    CHECK("shf.l.clamp.b32 %d, %a, %b, %c", u32, u32, u32, u32,
          (((u64)b << 32 | a) << MIN(c, 32u)) >> 32)
    CHECK("shf.r.clamp.b32 %d, %a, %b, %c", u32, u32, u32, u32, ((u64)b << 32 | a) >> MIN(c, 32u))
    CHECK("popc.b32 %d, %a", u32, u32, u32, u32, __builtin_popcount(a))
    CHECK("popc.b64 %d, %a", u32, u64, u32, u32, __builtin_popcountll(a))
    CHECK("clz.b32 %d, %a", u32, u32, u32, u32, a ? __builtin_clz(a) : 32)
    CHECK("clz.b64 %d, %a", u32, u64, u32, u32, a ? __builtin_clzll(a) : 64)
    CHECK("brev.b32 %d, %a", u32, u32, u32, u32, reverse(a))
    CHECK("brev.b64 %d, %a", u64, u64, u32, u32,
          (u64)reverse((u32)a) << 32 | reverse((u32)(a >> 32)))
    CHECK("bfind.u32 %d, %a", u32, u32, u32, u32, a ? 31 - __builtin_clz(a) : -1)
    CHECK("bfind.s32 %d, %a", u32, s32, u32, u32,
          (a ^ a >> 31) ? 31 - __builtin_clz((u32)(a ^ a >> 31)) : -1)
    CHECK("bfind.shiftamt.u32 %d, %a", u32, u32, u32, u32, a ? __builtin_clz(a) : -1)
    CHECK("bfe.u32 %d, %a, %b, %c", u32, u32, u32, u32, take_bits(a, b, c, 32, false))
    CHECK("bfe.s32 %d, %a, %b, %c", u32, u32, u32, u32, take_bits(a, b, c, 32, true))
    CHECK("bfe.u64 %d, %a, %b, %c", u64, u64, u32, u32, take_bits(a, b, c, 64, false))
    CHECK("bfe.s64 %d, %a, %b, %c", u64, u64, u32, u32, take_bits(a, b, c, 64, true))
    CHECK("bfi.b32 %d, %a, %b, %c, 9", u32, u32, u32, u32, put_bits(a, b, c, 9, 32))
    CHECK("bfi.b64 %d, %a, %b, %c, 40", u64, u64, u64, u32, put_bits(a, b, c, 40, 64))
    CHECK("prmt.b32 %d, %a, %b, %c", u32, u32, u32, u32, choose_bytes(a, b, c))
    CHECK("prmt.b32.f4e %d, %a, %b, 1", u32, u32, u32, u32, choose_bytes(a, b, 0x4321))
    CHECK("prmt.b32.b4e %d, %a, %b, 1", u32, u32, u32, u32, choose_bytes(a, b, 0x6701 & 0x7777))
    CHECK("prmt.b32.rc16 %d, %a, %b, 1", u32, u32, u32, u32, choose_bytes(a, b, 0x3232))
    CHECK("lop3.b32 %d, %a, %b, %c, 0x96", u32, u32, u32, u32, lookup(a, b, c, 0x96))
    CHECK("lop3.b32 %d, %a, %b, %c, 0xe8", u32, u32, u32, u32, lookup(a, b, c, 0xe8))
    CHECK("bmsk.clamp.b32 %d, %a, %b", u32, u32, u32, u32,
          a > 31 ? 0 : put_bits(~0ull, 0, a, MIN(b, 32u), 32))
    CHECK("selp.b32 %d, %a, %b, %p1", u32, u32, u32, u32, i != 3 ? a : b)
    CHECK("selp.b64 %d, %a, %b, %p1", u64, u64, u64, u64, i != 3 ? a : b)
    CHECK("slct.b32.s32 %d, %a, %b, %c", u32, u32, u32, s32, c >= 0 ? a : b)
    CHECK("dp4a.u32.u32 %d, %a, %b, %c", u32, u32, u32, u32,
          c + (a & 255) * (b & 255) + (a >> 8 & 255) * (b >> 8 & 255) +
              (a >> 16 & 255) * (b >> 16 & 255) + (a >> 24) * (b >> 24))
    CHECK("vabsdiff4.u32.u32.u32.add %d, %a, %b, %c", u32, u32, u32, u32,
          c + BYTE_APART(uint8_t, 0) + BYTE_APART(uint8_t, 8) + BYTE_APART(uint8_t, 16) +
              BYTE_APART(uint8_t, 24))
    CHECK("vabsdiff4.s32.s32.s32.add %d, %a, %b, %c", u32, u32, u32, u32,
          c + BYTE_APART(int8_t, 0) + BYTE_APART(int8_t, 8) + BYTE_APART(int8_t, 16) +
              BYTE_APART(int8_t, 24))
    CHECK("vabsdiff4.u32.s32.s32 %d, %a, %b, %c", u32, u32, u32, u32,
          BYTE_APART(int8_t, 0) | BYTE_APART(int8_t, 8) << 8 | BYTE_APART(int8_t, 16) << 16 |
              BYTE_APART(int8_t, 24) << 24)
    CHECK("mov.b32 %d, %a", u32, u32, u32, u32, a)
    CHECK("mov.b64 %d, {%a, %b}", u64, u32, u32, u32, (u64)b << 32 | a)
    CHECK("mov.b32 %d, {%a, %b}", u32, u16, u16, u16, (u32)b << 16 | a)
    CHECK("mov.b64 {%d, _}, %a", u32, u64, u64, u64, a)
    CHECK("mov.b64 {_, %d}, %a", u32, u64, u64, u64, a >> 32)
    CHECK("@%p1 add.u32 %d, %a, 1", u32, u32, u32, u32, i == 3 ? 0x5a5a5a5a : a + 1)
    CHECK("@!%p1 add.u32 %d, %a, 1", u32, u32, u32, u32, i != 3 ? 0x5a5a5a5a : a + 1)
}

static float no_subnormal(float v)
{
    return fpclassify(v) == FP_SUBNORMAL ? copysignf(0, v) : v;
}
static float with_mode(int mode, float (*f)(float, float), float a, float b)
{
    fesetround(mode);
    volatile float x = a, y = b;
    volatile float r = f(x, y); /* computed before the mode changes back */
    fesetround(FE_TONEAREST);
    return r;
}
static float add_floats(float a, float b)
{
    return a + b;
}
static float divide_floats(float a, float b)
{
    return a / b;
}
static float clamp01(float v)
{
    return v > 0 ? v < 1 ? v : 1 : 0;
}

static void test_floats(void)
{
    CHECK("add.f32 %d, %a, %b", float, float, float, float, a + b)
    CHECK("add.rn.f32 %d, %a, 0f3F800000", float, float, float, float, a + 1.0f)
    CHECK("add.ftz.f32 %d, %a, %b", float, float, float, float,
          no_subnormal(no_subnormal(a) + no_subnormal(b)))
    CHECK("add.sat.f32 %d, %a, %b", float, float, float, float, clamp01(a + b))
    CHECK("add.rz.f32 %d, %a, %b", float, float, float, float,
          with_mode(FE_TOWARDZERO, add_floats, a, b))
    CHECK("add.rm.f32 %d, %a, %b", float, float, float, float,
          with_mode(FE_DOWNWARD, add_floats, a, b))
    CHECK("add.rp.f32 %d, %a, %b", float, float, float, float,
          with_mode(FE_UPWARD, add_floats, a, b))
    CHECK("div.rp.f32 %d, %a, %b", float, float, float, float,
          with_mode(FE_UPWARD, divide_floats, a, b))
    CHECK("sub.f32 %d, %a, %b", float, float, float, float, a - b)
    CHECK("mul.f32 %d, %a, %b", float, float, float, float, a *b)
    CHECK("div.rn.f32 %d, %a, %b", float, float, float, float, a / b)
    CHECK("fma.rn.f32 %d, %a, %b, %c", float, float, float, float, fmaf(a, b, c))
    CHECK("min.f32 %d, %a, %b", float, float, float, float,
          a == b ? (signbit(a) ? a : b) : fminf(a, b))
    CHECK("max.f32 %d, %a, %b", float, float, float, float,
          a == b ? (signbit(a) ? b : a) : fmaxf(a, b))
    CHECK("neg.f32 %d, %a", float, float, float, float, -a)
    CHECK("abs.f32 %d, %a", float, float, float, float, fabsf(a))
    CHECK("sqrt.rn.f32 %d, %a", float, float, float, float, sqrtf(a))
    CHECK("rcp.rn.f32 %d, %a", float, float, float, float, 1.0f / a)
    CHECK("ex2.approx.f32 %d, %a", float, float, float, float, exp2f(a))
    CHECK("lg2.approx.f32 %d, %a", float, float, float, float, log2f(a))
    CHECK("sin.approx.f32 %d, %a", float, float, float, float, sinf(a))
    CHECK("cos.approx.f32 %d, %a", float, float, float, float, cosf(a))
    CHECK("tanh.approx.f32 %d, %a", float, float, float, float, tanhf(a))
    CHECK("copysign.f32 %d, %a, %b", float, float, float, float, copysignf(b, a))
    CHECK("add.f64 %d, %a, %b", double, double, double, double, a + b)
    CHECK("sub.f64 %d, %a, %b", double, double, double, double, a - b)
    CHECK("mul.f64 %d, %a, %b", double, double, double, double, a *b)
    CHECK("div.rn.f64 %d, %a, %b", double, double, double, double, a / b)
    CHECK("fma.rn.f64 %d, %a, %b, %c", double, double, double, double, fma(a, b, c))
    CHECK("sqrt.rn.f64 %d, %a", double, double, double, double, sqrt(a))
    CHECK("rcp.rn.f64 %d, %a", double, double, double, double, 1.0 / a)
    CHECK("neg.f64 %d, %a", double, double, double, double, -a)
    CHECK("abs.f64 %d, %a", double, double, double, double, fabs(a))
    CHECK("min.f64 %d, %a, %b", double, double, double, double,
          a == b ? (signbit(a) ? a : b) : fmin(a, b))
}

static void test_comparisons(void)
{
#define SET(WHAT, T, EXPR)                                                                         \
    CHECK("setp." WHAT " %p2, %a, %b; selp.u32 %d, 1, 0, %p2", u32, T, T, T, (EXPR) ? 1 : 0)
    SET("eq.s32", s32, a == b)
    SET("ne.s32", s32, a != b)
    SET("lt.s32", s32, a < b)
    SET("le.s32", s32, a <= b)
    SET("gt.s32", s32, a > b)
    SET("ge.s32", s32, a >= b)
    SET("lt.u32", u32, a < b)
    SET("hi.u32", u32, a > b)
    SET("ls.u32", u32, a <= b)
    SET("ge.u64", u64, a >= b)
    SET("lt.s64", s64, a < b)
    SET("gt.s16", s16, a > b)
    SET("lt.u16", u16, a < b)
    SET("eq.b32", u32, a == b)
    SET("eq.f32", float, a == b)
    SET("ne.f32", float, a<b || a> b)
    SET("lt.f32", float, a < b)
    SET("ltu.f32", float, !(a >= b))
    SET("neu.f32", float, a != b)
    SET("geu.f32", float, !(a < b))
    SET("equ.f32", float, !(a < b || a > b))
    SET("num.f32", float, !isnan(a) && !isnan(b))
    SET("nan.f32", float, isnan(a) || isnan(b))
    SET("gt.ftz.f32", float, no_subnormal(a) > no_subnormal(b))
    SET("le.f64", double, a <= b)
    SET("gtu.f64", double, !(a <= b))
    CHECK("setp.lt.and.s32 %p2, %a, %b, %p1; selp.u32 %d, 1, 0, %p2", u32, s32, s32, s32,
          a < b && i != 3)
    CHECK("setp.lt.or.s32 %p2, %a, %b, !%p1; selp.u32 %d, 1, 0, %p2", u32, s32, s32, s32,
          a < b || i == 3)
    CHECK("setp.lt.xor.s32 %p3|%p2, %a, %b, %p1; selp.u32 %d, 1, 0, %p2", u32, s32, s32, s32,
          (a >= b) != (i != 3))
    CHECK("set.lt.u32.f32 %d, %a, %b", u32, float, float, float, a < b ? UINT32_MAX : 0)
    CHECK("set.gt.f32.s32 %d, %a, %b", float, s32, s32, s32, a > b ? 1.0f : 0.0f)
    CHECK("setp.lt.s32 %p2, %a, %b; and.pred %p3, %p2, %p1; not.pred %p2, %p3;"
          " selp.u32 %d, 1, 0, %p2",
          u32, s32, s32, s32, !(a < b && i != 3))
    CHECK("testp.finite.f32 %p2, %a; selp.u32 %d, 1, 0, %p2", u32, float, u32, u32, isfinite(a))
}

static s64 clamp_to(double v, s64 low, s64 high)
{
    return isnan(v) ? 0 : v <= (double)low ? low : v >= (double)high ? high : (s64)v;
}

static void test_conversions(void)
{
    CHECK("cvt.u64.u32 %d, %a", u64, u32, u32, u32, a)
    CHECK("cvt.s64.s32 %d, %a", s64, s32, s32, s32, a)
    CHECK("cvt.u32.u64 %d, %a", u32, u64, u32, u32, a)
    CHECK("cvt.u32.u16 %d, %a", u32, u16, u32, u32, a)
    CHECK("cvt.s32.s16 %d, %a", s32, s16, u32, u32, a)
    CHECK("cvt.u16.u32 %d, %a", u16, u32, u32, u32, a)
    CHECK("cvt.s32.s8 %d, %a", s32, s32, u32, u32, (int8_t)a)
    CHECK("cvt.u32.u8 %d, %a", u32, u32, u32, u32, (uint8_t)a)
    CHECK("cvt.u8.u32 %d, %a", u32, u32, u32, u32, (uint8_t)a)
    CHECK("cvt.sat.s16.s32 %d, %a", s16, s32, u32, u32, CLAMP(a, -32768, 32767))
    CHECK("cvt.sat.u16.s32 %d, %a", u16, s32, u32, u32, CLAMP(a, 0, 65535))
    CHECK("cvt.sat.s32.u32 %d, %a", s32, u32, u32, u32, MIN(a, 0x7fffffffu))
    CHECK("cvt.rn.f32.s32 %d, %a", float, s32, s32, s32, a)
    CHECK("cvt.rn.f32.u32 %d, %a", float, u32, s32, s32, a)
    CHECK("cvt.rn.f32.u64 %d, %a", float, u64, s32, s32, a)
    CHECK("cvt.rn.f64.s64 %d, %a", double, s64, s32, s32, a)
    CHECK("cvt.rn.f64.s32 %d, %a", double, s32, s32, s32, a)
    CHECK("cvt.rzi.s32.f32 %d, %a", s32, float, s32, s32, clamp_to(a, INT32_MIN, INT32_MAX))
    CHECK("cvt.rni.s32.f32 %d, %a", s32, float, s32, s32,
          clamp_to(nearbyint(a), INT32_MIN, INT32_MAX))
    CHECK("cvt.rmi.s32.f32 %d, %a", s32, float, s32, s32, clamp_to(floor(a), INT32_MIN, INT32_MAX))
    CHECK("cvt.rpi.s32.f64 %d, %a", s32, double, s32, s32, clamp_to(ceil(a), INT32_MIN, INT32_MAX))
    CHECK("cvt.rzi.u32.f32 %d, %a", u32, float, s32, s32, clamp_to(a, 0, UINT32_MAX))
    CHECK("cvt.rzi.u16.f32 %d, %a", u16, float, s32, s32, clamp_to(a, 0, UINT16_MAX))
    CHECK("cvt.rzi.s64.f64 %d, %a", s64, double, s32, s32, clamp_to(a, INT64_MIN, INT64_MAX))
    CHECK("cvt.f64.f32 %d, %a", double, float, s32, s32, a)
    CHECK("cvt.rn.f32.f64 %d, %a", float, double, s32, s32, a)
    CHECK("cvt.rni.f32.f32 %d, %a", float, float, s32, s32, nearbyintf(a))
    CHECK("cvt.rzi.f32.f32 %d, %a", float, float, s32, s32, truncf(a))
    CHECK("cvt.rmi.f64.f64 %d, %a", double, double, s32, s32, floor(a))
    CHECK("cvt.sat.f32.f32 %d, %a", float, float, s32, s32, clamp01(a))
    CHECK("cvt.u64.s32 %d, %a", u64, s32, u32, u32, (u64)(s64)a)
    CHECK("cvt.u64.u16 %d, %a", u64, u16, u32, u32, a)
    CHECK("cvt.u32.u8 %d, %a", u32, u16, u32, u32, (uint8_t)a)
    CHECK("cvt.s32.s8 %d, %a", s32, u16, u32, u32, (int8_t)a)
    CHECK("cvt.u32.s16 %d, %a", u32, s16, u32, u32, (u32)(s32)a)
    CHECK("cvt.rn.f64.u32 %d, %a", double, u32, s32, s32, a)
    CHECK("cvt.ftz.f64.f32 %d, %a", double, float, s32, s32, no_subnormal(a))
    CHECK("cvt.rzi.ftz.s32.f32 %d, %a", s32, float, s32, s32, clamp_to(a, INT32_MIN, INT32_MAX))
    CHECK("cvt.rmi.ftz.s32.f32 %d, %a", s32, float, s32, s32,
          clamp_to(floor(no_subnormal(a)), INT32_MIN, INT32_MAX))
    CHECK("cvt.rni.s32.f64 %d, %a", s32, double, s32, s32,
          clamp_to(nearbyint(a), INT32_MIN, INT32_MAX))
    CHECK("cvt.rni.u32.f32 %d, %a", u32, float, s32, s32, clamp_to(nearbyint(a), 0, UINT32_MAX))
    CHECK("cvt.rni.u32.f64 %d, %a", u32, double, s32, s32, clamp_to(nearbyint(a), 0, UINT32_MAX))
    CHECK("cvt.rzi.s32.f64 %d, %a", s32, double, s32, s32, clamp_to(trunc(a), INT32_MIN, INT32_MAX))
    CHECK("cvt.rzi.u32.f64 %d, %a", u32, double, s32, s32, clamp_to(trunc(a), 0, UINT32_MAX))
    CHECK("cvt.rmi.s32.f64 %d, %a", s32, double, s32, s32, clamp_to(floor(a), INT32_MIN, INT32_MAX))
    CHECK("cvt.rmi.u32.f32 %d, %a", u32, float, s32, s32, clamp_to(floor(a), 0, UINT32_MAX))
    CHECK("cvt.rmi.u32.f64 %d, %a", u32, double, s32, s32, clamp_to(floor(a), 0, UINT32_MAX))
    CHECK("cvt.rmi.f32.f32 %d, %a", float, float, s32, s32, floorf(a))
    CHECK("cvt.rpi.s32.f32 %d, %a", s32, float, s32, s32, clamp_to(ceil(a), INT32_MIN, INT32_MAX))
    CHECK("cvt.rpi.u32.f32 %d, %a", u32, float, s32, s32, clamp_to(ceil(a), 0, UINT32_MAX))
    CHECK("cvt.rpi.u32.f64 %d, %a", u32, double, s32, s32, clamp_to(ceil(a), 0, UINT32_MAX))
    CHECK("cvt.rpi.f32.f32 %d, %a", float, float, s32, s32, ceilf(a))
    CHECK("cvt.ftz.f32.f32 %d, %a", float, float, s32, s32, no_subnormal(a))
}

#if defined(__x86_64__) && __GNUC__ >= 12 && !defined(__clang__)
/* The compiler's own half, computed and rounded by its run-time library. */
typedef _Float16 half;

static half to_half(u16 bits)
{
    half h;
    memcpy(&h, &bits, sizeof h);
    return h;
}
static u16 from_half(half h)
{
    u16 bits;
    memcpy(&bits, &h, sizeof h);
    return bits;
}
static u16 quiet(u16 h)
{
    return (h & 0x7fff) > 0x7c00 ? 0x7fff : h;
}

static void test_halves(void)
{
#define H(x) to_half(x)
    CHECK("add.f16 %d, %a, %b", u16, u16, u16, u16, quiet(from_half(H(a) + H(b))))
    CHECK("sub.rn.f16 %d, %a, %b", u16, u16, u16, u16, quiet(from_half(H(a) - H(b))))
    CHECK("mul.f16 %d, %a, %b", u16, u16, u16, u16, quiet(from_half(H(a) * H(b))))
    CHECK("neg.f16 %d, %a", u16, u16, u16, u16, a ^ 0x8000)
    CHECK("add.f16x2 %d, %a, %b", u32, u32, u32, u32,
          quiet(from_half(H((u16)a) + H((u16)b))) |
              (u32)quiet(from_half(H((u16)(a >> 16)) + H((u16)(b >> 16)))) << 16)
    CHECK("cvt.rn.f16.f32 %d, %a", u16, float, float, float, quiet(from_half((half)a)))
    CHECK("cvt.f32.f16 %d, %a", float, u16, u16, u16, (float)H(a))
    CHECK("cvt.rn.f16.f64 %d, %a", u16, double, float, float, quiet(from_half((half)a)))
    CHECK("cvt.rn.f16x2.f32 %d, %a, %b", u32, float, float, float,
          (u32)quiet(from_half((half)a)) << 16 | quiet(from_half((half)b)))
    CHECK("setp.lt.f16 %p2, %a, %b; selp.u32 %d, 1, 0, %p2", u32, u16, u16, u16, H(a) < H(b))
    CHECK("cvt.f32.bf16 %d, %a; add.f32 %d, %d, 0f00000000", float, u16, u16, u16,
          (union {
              u32 u;
              float f;
          }){.u = (u32)a << 16}
                  .f +
              0.0f)
}
#endif

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ptx/integers", test_integers);
    g_test_add_func("/ptx/carry", test_carry);
    g_test_add_func("/ptx/bits", test_bits);
    g_test_add_func("/ptx/floats", test_floats);
    g_test_add_func("/ptx/comparisons", test_comparisons);
    g_test_add_func("/ptx/conversions", test_conversions);
#if defined(__x86_64__) && __GNUC__ >= 12 && !defined(__clang__)
    g_test_add_func("/ptx/halves", test_halves);
#endif
    return g_test_run();
}
