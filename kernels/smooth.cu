/* SPDX-License-Identifier: MIT
 *
 * smooth.cu - out[i] = in[i-1] + in[i] + in[i+1], clamped at the ends: straight from global memory
 * (L1 serves the re-reads), and through a shared tile with a halo of one element on either side.
 * A sum, not a mean, so that the comparison is exact.
 */
#include "kernels/gmkernels.h"

#define BLOCK 256

__global__ void smooth_global(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float left = in[i > 0 ? i - 1 : 0];
    float right = in[i < n - 1 ? i + 1 : n - 1];
    out[i] = left + in[i] + right;
}

__global__ void smooth_shared(const float *in, float *out, int n)
{
    __shared__ float tile[BLOCK + 2];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x + 1;
    if (i < n) {
        tile[t] = in[i];
        if (threadIdx.x == 0)
            tile[0] = in[i > 0 ? i - 1 : 0];
        if (threadIdx.x == BLOCK - 1 || i == n - 1)
            tile[t + 1] = in[i < n - 1 ? i + 1 : n - 1];
    }
    __syncthreads();
    if (i < n)
        out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}

static void smooth(gmk_run &run, void (*kernel)(const float *, float *, int))
{
    int n = run.size;
    gmk_array<float> in(n), out(n);
    in.fill(1, -1000, 1000);
    out.upload();
    kernel<<<gmk_blocks(n, run.block), run.block>>>(in.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (int i = 0; i < n; i++)
        want[i] = in.host[i > 0 ? i - 1 : 0] + in.host[i] + in.host[i < n - 1 ? i + 1 : n - 1];
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"smooth_global", 1 << 20, 1 << 15, INT_MAX / 2, BLOCK, true,
     "280 GB/s: three global reads an element (1 M)",
     [](gmk_run &run) { smooth(run, smooth_global); }},
    {"smooth_shared", 1 << 20, 1 << 15, INT_MAX / 2, BLOCK, false,
     "650 GB/s, 2.3x: shared tile with halo", [](gmk_run &run) { smooth(run, smooth_shared); }},
};
GMK_TOPIC(gmk_smooth, "elements");
