/* SPDX-License-Identifier: MIT
 *
 * cublas_vectors.c - cuBLAS's calls on vectors, and those on matrices that multiply none, as loops
 * on the host; what a handle is set to; copies between host and device. Steps are positive: others
 * are refused.
 */
#include "traces/gmcc/runtime/blas.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- handles */

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream)
{
    *stream = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    handle->math = mode;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode)
{
    *mode = handle->math;
    return CUBLAS_STATUS_SUCCESS;
}
/* The host reads device memory anyway. */
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode)
{
    handle->mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode)
{
    *mode = handle->mode;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    (void)handle, (void)workspace, (void)bytes;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}
const char *cublasGetStatusName(cublasStatus_t status)
{
    static const struct {
        cublasStatus_t status;
        const char *name;
    } names[] = {{CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS"},
                 {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED"},
                 {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED"},
                 {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE"},
                 {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED"},
                 {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].status == status)
            return names[i].name;
    return "unknown";
}
const char *cublasGetStatusString(cublasStatus_t status)
{
    return cublasGetStatusName(status);
}

/* --------------------------------------------------------------------------------------- copies */

static cublasStatus_t copied(cudaError_t error)
{
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void *a, int lda, void *b,
                               int ldb)
{
    if (rows < 0 || columns < 0 || bytes < 1 || lda < rows || ldb < rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    const size_t size = (size_t)bytes;
    return copied(cudaMemcpy2D(b, (size_t)ldb * size, a, (size_t)lda * size, (size_t)rows * size,
                               (size_t)columns, cudaMemcpyDefault));
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void *a, int lda, void *b,
                               int ldb)
{
    return cublasSetMatrix(rows, columns, bytes, a, lda, b, ldb);
}
cublasStatus_t cublasSetVector(int count, int bytes, const void *x, int x_step, void *y, int y_step)
{
    return cublasSetMatrix(1, count, bytes, x, x_step, y, y_step);
}
cublasStatus_t cublasGetVector(int count, int bytes, const void *x, int x_step, void *y, int y_step)
{
    return cublasSetMatrix(1, count, bytes, x, x_step, y, y_step);
}

/* -------------------------------------------------------------------------------------- vectors */

#define X(i) x[(size_t)(i) * (size_t)x_step]
#define Y(i) y[(size_t)(i) * (size_t)y_step]

/* The vectors of a call, and that it takes their steps. */
#define ONE(type) blas_vector(x, n, x_step, sizeof(type))
#define TWO(type) ONE(type), blas_vector(y, n, y_step, sizeof(type))
#define ONE_GOOD  (x_step >= 1)
#define TWO_GOOD  (x_step >= 1 && y_step >= 1)

/* A call on vectors of n elements. `done` follows the loop. */
#define ON(vectors, good, call, name, parameters, before, each, done)                              \
    cublasStatus_t name parameters                                                                 \
    {                                                                                              \
        const blas_matrix operand[] = {vectors};                                                   \
        if (n < 0 || !good)                                                                        \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        if (!gmcuda_blas_begin(call, handle, operand, sizeof operand / sizeof *operand))           \
            return CUBLAS_STATUS_EXECUTION_FAILED;                                                 \
        before;                                                                                    \
        for (int i = 0; i < n; i++)                                                                \
            each;                                                                                  \
        done;                                                                                      \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
#define ON_ONE(type, ...) ON(ONE(type), ONE_GOOD, __VA_ARGS__)
#define ON_TWO(type, ...) ON(TWO(type), TWO_GOOD, __VA_ARGS__)

/* Sums of squares are kept in double: a square of a float is no infinity there. */
#define VECTORS(S, SMALL, type, absolute)                                                          \
    ON_TWO(type, "cublas" #S "axpy", cublas##S##axpy_v2,                                           \
           (cublasHandle_t handle, int n, const type *alpha, const type *x, int x_step, type *y,   \
            int y_step),                                                                           \
           (void)0, Y(i) += *alpha * X(i), (void)0)                                                \
    ON_TWO(type, "cublas" #S "dot", cublas##S##dot_v2,                                             \
           (cublasHandle_t handle, int n, const type *x, int x_step, const type *y, int y_step,    \
            type *result),                                                                         \
           type sum = 0, sum += X(i) * Y(i), *result = sum)                                        \
    ON_TWO(type, "cublas" #S "copy", cublas##S##copy_v2,                                           \
           (cublasHandle_t handle, int n, const type *x, int x_step, type *y, int y_step),         \
           (void)0, Y(i) = X(i), (void)0)                                                          \
    ON_TWO(type, "cublas" #S "swap", cublas##S##swap_v2,                                           \
           (cublasHandle_t handle, int n, type *x, int x_step, type *y, int y_step), type t,       \
           (t = X(i), X(i) = Y(i), Y(i) = t), (void)0)                                             \
    ON_TWO(type, "cublas" #S "rot", cublas##S##rot_v2,                                             \
           (cublasHandle_t handle, int n, type *x, int x_step, type *y, int y_step, const type *c, \
            const type *s),                                                                        \
           type t, (t = *c * X(i) + *s * Y(i), Y(i) = *c * Y(i) - *s * X(i), X(i) = t), (void)0)   \
    ON_ONE(type, "cublas" #S "scal", cublas##S##scal_v2,                                           \
           (cublasHandle_t handle, int n, const type *alpha, type *x, int x_step), (void)0,        \
           X(i) *= *alpha, (void)0)                                                                \
    ON_ONE(type, "cublas" #S "nrm2", cublas##S##nrm2_v2,                                           \
           (cublasHandle_t handle, int n, const type *x, int x_step, type *result),                \
           double sum = 0, sum += (double)X(i) * (double)X(i), *result = (type)sqrt(sum))          \
    ON_ONE(type, "cublas" #S "asum", cublas##S##asum_v2,                                           \
           (cublasHandle_t handle, int n, const type *x, int x_step, type *result), type sum = 0,  \
           sum += absolute(X(i)), *result = sum)                                                   \
    ON_ONE(type, "cublasI" #SMALL "amax", cublasI##SMALL##amax_v2,                                 \
           (cublasHandle_t handle, int n, const type *x, int x_step, int *result), int at = 0,     \
           at = absolute(X(i)) > absolute(X(at)) ? i : at, *result = n ? at + 1 : 0)               \
    ON_ONE(type, "cublasI" #SMALL "amin", cublasI##SMALL##amin_v2,                                 \
           (cublasHandle_t handle, int n, const type *x, int x_step, int *result), int at = 0,     \
           at = absolute(X(i)) < absolute(X(at)) ? i : at, *result = n ? at + 1 : 0)
VECTORS(S, s, float, fabsf)
VECTORS(D, d, double, fabs)

/* ------------------------------------------------------------------------------------- matrices */

/* A += alpha x y^T; C = alpha op(A) + beta op(B). */
#define MATRICES(S, type)                                                                          \
    cublasStatus_t cublas##S##ger_v2(cublasHandle_t handle, int m, int n, const type *alpha,       \
                                     const type *x, int x_step, const type *y, int y_step,         \
                                     type *a, int lda)                                             \
    {                                                                                              \
        const blas_matrix operand[] = {blas_vector(x, m, x_step, sizeof(type)),                    \
                                       blas_vector(y, n, y_step, sizeof(type)),                    \
                                       blas_stored(a, m, n, lda, sizeof(type), false)};            \
        if (m < 0 || n < 0 || x_step < 1 || y_step < 1 || lda < m)                                 \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        if (!gmcuda_blas_begin("cublas" #S "ger", handle, operand, 3))                             \
            return CUBLAS_STATUS_EXECUTION_FAILED;                                                 \
        for (int j = 0; j < n; j++)                                                                \
            for (int i = 0; i < m; i++)                                                            \
                a[(size_t)j * (size_t)lda + (size_t)i] += *alpha * X(i) * Y(j);                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t ta,                    \
                                   cublasOperation_t tb, int m, int n, const type *alpha,          \
                                   const type *a, int lda, const type *beta, const type *b,        \
                                   int ldb, type *c, int ldc)                                      \
    {                                                                                              \
        const bool at = ta != CUBLAS_OP_N, bt = tb != CUBLAS_OP_N;                                 \
        const blas_matrix operand[] = {                                                            \
            blas_stored(c, m, n, ldc, sizeof(type), false),                                        \
            blas_stored(a, *alpha == 0 ? 0 : m, n, lda, sizeof(type), at),                         \
            blas_stored(b, *beta == 0 ? 0 : m, n, ldb, sizeof(type), bt)};                         \
        if (m < 0 || n < 0 || ldc < m)                                                             \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        if (!gmcuda_blas_begin("cublas" #S "geam", handle, operand, 3))                            \
            return CUBLAS_STATUS_EXECUTION_FAILED;                                                 \
        const size_t as = (size_t)lda, bs = (size_t)ldb;                                           \
        for (size_t j = 0; j < (size_t)n; j++)                                                     \
            for (size_t i = 0; i < (size_t)m; i++) {                                               \
                type sum = *alpha == 0 ? 0 : *alpha * (at ? a[i * as + j] : a[j * as + i]);        \
                sum += *beta == 0 ? 0 : *beta * (bt ? b[i * bs + j] : b[j * bs + i]);              \
                c[j * (size_t)ldc + i] = sum;                                                      \
            }                                                                                      \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
MATRICES(S, float)
MATRICES(D, double)
