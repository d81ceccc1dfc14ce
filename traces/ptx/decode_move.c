/* SPDX-License-Identifier: MIT
 *
 * decode_move.c - mov, cvt, cvta, isspacep, setp, set.
 */
#include "traces/ptx/decode.h"

static bool next_ref(ptx_decoder *d, ptx_op *op, unsigned number, unsigned bytes, ptx_type type)
{
    ptx_ref ref;
    return (gmptx_place(d, gmptx_operand(d, number), bytes, type, &ref) &&
            gmptx_add_ref(op, ref)) ||
           (d->error->status == GMTRACE_OK && gmptx_bad_operand(d, number));
}

static bool result(ptx_decoder *d, ptx_op *op, const ptx_operand *o, unsigned bytes)
{
    ptx_ref ref;
    op->writes++;
    return (gmptx_place_result(d, o, bytes, &ref) && gmptx_add_ref(op, ref)) ||
           gmptx_bad_operand(d, 0);
}

/* mov.b64 {a, b}, c and mov.b64 c, {a, b} */
static bool decode_vector(ptx_decoder *d, ptx_op *op, const ptx_operand *list, unsigned bytes,
                          bool pack)
{
    const unsigned each = list->count ? bytes / list->count : 0;
    if ((each != 2 && each != 4) || each * list->count != bytes)
        return gmptx_unsupported(d);
    op->width[0] = (uint8_t)each;
    if (pack && !result(d, op, gmptx_operand(d, 0), bytes))
        return false;
    for (unsigned i = 0; i < list->count; i++) {
        const ptx_operand *e = gmptx_element(d, list, i);
        ptx_ref ref;
        if (pack) {
            if (!gmptx_place(d, e, each, PTX_NONE, &ref) || !gmptx_add_ref(op, ref))
                return gmptx_bad_operand(d, 1);
        } else if (!result(d, op, e, each)) {
            return false;
        }
    }
    op->run = pack ? gmptx_run_pack : gmptx_run_unpack;
    return pack || next_ref(d, op, 1, bytes, PTX_NONE);
}

static bool decode_mov(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    const ptx_operand *to = gmptx_operand(d, 0), *from = gmptx_operand(d, 1);
    const ptx_type type = parts->count == 2 ? gmptx_type_of(parts->part[1]) : PTX_NONE;
    parts->used |= 2;
    const unsigned bytes = gmptx_type_bytes(type);
    op->op_class = GMTRACE_CLASS_INT;
    op->type = (uint8_t)type;
    if (type == PTX_NONE || bytes == 1 || bytes == 16)
        return gmptx_unsupported(d);
    if (!to || !from || gmptx_operand_count(d) != 2)
        return gmptx_bad_operand(d, 1);
    if (type == PTX_PRED) {
        op->run = gmptx_run_move_predicate;
        op->flags = from->negated ? PTX_FLAG_NEGATED : 0;
        return result(d, op, to, 0) && next_ref(d, op, 1, 0, type);
    }
    if (to->kind == OPERAND_VECTOR || from->kind == OPERAND_VECTOR)
        return decode_vector(d, op, to->kind == OPERAND_VECTOR ? to : from, bytes,
                             from->kind == OPERAND_VECTOR);
    op->width[0] = (uint8_t)bytes;
    if (!result(d, op, to, bytes))
        return false;
    if (from->kind == OPERAND_SPECIAL && from->index >= SPECIAL_CLOCK) {
        op->run = gmptx_run_clock;
        op->imm = from->index;
        return bytes == (special_is_wide((ptx_special)from->index) ? 8u : 4u) ||
               gmptx_bad_operand(d, 1);
    }
    if (from->kind == OPERAND_SYMBOL) {
        uint64_t value;
        bool in_frame;
        ptx_space space;
        if (bytes < 4)
            return gmptx_bad_operand(d, 1);
        if (!gmptx_symbol_address(d, from->index, &value, &in_frame, &space))
            return false;
        if (in_frame) {
            op->run = gmptx_run_move_frame;
            op->space = (uint8_t)space;
            op->offset = (int64_t)(value + (uint64_t)from->value);
            return true;
        }
    }
    op->run = gmptx_run_move;
    return next_ref(d, op, 1, bytes, type);
}

/* cvt{.rounding}{.ftz}{.sat}.to.from */
static bool decode_cvt(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    static const char *const real[] = {"rn", "rz", "rm", "rp"};
    static const char *const whole[] = {"", "rni", "rzi", "rmi", "rpi"};
    if (parts->count < 3)
        return gmptx_unsupported(d);
    if (gmptx_take(parts, "tf32")) {
        op->run = gmptx_run_cvt_tf32;
        op->op_class = GMTRACE_CLASS_SPECIAL;
        op->width[0] = op->width[1] = 4;
        if (!gmptx_take(parts, "rna") || !gmptx_take(parts, "f32") || !gmptx_all_taken(parts))
            return gmptx_unsupported(d);
        return result(d, op, gmptx_operand(d, 0), 4) && next_ref(d, op, 1, 4, PTX_F32);
    }
    const ptx_type to = gmptx_type_of(parts->part[parts->count - 2]);
    const ptx_type from = gmptx_type_of(parts->part[parts->count - 1]);
    parts->used |= 3u << (parts->count - 2);
    for (uint8_t i = 0; i < 4; i++)
        if (gmptx_take(parts, real[i]))
            op->mode = i;
    for (uint8_t i = 1; i < 5; i++)
        if (gmptx_take(parts, whole[i]))
            op->mode2 = i;
    if (gmptx_take(parts, "ftz"))
        op->flags |= PTX_FLAG_FTZ;
    if (gmptx_take(parts, "sat"))
        op->flags |= PTX_FLAG_SATURATE;
    const bool pair = to == PTX_F16X2 || to == PTX_BF16X2;
    if (!gmptx_all_taken(parts) || to == PTX_NONE || from == PTX_NONE || to == PTX_PRED ||
        from == PTX_PRED || from == PTX_F16X2 || from == PTX_BF16X2 || to == PTX_B128 ||
        from == PTX_B128 || (pair && (from != PTX_F32 || op->flags)))
        return gmptx_unsupported(d);
    const ptx_operand *target = gmptx_operand(d, 0), *source = gmptx_operand(d, 1);
    const unsigned to_bytes = gmptx_type_bytes(to), from_bytes = gmptx_type_bytes(from);
    unsigned width = gmptx_register_bytes(d, target),
             source_width = gmptx_register_bytes(d, source);
    if (source && source->kind != OPERAND_REGISTER)
        source_width = from_bytes < 2 ? 2 : from_bytes;
    /* registers may be wider than integers, and than halves */
    if (width < to_bytes || source_width < from_bytes ||
        (type_is_float(to) && width != to_bytes && to_bytes != 2) ||
        (type_is_float(from) && source_width != from_bytes && from_bytes != 2))
        return gmptx_bad_operand(d, width < to_bytes ? 0 : 1);
    if (type_is_float(to) && to_bytes == 2 && width == 8)
        return gmptx_bad_operand(d, 0);
    op->type = (uint8_t)to;
    op->type2 = (uint8_t)from;
    op->width[0] = (uint8_t)width;
    op->width[1] = (uint8_t)source_width;
    op->run = gmptx_plain_cvt(op);
    if (!op->run)
        op->run = gmptx_run_cvt;
    const bool narrow_ints = !type_is_float(to) && !type_is_float(from);
    op->op_class = narrow_ints ? GMTRACE_CLASS_INT : GMTRACE_CLASS_SPECIAL;
    if (!result(d, op, target, width) || !next_ref(d, op, 1, source_width, from))
        return false;
    if (pair && !next_ref(d, op, 2, 4, PTX_F32))
        return false;
    return gmptx_operand_count(d) == (pair ? 3u : 2u) || gmptx_bad_operand(d, 2);
}

static bool take_window(ptx_parts *parts, ptx_space *space, uint64_t *window)
{
    static const struct {
        const char *name;
        ptx_space space;
        uint64_t window;
    } table[] = {{"global", PTX_SPACE_GLOBAL, 0},
                 {"const", PTX_SPACE_CONST, 0},
                 {"shared", PTX_SPACE_SHARED, GMPTX_SHARED_WINDOW},
                 {"shared::cta", PTX_SPACE_SHARED, GMPTX_SHARED_WINDOW},
                 {"local", PTX_SPACE_LOCAL, GMPTX_LOCAL_WINDOW},
                 {"param", PTX_SPACE_PARAM, GMPTX_PARAM_WINDOW},
                 {"param::entry", PTX_SPACE_PARAM, GMPTX_PARAM_WINDOW}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (gmptx_take(parts, table[i].name)) {
            *space = table[i].space;
            *window = table[i].window;
            return true;
        }
    return false;
}

static bool decode_cvta(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    const bool to = gmptx_take(parts, "to");
    ptx_space space;
    uint64_t window;
    if (!take_window(parts, &space, &window) || !gmptx_take(parts, "u64"))
        return gmptx_unsupported(d);
    if (space == PTX_SPACE_PARAM && !d->function->is_entry)
        return gmptx_unsupported(d);
    op->offset = (int64_t)window;
    op->run = to ? gmptx_run_cvta_to : gmptx_run_cvta_from;
    op->op_class = GMTRACE_CLASS_INT;
    return result(d, op, gmptx_operand(d, 0), 8) && next_ref(d, op, 1, 8, PTX_U64);
}

static bool decode_isspacep(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    ptx_space space;
    uint64_t window;
    if (!take_window(parts, &space, &window))
        return gmptx_unsupported(d);
    op->space = (uint8_t)space;
    op->offset = (int64_t)window;
    op->run = gmptx_run_isspacep;
    op->op_class = GMTRACE_CLASS_INT;
    return result(d, op, gmptx_operand(d, 0), 0) && next_ref(d, op, 1, 8, PTX_U64);
}

bool gmptx_decode_move(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known)
{
    const ptx_slice base = parts->part[0];
    *known = true;
    if (slice_is(base, "mov"))
        return decode_mov(d, op, parts);
    if (slice_is(base, "cvt"))
        return decode_cvt(d, op, parts);
    if (slice_is(base, "cvta"))
        return decode_cvta(d, op, parts);
    if (slice_is(base, "isspacep"))
        return decode_isspacep(d, op, parts);
    *known = false;
    return true;
}

/* setp.lt{.ftz}.f16x2 p|q, a, b and set.lt{.ftz}.dtype.f16x2 d, a, b, as of bf16x2 */
static bool decode_compare_pair(ptx_decoder *d, ptx_op *op, const ptx_parts *parts, ptx_type to)
{
    const ptx_type type = gmptx_type_of(parts->part[parts->count - 1]);
    const unsigned number = gmptx_compare_number(parts->part[1]);
    const ptx_operand *first = gmptx_operand(d, 0);
    const bool setp = to == PTX_PRED;
    if (number == COMPARISONS || op->mode2 || !gmptx_all_taken(parts) ||
        (!setp && to != type && to != PTX_U32 && to != PTX_S32) ||
        (setp && (!first || first->kind != OPERAND_PAIR)))
        return gmptx_unsupported(d);
    op->type = (uint8_t)to;
    op->mode = (uint8_t)number;
    op->mode2 = type == PTX_BF16X2;
    op->run = setp ? gmptx_run_setp_pair : gmptx_run_set_pair;
    op->op_class = GMTRACE_CLASS_FP16;
    return (setp ? result(d, op, gmptx_element(d, first, 0), 0) &&
                       result(d, op, gmptx_element(d, first, 1), 0)
                 : result(d, op, first, 4)) &&
           next_ref(d, op, 1, 4, type) && next_ref(d, op, 2, 4, type) &&
           (gmptx_operand_count(d) == 3 || gmptx_bad_operand(d, 3));
}

/* setp.lt{.and}{.ftz}.type p|q, a, b{, {!}c} and set.lt{.and}{.ftz}.dtype.type d, a, b{, {!}c} */
bool gmptx_decode_compare(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known)
{
    const bool setp = slice_is(parts->part[0], "setp"), set = slice_is(parts->part[0], "set");
    *known = setp || set;
    if (!*known)
        return true;
    const unsigned types = setp ? 1 : 2;
    if (parts->count < types + 2)
        return gmptx_unsupported(d);
    const ptx_type type = gmptx_type_of(parts->part[parts->count - 1]);
    const ptx_type to = setp ? PTX_PRED : gmptx_type_of(parts->part[parts->count - 2]);
    parts->used |= ((1u << types) - 1) << (parts->count - types);
    const bool ftz = gmptx_take(parts, "ftz");
    op->mode2 = gmptx_take(parts, "and")   ? '&'
                : gmptx_take(parts, "or")  ? '|'
                : gmptx_take(parts, "xor") ? '^'
                                           : 0;
    op->compare = gmptx_compare_of(parts->part[1], type, ftz);
    parts->used |= 2;
    const unsigned bytes = gmptx_type_bytes(type), to_bytes = gmptx_type_bytes(to);
    if (type == PTX_F16X2 || type == PTX_BF16X2)
        return decode_compare_pair(d, op, parts, to);
    if (!op->compare || !gmptx_all_taken(parts) ||
        (set && (to == PTX_NONE || (to_bytes != 2 && to_bytes != 4) || to == PTX_F16X2 ||
                 to == PTX_BF16X2)))
        return gmptx_unsupported(d);
    op->type = (uint8_t)to;
    op->run = setp ? gmptx_run_setp : gmptx_run_set;
    op->op_class = type == PTX_F64       ? GMTRACE_CLASS_FP64
                   : type == PTX_F32     ? GMTRACE_CLASS_FP32
                   : type_is_float(type) ? GMTRACE_CLASS_FP16
                                         : GMTRACE_CLASS_INT;
    const ptx_operand *first = gmptx_operand(d, 0);
    if (first && first->kind == OPERAND_PAIR) {
        if (set)
            return gmptx_unsupported(d);
        if (!result(d, op, gmptx_element(d, first, 0), 0) ||
            !result(d, op, gmptx_element(d, first, 1), 0))
            return false;
    } else if (!result(d, op, first, to_bytes)) {
        return false;
    }
    if (!next_ref(d, op, 1, bytes, type) || !next_ref(d, op, 2, bytes, type))
        return false;
    if (op->mode2) {
        const ptx_operand *third = gmptx_operand(d, 3);
        if (third && third->negated)
            op->flags |= PTX_FLAG_NEGATED;
        if (!next_ref(d, op, 3, 0, PTX_PRED))
            return false;
    }
    return gmptx_operand_count(d) == (op->mode2 ? 4u : 3u) || gmptx_bad_operand(d, 3);
}
