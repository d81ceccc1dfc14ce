/* SPDX-License-Identifier: MIT
 *
 * matmul.cu - c = a * b, n x n floats: one element a thread straight from global memory, through
 * shared tiles of 16 x 16 and 32 x 32, and four neighbouring elements a thread with 128-bit loads
 * of b. The notes use n = 1024; the default is smaller so that a trace has some million records.
 */
#include "kernels/gmkernels.h"

__global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

__global__ void matmul_tiled16(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + col];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += as[ty][j] * bs[j][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void matmul_tiled32(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[32][32], bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
    float sum = 0;
    for (int k = 0; k < n; k += 32) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + col];
        __syncthreads();
        for (int j = 0; j < 32; j++)
            sum += as[ty][j] * bs[j][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void matmul_float4(const float *a, const float *b, float *c, int n)
{
    int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < n; k++) {
        float x = a[row * n + k];
        float4 y = *(const float4 *)&b[k * n + col];
        sum.x += x * y.x;
        sum.y += x * y.y;
        sum.z += x * y.z;
        sum.w += x * y.w;
    }
    *(float4 *)&c[row * n + col] = sum;
}

static void matmul(gmk_run &run, void (*kernel)(const float *, const float *, float *, int),
                   dim3 block, int columns_a_thread)
{
    int n = run.size;
    if (n % 32)
        gmk_fail(false, "--size must be a multiple of 32");
    gmk_array<float> a((size_t)n * n), b((size_t)n * n), c((size_t)n * n);
    a.fill(1, -4, 4);
    b.fill(2, -4, 4);
    c.upload();
    dim3 grid(gmk_blocks(n, block.x * columns_a_thread), gmk_blocks(n, block.y));
    kernel<<<grid, block>>>(a.device, b.device, c.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = c.expect();
    for (int i = 0; i < n; i++) {
        float *row = want + (size_t)i * n;
        for (int j = 0; j < n; j++)
            row[j] = 0;
        for (int k = 0; k < n; k++) {
            float x = a.host[(size_t)i * n + k];
            const float *y = b.host + (size_t)k * n;
            for (int j = 0; j < n; j++)
                row[j] += x * y[j];
        }
    }
    gmk_compare(run, c, 0);
}

static const gmk_kernel table[] = {
    {"matmul_naive", 384, 128, 16384, 256, false,
     "0.25 FLOP/B; 2N global reads an element (N = 1024)",
     [](gmk_run &run) { matmul(run, matmul_naive, dim3(16, 16), 1); }},
    {"matmul_tiled16", 384, 128, 16384, 256, false,
     "4 FLOP/B; 16x fewer global reads at T = 16 (N = 1024)",
     [](gmk_run &run) { matmul(run, matmul_tiled16, dim3(16, 16), 1); }},
    {"matmul_tiled32", 384, 128, 16384, 1024, false, "32x fewer global reads at T = 32 (N = 1024)",
     [](gmk_run &run) { matmul(run, matmul_tiled32, dim3(32, 32), 1); }},
    {"matmul_float4", 384, 128, 16384, 256, false, "float4 loads move more bytes an instruction",
     [](gmk_run &run) { matmul(run, matmul_float4, dim3(16, 16), 4); }},
};
GMK_TOPIC(gmk_matmul, "rows and columns");
