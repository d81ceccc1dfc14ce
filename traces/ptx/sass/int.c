/* SPDX-License-Identifier: MIT
 *
 * int.c - integer arithmetic, logic, shifts, comparisons. Those of the uniform datapath are the
 * same, done once for all lanes.
 */
#include "traces/ptx/sass/sass.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#define SOURCES3(A, B, C)                                                                          \
    uint32_t room_[3][LANES];                                                                      \
    const uint32_t *a_ = source_of(w, op, A, room_[0]), *b_ = source_of(w, op, B, room_[1]),       \
                   *c_ = source_of(w, op, C, room_[2])
#define RESULT32(EXPR)                                                                             \
    {                                                                                              \
        uint32_t *d_ = result_of(w, op->r[0]);                                                     \
        EACH_LANE                                                                                  \
        {                                                                                          \
            const uint32_t a = a_[i], b = b_[i], c = c_[i];                                        \
            (void)a, (void)b, (void)c;                                                             \
            d_[i] = (uint32_t)(EXPR);                                                              \
        }                                                                                          \
        blend_uint32_t(w, op->r[0]);                                                               \
    }
#define RUN32(NAME, EXPR)                                                                          \
    static void NAME(ptx_warp *w, const ptx_op *op)                                                \
    {                                                                                              \
        const unsigned last = op->refs - 1u;                                                       \
        SOURCES3(1, last > 1 ? 2 : 1, last > 2 ? 3 : 1);                                           \
        RESULT32(EXPR)                                                                             \
    }

/* d, sources: what is left of the operands. */
static bool plain(sass_builder *b, ptx_run run, unsigned sources)
{
    gmsass_result(b, 1);
    for (unsigned i = 0; i < sources; i++)
        gmsass_source(b, 1);
    b->op->run = run;
    return true;
}

/* ------------------------------------------------------------------------------------ additions */

/* r = d, carry out, carry out, a, b, c, carry in, carry in. With a carry in -x is ~x (the text says
 * so); without, the one that -x adds counts for the carry out. */
static void add_carry(ptx_warp *w, const ptx_op *op)
{
    uint64_t sum[LANES] = {0};
    for (unsigned n = 3; n < 6; n++) {
        const uint32_t *x = lanes_of(w, op->r[n]);
        const uint32_t flip = is_negated(op, n) || is_other(op, n) ? UINT32_MAX : 0;
        const uint32_t one = is_negated(op, n);
        EACH_LANE sum[i] += (uint64_t)(x[i] ^ flip) + one;
    }
    for (unsigned n = 6; n < op->refs; n++) {
        const uint32_t p = predicate_of(w, op, n);
        EACH_LANE sum[i] += p >> i & 1;
    }
    uint32_t *d = lanes_of(w, op->r[0]), first = 0, second = 0;
    EACH_ACTIVE(w)
    {
        d[i] = (uint32_t)sum[i];
        first |= (uint32_t)(sum[i] >> 32 >= 1) << i;
        second |= (uint32_t)(sum[i] >> 32 >= 2) << i;
    }
    set_predicate(w, op, 1, first);
    set_predicate(w, op, 2, second);
}
RUN32(add3, a + b + c)
RUN32(add2, a + b)

static bool make_iadd3(sass_builder *b)
{
    const bool carries = sass_take(&b->in, SASS_WORD_X) || b->in.operand[1].kind == SASS_PRED ||
                         b->in.operand[1].kind == SASS_UPRED;
    if (!carries)
        return plain(b, add3, 3);
    gmsass_result(b, 1);
    for (unsigned i = 0; i < 2; i++)
        if (gmsass_at_predicate(b))
            gmsass_set_predicate(b);
        else
            gmsass_no_predicate(b);
    for (unsigned i = 0; i < 3; i++)
        gmsass_source(b, 1);
    while (gmsass_at_predicate(b))
        gmsass_predicate(b);
    b->op->run = add_carry;
    return true;
}
static bool make_viadd(sass_builder *b)
{
    return plain(b, add2, 2);
}
RUN32(iabs, (int32_t)a < 0 ? 0 - a : a)
static bool make_iabs(sass_builder *b)
{
    return plain(b, iabs, 1);
}

RUN32(difference, (a > b ? a - b : b - a) + c)
RUN32(difference_signed, ((int32_t)a > (int32_t)b ? a - b : b - a) + c)
static bool make_vabsdiff(sass_builder *b)
{
    return plain(b, sass_take(&b->in, SASS_WORD_U32) ? difference : difference_signed, 3);
}

/* ------------------------------------------------------------------------------- multiplication */

RUN32(mad, a *b + c)

/* r = d, a, b, c[, carry in] */
static void mad_carry(ptx_warp *w, const ptx_op *op)
{
    const uint32_t p = predicate_of(w, op, 4);
    SOURCES3(1, 2, 3);
    RESULT32(a * b + c + (p >> i & 1))
}

/* 64 bits of a * b, signed or not: op->mode. */
static void products(const ptx_warp *w, const ptx_op *op, unsigned n, uint64_t *to)
{
    uint32_t room[2][LANES];
    const uint32_t *a = source_of(w, op, n, room[0]), *b = source_of(w, op, n + 1, room[1]);
    if (op->mode)
        EACH_LANE to[i] = (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i]);
    else
        EACH_LANE to[i] = (uint64_t)a[i] * b[i];
}
static void wide_addend(const ptx_warp *w, const ptx_op *op, unsigned n, uint64_t *to)
{
    wide_of(w, op, n, to);
    if (is_other(op, n))
        EACH_LANE to[i] = ~to[i];
    else if (is_negated(op, n))
        EACH_LANE to[i] = 0 - to[i];
}

/* r = d, carry out, a, b, c[, carry in]; c has 64 bits, and d, or only the upper half of the sum.
 */
static void mad_long(ptx_warp *w, const ptx_op *op, bool high)
{
    uint64_t product[LANES], c[LANES];
    products(w, op, 2, product);
    wide_addend(w, op, 4, c);
    const uint32_t p = op->refs > 5 ? predicate_of(w, op, 5) : 0;
    uint32_t carry = 0, *d = lanes_of(w, op->r[0]);
    for (unsigned i = 0; i < LANES; i++) {
        const uint64_t sum = product[i] + c[i], all = sum + (p >> i & 1);
        carry |= (uint32_t)(sum < c[i] || all < sum) << i;
        product[i] = all;
    }
    if (high)
        EACH_ACTIVE(w) d[i] = (uint32_t)(product[i] >> 32);
    else
        set_wide(w, op, 0, product);
    set_predicate(w, op, 1, carry);
}
static void mad_wide(ptx_warp *w, const ptx_op *op)
{
    mad_long(w, op, false);
}
static void mad_high(ptx_warp *w, const ptx_op *op)
{
    mad_long(w, op, true);
}

/* MOV, SHL and IADD are ways to use the multiplier; what they compute is the same. */
static bool make_imad(sass_builder *b)
{
    const bool carry = sass_take(&b->in, SASS_WORD_X);
    const bool wide = sass_take(&b->in, SASS_WORD_WIDE), high = sass_take(&b->in, SASS_WORD_HI);
    b->op->mode = !sass_take(&b->in, SASS_WORD_U32);
    sass_take(&b->in, SASS_WORD_MOV);
    sass_take(&b->in, SASS_WORD_SHL);
    sass_take(&b->in, SASS_WORD_IADD);
    gmsass_result(b, wide ? 2 : 1);
    if ((wide || high) && gmsass_at_predicate(b))
        gmsass_set_predicate(b);
    else if (wide || high)
        gmsass_no_predicate(b);
    gmsass_source(b, 1);
    gmsass_source(b, 1);
    gmsass_source(b, wide || high ? 2 : 1);
    if (carry)
        gmsass_predicate(b);
    b->op->run = wide ? mad_wide : high ? mad_high : carry ? mad_carry : mad;
    return true;
}

/* ------------------------------------------------------------------------------------------ LEA */

/* r = d, carry out, a, b, c (the upper half), carry in; op->imm: shift, or for .HI what is left of
 * it. */
static void lea(ptx_warp *w, const ptx_op *op)
{
    uint32_t room[2][LANES], carry = 0;
    const uint32_t *a = source_of(w, op, 2, room[0]), *b = source_of(w, op, 3, room[1]);
    const uint32_t p = op->refs > 4 ? predicate_of(w, op, 4) : 0, shift = op->imm;
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w)
    {
        const uint64_t sum = (uint64_t)(uint32_t)(a[i] << shift) + b[i] + (p >> i & 1);
        d[i] = (uint32_t)sum;
        carry |= (uint32_t)(sum >> 32) << i;
    }
    set_predicate(w, op, 1, carry);
}
static void lea_high(ptx_warp *w, const ptx_op *op)
{
    uint32_t room[2][LANES], carry = 0;
    const uint32_t *a = lanes_of(w, op->r[2]), *b = source_of(w, op, 3, room[1]);
    const uint32_t *c = op->mode ? NULL : lanes_of(w, op->r[4]);
    const unsigned at = op->mode ? 4 : 5;
    const uint32_t p = op->refs > at ? predicate_of(w, op, at) : 0;
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w)
    {
        const uint64_t upper = c ? c[i] : (int32_t)a[i] < 0 ? UINT32_MAX : 0;
        uint64_t whole = upper << 32 | a[i];
        if (is_negated(op, 2))
            whole = 0 - whole;
        const uint64_t sum = (uint64_t)(uint32_t)(whole << op->imm >> 32) + b[i] + (p >> i & 1);
        d[i] = (uint32_t)sum;
        carry |= (uint32_t)(sum >> 32) << i;
    }
    set_predicate(w, op, 1, carry);
}

static bool make_lea(sass_builder *b)
{
    const bool high = sass_take(&b->in, SASS_WORD_HI), carry = sass_take(&b->in, SASS_WORD_X);
    const bool extended = sass_take(&b->in, SASS_WORD_SX32);
    bool carries_out = true;
    gmsass_result(b, 1);
    if (gmsass_at_predicate(b)) {
        carries_out = b->in.operand[1].number != 7;
        gmsass_set_predicate(b);
    } else {
        carries_out = false;
        gmsass_no_predicate(b);
    }
    const bool negated = gmsass_peek(b)->negated || b->in.operand[b->next + 1].negated;
    gmsass_source(b, 1);
    gmsass_source(b, 1);
    if (high && !extended)
        gmsass_source(b, 1);
    const sass_operand *shift = gmsass_peek(b);
    if (shift->kind != SASS_IMM || shift->value < 0 || shift->value > 31)
        return false;
    b->op->imm = (uint32_t)shift->value;
    b->next++;
    if (carry)
        gmsass_predicate(b);
    b->op->mode = extended;
    b->op->run = high ? lea_high : lea;
    return !(negated && (carries_out || carry)) && (high || !extended);
}

/* ---------------------------------------------------------------------------------- logic, bits */

/* Bits of a result by table: bit 4a + 2b + c of it. */
static uint32_t look_up(uint32_t table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d = 0;
    for (unsigned k = 0; k < 8; k++)
        if (table >> k & 1)
            d |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return d;
}

/* r = d, predicate, a, b, c, predicate; op->imm: the table. */
static void lop3_any(ptx_warp *w, const ptx_op *op)
{
    uint32_t room[3][LANES], bits = 0;
    const uint32_t *a = source_of(w, op, 2, room[0]), *b = source_of(w, op, 3, room[1]),
                   *c = source_of(w, op, 4, room[2]);
    uint32_t *d = result_of(w, op->r[0]);
    switch (op->imm) {
    case 0xc0:
        EACH_LANE d[i] = a[i] & b[i];
        break;
    case 0xfc:
        EACH_LANE d[i] = a[i] | b[i];
        break;
    case 0x3c:
        EACH_LANE d[i] = a[i] ^ b[i];
        break;
    case 0x96:
        EACH_LANE d[i] = a[i] ^ b[i] ^ c[i];
        break;
    case 0xf8:
        EACH_LANE d[i] = a[i] | (b[i] & c[i]);
        break;
    case 0x33:
        EACH_LANE d[i] = ~b[i];
        break;
    default:
        EACH_LANE d[i] = look_up(op->imm, a[i], b[i], c[i]);
    }
    EACH_LANE bits |= (uint32_t)(d[i] != 0) << i;
    blend_uint32_t(w, op->r[0]);
    const uint32_t p = predicate_of(w, op, 5);
    set_predicate(w, op, 1, op->mode ? bits & p : bits | p);
}

static bool take_table(sass_builder *b, uint32_t *table)
{
    const sass_operand *o = gmsass_peek(b);
    if (o->kind != SASS_IMM || o->value < 0 || o->value > 255)
        return false;
    *table = (uint32_t)o->value;
    b->next++;
    return true;
}

static bool make_lop3(sass_builder *b)
{
    if (!sass_take(&b->in, SASS_WORD_LUT))
        return false;
    gmsass_result_and_predicate(b);
    for (unsigned i = 0; i < 3; i++)
        gmsass_source(b, 1);
    if (!take_table(b, &b->op->imm))
        return false;
    gmsass_predicate(b);
    b->op->run = lop3_any;
    return true;
}

/* r = p, p, a, b, c; op->imm and op->target: the tables. */
static void plop3(ptx_warp *w, const ptx_op *op)
{
    const uint32_t a = predicate_of(w, op, 2), b = predicate_of(w, op, 3),
                   c = predicate_of(w, op, 4);
    set_predicate(w, op, 0, look_up(op->imm & 255, a, b, c));
    set_predicate(w, op, 1, look_up(op->imm >> 8, a, b, c));
}
static bool make_plop3(sass_builder *b)
{
    uint32_t first, second;
    if (!sass_take(&b->in, SASS_WORD_LUT))
        return false;
    gmsass_set_predicate(b);
    gmsass_set_predicate(b);
    for (unsigned i = 0; i < 3; i++)
        gmsass_predicate(b);
    if (!take_table(b, &first) || !take_table(b, &second))
        return false;
    b->op->imm = first | second << 8;
    b->op->run = plop3;
    return true;
}

/* r = d, low, shift, high; op->mode: what. A shift by more than there is: nothing is left. */
enum { SHIFT_RIGHT = 1, SHIFT_HIGH = 2, SHIFT_SIGNED = 4, SHIFT_WRAPS = 8, SHIFT_64 = 16 };
static void shf(ptx_warp *w, const ptx_op *op)
{
    const unsigned bits = op->mode & SHIFT_64 ? 64 : 32, mode = op->mode;
    SOURCES3(1, 2, 3);
    uint32_t *d = result_of(w, op->r[0]);
    EACH_LANE
    {
        const uint64_t x = (uint64_t)c_[i] << 32 | a_[i];
        const uint32_t s = mode & SHIFT_WRAPS ? b_[i] & (bits - 1) : b_[i] < bits ? b_[i] : bits;
        uint64_t y;
        if (mode & SHIFT_RIGHT)
            y = mode & SHIFT_SIGNED ? (uint64_t)((int64_t)x >> (s > 63 ? 63 : s))
                                    : (s > 63 ? 0 : x >> s);
        else
            y = s > 63 ? 0 : x << s;
        d[i] = (uint32_t)(mode & SHIFT_HIGH ? y >> 32 : y);
    }
    blend_uint32_t(w, op->r[0]);
}
RUN32(shift_left, b > 31 ? 0 : a << b)
RUN32(shift_right, b > 31 ? 0 : c >> b)
RUN32(shift_right_signed, (int32_t)c >> (b > 31 ? 31 : b))

static bool make_shf(sass_builder *b)
{
    unsigned mode = 0;
    const bool right = sass_take(&b->in, SASS_WORD_R);
    if (!right && !sass_take(&b->in, SASS_WORD_L))
        return false;
    mode |= right ? SHIFT_RIGHT : 0u;
    mode |= sass_take(&b->in, SASS_WORD_HI) ? SHIFT_HIGH : 0u;
    mode |= sass_take(&b->in, SASS_WORD_W) ? SHIFT_WRAPS : 0u;
    mode |= sass_take(&b->in, SASS_WORD_S32) ? SHIFT_SIGNED : 0u;
    mode |= sass_take(&b->in, SASS_WORD_S64) ? SHIFT_SIGNED | SHIFT_64 : 0u;
    mode |= sass_take(&b->in, SASS_WORD_U64) ? SHIFT_64 : 0u;
    sass_take(&b->in, SASS_WORD_U32);
    b->op->mode = (uint8_t)mode;
    const bool only = b->in.operand[1].number == SASS_ZERO && b->in.operand[1].kind != SASS_IMM;
    ptx_run run = shf;
    if (mode == 0)
        run = shift_left;
    else if (mode == (SHIFT_RIGHT | SHIFT_HIGH) && only)
        run = shift_right;
    else if (mode == (SHIFT_RIGHT | SHIFT_HIGH | SHIFT_SIGNED) && only)
        run = shift_right_signed;
    return plain(b, run, 3);
}

RUN32(popc, (uint32_t)__builtin_popcount(a))
static uint32_t reversed(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
RUN32(brev, reversed(a))
/* The highest bit that differs from the sign; .SH counts from the top. */
static uint32_t leading(uint32_t a, bool is_signed, bool from_top)
{
    a = is_signed && a >> 31 ? ~a : a;
    const uint32_t bit = a ? 31u - (uint32_t)__builtin_clz(a) : UINT32_MAX;
    return a && from_top ? 31 - bit : bit;
}
RUN32(flo, leading(a, op->mode & 1, op->mode & 2))
static bool make_popc(sass_builder *b)
{
    return plain(b, popc, 1);
}
static bool make_brev(sass_builder *b)
{
    return plain(b, brev, 1);
}
static bool make_flo(sass_builder *b)
{
    b->op->mode = (uint8_t)((sass_take(&b->in, SASS_WORD_U32) ? 0 : 1) |
                            (sass_take(&b->in, SASS_WORD_SH) ? 2 : 0));
    return plain(b, flo, 1);
}

/* r = d, a, width, ... */
RUN32(sgxt_signed, b >= 32 ? a : b == 0 ? 0 : (uint32_t)((int32_t)(a << (32 - b)) >> (32 - b)))
RUN32(sgxt_unsigned, b >= 32 ? a : a & ((1u << b) - 1))
static bool make_sgxt(sass_builder *b)
{
    const bool is_unsigned = sass_take(&b->in, SASS_WORD_U32);
    return plain(b, is_unsigned ? sgxt_unsigned : sgxt_signed, 2);
}
static uint32_t mask_from(uint32_t start, uint32_t width)
{
    const uint32_t ones = width > 31 ? UINT32_MAX : (1u << width) - 1;
    return start > 31 ? 0 : ones << start;
}
RUN32(bmsk, mask_from(a, b))
static bool make_bmsk(sass_builder *b)
{
    return plain(b, bmsk, 2);
}

/* r = d, a, selector, b */
static uint32_t permuted(uint32_t a, uint32_t selector, uint32_t b)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t d = 0;
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t s = selector >> (4 * k) & 15, byte = bytes >> (8 * (s & 7)) & 255;
        d |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
    }
    return d;
}
RUN32(prmt, permuted(a, b, c))
static bool make_prmt(sass_builder *b)
{
    return plain(b, prmt, 3);
}

/* ---------------------------------------------------------------------------------- comparisons */

enum { COMPARE_EQ = 2, COMPARE_NE = 5 };

/* r = p, p, a, b, predicate[, of the lower halves]; op->mode: comparison, op->mode2: how the
 * predicate comes in, op->type: signed. */
static void isetp(ptx_warp *w, const ptx_op *op)
{
    uint32_t room[2][LANES], less = 0, equal = 0;
    const uint32_t *a = source_of(w, op, 2, room[0]), *b = source_of(w, op, 3, room[1]);
    const uint32_t top = op->type ? 0x80000000u : 0;
    for (unsigned i = 0; i < LANES; i++) {
        less |= (uint32_t)((a[i] ^ top) < (b[i] ^ top)) << i;
        equal |= (uint32_t)(a[i] == b[i]) << i;
    }
    const uint32_t more = ~less & ~equal;
    uint32_t yes =
        (op->mode & 1 ? less : 0) | (op->mode & 2 ? equal : 0) | (op->mode & 4 ? more : 0);
    if (op->refs > 5) { /* what the upper halves leave open, the lower ones decide */
        const uint32_t low = predicate_of(w, op, 5);
        yes = op->mode == COMPARE_EQ   ? equal & low
              : op->mode == COMPARE_NE ? ~equal | low
                                       : (yes & ~equal) | (equal & low);
    }
    gmsass_join(w, op, yes, ~yes, predicate_of(w, op, 4));
}

static bool make_isetp(sass_builder *b)
{
    const bool extended = sass_take(&b->in, SASS_WORD_EX);
    b->op->type = !sass_take(&b->in, SASS_WORD_U32);
    if (!gmsass_take_comparison(b))
        return false;
    gmsass_compared(b, 1);
    if (extended)
        gmsass_predicate(b);
    b->op->run = isetp;
    return true;
}

/* r = d, a, b, predicate: the smaller one where it holds. */
static void minmax(ptx_warp *w, const ptx_op *op)
{
    const unsigned sum = op->mode2; /* VIADDMNMX: a + b against c */
    const uint32_t p = predicate_of(w, op, 3 + sum), top = op->mode ? 0x80000000u : 0;
    SOURCES3(1, 2, sum ? 3 : 2);
    RESULT32((((sum ? a + b : a) ^ top) < (c ^ top)) == (bool)(p >> i & 1) ? (sum ? a + b : a) : c)
}
static bool make_minmax(sass_builder *b)
{
    b->op->mode = !sass_take(&b->in, SASS_WORD_U32);
    sass_take(&b->in, SASS_WORD_S32);
    b->op->mode2 = b->in.name == SASS_VIADDMNMX;
    plain(b, minmax, b->op->mode2 ? 3 : 2);
    gmsass_predicate(b);
    return true;
}

/* r = d, a, b, predicate */
static void sel(ptx_warp *w, const ptx_op *op)
{
    const uint32_t p = predicate_of(w, op, 3);
    SOURCES3(1, 2, 2);
    RESULT32(p >> i & 1 ? a : b)
}
static bool make_sel(sass_builder *b)
{
    plain(b, sel, 2);
    gmsass_predicate(b);
    return true;
}

const sass_row gmsass_int_rows[] = {
    {SASS_IADD3, make_iadd3},       {SASS_UIADD3, make_iadd3}, {SASS_VIADD, make_viadd},
    {SASS_IABS, make_iabs},         {SASS_IMAD, make_imad},    {SASS_UIMAD, make_imad},
    {SASS_LEA, make_lea},           {SASS_ULEA, make_lea},     {SASS_LOP3, make_lop3},
    {SASS_ULOP3, make_lop3},        {SASS_PLOP3, make_plop3},  {SASS_UPLOP3, make_plop3},
    {SASS_SHF, make_shf},           {SASS_USHF, make_shf},     {SASS_POPC, make_popc},
    {SASS_UPOPC, make_popc},        {SASS_BREV, make_brev},    {SASS_UBREV, make_brev},
    {SASS_FLO, make_flo},           {SASS_UFLO, make_flo},     {SASS_SGXT, make_sgxt},
    {SASS_USGXT, make_sgxt},        {SASS_BMSK, make_bmsk},    {SASS_UBMSK, make_bmsk},
    {SASS_PRMT, make_prmt},         {SASS_UPRMT, make_prmt},   {SASS_ISETP, make_isetp},
    {SASS_UISETP, make_isetp},      {SASS_IMNMX, make_minmax}, {SASS_VIMNMX, make_minmax},
    {SASS_SEL, make_sel},           {SASS_USEL, make_sel},     {SASS_VIADDMNMX, make_minmax},
    {SASS_VABSDIFF, make_vabsdiff}, {SASS_NOP, NULL},
};
