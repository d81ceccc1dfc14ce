/* SPDX-License-Identifier: MIT
 *
 * tensor.h - what a tensor map (CUtensorMap) says, and which bytes of global memory a copy of a box
 * touches. The layout of the 64 bytes was found with cuTensorMapEncodeTiled of driver 580, one
 * argument changed at a time; that it is hardware's, and that boxes lie as here, was seen on an
 * H200 (validate/micro/tma.cu).
 *
 * Left out: maps in im2col mode, interleaved ones, elements left out along the innermost dimension.
 * gmtrace_tensor_read() refuses them.
 */
#ifndef GMTRACE_CODE_TENSOR_H
#define GMTRACE_CODE_TENSOR_H

#include "traces/gmtrace.h"

typedef struct gmtrace_tensor {
    uint64_t base;
    uint64_t size[GMTRACE_TENSOR_DIMS];   /* in elements, innermost first; 1 beyond the rank */
    uint64_t stride[GMTRACE_TENSOR_DIMS]; /* in bytes; of dimension 0 the element's size */
    uint32_t box[GMTRACE_TENSOR_DIMS];    /* in elements: 1 to 256 */
    uint32_t every[GMTRACE_TENSOR_DIMS];  /* of which every so manyth is copied: 1 to 8 */
    uint32_t rank;
    uint32_t element; /* bytes */
    uint32_t promote; /* bytes that L2 fetches from DRAM at once: 0 as always, 64, 128 or 256 */
} gmtrace_tensor;

/* False where the map says what is left out, or nothing sensible. */
bool gmtrace_tensor_read(const uint64_t map[GMTRACE_TENSOR_WORDS], gmtrace_tensor *tensor);
/* Rows of a box, each along dimension 0, and bytes in shared memory of one and of all. */
uint32_t gmtrace_tensor_rows(const gmtrace_tensor *tensor);
static inline uint32_t gmtrace_tensor_row_bytes(const gmtrace_tensor *tensor)
{
    return tensor->box[0] * tensor->element;
}
static inline uint64_t gmtrace_tensor_bytes(const gmtrace_tensor *tensor)
{
    return (uint64_t)gmtrace_tensor_rows(tensor) * gmtrace_tensor_row_bytes(tensor);
}

/* Whether any byte of the box is of the tensor. */
bool gmtrace_tensor_touches(const gmtrace_tensor *tensor,
                            const int32_t coordinate[GMTRACE_TENSOR_DIMS]);

/* One row of a box after another. */
typedef struct gmtrace_tensor_walk {
    const gmtrace_tensor *tensor;
    const int32_t *coordinate;
    uint32_t at[GMTRACE_TENSOR_DIMS];
    uint32_t left; /* rows */
} gmtrace_tensor_walk;

/* Where a row lies, were the tensor endless, and which of its bytes, counted from there, are of the
 * tensor; none where begin == end. */
typedef struct gmtrace_tensor_row {
    uint64_t address;
    uint32_t begin, end;
} gmtrace_tensor_row;

/* Both must stay as they are until the walk ends. */
void gmtrace_tensor_begin(gmtrace_tensor_walk *walk, const gmtrace_tensor *tensor,
                          const int32_t coordinate[GMTRACE_TENSOR_DIMS]);
bool gmtrace_tensor_next(gmtrace_tensor_walk *walk, gmtrace_tensor_row *row);

#endif
