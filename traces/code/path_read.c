/* SPDX-License-Identifier: MIT
 *
 * path_read.c - which instructions are understood: moves, adds, products, shifts, logic and
 * comparisons of integers, loads of what memory is known to hold, and where all that comes from:
 * thread and CTA numbers, the launch's size, its parameters, numbers in the code. Floats are
 * path_read_real.c's. Left out: what lanes tell each other but by votes, shared memory,
 * constants that are no parameters.
 */
#include "traces/code/path_step.h"

#include <string.h>

static bool take(path_reading *r, sass_word word)
{
    return path_read_takes(r, word);
}

static void read_mad(path_reading *r)
{
    const bool wide = take(r, SASS_WORD_WIDE), high = take(r, SASS_WORD_HI);
    const bool extended = take(r, SASS_WORD_X);
    r->step->mode = !take(r, SASS_WORD_U32);
    take(r, SASS_WORD_MOV);
    take(r, SASS_WORD_SHL);
    take(r, SASS_WORD_IADD);
    r->step->what = wide ? STEP_MAD_WIDE : high ? STEP_MAD_HIGH : STEP_MAD;
    if (wide)
        path_read_target_pair(r);
    else
        path_read_target(r);
    if (path_read_at_predicate(r)) { /* the carry of 64 bits */
        r->good &= wide || (high && !r->step->mode);
        path_read_target(r);
    }
    path_read_source(r);
    path_read_source(r);
    if (wide || high)
        path_read_source_pair(r);
    else
        path_read_source(r);
    if (extended)
        path_read_source(r);
}

static void read_shift(path_reading *r)
{
    const bool right = take(r, SASS_WORD_R);
    unsigned mode = right ? SHIFT_RIGHT : 0u;
    r->good &= right || take(r, SASS_WORD_L);
    mode |= take(r, SASS_WORD_HI) ? SHIFT_HIGH : 0u;
    mode |= take(r, SASS_WORD_W) ? SHIFT_WRAPS : 0u;
    mode |= take(r, SASS_WORD_S32) ? SHIFT_SIGNED : 0u;
    mode |= take(r, SASS_WORD_S64) ? SHIFT_SIGNED | SHIFT_64 : 0u;
    mode |= take(r, SASS_WORD_U64) ? SHIFT_64 : 0u;
    take(r, SASS_WORD_U32);
    r->step->what = STEP_SHIFT;
    r->step->mode = (uint8_t)mode;
    path_read_target(r);
    path_read_source(r);
    path_read_source(r);
    path_read_source(r);
}

/* Adds, with the carries that they write and, extended, those that they read. */
static void read_add(path_reading *r, unsigned count)
{
    const bool extended = take(r, SASS_WORD_X);
    r->step->what = STEP_ADD;
    path_read_target(r);
    while (path_read_at_predicate(r) && r->good)
        path_read_target(r);
    for (unsigned i = 0; i < count; i++)
        path_read_source(r);
    r->step->shift = r->step->sources;
    for (unsigned i = 0; i < 2 && extended; i++)
        path_read_source(r);
}

/* Shifted adds: mode 1, the first operand's sign is its upper half; shift, and at which source the
 * carry comes in. */
static void read_lea(path_reading *r)
{
    const bool high = take(r, SASS_WORD_HI), sign = take(r, SASS_WORD_SX32);
    const bool extended = take(r, SASS_WORD_X);
    r->step->what = high ? STEP_LEA_HIGH : STEP_LEA;
    r->step->mode = sign;
    path_read_target(r);
    while (path_read_at_predicate(r) && r->good)
        path_read_target(r);
    for (unsigned i = 0; i < 2u + (high && !sign); i++)
        path_read_source(r);
    const sass_operand *shift = &r->op.operand[r->next++];
    r->good &= r->next <= r->op.count && shift->kind == SASS_IMM && shift->value >= 0 &&
               shift->value < 32 && (high || !sign) &&
               (!r->step->source[0].negated || (!high && !extended && r->step->targets == 1));
    r->step->shift = (uint8_t)shift->value;
    if (sign) /* so that the carry stands at the same place */
        path_read_value(r, 0);
    if (extended)
        path_read_source(r);
}

static void read_logic(path_reading *r)
{
    const bool first = path_read_at_predicate(r);
    r->step->what = STEP_LOGIC;
    r->good &= take(r, SASS_WORD_LUT);
    path_read_target(r);
    if (first)
        path_read_target(r);
    path_read_source(r);
    path_read_source(r);
    path_read_source(r);
    const sass_operand *table = &r->op.operand[r->next++];
    r->good &= r->next <= r->op.count && table->kind == SASS_IMM;
    r->step->shift = (uint8_t)table->value;
    r->step->mode = first;
    if (r->next < r->op.count) /* what the predicate is joined with: nothing */
        r->good &= r->op.operand[r->next].number == 7;
}

static void read_compare(path_reading *r)
{
    const bool lower = take(r, SASS_WORD_EX);
    r->step->what = STEP_COMPARE;
    path_read_comparison(r, false);
    r->step->mode |= lower ? WITH_LOWER : 0;
    r->step->shift = !take(r, SASS_WORD_U32);
    for (unsigned i = 0; i < 3u + lower; i++)
        path_read_source(r);
}

static void read_predicates(path_reading *r)
{
    r->step->what = STEP_LOGIC_OF_PREDICATES;
    r->good &= take(r, SASS_WORD_LUT);
    path_read_target(r);
    path_read_target(r);
    path_read_source(r);
    path_read_source(r);
    path_read_source(r);
    const sass_operand *table = &r->op.operand[r->next];
    r->good &=
        r->next + 2u == r->op.count && table[0].kind == SASS_IMM && table[1].kind == SASS_IMM;
    r->step->shift = (uint8_t)table[0].value;
    r->step->mode = (uint8_t)table[1].value;
}

/* "P2R R23, PR, RZ, 0x1": bits of the register become the predicates of these numbers. */
static void read_gather(path_reading *r)
{
    const sass_operand *o = r->op.operand;
    r->step->what = STEP_GATHER_PREDICATES;
    path_read_target(r);
    r->good &= r->op.count == 4 && o[1].kind == SASS_ALL && o[3].kind == SASS_IMM &&
               o[3].value >= 0 && o[3].value < 128;
    r->step->mode = (uint8_t)o[3].value;
    r->next = 2;
    path_read_source(r);
    for (uint8_t p = 0; p < 7 && r->good; p++) {
        const sass_operand predicate = {.kind = SASS_PRED, .number = p};
        if ((uint32_t)r->step->mode >> p & 1u)
            *path_read_next_source(r) = path_read_register(&predicate);
    }
}

/* "VOTE.ANY P0, !P1" and "VOTE.ALL R2, PT, P1", which also gives the lanes as bits. */
static void read_vote(path_reading *r)
{
    const bool any = take(r, SASS_WORD_ANY), all = take(r, SASS_WORD_ALL);
    r->step->what = STEP_VOTE;
    r->step->mode = any;
    r->good &= any != all;
    path_read_target(r);
    if (r->op.count == 3) {
        path_read_target(r);
        r->step->shift = 1;
    }
    path_read_source(r);
}

static void read_special(path_reading *r)
{
    const sass_operand *o = &r->op.operand[1];
    r->step->what = STEP_SPECIAL;
    path_read_target(r);
    r->good &= r->op.count == 2 && o->kind == SASS_SPECIAL && o->value <= SASS_SR_LANEID;
    r->step->mode = (uint8_t)o->value;
    if (r->op.name == SASS_CS2R && !take(r, SASS_WORD__32)) {
        path_read_next_target(r);
        r->good &= o->value == SASS_SRZ;
    }
}

static void read_plain(path_reading *r, uint8_t what, unsigned count)
{
    r->step->what = what;
    path_read_target(r);
    for (unsigned i = 0; i < count; i++)
        path_read_source(r);
}

static void read_extreme(path_reading *r, uint8_t what, unsigned count)
{
    r->step->mode = take(r, SASS_WORD_U32) ? 0 : STEP_SIGNED;
    r->step->shift = take(r, SASS_WORD_RELU);
    read_plain(r, what, count);
}

/* How many bytes a load's words say; *sign: bit 31 of what they give is that of their own. */
static uint32_t size_of_load(path_reading *r, bool *sign)
{
    static const struct {
        uint8_t word, size;
        bool sign;
    } known[] = {{SASS_WORD_U8, 1, false}, {SASS_WORD_S8, 1, true},   {SASS_WORD_U16, 2, false},
                 {SASS_WORD_S16, 2, true}, {SASS_WORD__64, 8, false}, {SASS_WORD__128, 16, false}};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (take(r, (sass_word)known[i].word)) {
            *sign = known[i].sign;
            return known[i].size;
        }
    *sign = false;
    return 4;
}

static uint32_t extended_sign(uint64_t value, uint32_t size, bool sign)
{
    const unsigned bits = 32u - 8u * (size < 4 ? size : 4);
    const uint32_t top = (uint32_t)value << bits;
    return sign ? (uint32_t)((int32_t)top >> bits) : top >> bits;
}

/* LDC and ULDC: of any size where it is known what they find. */
static void read_constant(path_reading *r)
{
    bool sign;
    uint64_t value;
    const uint32_t size = size_of_load(r, &sign);
    const sass_operand *o = &r->op.operand[1];
    if (size == 4 || !r->launch) {
        r->good &= size == 4;
        read_plain(r, STEP_COPY, 1);
        return;
    }
    r->step->what = STEP_COPY;
    if (size == 8)
        path_read_target_pair(r);
    else
        path_read_target(r);
    r->good &= r->op.count == 2 && o->kind == SASS_CONST && size <= 8 && !o->negated &&
               !o->inverted && path_read_constant_bytes(r->launch, o, size, &value);
    if (!r->good)
        return;
    path_read_value(r, size < 4 ? extended_sign(value, size, sign) : value);
    if (size == 8)
        path_read_value(r, value >> 32);
}

/* Registers for so many bytes. */
static void read_targets(path_reading *r, uint32_t size)
{
    path_read_target(r);
    for (uint32_t i = 4; i < size; i += 4)
        path_read_next_target(r);
}

/* LDG. What it is called for caches, and whom it waits for, does not matter. */
static void read_load(path_reading *r)
{
    bool sign;
    const uint32_t size = size_of_load(r, &sign);
    static const uint8_t words[] = {
        SASS_WORD_E,      SASS_WORD_CONSTANT, SASS_WORD_STRONG, SASS_WORD_GPU, SASS_WORD_SM,
        SASS_WORD_SYS,    SASS_WORD_EF,       SASS_WORD_EL,     SASS_WORD_LU,  SASS_WORD_NA,
        SASS_WORD_LTC64B, SASS_WORD_LTC128B,  SASS_WORD_LTC256B};
    for (unsigned i = 0; i < sizeof words; i++)
        take(r, (sass_word)words[i]);
    r->step->what = STEP_LOAD;
    r->step->mode = (uint8_t)size;
    r->step->shift = sign;
    read_targets(r, size);
    r->good &= r->launch && r->launch->known && r->launch->known->range_count;
}

/* LDL and STL: what is in local memory follows from what was stored there (path_local.c). */
static void read_local(path_reading *r, bool store)
{
    bool sign;
    const uint32_t size = size_of_load(r, &sign);
    take(r, SASS_WORD_LU);
    take(r, SASS_WORD_EL);
    take(r, SASS_WORD_EF);
    r->step->what = store ? STEP_STORE : STEP_LOCAL;
    r->step->mode = (uint8_t)size;
    r->step->shift = sign;
    r->good &= r->launch != NULL;
    if (!store) {
        read_targets(r, size);
        return;
    }
    r->next = 1; /* behind the address */
    path_read_source(r);
    for (uint32_t i = 4; i < size && r->good; i += 4) {
        path_source *s = path_read_next_source(r);
        *s = s[-1];
        s->number = (uint8_t)(s->number + s->is_register);
    }
}

/* HFMA2 R4, -RZ, RZ, 1, 1: two halves, as one word. */
static void read_halves(path_reading *r)
{
    take(r, SASS_WORD_MMA);
    r->step->what = STEP_COPY;
    path_read_target(r);
    path_read_value(r, r->instr->encoding[0] >> 32);
    r->good &= strstr(r->instr->operands, "-RZ, RZ, ") != NULL && r->instr->encoding[0] != 0;
}

static void read_by_name(path_reading *r)
{
    switch (r->op.name) {
    case SASS_MOV:
    case SASS_UMOV:
    case SASS_R2UR:
        read_plain(r, STEP_COPY, 1);
        return;
    case SASS_LDC:
    case SASS_ULDC:
        read_constant(r);
        return;
    case SASS_LDG:
        read_load(r);
        return;
    case SASS_LDL:
    case SASS_STL:
        read_local(r, r->op.name == SASS_STL);
        return;
    case SASS_HFMA2:
        read_halves(r);
        return;
    case SASS_S2R:
    case SASS_S2UR:
    case SASS_CS2R:
        read_special(r);
        return;
    case SASS_IADD3:
    case SASS_UIADD3:
        read_add(r, 3);
        return;
    case SASS_VIADD:
        read_add(r, 2);
        return;
    case SASS_LEA:
    case SASS_ULEA:
        read_lea(r);
        return;
    case SASS_IMAD:
    case SASS_UIMAD:
        read_mad(r);
        return;
    case SASS_SHF:
    case SASS_USHF:
        read_shift(r);
        return;
    case SASS_LOP3:
    case SASS_ULOP3:
        read_logic(r);
        return;
    case SASS_ISETP:
    case SASS_UISETP:
        read_compare(r);
        return;
    case SASS_PLOP3:
    case SASS_UPLOP3:
        read_predicates(r);
        return;
    case SASS_P2R:
        read_gather(r);
        return;
    case SASS_VOTE:
    case SASS_VOTEU:
        read_vote(r);
        return;
    case SASS_SEL:
    case SASS_USEL:
        read_plain(r, STEP_SELECT, 3);
        return;
    case SASS_IMNMX:
    case SASS_VIMNMX:
        read_extreme(r, STEP_MINMAX, 3);
        return;
    case SASS_VIMNMX3:
        read_extreme(r, STEP_MINMAX_3, 4);
        return;
    case SASS_VIADDMNMX:
        read_extreme(r, STEP_ADD_MINMAX, 4);
        return;
    case SASS_IABS:
        read_plain(r, STEP_ABSOLUTE, 1);
        return;
    case SASS_POPC:
    case SASS_UPOPC:
        read_plain(r, STEP_BITS, 1);
        return;
    case SASS_BREV:
    case SASS_UBREV:
        read_plain(r, STEP_REVERSE, 1);
        return;
    case SASS_FLO:
    case SASS_UFLO:
        r->step->mode = take(r, SASS_WORD_U32) ? 0 : STEP_SIGNED;
        r->step->shift = take(r, SASS_WORD_SH);
        read_plain(r, STEP_LEADING, 1);
        return;
    case SASS_PRMT:
    case SASS_UPRMT:
        read_plain(r, STEP_PERMUTE, 3);
        return;
    case SASS_SGXT:
    case SASS_USGXT:
        r->step->mode = take(r, SASS_WORD_U32) ? 0 : STEP_SIGNED;
        r->step->shift = take(r, SASS_WORD_W);
        read_plain(r, STEP_EXTEND, 2);
        return;
    case SASS_BMSK:
    case SASS_UBMSK:
        r->step->shift = take(r, SASS_WORD_W);
        read_plain(r, STEP_BIT_MASK, 2);
        return;
    default:
        r->good = path_read_real(r);
    }
}

bool path_step_read(const gmtrace_instr *instr, const gmtrace_launch *launch, path_step *step)
{
    path_reading r = {.instr = instr, .launch = launch, .step = step, .good = true};
    memset(step, 0, sizeof *step);
    if (!gmt_sass_read(instr, &r.op))
        return false;
    step->guard = (path_source){.place = PATH_NO_PLACE, .value = 1};
    if (instr->predicate != GMTRACE_NO_REGISTER) {
        const sass_operand guard = {.kind = *instr->opcode == 'U' ? SASS_UPRED : SASS_PRED,
                                    .number = instr->predicate,
                                    .negated = instr->predicate_negated != 0};
        step->guard = path_read_register(&guard);
    }
    read_by_name(&r);
    return r.good && !r.op.words[0] && !r.op.words[1] && !r.op.words[2];
}

bool path_step_asks_warp(const path_step *step)
{
    return step->what == STEP_SPECIAL && step->mode >= SASS_SR_TID_X && step->mode <= SASS_SR_TID_Z;
}

bool path_step_asks_cta(const path_step *step)
{
    return step->what == STEP_SPECIAL && step->mode >= SASS_SR_CTAID_X &&
           step->mode <= SASS_SR_CTAID_Z;
}

bool path_step_loads(const path_step *step)
{
    return step->what == STEP_LOAD;
}

bool path_step_loads_local(const path_step *step)
{
    return step->what == STEP_LOCAL;
}

bool path_step_stores(const path_step *step)
{
    return step->what == STEP_STORE;
}

bool path_step_votes(const path_step *step)
{
    return step->what == STEP_VOTE;
}
