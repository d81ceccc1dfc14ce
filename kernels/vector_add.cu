/* SPDX-License-Identifier: MIT
 *
 * vector_add.cu - c = a + b, n elements, with seven ways to find the elements: side by side, every
 * 2nd, 4th, 8th, 16th or 32nd, in random order, or side by side but one element off the alignment;
 * and four elements a thread with 128-bit accesses. --size is the number of additions, so a strided
 * version's arrays are that many times longer.
 */
#include "kernels/gmkernels.h"

__global__ void vadd_contiguous(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void vadd_stride2(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i * 2] = a[i * 2] + b[i * 2];
}

__global__ void vadd_stride4(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i * 4] = a[i * 4] + b[i * 4];
}

__global__ void vadd_stride8(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i * 8] = a[i * 8] + b[i * 8];
}

__global__ void vadd_stride16(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i * 16] = a[i * 16] + b[i * 16];
}

__global__ void vadd_stride32(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i * 32] = a[i * 32] + b[i * 32];
}

__global__ void vadd_misaligned(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i + 1] = a[i + 1] + b[i + 1];
}

__global__ void vadd_random(const float *a, const float *b, float *c, const int *order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int j = order[i];
        c[j] = a[j] + b[j];
    }
}

__global__ void vadd_float4(const float4 *a, const float4 *b, float4 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}

typedef void vadd_kernel(const float *, const float *, float *, int);

static void strided(gmk_run &run, vadd_kernel *kernel, int stride, int offset)
{
    int n = run.size;
    size_t length = (size_t)n * stride + offset;
    gmk_array<float> a(length), b(length), c(length);
    a.fill(1, -1000, 1000);
    b.fill(2, -1000, 1000);
    c.upload();
    kernel<<<gmk_blocks(n, run.block), run.block>>>(a.device, b.device, c.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = c.expect();
    for (size_t i = offset; i < length; i += stride)
        want[i] = a.host[i] + b.host[i];
    gmk_compare(run, c, 0);
}

static void random_order(gmk_run &run)
{
    int n = run.size;
    gmk_array<float> a(n), b(n), c(n);
    gmk_array<int> order(n);
    a.fill(1, -1000, 1000);
    b.fill(2, -1000, 1000);
    c.upload();
    order.fill_permutation(3);
    vadd_random<<<gmk_blocks(n, run.block), run.block>>>(a.device, b.device, c.device, order.device,
                                                         n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = c.expect();
    for (int i = 0; i < n; i++)
        want[i] = a.host[i] + b.host[i];
    gmk_compare(run, c, 0);
}

static void four_a_thread(gmk_run &run)
{
    int n = run.size / 4 * 4;
    if (n == 0)
        gmk_fail(false, "--size must be at least 4");
    gmk_array<float> a(n), b(n), c(n);
    a.fill(1, -1000, 1000);
    b.fill(2, -1000, 1000);
    c.upload();
    vadd_float4<<<gmk_blocks(n / 4, run.block), run.block>>>(
        (const float4 *)a.device, (const float4 *)b.device, (float4 *)c.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = c.expect();
    for (int i = 0; i < n; i++)
        want[i] = a.host[i] + b.host[i];
    gmk_compare(run, c, 0);
}

static const gmk_kernel table[] = {
    {"vadd_contiguous", 1 << 19, 1 << 15, INT_MAX / 2, 256, true,
     "920 GB/s, L1 hit 95 % (RTX 4090, 100 M elements)",
     [](gmk_run &run) { strided(run, vadd_contiguous, 1, 0); }},
    {"vadd_stride2", 1 << 19, 1 << 15, INT_MAX / 4, 256, true, "485 GB/s, L1 hit 50 %, L2 hit 45 %",
     [](gmk_run &run) { strided(run, vadd_stride2, 2, 0); }},
    {"vadd_stride4", 1 << 19, 1 << 15, INT_MAX / 8, 256, true, "250 GB/s",
     [](gmk_run &run) { strided(run, vadd_stride4, 4, 0); }},
    {"vadd_stride8", 1 << 19, 1 << 15, INT_MAX / 16, 256, true,
     "125 GB/s, L1 hit 12 %, L2 hit 75 %", [](gmk_run &run) { strided(run, vadd_stride8, 8, 0); }},
    {"vadd_stride16", 1 << 19, 1 << 15, INT_MAX / 32, 256, true, "16 transactions a warp",
     [](gmk_run &run) { strided(run, vadd_stride16, 16, 0); }},
    {"vadd_stride32", 1 << 19, 1 << 15, INT_MAX / 64, 256, true,
     "28 GB/s, 32 transactions a warp, L1 hit 0 %",
     [](gmk_run &run) { strided(run, vadd_stride32, 32, 0); }},
    {"vadd_random", 1 << 19, 1 << 15, INT_MAX / 2, 256, true,
     "48 GB/s, L1 hit < 5 %, L2 hit 30 %, some 32 transactions a warp", random_order},
    {"vadd_misaligned", 1 << 19, 1 << 15, INT_MAX / 2, 256, true,
     "two transactions a warp where one would do",
     [](gmk_run &run) { strided(run, vadd_misaligned, 1, 1); }},
    {"vadd_float4", 1 << 19, 1 << 15, INT_MAX / 2, 256, true,
     "128-bit loads move more bytes an instruction", four_a_thread},
};
GMK_TOPIC(gmk_vector_add, "additions");
