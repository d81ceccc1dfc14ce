/* SPDX-License-Identifier: MIT
 *
 * tensor.h - matrices that a warp holds in registers, of mma, wmma, ldmatrix and stmatrix.
 *
 * A lane is number t of group g, g = lane / 4. The layout of mma's operands is PTX's own (PTX ISA
 * 8.0, section 9.7.13). That of wmma's is nobody's business there; here it is the one that makes of
 * a wmma.mma the instructions that ptxas makes of it: blocks of 8 rows and 16 bytes, as mma has
 * them, those of half floats twice or more often, since PTX gives them eight registers always.
 */
#ifndef GMPTX_TENSOR_H
#define GMPTX_TENSOR_H

#include "traces/ptx/image.h"

typedef enum ptx_element {
    ELEMENT_NONE = 0,
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_TF32,
    ELEMENT_F32,
    ELEMENT_F64,
    ELEMENT_S8,
    ELEMENT_U8,
    ELEMENT_E4M3,
    ELEMENT_E5M2,
    ELEMENT_S4,
    ELEMENT_U4,
    ELEMENT_B1,
    ELEMENT_S32,
} ptx_element;

typedef enum ptx_role { ROLE_D = 0, ROLE_A, ROLE_B, ROLE_C } ptx_role;

typedef struct ptx_matrix {
    uint8_t element;   /* ptx_element */
    uint8_t role;      /* ptx_role: A has k along its rows, B along its columns */
    uint8_t by_column; /* in memory */
    uint8_t registers; /* of the instruction */
    uint8_t first;     /* of its references */
    uint16_t rows, columns;
} ptx_matrix;

struct ptx_tensor {
    ptx_matrix matrix[4]; /* by ptx_role; of a load or store one */
    uint8_t combine;      /* of bits: 'x' xor, 'a' and */
    uint8_t saturate;     /* sums stay at the ends of int */
    uint8_t transposed;   /* ldmatrix.trans */
    uint8_t matrices;     /* ldmatrix, stmatrix */
    uint8_t has_stride;   /* the last reference; otherwise lines lie side by side */
};

static inline unsigned gmptx_element_bits(ptx_element element)
{
    static const uint8_t bits[] = {
        [ELEMENT_F16] = 16, [ELEMENT_BF16] = 16, [ELEMENT_TF32] = 32, [ELEMENT_F32] = 32,
        [ELEMENT_F64] = 64, [ELEMENT_S8] = 8,    [ELEMENT_U8] = 8,    [ELEMENT_E4M3] = 8,
        [ELEMENT_E5M2] = 8, [ELEMENT_S4] = 4,    [ELEMENT_U4] = 4,    [ELEMENT_B1] = 1,
        [ELEMENT_S32] = 32};
    return bits[element];
}
/* Registers that hold a matrix once. */
static inline unsigned gmptx_registers_of(const ptx_matrix *x)
{
    const unsigned bits = gmptx_element_bits((ptx_element)x->element);
    return x->rows * x->columns / 32u * bits / (bits == 64 ? 64u : 32u);
}

/* Where the first element of a register lies that holds `per` of them; the others follow it along
 * k, those of sums along the row. */
static inline void gmptx_position(const ptx_matrix *x, unsigned per, unsigned reg, unsigned lane,
                                  unsigned *row, unsigned *column)
{
    const unsigned g = lane / 4, t = lane % 4;
    unsigned low = 0, blocks;
    switch ((ptx_role)x->role) {
    case ROLE_A:
        blocks = x->columns / (4 * per);
        if (x->rows > 8) {
            low = 8 * (reg % 2) + 16 * (reg / (2 * blocks));
            reg = reg / 2 % blocks;
        }
        *row = low + g;
        *column = reg * 4 * per + t * per;
        return;
    case ROLE_B:
        blocks = x->rows / (4 * per);
        *row = reg % blocks * 4 * per + t * per;
        *column = reg / blocks * 8 + g;
        return;
    default:
        blocks = x->columns / 8u;
        *column = 2 * t + (reg * per & 1);
        reg = reg * per / 2;
        if (x->rows > 8) {
            low = 8 * (reg % 2) + 16 * (reg / 2 / blocks);
            reg = reg / 2 % blocks;
        }
        *row = low + g;
        *column += 8 * reg;
    }
}

/* All lanes must take part; false after a fault. */
bool gmptx_whole_warp(ptx_warp *w, const ptx_op *op);
void gmptx_run_mma(ptx_warp *w, const ptx_op *op);
void gmptx_run_wmma_load(ptx_warp *w, const ptx_op *op);
void gmptx_run_wmma_store(ptx_warp *w, const ptx_op *op);
void gmptx_run_ldmatrix(ptx_warp *w, const ptx_op *op);
void gmptx_run_stmatrix(ptx_warp *w, const ptx_op *op);
void gmptx_run_movmatrix(ptx_warp *w, const ptx_op *op);

#endif
