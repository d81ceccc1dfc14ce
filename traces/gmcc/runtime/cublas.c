/* SPDX-License-Identifier: MIT
 *
 * cublas.c - cuBLAS's products of matrices as loops on the host. Device memory is host memory, so
 * they read and write it where it is, once it is known to be all there. Sums run in the order of
 * the index, in the type of the call, single precision for the smaller ones.
 */
#include "traces/gmcc/runtime/blas.h"
#include "traces/gmcc/runtime/capture.h"
#include "traces/ptx/exec.h"

#include <stdlib.h>

BLAS_HANDLE(cublasHandle_t, cublasCreate_v2, cublasDestroy_v2)

/* ------------------------------------------------------------------------------------- operands */

bool gmcuda_blas_begin(const char *call, cublasHandle_t handle, const blas_matrix *operand,
                       unsigned count)
{
    static bool said;
    char where[160];
    bool good = handle != NULL && gmcuda_sticky() == cudaSuccess && !gmcuda_captures();
    gmcuda_enter();
    if (gmcuda_captures())
        gmcuda_message("%s: not supported while a stream is captured", call);
    if (!said)
        gmcuda_message("warning: %s() runs on the host: it is in no trace, and not simulated",
                       call);
    said = true;
    for (unsigned i = 0; good && i < count; i++) {
        const blas_matrix *m = &operand[i];
        if (m->rows == 0 || m->columns == 0)
            continue;
        const uint64_t bytes = ((m->columns - 1) * m->step + m->rows) * m->bytes;
        const uint64_t address = (uint64_t)(uintptr_t)m->at;
        if (gmcuda_accessible(NULL, address, bytes, false, NULL) ||
            gmcuda_in_variable(address, bytes)) {
            gmptx_shadow_mark(gmcuda_shadow(), address, bytes, true);
            continue;
        }
        gmcuda_describe(address, bytes, where, sizeof where);
        gmcuda_message("%s: operand %u, %llu bytes at %p, is not device memory: %s", call, i + 1,
                       (unsigned long long)bytes, m->at, where);
        good = false;
    }
    gmcuda_leave(cudaSuccess);
    return good;
}

static bool fits(int m, int n, int k, int lda, int ldb, int ldc, bool ta, bool tb)
{
    return m >= 0 && n >= 0 && k >= 0 && lda >= (ta ? k : m) && ldb >= (tb ? n : k) && ldc >= m;
}

/* ------------------------------------------------------------------------- single and double */

#define BLAS(S, type)                                                                              \
    static void S##multiply(bool ta, bool tb, size_t m, size_t n, size_t k, type alpha,            \
                            const type *a, size_t lda, const type *b, size_t ldb, type beta,       \
                            type *c, size_t ldc)                                                   \
    {                                                                                              \
        for (size_t j = 0; j < n; j++) {                                                           \
            for (size_t i = 0; i < m; i++) {                                                       \
                type sum = 0;                                                                      \
                for (size_t l = 0; l < k; l++)                                                     \
                    sum += (ta ? a[l + i * lda] : a[i + l * lda]) *                                \
                           (tb ? b[j + l * ldb] : b[l + j * ldb]);                                 \
                type *to = &c[i + j * ldc];                                                        \
                *to = alpha * sum + (beta == 0 ? 0 : beta * *to);                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    cublasStatus_t cublas##S##gemmStridedBatched(                                                  \
        cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,    \
        const type *alpha, const type *a, int lda, long long a_stride, const type *b, int ldb,     \
        long long b_stride, const type *beta, type *c, int ldc, long long c_stride, int count)     \
    {                                                                                              \
        const bool at = ta != CUBLAS_OP_N, bt = tb != CUBLAS_OP_N;                                 \
        if (!fits(m, n, k, lda, ldb, ldc, at, bt) || count < 0)                                    \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        for (long long i = 0; i < count; i++) {                                                    \
            const blas_matrix operand[] = {                                                        \
                blas_stored(a + i * a_stride, m, k, lda, sizeof(type), at),                        \
                blas_stored(b + i * b_stride, k, n, ldb, sizeof(type), bt),                        \
                blas_stored(c + i * c_stride, m, n, ldc, sizeof(type), false)};                    \
            if (!gmcuda_blas_begin("cublas" #S "gemm", handle, operand, 3))                        \
                return CUBLAS_STATUS_EXECUTION_FAILED;                                             \
            S##multiply(at, bt, (size_t)m, (size_t)n, (size_t)k, *alpha, a + i * a_stride,         \
                        (size_t)lda, b + i * b_stride, (size_t)ldb, *beta, c + i * c_stride,       \
                        (size_t)ldc);                                                              \
        }                                                                                          \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t cublas##S##gemm_v2(cublasHandle_t handle, cublasOperation_t ta,                 \
                                      cublasOperation_t tb, int m, int n, int k,                   \
                                      const type *alpha, const type *a, int lda, const type *b,    \
                                      int ldb, const type *beta, type *c, int ldc)                 \
    {                                                                                              \
        return cublas##S##gemmStridedBatched(handle, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, \
                                             beta, c, ldc, 0, 1);                                  \
    }                                                                                              \
    cublasStatus_t cublas##S##gemmBatched(                                                         \
        cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,    \
        const type *alpha, const type *const a[], int lda, const type *const b[], int ldb,         \
        const type *beta, type *const c[], int ldc, int count)                                     \
    {                                                                                              \
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                             \
        for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++)                         \
            status = cublas##S##gemm_v2(handle, ta, tb, m, n, k, alpha, a[i], lda, b[i], ldb,      \
                                        beta, c[i], ldc);                                          \
        return status;                                                                             \
    }                                                                                              \
    cublasStatus_t cublas##S##gemv_v2(cublasHandle_t handle, cublasOperation_t ta, int m, int n,   \
                                      const type *alpha, const type *a, int lda, const type *x,    \
                                      int x_step, const type *beta, type *y, int y_step)           \
    {                                                                                              \
        const bool at = ta != CUBLAS_OP_N;                                                         \
        const int inner = at ? m : n, outer = at ? n : m;                                          \
        const blas_matrix operand[] = {blas_stored(a, m, n, lda, sizeof(type), false),             \
                                       blas_stored(x, 1, inner, x_step, sizeof(type), false),      \
                                       blas_stored(y, 1, outer, y_step, sizeof(type), false)};     \
        if (m < 0 || n < 0 || lda < m || x_step < 1 || y_step < 1)                                 \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        if (!gmcuda_blas_begin("cublas" #S "gemv", handle, operand, 3))                            \
            return CUBLAS_STATUS_EXECUTION_FAILED;                                                 \
        for (size_t i = 0; i < (size_t)outer; i++) {                                               \
            type sum = 0, *to = &y[i * (size_t)y_step];                                            \
            for (size_t l = 0; l < (size_t)inner; l++)                                             \
                sum += (at ? a[l + i * (size_t)lda] : a[i + l * (size_t)lda]) *                    \
                       x[l * (size_t)x_step];                                                      \
            *to = *alpha * sum + (*beta == 0 ? 0 : *beta * *to);                                   \
        }                                                                                          \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
BLAS(S, float)
BLAS(D, double)

/* --------------------------------------------------------------------- elements by their number */

uint32_t gmcuda_blas_bytes(cudaDataType type)
{
    return type == CUDA_R_32F ? 4 : type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : 0;
}
float gmcuda_blas_get(const void *from, size_t i, cudaDataType type)
{
    if (type == CUDA_R_32F)
        return ((const float *)from)[i];
    const uint16_t bits = ((const uint16_t *)from)[i];
    return type == CUDA_R_16F ? gmptx_half_to_float(bits) : bf16_to_float(bits);
}
void gmcuda_blas_put(void *to, size_t i, cudaDataType type, float value)
{
    if (type == CUDA_R_32F)
        ((float *)to)[i] = value;
    else
        ((uint16_t *)to)[i] = type == CUDA_R_16F ? gmptx_double_to_half((double)value)
                                                 : gmptx_double_to_bf16((double)value);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType a_type,
                                          int lda, long long a_stride, const void *b,
                                          cudaDataType b_type, int ldb, long long b_stride,
                                          const void *beta, void *c, cudaDataType c_type, int ldc,
                                          long long c_stride, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    const bool at = ta != CUBLAS_OP_N, bt = tb != CUBLAS_OP_N;
    const uint32_t as = gmcuda_blas_bytes(a_type), bs = gmcuda_blas_bytes(b_type),
                   cs = gmcuda_blas_bytes(c_type);
    if (as == 0 || bs == 0 || cs == 0 || compute == CUBLAS_COMPUTE_16F ||
        compute == CUBLAS_COMPUTE_64F)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!fits(m, n, k, lda, ldb, ldc, at, bt) || count < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    const float factor = *(const float *)alpha, old = *(const float *)beta;
    for (long long p = 0; p < count; p++) {
        const char *pa = (const char *)a + p * a_stride * as;
        const char *pb = (const char *)b + p * b_stride * bs;
        char *pc = (char *)c + p * c_stride * cs;
        const blas_matrix operand[] = {blas_stored(pa, m, k, lda, as, at),
                                       blas_stored(pb, k, n, ldb, bs, bt),
                                       blas_stored(pc, m, n, ldc, cs, false)};
        if (!gmcuda_blas_begin("cublasGemmEx", handle, operand, 3))
            return CUBLAS_STATUS_EXECUTION_FAILED;
        for (size_t j = 0; j < (size_t)n; j++)
            for (size_t i = 0; i < (size_t)m; i++) {
                const size_t to = i + j * (size_t)ldc;
                float sum = 0;
                for (size_t l = 0; l < (size_t)k; l++)
                    sum +=
                        gmcuda_blas_get(pa, at ? l + i * (size_t)lda : i + l * (size_t)lda,
                                        a_type) *
                        gmcuda_blas_get(pb, bt ? j + l * (size_t)ldb : l + j * (size_t)ldb, b_type);
                gmcuda_blas_put(pc, to, c_type,
                                factor * sum +
                                    (old == 0 ? 0 : old * gmcuda_blas_get(pc, to, c_type)));
            }
    }
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                            int m, int n, int k, const void *alpha, const void *a,
                            cudaDataType a_type, int lda, const void *b, cudaDataType b_type,
                            int ldb, const void *beta, void *c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, a_type, lda, 0, b, b_type,
                                      ldb, 0, beta, c, c_type, ldc, 0, 1, compute, algorithm);
}
