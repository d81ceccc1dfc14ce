/* SPDX-License-Identifier: MIT
 *
 * exec_int.c - integer arithmetic, logic, shifts and bit fields. Division by zero gives all ones
 * and remainder the dividend, as hardware does.
 */
#include "traces/ptx/exec.h"

/* Most rows have no variant that flushes subnormals. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

typedef __int128 wide_signed;
typedef unsigned __int128 wide_unsigned;

/* ------------------------------------------------------------------------ what all widths share */

#define SIGNLESS(BITS, U, S)                                                                       \
    RUN2(add##BITS, U, U, U, a + b)                                                                \
    RUN2(sub##BITS, U, U, U, a - b)                                                                \
    RUN2(mul##BITS, U, U, U, (uint64_t)a *b)                                                       \
    RUN3(mad##BITS, U, U, U, U, (uint64_t)a *b + c)                                                \
    RUN2(and##BITS, U, U, U, a &b)                                                                 \
    RUN2(or ##BITS, U, U, U, a | b)                                                                \
    RUN2(xor##BITS, U, U, U, a ^ b)                                                                \
    RUN1(not ##BITS, U, U, ~a)                                                                     \
    RUN1(neg##BITS, U, U, 0u - a)                                                                  \
    RUN1(cnot##BITS, U, U, a == 0)                                                                 \
    RUN2(shl##BITS, U, U, uint32_t, b >= BITS ? 0 : (uint64_t)a << (b & (BITS - 1)))               \
    RUN2(shru##BITS, U, U, uint32_t, b >= BITS ? 0 : a >> (b & (BITS - 1)))                        \
    RUN2(shrs##BITS, S, S, uint32_t, a >> (b >= BITS ? BITS - 1 : b))                              \
    RUN2(minu##BITS, U, U, U, a < b ? a : b)                                                       \
    RUN2(maxu##BITS, U, U, U, a > b ? a : b)                                                       \
    RUN2(mins##BITS, S, S, S, a < b ? a : b)                                                       \
    RUN2(maxs##BITS, S, S, S, a > b ? a : b)                                                       \
    RUN1(abs##BITS, U, S, a < 0 ? 0 - (U)a : (U)a)                                                 \
    RUN2(divu##BITS, U, U, U, b == 0 ? (U) ~(U)0 : a / b)                                          \
    RUN2(remu##BITS, U, U, U, b == 0 ? a : a % b)                                                  \
    RUN2(divs##BITS, S, S, S, b == 0 ? -1 : b == -1 ? (S)(0 - (U)a) : a / b)                       \
    RUN2(rems##BITS, S, S, S, b == 0 ? a : b == -1 ? 0 : a % b)                                    \
    WIDE static void selp##BITS(ptx_warp *w, const ptx_op *op)                                     \
    {                                                                                              \
        U *d_ = result_of(w, op->r[0]);                                                            \
        const U *a_ = lanes_of(w, op->r[1]), *b_ = lanes_of(w, op->r[2]);                          \
        const uint32_t p = *mask_of(w, op->r[3]);                                                  \
        EACH_LANE d_[i] = p >> i & 1 ? a_[i] : b_[i];                                              \
        blend_##U(w, op->r[0]);                                                                    \
    }                                                                                              \
    RUN3(slct##BITS, U, U, U, int32_t, c >= 0 ? a : b)

SIGNLESS(16, uint16_t, int16_t)
SIGNLESS(32, uint32_t, int32_t)
SIGNLESS(64, uint64_t, int64_t)

RUN2(mulhi_u16, uint16_t, uint16_t, uint16_t, (uint32_t)a *b >> 16)
RUN2(mulhi_s16, int16_t, int16_t, int16_t, (int32_t)a *b >> 16)
RUN2(mulhi_u32, uint32_t, uint32_t, uint32_t, (uint64_t)a *b >> 32)
RUN2(mulhi_s32, int32_t, int32_t, int32_t, (int64_t)a *b >> 32)
RUN2(mulhi_u64, uint64_t, uint64_t, uint64_t, (wide_unsigned)a *b >> 64)
RUN2(mulhi_s64, int64_t, int64_t, int64_t, (wide_signed)a *b >> 64)
RUN2(mulwide_u16, uint32_t, uint16_t, uint16_t, (uint32_t)a *b)
RUN2(mulwide_s16, int32_t, int16_t, int16_t, (int32_t)a *b)
RUN2(mulwide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)a *b)
RUN2(mulwide_s32, int64_t, int32_t, int32_t, (int64_t)a *b)
RUN3(madhi_u32, uint32_t, uint32_t, uint32_t, uint32_t, ((uint64_t)a * b >> 32) + c)
RUN3(madhi_s32, int32_t, int32_t, int32_t, uint32_t, (uint32_t)((int64_t)a *b >> 32) + c)
RUN3(madhi_u64, uint64_t, uint64_t, uint64_t, uint64_t, (uint64_t)((wide_unsigned)a *b >> 64) + c)
RUN3(madhi_s64, int64_t, int64_t, int64_t, uint64_t, (uint64_t)((wide_signed)a *b >> 64) + c)
RUN3(madwide_u16, uint32_t, uint16_t, uint16_t, uint32_t, (uint32_t)a *b + c)
RUN3(madwide_s16, uint32_t, int16_t, int16_t, uint32_t, (uint32_t)((int32_t)a *b) + c)
RUN3(madwide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a *b + c)
RUN3(madwide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a *b) + c)

static inline int32_t clamp32(int64_t v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}
RUN2(addsat, int32_t, int32_t, int32_t, clamp32((int64_t)a + b))
RUN2(subsat, int32_t, int32_t, int32_t, clamp32((int64_t)a - b))
RUN2(mul24_u, uint32_t, uint32_t, uint32_t, (uint64_t)(a & 0xffffff) * (b & 0xffffff))
RUN2(mul24_s, uint32_t, uint32_t, uint32_t,
     (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8))
RUN3(mad24_u, uint32_t, uint32_t, uint32_t, uint32_t, (uint64_t)(a & 0xffffff) * (b & 0xffffff) + c)
RUN3(mad24_s, uint32_t, uint32_t, uint32_t, uint32_t,
     (uint64_t)((int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8)) + c)
RUN3(sad_u32, uint32_t, uint32_t, uint32_t, uint32_t, c + (a > b ? a - b : b - a))
RUN3(sad_s32, uint32_t, int32_t, int32_t, uint32_t,
     c + (a > b ? (uint32_t)a - (uint32_t)b : (uint32_t)b - (uint32_t)a))

/* ---------------------------------------------------------------------------------------- carry */

/* dst = a + b + carry-in; the carry-out of active lanes is kept. Subtraction adds ~b with the
 * carry meaning "no borrow"; PTX keeps the borrow, so it is inverted on both sides. */
#define CARRY(NAME, U, W, B, IN, INVERT, OUT)                                                      \
    static void NAME(ptx_warp *w, const ptx_op *op)                                                \
    {                                                                                              \
        U *d_ = lanes_of(w, op->r[0]);                                                             \
        const U *a_ = lanes_of(w, op->r[1]), *b_ = lanes_of(w, op->r[2]);                          \
        EACH_ACTIVE(w)                                                                             \
        {                                                                                          \
            const uint32_t carry = IN ? (w->carry >> i & 1) : 0;                                   \
            const W sum = (W)a_[i] + (U)(B) + (INVERT ? !carry : carry);                           \
            if (OUT) {                                                                             \
                const uint32_t bit = (uint32_t)(sum >> (8 * sizeof(U))) & 1;                       \
                w->carry = (w->carry & ~(1u << i)) | (INVERT ? !bit : bit) << i;                   \
            }                                                                                      \
            d_[i] = (U)sum;                                                                        \
        }                                                                                          \
    }
CARRY(addcc32, uint32_t, uint64_t, b_[i], false, false, true)
CARRY(addc32, uint32_t, uint64_t, b_[i], true, false, false)
CARRY(addccc32, uint32_t, uint64_t, b_[i], true, false, true)
CARRY(subcc32, uint32_t, uint64_t, ~b_[i], false, true, true)
CARRY(subc32, uint32_t, uint64_t, ~b_[i], true, true, false)
CARRY(subccc32, uint32_t, uint64_t, ~b_[i], true, true, true)
CARRY(addcc64, uint64_t, wide_unsigned, b_[i], false, false, true)
CARRY(addc64, uint64_t, wide_unsigned, b_[i], true, false, false)
CARRY(addccc64, uint64_t, wide_unsigned, b_[i], true, false, true)
CARRY(subcc64, uint64_t, wide_unsigned, ~b_[i], false, true, true)
CARRY(subc64, uint64_t, wide_unsigned, ~b_[i], true, true, false)
CARRY(subccc64, uint64_t, wide_unsigned, ~b_[i], true, true, true)

#define MADC(NAME, U, W, P, IN, OUT)                                                               \
    static void NAME(ptx_warp *w, const ptx_op *op)                                                \
    {                                                                                              \
        U *d_ = lanes_of(w, op->r[0]);                                                             \
        const U *a_ = lanes_of(w, op->r[1]), *b_ = lanes_of(w, op->r[2]),                          \
                *c_ = lanes_of(w, op->r[3]);                                                       \
        EACH_ACTIVE(w)                                                                             \
        {                                                                                          \
            const U a = a_[i], b = b_[i];                                                          \
            const W sum = (W)(U)(P) + c_[i] + (IN ? (w->carry >> i & 1) : 0);                      \
            if (OUT)                                                                               \
                w->carry = (w->carry & ~(1u << i)) | ((uint32_t)(sum >> (8 * sizeof(U))) & 1)      \
                                                         << i;                                     \
            d_[i] = (U)sum;                                                                        \
        }                                                                                          \
    }
#define HIGH_S32 ((int64_t)(int32_t)a * (int32_t)b >> 32)
MADC(madlocc32, uint32_t, uint64_t, a *b, false, true)
MADC(madcloc32, uint32_t, uint64_t, a *b, true, false)
MADC(madclocc32, uint32_t, uint64_t, a *b, true, true)
MADC(madhicc_u32, uint32_t, uint64_t, (uint64_t)a *b >> 32, false, true)
MADC(madchi_u32, uint32_t, uint64_t, (uint64_t)a *b >> 32, true, false)
MADC(madchicc_u32, uint32_t, uint64_t, (uint64_t)a *b >> 32, true, true)
MADC(madhicc_s32, uint32_t, uint64_t, HIGH_S32, false, true)
MADC(madchi_s32, uint32_t, uint64_t, HIGH_S32, true, false)
MADC(madchicc_s32, uint32_t, uint64_t, HIGH_S32, true, true)
MADC(madlocc64, uint64_t, wide_unsigned, a *b, false, true)
MADC(madcloc64, uint64_t, wide_unsigned, a *b, true, false)
MADC(madclocc64, uint64_t, wide_unsigned, a *b, true, true)
MADC(madhicc_u64, uint64_t, wide_unsigned, (wide_unsigned)a *b >> 64, false, true)
MADC(madchi_u64, uint64_t, wide_unsigned, (wide_unsigned)a *b >> 64, true, false)
MADC(madchicc_u64, uint64_t, wide_unsigned, (wide_unsigned)a *b >> 64, true, true)

/* ----------------------------------------------------------------------------------------- bits */

RUN1(popc32, uint32_t, uint32_t, __builtin_popcount(a))
RUN1(popc64, uint32_t, uint64_t, __builtin_popcountll(a))
RUN1(clz32, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
RUN1(clz64, uint32_t, uint64_t, a ? __builtin_clzll(a) : 64)

static inline uint32_t reverse32(uint32_t v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v);
}
RUN1(brev32, uint32_t, uint32_t, reverse32(a))
RUN1(brev64, uint64_t, uint64_t,
     (uint64_t)reverse32((uint32_t)a) << 32 | reverse32((uint32_t)(a >> 32)))

/* The most significant bit that differs from the sign, as shift from the top where asked. */
static inline uint32_t find_bit(uint64_t v, unsigned bits, bool is_signed, bool shift)
{
    if (is_signed && v >> (bits - 1) & 1)
        v = ~v;
    if (bits == 32)
        v &= UINT32_MAX;
    if (!v)
        return UINT32_MAX;
    const uint32_t at = 63 - (uint32_t)__builtin_clzll(v);
    return shift ? bits - 1 - at : at;
}
RUN1(bfind_u32, uint32_t, uint32_t, find_bit(a, 32, false, false))
RUN1(bfind_s32, uint32_t, uint32_t, find_bit(a, 32, true, false))
RUN1(bfind_u64, uint32_t, uint64_t, find_bit(a, 64, false, false))
RUN1(bfind_s64, uint32_t, uint64_t, find_bit(a, 64, true, false))
RUN1(bfinds_u32, uint32_t, uint32_t, find_bit(a, 32, false, true))
RUN1(bfinds_s32, uint32_t, uint32_t, find_bit(a, 32, true, true))
RUN1(bfinds_u64, uint32_t, uint64_t, find_bit(a, 64, false, true))
RUN1(bfinds_s64, uint32_t, uint64_t, find_bit(a, 64, true, true))

static inline uint64_t ones(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : (1ull << count) - 1;
}

/* Bits [at, at + count) of v; those past the top are copies of the field's sign. */
static inline uint64_t extract(uint64_t v, uint32_t at, uint32_t count, unsigned bits,
                               bool is_signed)
{
    at &= 0xff;
    count &= 0xff;
    if (!count)
        return 0;
    const uint32_t top = at + count - 1 < bits - 1 ? at + count - 1 : bits - 1;
    const uint64_t sign = is_signed && v >> top & 1 ? UINT64_MAX : 0;
    const uint64_t field = at >= bits ? 0 : (v & ones(bits)) >> at;
    const uint32_t have = at >= bits ? 0 : top + 1 - at;
    return (field & ones(have)) | (sign & ~ones(have));
}
RUN3(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a, b, c, 32, false))
RUN3(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a, b, c, 32, true))
RUN3(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a, b, c, 64, false))
RUN3(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a, b, c, 64, true))

static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t at, uint32_t count, unsigned bits)
{
    at &= 0xff;
    count &= 0xff;
    if (at >= bits)
        return b;
    const uint64_t field = ones(count) << at;
    return (b & ~field) | (a << at & field);
}
#define INSERT(NAME, U, BITS)                                                                      \
    static void NAME(ptx_warp *w, const ptx_op *op)                                                \
    {                                                                                              \
        U *d_ = result_of(w, op->r[0]);                                                            \
        const U *a_ = lanes_of(w, op->r[1]), *b_ = lanes_of(w, op->r[2]);                          \
        const uint32_t *c_ = lanes_of(w, op->r[3]), *n_ = lanes_of(w, op->r[4]);                   \
        EACH_LANE d_[i] = (U)insert(a_[i], b_[i], c_[i], n_[i], BITS);                             \
        blend_##U(w, op->r[0]);                                                                    \
    }
INSERT(bfi32, uint32_t, 32)
INSERT(bfi64, uint64_t, 64)
RUN2(bmsk_clamp, uint32_t, uint32_t, uint32_t,
     a >= 32 ? 0 : (uint32_t)(ones(b > 32 - a ? 32 - a : b) << a))
RUN2(bmsk_wrap, uint32_t, uint32_t, uint32_t, (uint32_t)((ones(b & 31)) << (a & 31)))
RUN2(szext_u, uint32_t, uint32_t, uint32_t, b >= 32 ? a : a & (uint32_t)ones(b))
RUN2(szext_s, uint32_t, uint32_t, uint32_t,
     b == 0    ? 0
     : b >= 32 ? a
               : (uint32_t)((int32_t)(a << (32 - b)) >> (32 - b)))

static inline uint32_t clamp_shift(uint32_t n)
{
    return n > 32 ? 32 : n;
}
RUN3(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t,
     (((uint64_t)b << 32 | a) << (c & 31)) >> 32)
RUN3(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, ((uint64_t)b << 32 | a) >> (c & 31))
RUN3(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t,
     (((uint64_t)b << 32 | a) << clamp_shift(c)) >> 32)
RUN3(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, ((uint64_t)b << 32 | a) >> clamp_shift(c))

static inline uint32_t permute(uint32_t a, uint32_t b, const uint32_t select[4], bool signs)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t out = 0;
    for (unsigned k = 0; k < 4; k++) {
        uint32_t byte = (uint32_t)(bytes >> 8 * (select[k] & 7)) & 0xff;
        if (signs && select[k] & 8)
            byte = byte & 0x80 ? 0xff : 0;
        out |= byte << 8 * k;
    }
    return out;
}
static inline uint32_t permute_default(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t select[4] = {c, c >> 4, c >> 8, c >> 12};
    return permute(a, b, select, true);
}
static inline uint32_t permute_by(uint32_t a, uint32_t b, uint32_t c, int s0, int s1, int s2,
                                  int s3)
{
    const uint32_t n = c & 3;
    const uint32_t select[4] = {(uint32_t)(s0 >> 4 * n), (uint32_t)(s1 >> 4 * n),
                                (uint32_t)(s2 >> 4 * n), (uint32_t)(s3 >> 4 * n)};
    return permute(a, b, select, false);
}
RUN3(prmt, uint32_t, uint32_t, uint32_t, uint32_t, permute_default(a, b, c))
/* a nibble for each value of c's low bits */
RUN3(prmt_f4e, uint32_t, uint32_t, uint32_t, uint32_t,
     permute_by(a, b, c, 0x3210, 0x4321, 0x5432, 0x6543))
RUN3(prmt_b4e, uint32_t, uint32_t, uint32_t, uint32_t,
     permute_by(a, b, c, 0x3210, 0x2107, 0x1076, 0x0765))
RUN3(prmt_rc8, uint32_t, uint32_t, uint32_t, uint32_t,
     permute_by(a, b, c, 0x3210, 0x3210, 0x3210, 0x3210))
RUN3(prmt_ecl, uint32_t, uint32_t, uint32_t, uint32_t,
     permute_by(a, b, c, 0x3210, 0x3211, 0x3222, 0x3333))
RUN3(prmt_ecr, uint32_t, uint32_t, uint32_t, uint32_t,
     permute_by(a, b, c, 0x0000, 0x1110, 0x2210, 0x3210))
RUN3(prmt_rc16, uint32_t, uint32_t, uint32_t, uint32_t,
     permute_by(a, b, c, 0x2020, 0x3131, 0x2020, 0x3131))

static void lop3(ptx_warp *w, const ptx_op *op)
{
    uint32_t *d_ = result_of(w, op->r[0]);
    const uint32_t *a_ = lanes_of(w, op->r[1]), *b_ = lanes_of(w, op->r[2]),
                   *c_ = lanes_of(w, op->r[3]);
    const uint32_t table = *(const uint32_t *)lanes_of(w, op->r[4]);
    uint32_t pick[8];
    for (unsigned k = 0; k < 8; k++)
        pick[k] = 0u - (table >> k & 1);
    EACH_LANE
    {
        const uint32_t a = a_[i], b = b_[i], c = c_[i];
        d_[i] = (~a & ~b & ~c & pick[0]) | (~a & ~b & c & pick[1]) | (~a & b & ~c & pick[2]) |
                (~a & b & c & pick[3]) | (a & ~b & ~c & pick[4]) | (a & ~b & c & pick[5]) |
                (a & b & ~c & pick[6]) | (a & b & c & pick[7]);
    }
    blend_uint32_t(w, op->r[0]);
}

/* Sums of products of bytes; the mnemonic's two types say how each side's bytes extend. */
static inline uint32_t dot(uint32_t a, uint32_t b, uint32_t c, bool as, bool bs)
{
    for (unsigned k = 0; k < 32; k += 8) {
        const int32_t x = as ? (int8_t)(a >> k) : (int32_t)(a >> k & 0xff);
        const int32_t y = bs ? (int8_t)(b >> k) : (int32_t)(b >> k & 0xff);
        c += (uint32_t)(x * y);
    }
    return c;
}
static inline uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, bool as, bool bs, unsigned high)
{
    for (unsigned k = 0; k < 2; k++) {
        const int32_t x = as ? (int16_t)(a >> 16 * k) : (int32_t)(a >> 16 * k & 0xffff);
        const uint32_t byte = b >> 8 * (k + high);
        const int32_t y = bs ? (int8_t)byte : (int32_t)(byte & 0xff);
        c += (uint32_t)(x * y);
    }
    return c;
}
/* |a - b| of each byte. */
static inline uint32_t differences(uint32_t a, uint32_t b, bool is_signed)
{
    uint32_t d = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        const int32_t x = is_signed ? (int8_t)(a >> k) : (int32_t)(a >> k & 0xff);
        const int32_t y = is_signed ? (int8_t)(b >> k) : (int32_t)(b >> k & 0xff);
        d |= (uint32_t)(x < y ? y - x : x - y) << k;
    }
    return d;
}
RUN2(vabsdiff4, uint32_t, uint32_t, uint32_t,
     differences(a, b, type_is_signed((ptx_type)op->type2)))
RUN3(vabsdiff4_add, uint32_t, uint32_t, uint32_t, uint32_t,
     dot(differences(a, b, type_is_signed((ptx_type)op->type2)), 0x01010101, c, false, false))
RUN3(dp4a, uint32_t, uint32_t, uint32_t, uint32_t,
     dot(a, b, c, type_is_signed((ptx_type)op->type), type_is_signed((ptx_type)op->type2)))
RUN3(dp2a_lo, uint32_t, uint32_t, uint32_t, uint32_t,
     dot2(a, b, c, type_is_signed((ptx_type)op->type), type_is_signed((ptx_type)op->type2), 0))
RUN3(dp2a_hi, uint32_t, uint32_t, uint32_t, uint32_t,
     dot2(a, b, c, type_is_signed((ptx_type)op->type), type_is_signed((ptx_type)op->type2), 2))

/* ----------------------------------------------------------------------------------- predicates */

#define PREDICATE(NAME, EXPR)                                                                      \
    static void NAME(ptx_warp *w, const ptx_op *op)                                                \
    {                                                                                              \
        const uint32_t a = *mask_of(w, op->r[1]), b = *mask_of(w, op->r[2]);                       \
        uint32_t *d = mask_of(w, op->r[0]);                                                        \
        *d = (*d & ~w->active) | ((EXPR)&w->active);                                               \
    }
PREDICATE(andp, a &b)
PREDICATE(orp, a | b)
PREDICATE(xorp, a ^ b)
static void notp(ptx_warp *w, const ptx_op *op)
{
    const uint32_t a = *mask_of(w, op->r[1]);
    uint32_t *d = mask_of(w, op->r[0]);
    *d = (*d & ~w->active) | (~a & w->active);
}

/* ---------------------------------------------------------------------------------------- table */

#define ROWS_SU(KEY, OPS16, OPS32, OPS64, NAME)                                                    \
    {KEY, PTX_U16, OPS16, NAME##16}, {KEY, PTX_S16, OPS16, NAME##16},                              \
        {KEY, PTX_U32, OPS32, NAME##32}, {KEY, PTX_S32, OPS32, NAME##32},                          \
        {KEY, PTX_U64, OPS64, NAME##64},                                                           \
    {                                                                                              \
        KEY, PTX_S64, OPS64, NAME##64                                                              \
    }
#define ROWS_B(KEY, OPS16, OPS32, OPS64, NAME)                                                     \
    {KEY, PTX_B16, OPS16, NAME##16}, {KEY, PTX_B32, OPS32, NAME##32},                              \
    {                                                                                              \
        KEY, PTX_B64, OPS64, NAME##64                                                              \
    }
#define ROWS_SIGN(KEY, OPS16, OPS32, OPS64, UNSIGNED, SIGNED)                                      \
    {KEY, PTX_U16, OPS16, UNSIGNED##16}, {KEY, PTX_S16, OPS16, SIGNED##16},                        \
        {KEY, PTX_U32, OPS32, UNSIGNED##32}, {KEY, PTX_S32, OPS32, SIGNED##32},                    \
        {KEY, PTX_U64, OPS64, UNSIGNED##64},                                                       \
    {                                                                                              \
        KEY, PTX_S64, OPS64, SIGNED##64                                                            \
    }
#define ROWS_CC(KEY, NAME, OPS32, OPS64)                                                           \
    {KEY, PTX_U32, OPS32, NAME##32}, {KEY, PTX_S32, OPS32, NAME##32},                              \
        {KEY, PTX_B32, OPS32, NAME##32}, {KEY, PTX_U64, OPS64, NAME##64},                          \
        {KEY, PTX_S64, OPS64, NAME##64},                                                           \
    {                                                                                              \
        KEY, PTX_B64, OPS64, NAME##64                                                              \
    }

const ptx_row gmptx_int_rows[] = {
    ROWS_SU("add", "222", "444", "888", add),
    ROWS_SU("sub", "222", "444", "888", sub),
    ROWS_SU("mul.lo", "222", "444", "888", mul),
    ROWS_SU("mad.lo", "2222", "4444", "8888", mad),
    ROWS_SIGN("min", "222", "444", "888", minu, mins),
    ROWS_SIGN("max", "222", "444", "888", maxu, maxs),
    ROWS_SIGN("div", "222", "444", "888", divu, divs),
    ROWS_SIGN("rem", "222", "444", "888", remu, rems),
    {"neg", PTX_S16, "22", neg16},
    {"neg", PTX_S32, "44", neg32},
    {"neg", PTX_S64, "88", neg64},
    {"abs", PTX_S16, "22", abs16},
    {"abs", PTX_S32, "44", abs32},
    {"abs", PTX_S64, "88", abs64},
    ROWS_B("and", "222", "444", "888", and),
    ROWS_B("or", "222", "444", "888", or),
    ROWS_B("xor", "222", "444", "888", xor),
    ROWS_B("not", "22", "44", "88", not ),
    ROWS_B("cnot", "22", "44", "88", cnot),
    ROWS_B("shl", "224", "444", "884", shl),
    ROWS_B("shr", "224", "444", "884", shru),
    ROWS_SIGN("shr", "224", "444", "884", shru, shrs),
    ROWS_B("selp", "222p", "444p", "888p", selp),
    ROWS_SU("selp", "222p", "444p", "888p", selp),
    {"selp", PTX_F32, "444p", selp32},
    {"selp", PTX_F64, "888p", selp64},
    {"selp", PTX_F16, "222p", selp16},
    ROWS_B("slct", "2224", "4444", "8884", slct),
    ROWS_SU("slct", "2224", "4444", "8884", slct),
    {"mul.hi", PTX_U16, "222", mulhi_u16},
    {"mul.hi", PTX_S16, "222", mulhi_s16},
    {"mul.hi", PTX_U32, "444", mulhi_u32},
    {"mul.hi", PTX_S32, "444", mulhi_s32},
    {"mul.hi", PTX_U64, "888", mulhi_u64},
    {"mul.hi", PTX_S64, "888", mulhi_s64},
    {"mul.wide", PTX_U16, "422", mulwide_u16},
    {"mul.wide", PTX_S16, "422", mulwide_s16},
    {"mul.wide", PTX_U32, "844", mulwide_u32},
    {"mul.wide", PTX_S32, "844", mulwide_s32},
    {"mad.hi", PTX_U32, "4444", madhi_u32},
    {"mad.hi", PTX_S32, "4444", madhi_s32},
    {"mad.hi", PTX_U64, "8888", madhi_u64},
    {"mad.hi", PTX_S64, "8888", madhi_s64},
    {"mad.wide", PTX_U16, "4224", madwide_u16},
    {"mad.wide", PTX_S16, "4224", madwide_s16},
    {"mad.wide", PTX_U32, "8448", madwide_u32},
    {"mad.wide", PTX_S32, "8448", madwide_s32},
    {"add.sat", PTX_S32, "444", addsat},
    {"sub.sat", PTX_S32, "444", subsat},
    {"mul24.lo", PTX_U32, "444", mul24_u},
    {"mul24.lo", PTX_S32, "444", mul24_s},
    {"mad24.lo", PTX_U32, "4444", mad24_u},
    {"mad24.lo", PTX_S32, "4444", mad24_s},
    {"sad", PTX_U32, "4444", sad_u32},
    {"sad", PTX_S32, "4444", sad_s32},
    ROWS_CC("add.cc", addcc, "444", "888"),
    ROWS_CC("addc", addc, "444", "888"),
    ROWS_CC("addc.cc", addccc, "444", "888"),
    ROWS_CC("sub.cc", subcc, "444", "888"),
    ROWS_CC("subc", subc, "444", "888"),
    ROWS_CC("subc.cc", subccc, "444", "888"),
    ROWS_CC("mad.lo.cc", madlocc, "4444", "8888"),
    ROWS_CC("madc.lo", madcloc, "4444", "8888"),
    ROWS_CC("madc.lo.cc", madclocc, "4444", "8888"),
    {"mad.hi.cc", PTX_U32, "4444", madhicc_u32},
    {"madc.hi", PTX_U32, "4444", madchi_u32},
    {"madc.hi.cc", PTX_U32, "4444", madchicc_u32},
    {"mad.hi.cc", PTX_S32, "4444", madhicc_s32},
    {"madc.hi", PTX_S32, "4444", madchi_s32},
    {"madc.hi.cc", PTX_S32, "4444", madchicc_s32},
    {"mad.hi.cc", PTX_U64, "8888", madhicc_u64},
    {"madc.hi", PTX_U64, "8888", madchi_u64},
    {"madc.hi.cc", PTX_U64, "8888", madchicc_u64},
    {"popc", PTX_B32, "44", popc32},
    {"popc", PTX_B64, "48", popc64},
    {"clz", PTX_B32, "44", clz32},
    {"clz", PTX_B64, "48", clz64},
    {"brev", PTX_B32, "44", brev32},
    {"brev", PTX_B64, "88", brev64},
    {"bfind", PTX_U32, "44", bfind_u32},
    {"bfind", PTX_S32, "44", bfind_s32},
    {"bfind", PTX_U64, "48", bfind_u64},
    {"bfind", PTX_S64, "48", bfind_s64},
    {"bfind.shiftamt", PTX_U32, "44", bfinds_u32},
    {"bfind.shiftamt", PTX_S32, "44", bfinds_s32},
    {"bfind.shiftamt", PTX_U64, "48", bfinds_u64},
    {"bfind.shiftamt", PTX_S64, "48", bfinds_s64},
    {"bfe", PTX_U32, "4444", bfe_u32},
    {"bfe", PTX_S32, "4444", bfe_s32},
    {"bfe", PTX_U64, "8844", bfe_u64},
    {"bfe", PTX_S64, "8844", bfe_s64},
    {"bfi", PTX_B32, "44444", bfi32},
    {"bfi", PTX_B64, "88844", bfi64},
    {"bmsk.clamp", PTX_B32, "444", bmsk_clamp},
    {"bmsk.wrap", PTX_B32, "444", bmsk_wrap},
    {"szext.clamp", PTX_U32, "444", szext_u},
    {"szext.clamp", PTX_S32, "444", szext_s},
    {"shf.l.wrap", PTX_B32, "4444", shf_l_wrap},
    {"shf.r.wrap", PTX_B32, "4444", shf_r_wrap},
    {"shf.l.clamp", PTX_B32, "4444", shf_l_clamp},
    {"shf.r.clamp", PTX_B32, "4444", shf_r_clamp},
    {"prmt", PTX_B32, "4444", prmt},
    {"prmt.f4e", PTX_B32, "4444", prmt_f4e},
    {"prmt.b4e", PTX_B32, "4444", prmt_b4e},
    {"prmt.rc8", PTX_B32, "4444", prmt_rc8},
    {"prmt.ecl", PTX_B32, "4444", prmt_ecl},
    {"prmt.ecr", PTX_B32, "4444", prmt_ecr},
    {"prmt.rc16", PTX_B32, "4444", prmt_rc16},
    {"lop3", PTX_B32, "44444", lop3},
    {"vabsdiff4", PTX_U32, "4444", vabsdiff4},
    {"vabsdiff4", PTX_S32, "4444", vabsdiff4},
    {"vabsdiff4.add", PTX_U32, "4444", vabsdiff4_add},
    {"vabsdiff4.add", PTX_S32, "4444", vabsdiff4_add},
    {"dp4a", PTX_U32, "4444", dp4a},
    {"dp4a", PTX_S32, "4444", dp4a},
    {"dp2a.lo", PTX_U32, "4444", dp2a_lo},
    {"dp2a.lo", PTX_S32, "4444", dp2a_lo},
    {"dp2a.hi", PTX_U32, "4444", dp2a_hi},
    {"dp2a.hi", PTX_S32, "4444", dp2a_hi},
    {"and", PTX_PRED, "ppp", andp},
    {"or", PTX_PRED, "ppp", orp},
    {"xor", PTX_PRED, "ppp", xorp},
    {"not", PTX_PRED, "pp", notp},
    {NULL},
};
