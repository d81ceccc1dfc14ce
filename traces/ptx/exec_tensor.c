/* SPDX-License-Identifier: MIT
 *
 * exec_tensor.c - matrix products of a warp. Products are exact; sums of floats are computed in
 * double and rounded once, where hardware cuts off bits that its documents do not name: a result
 * may differ from a GPU's in its last places. Integers wrap around, or stay at the ends.
 */
#include "traces/ptx/exec.h"
#include "traces/ptx/tensor.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#define SIDE  32u /* rows, columns */
#define DEPTH 64u

static double value_of(ptx_element element, uint32_t bits)
{
    float f;
    switch (element) {
    case ELEMENT_F16:
        return (double)gmptx_half_to_float((uint16_t)bits);
    case ELEMENT_BF16:
        return (double)bf16_to_float((uint16_t)bits);
    case ELEMENT_TF32:
        bits &= ~0x1fffu; /* nobody looks at them */
        break;
    case ELEMENT_E5M2: /* the upper half of a half */
        return (double)gmptx_half_to_float((uint16_t)(bits << 8));
    case ELEMENT_E4M3:
        if ((bits & 0x7f) == 0x7f)
            return (double)NAN;
        f = (float)(bits & 7) + (bits & 0x78 ? 8.0f : 0.0f);
        f = ldexpf(f, (int)(bits & 0x78 ? bits >> 3 & 15 : 1) - 10);
        return (double)(bits & 0x80 ? -f : f);
    default:
        break;
    }
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static int32_t integer_of(ptx_element element, uint32_t bits)
{
    switch (element) {
    case ELEMENT_S8:
        return (int8_t)bits;
    case ELEMENT_S4:
        return (int32_t)(bits << 28) >> 28;
    default:
        return (int32_t)bits;
    }
}

/* A matrix to rows of `step` numbers. Bits stay together in words of 32. */
static void gather(ptx_warp *w, const ptx_op *op, const ptx_matrix *x, void *to, unsigned step)
{
    const ptx_ref *refs = gmptx_refs(w->kernel, op) + x->first;
    const unsigned once = gmptx_registers_of(x);
    unsigned bits = gmptx_element_bits((ptx_element)x->element);
    const bool real =
        x->element < ELEMENT_S8 || x->element == ELEMENT_E4M3 || x->element == ELEMENT_E5M2;
    ptx_matrix words = *x;
    if (bits == 1) {
        bits = 32;
        *(x->role == ROLE_B ? &words.rows : &words.columns) /= 32;
    }
    const unsigned per = bits == 64 ? 1 : 32 / bits;
    const unsigned ahead = x->role == ROLE_B ? step : 1; /* to the register's next element */
    for (unsigned reg = 0; reg < once; reg++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned row, column;
            gmptx_position(&words, per, reg, lane, &row, &column);
            const size_t at = (size_t)row * step + column;
            if (bits == 64) {
                ((double *)to)[at] = ((const double *)lanes_of(w, refs[reg]))[lane];
                continue;
            }
            uint32_t word = ((const uint32_t *)lanes_of(w, refs[reg]))[lane];
            for (unsigned i = 0; i < per; i++, word = bits < 32 ? word >> bits : 0) {
                const uint32_t one = bits < 32 ? word & ((1u << bits) - 1) : word;
                if (real)
                    ((double *)to)[at + i * ahead] = value_of((ptx_element)x->element, one);
                else
                    ((int32_t *)to)[at + i * ahead] = integer_of((ptx_element)x->element, one);
            }
        }
}

/* a to rows of DEPTH, the others to rows of SIDE numbers. */
static void gather_all(ptx_warp *w, const ptx_op *op, const struct ptx_tensor *t, void *a, void *b,
                       void *c)
{
    gather(w, op, &t->matrix[ROLE_A], a, DEPTH);
    gather(w, op, &t->matrix[ROLE_B], b, SIDE);
    gather(w, op, &t->matrix[ROLE_C], c, SIDE);
}

static void scatter(ptx_warp *w, const ptx_op *op, const ptx_matrix *x, const void *from)
{
    const ptx_ref *refs = gmptx_refs(w->kernel, op) + x->first;
    const unsigned once = gmptx_registers_of(x), per = x->element == ELEMENT_F16 ? 2 : 1;
    for (unsigned reg = 0; reg < x->registers; reg++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned row, column;
            gmptx_position(x, per, reg % once, lane, &row, &column);
            const size_t at = (size_t)row * SIDE + column;
            const double *real = (const double *)from + at;
            uint32_t word;
            float f;
            switch ((ptx_element)x->element) {
            case ELEMENT_F64:
                ((double *)lanes_of(w, refs[reg]))[lane] = *real;
                continue;
            case ELEMENT_F16:
                word = gmptx_double_to_half(real[0]) | (uint32_t)gmptx_double_to_half(real[1])
                                                           << 16;
                break;
            case ELEMENT_F32:
                f = (float)*real;
                memcpy(&word, &f, sizeof word);
                break;
            default:
                word = ((const uint32_t *)from)[at];
            }
            ((uint32_t *)lanes_of(w, refs[reg]))[lane] = word;
        }
}

static void multiply_floats(ptx_warp *w, const ptx_op *op, const struct ptx_tensor *t)
{
    const unsigned rows = t->matrix[ROLE_D].rows, columns = t->matrix[ROLE_D].columns;
    const unsigned depth = t->matrix[ROLE_A].columns;
    const bool wide = t->matrix[ROLE_A].element == ELEMENT_F64;
    double a[SIDE * DEPTH], b[DEPTH * SIDE], sum[SIDE * SIDE];
    gather_all(w, op, t, a, b, sum);
    for (unsigned m = 0; m < rows; m++)
        for (unsigned k = 0; k < depth; k++) {
            const double left = a[m * DEPTH + k], *right = b + k * SIDE;
            double *to = sum + m * SIDE;
            if (wide)
                for (unsigned n = 0; n < columns; n++)
                    to[n] = fma(left, right[n], to[n]);
            else
                for (unsigned n = 0; n < columns; n++)
                    to[n] += left * right[n];
        }
    scatter(w, op, &t->matrix[ROLE_D], sum);
}

static void multiply_integers(ptx_warp *w, const ptx_op *op, const struct ptx_tensor *t)
{
    const unsigned rows = t->matrix[ROLE_D].rows, columns = t->matrix[ROLE_D].columns;
    const unsigned depth = t->matrix[ROLE_A].columns / (t->combine ? 32u : 1u);
    int32_t a[SIDE * DEPTH], b[DEPTH * SIDE], sum[SIDE * SIDE];
    gather_all(w, op, t, a, b, sum);
    for (unsigned m = 0; m < rows; m++)
        for (unsigned n = 0; n < columns; n++) {
            int64_t s = sum[m * SIDE + n];
            for (unsigned k = 0; k < depth; k++) {
                const int32_t left = a[m * DEPTH + k], right = b[k * SIDE + n];
                s += t->combine == 'x'   ? __builtin_popcount((uint32_t)(left ^ right))
                     : t->combine == 'a' ? __builtin_popcount((uint32_t)(left & right))
                                         : (int64_t)left * right;
            }
            if (t->saturate)
                s = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
            sum[m * SIDE + n] = (int32_t)(uint32_t)s;
        }
    scatter(w, op, &t->matrix[ROLE_D], sum);
}

bool gmptx_whole_warp(ptx_warp *w, const ptx_op *op)
{
    if (w->active == ALL_LANES)
        return true;
    gmptx_fault_at(w, op, (unsigned)__builtin_ctz(~w->active), GMPTX_FAULT_INSTRUCTION);
    return false;
}

void gmptx_run_mma(ptx_warp *w, const ptx_op *op)
{
    const struct ptx_tensor *t = &w->kernel->tensor[op->imm];
    if (!gmptx_whole_warp(w, op))
        return;
    if (t->matrix[ROLE_D].element == ELEMENT_S32)
        multiply_integers(w, op, t);
    else
        multiply_floats(w, op, t);
}

/* Lane 4 i + j holds elements 2 j and 2 j + 1 of row i; of column i, then. */
void gmptx_run_movmatrix(ptx_warp *w, const ptx_op *op)
{
    if (!gmptx_whole_warp(w, op))
        return;
    const uint16_t *from = lanes_of(w, op->r[1]);
    uint16_t turned[64];
    for (unsigned i = 0; i < 8; i++)
        for (unsigned j = 0; j < 8; j++)
            turned[8 * i + j] = from[8 * j + i];
    memcpy(lanes_of(w, op->r[0]), turned, sizeof turned);
}
