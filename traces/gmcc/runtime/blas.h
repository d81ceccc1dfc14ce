/* SPDX-License-Identifier: MIT
 *
 * blas.h - what the calls of cuBLAS share: handles, and operands that must be device memory.
 */
#ifndef GMCUDA_BLAS_H
#define GMCUDA_BLAS_H

#include "traces/gmcc/include/cublas_v2.h"
#include "traces/gmcc/runtime/runtime.h"

#include <stdlib.h>

struct cublasContext {
    cublasPointerMode_t mode;
    cublasMath_t math;
    cudaStream_t stream;
};

typedef struct blas_matrix {
    const void *at;
    uint64_t rows, columns, step; /* as stored; elements from column to column */
    uint32_t bytes;               /* of an element */
} blas_matrix;

static inline blas_matrix blas_stored(const void *at, int rows, int columns, int step,
                                      uint32_t bytes, bool turned)
{
    return (blas_matrix){at, (uint64_t)(turned ? columns : rows),
                         (uint64_t)(turned ? rows : columns), (uint64_t)step, bytes};
}
static inline blas_matrix blas_vector(const void *at, int count, int step, uint32_t bytes)
{
    return blas_stored(at, 1, count, step, bytes, false);
}

/* Says once that the trace lacks what happens, and looks whether the operands are there. */
bool gmcuda_blas_begin(const char *call, cublasHandle_t handle, const blas_matrix *operand,
                       unsigned count);

/* Elements by their number: float, half, bfloat16; 0 bytes of a type that is none of these. */
uint32_t gmcuda_blas_bytes(cudaDataType type);
float gmcuda_blas_get(const void *from, size_t i, cudaDataType type);
void gmcuda_blas_put(void *to, size_t i, cudaDataType type, float value);

/* Calls that make and free a structure of zeros. */
#define BLAS_HANDLE(type, create, destroy)                                                         \
    cublasStatus_t create(type *handle)                                                            \
    {                                                                                              \
        const bool good = handle != NULL && (*handle = calloc(1, sizeof **handle)) != NULL;        \
        return good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;                          \
    }                                                                                              \
    cublasStatus_t destroy(type handle)                                                            \
    {                                                                                              \
        free(handle);                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }

#endif
