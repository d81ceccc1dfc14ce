/* SPDX-License-Identifier: MIT
 *
 * line.c - the fast part of the importer: every instruction line comes through here. Numbers are
 * read by hand, the instruction is recognised by its text (code.h), little is
 * allocated.
 *
 * Passed over: the tracer's width where the opcode tells it (trace readers do the same, the tracer
 * is wrong for some), a second immediate and register values (version 6).
 */
#include "traces/import/line.h"

#include <stdlib.h>
#include <string.h>

enum { MODE_LIST = 0, MODE_STRIDE, MODE_DELTA, MODE_TMA_LIST, MODE_TMA_DELTA };

/* Value of a hexadecimal digit plus 1, 0 for other characters. */
static const uint8_t hex_value[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static inline const char *fast_hex(const char *at, uint64_t *value, unsigned *digits)
{
    uint64_t number = 0;
    const char *start = at;
    for (unsigned digit; (digit = hex_value[(unsigned char)*at]) != 0; at++)
        number = number << 4 | (digit - 1);
    *digits = (unsigned)(at - start);
    *value = number;
    return at;
}

/* A signed decimal of up to 18 digits inline, the rest by the careful reader. */
static inline const char *fast_signed(const char *at, int64_t *value)
{
    const char *start = at;
    const bool negative = *at == '-';
    at += negative;
    uint64_t number = 0;
    const char *digits = at;
    for (unsigned digit; (digit = (unsigned)(unsigned char)*at - '0') < 10; at++)
        number = number * 10 + digit;
    if (at == digits || at - digits > 18)
        return accel_signed(start, value);
    *value = negative ? -(int64_t)number : (int64_t)number;
    return at;
}

static inline bool ends_here(const char *at)
{
    return *at == ' ' || *at == '\0';
}

/* "0x1234", up to 16 digits. */
static inline const char *read_address(const char *at, uint64_t *value)
{
    unsigned digits;
    at = accel_blanks(at);
    if (at[0] != '0' || at[1] != 'x')
        return NULL;
    at = fast_hex(at + 2, value, &digits);
    return digits && digits <= 16 && ends_here(at) ? at : NULL;
}

static inline const char *read_number(const char *at, int64_t *value)
{
    at = fast_signed(accel_blanks(at), value);
    return at && ends_here(at) ? at : NULL;
}

/* ----------------------------------------------------------------------------------- addresses */

static const char *read_lanes(const char *at, uint64_t mode, accel_inst *inst)
{
    uint64_t address = 0;
    inst->shape = ACCEL_LANES;
    for (uint32_t rest = inst->mask; rest && at; rest &= rest - 1) {
        if (mode == MODE_LIST || rest == inst->mask) {
            at = read_address(at, &address);
        } else {
            int64_t delta;
            at = read_number(at, &delta);
            if (at)
                address += (uint64_t)delta;
        }
        inst->address[__builtin_ctz(rest)] = address;
    }
    return at;
}

/* Base and stride are meant for active lanes without gaps. Should there be gaps, the stride goes
 * from one active lane to the next. */
static const char *read_stride(const char *at, accel_inst *inst)
{
    at = read_address(at, &inst->base);
    at = at ? read_number(at, &inst->stride) : NULL;
    if (!at)
        return NULL;
    const uint32_t run = inst->mask >> __builtin_ctz(inst->mask);
    inst->shape = ACCEL_AFFINE;
    if (!(run & (run + 1)))
        return at;
    inst->shape = ACCEL_LANES;
    uint64_t address = inst->base;
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1, address += (uint64_t)inst->stride)
        inst->address[__builtin_ctz(rest)] = address;
    return at;
}

static const char *read_memory(const char *at, accel_inst *inst)
{
    int64_t mode;
    if (!inst->mask) /* whatever follows belongs to no lane */
        return at + strlen(at);
    at = read_number(at, &mode);
    if (!at || mode < MODE_LIST || mode > MODE_DELTA)
        return NULL;
    return mode == MODE_STRIDE ? read_stride(at, inst) : read_lanes(at, (uint64_t)mode, inst);
}

/* ---------------------------------------------------------------------------------- bulk copies */

static const char *read_unsigned(const char *at, uint64_t *value)
{
    at = at ? accel_decimal(accel_blanks(at), value) : NULL;
    return at && ends_here(at) ? at : NULL;
}

static const char *read_any_hex(const char *at, uint64_t *value)
{
    at = at ? accel_hex(accel_blanks(at), value) : NULL;
    return at && ends_here(at) ? at : NULL;
}

static bool list_room(accel_inst *inst, uint64_t count)
{
    if (count <= inst->list_capacity)
        return true;
    uint64_t *list = realloc(inst->list, (size_t)count * sizeof *list);
    if (!list)
        return false;
    inst->list = list;
    inst->list_capacity = (size_t)count;
    return true;
}

static const char *read_tma(const char *at, size_t left, accel_inst *inst)
{
    uint64_t multicast, value, mode, count, address = 0;
    at = read_any_hex(at, &inst->mbarrier);
    at = read_unsigned(at, &multicast);
    if (at && multicast)
        at = read_any_hex(at, &value); /* the CTAs that receive it */
    at = read_unsigned(at, &value);    /* bytes, also told by the addresses */
    at = read_unsigned(at, &value);    /* bytes outside the tensor */
    at = read_unsigned(at, &mode);
    if (!at || (mode != MODE_TMA_LIST && mode != MODE_TMA_DELTA))
        return NULL;
    if (mode == MODE_TMA_DELTA)
        at = read_address(at, &address);
    at = at ? read_unsigned(at, &count) : NULL;
    /* each takes two characters of the line: a count cannot ask for more memory than its line */
    if (!at || count > left / 2 + 1 || !list_room(inst, count))
        return NULL;
    inst->list_count = (size_t)count;
    inst->shape = count ? ACCEL_LIST : ACCEL_NO_ADDRESS;
    for (uint64_t i = 0; i < count && at; i++) {
        int64_t delta;
        if (mode == MODE_TMA_LIST) {
            at = read_any_hex(at, &address);
        } else if (i) {
            at = read_number(at, &delta);
            if (at)
                address += (uint64_t)delta;
        }
        inst->list[i] = address;
    }
    return at;
}

/* -------------------------------------------------------------------------------------- a line */

/* What stands before the pc: place (version 2) and source line. */
static const char *read_prefix(const char *at, const accel_format *format, uint64_t *source_line)
{
    uint64_t ignored;
    for (unsigned i = 0; at && i < 4 && format->version < 3; i++)
        at = read_unsigned(at, &ignored);
    if (format->line_info)
        at = read_unsigned(at, source_line);
    return at ? accel_blanks(at) : NULL;
}

/* What stands behind the addresses. */
static const char *read_tail(const char *at, const accel_format *format, accel_inst *inst)
{
    int64_t second;
    at = accel_blanks(at);
    inst->immediate = 0;
    if (*at == '\0')
        return at;
    if (*at == '-' || (*at >= '0' && *at <= '9')) {
        at = read_number(at, &inst->immediate);
        if (!at)
            return NULL;
        at = accel_blanks(at);
    }
    if (*at == '\0' || format->version < 6)
        return at;
    if (*at == '-' || (*at >= '0' && *at <= '9')) {
        at = read_number(at, &second);
        if (!at)
            return NULL;
        at = accel_blanks(at);
    }
    const bool values = strncmp(at, "Val", 3) == 0 || strncmp(at, "NoVal", 5) == 0;
    return values ? at + strlen(at) : at;
}

bool accel_parse_line(accel_code *code, const accel_format *format, const char *line, size_t length,
                      bool survey, accel_inst *inst, const char **problem)
{
    const char *at = accel_blanks(line), *const end = line + length;
    uint64_t pc, mask, source_line = 0;
    unsigned digits;
    if (format->version < 3 || format->line_info) {
        *problem = "cannot read what stands before the pc";
        at = read_prefix(at, format, &source_line);
        if (!at)
            return false;
    }
    *problem = "cannot read the pc";
    if (at[0] == '0' && at[1] == 'x')
        at += 2;
    at = fast_hex(at, &pc, &digits);
    if (!digits || digits > 16 || *at != ' ')
        return false;
    *problem = "cannot read the mask of active lanes, 8 hexadecimal digits";
    at = fast_hex(accel_blanks(at), &mask, &digits);
    if (digits != 8 || *at != ' ')
        return false;
    inst->mask = (uint32_t)mask;
    at = accel_blanks(at);
    inst->site = accel_code_find(code, format, pc, at, end, source_line, &at, problem);
    if (!inst->site)
        return false;
    if (survey && !inst->site->places)
        return true;
    if (inst->site->gmma) {
        uint64_t ignored;
        *problem = "cannot read the commit flag";
        at = read_unsigned(at, &ignored);
        if (!at)
            return false;
    }
    *problem = "cannot read the width";
    inst->shape = ACCEL_NO_ADDRESS;
    at = accel_blanks(at);
    if (at[0] == '0' && ends_here(at + 1)) {
        inst->width = 0;
        at++;
    } else {
        at = read_unsigned(at, &inst->width);
        if (!at || inst->width > UINT32_MAX)
            return false;
        *problem = "cannot read the addresses, or they are fewer than the active lanes";
        if (inst->width)
            at = inst->site->tma ? read_tma(at, (size_t)(end - at), inst) : read_memory(at, inst);
        if (!at)
            return false;
    }
    *problem = "cannot read what stands behind the registers and addresses";
    at = read_tail(at, format, inst);
    return at == end;
}
