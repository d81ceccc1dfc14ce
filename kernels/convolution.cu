/* SPDX-License-Identifier: MIT
 *
 * convolution.cu - 3 x 3 convolution of an n x n image with zeros outside it: nine global reads an
 * output, or a 32 x 32 shared tile, halo included, from which a block computes 30 x 30 outputs. The
 * nine weights are in constant memory, read by a warp at one address.
 */
#include "kernels/gmkernels.h"

#define TILE 32
#define OUT  (TILE - 2)

__constant__ float weights[9];

__global__ void conv2d_global(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < n)
                sum += weights[(dy + 1) * 3 + dx + 1] * in[(y + dy) * n + x + dx];
    out[y * n + x] = sum;
}

__global__ void conv2d_shared(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * OUT + tx - 1;
    int y = blockIdx.y * OUT + ty - 1;
    tile[ty][tx] = x >= 0 && x < n && y >= 0 && y < n ? in[y * n + x] : 0.0f;
    __syncthreads();
    if (tx == 0 || tx == TILE - 1 || ty == 0 || ty == TILE - 1 || x >= n || y >= n)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += weights[(dy + 1) * 3 + dx + 1] * tile[ty + dy][tx + dx];
    out[y * n + x] = sum;
}

static void convolve(gmk_run &run, void (*kernel)(const float *, float *, int), int outputs)
{
    static const float w[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
    int n = run.size;
    gmk_array<float> in((size_t)n * n), out((size_t)n * n);
    in.fill(1, -1000, 1000);
    out.upload();
    GMK_CUDA(cudaMemcpyToSymbol(weights, w, sizeof w));
    dim3 grid(gmk_blocks(n, outputs), gmk_blocks(n, outputs));
    kernel<<<grid, dim3(TILE, TILE)>>>(in.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int k = 0; k < 9; k++) {
                int xx = x + k % 3 - 1, yy = y + k / 3 - 1;
                if (xx >= 0 && xx < n && yy >= 0 && yy < n)
                    sum += w[k] * in.host[(size_t)yy * n + xx];
            }
            want[(size_t)y * n + x] = sum;
        }
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"conv2d_global", 1024, 192, 32768, TILE *TILE, false, "nine global reads an output",
     [](gmk_run &run) { convolve(run, conv2d_global, TILE); }},
    {"conv2d_shared", 1024, 192, 32768, TILE *TILE, false,
     "reuse: one global read an element, nine shared",
     [](gmk_run &run) { convolve(run, conv2d_shared, OUT); }},
};
GMK_TOPIC(gmk_convolution, "rows and columns");
