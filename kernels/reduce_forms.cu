/* SPDX-License-Identifier: MIT
 *
 * reduce_forms.cu - the sum of n floats in one launch: a grid of as many blocks as an H200 holds
 * at once strides over the array, every warp adds up by shuffles, one atomic a block. One float a
 * load, or four.
 */
#include "kernels/gmkernels.h"

#define BLOCKS 1056 /* eight of 256 threads for each of 132 SMs */

/* Adds the sum over the block to *total. */
__device__ static void add_block(float sum, float *total)
{
    __shared__ float warp_sum[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        warp_sum[warp] = sum;
    __syncthreads();
    if (warp > 0)
        return;
    sum = lane < (int)blockDim.x / 32 ? warp_sum[lane] : 0;
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        atomicAdd(total, sum);
}

__global__ void reduce_shuffle(const float *in, float *total, int n)
{
    int threads = gridDim.x * blockDim.x;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        sum += in[i];
    add_block(sum, total);
}

__global__ void reduce_float4(const float *in, float *total, int n)
{
    int threads = gridDim.x * blockDim.x;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = t; i < n / 4; i += threads) {
        float4 v = ((const float4 *)in)[i];
        sum += v.x + v.y + v.z + v.w;
    }
    for (int i = n / 4 * 4 + t; i < n; i += threads)
        sum += in[i];
    add_block(sum, total);
}

static void reduce(gmk_run &run, void (*kernel)(const float *, float *, int), int a_load)
{
    int n = run.size;
    if (run.block % 32)
        gmk_fail(false, "--block must be a multiple of 32: the sum works by warps");
    gmk_array<float> in(n), total(1);
    in.fill(1, -9, 9);
    total.host[0] = 0;
    total.upload();
    int blocks = gmk_blocks(gmk_blocks(n, a_load), run.block);
    if (blocks > BLOCKS)
        blocks = BLOCKS;
    kernel<<<blocks, run.block>>>(in.device, total.device, n);
    gmk_finish();
    if (!run.check)
        return;
    long sum = 0; /* far below 2^24, as are all partial sums: exact as a float */
    for (int i = 0; i < n; i++)
        sum += (long)in.host[i];
    total.expect()[0] = (float)sum;
    gmk_compare(run, total, 0);
}

static const gmk_kernel table[] = {
    {"reduce_shuffle", 1 << 24, 1 << 16, 1 << 28, 256, true,
     "grid-stride loop, shuffles, one atomic a block",
     [](gmk_run &run) { reduce(run, reduce_shuffle, 1); }},
    {"reduce_float4", 1 << 24, 1 << 16, 1 << 28, 256, true,
     "the same with four floats a load: a quarter of the requests",
     [](gmk_run &run) { reduce(run, reduce_float4, 4); }},
};
GMK_TOPIC(gmk_reduce_forms, "elements");
