/* SPDX-License-Identifier: MIT
 *
 * path_lanes.c - moves, adds, products, shifts, logic and comparisons of 32-bit integers, lane by
 * lane, and where they come from: thread and CTA numbers, the launch's size, numbers in the code.
 * Left out: all else, so that what is loaded, and what is made of parameters, stays unknown.
 */
#include "traces/code/path_lanes.h"
#include "traces/code/sass_op.h"

#include <string.h>

enum {
    COPY,
    SPECIAL,
    ADD,
    MAD,
    MAD_WIDE,
    MAD_HIGH,
    SHIFT,
    LOGIC,
    LEA,
    LEA_HIGH,
    COMPARE,
    SELECT,
    MINMAX,
    ADD_MINMAX,
    ABSOLUTE,
    BITS,
    LOGIC_OF_PREDICATES,
    GATHER_PREDICATES,
};
enum { SIGNED = 1 };
enum { SHIFT_RIGHT = 1, SHIFT_HIGH = 2, SHIFT_SIGNED = 4, SHIFT_WRAPS = 8, SHIFT_64 = 16 };
enum { WITH_AND = 0, WITH_OR = 8, WITH_XOR = 16, COMPARES = 7 }; /* bits less, equal, more */

typedef struct reading {
    sass_op op;
    const gmtrace_launch *launch;
    path_step *step;
    unsigned next;
    bool good;
} reading;

static bool is_register(const sass_operand *o)
{
    return o->kind == SASS_REG || o->kind == SASS_UREG || o->kind == SASS_PRED ||
           o->kind == SASS_UPRED;
}

static path_source register_of(const sass_operand *o)
{
    static const uint8_t file[] = {[SASS_REG] = GMTRACE_REG_GENERAL,
                                   [SASS_UREG] = GMTRACE_REG_UNIFORM,
                                   [SASS_PRED] = GMTRACE_REG_PREDICATE,
                                   [SASS_UPRED] = GMTRACE_REG_UPREDICATE};
    const bool predicate = o->kind == SASS_PRED || o->kind == SASS_UPRED;
    path_source s = {.place = PATH_NO_PLACE, .negated = o->negated, .inverted = o->inverted};
    if (o->number == (predicate ? 7u : SASS_ZERO)) {
        s.value = predicate ? !o->negated : o->inverted ? UINT32_MAX : 0;
        s.negated = s.inverted = false;
    } else {
        s.is_register = true;
        s.file = file[o->kind];
        s.number = o->number;
    }
    return s;
}

/* The launch's sizes lie at the beginning of the first bank. */
static bool size_of_launch(const gmtrace_launch *launch, const sass_operand *o, uint32_t *value)
{
    if (o->bank || o->number != SASS_ZERO || o->uniform != SASS_ZERO || o->value < 0 ||
        o->value >= 24 || o->value % 4)
        return false;
    const unsigned n = (unsigned)o->value / 4u;
    *value = n < 3 ? launch->block[n] : launch->grid[n - 3];
    return true;
}

static void target(reading *r)
{
    const sass_operand *o = &r->op.operand[r->next++];
    if (r->next > r->op.count || !is_register(o) || r->step->targets == PATH_TARGETS) {
        r->good = false;
        return;
    }
    r->step->target[r->step->targets++] = register_of(o);
}

static bool at_predicate(const reading *r)
{
    const uint8_t kind = r->next < r->op.count ? r->op.operand[r->next].kind : SASS_NONE;
    return kind == SASS_PRED || kind == SASS_UPRED;
}

static void source(reading *r)
{
    const sass_operand *o = &r->op.operand[r->next++];
    path_source *s = &r->step->source[r->step->sources];
    if (r->next > r->op.count || r->step->sources == PATH_SOURCES || o->absolute ||
        o->part != SASS_WHOLE) {
        r->good = false;
        return;
    }
    r->step->sources++;
    if (is_register(o)) {
        *s = register_of(o);
        return;
    }
    *s = (path_source){.place = PATH_NO_PLACE, .negated = o->negated, .inverted = o->inverted};
    if (o->kind == SASS_IMM)
        s->value = (uint32_t)o->value;
    else if (o->kind == SASS_CONST && !r->launch)
        r->step->constants = true;
    else if (o->kind != SASS_CONST || !size_of_launch(r->launch, o, &s->value))
        r->good = false;
}

/* The upper half of the source before. */
static void upper_half(reading *r)
{
    const path_source *low = &r->step->source[r->step->sources - 1u];
    path_source *s = &r->step->source[r->step->sources];
    if (!r->good || r->step->sources == PATH_SOURCES || low->negated || low->inverted ||
        (!low->is_register && low->value)) {
        r->good = false;
        return;
    }
    *s = *low;
    s->number = (uint8_t)(low->number + low->is_register);
    r->step->sources++;
}

static bool take(reading *r, sass_word word)
{
    return sass_take(&r->op, word);
}

static void read_mad(reading *r)
{
    const bool wide = take(r, SASS_WORD_WIDE), high = take(r, SASS_WORD_HI);
    r->step->mode = !take(r, SASS_WORD_U32);
    take(r, SASS_WORD_MOV);
    take(r, SASS_WORD_SHL);
    take(r, SASS_WORD_IADD);
    r->step->what = wide ? MAD_WIDE : high ? MAD_HIGH : MAD;
    target(r);
    if (at_predicate(r))
        r->good = false;
    source(r);
    source(r);
    source(r);
    if (wide || high)
        upper_half(r);
    if (wide && r->good) {
        r->step->target[1] = r->step->target[0];
        r->step->target[1].number++;
        r->step->targets = 2;
    }
}

static void read_shift(reading *r)
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
    r->step->what = SHIFT;
    r->step->mode = (uint8_t)mode;
    target(r);
    source(r);
    source(r);
    source(r);
}

/* Adds and shifted adds; carries that they write are not known. */
static void read_add(reading *r, unsigned count)
{
    const bool high = take(r, SASS_WORD_HI), extended = take(r, SASS_WORD_SX32);
    const bool lea = r->op.name == SASS_LEA || r->op.name == SASS_ULEA;
    r->step->what = !lea ? ADD : high ? LEA_HIGH : LEA;
    r->step->mode = extended;
    target(r);
    while (at_predicate(r) && r->good)
        target(r);
    for (unsigned i = 0; i < count + (high && !extended); i++)
        source(r);
    if (!lea)
        return;
    const sass_operand *shift = &r->op.operand[r->next++];
    r->good &= r->next <= r->op.count && shift->kind == SASS_IMM && shift->value >= 0 &&
               shift->value < 32 && (high || !extended) && !r->step->source[0].negated;
    r->step->shift = (uint8_t)shift->value;
}

static void read_logic(reading *r)
{
    const bool first = at_predicate(r);
    r->step->what = LOGIC;
    r->good &= take(r, SASS_WORD_LUT);
    target(r);
    if (first)
        target(r);
    source(r);
    source(r);
    source(r);
    const sass_operand *table = &r->op.operand[r->next++];
    r->good &= r->next <= r->op.count && table->kind == SASS_IMM;
    r->step->shift = (uint8_t)table->value;
    r->step->mode = first;
    if (r->next < r->op.count) /* what the predicate is joined with: nothing */
        r->good &= r->op.operand[r->next].number == 7;
}

static void read_compare(reading *r)
{
    static const struct {
        uint8_t word, holds;
    } known[] = {{SASS_WORD_LT, 1}, {SASS_WORD_EQ, 2}, {SASS_WORD_LE, 3},
                 {SASS_WORD_GT, 4}, {SASS_WORD_NE, 5}, {SASS_WORD_GE, 6}};
    unsigned mode = 0;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (take(r, (sass_word)known[i].word))
            mode = known[i].holds;
    r->good &= mode != 0;
    mode |= take(r, SASS_WORD_OR) ? WITH_OR : take(r, SASS_WORD_XOR) ? WITH_XOR : WITH_AND;
    take(r, SASS_WORD_AND);
    r->step->what = COMPARE;
    r->step->mode = (uint8_t)mode;
    r->step->shift = !take(r, SASS_WORD_U32);
    target(r);
    target(r);
    source(r);
    source(r);
    source(r);
}

static void read_predicates(reading *r)
{
    r->step->what = LOGIC_OF_PREDICATES;
    r->good &= take(r, SASS_WORD_LUT);
    target(r);
    target(r);
    source(r);
    source(r);
    source(r);
    const sass_operand *table = &r->op.operand[r->next];
    r->good &=
        r->next + 2u == r->op.count && table[0].kind == SASS_IMM && table[1].kind == SASS_IMM;
    r->step->shift = (uint8_t)table[0].value;
    r->step->mode = (uint8_t)table[1].value;
}

/* "P2R R23, PR, RZ, 0x1": bits of the register become the predicates of these numbers. */
static void read_gather(reading *r)
{
    const sass_operand *o = r->op.operand;
    r->step->what = GATHER_PREDICATES;
    target(r);
    r->good &= r->op.count == 4 && o[1].kind == SASS_ALL && o[3].kind == SASS_IMM &&
               o[3].value >= 0 && o[3].value < 128;
    r->step->mode = (uint8_t)o[3].value;
    r->next = 2;
    source(r);
    for (uint8_t p = 0; p < 7 && r->good; p++) {
        const sass_operand predicate = {.kind = SASS_PRED, .number = p};
        if ((uint32_t)r->step->mode >> p & 1u)
            r->step->source[r->step->sources++] = register_of(&predicate);
    }
}

static void read_special(reading *r)
{
    const sass_operand *o = &r->op.operand[1];
    r->step->what = SPECIAL;
    target(r);
    r->good &= r->op.count == 2 && o->kind == SASS_SPECIAL && o->value <= SASS_SR_LANEID;
    r->step->mode = (uint8_t)o->value;
    if (r->op.name == SASS_CS2R && !take(r, SASS_WORD__32) && r->good) {
        r->step->target[1] = r->step->target[0];
        r->step->target[1].number++;
        r->step->targets = 2;
        r->good = o->value == SASS_SRZ;
    }
}

static void read_plain(reading *r, uint8_t what, unsigned count)
{
    r->step->what = what;
    target(r);
    for (unsigned i = 0; i < count; i++)
        source(r);
}

static void read_by_name(reading *r, const gmtrace_instr *instr)
{
    switch (r->op.name) {
    case SASS_MOV:
    case SASS_UMOV:
    case SASS_R2UR:
    case SASS_LDC:
    case SASS_ULDC:
        read_plain(r, COPY, 1);
        return;
    case SASS_HFMA2: /* two halves, as one word */
        take(r, SASS_WORD_MMA);
        r->step->what = COPY;
        target(r);
        r->step->source[r->step->sources++] =
            (path_source){.place = PATH_NO_PLACE, .value = (uint32_t)(instr->encoding[0] >> 32)};
        r->good &= strstr(instr->operands, "-RZ, RZ, ") != NULL && instr->encoding[0] != 0;
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
    case SASS_LEA:
    case SASS_ULEA:
        read_add(r, 2);
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
    case SASS_SEL:
    case SASS_USEL:
        read_plain(r, SELECT, 3);
        return;
    case SASS_IMNMX:
    case SASS_VIMNMX:
        r->step->mode = take(r, SASS_WORD_U32) ? 0 : SIGNED;
        read_plain(r, MINMAX, 3);
        return;
    case SASS_VIADDMNMX:
        r->step->mode = take(r, SASS_WORD_U32) ? 0 : SIGNED;
        read_plain(r, ADD_MINMAX, 4);
        return;
    case SASS_IABS:
        read_plain(r, ABSOLUTE, 1);
        return;
    case SASS_POPC:
    case SASS_UPOPC:
        read_plain(r, BITS, 1);
        return;
    default:
        r->good = false;
    }
}

bool path_step_read(const gmtrace_instr *instr, const gmtrace_launch *launch, path_step *step)
{
    reading r = {.launch = launch, .step = step, .good = true};
    memset(step, 0, sizeof *step);
    if (!gmt_sass_read(instr, &r.op))
        return false;
    step->guard = (path_source){.place = PATH_NO_PLACE, .value = 1};
    if (instr->predicate != GMTRACE_NO_REGISTER) {
        const sass_operand guard = {.kind = SASS_PRED,
                                    .number = instr->predicate,
                                    .negated = instr->predicate_negated != 0};
        step->guard = register_of(&guard);
        if (*instr->opcode == 'U') /* those have predicates of their own */
            return false;
    }
    read_by_name(&r, instr);
    return r.good && !r.op.words[0] && !r.op.words[1] && !r.op.words[2];
}

bool path_step_asks_warp(const path_step *step)
{
    return step->what == SPECIAL && step->mode >= SASS_SR_TID_X && step->mode <= SASS_SR_TID_Z;
}

bool path_step_asks_cta(const path_step *step)
{
    return step->what == SPECIAL && step->mode >= SASS_SR_CTAID_X && step->mode <= SASS_SR_CTAID_Z;
}

/* ------------------------------------------------------------------------------------- running */

static uint32_t special(const gmtrace_launch *launch, const path_lanes *lanes, uint8_t which,
                        uint32_t lane)
{
    const uint32_t thread = lanes->warp * GMTRACE_WARP_LANES + lane;
    const uint32_t *block = launch->block, *grid = launch->grid;
    switch (which) {
    case SASS_SR_TID_X:
        return thread % block[0];
    case SASS_SR_TID_Y:
        return thread / block[0] % block[1];
    case SASS_SR_TID_Z:
        return thread / block[0] / block[1];
    case SASS_SR_CTAID_X:
        return lanes->cta % grid[0];
    case SASS_SR_CTAID_Y:
        return lanes->cta / grid[0] % grid[1];
    case SASS_SR_CTAID_Z:
        return lanes->cta / grid[0] / grid[1];
    default:
        return which == SASS_SR_LANEID ? lane : 0;
    }
}

uint32_t path_source_value(const path_source *s, uint32_t held)
{
    uint32_t value = s->is_register ? held : s->value;
    if (s->is_register && s->file >= GMTRACE_REG_PREDICATE)
        return value != s->negated;
    value = s->inverted ? ~value : value;
    return s->negated ? 0u - value : value;
}

static uint32_t value_of(const path_source *s, const path_lanes *lanes, uint32_t lane)
{
    return path_source_value(s, s->is_register ? lanes->value[s->place][lane] : 0);
}

static uint32_t known_of(const path_source *s, const path_lanes *lanes)
{
    if (!s->is_register)
        return UINT32_MAX;
    return s->place == PATH_NO_PLACE ? 0 : lanes->known[s->place];
}

static uint32_t table_of(uint8_t table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; i++)
        if ((uint32_t)table >> i & 1u)
            result |= (i & 4u ? a : ~a) & (i & 2u ? b : ~b) & (i & 1u ? c : ~c);
    return result;
}

static uint64_t shifted(uint8_t mode, uint64_t x, uint32_t by)
{
    const uint32_t bits = mode & SHIFT_64 ? 64 : 32;
    const uint32_t s = mode & SHIFT_WRAPS ? by & (bits - 1u) : by < bits ? by : bits;
    const bool all = s > 63;
    const uint64_t y = !(mode & SHIFT_RIGHT) ? (all ? 0 : x << s)
                       : mode & SHIFT_SIGNED ? (uint64_t)((int64_t)x >> (all ? 63 : s))
                                             : (all ? 0 : x >> s);
    return mode & SHIFT_HIGH ? y >> 32 : y;
}

static bool compares(const path_step *step, const uint32_t *a, bool negated)
{
    const bool less = step->shift ? (int32_t)a[0] < (int32_t)a[1] : a[0] < a[1];
    bool holds = step->mode & (less ? 1 : a[0] == a[1] ? 2 : 4);
    holds = holds != negated;
    return step->mode & WITH_OR    ? holds || a[2]
           : step->mode & WITH_XOR ? holds != (a[2] != 0)
                                   : holds && a[2];
}

static uint32_t extreme(const path_step *step, uint32_t a, uint32_t b, bool least)
{
    const bool less = step->mode & SIGNED ? (int32_t)a < (int32_t)b : a < b;
    return less == least ? a : b;
}

/* What one lane writes into the targets. */
static void make(const path_step *step, const uint32_t *a, uint32_t *d)
{
    const uint64_t wide = step->mode & SIGNED ? (uint64_t)((int64_t)(int32_t)a[0] * (int32_t)a[1])
                                              : (uint64_t)a[0] * a[1];
    switch (step->what) {
    case COPY:
        d[0] = a[0];
        return;
    case ADD:
        d[0] = a[0] + a[1] + (step->sources > 2 ? a[2] : 0);
        return;
    case MAD:
        d[0] = a[0] * a[1] + a[2];
        return;
    case MAD_WIDE:
    case MAD_HIGH: {
        const uint64_t sum = wide + ((uint64_t)a[3] << 32 | a[2]);
        d[0] = (uint32_t)(step->what == MAD_HIGH ? sum >> 32 : sum);
        d[1] = (uint32_t)(sum >> 32);
        return;
    }
    case SHIFT:
        d[0] = (uint32_t)shifted(step->mode, (uint64_t)a[2] << 32 | a[0], a[1]);
        return;
    case LOGIC:
        d[step->mode] = table_of(step->shift, a[0], a[1], a[2]);
        if (step->mode)
            d[0] = d[1] != 0;
        return;
    case LEA:
        d[0] = (a[0] << step->shift) + a[1];
        return;
    case LEA_HIGH: {
        const uint32_t upper = !step->mode ? a[2] : (int32_t)a[0] < 0 ? UINT32_MAX : 0;
        d[0] = (uint32_t)(((uint64_t)upper << 32 | a[0]) << step->shift >> 32) + a[1];
        return;
    }
    case COMPARE:
        d[0] = compares(step, a, false);
        d[1] = compares(step, a, true);
        return;
    case SELECT:
        d[0] = a[2] ? a[0] : a[1];
        return;
    case MINMAX:
        d[0] = extreme(step, a[0], a[1], a[2] != 0);
        return;
    case ADD_MINMAX:
        d[0] = extreme(step, a[0] + a[1], a[2], a[3] != 0);
        return;
    case ABSOLUTE:
        d[0] = (int32_t)a[0] < 0 ? 0u - a[0] : a[0];
        return;
    case BITS:
        d[0] = (uint32_t)__builtin_popcount(a[0]);
        return;
    case GATHER_PREDICATES:
        d[0] = a[0] & ~(uint32_t)step->mode;
        for (unsigned p = 0, i = 1; p < 7; p++)
            if (step->mode >> p & 1u)
                d[0] |= (uint32_t)(a[i++] != 0) << p;
        return;
    default:
        d[0] = table_of(step->shift, a[0], a[1], a[2]) & 1u;
        d[1] = table_of(step->mode, a[0], a[1], a[2]) & 1u;
    }
}

bool path_step_compute(const path_step *step, const uint32_t *source, uint32_t *target)
{
    if (step->what == SPECIAL)
        target[0] = target[1] = 0;
    else
        make(step, source, target);
    return step->what != SPECIAL || step->mode == SASS_SRZ;
}

/* Carries stay unknown: the second target of an add, and the third. */
unsigned path_step_made(const path_step *step)
{
    const bool carries = step->what == ADD || step->what == LEA || step->what == LEA_HIGH;
    return carries ? 1u : step->targets;
}

void path_step_run(const path_step *step, const gmtrace_launch *launch, path_lanes *lanes,
                   uint32_t mask)
{
    const unsigned made = path_step_made(step);
    uint32_t known = UINT32_MAX, done = mask;
    const uint32_t guard = known_of(&step->guard, lanes);
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++)
        if (guard >> lane & 1u && !value_of(&step->guard, lanes, lane))
            done &= ~(1u << lane);
    for (unsigned i = 0; i < step->sources; i++)
        known &= known_of(&step->source[i], lanes);
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++) {
        if (!(done >> lane & 1u))
            continue;
        const bool is_known = known & guard & 1u << lane;
        uint32_t a[PATH_SOURCES] = {0}, d[PATH_TARGETS] = {0};
        if (is_known && step->what == SPECIAL) {
            d[0] = d[1] = special(launch, lanes, step->mode, lane);
        } else if (is_known) {
            for (unsigned i = 0; i < step->sources; i++)
                a[i] = value_of(&step->source[i], lanes, lane);
            make(step, a, d);
        }
        for (unsigned i = 0; i < step->targets; i++) {
            const uint8_t place = step->target[i].place;
            if (place == PATH_NO_PLACE)
                continue;
            lanes->value[place][lane] = d[i];
            lanes->known[place] &= ~(1u << lane);
            if (is_known && i < made)
                lanes->known[place] |= 1u << lane;
        }
    }
}
