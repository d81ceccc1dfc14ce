/* SPDX-License-Identifier: MIT
 *
 * double_buffer.cu - a block takes 16 tiles of 1024 floats one after the other through shared
 * memory and adds up a weighted sum. tile_plain loads a tile through registers, waits, computes;
 * tile_cp_async has two tiles and copies the next one with cp.async while it computes on this one;
 * tile_cp_async4 does so 4 bytes at a time, which goes through L1 where 16 bytes pass it by.
 */
#include "kernels/gmkernels.h"
#include <cuda_pipeline.h>

#define BLOCK 256
#define TILE  1024
#define TILES 16

/* Thread t weighs four elements of the tile, none of which it loaded itself. */
__device__ static float weigh(const float *tile, int t)
{
    float sum = 0;
    for (int k = 0; k < TILE / BLOCK; k++)
        sum += (float)(k + 1) * tile[k * BLOCK + BLOCK - 1 - t];
    return sum;
}

__global__ void tile_plain(const float *in, float *out)
{
    __shared__ __align__(16) float tile[TILE];
    int t = threadIdx.x;
    const float *mine = in + (size_t)blockIdx.x * TILES * TILE;
    float sum = 0;
    for (int k = 0; k < TILES; k++) {
        ((float4 *)tile)[t] = ((const float4 *)(mine + k * TILE))[t];
        __syncthreads();
        sum += weigh(tile, t);
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + t] = sum;
}

__global__ void tile_cp_async(const float *in, float *out)
{
    __shared__ __align__(16) float tile[2][TILE];
    int t = threadIdx.x;
    const float *mine = in + (size_t)blockIdx.x * TILES * TILE;
    float sum = 0;
    __pipeline_memcpy_async(&tile[0][t * 4], &mine[t * 4], 16);
    __pipeline_commit();
    for (int k = 0; k < TILES; k++) {
        if (k + 1 < TILES)
            __pipeline_memcpy_async(&tile[(k + 1) % 2][t * 4], &mine[(k + 1) * TILE + t * 4], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1); /* all but the newest copy have arrived */
        __syncthreads();
        sum += weigh(tile[k % 2], t);
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + t] = sum;
}

__global__ void tile_cp_async4(const float *in, float *out)
{
    __shared__ float tile[2][TILE];
    int t = threadIdx.x;
    const float *mine = in + (size_t)blockIdx.x * TILES * TILE;
    float sum = 0;
    for (int j = t; j < TILE; j += BLOCK)
        __pipeline_memcpy_async(&tile[0][j], &mine[j], 4);
    __pipeline_commit();
    for (int k = 0; k < TILES; k++) {
        if (k + 1 < TILES)
            for (int j = t; j < TILE; j += BLOCK)
                __pipeline_memcpy_async(&tile[(k + 1) % 2][j], &mine[(k + 1) * TILE + j], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += weigh(tile[k % 2], t);
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + t] = sum;
}

static void tiles(gmk_run &run, void (*kernel)(const float *, float *))
{
    gmk_array<float> in((size_t)run.size * TILES * TILE), out((size_t)run.size * BLOCK);
    in.fill(1, -1000, 1000);
    out.upload();
    kernel<<<run.size, BLOCK>>>(in.device, out.device);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (size_t i = 0; i < out.count; i++) {
        const float *mine = in.host + i / BLOCK * TILES * TILE;
        float sum = 0;
        for (int k = 0; k < TILES * TILE / BLOCK; k++)
            sum += (float)(k % (TILE / BLOCK) + 1) * mine[k * BLOCK + BLOCK - 1 - i % BLOCK];
        want[i] = sum;
    }
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"tile_plain", 528, 32, 1 << 17, BLOCK, false, "load, wait, compute: no overlap",
     [](gmk_run &run) { tiles(run, tile_plain); }},
    {"tile_cp_async", 528, 32, 1 << 17, BLOCK, false,
     "double buffer with cp.async: overlaps, no registers",
     [](gmk_run &run) { tiles(run, tile_cp_async); }},
    {"tile_cp_async4", 528, 32, 1 << 17, BLOCK, false, "the same, 4 bytes a copy, through L1",
     [](gmk_run &run) { tiles(run, tile_cp_async4); }},
};
GMK_TOPIC(gmk_double_buffer, "blocks");
