/* SPDX-License-Identifier: MIT
 *
 * dot.cu - the dot product of two vectors, four ways: one atomicAdd a thread; a block reduction in
 * shared memory, then one atomicAdd a block; only the array of products, to be summed elsewhere;
 * two elements a thread and a reduction in dynamic shared memory, one partial sum a block.
 * Inputs are 0 or 1, so that a float sum is exact in any order up to 2^24 elements.
 */
#include "kernels/gmkernels.h"

#define BLOCK 256

__global__ void dot_naive(const float *a, const float *b, float *result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(result, a[i] * b[i]);
}

__global__ void dot_shared(const float *a, const float *b, float *result, int n)
{
    __shared__ float cache[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int tid = threadIdx.x;
    cache[tid] = i < n ? a[i] * b[i] : 0.0f;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(result, cache[0]);
}

__global__ void dot_product_only(const float *a, const float *b, float *product, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        product[i] = a[i] * b[i];
}

__global__ void dot_two_a_thread(const float *a, const float *b, float *partial, int n)
{
    extern __shared__ float cache[];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x * 2 + tid;
    float sum = 0;
    if (i < n)
        sum = a[i] * b[i];
    if (i + (int)blockDim.x < n)
        sum += a[i + blockDim.x] * b[i + blockDim.x];
    cache[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        partial[blockIdx.x] = cache[0];
}

/* Kernels that add onto one result. */
static void to_one(gmk_run &run, void (*kernel)(const float *, const float *, float *, int))
{
    int n = run.size;
    gmk_array<float> a(n), b(n), result(1);
    a.fill(1, 0, 1);
    b.fill(2, 0, 1);
    result.host[0] = 0; /* added to: it cannot start poisoned */
    result.upload();
    kernel<<<gmk_blocks(n, run.block), run.block>>>(a.device, b.device, result.device, n);
    gmk_finish();
    if (!run.check)
        return;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a.host[i] * b.host[i];
    result.expect()[0] = (float)sum;
    gmk_compare(run, result, 0);
}

static void products(gmk_run &run)
{
    int n = run.size;
    gmk_array<float> a(n), b(n), product(n);
    a.fill(1, -1000, 1000);
    b.fill(2, -1000, 1000);
    product.upload();
    dot_product_only<<<gmk_blocks(n, run.block), run.block>>>(a.device, b.device, product.device,
                                                              n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = product.expect();
    for (int i = 0; i < n; i++)
        want[i] = a.host[i] * b.host[i];
    gmk_compare(run, product, 0);
}

static void two_a_thread(gmk_run &run)
{
    int n = run.size, blocks = gmk_blocks(n, 2 * run.block);
    if (run.block & (run.block - 1))
        gmk_fail(false, "--block must be a power of two: the reduction halves it");
    gmk_array<float> a(n), b(n), partial(blocks);
    a.fill(1, 0, 1);
    b.fill(2, 0, 1);
    partial.upload();
    dot_two_a_thread<<<blocks, run.block, run.block * sizeof(float)>>>(a.device, b.device,
                                                                       partial.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = partial.expect();
    for (int k = 0; k < blocks; k++)
        want[k] = 0;
    for (int i = 0; i < n; i++)
        want[i / (2 * run.block)] += a.host[i] * b.host[i];
    gmk_compare(run, partial, 0);
}

static const gmk_kernel table[] = {
    {"dot_naive", 1 << 20, 1 << 15, 1 << 24, BLOCK, true,
     "15 GB/s, 3.2 ms: one atomicAdd a thread (1 M)", [](gmk_run &run) { to_one(run, dot_naive); }},
    {"dot_shared", 1 << 20, 1 << 15, 1 << 24, BLOCK, false,
     "380 GB/s, 0.13 ms, 24.6x: block reduction, one atomicAdd a block",
     [](gmk_run &run) { to_one(run, dot_shared); }},
    {"dot_product_only", 1 << 20, 1 << 15, INT_MAX / 2, BLOCK, true,
     "12 ms: the array of products alone (1 M)", products},
    {"dot_two_a_thread", 1 << 20, 1 << 15, 1 << 24, BLOCK, true,
     "4 ms: two elements a thread, block reduction, dynamic shared memory", two_a_thread},
};
GMK_TOPIC(gmk_dot, "elements");
