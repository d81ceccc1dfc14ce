/* SPDX-License-Identifier: MIT
 *
 * path_const.c - a small interpreter of integer SASS over what is known of the registers. It is
 * meant for loop counters. Operands are read from the text.
 */
#include "traces/code/path_const.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ARGUMENTS 8u

typedef struct argument {
    uint8_t file, number; /* a register's, where is_register */
    bool is_register, known;
    uint32_t value;
} argument;

/* The opcode without its first letter where that is the U of the uniform datapath. */
static bool is_op(const gmtrace_instr *instr, const char *stem)
{
    const char *op = instr->opcode;
    op += *op == 'U';
    const size_t length = strlen(stem);
    return strncmp(op, stem, length) == 0 && (op[length] == '\0' || op[length] == '.');
}

/* "-R4.reuse", "UR7", "RZ", "!PT", "0x10", "-0x1". What else there is stays unknown. */
static argument read_argument(const path_const *state, const char *text)
{
    argument a = {0};
    const bool minus = *text == '-', not_ = *text == '!';
    text += minus || not_;
    const bool uniform = *text == 'U';
    const char *letter = text + uniform;
    char *end;
    if (strncmp(text, "0x", 2) == 0) {
        a.value = (uint32_t)strtoull(text, &end, 16);
        a.known = *end == '\0' || *end == ' ';
    } else if (gmt_has_prefix(letter, "RZ") || gmt_has_prefix(text, "SRZ")) {
        a.known = true;
    } else if (gmt_has_prefix(letter, "PT")) {
        a.known = true;
        a.value = 1;
    } else if (text[0] == 'c' && text[1] == '[') {
        a.known = state->constants;
    } else if ((*letter == 'R' || *letter == 'P') && letter[1] >= '0' && letter[1] <= '9') {
        const unsigned long number = strtoul(letter + 1, &end, 10);
        if (number >= PATH_REGISTERS || !(*end == '\0' || gmt_has_prefix(end, ".reuse")))
            return a;
        a.is_register = true;
        a.file = *letter == 'P' ? (uniform ? GMTRACE_REG_UPREDICATE : GMTRACE_REG_PREDICATE)
                                : (uniform ? GMTRACE_REG_UNIFORM : GMTRACE_REG_GENERAL);
        a.number = (uint8_t)number;
        a.known = state->file[a.file].known[number];
        a.value = state->file[a.file].value[number];
    }
    if (minus)
        a.value = 0u - a.value;
    if (not_)
        a.value = !a.value;
    return a;
}

static unsigned read_arguments(const path_const *state, const gmtrace_instr *instr,
                               argument given[MAX_ARGUMENTS])
{
    unsigned count = 0;
    const char *at = instr->operands;
    while (*at && count < MAX_ARGUMENTS) {
        char text[32];
        const size_t length = strcspn(at, ",");
        if (length < sizeof text) {
            memcpy(text, at, length);
            text[length] = '\0';
            given[count] = read_argument(state, text);
        } else {
            memset(&given[count], 0, sizeof *given);
        }
        count++;
        at += length;
        at += strspn(at, ", ");
    }
    return count;
}

static bool compare(const char *opcode, uint32_t a, uint32_t b, bool *result)
{
    static const char *const name[] = {".LT", ".EQ", ".LE", ".GT", ".NE", ".GE"};
    const bool is_unsigned = strstr(opcode, ".U32") != NULL;
    const bool less = is_unsigned ? a < b : (int32_t)a < (int32_t)b;
    const unsigned holds = less ? 1u : (a == b ? 2u : 4u); /* bits of the comparisons above */
    for (unsigned i = 0; i < 6; i++)
        if (strstr(opcode, name[i])) {
            *result = (i + 1) & holds;
            return strstr(opcode, ".EX") == NULL;
        }
    return false;
}

/* The instruction's result, where it is one of those understood. */
static bool compute(const gmtrace_instr *instr, const argument *a, unsigned count, uint32_t *result)
{
    const char *op = instr->opcode;
    if (is_op(instr, "MOV") && count == 2) {
        *result = a[1].value;
        return a[1].known;
    }
    if ((gmt_has_prefix(op, "IMAD.MOV") || gmt_has_prefix(op, "IMAD.U32")) && count == 4) {
        *result = a[3].value;
        return a[1].known && a[2].known && a[3].known && !a[1].value && !a[2].value;
    }
    if ((gmt_has_prefix(op, "HFMA2.MMA") || strcmp(op, "HFMA2") == 0) && count == 5 &&
        strstr(instr->operands, "-RZ, RZ, ")) {
        *result = (uint32_t)(instr->encoding[0] >> 32); /* two halves, as one word */
        return instr->encoding[0] != 0;
    }
    if ((is_op(instr, "IADD3") && count == 4 && !strstr(op, ".X")) ||
        (strcmp(op, "VIADD") == 0 && count == 3)) {
        *result = a[1].value + a[2].value + (count == 4 ? a[3].value : 0);
        return a[1].known && a[2].known && (count == 3 || a[3].known);
    }
    if ((gmt_has_prefix(op, "IMAD.IADD") || gmt_has_prefix(op, "IMAD.SHL.U32") ||
         strcmp(op, "IMAD") == 0) &&
        count == 4) {
        *result = a[1].value * a[2].value + a[3].value;
        return a[1].known && a[2].known && a[3].known;
    }
    const bool right = is_op(instr, "SHF.R.U32.HI"), left = is_op(instr, "SHF.L.U32");
    const bool arithmetic = is_op(instr, "SHF.R.S32.HI");
    if ((right || left || arithmetic) && count == 4 && a[2].known && a[2].value < 32) {
        const unsigned other = left ? 3 : 1, from = left ? 1 : 3;
        *result = left         ? a[from].value << a[2].value
                  : arithmetic ? (uint32_t)((int32_t)a[from].value >> a[2].value)
                               : a[from].value >> a[2].value;
        return a[from].known && a[other].known && !a[other].value;
    }
    const bool down = is_op(instr, "SHF.R.U64"), up = is_op(instr, "SHF.L.U64.HI");
    if ((down || up) && count == 4 && a[2].known && a[2].value < 64) {
        const uint64_t both = (uint64_t)a[3].value << 32 | a[1].value;
        *result = (uint32_t)(down ? both >> a[2].value : both << a[2].value >> 32);
        return a[1].known && a[3].known;
    }
    if (is_op(instr, "LOP3.LUT") && count == 6 && a[4].known) {
        *result = 0;
        for (unsigned i = 0; i < 8; i++)
            if (a[4].value >> i & 1u)
                *result |= (i & 4u ? a[1].value : ~a[1].value) &
                           (i & 2u ? a[2].value : ~a[2].value) &
                           (i & 1u ? a[3].value : ~a[3].value);
        return a[1].known && a[2].known && a[3].known;
    }
    if (is_op(instr, "LEA") && !strchr(op, '.') && count == 4 && a[3].value < 32) {
        *result = (a[1].value << a[3].value) + a[2].value;
        return a[1].known && a[2].known && a[3].known;
    }
    if (strcmp(op, "LEA.HI") == 0 && count == 5 && a[4].value < 32) {
        const uint64_t both = (uint64_t)a[3].value << 32 | a[1].value;
        *result = (uint32_t)(both << a[4].value >> 32) + a[2].value;
        return a[1].known && a[2].known && a[3].known && a[4].known;
    }
    if (is_op(instr, "ISETP") && count == 5) {
        bool holds;
        if (!a[2].known || !a[3].known || !a[4].known ||
            !compare(op, a[2].value, a[3].value, &holds))
            return false;
        const bool with = a[4].value;
        *result = strstr(op, ".AND") ? holds && with : strstr(op, ".OR") ? holds || with : 2;
        return *result < 2;
    }
    if (strcmp(op, "PLOP3.LUT") == 0 && count == 7 && a[2].known && a[3].known && a[4].known &&
        a[5].known) {
        *result = a[5].value >> (a[2].value << 2 | a[3].value << 1 | a[4].value) & 1;
        return true;
    }
    return false;
}

int path_const_guard(const path_const *state, const gmtrace_instr *instr)
{
    if (instr->predicate == GMTRACE_NO_REGISTER)
        return 1;
    const path_file *file = &state->file[GMTRACE_REG_PREDICATE];
    if (instr->predicate >= 7)
        return !instr->predicate_negated;
    if (!file->known[instr->predicate])
        return -1;
    return (file->value[instr->predicate] != 0) != instr->predicate_negated;
}

void path_const_forget(path_const *state, const gmtrace_instr *instr)
{
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *o = &instr->operand[i];
        for (unsigned n = o->first; o->write && n < o->first + (unsigned)o->count; n++)
            if (o->file < 4 && n < PATH_REGISTERS)
                state->file[o->file].known[n] = false;
    }
    if (gmt_has_prefix(instr->opcode, "R2P"))
        memset(&state->file[GMTRACE_REG_PREDICATE], 0, sizeof(path_file));
}

void path_const_begin(path_const *state)
{
    memset(state, 0, sizeof *state);
    for (uint32_t f = 0; f < sizeof state->file / sizeof *state->file; f++)
        memset(state->file[f].known, true, sizeof state->file[f].known);
    state->constants = true;
}

void path_const_set(path_const *state, const gmtrace_operand *operand, uint32_t value)
{
    path_file *file = &state->file[operand->file & 3u];
    for (unsigned n = operand->first;
         n < operand->first + (unsigned)operand->count && n < PATH_REGISTERS; n++) {
        file->known[n] = true;
        file->value[n] = value;
    }
}

void path_const_run(path_const *state, const gmtrace_instr *instr)
{
    const int guard = path_const_guard(state, instr);
    if (guard == 0)
        return;
    argument given[MAX_ARGUMENTS];
    const unsigned count = read_arguments(state, instr, given);
    const bool zeroes = gmt_has_prefix(instr->opcode, "CS2R") && strstr(instr->operands, "SRZ");
    uint32_t result = 0;
    const bool known = guard == 1 && count >= 2 && given[0].is_register &&
                       (zeroes || compute(instr, given, count, &result));
    path_const_forget(state, instr);
    if (!known)
        return;
    path_file *file = &state->file[given[0].file];
    for (unsigned n = 0; n < (zeroes && !strstr(instr->opcode, ".32") ? 2u : 1u); n++)
        if (given[0].number + n < PATH_REGISTERS) {
            file->known[given[0].number + n] = true;
            file->value[given[0].number + n] = result;
        }
}

bool path_const_is_move(const gmtrace_instr *instr)
{
    if (instr->predicate != GMTRACE_NO_REGISTER)
        return false;
    for (unsigned i = 0; i < instr->operand_count; i++)
        if (!instr->operand[i].write)
            return false;
    return is_op(instr, "MOV") || gmt_has_prefix(instr->opcode, "IMAD.MOV") ||
           gmt_has_prefix(instr->opcode, "HFMA2") || gmt_has_prefix(instr->opcode, "CS2R");
}
