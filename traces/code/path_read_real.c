/* SPDX-License-Identifier: MIT
 *
 * path_read_real.c - which instructions of floats and doubles are understood: arithmetic,
 * comparisons, special functions and conversions. Left out: halves.
 */
#include "traces/code/path_step.h"

static bool take(path_reading *r, sass_word word)
{
    return path_read_takes(r, word);
}

/* Makes the last source one with the sign of a float. */
static void with_sign(path_reading *r, const sass_operand *o)
{
    path_source *s = &r->step->source[r->step->sources - 1u];
    s->real = true;
    s->negated = o->negated;
    s->absolute = o->absolute;
}

static void read_float(path_reading *r)
{
    sass_operand *o = &r->op.operand[r->next];
    const sass_operand with = *o;
    o->negated = o->absolute = false;
    path_read_source(r);
    if (r->good)
        with_sign(r, &with);
}

/* Of an immediate, or half of a constant, the upper half is what counts. */
static void read_double(path_reading *r)
{
    sass_operand *o = &r->op.operand[r->next];
    const sass_operand with = *o;
    o->negated = o->absolute = false;
    if (o->kind == SASS_IMM && r->step->sources + 2u <= PATH_SOURCES) {
        r->step->source[r->step->sources++] = (path_source){.place = PATH_NO_PLACE};
        path_read_source(r);
    } else {
        path_read_source_pair(r);
    }
    if (r->good)
        with_sign(r, &with);
}

static void read_values(path_reading *r, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (r->step->mode & REAL_DOUBLE)
            read_double(r);
        else
            read_float(r);
    }
}

static void take_rounding(path_reading *r)
{
    const bool up = take(r, SASS_WORD_RP) || take(r, SASS_WORD_CEIL);
    const bool down = take(r, SASS_WORD_RM) || take(r, SASS_WORD_FLOOR);
    const bool cut = take(r, SASS_WORD_RZ) || take(r, SASS_WORD_TRUNC);
    r->step->mode |= cut || up ? REAL_CUTS : 0;
    r->step->mode |= down || up ? REAL_FLOORS : 0;
    take(r, SASS_WORD_RN);
}

static void take_modes(path_reading *r)
{
    r->step->mode |= take(r, SASS_WORD_FTZ) ? REAL_FLUSHES : 0;
    r->step->mode |= take(r, SASS_WORD_SAT) ? REAL_SATURATES : 0;
    take_rounding(r);
}

static void read_result(path_reading *r)
{
    if (r->step->mode & REAL_DOUBLE)
        path_read_target_pair(r);
    else
        path_read_target(r);
}

/* FMUL.D2 divides by two, FMUL.M2 multiplies by it. */
static void take_scale(path_reading *r)
{
    static const struct {
        uint8_t word;
        int8_t power;
    } known[] = {{SASS_WORD_D2, -1}, {SASS_WORD_D4, -2}, {SASS_WORD_D8, -3},
                 {SASS_WORD_M2, 1},  {SASS_WORD_M4, 2},  {SASS_WORD_M8, 3}};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (take(r, (sass_word)known[i].word))
            r->step->shift = (uint8_t)(SCALE_ONE + known[i].power);
}

static void read_arithmetic(path_reading *r, uint8_t what, bool is_double, unsigned count)
{
    r->step->what = what;
    r->step->mode = is_double ? REAL_DOUBLE : 0;
    if (what == STEP_REAL_MUL && !is_double)
        take_scale(r);
    take_modes(r);
    read_result(r);
    read_values(r, count);
}

/* shift: the modes; mode: the comparison. */
static void read_compare(path_reading *r, bool is_double)
{
    r->step->what = STEP_REAL_COMPARE;
    take_modes(r);
    const uint8_t modes = (uint8_t)(r->step->mode | (is_double ? REAL_DOUBLE : 0));
    path_read_comparison(r, true);
    const uint8_t compares = r->step->mode;
    r->step->mode = modes;
    read_values(r, 2);
    path_read_source(r);
    r->step->mode = compares;
    r->step->shift = modes;
}

static void read_select(path_reading *r)
{
    r->step->what = STEP_SELECT;
    take(r, SASS_WORD_FTZ);
    path_read_target(r);
    read_values(r, 2);
    path_read_source(r);
}

static void read_minmax(path_reading *r)
{
    r->step->what = STEP_REAL_MINMAX;
    take_modes(r);
    r->step->mode |= take(r, SASS_WORD_NAN) ? REAL_NAN : 0;
    path_read_target(r);
    read_values(r, 2);
    path_read_source(r);
}

static void read_check(path_reading *r)
{
    r->step->what = STEP_REAL_CHECK;
    path_read_target(r);
    read_values(r, 2);
}

/* shift: the function. */
static void read_special(path_reading *r)
{
    static const uint8_t words[] = {
        SASS_WORD_RCP, SASS_WORD_RSQ, SASS_WORD_SQRT, SASS_WORD_EX2,    SASS_WORD_LG2,
        SASS_WORD_SIN, SASS_WORD_COS, SASS_WORD_TANH, SASS_WORD_RCP64H, SASS_WORD_RSQ64H};
    r->step->what = STEP_REAL_SPECIAL;
    for (unsigned i = 0; i < sizeof words; i++)
        if (take(r, (sass_word)words[i]))
            r->step->shift = words[i];
    r->good &= r->step->shift != 0;
    take_modes(r);
    path_read_target(r);
    read_values(r, 1);
}

/* Words of integers: 64 bits, and whether they have a sign. How many bits shorter ones have. */
static uint8_t take_integer(path_reading *r)
{
    const bool u8 = take(r, SASS_WORD_U8), s8 = take(r, SASS_WORD_S8);
    const bool u16 = take(r, SASS_WORD_U16), s16 = take(r, SASS_WORD_S16);
    const bool u32 = take(r, SASS_WORD_U32), u64 = take(r, SASS_WORD_U64);
    const bool s64 = take(r, SASS_WORD_S64);
    take(r, SASS_WORD_S32);
    r->step->mode |= u64 || s64 ? REAL_BITS_64 : 0;
    r->step->mode |= u32 || u64 || u8 || u16 ? 0 : REAL_SIGNED;
    return u8 || s8 ? 8 : u16 || s16 ? 16 : 0;
}

/* Of a short integer shift says where in the register it begins, and 64 times 1 or 2 its size. */
static void read_short(path_reading *r, uint8_t bits)
{
    sass_operand *o = &r->op.operand[r->next];
    const unsigned first = o->byte ? 8u * (o->byte - 1u) : o->part == SASS_HIGH ? 16u : 0u;
    r->good &= first + bits <= 32;
    o->byte = 0;
    o->part = SASS_WHOLE;
    r->step->shift = (uint8_t)(first | (unsigned)bits / 8u << 6);
    path_read_source(r);
}

static void read_to_real(path_reading *r)
{
    r->step->what = STEP_TO_REAL;
    r->step->mode = take(r, SASS_WORD_F64) ? REAL_DOUBLE : 0;
    take(r, SASS_WORD_F32);
    take_rounding(r);
    const uint8_t bits = take_integer(r);
    read_result(r);
    if (bits)
        read_short(r, bits);
    else if (r->step->mode & REAL_BITS_64)
        path_read_source_pair(r);
    else
        path_read_source(r);
}

/* shift: NaN becomes 0. */
static void read_to_integer(path_reading *r)
{
    r->step->what = STEP_TO_INTEGER;
    r->step->mode = take(r, SASS_WORD_F64) ? REAL_DOUBLE : 0;
    r->step->shift = take(r, SASS_WORD_NTZ);
    take(r, SASS_WORD_F32);
    take(r, SASS_WORD_FTZ);
    take_rounding(r);
    r->good &= !take_integer(r);
    if (r->step->mode & REAL_BITS_64)
        path_read_target_pair(r);
    else
        path_read_target(r);
    read_values(r, 1);
}

static void read_round(path_reading *r)
{
    r->step->what = STEP_ROUND;
    r->step->mode = take(r, SASS_WORD_F64) ? REAL_DOUBLE : 0;
    take(r, SASS_WORD_FTZ);
    take_rounding(r);
    read_result(r);
    read_values(r, 1);
}

/* F2F.F64.F32 and F2F.F32.F64: the first word is what is written. */
static void read_resize(path_reading *r)
{
    const bool widens = r->op.lead == SASS_WORD_F64;
    r->good &= take(r, SASS_WORD_F32) && take(r, SASS_WORD_F64);
    take(r, SASS_WORD_FTZ);
    r->step->what = widens ? STEP_WIDEN : STEP_NARROW;
    r->step->mode = widens ? REAL_DOUBLE : 0;
    read_result(r);
    r->step->mode = widens ? 0 : REAL_DOUBLE;
    read_values(r, 1);
    take_rounding(r);
}

bool path_read_real(path_reading *r)
{
    switch (r->op.name) {
    case SASS_FADD:
    case SASS_DADD:
        read_arithmetic(r, STEP_REAL_ADD, r->op.name == SASS_DADD, 2);
        return r->good;
    case SASS_FMUL:
    case SASS_DMUL:
        read_arithmetic(r, STEP_REAL_MUL, r->op.name == SASS_DMUL, 2);
        return r->good;
    case SASS_FFMA:
    case SASS_DFMA:
        read_arithmetic(r, STEP_REAL_FMA, r->op.name == SASS_DFMA, 3);
        return r->good;
    case SASS_FSETP:
    case SASS_DSETP:
        read_compare(r, r->op.name == SASS_DSETP);
        return r->good;
    case SASS_FSEL:
        read_select(r);
        return r->good;
    case SASS_FMNMX:
        read_minmax(r);
        return r->good;
    case SASS_FCHK:
        read_check(r);
        return r->good;
    case SASS_MUFU:
        read_special(r);
        return r->good;
    case SASS_I2F:
    case SASS_I2FP:
        read_to_real(r);
        return r->good;
    case SASS_F2I:
        read_to_integer(r);
        return r->good;
    case SASS_FRND:
        read_round(r);
        return r->good;
    case SASS_F2F:
        read_resize(r);
        return r->good;
    default:
        return false;
    }
}
