/* SPDX-License-Identifier: MIT
 *
 * cublas_lt.c - cuBLASLt's products of matrices, D = f(alpha A B + beta C + bias), as loops on the
 * host: sums in single precision in the order of the index, rounded once, to D's type.
 */
#include "traces/gmcc/include/cublasLt.h"
#include "traces/gmcc/runtime/blas.h"

#include <math.h>
#include <string.h>

struct cublasLtContext {
    int unused;
};
struct cublasLtMatmulPreference {
    int unused;
};
struct cublasLtMatmulDesc {
    int32_t compute, scale, turn_a, turn_b, turn_c, epilogue, bias_type; /* -1: D's */
    const void *bias;
};
struct cublasLtMatrixLayout {
    uint64_t rows, columns;
    int64_t step, stride; /* elements from column to column, from matrix to matrix of a batch */
    int32_t type, order, count;
};

BLAS_HANDLE(cublasLtHandle_t, cublasLtCreate, cublasLtDestroy)
BLAS_HANDLE(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceCreate,
            cublasLtMatmulPreferenceDestroy)

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void *value, size_t bytes)
{
    (void)attribute;
    (void)bytes;
    return preference && value ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

/* ---------------------------------------------------------------------------------- descriptions
 */

/* One value of the caller's into a field of the same size. */
static cublasStatus_t set(void *field, size_t size, const void *value, size_t bytes)
{
    if (!field)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!value || bytes != size)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(field, value, size);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute,
                                        cudaDataType scale)
{
    if (!desc)
        return CUBLAS_STATUS_INVALID_VALUE;
    *desc = malloc(sizeof **desc);
    if (!*desc)
        return CUBLAS_STATUS_ALLOC_FAILED;
    **desc = (struct cublasLtMatmulDesc){.compute = (int32_t)compute,
                                         .scale = (int32_t)scale,
                                         .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                                         .bias_type = -1};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t bytes)
{
    int32_t *field = NULL, mode = 0;
    if (!desc)
        return CUBLAS_STATUS_INVALID_VALUE;
    switch (attribute) {
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return set(&desc->bias, sizeof desc->bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
        field = &desc->compute;
        break;
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
        field = &desc->scale;
        break;
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
        field = &mode; /* device memory is read like the host's */
        break;
    case CUBLASLT_MATMUL_DESC_TRANSA:
        field = &desc->turn_a;
        break;
    case CUBLASLT_MATMUL_DESC_TRANSB:
        field = &desc->turn_b;
        break;
    case CUBLASLT_MATMUL_DESC_TRANSC:
        field = &desc->turn_c;
        break;
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
        field = &desc->epilogue;
        break;
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
        field = &desc->bias_type;
        break;
    }
    return set(field, sizeof *field, value, bytes);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc)
{
    free(desc);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t step)
{
    if (!layout)
        return CUBLAS_STATUS_INVALID_VALUE;
    *layout = malloc(sizeof **layout);
    if (!*layout)
        return CUBLAS_STATUS_ALLOC_FAILED;
    **layout = (struct cublasLtMatrixLayout){
        .rows = rows, .columns = columns, .step = step, .type = (int32_t)type, .count = 1};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void *value, size_t bytes)
{
    if (!layout)
        return CUBLAS_STATUS_INVALID_VALUE;
    switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
        return set(&layout->type, sizeof layout->type, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
        return set(&layout->order, sizeof layout->order, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
        return set(&layout->rows, sizeof layout->rows, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
        return set(&layout->columns, sizeof layout->columns, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_LD:
        return set(&layout->step, sizeof layout->step, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
        return set(&layout->count, sizeof layout->count, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
        return set(&layout->stride, sizeof layout->stride, value, bytes);
    }
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    free(layout);
    return CUBLAS_STATUS_SUCCESS;
}

/* -------------------------------------------------------------------------------------- products
 */

/* What is asked for is there, and its matrices fit one another. */
static cublasStatus_t look(const struct cublasLtMatmulDesc *t, const struct cublasLtMatrixLayout *a,
                           const struct cublasLtMatrixLayout *b,
                           const struct cublasLtMatrixLayout *c,
                           const struct cublasLtMatrixLayout *d)
{
    if (!t || !a || !b || !c || !d)
        return CUBLAS_STATUS_INVALID_VALUE;
    const struct cublasLtMatrixLayout *all[] = {a, b, c, d};
    for (unsigned i = 0; i < 4; i++)
        if (!gmcuda_blas_bytes((cudaDataType)all[i]->type) || all[i]->order != CUBLASLT_ORDER_COL)
            return CUBLAS_STATUS_NOT_SUPPORTED;
    const int32_t known = CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_GELU |
                          CUBLASLT_EPILOGUE_DEFAULT;
    if (t->compute == CUBLAS_COMPUTE_16F || t->compute == CUBLAS_COMPUTE_64F ||
        t->scale != CUDA_R_32F || t->turn_c != CUBLAS_OP_N || t->epilogue & ~known ||
        (t->bias_type >= 0 && !gmcuda_blas_bytes((cudaDataType)t->bias_type)))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const uint64_t m = t->turn_a ? a->columns : a->rows, k = t->turn_a ? a->rows : a->columns;
    const uint64_t n = t->turn_b ? b->rows : b->columns;
    bool good = (t->turn_b ? b->columns : b->rows) == k && c->rows == m && c->columns == n &&
                d->rows == m && d->columns == n;
    for (unsigned i = 0; i < 4; i++)
        good &= all[i]->step >= 0 && (uint64_t)all[i]->step >= all[i]->rows &&
                all[i]->count == d->count && d->count > 0;
    return good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t *results,
                                              int *returned)
{
    if (!handle || !preference || !results || !returned || wanted < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    const cublasStatus_t status = look(desc, a, b, c, d);
    *returned = status == CUBLAS_STATUS_SUCCESS;
    memset(results, 0, sizeof *results);
    results->state = status;
    results->wavesCount = 1;
    return status;
}

static float activate(int32_t epilogue, float x)
{
    if (epilogue & CUBLASLT_EPILOGUE_RELU)
        return x > 0 ? x : 0;
    if (epilogue & CUBLASLT_EPILOGUE_GELU) /* by tanh(), as cuBLASLt's */
        return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    return x;
}

static blas_matrix matrix(const struct cublasLtMatrixLayout *l, const void *start, int32_t number)
{
    const uint32_t bytes = gmcuda_blas_bytes((cudaDataType)l->type);
    return (blas_matrix){(const char *)start + number * l->stride * (int64_t)bytes, l->rows,
                         l->columns, (uint64_t)l->step, bytes};
}

/* Row `outer` of A or column of B, elements `inner` of the sum. */
static float element(const blas_matrix *m, int32_t type, bool turned, size_t outer, size_t inner)
{
    const size_t row = turned ? inner : outer, column = turned ? outer : inner;
    return gmcuda_blas_get(m->at, row + column * m->step, (cudaDataType)type);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
                              const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
                              cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
                              cublasLtMatrixLayout_t c_layout, void *d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algo,
                              void *workspace, size_t workspace_bytes, cudaStream_t stream)
{
    (void)algo;
    (void)workspace;
    (void)workspace_bytes;
    (void)stream;
    const cublasStatus_t status = look(desc, a_layout, b_layout, c_layout, d_layout);
    if (status != CUBLAS_STATUS_SUCCESS || !alpha || !beta)
        return status != CUBLAS_STATUS_SUCCESS ? status : CUBLAS_STATUS_INVALID_VALUE;
    const float factor = *(const float *)alpha, old = *(const float *)beta;
    const bool biased = desc->epilogue & CUBLASLT_EPILOGUE_BIAS;
    const cudaDataType bias_type =
        (cudaDataType)(desc->bias_type < 0 ? d_layout->type : desc->bias_type);
    const cudaDataType d_type = (cudaDataType)d_layout->type;
    const size_t sums = desc->turn_a ? a_layout->rows : a_layout->columns;
    for (int32_t p = 0; p < d_layout->count; p++) {
        const blas_matrix operand[] = {
            matrix(a_layout, a, p),
            matrix(b_layout, b, p),
            matrix(d_layout, d, p),
            matrix(c_layout, old == 0 ? d : c, p),
            {desc->bias, d_layout->rows, 1, d_layout->rows, gmcuda_blas_bytes(bias_type)}};
        if (!gmcuda_blas_begin("cublasLtMatmul", (cublasHandle_t)handle, operand, biased ? 5 : 4))
            return CUBLAS_STATUS_EXECUTION_FAILED;
        void *to = (char *)d + p * d_layout->stride * (int64_t)gmcuda_blas_bytes(d_type);
        for (size_t j = 0; j < d_layout->columns; j++)
            for (size_t i = 0; i < d_layout->rows; i++) {
                float sum = 0;
                for (size_t l = 0; l < sums; l++)
                    sum += element(&operand[0], a_layout->type, desc->turn_a != CUBLAS_OP_N, i, l) *
                           element(&operand[1], b_layout->type, desc->turn_b == CUBLAS_OP_N, j, l);
                sum *= factor;
                if (old != 0)
                    sum += old * gmcuda_blas_get(operand[3].at, i + j * operand[3].step,
                                                 (cudaDataType)c_layout->type);
                if (biased)
                    sum += gmcuda_blas_get(desc->bias, i, bias_type);
                gmcuda_blas_put(to, i + j * operand[2].step, d_type, activate(desc->epilogue, sum));
            }
    }
    return CUBLAS_STATUS_SUCCESS;
}
