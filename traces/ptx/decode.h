/* SPDX-License-Identifier: MIT
 *
 * decode.h - what the files of the decoder share. Private to traces/ptx/decode*.c.
 */
#ifndef GMPTX_DECODE_H
#define GMPTX_DECODE_H

#include "traces/ptx/exec.h"

#define MAX_PARTS 16u

/* An opcode at its dots. */
typedef struct ptx_parts {
    ptx_slice part[MAX_PARTS]; /* part[0]: "ld" */
    uint32_t count;
    uint32_t used; /* bits of the parts that somebody has understood */
} ptx_parts;

bool gmptx_unsupported(const ptx_decoder *d); /* reports the instruction; false */
bool gmptx_bad_operand(const ptx_decoder *d, unsigned number);
/* Is the part there? It is then understood. */
bool gmptx_take(ptx_parts *parts, const char *word);
bool gmptx_all_taken(const ptx_parts *parts);
const ptx_operand *gmptx_operand(const ptx_decoder *d, unsigned number); /* NULL past the last */
unsigned gmptx_operand_count(const ptx_decoder *d);
const ptx_operand *gmptx_element(const ptx_decoder *d, const ptx_operand *list, unsigned number);
unsigned gmptx_register_bytes(const ptx_decoder *d, const ptx_operand *o); /* 0: none, predicate */
bool gmptx_is_predicate(const ptx_decoder *d, const ptx_operand *o);
/* The place of an operand that must have `bytes` (0: a predicate). Constants are put in the pool,
 * as `type` where they are floats. */
bool gmptx_place(ptx_decoder *d, const ptx_operand *o, unsigned bytes, ptx_type type, ptx_ref *ref);
bool gmptx_place_result(ptx_decoder *d, const ptx_operand *o, unsigned bytes, ptx_ref *ref);
/* [base + offset] in `space`. */
bool gmptx_decode_address(ptx_decoder *d, ptx_op *op, const ptx_operand *o, ptx_space space);
/* The value of a variable's name in its own space; in_frame where it counts from a frame. */
bool gmptx_symbol_address(ptx_decoder *d, uint32_t symbol, uint64_t *value, bool *in_frame,
                          ptx_space *space);
bool gmptx_add_ref(ptx_op *op, ptx_ref ref); /* false: too many */

/* Each decodes what it knows, *known false otherwise. */
bool gmptx_decode_memory(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known);
bool gmptx_decode_control(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known);
bool gmptx_decode_mbarrier(ptx_decoder *d, ptx_op *op, ptx_parts *parts); /* mbarrier.c */
bool gmptx_decode_copy_arrival(ptx_decoder *d, ptx_op *op, ptx_parts *parts);
bool gmptx_decode_move(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known);
bool gmptx_decode_texture(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known);
bool gmptx_decode_tensor(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known);
bool gmptx_decode_compare(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known);
bool gmptx_decode_row(ptx_decoder *d, ptx_op *op, ptx_parts *parts);

ptx_run gmptx_faster(ptx_run run);

#endif
