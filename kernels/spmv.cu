/* SPDX-License-Identifier: MIT
 *
 * spmv.cu - y = A * x, A sparse in CSR form with 0 to 24 values a row in random columns: one thread
 * a row (every lane walks its own row: irregular everywhere), and one warp a row (the values and
 * column numbers are coalesced, only x is gathered).
 */
#include "kernels/gmkernels.h"

#define LONGEST 24

__global__ void spmv_csr_scalar(const int *start, const int *column, const float *value,
                                const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

__global__ void spmv_csr_vector(const int *start, const int *column, const float *value,
                                const float *x, float *y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = start[row] + lane; k < start[row + 1]; k += 32)
        sum += value[k] * x[column[k]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}

typedef void spmv_kernel(const int *, const int *, const float *, const float *, float *, int);

static void spmv(gmk_run &run, spmv_kernel *kernel, int threads_a_row)
{
    int rows = run.size;
    gmk_array<int> start((size_t)rows + 1);
    start.host[0] = 0;
    for (int r = 0; r < rows; r++)
        start.host[r + 1] = start.host[r] + (int)(gmk_hash(1, r) % (LONGEST + 1));
    start.upload();
    size_t values = start.host[rows] ? start.host[rows] : 1;
    gmk_array<int> column(values);
    gmk_array<float> value(values), x(rows), y(rows);
    column.fill(2, 0, rows - 1);
    value.fill(3, -9, 9);
    x.fill(4, -9, 9);
    y.upload();
    int blocks = gmk_blocks(rows * threads_a_row, run.block);
    kernel<<<blocks, run.block>>>(start.device, column.device, value.device, x.device, y.device,
                                  rows);
    gmk_finish();
    if (!run.check)
        return;
    float *want = y.expect();
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int k = start.host[r]; k < start.host[r + 1]; k++)
            sum += value.host[k] * x.host[column.host[k]];
        want[r] = sum;
    }
    gmk_compare(run, y, 0);
}

static const gmk_kernel table[] = {
    {"spmv_csr_scalar", 1 << 16, 1 << 11, 1 << 25, 256, false, "irregular gather, one thread a row",
     [](gmk_run &run) { spmv(run, spmv_csr_scalar, 1); }},
    {"spmv_csr_vector", 1 << 16, 1 << 11, 1 << 25, 256, false, "the same with one warp a row",
     [](gmk_run &run) { spmv(run, spmv_csr_vector, 32); }},
};
GMK_TOPIC(gmk_spmv, "rows");
