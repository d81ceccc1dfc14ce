/* SPDX-License-Identifier: MIT
 *
 * decode_texture.c - tex, suld.b and sust.b of textures and surfaces that a register names. Left
 * out: levels of detail and gradients, gathers (tld4), cube maps, multisampling, formatted surface
 * stores (sust.p), reductions on surfaces, texture references.
 */
#include "traces/ptx/decode.h"
#include "traces/ptx/texture.h"

/* Which coordinates there are: mode has their number, mode2 whether a layer stands before them. */
static bool take_geometry(ptx_op *op, ptx_parts *parts)
{
    static const struct {
        const char *name;
        uint8_t dimensions, layered;
    } table[] = {{"1d", 1, 0}, {"2d", 2, 0}, {"3d", 3, 0}, {"a1d", 1, 1}, {"a2d", 2, 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (gmptx_take(parts, table[i].name)) {
            op->mode = table[i].dimensions;
            op->mode2 = table[i].layered;
            return true;
        }
    return false;
}

/* [object, {layer, x, y, z}] is two operands here; a vector's fourth or third may be a filler. */
static bool place_object(ptx_decoder *d, ptx_op *op, unsigned number, ptx_type type)
{
    const ptx_operand *at = gmptx_operand(d, number), *list = gmptx_operand(d, number + 1);
    const unsigned wanted = op->mode + op->mode2;
    const uint8_t mode = op->mode, mode2 = op->mode2;
    const bool vector = list && list->kind == OPERAND_VECTOR;
    ptx_ref ref;
    if (!at || at->base != OPERAND_REGISTER || !list ||
        !gmptx_decode_address(d, op, at, PTX_SPACE_NONE))
        return gmptx_bad_operand(d, number);
    op->mode = mode;
    op->mode2 = mode2;
    if ((vector ? list->count : 1) < wanted)
        return gmptx_bad_operand(d, number + 1);
    for (unsigned i = 0; i < wanted; i++) {
        const ptx_operand *e = vector ? gmptx_element(d, list, i) : list;
        if (!gmptx_place(d, e, 4, i < op->mode2 ? PTX_S32 : type, &ref) || !gmptx_add_ref(op, ref))
            return gmptx_bad_operand(d, number + 1);
    }
    return true;
}

/* The registers of `op->count` elements. */
static bool place_elements(ptx_decoder *d, ptx_op *op, unsigned number, bool results)
{
    const ptx_operand *o = gmptx_operand(d, number);
    const bool vector = o && o->kind == OPERAND_VECTOR;
    if (!o || (vector ? o->count : 1) != op->count)
        return gmptx_bad_operand(d, number);
    for (unsigned i = 0; i < op->count; i++) {
        const ptx_operand *e = vector ? gmptx_element(d, o, i) : o;
        ptx_ref ref;
        if (!(results ? gmptx_place_result(d, e, op->width[0], &ref)
                      : gmptx_place(d, e, op->width[0], (ptx_type)op->type, &ref)) ||
            !gmptx_add_ref(op, ref))
            return gmptx_bad_operand(d, number);
    }
    op->writes = results ? (uint8_t)op->count : 0;
    return true;
}

/* tex.2d.v4.f32.f32 {r, g, b, a}, [object, {x, y}] */
static bool decode_tex(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    const unsigned n = parts->count;
    if (n != 5 || !take_geometry(op, parts) || !gmptx_take(parts, "v4"))
        return gmptx_unsupported(d);
    const ptx_type type = gmptx_type_of(parts->part[3]), from = gmptx_type_of(parts->part[4]);
    parts->used |= 3u << 3;
    if ((type != PTX_F32 && type != PTX_S32 && type != PTX_U32) ||
        (from != PTX_F32 && from != PTX_S32))
        return gmptx_unsupported(d);
    op->type = (uint8_t)type;
    op->type2 = (uint8_t)from;
    op->count = 4;
    op->width[0] = 4;
    op->run = gmptx_run_texture;
    return place_elements(d, op, 0, true) && place_object(d, op, 1, from) &&
           (gmptx_operand_count(d) == 3 || gmptx_bad_operand(d, 3));
}

/* suld.b.2d.v2.b32.trap {a, b}, [object, {x, y}]; x counts bytes. imm is what happens outside. */
static bool decode_surface(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool is_load)
{
    static const char *const outside[] = {"trap", "clamp", "zero"};
    static const struct {
        const char *name;
        ptx_type type;
    } types[] = {{"b8", PTX_B8}, {"b16", PTX_B16}, {"b32", PTX_B32}, {"b64", PTX_B64}};
    unsigned mode = 3, type = 4;
    const bool bytes = gmptx_take(parts, "b"), shaped = take_geometry(op, parts);
    op->count = gmptx_take(parts, "v2") ? 2 : gmptx_take(parts, "v4") ? 4 : 1;
    for (unsigned i = 0; i < 3; i++)
        mode = gmptx_take(parts, outside[i]) ? i : mode;
    for (unsigned i = 0; i < 4; i++)
        type = gmptx_take(parts, types[i].name) ? i : type;
    if (!bytes || !shaped || type == 4 || !gmptx_all_taken(parts))
        return gmptx_unsupported(d);
    op->imm = mode % 3;
    op->type = (uint8_t)types[type].type;
    op->width[0] = type < 2 ? 2 : type == 2 ? 4 : 8;
    op->run = is_load ? gmptx_run_surface_load : gmptx_run_surface_store;
    return (is_load ? place_elements(d, op, 0, true) && place_object(d, op, 1, PTX_S32)
                    : place_object(d, op, 0, PTX_S32) && place_elements(d, op, 2, false)) &&
           (gmptx_operand_count(d) == 3 || gmptx_bad_operand(d, 3));
}

bool gmptx_decode_texture(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known)
{
    const ptx_slice base = parts->part[0];
    *known = true;
    op->op_class = GMTRACE_CLASS_TEXTURE;
    op->trace_space = GMTRACE_SPACE_NONE;
    op->control = CONTROL_MEMORY;
    if (slice_is(base, "tex"))
        return decode_tex(d, op, parts);
    if (slice_is(base, "suld") || slice_is(base, "sust"))
        return decode_surface(d, op, parts, slice_is(base, "suld"));
    op->op_class = GMTRACE_CLASS_OTHER;
    op->control = CONTROL_NONE;
    *known = false;
    return true;
}
