/* SPDX-License-Identifier: MIT
 *
 * constant_memory.cu - out[i] = in[i] * sum of 32 coefficients from constant memory: the whole warp
 * reads one coefficient at a time, or every lane another one, which serialises. The coefficients
 * are read through an index that the compiler cannot know, so both versions really load them.
 */
#include "kernels/gmkernels.h"

#define COEFFICIENTS 32

__constant__ int coefficient[COEFFICIENTS];

__global__ void constant_uniform(const int *in, int *out, int n, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    for (int k = 0; k < COEFFICIENTS; k++)
        sum += coefficient[(first + k) % COEFFICIENTS];
    out[i] = in[i] * sum;
}

__global__ void constant_per_lane(const int *in, int *out, int n, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    for (int k = 0; k < COEFFICIENTS; k++)
        sum += coefficient[(first + k + threadIdx.x) % COEFFICIENTS];
    out[i] = in[i] * sum;
}

static void scale(gmk_run &run, void (*kernel)(const int *, int *, int, int))
{
    int n = run.size, host[COEFFICIENTS], sum = 0;
    for (int k = 0; k < COEFFICIENTS; k++)
        sum += host[k] = (int)(gmk_hash(9, k) % 100);
    gmk_array<int> in(n), out(n);
    in.fill(1, -1000, 1000);
    out.upload();
    GMK_CUDA(cudaMemcpyToSymbol(coefficient, host, sizeof host));
    kernel<<<gmk_blocks(n, run.block), run.block>>>(in.device, out.device, n, 5);
    gmk_finish();
    if (!run.check)
        return;
    int *want = out.expect();
    for (int i = 0; i < n; i++)
        want[i] = in.host[i] * sum; /* each lane has added all of them, in its own order */
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"constant_uniform", 1 << 20, 1 << 15, INT_MAX / 2, 256, true, "one address a warp: broadcast",
     [](gmk_run &run) { scale(run, constant_uniform); }},
    {"constant_per_lane", 1 << 20, 1 << 15, INT_MAX / 2, 256, true,
     "another address a lane: serialised", [](gmk_run &run) { scale(run, constant_per_lane); }},
};
GMK_TOPIC(gmk_constant_memory, "elements");
