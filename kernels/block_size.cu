/* SPDX-License-Identifier: MIT
 *
 * block_size.cu - the straight matrix product of matmul.cu with blocks of 8 x 8, 16 x 16 and
 * 32 x 16 threads: the same arithmetic, other warps. In a block 8 wide a warp holds four rows of
 * 8 columns, so its reads of b touch 32 bytes four times instead of 128 once.
 */
#include "kernels/gmkernels.h"

__device__ static void product(const float *a, const float *b, float *c, int n)
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

__global__ void matmul_block64(const float *a, const float *b, float *c, int n)
{
    product(a, b, c, n);
}

__global__ void matmul_block256(const float *a, const float *b, float *c, int n)
{
    product(a, b, c, n);
}

__global__ void matmul_block512(const float *a, const float *b, float *c, int n)
{
    product(a, b, c, n);
}

static void matmul(gmk_run &run, void (*kernel)(const float *, const float *, float *, int),
                   dim3 block)
{
    int n = run.size;
    gmk_array<float> a((size_t)n * n), b((size_t)n * n), c((size_t)n * n);
    a.fill(1, -4, 4);
    b.fill(2, -4, 4);
    c.upload();
    kernel<<<dim3(gmk_blocks(n, block.x), gmk_blocks(n, block.y)), block>>>(a.device, b.device,
                                                                            c.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = c.expect();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a.host[(size_t)i * n + k] * b.host[(size_t)k * n + j];
            want[(size_t)i * n + j] = sum;
        }
    gmk_compare(run, c, 0);
}

static const gmk_kernel table[] = {
    {"matmul_block64", 256, 96, 16384, 64, false, "18 ms with 64 threads a block (RTX 3090)",
     [](gmk_run &run) { matmul(run, matmul_block64, dim3(8, 8)); }},
    {"matmul_block256", 256, 96, 16384, 256, false, "12 ms with 256 threads a block",
     [](gmk_run &run) { matmul(run, matmul_block256, dim3(16, 16)); }},
    {"matmul_block512", 256, 96, 16384, 512, false, "13 ms with 512 threads a block",
     [](gmk_run &run) { matmul(run, matmul_block512, dim3(32, 16)); }},
};
GMK_TOPIC(gmk_block_size, "rows and columns");
