/* SPDX-License-Identifier: MIT
 *
 * move.c - registers, special registers, predicates and constants into registers.
 */
#include "traces/ptx/sass/sass.h"

static void move(ptx_warp *w, const ptx_op *op)
{
    uint32_t *d = result_of(w, op->r[0]);
    const uint32_t *a = lanes_of(w, op->r[1]);
    EACH_LANE d[i] = a[i];
    blend_uint32_t(w, op->r[0]);
}
static void move_pair(ptx_warp *w, const ptx_op *op)
{
    uint64_t a[LANES];
    wide_of(w, op, 1, a);
    set_wide(w, op, 0, a);
}

static bool make_mov(sass_builder *b)
{
    gmsass_result(b, 1);
    gmsass_source(b, 1);
    b->op->run = move;
    return !b->op->first && !b->op->count;
}

/* The first active lane's, for all. */
static void r2ur(ptx_warp *w, const ptx_op *op)
{
    uint32_t *d = lanes_of(w, op->r[0]);
    const uint32_t value = ((const uint32_t *)lanes_of(w, op->r[1]))[__builtin_ctz(w->active)];
    EACH_LANE d[i] = value;
}
static bool make_r2ur(sass_builder *b)
{
    gmsass_result(b, 1);
    gmsass_source(b, 1);
    b->op->run = r2ur;
    return true;
}

/* ---------------------------------------------------------------------------- special registers */

/* Clocks are counted in warp instructions. */
static void clock_now(ptx_warp *w, const ptx_op *op)
{
    const uint64_t now = gmptx_clock(w);
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w)
    {
        d[i] = (uint32_t)(op->mode ? now >> 32 : now);
        if (op->mode2)
            d[LANES + i] = (uint32_t)(now >> 32);
    }
}

static bool make_s2r(sass_builder *b)
{
    static const uint8_t special[SASS_SPECIAL_COUNT] = {[SASS_SRZ] = SPECIAL_ZERO,
                                                        [SASS_SR_TID_X] = SPECIAL_TID_X,
                                                        [SASS_SR_TID_Y] = SPECIAL_TID_Y,
                                                        [SASS_SR_TID_Z] = SPECIAL_TID_Z,
                                                        [SASS_SR_CTAID_X] = SPECIAL_CTAID_X,
                                                        [SASS_SR_CTAID_Y] = SPECIAL_CTAID_Y,
                                                        [SASS_SR_CTAID_Z] = SPECIAL_CTAID_Z,
                                                        [SASS_SR_LANEID] = SPECIAL_LANEID,
                                                        [SASS_SR_CgaCtaId] = SPECIAL_ZERO,
                                                        [SASS_SR_VIRTUALSMID] = SPECIAL_SMID,
                                                        [SASS_SR_EQMASK] = SPECIAL_LANEMASK_EQ,
                                                        [SASS_SR_LEMASK] = SPECIAL_LANEMASK_LE,
                                                        [SASS_SR_LTMASK] = SPECIAL_LANEMASK_LT,
                                                        [SASS_SR_GEMASK] = SPECIAL_LANEMASK_GE,
                                                        [SASS_SR_GTMASK] = SPECIAL_LANEMASK_GT,
                                                        [SASS_SR_NTID] = SPECIAL_COUNT,
                                                        [SASS_SR_VIRTID] = SPECIAL_COUNT};
    ptx_op *op = b->op;
    const bool pair = b->in.name == SASS_CS2R && !sass_take(&b->in, SASS_WORD__32);
    if (b->in.name == SASS_S2UR)
        op->flags |= SASS_IS_UNIFORM;
    gmsass_result(b, pair ? 2 : 1);
    const sass_operand *o = gmsass_peek(b);
    if (o->kind != SASS_SPECIAL)
        return false;
    b->next++;
    op->run = pair ? move_pair : move;
    switch ((sass_special)o->value) {
    case SASS_SR_CLOCKLO:
    case SASS_SR_GLOBALTIMERLO:
    case SASS_SR_CLOCKHI:
    case SASS_SR_GLOBALTIMERHI:
        op->run = clock_now;
        op->mode = o->value == SASS_SR_CLOCKHI || o->value == SASS_SR_GLOBALTIMERHI;
        op->mode2 = pair;
        return true;
    case SASS_SR_SWINHI:
        gmsass_ref(b, gmsass_constant(b, (uint32_t)(GMPTX_SHARED_WINDOW >> 32), 0));
        return !pair;
    case SASS_SRZ:
        gmsass_ref(b, gmsass_constant(b, 0, 0));
        return true;
    default:
        gmsass_ref(b, REF(PTX_FILE_SPECIAL, special[o->value] * PTX_SPECIAL_BYTES));
        return !pair && special[o->value] < SPECIAL_COUNT;
    }
}

/* ----------------------------------------------------------------------------------- predicates */

/* r = d, a; op->imm: which predicates become bits, the others are a's. */
static void p2r(ptx_warp *w, const ptx_op *op)
{
    const uint32_t *p = (const uint32_t *)(const void *)(w->base[PTX_FILE_FRAME] + SASS_PREDICATES);
    const uint32_t *a = lanes_of(w, op->r[1]);
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w)
    {
        uint32_t bits = 0;
        for (unsigned n = 0; n < 7; n++)
            bits |= (p[n] >> i & 1) << n;
        d[i] = (a[i] & ~op->imm) | (bits & op->imm);
    }
}
static bool take_mask(sass_builder *b)
{
    const sass_operand *o = gmsass_peek(b);
    if (o->kind != SASS_IMM)
        return false;
    b->op->imm = (uint32_t)o->value;
    b->next++;
    return true;
}
static bool make_p2r(sass_builder *b)
{
    gmsass_result(b, 1);
    if (gmsass_peek(b)->kind != SASS_ALL)
        return false;
    b->next++;
    gmsass_source(b, 1);
    b->op->run = p2r;
    return take_mask(b) && b->op->imm < 128;
}

/* r = a */
static void r2p(ptx_warp *w, const ptx_op *op)
{
    uint32_t *p = (uint32_t *)(void *)(w->base[PTX_FILE_FRAME] + SASS_PREDICATES);
    const uint32_t *a = lanes_of(w, op->r[0]);
    for (unsigned n = 0; n < 7; n++) {
        uint32_t bits = 0;
        if (!(op->imm >> n & 1))
            continue;
        EACH_ACTIVE(w) bits |= (a[i] >> n & 1) << i;
        p[n] = (p[n] & ~w->active) | bits;
    }
}
static bool make_r2p(sass_builder *b)
{
    if (gmsass_peek(b)->kind != SASS_ALL)
        return false;
    b->next++;
    gmsass_source(b, 1);
    b->op->run = r2p;
    return take_mask(b) && b->op->imm < 128;
}

/* ------------------------------------------------------------------------------------ constants */

/* r = d, index; op->imm: offset, op->mode: bank, op->vector: bytes, op->mode2: signed. */
static void ldc(ptx_warp *w, const ptx_op *op)
{
    const sass_kernel *s = w->kernel->sass;
    const uint32_t *index = lanes_of(w, op->r[1]);
    uint64_t out[LANES] = {0};
    EACH_ACTIVE(w)
    {
        const uint64_t at = (uint64_t)(index[i] + op->imm);
        if (at + op->vector > s->bank_bytes[op->mode]) /* hardware reads zeros */
            continue;
        memcpy(&out[i], s->bank[op->mode] + at, op->vector);
        if (op->mode2) {
            const unsigned shift = 64 - 8u * op->vector;
            out[i] = (uint64_t)((int64_t)(out[i] << shift) >> shift);
        }
    }
    uint32_t *d = lanes_of(w, op->r[0]);
    if (op->vector == 8)
        set_wide(w, op, 0, out);
    else
        EACH_ACTIVE(w) d[i] = (uint32_t)out[i];
}

static bool make_ldc(sass_builder *b)
{
    ptx_op *op = b->op;
    op->mode2 = sass_has(&b->in, SASS_WORD_S8) || sass_has(&b->in, SASS_WORD_S16);
    op->vector = sass_take(&b->in, SASS_WORD__64)                                       ? 8
                 : sass_take(&b->in, SASS_WORD_U8) || sass_take(&b->in, SASS_WORD_S8)   ? 1
                 : sass_take(&b->in, SASS_WORD_U16) || sass_take(&b->in, SASS_WORD_S16) ? 2
                                                                                        : 4;
    const unsigned units = op->vector == 8 ? 2 : 1;
    gmsass_result(b, units);
    const sass_operand *o = gmsass_peek(b);
    if (o->kind != SASS_CONST)
        return false;
    if (o->number == SASS_ZERO && o->uniform == SASS_ZERO && op->vector >= 4) {
        gmsass_source(b, units);
        op->run = units == 2 ? move_pair : move;
        return true;
    }
    op->imm = (uint32_t)o->value;
    op->mode = o->bank;
    op->run = ldc;
    if (o->bank >= SASS_BANKS || !b->kernel->sass->bank_bytes[o->bank] ||
        (o->number != SASS_ZERO && o->uniform != SASS_ZERO))
        return false;
    const sass_operand index = {.kind = o->uniform != SASS_ZERO ? SASS_UREG : SASS_REG,
                                .number = o->uniform != SASS_ZERO ? o->uniform : o->number};
    b->in.operand[b->next] = index;
    gmsass_source(b, 1);
    return true;
}

const sass_row gmsass_move_rows[] = {
    {SASS_MOV, make_mov},  {SASS_UMOV, make_mov}, {SASS_R2UR, make_r2ur}, {SASS_S2R, make_s2r},
    {SASS_S2UR, make_s2r}, {SASS_CS2R, make_s2r}, {SASS_P2R, make_p2r},   {SASS_R2P, make_r2p},
    {SASS_LDC, make_ldc},  {SASS_ULDC, make_ldc}, {SASS_NOP, NULL},
};
