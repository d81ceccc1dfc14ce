/* SPDX-License-Identifier: MIT
 *
 * transpose.cu - out = transpose of in, n x n floats, 32 x 32 threads a block: straight (reads
 * rows, writes columns), through a 32 x 32 shared tile (its columns lie in one bank), and through a
 * tile with one column of padding (they lie in 32).
 */
#include "kernels/gmkernels.h"

#define TILE 32

__global__ void transpose_naive(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}

__global__ void transpose_nopad(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n)
        tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_pad(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n)
        tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

static void transpose(gmk_run &run, void (*kernel)(const float *, float *, int))
{
    int n = run.size;
    gmk_array<float> in((size_t)n * n), out((size_t)n * n);
    in.fill(1, -1000000, 1000000);
    out.upload();
    dim3 block(TILE, TILE), grid(gmk_blocks(n, TILE), gmk_blocks(n, TILE));
    kernel<<<grid, block>>>(in.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            want[(size_t)x * n + y] = in.host[(size_t)y * n + x];
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"transpose_naive", 1024, 256, 32768, TILE *TILE, false,
     "writes columns: one transaction a thread",
     [](gmk_run &run) { transpose(run, transpose_naive); }},
    {"transpose_nopad", 1024, 256, 32768, TILE *TILE, false,
     "65 GB/s, 32-way conflict on tile[32][32] read by column",
     [](gmk_run &run) { transpose(run, transpose_nopad); }},
    {"transpose_pad", 1024, 256, 32768, TILE *TILE, false,
     "580 GB/s, 8.9x: tile[32][33] has no conflict",
     [](gmk_run &run) { transpose(run, transpose_pad); }},
};
GMK_TOPIC(gmk_transpose, "rows and columns");
