/* SPDX-License-Identifier: MIT
 *
 * layer_norm.cu - rows of 1024 values are shifted to mean 0, scaled to variance 1, then scaled and
 * shifted column by column. A row is read once: one block keeps it in shared memory, or one warp in
 * registers, as float4. Scale and shift are the same for all rows and stay in the caches.
 */
#include "kernels/gmkernels.h"

#define COLUMNS 1024
#define THREADS 256
#define WARP    32
#define WARPS   (THREADS / WARP)
#define QUADS   (COLUMNS / 4 / WARP) /* float4 a lane keeps */
#define SMALL   1e-5f
#define ALL     0xffffffffu

/* Every lane gets the sum. */
static __device__ float warp_sum(float value)
{
    for (int d = WARP / 2; d > 0; d /= 2)
        value += __shfl_xor_sync(ALL, value, d);
    return value;
}

static __device__ float block_sum(float *part, float value)
{
    value = warp_sum(value);
    if (threadIdx.x % WARP == 0)
        part[threadIdx.x / WARP] = value;
    __syncthreads();
    value = 0;
    for (int w = 0; w < WARPS; w++)
        value += part[w];
    __syncthreads(); /* all have read the parts before the next use */
    return value;
}

__global__ void layer_norm_block(const float *in, const float *scale, const float *shift,
                                 float *out)
{
    __shared__ float row[COLUMNS], part[WARPS];
    in += blockIdx.x * COLUMNS;
    out += blockIdx.x * COLUMNS;
    float sum = 0;
    for (int c = threadIdx.x; c < COLUMNS; c += THREADS) {
        row[c] = in[c];
        sum += row[c];
    }
    float mean = block_sum(part, sum) / COLUMNS;
    float squares = 0;
    for (int c = threadIdx.x; c < COLUMNS; c += THREADS)
        squares += (row[c] - mean) * (row[c] - mean);
    float factor = rsqrtf(block_sum(part, squares) / COLUMNS + SMALL);
    for (int c = threadIdx.x; c < COLUMNS; c += THREADS)
        out[c] = (row[c] - mean) * factor * scale[c] + shift[c];
}

__global__ void layer_norm_warp(const float4 *in, const float4 *scale, const float4 *shift,
                                float4 *out, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    int lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    in += row * (COLUMNS / 4);
    out += row * (COLUMNS / 4);
    float4 x[QUADS];
    float sum = 0;
    for (int k = 0; k < QUADS; k++) {
        x[k] = in[k * WARP + lane];
        sum += x[k].x + x[k].y + x[k].z + x[k].w;
    }
    float mean = warp_sum(sum) / COLUMNS;
    float squares = 0;
    for (int k = 0; k < QUADS; k++) {
        x[k].x -= mean;
        x[k].y -= mean;
        x[k].z -= mean;
        x[k].w -= mean;
        squares += x[k].x * x[k].x + x[k].y * x[k].y + x[k].z * x[k].z + x[k].w * x[k].w;
    }
    float factor = rsqrtf(warp_sum(squares) / COLUMNS + SMALL);
    for (int k = 0; k < QUADS; k++) {
        float4 s = scale[k * WARP + lane], t = shift[k * WARP + lane];
        x[k].x = x[k].x * factor * s.x + t.x;
        x[k].y = x[k].y * factor * s.y + t.y;
        x[k].z = x[k].z * factor * s.z + t.z;
        x[k].w = x[k].w * factor * s.w + t.w;
        out[k * WARP + lane] = x[k];
    }
}

static void layer_norm(gmk_run &run, bool by_block)
{
    int rows = run.size;
    gmk_array<float> in((size_t)rows * COLUMNS), out((size_t)rows * COLUMNS);
    gmk_array<float> scale(COLUMNS), shift(COLUMNS);
    in.fill(1, -9, 9);
    scale.fill(2, 1, 4);
    shift.fill(3, -4, 4);
    out.upload();
    if (by_block)
        layer_norm_block<<<rows, THREADS>>>(in.device, scale.device, shift.device, out.device);
    else
        layer_norm_warp<<<gmk_blocks(rows * WARP, THREADS), THREADS>>>(
            (const float4 *)in.device, (const float4 *)scale.device, (const float4 *)shift.device,
            (float4 *)out.device, rows);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (int r = 0; r < rows; r++) {
        const float *x = in.host + (size_t)r * COLUMNS;
        double sum = 0, squares = 0;
        for (int c = 0; c < COLUMNS; c++)
            sum += x[c];
        double mean = sum / COLUMNS;
        for (int c = 0; c < COLUMNS; c++)
            squares += (x[c] - mean) * (x[c] - mean);
        double factor = 1 / sqrt(squares / COLUMNS + SMALL);
        for (int c = 0; c < COLUMNS; c++)
            want[(size_t)r * COLUMNS + c] =
                (float)((x[c] - mean) * factor * scale.host[c] + shift.host[c]);
    }
    gmk_compare(run, out, 1e-5);
}

static const gmk_kernel table[] = {
    {"layer_norm_block", 8192, 64, 1 << 20, THREADS, false,
     "one block a row, kept in shared memory", [](gmk_run &run) { layer_norm(run, true); }},
    {"layer_norm_warp", 8192, 64, 1 << 20, THREADS, false, "one warp a row, kept in registers",
     [](gmk_run &run) { layer_norm(run, false); }},
};
GMK_TOPIC(gmk_layer_norm, "rows");
