/* SPDX-License-Identifier: MIT
 *
 * occupancy.cu - one copy through shared memory whose block asks for 16, 32 or 48 KB of it: the
 * notes say how many blocks an SM then holds. Only the first words are used; the rest is what keeps
 * other blocks out.
 */
#include "kernels/gmkernels.h"

#define BLOCK 256

__device__ static void rotate(float *cache, const float *in, float *out)
{
    int base = blockIdx.x * BLOCK, t = threadIdx.x;
    cache[t] = in[base + t];
    __syncthreads();
    out[base + t] = cache[(t + 1) % BLOCK];
}

__global__ void occupancy_16k(const float *in, float *out)
{
    __shared__ float cache[16 * 1024 / sizeof(float)];
    rotate(cache, in, out);
}

__global__ void occupancy_32k(const float *in, float *out)
{
    __shared__ float cache[32 * 1024 / sizeof(float)];
    rotate(cache, in, out);
}

__global__ void occupancy_48k(const float *in, float *out)
{
    __shared__ float cache[48 * 1024 / sizeof(float)];
    rotate(cache, in, out);
}

static void rotated(gmk_run &run, void (*kernel)(const float *, float *))
{
    size_t n = (size_t)run.size * BLOCK;
    gmk_array<float> in(n), out(n);
    in.fill(1, -1000, 1000);
    out.upload();
    kernel<<<run.size, BLOCK>>>(in.device, out.device);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (size_t i = 0; i < n; i++)
        want[i] = in.host[i / BLOCK * BLOCK + (i + 1) % BLOCK];
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"occupancy_16k", 2048, 128, 1 << 20, BLOCK, false, "16 KB a block: 6 blocks an SM of 96 KB",
     [](gmk_run &run) { rotated(run, occupancy_16k); }},
    {"occupancy_32k", 2048, 128, 1 << 20, BLOCK, false, "32 KB a block: 3 blocks an SM of 96 KB",
     [](gmk_run &run) { rotated(run, occupancy_32k); }},
    {"occupancy_48k", 2048, 128, 1 << 20, BLOCK, false, "48 KB a block: 2 blocks an SM of 96 KB",
     [](gmk_run &run) { rotated(run, occupancy_48k); }},
};
GMK_TOPIC(gmk_occupancy, "blocks");
