/* SPDX-License-Identifier: MIT
 *
 * varying.c - whether the lanes of a warp have different values in a register. No capture records
 * loads from constant memory, whose cost depends on how many addresses a warp asks for; the code
 * tells where an index comes from. A register varies if its value is made of the thread's number in
 * x, of the lane's, or of something that was loaded or shuffled; not if of constants, of CTA
 * numbers, or of a thread number shifted right by five or more.
 * How many addresses a warp asks for is counted: the integer code that makes the index is run for
 * each lane (path_const.h), with nought for what is the same for all lanes and not in the code:
 * parameters, CTA numbers, loop counters. What was loaded or shuffled differs, but for constants:
 * lanes that read the same have the same.
 *
 * Left out: all ways to an instruction but one (that from above, or else the nearest branch's),
 * values that vary but agree here, thread numbers in y and z where a row of threads is no whole
 * number of warps.
 */
#include "traces/code/decoded_private.h"
#include "traces/code/graph.h"
#include "traces/code/path_memory.h"

#include <stdlib.h>
#include <string.h>

#define ANY_FACTOR 0x9e3779b1u /* spreads what differs by lane, nobody knows how */

/* The nearest branch further up that leads to `at`; `at` itself if there is none. */
static uint32_t branch_to(const gmtrace_kernel *kernel, uint32_t at)
{
    for (uint32_t n = at; n-- > 0;)
        if (kernel->instr[n].target == at)
            return n;
    return at;
}

/* The nearest instruction before `at` that writes the register; `at` itself if there is none. What
 * stands above an instruction comes before it, unless it never goes on there: then a branch does.
 * Where none is found the code's order counts from there on, so that this takes linear time. */
static uint32_t writer_of(const gmtrace_kernel *kernel, uint32_t at, uint32_t reg)
{
    bool follows = true;
    for (uint32_t n = at; n > 0;) {
        uint32_t from = n - 1u;
        if (follows && !gmt_may_fall(&kernel->instr[from])) {
            const uint32_t branch = branch_to(kernel, n);
            follows = branch != n;
            from = follows ? branch : from;
        }
        n = from;
        for (uint32_t k = 0; k < kernel->instr[n].operand_count; k++)
            if (gmt_names(&kernel->instr[n].operand[k], true, GMTRACE_REG_GENERAL, reg))
                return n;
    }
    return at;
}

/* The instructions that make what `at` reads, the nearest first; `*differ` where one of them gives
 * lanes values of their own, `*number` (may be NULL) where one gives them their number. */
static uint32_t made_of(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint32_t at,
                        uint32_t instr[GMT_MADE_OF], bool *differ, bool *number)
{
    uint32_t count = 0, next = 0;
    bool shifted[GMT_MADE_OF], below = false; /* of the warp number, in which lanes agree */
    *differ = false;
    bool numbers = false;
    for (uint32_t from = at;; below = shifted[next], from = instr[next++]) {
        const gmtrace_instr *self = &kernel->instr[from];
        const gmtrace_lanes lanes = from == at ? GMTRACE_LANES_AS_GIVEN : decoded[from].lanes;
        *differ |=
            lanes == GMTRACE_LANES_DIFFER && !(below && decoded[from].unit == GMTRACE_UNIT_S2R);
        numbers |=
            lanes == GMTRACE_LANES_DIFFER && !below && decoded[from].unit == GMTRACE_UNIT_S2R;
        for (uint32_t k = 0; lanes != GMTRACE_LANES_DIFFER && k < self->operand_count; k++) {
            const gmtrace_operand *operand = &self->operand[k];
            for (uint32_t reg = operand->first;
                 reg < (uint32_t)operand->first + operand->count && count < GMT_MADE_OF; reg++) {
                if (!gmt_names(operand, false, GMTRACE_REG_GENERAL, reg))
                    break;
                uint32_t writer = writer_of(kernel, from, reg), seen = 0;
                while (seen < count && instr[seen] != writer)
                    seen++;
                if (writer == from)
                    continue;
                const bool agrees = below || lanes == GMTRACE_LANES_AGREE;
                if (seen < count) { /* perhaps by both ways */
                    *differ |= !agrees && decoded[writer].lanes == GMTRACE_LANES_DIFFER;
                    shifted[seen] &= agrees;
                    continue;
                }
                shifted[count] = agrees;
                instr[count++] = writer;
            }
        }
        if (next == count) {
            if (number)
                *number = numbers;
            return count;
        }
    }
}

bool gmt_varies(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint32_t at)
{
    uint32_t instr[GMT_MADE_OF];
    bool differ;
    made_of(kernel, decoded, at, instr, &differ, NULL);
    return differ;
}

bool gmt_varies_by_loads(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint32_t at)
{
    uint32_t instr[GMT_MADE_OF];
    bool differ, number, loaded = false;
    const uint32_t count = made_of(kernel, decoded, at, instr, &differ, &number);
    for (uint32_t i = 0; i < count && differ; i++) {
        const gmtrace_instr *load = &kernel->instr[instr[i]];
        if (load->op_class != GMTRACE_CLASS_LOAD || decoded[instr[i]].lanes != GMTRACE_LANES_DIFFER)
            continue;
        if (gmt_varies(kernel, decoded, instr[i]))
            return true;
        loaded |= load->space != GMTRACE_SPACE_CONSTANT;
    }
    const char *opcode = kernel->instr[at].opcode;
    return loaded && number && (gmt_has_prefix(opcode, "FSETP") || gmt_has_prefix(opcode, "DSETP"));
}

uint32_t gmt_anything(uint64_t from)
{
    const uint64_t spread = (from + 1u) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((spread ^ spread >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 56);
}

uint32_t gmt_narrow(const gmtrace_instr *load, uint32_t value)
{
    if (load->width >= 4u || !load->width)
        return value;
    const uint32_t above = 32u - 8u * load->width;
    const bool is_signed =
        gmt_has_modifier(load->opcode, "S8") || gmt_has_modifier(load->opcode, "S16");
    value <<= above;
    return is_signed ? (uint32_t)((int32_t)value >> above) : value >> above;
}

const char *gmt_constant_index(const gmtrace_instr *instr, uint32_t *bank)
{
    const char *at = instr->operands ? strstr(instr->operands, "c[0x") : NULL;
    char *end;
    if (!at)
        return NULL;
    *bank = (uint32_t)strtoul(at + 2, &end, 16);
    return end[0] == ']' && end[1] == '[' ? end + 2 : NULL;
}

uint32_t gmt_constant_offset(const path_const *state, const char *text)
{
    uint32_t sum = 0;
    while (*text && *text != ']') {
        const bool minus = *text == '-';
        text += *text == '-' || *text == '+';
        const bool uniform = *text == 'U';
        char *end = (char *)text;
        uint32_t value = 0;
        if (text[uniform] == 'R' && text[uniform + 1] != 'Z')
            value = state->file[uniform ? GMTRACE_REG_UNIFORM : GMTRACE_REG_GENERAL]
                        .value[strtoul(text + uniform + 1, &end, 10) % PATH_REGISTERS];
        else
            value = (uint32_t)strtoul(text, &end, 16);
        sum += minus ? 0u - value : value;
        text = end + strcspn(end, "+-]");
    }
    return sum;
}

/* What a load of constants finds, where the launch knows that. */
static bool look_up(const path_const *state, const gmtrace_instr *instr, uint64_t *value)
{
    const uint32_t width = instr->width ? instr->width : 4u;
    uint32_t bank;
    const char *index = state->launch && width <= 8u ? gmt_constant_index(instr, &bank) : NULL;
    return index && bank == 3u &&
           path_memory_constant(state->launch->known, gmt_constant_offset(state, index), width,
                                value);
}

void gmt_set_words(path_const *state, const gmtrace_instr *load, const uint32_t word[GMT_WORDS])
{
    for (uint32_t k = 0; k < load->operand_count; k++)
        for (uint32_t i = 0; load->operand[k].write && i < load->operand[k].count; i++) {
            gmtrace_operand one = load->operand[k];
            one.first = (uint8_t)(one.first + i);
            one.count = 1;
            path_const_set(state, &one, word[i % GMT_WORDS]);
        }
}

void gmt_run_lane(path_const *state, const gmtrace_instr *instr, const gmtrace_decoded *decoded,
                  bool varies, uint32_t lane)
{
    const bool looks_up = decoded->unit == GMTRACE_UNIT_LDC && varies;
    uint32_t otherwise = varies ? lane * ANY_FACTOR : 0;
    uint64_t found;
    if (looks_up && look_up(state, instr, &found)) {
        const uint32_t word[GMT_WORDS] = {gmt_narrow(instr, (uint32_t)found),
                                          (uint32_t)(found >> 32)};
        gmt_set_words(state, instr, word);
        return;
    }
    if (looks_up) /* what is there is not known */
        otherwise = gmt_narrow(instr, gmt_anything(gmt_index(state, instr)));
    if (decoded->unit == GMTRACE_UNIT_S2R)
        otherwise = decoded->lanes == GMTRACE_LANES_DIFFER ? lane : 0;
    if (decoded->lanes != GMTRACE_LANES_DIFFER && !looks_up)
        path_const_run(state, NULL, instr);
    else
        path_const_forget(state, instr);
    for (uint32_t k = 0; k < instr->operand_count; k++)
        if (instr->operand[k].write &&
            !state->file[instr->operand[k].file & 3u].known[instr->operand[k].first])
            path_const_set(state, &instr->operand[k], otherwise);
}

void gmt_run_made(path_const *state, const gmtrace_kernel *kernel, const gmtrace_decoded *decoded,
                  uint32_t n, uint32_t lane)
{
    gmtrace_instr self = kernel->instr[n];
    const bool varies = decoded[n].lanes == GMTRACE_LANES_DIFFER || gmt_varies(kernel, decoded, n);
    self.predicate = GMTRACE_NO_REGISTER;
    gmt_run_lane(state, &self, &decoded[n], varies, lane);
}

static int by_number(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one < other ? -1 : one > other;
}

uint32_t gmt_makes_index(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint32_t at,
                         uint32_t instr[GMT_MADE_OF], bool *differ)
{
    const uint32_t count = made_of(kernel, decoded, at, instr, differ, NULL);
    qsort(instr, count, sizeof *instr, by_number);
    return count;
}

uint32_t gmt_index(const path_const *state, const gmtrace_instr *instr)
{
    uint32_t index = 0;
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const gmtrace_operand *operand = &instr->operand[k];
        if (!operand->write && operand->file == GMTRACE_REG_GENERAL)
            index = state->file[GMTRACE_REG_GENERAL].value[operand->first];
    }
    return index;
}

uint32_t gmt_addresses(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint32_t at,
                       uint32_t lanes, const gmtrace_launch *launch)
{
    uint32_t instr[GMT_MADE_OF], address[GMTRACE_WARP_LANES], found = 0;
    bool differ;
    const uint32_t count = gmt_makes_index(kernel, decoded, at, instr, &differ);
    path_const *state = differ ? malloc(sizeof *state) : NULL;
    if (!state)
        return 1;
    for (; lanes; lanes &= lanes - 1u) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        path_const_begin(state);
        state->launch = launch;
        for (uint32_t i = 0; i < count; i++)
            gmt_run_made(state, kernel, decoded, instr[i], lane);
        const uint32_t own = gmt_index(state, &kernel->instr[at]);
        uint32_t same = 0;
        while (same < found && address[same] != own)
            same++;
        address[same] = own;
        found += same == found;
    }
    free(state);
    return found;
}
