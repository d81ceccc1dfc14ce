/* SPDX-License-Identifier: MIT
 *
 * stencil2d.cu - one sweep over an n x n grid, the cells at its edge left alone: the 5-point
 * Laplacian and the sum of the 3 x 3 box, straight from global memory (L1 serves the re-reads of
 * the rows above and below), and the box through a shared tile with a halo of one cell.
 */
#include "kernels/gmkernels.h"

#define COLUMNS 32 /* cells a block */
#define ROWS    8

__global__ void stencil2d_5point(const float *in, float *out, int n)
{
    int x = blockIdx.x * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    const float *here = in + y * n + x;
    out[y * n + x] = here[-n] + here[-1] + here[1] + here[n] - 4 * here[0];
}

__global__ void stencil2d_9point(const float *in, float *out, int n)
{
    int x = blockIdx.x * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += in[(y + dy) * n + x + dx];
    out[y * n + x] = sum;
}

__global__ void stencil2d_tile(const float *in, float *out, int n)
{
    __shared__ float tile[ROWS + 2][COLUMNS + 2];
    int left = blockIdx.x * COLUMNS - 1, top = blockIdx.y * ROWS - 1;
    for (int k = threadIdx.y * COLUMNS + threadIdx.x; k < (ROWS + 2) * (COLUMNS + 2);
         k += ROWS * COLUMNS) {
        int column = k % (COLUMNS + 2), row = k / (COLUMNS + 2);
        int x = left + column, y = top + row;
        if (x >= 0 && y >= 0 && x < n && y < n)
            tile[row][column] = in[y * n + x];
    }
    __syncthreads();
    int x = blockIdx.x * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    float sum = 0;
    for (int dy = 0; dy <= 2; dy++)
        for (int dx = 0; dx <= 2; dx++)
            sum += tile[threadIdx.y + dy][threadIdx.x + dx];
    out[y * n + x] = sum;
}

static void stencil(gmk_run &run, void (*kernel)(const float *, float *, int), bool box)
{
    int n = run.size;
    gmk_array<float> in((size_t)n * n), out((size_t)n * n);
    in.fill(1, -1000, 1000);
    out.upload();
    kernel<<<dim3(gmk_blocks(n, COLUMNS), gmk_blocks(n, ROWS)), dim3(COLUMNS, ROWS)>>>(
        in.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            float sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (box || dy == 0 || dx == 0)
                        sum += in.host[(size_t)(y + dy) * n + x + dx];
            want[(size_t)y * n + x] = box ? sum : sum - 5 * in.host[(size_t)y * n + x];
        }
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"stencil2d_5point", 2048, 128, 32768, ROWS *COLUMNS, false,
     "five global reads a cell, most of them served by L1",
     [](gmk_run &run) { stencil(run, stencil2d_5point, false); }},
    {"stencil2d_9point", 2048, 128, 32768, ROWS *COLUMNS, false,
     "nine global reads a cell, the same lines as five",
     [](gmk_run &run) { stencil(run, stencil2d_9point, true); }},
    {"stencil2d_tile", 2048, 128, 32768, ROWS *COLUMNS, false,
     "the same through a shared tile: each cell read 1.3 times",
     [](gmk_run &run) { stencil(run, stencil2d_tile, true); }},
};
GMK_TOPIC(gmk_stencil2d, "rows and columns");
