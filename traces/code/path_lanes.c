/* SPDX-License-Identifier: MIT
 *
 * path_lanes.c - runs steps lane by lane: those of integers and predicates here, floats in
 * path_real.c. What a lane does not know makes what it writes unknown.
 */
#include "traces/code/path_step.h"
#include "traces/format/wide.h"

#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* lanes side by side */
#endif

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
    if (s->real)
        return (s->absolute ? value & 0x7fffffffu : value) ^ (s->negated ? 0x80000000u : 0);
    value = s->inverted ? ~value : value;
    return s->negated ? 0u - value : value;
}

static uint32_t known_of(const path_source *s, const path_lanes *lanes)
{
    if (!s->is_register)
        return UINT32_MAX;
    return s->place == PATH_NO_PLACE ? 0 : lanes->known[s->place];
}

uint32_t path_step_known(const path_source *s, const path_lanes *lanes)
{
    return known_of(s, lanes);
}

uint32_t path_step_value(const path_source *s, const path_lanes *lanes, uint32_t lane)
{
    const bool held = s->is_register && s->place != PATH_NO_PLACE;
    return path_source_value(s, held ? lanes->value[s->place][lane] : 0);
}

#define INLINED static inline __attribute__((always_inline))

/* All bits, or none. */
INLINED uint32_t all_if(bool set)
{
    return 0u - (uint32_t)set;
}

/* x where the bit of `by` is set, else y. */
INLINED uint32_t either(uint32_t by, uint32_t x, uint32_t y)
{
    return y ^ (by & (x ^ y));
}

/* Bit 4a + 2b + c of the table, of each bit. */
INLINED uint32_t table_of(uint8_t table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t all[8];
    for (unsigned i = 0; i < 8; i++)
        all[i] = all_if(table >> i & 1);
    const uint32_t low = either(a, either(b, all[6], all[4]), either(b, all[2], all[0]));
    const uint32_t high = either(a, either(b, all[7], all[5]), either(b, all[3], all[1]));
    return either(c, high, low);
}

static inline uint32_t shifted(uint8_t mode, uint64_t x, uint32_t by)
{
    const uint32_t bits = mode & SHIFT_64 ? 64 : 32;
    const uint32_t s = mode & SHIFT_WRAPS ? by & (bits - 1u) : by < bits ? by : bits;
    const bool all = s > 63;
    const uint64_t y = !(mode & SHIFT_RIGHT) ? (all ? 0 : x << s)
                       : mode & SHIFT_SIGNED ? (uint64_t)((int64_t)x >> (all ? 63 : s))
                                             : (all ? 0 : x >> s);
    return (uint32_t)(mode & SHIFT_HIGH ? y >> 32 : y);
}

static uint32_t extreme(const path_step *step, uint32_t a, uint32_t b, bool least)
{
    const bool less = step->mode & STEP_SIGNED ? (int32_t)a < (int32_t)b : a < b;
    const uint32_t one = less == least ? a : b;
    return step->shift && (int32_t)one < 0 ? 0 : one;
}

static uint32_t permuted(uint32_t a, uint32_t selector, uint32_t b)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t which = selector >> 4 * i & 15u;
        uint32_t byte = (uint32_t)(bytes >> 8 * (which & 7u)) & 255u;
        if (which & 8u) /* its sign, eight times */
            byte = byte & 128u ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}

static uint32_t extended(const path_step *step, uint32_t x, uint32_t bits)
{
    bits = step->shift ? bits & 31u : bits < 32 ? bits : 32;
    if (!bits || bits == 32)
        return bits ? x : 0;
    const uint32_t top = x << (32u - bits);
    return step->mode & STEP_SIGNED ? (uint32_t)((int32_t)top >> (32u - bits))
                                    : top >> (32u - bits);
}

static uint32_t bit_mask(const path_step *step, uint32_t from, uint32_t count)
{
    const uint32_t first = step->shift ? from & 31u : from,
                   bits = step->shift ? count & 31u : count;
    const uint64_t ones = bits > 31 ? UINT32_MAX : (UINT64_C(1) << bits) - 1u;
    return first > 31 ? 0 : (uint32_t)(ones << first);
}

static uint32_t reversed(uint32_t x)
{
    uint32_t y = 0;
    for (unsigned i = 0; i < 32; i++)
        y |= (x >> i & 1u) << (31u - i);
    return y;
}

/* The highest bit that is not the sign, or how far it is from the top. */
static uint32_t leading(const path_step *step, uint32_t x)
{
    if (step->mode & STEP_SIGNED && (int32_t)x < 0)
        x = ~x;
    if (!x)
        return UINT32_MAX;
    const uint32_t above = (uint32_t)__builtin_clz(x);
    return step->shift ? above : 31u - above;
}

/* What is added of a source: the two's complement of 0 is carried. */
static inline uint64_t addend(const path_step *step, path_sources a, unsigned n, unsigned lane)
{
    const bool borrows = step->source[n].negated && !step->source[n].real && !a[n][lane];
    return a[n][lane] + ((uint64_t)borrows << 32);
}

#define EACH_LANE for (unsigned i = 0; i < lanes; i++)

/* Does anybody ask for that target? */
INLINED bool is_asked(const path_step *step, unsigned target)
{
    return target < step->targets && step->target[target].is_register;
}

INLINED void add(const path_step *step, path_sources a, unsigned lanes, path_made d)
{
    if (!is_asked(step, 1) && !is_asked(step, 2)) { /* no carry */
        uint32_t *restrict sum = d[0];
        EACH_LANE sum[i] = 0;
        for (unsigned n = 0; n < step->shift; n++)
            EACH_LANE sum[i] += a[n][i];
        for (unsigned n = step->shift; n < step->sources; n++)
            EACH_LANE sum[i] += a[n][i] != 0;
        return;
    }
    EACH_LANE
    {
        uint64_t sum = 0;
        for (unsigned n = 0; n < step->shift; n++)
            sum += addend(step, a, n, i);
        for (unsigned n = step->shift; n < step->sources; n++)
            sum += a[n][i] != 0;
        d[0][i] = (uint32_t)sum;
        d[1][i] = sum >> 32 > 0;
        d[2][i] = sum >> 32 > 1;
    }
}

INLINED void multiply_wide(const path_step *step, path_sources a, unsigned lanes, path_made d)
{
    EACH_LANE
    {
        const uint64_t product = step->mode & STEP_SIGNED
                                     ? (uint64_t)((int64_t)(int32_t)a[0][i] * (int32_t)a[1][i])
                                     : (uint64_t)a[0][i] * a[1][i];
        const uint64_t with = (uint64_t)a[3][i] << 32 | a[2][i];
        const bool carry = step->sources > 4 && a[4][i];
        const uint64_t sum = product + with + carry;
        const bool out = sum < with || (carry && sum == with), high = step->what == STEP_MAD_HIGH;
        d[0][i] = (uint32_t)(high ? sum >> 32 : sum);
        d[1][i] = high ? out : (uint32_t)(sum >> 32);
        d[2][i] = out;
    }
}

/* By as much in all lanes, below 32. */
INLINED void shift_alike(const path_step *step, path_sources a, unsigned lanes, uint32_t by,
                         path_made d)
{
    uint32_t *restrict to = d[0];
    const uint32_t *low = a[0], *high = a[2];
    const bool right = step->mode & SHIFT_RIGHT, upper = step->mode & SHIFT_HIGH;
    if (right && upper && step->mode & SHIFT_SIGNED)
        EACH_LANE to[i] = (uint32_t)((int32_t)high[i] >> by);
    else if (right && upper)
        EACH_LANE to[i] = high[i] >> by;
    else if (right)
        EACH_LANE to[i] = low[i] >> by | (uint32_t)((uint64_t)high[i] << 32 >> by);
    else if (upper)
        EACH_LANE to[i] = high[i] << by | (uint32_t)((uint64_t)low[i] << by >> 32);
    else
        EACH_LANE to[i] = low[i] << by;
}

INLINED void shift(const path_step *step, path_sources a, unsigned lanes, path_made d)
{
    const uint32_t by =
        step->mode & SHIFT_WRAPS && !(step->mode & SHIFT_64) ? a[1][0] & 31u : a[1][0];
    if (!step->source[1].is_register && by < 32) {
        shift_alike(step, a, lanes, by, d);
        return;
    }
    EACH_LANE d[0][i] = shifted(step->mode, (uint64_t)a[2][i] << 32 | a[0][i], a[1][i]);
}

INLINED void lea(const path_step *step, path_sources a, unsigned lanes, path_made d)
{
    const bool high = step->what == STEP_LEA_HIGH;
    const unsigned carry = high ? 3 : 2;
    if (!high && !is_asked(step, 1)) {
        uint32_t *restrict sum = d[0];
        EACH_LANE sum[i] = (a[0][i] << step->shift) + a[1][i];
        if (step->sources > carry)
            EACH_LANE sum[i] += a[carry][i] != 0;
        return;
    }
    EACH_LANE
    {
        const uint32_t upper = !high                  ? 0
                               : !step->mode          ? a[2][i]
                               : (int32_t)a[0][i] < 0 ? UINT32_MAX
                                                      : 0;
        const uint64_t x = ((uint64_t)upper << 32 | a[0][i]) << step->shift;
        const uint64_t sum = (uint32_t)(high ? x >> 32 : x) + addend(step, a, 1, i) +
                             (step->sources > carry && a[carry][i]);
        d[0][i] = (uint32_t)sum;
        d[1][i] = sum >> 32 > 0;
    }
}

INLINED void compare(const path_step *step, path_sources a, unsigned lanes, path_made d)
{
    uint32_t found[GMTRACE_WARP_LANES];
    const uint32_t less = all_if(step->mode & 1), equal = all_if(step->mode & 2);
    const uint32_t more = all_if(step->mode & 4), flipped = step->shift ? 0 : 0x80000000u;
    const bool lower = step->mode & WITH_LOWER; /* where equal what the lower halves gave counts */
    const uint32_t *below = lower ? a[3] : a[0];
    EACH_LANE
    {
        const uint32_t is_less =
            all_if((int32_t)(a[0][i] ^ flipped) < (int32_t)(a[1][i] ^ flipped));
        const uint32_t is_equal = all_if(a[0][i] == a[1][i]);
        const uint32_t then = lower ? all_if(below[i] != 0) : equal;
        found[i] = either(is_equal, then, either(is_less, less, more)) & 1u;
    }
    const uint8_t mode = step->mode;
    EACH_LANE d[0][i] = path_step_join(mode, found[i], a[2][i]);
    if (is_asked(step, 1))
        EACH_LANE d[1][i] = path_step_join(mode, !found[i], a[2][i]);
}

INLINED void gather(const path_step *step, path_sources a, unsigned lanes, path_made d)
{
    EACH_LANE
    {
        d[0][i] = a[0][i] & ~(uint32_t)step->mode;
        for (unsigned p = 0, n = 1; p < 7; p++)
            if (step->mode >> p & 1)
                d[0][i] |= (uint32_t)(a[n++][i] != 0) << p;
    }
}

INLINED void logic_of_predicates(const path_step *step, path_sources a, unsigned lanes, path_made d)
{
    EACH_LANE
    {
        d[0][i] = table_of(step->shift, a[0][i], a[1][i], a[2][i]) & 1u;
        d[1][i] = table_of(step->mode, a[0][i], a[1][i], a[2][i]) & 1u;
    }
}

/* What the first `lanes` lanes write into the targets. */
INLINED void make(const path_step *step, path_sources a, unsigned lanes, path_made d)
{
    switch (step->what) {
    case STEP_COPY:
        for (unsigned n = 0; n < step->targets; n++)
            EACH_LANE d[n][i] = a[n][i];
        return;
    case STEP_ADD:
        add(step, a, lanes, d);
        return;
    case STEP_MAD:
        EACH_LANE d[0][i] = a[0][i] * a[1][i] + a[2][i];
        if (step->sources > 3)
            EACH_LANE d[0][i] += a[3][i] != 0;
        return;
    case STEP_MAD_WIDE:
    case STEP_MAD_HIGH:
        multiply_wide(step, a, lanes, d);
        return;
    case STEP_SHIFT:
        shift(step, a, lanes, d);
        return;
    case STEP_LOGIC: /* the predicate comes first */
        EACH_LANE d[step->mode][i] = table_of(step->shift, a[0][i], a[1][i], a[2][i]);
        if (step->mode)
            EACH_LANE d[0][i] = d[1][i] != 0;
        return;
    case STEP_LEA:
    case STEP_LEA_HIGH:
        lea(step, a, lanes, d);
        return;
    case STEP_COMPARE:
        compare(step, a, lanes, d);
        return;
    case STEP_SELECT:
        EACH_LANE d[0][i] = a[2][i] ? a[0][i] : a[1][i];
        return;
    case STEP_MINMAX:
        EACH_LANE d[0][i] = extreme(step, a[0][i], a[1][i], a[2][i] != 0);
        return;
    case STEP_ADD_MINMAX:
        EACH_LANE d[0][i] = extreme(step, a[0][i] + a[1][i], a[2][i], a[3][i] != 0);
        return;
    case STEP_MINMAX_3:
        EACH_LANE d[0][i] =
            extreme(step, extreme(step, a[0][i], a[1][i], a[3][i] != 0), a[2][i], a[3][i] != 0);
        return;
    case STEP_ABSOLUTE:
        EACH_LANE d[0][i] = (int32_t)a[0][i] < 0 ? 0u - a[0][i] : a[0][i];
        return;
    case STEP_BITS:
        EACH_LANE d[0][i] = (uint32_t)__builtin_popcount(a[0][i]);
        return;
    case STEP_REVERSE:
        EACH_LANE d[0][i] = reversed(a[0][i]);
        return;
    case STEP_LEADING:
        EACH_LANE d[0][i] = leading(step, a[0][i]);
        return;
    case STEP_PERMUTE:
        EACH_LANE d[0][i] = permuted(a[0][i], a[1][i], a[2][i]);
        return;
    case STEP_EXTEND:
        EACH_LANE d[0][i] = extended(step, a[0][i], a[1][i]);
        return;
    case STEP_BIT_MASK:
        EACH_LANE d[0][i] = bit_mask(step, a[0][i], a[1][i]);
        return;
    case STEP_GATHER_PREDICATES:
        gather(step, a, lanes, d);
        return;
    case STEP_LOGIC_OF_PREDICATES:
        logic_of_predicates(step, a, lanes, d);
        return;
    default:
        path_step_real(step, a, lanes, d);
    }
}

bool path_step_compute(const path_step *step, const uint32_t *source, uint32_t *target)
{
    const uint32_t *const a[PATH_SOURCES] = {source,     source + 1, source + 2, source + 3,
                                             source + 4, source + 5, source + 6, source + 7};
    path_made made;
    if (step->what == STEP_LOAD || step->what == STEP_VOTE || step->what >= STEP_REAL ||
        (step->what == STEP_SPECIAL && step->mode != SASS_SRZ))
        return false;
    memset(target, 0, PATH_TARGETS * sizeof *target);
    for (unsigned n = 0; n < step->targets; n++)
        made[n][0] = 0;
    if (step->what != STEP_SPECIAL)
        make(step, a, 1, made);
    for (unsigned n = 0; n < step->targets && step->what != STEP_SPECIAL; n++)
        target[n] = made[n][0];
    return true;
}

/* The lanes of a source: in place, or in `room`. */
INLINED const uint32_t *lanes_of(const path_source *s, const path_lanes *lanes, uint32_t *room)
{
    const bool predicate = s->is_register && s->file >= GMTRACE_REG_PREDICATE;
    const uint32_t *held = lanes->value[s->is_register ? s->place : 0];
    if (s->is_register && !s->negated && !s->inverted && !s->absolute)
        return held;
    if (!s->is_register) {
        const uint32_t value = path_source_value(s, 0);
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            room[i] = value;
        return room;
    }
    /* path_source_value() in one form for all. */
    const uint32_t kept = s->absolute ? 0x7fffffffu : UINT32_MAX;
    const uint32_t flipped = predicate || s->real ? 0 : UINT32_MAX;
    const uint32_t sign = !s->negated ? 0 : predicate ? 1 : s->real ? 0x80000000u : 0;
    const uint32_t plus = s->negated && flipped;
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
        room[i] = ((held[i] & kept) ^ (flipped | sign)) + plus;
    return room;
}

/* Those of `mask` in which the guard holds, or may. */
INLINED uint32_t done_by(const path_step *step, const path_lanes *lanes, uint32_t mask)
{
    const path_source *guard = &step->guard;
    if (!guard->is_register)
        return guard->value ? mask : 0;
    const uint32_t known = known_of(guard, lanes);
    if (!known)
        return mask;
    uint32_t set = 0;
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++)
        set |= (uint32_t)(lanes->value[guard->place][lane] != 0) << lane;
    return mask & (~known | (guard->negated ? ~set : set));
}

/* Those of `done` write that, or zeros. */
INLINED void write_lanes(path_lanes *lanes, const path_source *target, const uint32_t *made,
                         uint32_t done, uint32_t known)
{
    if (!target->is_register || target->place == PATH_NO_PLACE)
        return;
    uint32_t *value = lanes->value[target->place];
    if (done == UINT32_MAX && made)
        memcpy(value, made, sizeof lanes->value[0]);
    else if (made)
        for (uint32_t i = 0; i < GMTRACE_WARP_LANES; i++)
            value[i] = either(all_if(done >> i & 1u), made[i], value[i]);
    else
        for (uint32_t i = 0; i < GMTRACE_WARP_LANES; i++)
            value[i] &= all_if(!(done >> i & 1u));
    lanes->known[target->place] = (lanes->known[target->place] & ~done) | (done & known);
    lanes->form[target->place].own = 0;
}

/* Of the lanes that execute it together. */
static void vote(const path_step *step, path_lanes *lanes, uint32_t done)
{
    path_made made;
    uint32_t room[GMTRACE_WARP_LANES], ballot = 0;
    const uint32_t known = lanes->unsure ? 0 : known_of(&step->source[0], lanes);
    const uint32_t *a = known & done ? lanes_of(&step->source[0], lanes, room) : NULL;
    for (uint32_t i = 0; i < GMTRACE_WARP_LANES && a; i++)
        ballot |= (uint32_t)(a[i] != 0) << i & done;
    for (uint32_t i = 0; i < GMTRACE_WARP_LANES; i++) {
        made[0][i] = ballot;
        made[step->shift][i] = step->mode ? ballot != 0 : ballot == done;
    }
    for (unsigned i = 0; i < step->targets; i++)
        write_lanes(lanes, &step->target[i], made[i], done, done & ~known ? 0 : UINT32_MAX);
}

WIDE static void run(const path_step *step, const gmtrace_launch *launch, path_lanes *lanes,
                     uint32_t mask)
{
    const uint32_t *a[PATH_SOURCES];
    uint32_t room[PATH_SOURCES][GMTRACE_WARP_LANES];
    path_made made;
    const uint32_t done = done_by(step, lanes, mask);
    uint32_t known = known_of(&step->guard, lanes);
    if (!done || step->what == STEP_STORE)
        return;
    if (step->what == STEP_VOTE) {
        vote(step, lanes, done);
        return;
    }
    for (unsigned i = 0; i < step->sources; i++)
        known &= known_of(&step->source[i], lanes);
    known = step->what == STEP_LOAD || step->what == STEP_LOCAL ? 0 : known;
    if (!(known & done)) {
        for (unsigned i = 0; i < step->targets; i++)
            write_lanes(lanes, &step->target[i], NULL, done, 0);
        return;
    }
    if (step->targets > 1) /* the first is always made */
        memset(made[1], 0, (step->targets - 1u) * sizeof *made);
    if (step->what == STEP_SPECIAL) {
        for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++)
            made[0][lane] = made[1][lane] = special(launch, lanes, step->mode, lane);
    } else {
        for (unsigned i = 0; i < PATH_SOURCES; i++)
            a[i] = i < step->sources ? lanes_of(&step->source[i], lanes, room[i]) : room[0];
        make(step, a, GMTRACE_WARP_LANES, made);
    }
    for (unsigned i = 0; i < step->targets; i++)
        write_lanes(lanes, &step->target[i], made[i], done, known);
}

void path_step_run(const path_step *step, const gmtrace_launch *launch, path_lanes *lanes,
                   uint32_t mask)
{
    run(step, launch, lanes, mask);
}

/* ----------------------------------------------------------------------------------------- loads
 */

/* What the lanes of a mask find, `size` bytes each. In which it is known. */
INLINED uint32_t load(const path_memory *memory, uint32_t mask, const uint64_t *address,
                      uint32_t size, path_made made)
{
    const gmtrace_known_range *r = NULL;
    uint32_t found = 0;
    for (uint32_t left = mask; left; left &= left - 1u) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t word[PATH_TARGETS] = {0};
        const uint8_t *bytes = path_memory_get(memory, address[lane], size, &r);
        if (!bytes)
            continue;
        memcpy(word, bytes, size);
        found |= 1u << lane;
        for (uint32_t n = 0; n < (size + 3u) / 4u; n++)
            made[n][lane] = word[n];
    }
    return found;
}

bool path_step_finds(const path_step *step, const path_memory *memory, uint32_t mask,
                     const uint64_t address[GMTRACE_WARP_LANES])
{
    const gmtrace_known_range *r = NULL;
    for (uint32_t left = mask; left; left &= left - 1u)
        if (path_memory_get(memory, address[__builtin_ctz(left)], step->mode, &r))
            return true;
    return false;
}

void path_step_load(const path_step *step, const path_memory *memory, path_lanes *lanes,
                    uint32_t mask, const uint64_t address[GMTRACE_WARP_LANES])
{
    path_made made;
    uint32_t known;
    memset(made, 0, step->targets * sizeof *made);
    switch (step->mode) { /* each compiled by itself */
    case 1:
        known = load(memory, mask, address, 1, made);
        break;
    case 2:
        known = load(memory, mask, address, 2, made);
        break;
    case 4:
        known = load(memory, mask, address, 4, made);
        break;
    case 8:
        known = load(memory, mask, address, 8, made);
        break;
    default:
        known = load(memory, mask, address, 16, made);
    }
    path_step_take(step, lanes, mask, made, known);
}

void path_step_take(const path_step *step, path_lanes *lanes, uint32_t mask, path_made made,
                    uint32_t known)
{
    /* Of one byte or two: a sign, or what lies behind them. */
    const uint32_t above = step->mode < 4 ? 32u - 8u * step->mode : 0;
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES && above; lane++)
        made[0][lane] = step->shift ? (uint32_t)((int32_t)(made[0][lane] << above) >> above)
                                    : made[0][lane] << above >> above;
    for (unsigned n = 0; n < step->targets; n++)
        write_lanes(lanes, &step->target[n], made[n], mask, known);
}
