/* SPDX-License-Identifier: MIT
 *
 * strided_store.cu - a copy whose stores leave a gap after every element: with loads that do the
 * same, with contiguous loads, and for comparison without any gap. The gaps are compared too: they
 * must stay as they were.
 */
#include "kernels/gmkernels.h"

__global__ void store_strided(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[2 * i] = in[2 * i];
}

__global__ void store_strided_load_contiguous(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[2 * i] = in[i];
}

__global__ void store_contiguous(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

static void copy(gmk_run &run, void (*kernel)(const float *, float *, int), int from, int to)
{
    int n = run.size;
    gmk_array<float> in((size_t)n * from), out((size_t)n * to);
    in.fill(1, -1000000, 1000000);
    out.upload();
    kernel<<<gmk_blocks(n, run.block), run.block>>>(in.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (size_t i = 0; i < (size_t)n; i++)
        want[i * to] = in.host[i * from];
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"store_strided", 1 << 20, 1 << 15, INT_MAX / 4, 256, true, "out[2*i]: coalescing ratio 45 %",
     [](gmk_run &run) { copy(run, store_strided, 2, 2); }},
    {"store_strided_load_contiguous", 1 << 20, 1 << 15, INT_MAX / 4, 256, true,
     "contiguous load, strided store: coalescing ratio 92 %",
     [](gmk_run &run) { copy(run, store_strided_load_contiguous, 1, 2); }},
    {"store_contiguous", 1 << 20, 1 << 15, INT_MAX / 4, 256, true, "both contiguous: 100 %",
     [](gmk_run &run) { copy(run, store_contiguous, 1, 1); }},
};
GMK_TOPIC(gmk_strided_store, "elements");
