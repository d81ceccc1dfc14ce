/* SPDX-License-Identifier: MIT
 *
 * softmax.cu - exp(x - max) / sum of the same along rows of 1000 values, in three passes over a
 * row: one block a row, whose threads meet in shared memory, or one warp a row, whose lanes
 * exchange by shuffles. Passes two and three find the row in L1 if it is still there.
 */
#include "kernels/gmkernels.h"

#define COLUMNS 1000
#define THREADS 256
#define WARP    32
#define ALL     0xffffffffu

static __device__ float block_max(float *part, float value)
{
    int t = threadIdx.x;
    part[t] = value;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] = fmaxf(part[t], part[t + s]);
        __syncthreads();
    }
    value = part[0];
    __syncthreads(); /* all have read it before the next use */
    return value;
}

static __device__ float block_sum(float *part, float value)
{
    int t = threadIdx.x;
    part[t] = value;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    value = part[0];
    __syncthreads();
    return value;
}

__global__ void softmax_block(const float *in, float *out)
{
    __shared__ float part[THREADS];
    in += blockIdx.x * COLUMNS;
    out += blockIdx.x * COLUMNS;
    float most = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < COLUMNS; c += THREADS)
        most = fmaxf(most, in[c]);
    most = block_max(part, most);
    for (int c = threadIdx.x; c < COLUMNS; c += THREADS)
        sum += expf(in[c] - most);
    sum = block_sum(part, sum);
    for (int c = threadIdx.x; c < COLUMNS; c += THREADS)
        out[c] = expf(in[c] - most) / sum;
}

__global__ void softmax_warp(const float *in, float *out, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    int lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    in += row * COLUMNS;
    out += row * COLUMNS;
    float most = -INFINITY, sum = 0;
    for (int c = lane; c < COLUMNS; c += WARP)
        most = fmaxf(most, in[c]);
    for (int d = WARP / 2; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(ALL, most, d));
    for (int c = lane; c < COLUMNS; c += WARP)
        sum += expf(in[c] - most);
    for (int d = WARP / 2; d > 0; d /= 2)
        sum += __shfl_xor_sync(ALL, sum, d);
    for (int c = lane; c < COLUMNS; c += WARP)
        out[c] = expf(in[c] - most) / sum;
}

/* Results are at most 0.006, of which the tolerance is a fraction of 2e-5. */
static void softmax(gmk_run &run, bool by_block)
{
    int rows = run.size;
    gmk_array<float> in((size_t)rows * COLUMNS), out((size_t)rows * COLUMNS);
    in.fill(1, -4, 4);
    out.upload();
    if (by_block)
        softmax_block<<<rows, THREADS>>>(in.device, out.device);
    else
        softmax_warp<<<gmk_blocks(rows * WARP, THREADS), THREADS>>>(in.device, out.device, rows);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (int r = 0; r < rows; r++) {
        const float *x = in.host + (size_t)r * COLUMNS;
        double most = x[0], sum = 0;
        for (int c = 1; c < COLUMNS; c++)
            most = fmax(most, x[c]);
        for (int c = 0; c < COLUMNS; c++)
            sum += exp(x[c] - most);
        for (int c = 0; c < COLUMNS; c++)
            want[(size_t)r * COLUMNS + c] = (float)(exp(x[c] - most) / sum);
    }
    gmk_compare(run, out, 1e-7);
}

static const gmk_kernel table[] = {
    {"softmax_block", 4096, 64, 1 << 21, THREADS, false, "three passes over a row, one block a row",
     [](gmk_run &run) { softmax(run, true); }},
    {"softmax_warp", 4096, 64, 1 << 21, THREADS, false, "the same with one warp a row",
     [](gmk_run &run) { softmax(run, false); }},
};
GMK_TOPIC(gmk_softmax, "rows");
