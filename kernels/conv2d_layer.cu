/* SPDX-License-Identifier: MIT
 *
 * conv2d_layer.cu - a 3 x 3 convolution layer of a neural network: 4 images of n x n pixels, 16
 * channels in and 16 out, stored image, channel, row, column (NCHW), zeros outside. Direct: one
 * thread an output, everything read through L1. Tiled: a block keeps a 34 x 10 tile of one channel
 * and its weights in shared memory, and a thread sums 8 output channels at a time. convolution.cu
 * is the same with one channel.
 */
#include "kernels/gmkernels.h"

#define IMAGES   4
#define CHANNELS 16 /* in, and out */
#define TILE_X   32
#define TILE_Y   8
#define THREADS  (TILE_X * TILE_Y)
#define GROUP    8 /* output channels a thread has in the tiled version */

__global__ void conv_layer_direct(const float *in, const float *weight, float *out, int n)
{
    int x = blockIdx.x * TILE_X + threadIdx.x;
    int y = blockIdx.y * TILE_Y + threadIdx.y;
    int image = blockIdx.z / CHANNELS, to = blockIdx.z % CHANNELS;
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int from = 0; from < CHANNELS; from++) {
        const float *plane = in + (image * CHANNELS + from) * n * n;
        const float *w = weight + (to * CHANNELS + from) * 9;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                if (x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < n)
                    sum += w[(dy + 1) * 3 + dx + 1] * plane[(y + dy) * n + x + dx];
    }
    out[(image * CHANNELS + to) * n * n + y * n + x] = sum;
}

__global__ void conv_layer_tiled(const float *in, const float *weight, float *out, int n)
{
    __shared__ float tile[TILE_Y + 2][TILE_X + 2];
    __shared__ float w[9][GROUP];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * TILE_X + tx;
    int x = blockIdx.x * TILE_X + tx, y = blockIdx.y * TILE_Y + ty;
    int image = blockIdx.z / (CHANNELS / GROUP), to = blockIdx.z % (CHANNELS / GROUP) * GROUP;
    float sum[GROUP] = {};
    for (int from = 0; from < CHANNELS; from++) {
        const float *plane = in + (image * CHANNELS + from) * n * n;
        __syncthreads(); /* all are done with the channel before */
        for (int i = t; i < (TILE_Y + 2) * (TILE_X + 2); i += THREADS) {
            int row = i / (TILE_X + 2), column = i % (TILE_X + 2);
            int gy = blockIdx.y * TILE_Y + row - 1, gx = blockIdx.x * TILE_X + column - 1;
            bool inside = gy >= 0 && gy < n && gx >= 0 && gx < n;
            tile[row][column] = inside ? plane[gy * n + gx] : 0.0f;
        }
        if (t < 9 * GROUP)
            w[t % 9][t / 9] = weight[((to + t / 9) * CHANNELS + from) * 9 + t % 9];
        __syncthreads();
        for (int i = 0; i < 9; i++) {
            float pixel = tile[ty + i / 3][tx + i % 3];
            for (int g = 0; g < GROUP; g++)
                sum[g] += w[i][g] * pixel;
        }
    }
    if (x >= n || y >= n)
        return;
    for (int g = 0; g < GROUP; g++)
        out[(image * CHANNELS + to + g) * n * n + y * n + x] = sum[g];
}

static void convolve(gmk_run &run, void (*kernel)(const float *, const float *, float *, int),
                     int channels_a_block)
{
    int n = run.size;
    size_t plane = (size_t)n * n;
    gmk_array<float> in(IMAGES * CHANNELS * plane), out(IMAGES * CHANNELS * plane);
    gmk_array<float> weight(CHANNELS * CHANNELS * 9);
    in.fill(1, -9, 9);
    weight.fill(2, -4, 4);
    out.upload();
    dim3 grid(gmk_blocks(n, TILE_X), gmk_blocks(n, TILE_Y), IMAGES * CHANNELS / channels_a_block);
    kernel<<<grid, dim3(TILE_X, TILE_Y)>>>(in.device, weight.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (int p = 0; p < IMAGES * CHANNELS; p++) {
        int image = p / CHANNELS, to = p % CHANNELS;
        for (int i = 0; i < n * n; i++) {
            int x = i % n, y = i / n;
            float sum = 0;
            for (int from = 0; from < CHANNELS; from++)
                for (int k = 0; k < 9; k++) {
                    int sx = x + k % 3 - 1, sy = y + k / 3 - 1;
                    if (sx >= 0 && sx < n && sy >= 0 && sy < n)
                        sum += weight.host[(to * CHANNELS + from) * 9 + k] *
                               in.host[(image * CHANNELS + from) * plane + (size_t)sy * n + sx];
                }
            want[p * plane + i] = sum;
        }
    }
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"conv_layer_direct", 64, 16, 4096, THREADS, false,
     "a layer of 16 channels, all reads through L1",
     [](gmk_run &run) { convolve(run, conv_layer_direct, 1); }},
    {"conv_layer_tiled", 64, 16, 4096, THREADS, false,
     "the same from a shared tile, 8 channels a thread",
     [](gmk_run &run) { convolve(run, conv_layer_tiled, GROUP); }},
};
GMK_TOPIC(gmk_conv2d_layer, "rows and columns");
