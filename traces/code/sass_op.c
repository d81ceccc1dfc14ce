/* SPDX-License-Identifier: MIT
 *
 * sass_op.c - reads nvdisasm's text of one instruction. Numbers that it writes in decimal, floats,
 * are taken from the encoding, where the immediate is bits 32 to 63; so is the guard, bits 12
 * to 15. What is read: names and words of the tables in sass_op.h, and operands of ordinary
 * kernels.
 */
#include "traces/code/sass_op.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(const char *text, size_t length, const char *word)
{
    return *word == *text && strncmp(text, word, length) == 0 && !word[length];
}

static bool read_name(const char *opcode, sass_op *op)
{
    static const char *const names[] = {
#define X(NAME) #NAME,
        SASS_NAMES(X)
#undef X
    };
    static const char *const words[] = {
#define X(WORD) #WORD,
        SASS_WORDS(X)
#undef X
    };
    size_t length = strcspn(opcode, ".");
    op->name = SASS_OTHER;
    op->lead = SASS_WORD_COUNT;
    for (unsigned i = 0; i < SASS_OTHER && op->name == SASS_OTHER; i++)
        if (is_word(opcode, length, names[i]))
            op->name = (sass_name)i;
    while (opcode[length] == '.') {
        opcode += length + 1;
        length = strcspn(opcode, ".");
        unsigned i = 0;
        while (i < SASS_WORD_COUNT && !is_word(opcode, length, words[i] + (words[i][0] == '_')))
            i++;
        if (i == SASS_WORD_COUNT)
            return false;
        op->words[i / 64] |= UINT64_C(1) << (i % 64);
        if (op->lead == SASS_WORD_COUNT)
            op->lead = (sass_word)i;
    }
    return op->name != SASS_OTHER;
}

/* R12, RZ, UR4, URZ, P0, PT, UP1, UPT, B3, SB0. */
static bool read_register(const char **at, sass_operand *o)
{
    static const struct {
        const char *prefix;
        char none; /* the letter of the one that is no register */
        uint8_t kind, number;
    } files[] = {{"UR", 'Z', SASS_UREG, SASS_ZERO}, {"R", 'Z', SASS_REG, SASS_ZERO},
                 {"UP", 'T', SASS_UPRED, 7},        {"P", 'T', SASS_PRED, 7},
                 {"SB", 0, SASS_BARRIER, 0},        {"B", 0, SASS_BARRIER, 0}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const size_t length = strlen(files[i].prefix);
        const char *from = *at + length;
        if (strncmp(*at, files[i].prefix, length) != 0)
            continue;
        if (files[i].none && *from == files[i].none) {
            *o = (sass_operand){.kind = files[i].kind, .number = files[i].number};
            *at = from + 1;
            return true;
        }
        if (!isdigit((unsigned char)*from))
            continue;
        char *end;
        *o = (sass_operand){.kind = files[i].kind, .number = (uint8_t)strtoul(from, &end, 10)};
        *at = end;
        return true;
    }
    return false;
}

/* .reuse, .64, .X4, .H0_H0, .B3 behind a register. */
static bool read_suffixes(const char **at, sass_operand *o)
{
    while (**at == '.') {
        const char *from = ++*at;
        while (isalnum((unsigned char)**at) || **at == '_')
            ++*at;
        const size_t length = (size_t)(*at - from);
        if (is_word(from, length, "64"))
            o->wide = true;
        else if (is_word(from, length, "H0_H0"))
            o->part = SASS_LOW;
        else if (is_word(from, length, "H1_H1"))
            o->part = SASS_HIGH;
        else if (length == 2 && from[0] == 'B' && from[1] >= '0' && from[1] < '4')
            o->byte = (uint8_t)(from[1] - '0' + 1);
        else if (is_word(from, length, "X4"))
            o->shift = 2;
        else if (is_word(from, length, "X8"))
            o->shift = 3;
        else if (is_word(from, length, "X16"))
            o->shift = 4;
        else if (is_word(from, length, "U32"))
            o->narrow = true;
        else if (!is_word(from, length, "reuse"))
            return false;
    }
    return true;
}

static bool read_hex(const char **at, int64_t *value)
{
    const char *from = *at;
    const bool negative = *from == '-';
    from += negative || *from == '+';
    if (strncmp(from, "0x", 2) != 0)
        return false;
    char *end;
    const uint64_t number = strtoull(from + 2, &end, 16);
    *value = (int64_t)(negative ? 0 - number : number);
    *at = end;
    return true;
}

/* What stands in brackets: R2.64+UR4+0x10, in this order, each of which may be missing. */
static bool read_sum(const char **at, sass_operand *o)
{
    sass_operand part;
    o->number = o->uniform = SASS_ZERO;
    bool any = false;
    for (; **at != ']'; any = true) {
        if (any && **at == '+')
            ++*at;
        if (read_register(at, &part) && (part.kind == SASS_REG || part.kind == SASS_UREG)) {
            if (!read_suffixes(at, &part))
                return false;
            if (part.kind == SASS_UREG) {
                o->uniform = part.number;
            } else {
                o->number = part.number;
                o->wide = part.wide;
                o->narrow = part.narrow;
                o->shift = part.shift;
            }
        } else if (!read_hex(at, &o->value)) {
            return false;
        }
    }
    ++*at;
    return any;
}

static bool read_address(const char **at, sass_operand *o)
{
    if (strncmp(*at, "desc[", 5) == 0) { /* the descriptor says nothing about the address */
        *at = strchr(*at, ']');
        if (!*at)
            return false;
        ++*at;
    }
    if (**at != '[')
        return false;
    ++*at;
    *o = (sass_operand){.kind = SASS_ADDRESS};
    return read_sum(at, o);
}

static bool read_constant(const char **at, sass_operand *o)
{
    int64_t bank;
    *at += 2;
    *o = (sass_operand){.kind = SASS_CONST};
    if (!read_hex(at, &bank) || strncmp(*at, "][", 2) != 0)
        return false;
    o->bank = (uint8_t)bank;
    *at += 2;
    return read_sum(at, o);
}

static bool read_special(const char **at, sass_operand *o)
{
    static const char *const names[] = {
#define X(NAME) #NAME,
        SASS_SPECIALS(X)
#undef X
    };
    const char *from = *at;
    while (isalnum((unsigned char)**at) || **at == '_' || **at == '.')
        ++*at;
    for (unsigned i = 0; i < SASS_SPECIAL_COUNT; i++) {
        size_t n = 0;
        while (names[i][n] && from + n < *at &&
               (names[i][n] == from[n] || (names[i][n] == '_' && from[n] == '.')))
            n++;
        if (!names[i][n] && from + n == *at) {
            *o = (sass_operand){.kind = SASS_SPECIAL, .value = i};
            return true;
        }
    }
    return false;
}

static bool is_real(const char *at)
{
    at += *at == '-' || *at == '+';
    return isdigit((unsigned char)*at) || strncmp(at, "INF", 3) == 0 ||
           strncmp(at, "QNAN", 4) == 0 || strncmp(at, "SNAN", 4) == 0;
}

static bool read_operand(const char **at, const gmtrace_instr *instr, sass_operand *o)
{
    if (**at == '`' || **at == '(') {
        const char *close = strchr(*at, ')');
        *o = (sass_operand){.kind = SASS_LABEL};
        *at = close ? close + 1 : *at;
        return close != NULL;
    }
    *o = (sass_operand){.kind = SASS_IMM};
    if (read_hex(at, &o->value))
        return true;
    if (is_real(*at)) {
        *at += strcspn(*at, ",");
        o->value = (int64_t)(instr->encoding[0] >> 32);
        return true;
    }
    const bool negated = **at == '-' || **at == '!', inverted = **at == '~';
    *at += negated || inverted;
    const bool absolute = **at == '|';
    *at += absolute;
    bool good;
    if (strncmp(*at, "c[", 2) == 0)
        good = read_constant(at, o);
    else if (**at == '[' || strncmp(*at, "desc[", 5) == 0)
        good = read_address(at, o);
    else if (strncmp(*at, "PR", 2) == 0 && (good = true)) {
        *o = (sass_operand){.kind = SASS_ALL};
        *at += 2;
    } else if (strncmp(*at, "SR", 2) == 0)
        good = read_special(at, o);
    else
        good = read_register(at, o);
    if (absolute && **at == '|')
        ++*at;
    good = good && read_suffixes(at, o);
    o->negated = negated;
    o->inverted = inverted;
    o->absolute = absolute;
    return good;
}

bool gmt_sass_read(const gmtrace_instr *instr, sass_op *op)
{
    memset(op, 0, sizeof *op);
    const bool known = read_name(instr->opcode, op);
    op->guard = instr->encoding[0] >> 12 & 7;
    op->guard_negated = instr->encoding[0] >> 15 & 1;
    op->guard_uniform = instr->opcode[0] == 'U';
    const char *at = instr->operands;
    bool real = false; /* two halves in decimal are one immediate */
    while (*at) {
        if (op->count == SASS_OPERANDS)
            return false;
        const bool is_now = is_real(at) && strncmp(at + (*at == '-'), "0x", 2) != 0;
        sass_operand o;
        if (!read_operand(&at, instr, &o))
            return false;
        if (!(real && is_now))
            op->operand[op->count++] = o;
        real = is_now;
        at += strspn(at, " ");
        if (*at == ',')
            at += 1 + strspn(at + 1, " ");
        else if (*at && op->operand[op->count - 1].kind != SASS_REG)
            return false; /* but for RET R2 `(f), which has no comma */
    }
    return known;
}
