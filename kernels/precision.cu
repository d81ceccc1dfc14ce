/* SPDX-License-Identifier: MIT
 *
 * precision.cu - one kernel in float and in double: y = a x + y in global memory, and the reversal
 * of every block's elements through shared memory, where a double takes two words and half a warp a
 * pass; the same with float4, a quarter of a warp a pass.
 */
#include "kernels/gmkernels.h"

#define BLOCK 256

__global__ void saxpy_float(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void saxpy_double(double a, const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void reverse_float(const float *in, float *out)
{
    __shared__ float cache[BLOCK];
    int base = blockIdx.x * BLOCK, t = threadIdx.x;
    cache[t] = in[base + t];
    __syncthreads();
    out[base + t] = cache[BLOCK - 1 - t];
}

__global__ void reverse_double(const double *in, double *out)
{
    __shared__ double cache[BLOCK];
    int base = blockIdx.x * BLOCK, t = threadIdx.x;
    cache[t] = in[base + t];
    __syncthreads();
    out[base + t] = cache[BLOCK - 1 - t];
}

__global__ void reverse_float4(const float4 *in, float4 *out)
{
    __shared__ float4 cache[BLOCK];
    int base = blockIdx.x * BLOCK, t = threadIdx.x;
    cache[t] = in[base + t];
    __syncthreads();
    out[base + t] = cache[BLOCK - 1 - t];
}

template <typename T> static void saxpy(gmk_run &run, void (*kernel)(T, const T *, T *, int))
{
    int n = run.size;
    gmk_array<T> x(n), y(n);
    x.fill(1, -1000, 1000);
    y.fill(2, -1000, 1000);
    kernel<<<gmk_blocks(n, run.block), run.block>>>(3, x.device, y.device, n);
    gmk_finish();
    if (!run.check)
        return;
    T *want = y.expect();
    for (int i = 0; i < n; i++)
        want[i] = 3 * x.host[i] + want[i];
    gmk_compare(run, y, 0);
}

/* T is what the arrays hold, V what a thread moves: 1 or more of T. */
template <typename T, typename V> static void reverse(gmk_run &run, void (*kernel)(const V *, V *))
{
    const int parts = sizeof(V) / sizeof(T);
    size_t n = (size_t)run.size / BLOCK * BLOCK;
    if (n == 0)
        gmk_fail(false, "--size must be at least %d", BLOCK);
    gmk_array<T> in(n * parts), out(n * parts);
    in.fill(1, -1000, 1000);
    out.upload();
    kernel<<<(int)(n / BLOCK), BLOCK>>>((const V *)in.device, (V *)out.device);
    gmk_finish();
    if (!run.check)
        return;
    T *want = out.expect();
    for (size_t i = 0; i < n; i++) {
        size_t from = i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK;
        for (int k = 0; k < parts; k++)
            want[i * parts + k] = in.host[from * parts + k];
    }
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"saxpy_float", 1 << 20, 1 << 15, INT_MAX / 2, BLOCK, true, "32-bit global accesses",
     [](gmk_run &run) { saxpy<float>(run, saxpy_float); }},
    {"saxpy_double", 1 << 20, 1 << 15, INT_MAX / 2, BLOCK, true, "64-bit global accesses",
     [](gmk_run &run) { saxpy<double>(run, saxpy_double); }},
    {"reverse_float", 1 << 20, 1 << 15, INT_MAX / 2, BLOCK, false, "32-bit shared accesses",
     [](gmk_run &run) { reverse<float, float>(run, reverse_float); }},
    {"reverse_double", 1 << 20, 1 << 15, INT_MAX / 2, BLOCK, false, "64-bit shared accesses",
     [](gmk_run &run) { reverse<double, double>(run, reverse_double); }},
    {"reverse_float4", 1 << 20, 1 << 15, INT_MAX / 8, BLOCK, false, "128-bit shared accesses",
     [](gmk_run &run) { reverse<float, float4>(run, reverse_float4); }},
};
GMK_TOPIC(gmk_precision, "threads");
