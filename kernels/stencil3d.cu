/* SPDX-License-Identifier: MIT
 *
 * stencil3d.cu - one sweep of the 7-point Laplacian over an n x n x n grid, the cells at its
 * surface left alone. stencil3d_7point: one thread a cell, all seven reads from global memory.
 * stencil3d_march: a thread walks up a column of SLAB cells and keeps the cell below, its own and
 * the one above in registers, so that a plane is read once a block, not three times.
 */
#include "kernels/gmkernels.h"

#define COLUMNS 32 /* cells a block and plane */
#define ROWS    8
#define SLAB    16

__global__ void stencil3d_7point(const float *in, float *out, int n)
{
    int x = blockIdx.x * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    int z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    int plane = n * n, i = z * plane + y * n + x;
    out[i] =
        in[i - plane] + in[i - n] + in[i - 1] + in[i + 1] + in[i + n] + in[i + plane] - 6 * in[i];
}

__global__ void stencil3d_march(const float *in, float *out, int n)
{
    int x = blockIdx.x * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    int z = blockIdx.z * SLAB + 1; /* at most n - 2: the grid covers n - 2 planes */
    int end = min(z + SLAB, n - 1);
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    int plane = n * n, i = z * plane + y * n + x;
    float below = in[i - plane], here = in[i];
    for (; z < end; z++, i += plane) {
        float above = in[i + plane];
        out[i] = below + in[i - n] + in[i - 1] + in[i + 1] + in[i + n] + above - 6 * here;
        below = here;
        here = above;
    }
}

static void stencil(gmk_run &run, void (*kernel)(const float *, float *, int), bool march)
{
    int n = run.size;
    if (n < 3)
        gmk_fail(false, "--size must be 3 or more: a smaller grid has no inner cell");
    size_t plane = (size_t)n * n;
    gmk_array<float> in(plane * n), out(plane * n);
    in.fill(1, -1000, 1000);
    out.upload();
    dim3 grid(gmk_blocks(n, COLUMNS), gmk_blocks(n, ROWS), march ? gmk_blocks(n - 2, SLAB) : n);
    kernel<<<grid, dim3(COLUMNS, ROWS)>>>(in.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                size_t i = z * plane + (size_t)y * n + x;
                const float *h = in.host + i;
                want[i] = h[-(ptrdiff_t)plane] + h[-n] + h[-1] + h[1] + h[n] + h[plane] - 6 * h[0];
            }
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"stencil3d_7point", 192, 32, 1024, ROWS *COLUMNS, false,
     "seven global reads a cell: planes above and below come from L2",
     [](gmk_run &run) { stencil(run, stencil3d_7point, false); }},
    {"stencil3d_march", 192, 32, 1024, ROWS *COLUMNS, false,
     "five global reads a cell: the column stays in registers",
     [](gmk_run &run) { stencil(run, stencil3d_march, true); }},
};
GMK_TOPIC(gmk_stencil3d, "cells a side");
