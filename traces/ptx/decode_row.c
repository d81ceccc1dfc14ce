/* SPDX-License-Identifier: MIT
 *
 * decode_row.c - arithmetic: instructions that one row of a table describes.
 */
#include "traces/ptx/decode.h"

#include <stdio.h>

/* What is left of an opcode without types and modes, and what those were. */
typedef struct shape {
    char key[96];
    ptx_type type[3];
    unsigned types;
    unsigned rounding; /* none is ROUND_NEAREST, too */
    bool rounded, ftz, saturate;
} shape;

static bool read_shape(const ptx_parts *parts, shape *s)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    *s = (shape){.rounding = 0};
    size_t length = 0;
    for (uint32_t i = 0; i < parts->count; i++) {
        const ptx_slice p = parts->part[i];
        const ptx_type type = i ? gmptx_type_of(p) : PTX_NONE;
        bool taken = false;
        if (type != PTX_NONE) {
            if (s->types == 3)
                return false;
            s->type[s->types++] = type;
            continue;
        }
        for (unsigned r = 0; i && r < 4; r++)
            if (slice_is(p, roundings[r])) {
                s->rounding = r;
                s->rounded = taken = true;
            }
        if (slice_is(p, "ftz"))
            s->ftz = taken = true;
        else if (slice_is(p, "sat"))
            s->saturate = taken = true;
        if (taken)
            continue;
        if (length + p.length + 2 > sizeof s->key)
            return false;
        if (length)
            s->key[length++] = '.';
        memcpy(s->key + length, p.text, p.length);
        length += p.length;
        s->key[length] = 0;
    }
    return true;
}

static const ptx_row *find_in(const ptx_row *row, const shape *s)
{
    for (; row->key; row++)
        if (row->type == s->type[0] && strcmp(row->key, s->key) == 0)
            return row;
    return NULL;
}

static unsigned bytes_of(char c)
{
    return c == 'p' || c == 'P' ? 0 : (unsigned)(c - '0');
}

static bool place_operands(ptx_decoder *d, ptx_op *op, const ptx_row *row, const shape *s)
{
    const char *code = row->operands;
    const ptx_operand *first = gmptx_operand(d, 0);
    unsigned number = 0;
    ptx_ref ref;
    const bool pair = first && first->kind == OPERAND_PAIR;
    const ptx_operand *result = pair ? gmptx_element(d, first, 0) : first;
    if (!gmptx_place_result(d, result, bytes_of(*code), &ref) || !gmptx_add_ref(op, ref))
        return gmptx_bad_operand(d, 0);
    op->writes = 1;
    code++;
    number++;
    if (*code == 'P') {
        const ptx_operand *second = pair ? gmptx_element(d, first, 1) : NULL;
        if (pair && (!gmptx_place_result(d, second, 0, &ref) || !gmptx_add_ref(op, ref)))
            return gmptx_bad_operand(d, 0);
        op->writes = pair ? 2 : 1;
        code++;
    } else if (pair) {
        return gmptx_unsupported(d);
    }
    for (; *code; code++, number++) {
        const ptx_operand *o = gmptx_operand(d, number);
        if (o && o->negated) {
            if (*code != 'p' || op->flags & PTX_FLAG_NEGATED || op->run == NULL ||
                strncmp(row->key, "vote", 4) != 0)
                return gmptx_unsupported(d);
            op->flags |= PTX_FLAG_NEGATED;
        }
        if (!gmptx_place(d, o, bytes_of(*code), s->type[0], &ref) || !gmptx_add_ref(op, ref))
            return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, number);
    }
    return number == gmptx_operand_count(d) || gmptx_bad_operand(d, number);
}

static uint8_t class_of(const ptx_row *tables, const shape *s)
{
    static const char *const special[] = {"sin",   "cos",  "ex2",  "lg2",  "rcp", "sqrt",
                                          "rsqrt", "tanh", "popc", "brev", "clz", "bfind"};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (strncmp(s->key, special[i], strlen(special[i])) == 0 && s->type[0] != PTX_F64)
            return GMTRACE_CLASS_SPECIAL;
    if (tables == gmptx_warp_rows)
        return GMTRACE_CLASS_SHUFFLE;
    if (s->type[0] == PTX_F64)
        return GMTRACE_CLASS_FP64;
    if (tables == gmptx_half_rows)
        return GMTRACE_CLASS_FP16;
    return tables == gmptx_float_rows ? GMTRACE_CLASS_FP32 : GMTRACE_CLASS_INT;
}

/* Second types are part of few instructions only. */
static bool second_type_known(const shape *s)
{
    if (s->types < 2)
        return true;
    if (strncmp(s->key, "vabsdiff4", 9) == 0) /* result, a, b */
        return s->types == 3 && s->type[1] == s->type[2] &&
               (s->type[1] == PTX_U32 || s->type[1] == PTX_S32);
    if (s->types > 2)
        return false;
    if (strcmp(s->key, "slct") == 0)
        return s->type[1] == PTX_S32;
    return strncmp(s->key, "dp4a", 4) == 0 || strncmp(s->key, "dp2a", 4) == 0;
}

bool gmptx_decode_row(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    static const ptx_row *const tables[] = {gmptx_int_rows, gmptx_float_rows, gmptx_half_rows,
                                            gmptx_warp_rows};
    shape s;
    if (!read_shape(parts, &s))
        return gmptx_unsupported(d);
    const bool is_int = !type_is_float(s.type[0]);
    if (is_int && s.saturate) { /* add.sat.s32 is an operation of its own */
        const size_t length = strlen(s.key);
        if (length + 5 > sizeof s.key)
            return gmptx_unsupported(d);
        memcpy(s.key + length, ".sat", 5);
        s.saturate = false;
    }
    const ptx_row *row = NULL, *table = NULL;
    for (unsigned i = 0; !row && i < 4; i++) {
        table = tables[i];
        row = find_in(table, &s);
    }
    const bool half = table == gmptx_half_rows;
    if (!row || !second_type_known(&s) || (is_int && (s.rounded || s.ftz)) ||
        (s.rounding && half) || (s.saturate && s.type[0] == PTX_F64) || (s.ftz && half) ||
        (s.ftz && !row->ftz && s.type[0] == PTX_F32))
        return gmptx_unsupported(d);
    op->type = (uint8_t)s.type[0];
    op->type2 = (uint8_t)s.type[1];
    op->run = gmptx_faster(s.ftz && row->ftz ? row->ftz : row->run);
    op->op_class = class_of(table, &s);
    if (s.rounding) {
        op->mode = (uint8_t)s.rounding;
        op->inner = op->run;
        op->run = gmptx_run_rounded;
    }
    if (s.saturate) {
        op->inner = op->inner ? op->inner : op->run;
        op->run = gmptx_run_saturated;
    }
    return place_operands(d, op, row, &s);
}
