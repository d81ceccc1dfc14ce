/* SPDX-License-Identifier: MIT
 *
 * cublas_v2.h - cuBLAS's common calls: products of matrices, of matrices and vectors, and of
 * vectors, norms, copies, in single and double precision; products of half, bfloat16 and float matrices that add
 * in single precision. They run on the host as plain loops and leave nothing in a trace, which a
 * line on standard error says. Other calls are not declared.
 */
#ifndef GMCUDA_CUBLAS_V2_H
#define GMCUDA_CUBLAS_V2_H

#include "cuda_runtime_api.h"
#include "library_types.h"
#include <stdint.h>
#if defined(__CUDA__) && defined(__cplusplus)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

typedef enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum cublasOperation_t {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2
} cublasOperation_t;
typedef enum cublasPointerMode_t {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1
} cublasPointerMode_t;
typedef enum cublasMath_t {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;
typedef enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_64F = 70
} cublasComputeType_t;
typedef enum cublasGemmAlgo_t {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef struct cublasContext *cublasHandle_t;
#define CUBLAS_VERSION 120000

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void *a, int lda, void *b,
                               int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void *a, int lda, void *b,
                               int ldb);
cublasStatus_t cublasSetVector(int count, int bytes, const void *x, int x_step, void *y,
                               int y_step);
cublasStatus_t cublasGetVector(int count, int bytes, const void *x, int x_step, void *y,
                               int y_step);

/* Matrices are stored column by column: C = alpha * A * B + beta * C, C of m rows and n columns. */
#define GMCUDA_BLAS(S, SMALL, type)                                                                \
    cublasStatus_t cublas##S##gemm_v2(cublasHandle_t handle, cublasOperation_t ta,                 \
                                      cublasOperation_t tb, int m, int n, int k,                   \
                                      const type *alpha, const type *a, int lda, const type *b,    \
                                      int ldb, const type *beta, type *c, int ldc);                \
    cublasStatus_t cublas##S##gemmStridedBatched(                                                  \
        cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,    \
        const type *alpha, const type *a, int lda, long long a_stride, const type *b, int ldb,     \
        long long b_stride, const type *beta, type *c, int ldc, long long c_stride, int count);    \
    cublasStatus_t cublas##S##gemv_v2(cublasHandle_t handle, cublasOperation_t ta, int m, int n,   \
                                      const type *alpha, const type *a, int lda, const type *x,    \
                                      int x_step, const type *beta, type *y, int y_step);          \
    cublasStatus_t cublas##S##axpy_v2(cublasHandle_t handle, int n, const type *alpha,             \
                                      const type *x, int x_step, type *y, int y_step);             \
    cublasStatus_t cublas##S##scal_v2(cublasHandle_t handle, int n, const type *alpha, type *x,    \
                                      int x_step);                                                 \
    cublasStatus_t cublas##S##dot_v2(cublasHandle_t handle, int n, const type *x, int x_step,      \
                                     const type *y, int y_step, type *result);                     \
    cublasStatus_t cublas##S##gemmBatched(                                                         \
        cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,    \
        const type *alpha, const type *const a[], int lda, const type *const b[], int ldb,         \
        const type *beta, type *const c[], int ldc, int count);                                    \
    cublasStatus_t cublas##S##ger_v2(cublasHandle_t handle, int m, int n, const type *alpha,       \
                                     const type *x, int x_step, const type *y, int y_step,         \
                                     type *a, int lda);                                            \
    cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t ta,                    \
                                   cublasOperation_t tb, int m, int n, const type *alpha,          \
                                   const type *a, int lda, const type *beta, const type *b,        \
                                   int ldb, type *c, int ldc);                                     \
    cublasStatus_t cublas##S##copy_v2(cublasHandle_t handle, int n, const type *x, int x_step,     \
                                      type *y, int y_step);                                        \
    cublasStatus_t cublas##S##swap_v2(cublasHandle_t handle, int n, type *x, int x_step, type *y,  \
                                      int y_step);                                                 \
    cublasStatus_t cublas##S##rot_v2(cublasHandle_t handle, int n, type *x, int x_step, type *y,   \
                                     int y_step, const type *c, const type *s);                    \
    cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t handle, int n, const type *x, int x_step,     \
                                      type *result);                                               \
    cublasStatus_t cublas##S##asum_v2(cublasHandle_t handle, int n, const type *x, int x_step,     \
                                      type *result);                                               \
    cublasStatus_t cublasI##SMALL##amax_v2(cublasHandle_t handle, int n, const type *x,            \
                                           int x_step, int *result);                               \
    cublasStatus_t cublasI##SMALL##amin_v2(cublasHandle_t handle, int n, const type *x,            \
                                           int x_step, int *result);
GMCUDA_BLAS(S, s, float)
GMCUDA_BLAS(D, d, double)
#undef GMCUDA_BLAS
/* alpha and beta are floats; matrices CUDA_R_32F, CUDA_R_16F or CUDA_R_16BF. */
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                            int m, int n, int k, const void *alpha, const void *a,
                            cudaDataType a_type, int lda, const void *b, cudaDataType b_type,
                            int ldb, const void *beta, void *c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType a_type,
                                          int lda, long long a_stride, const void *b,
                                          cudaDataType b_type, int ldb, long long b_stride,
                                          const void *beta, void *c, cudaDataType c_type, int ldc,
                                          long long c_stride, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
#ifdef __cplusplus
}
#endif

#define cublasCreate         cublasCreate_v2
#define cublasDestroy        cublasDestroy_v2
#define cublasSetStream      cublasSetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasSgemm          cublasSgemm_v2
#define cublasDgemm          cublasDgemm_v2
#define cublasSgemv          cublasSgemv_v2
#define cublasDgemv          cublasDgemv_v2
#define cublasSaxpy          cublasSaxpy_v2
#define cublasDaxpy          cublasDaxpy_v2
#define cublasSscal          cublasSscal_v2
#define cublasDscal          cublasDscal_v2
#define cublasSdot           cublasSdot_v2
#define cublasDdot           cublasDdot_v2
#define cublasGetStream      cublasGetStream_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace   cublasSetWorkspace_v2
#define cublasGetVersion     cublasGetVersion_v2
#define cublasSger           cublasSger_v2
#define cublasDger           cublasDger_v2
#define cublasScopy          cublasScopy_v2
#define cublasDcopy          cublasDcopy_v2
#define cublasSswap          cublasSswap_v2
#define cublasDswap          cublasDswap_v2
#define cublasSrot           cublasSrot_v2
#define cublasDrot           cublasDrot_v2
#define cublasSnrm2          cublasSnrm2_v2
#define cublasDnrm2          cublasDnrm2_v2
#define cublasSasum          cublasSasum_v2
#define cublasDasum          cublasDasum_v2
#define cublasIsamax         cublasIsamax_v2
#define cublasIdamax         cublasIdamax_v2
#define cublasIsamin         cublasIsamin_v2
#define cublasIdamin         cublasIdamin_v2

#endif
