/* SPDX-License-Identifier: MIT
 *
 * decode_tensor.c - mma, wmma, ldmatrix, stmatrix, movmatrix. Left out: mma of sparse matrices
 * (mma.sp), Volta's own shape m8n8k4 of half floats, scaled blocks, wgmma, tcgen05.
 */
#include "traces/ptx/decode.h"
#include "traces/ptx/tensor.h"

#include <stdlib.h>

static const struct {
    const char *name;
    ptx_element element;
} elements[] = {{"f16", ELEMENT_F16}, {"bf16", ELEMENT_BF16}, {"tf32", ELEMENT_TF32},
                {"f32", ELEMENT_F32}, {"f64", ELEMENT_F64},   {"s8", ELEMENT_S8},
                {"u8", ELEMENT_U8},   {"e4m3", ELEMENT_E4M3}, {"e5m2", ELEMENT_E5M2},
                {"s4", ELEMENT_S4},   {"u4", ELEMENT_U4},     {"b1", ELEMENT_B1},
                {"s32", ELEMENT_S32}};

/* The next part that is an element's name. */
static ptx_element take_element(ptx_parts *parts)
{
    for (uint32_t i = 1; i < parts->count; i++)
        for (size_t n = 0; n < sizeof elements / sizeof *elements; n++)
            if (!(parts->used >> i & 1) && slice_is(parts->part[i], elements[n].name)) {
                parts->used |= 1u << i;
                return elements[n].element;
            }
    return ELEMENT_NONE;
}

/* "m16n8k16": rows, columns, depth. */
static bool take_shape(ptx_parts *parts, unsigned shape[3])
{
    for (uint32_t i = 1; i < parts->count; i++) {
        const ptx_slice p = parts->part[i];
        char text[20] = "", *end;
        if (parts->used >> i & 1 || p.length >= sizeof text || p.text[0] != 'm')
            continue;
        memcpy(text, p.text, p.length);
        shape[0] = (unsigned)strtoul(text + 1, &end, 10);
        shape[1] = *end == 'n' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
        shape[2] = *end == 'k' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
        if (*end || !shape[0] || !shape[1] || shape[0] > 256 || shape[1] > 256 || shape[2] > 256)
            continue;
        parts->used |= 1u << i;
        return true;
    }
    return false;
}

/* The parts `row` and `col` in their order; false where there is none. */
static bool take_layout(ptx_parts *parts, uint8_t *by_column)
{
    for (uint32_t i = 1; i < parts->count; i++) {
        const bool column = slice_is(parts->part[i], "col");
        if (parts->used >> i & 1 || (!column && !slice_is(parts->part[i], "row")))
            continue;
        parts->used |= 1u << i;
        *by_column = column;
        return true;
    }
    return false;
}

static void set_matrix(struct ptx_tensor *t, ptx_role role, ptx_element element,
                       const unsigned shape[3])
{
    ptx_matrix *x = &t->matrix[role];
    x->role = (uint8_t)role;
    x->element = (uint8_t)element;
    x->rows = (uint16_t)(role == ROLE_B ? shape[2] : shape[0]);
    x->columns = (uint16_t)(role == ROLE_A ? shape[2] : shape[1]);
}

static bool add_wide(ptx_decoder *d, ptx_op *op, ptx_ref ref)
{
    ptx_kernel *k = d->kernel;
    if (op->refs >= 64)
        return gmptx_unsupported(d);
    if (!GMT_GROW(k->wide, k->wide_count))
        return gmptx_fail(d->error, GMTRACE_MEMORY, d->statement->line, "out of memory");
    if (!op->wide) {
        op->wide = 1;
        op->first = k->wide_count;
    }
    k->wide[k->wide_count++] = ref;
    op->refs++;
    return true;
}

/* The registers of a matrix: one, or a list. */
static bool place_matrix(ptx_decoder *d, ptx_op *op, ptx_matrix *x, unsigned number, bool is_result)
{
    const ptx_operand *o = gmptx_operand(d, number);
    const bool list = o && o->kind == OPERAND_VECTOR;
    const unsigned count = !o ? 0 : list ? o->count : 1;
    const unsigned bytes = x->element == ELEMENT_F64 ? 8 : 4, once = gmptx_registers_of(x);
    ptx_ref ref;
    if (!count || !once || count % once)
        return gmptx_bad_operand(d, number);
    x->first = op->refs;
    x->registers = (uint8_t)count;
    for (unsigned i = 0; i < count; i++) {
        const ptx_operand *e = list ? gmptx_element(d, o, i) : o;
        if (!(is_result ? gmptx_place_result(d, e, bytes, &ref)
                        : gmptx_place(d, e, bytes, PTX_F32, &ref)))
            return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, number);
        if (!add_wide(d, op, ref))
            return false;
    }
    op->writes = is_result ? op->refs : op->writes;
    op->width[0] = (uint8_t)bytes;
    return true;
}

static bool keep(ptx_decoder *d, ptx_op *op, const struct ptx_tensor *t)
{
    ptx_kernel *k = d->kernel;
    if (!GMT_GROW(k->tensor, k->tensor_count))
        return gmptx_fail(d->error, GMTRACE_MEMORY, d->statement->line, "out of memory");
    op->imm = k->tensor_count;
    k->tensor[k->tensor_count++] = *t;
    return true;
}

static bool is_side(unsigned n)
{
    return n == 8 || n == 16 || n == 32;
}

/* Whole blocks, of sizes that the buffers of exec_tensor.c hold. */
static bool fits(const struct ptx_tensor *t)
{
    const ptx_matrix *a = &t->matrix[ROLE_A], *b = &t->matrix[ROLE_B];
    const unsigned bits = gmptx_element_bits((ptx_element)a->element);
    const unsigned depth = a->columns * bits;
    return bits && a->element != ELEMENT_S32 && a->element != ELEMENT_F32 && depth &&
           bits == gmptx_element_bits((ptx_element)b->element) && is_side(a->rows) &&
           is_side(b->columns) && depth % (bits == 64 ? 256u : 128u) == 0 &&
           depth <= (bits == 64 ? 1024u : 256u) && (bits != 16 || a->columns != 4);
}

/* Whole blocks, in memory, and no more than the registers of the largest fragment. */
static bool is_tile(const ptx_matrix *x, ptx_role role, unsigned bits)
{
    const bool sums = x->element == ELEMENT_F16 || x->element == ELEMENT_F32 ||
                      x->element == ELEMENT_F64 || x->element == ELEMENT_S32;
    const unsigned depth = bits * (role == ROLE_A ? x->columns : x->rows);
    const bool blocks = depth % (bits == 64 ? 256u : 128u) == 0;
    if (!bits || gmptx_registers_of(x) == 0 || gmptx_registers_of(x) > 8)
        return false;
    if (role == ROLE_A || role == ROLE_B)
        return blocks && is_side(role == ROLE_A ? x->rows : x->columns) &&
               x->element != ELEMENT_F32 && x->element != ELEMENT_S32;
    return sums && is_side(x->rows) && is_side(x->columns);
}

/* What the products of such elements are summed up as. */
static bool sums(ptx_element a, ptx_element b, ptx_element d, ptx_element c)
{
    const bool half = d == ELEMENT_F16 || d == ELEMENT_F32;
    const bool half_c = c == ELEMENT_F16 || c == ELEMENT_F32;
    switch (a) {
    case ELEMENT_F16:
        return b == a && half && half_c;
    case ELEMENT_BF16:
    case ELEMENT_TF32:
        return b == a && d == ELEMENT_F32 && c == ELEMENT_F32;
    case ELEMENT_E4M3:
    case ELEMENT_E5M2:
        return (b == ELEMENT_E4M3 || b == ELEMENT_E5M2) && half && c == d;
    case ELEMENT_F64:
        return b == a && d == a && c == a;
    case ELEMENT_S8:
    case ELEMENT_U8:
    case ELEMENT_S4:
    case ELEMENT_U4:
    case ELEMENT_B1:
        return b != ELEMENT_E4M3 && b != ELEMENT_E5M2 && d == ELEMENT_S32 && c == ELEMENT_S32;
    default:
        return false;
    }
}

/* {w}mma.sync.aligned.SHAPE.row.col.D.A.B.C d, a, b, c; wmma of half floats names D and C alone. */
static bool decode_mma(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool warp_wide)
{
    struct ptx_tensor t = {0};
    unsigned shape[3];
    ptx_element named[4];
    unsigned names = 0;
    const bool synchronised = gmptx_take(parts, "sync") && gmptx_take(parts, "aligned");
    if (!synchronised || !take_shape(parts, shape) ||
        !take_layout(parts, &t.matrix[ROLE_A].by_column) ||
        !take_layout(parts, &t.matrix[ROLE_B].by_column))
        return gmptx_unsupported(d);
    t.saturate = gmptx_take(parts, "satfinite");
    gmptx_take(parts, "rn");
    t.combine = gmptx_take(parts, "xor") ? 'x' : gmptx_take(parts, "and") ? 'a' : 0;
    if (t.combine && !gmptx_take(parts, "popc"))
        return gmptx_unsupported(d);
    while (names < 4 && (named[names] = take_element(parts)) != ELEMENT_NONE)
        names++;
    if (warp_wide && names == 2) {
        named[3] = named[1];
        named[1] = named[2] = ELEMENT_F16;
        names = 4;
    }
    if (names != 4 || !gmptx_all_taken(parts))
        return gmptx_unsupported(d);
    static const ptx_role role[] = {ROLE_D, ROLE_A, ROLE_B, ROLE_C};
    for (unsigned i = 0; i < 4; i++)
        set_matrix(&t, role[i], named[i], shape);
    /* mma's operands have one layout; what wmma's had in memory is over */
    if (!fits(&t) || !sums(named[1], named[2], named[0], named[3]) ||
        (named[1] == ELEMENT_B1) != (t.combine != 0) ||
        (!warp_wide && (t.matrix[ROLE_A].by_column || !t.matrix[ROLE_B].by_column)))
        return gmptx_unsupported(d);
    for (unsigned i = 0; i < 4; i++)
        if (!place_matrix(d, op, &t.matrix[role[i]], i, i == 0))
            return false;
    op->run = gmptx_run_mma;
    op->op_class = GMTRACE_CLASS_TENSOR;
    return (gmptx_operand_count(d) == 4 || gmptx_bad_operand(d, 4)) && keep(d, op, &t);
}

/* wmma.load.a.sync.aligned.row.SHAPE{.space}.TYPE r, [p]{, stride}
 * wmma.store.d.sync.aligned.row.SHAPE{.space}.TYPE [p], r{, stride} */
static bool decode_wmma_memory(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool is_load)
{
    struct ptx_tensor t = {0};
    unsigned shape[3];
    const ptx_role role = !is_load                 ? ROLE_D
                          : gmptx_take(parts, "a") ? ROLE_A
                          : gmptx_take(parts, "b") ? ROLE_B
                                                   : ROLE_C;
    const bool named = role == ROLE_A || role == ROLE_B || gmptx_take(parts, is_load ? "c" : "d");
    const bool synchronised = gmptx_take(parts, "sync") && gmptx_take(parts, "aligned");
    ptx_matrix *x = &t.matrix[role];
    if (!named || !synchronised || !take_layout(parts, &x->by_column) ||
        !take_shape(parts, shape) || shape[2] > 128 || shape[0] > 32 || shape[1] > 32)
        return gmptx_unsupported(d);
    const bool shared = gmptx_take(parts, "shared") || gmptx_take(parts, "shared::cta");
    const ptx_space space = shared                        ? PTX_SPACE_SHARED
                            : gmptx_take(parts, "global") ? PTX_SPACE_GLOBAL
                                                          : PTX_SPACE_NONE;
    set_matrix(&t, role, take_element(parts), shape);
    const unsigned bits = gmptx_element_bits((ptx_element)x->element);
    const unsigned data = is_load ? 0 : 1, at = is_load ? 1 : 0;
    if (!gmptx_all_taken(parts) || !is_tile(x, role, bits))
        return gmptx_unsupported(d);
    if (bits < 8) { /* words of several: they are never taken apart */
        const bool along = role == ROLE_B ? x->by_column : !x->by_column;
        if (!along)
            return gmptx_unsupported(d);
    }
    if (!place_matrix(d, op, x, data, is_load))
        return false;
    if (!gmptx_decode_address(d, op, gmptx_operand(d, at), space))
        return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, at);
    if (gmptx_operand_count(d) > 2) {
        ptx_ref ref;
        if (!gmptx_place(d, gmptx_operand(d, 2), 4, PTX_U32, &ref))
            return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, 2);
        t.has_stride = true;
        if (!add_wide(d, op, ref))
            return false;
    }
    /* ptxas takes ldmatrix for halves in shared memory. */
    const unsigned blocks = x->rows * x->columns / 64u;
    if (is_load && bits == 16 && space != PTX_SPACE_GLOBAL)
        t.matrices = (uint8_t)(blocks < 4 ? blocks : 4);
    op->mode2 = 0;
    op->type = bits == 64 ? PTX_B64 : bits == 8 ? PTX_B8 : PTX_B32;
    op->vector = 1;
    op->run = is_load ? gmptx_run_wmma_load : gmptx_run_wmma_store;
    op->control = CONTROL_MEMORY;
    op->op_class = is_load ? GMTRACE_CLASS_LOAD : GMTRACE_CLASS_STORE;
    op->trace_space = shared                      ? GMTRACE_SPACE_SHARED
                      : space == PTX_SPACE_GLOBAL ? GMTRACE_SPACE_GLOBAL
                                                  : GMTRACE_SPACE_GENERIC;
    return (gmptx_operand_count(d) <= 3 || gmptx_bad_operand(d, 3)) && keep(d, op, &t);
}

/* ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 {a, b, c, d}, [p] */
static bool decode_ldmatrix(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool is_load)
{
    struct ptx_tensor t = {0};
    const bool whole =
        gmptx_take(parts, "sync") && gmptx_take(parts, "aligned") && gmptx_take(parts, "m8n8");
    t.matrices = gmptx_take(parts, "x1")   ? 1
                 : gmptx_take(parts, "x2") ? 2
                 : gmptx_take(parts, "x4") ? 4
                                           : 0;
    t.transposed = gmptx_take(parts, "trans");
    const bool shared = gmptx_take(parts, "shared") || gmptx_take(parts, "shared::cta");
    if (!whole || !t.matrices || !gmptx_take(parts, "b16") || !gmptx_all_taken(parts))
        return gmptx_unsupported(d);
    ptx_matrix *x = &t.matrix[ROLE_D];
    *x = (ptx_matrix){.element = ELEMENT_F16, .rows = (uint16_t)(8 * t.matrices), .columns = 8};
    const unsigned data = is_load ? 0 : 1, at = is_load ? 1 : 0;
    if (!place_matrix(d, op, x, data, is_load) || x->registers != t.matrices)
        return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, data);
    if (!gmptx_decode_address(d, op, gmptx_operand(d, at),
                              shared ? PTX_SPACE_SHARED : PTX_SPACE_NONE))
        return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, at);
    op->type = PTX_B32;
    op->vector = t.matrices;
    op->run = is_load ? gmptx_run_ldmatrix : gmptx_run_stmatrix;
    op->control = CONTROL_MEMORY;
    op->op_class = is_load ? GMTRACE_CLASS_LOAD : GMTRACE_CLASS_STORE;
    op->trace_space = GMTRACE_SPACE_SHARED;
    return (gmptx_operand_count(d) == 2 || gmptx_bad_operand(d, 2)) && keep(d, op, &t);
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a */
static bool decode_movmatrix(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    static const char *const words[] = {"sync", "aligned", "m8n8", "trans", "b16"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!gmptx_take(parts, words[i]))
            return gmptx_unsupported(d);
    ptx_ref ref;
    for (unsigned i = 0; i < 2; i++)
        if (!(i ? gmptx_place(d, gmptx_operand(d, i), 4, PTX_B32, &ref)
                : gmptx_place_result(d, gmptx_operand(d, i), 4, &ref)) ||
            !gmptx_add_ref(op, ref))
            return gmptx_bad_operand(d, i);
    op->writes = 1;
    op->type = PTX_B32;
    op->run = gmptx_run_movmatrix;
    op->op_class = GMTRACE_CLASS_SHUFFLE;
    return gmptx_operand_count(d) == 2 || gmptx_bad_operand(d, 2);
}

bool gmptx_decode_tensor(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known)
{
    const ptx_slice base = parts->part[0];
    *known = true;
    if (slice_is(base, "mma"))
        return decode_mma(d, op, parts, false);
    if (slice_is(base, "wmma") && gmptx_take(parts, "mma"))
        return decode_mma(d, op, parts, true);
    if (slice_is(base, "wmma") && gmptx_take(parts, "load"))
        return decode_wmma_memory(d, op, parts, true);
    if (slice_is(base, "wmma") && gmptx_take(parts, "store"))
        return decode_wmma_memory(d, op, parts, false);
    if (slice_is(base, "ldmatrix") || slice_is(base, "stmatrix"))
        return decode_ldmatrix(d, op, parts, slice_is(base, "ldmatrix"));
    if (slice_is(base, "movmatrix"))
        return decode_movmatrix(d, op, parts);
    *known = false;
    return true;
}
