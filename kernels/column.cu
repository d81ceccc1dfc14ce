/* SPDX-License-Identifier: MIT
 *
 * column.cu - sums over a row-major matrix: of every column, one thread each (a warp reads along a
 * row), of every row, one thread each (every lane walks its own row), and of two columns a thread
 * with small blocks.
 */
#include "kernels/gmkernels.h"

__global__ void column_sum(const float *m, float *sum, int rows, int columns)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns)
        return;
    float s = 0;
    for (int r = 0; r < rows; r++)
        s += m[(size_t)r * columns + c];
    sum[c] = s;
}

__global__ void row_sum(const float *m, float *sum, int rows, int columns)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float s = 0;
    for (int c = 0; c < columns; c++)
        s += m[(size_t)r * columns + c];
    sum[r] = s;
}

__global__ void column_pair(const float *m, float *sum, int rows, int columns)
{
    int c = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (c >= columns)
        return;
    float first = 0, second = 0;
    for (int r = 0; r < rows; r++) {
        first += m[(size_t)r * columns + c];
        second += m[(size_t)r * columns + c + 1];
    }
    sum[c] = first;
    sum[c + 1] = second;
}

typedef void sum_kernel(const float *, float *, int, int);

/* Wide and flat, so that there are threads enough: 256 times as many sums as terms of each. */
static void sums(gmk_run &run, sum_kernel *kernel, int a_thread, bool by_row)
{
    int many = run.size, few = run.size / 256 * 2;
    if (run.size % 256)
        gmk_fail(false, "--size must be a multiple of 256");
    int rows = by_row ? many : few, columns = by_row ? few : many;
    gmk_array<float> m((size_t)rows * columns), sum(many);
    m.fill(1, -100, 100);
    sum.upload();
    kernel<<<gmk_blocks(many / a_thread, run.block), run.block>>>(m.device, sum.device, rows,
                                                                  columns);
    gmk_finish();
    if (!run.check)
        return;
    float *want = sum.expect();
    for (int i = 0; i < many; i++) {
        float s = 0;
        for (int k = 0; k < few; k++)
            s += by_row ? m.host[(size_t)i * columns + k] : m.host[(size_t)k * columns + i];
        want[i] = s;
    }
    gmk_compare(run, sum, 0);
}

static const gmk_kernel table[] = {
    {"column_sum", 1 << 16, 1 << 11, 1 << 20, 256, true, "coalesced: neighbours add neighbours",
     [](gmk_run &run) { sums(run, column_sum, 1, false); }},
    {"row_sum", 1 << 16, 1 << 11, 1 << 20, 256, true, "every lane walks its own row",
     [](gmk_run &run) { sums(run, row_sum, 1, true); }},
    {"column_pair", 1 << 16, 1 << 11, 1 << 20, 64, true, "two columns a thread, two loads a line",
     [](gmk_run &run) { sums(run, column_pair, 2, false); }},
};
GMK_TOPIC(gmk_column, "columns, or rows");
