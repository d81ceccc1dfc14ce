/* SPDX-License-Identifier: MIT
 *
 * shared_read.cu - 256 threads read shared memory 1000 times, thread t from word t * stride: the
 * stride decides how many of a warp's words share a bank. shared_broadcast reads one word from
 * every thread, which one of the notes calls a 32-way conflict. --size is the number of blocks.
 * `volatile` keeps the compiler from reading once and multiplying.
 */
#include "kernels/gmkernels.h"

#define THREADS 256
#define REPEATS 1000

__global__ void shared_stride1(const float *in, float *out)
{
    __shared__ volatile float cache[THREADS];
    int tid = threadIdx.x;
    cache[tid] = in[tid];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < REPEATS; r++)
        sum += cache[tid];
    out[blockIdx.x * THREADS + tid] = sum;
}

__global__ void shared_stride2(const float *in, float *out)
{
    __shared__ volatile float cache[THREADS * 2];
    int tid = threadIdx.x;
    for (int k = tid; k < THREADS * 2; k += THREADS)
        cache[k] = in[k];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < REPEATS; r++)
        sum += cache[tid * 2];
    out[blockIdx.x * THREADS + tid] = sum;
}

__global__ void shared_stride4(const float *in, float *out)
{
    __shared__ volatile float cache[THREADS * 4];
    int tid = threadIdx.x;
    for (int k = tid; k < THREADS * 4; k += THREADS)
        cache[k] = in[k];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < REPEATS; r++)
        sum += cache[tid * 4];
    out[blockIdx.x * THREADS + tid] = sum;
}

__global__ void shared_stride8(const float *in, float *out)
{
    __shared__ volatile float cache[THREADS * 8];
    int tid = threadIdx.x;
    for (int k = tid; k < THREADS * 8; k += THREADS)
        cache[k] = in[k];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < REPEATS; r++)
        sum += cache[tid * 8];
    out[blockIdx.x * THREADS + tid] = sum;
}

__global__ void shared_stride16(const float *in, float *out)
{
    __shared__ volatile float cache[THREADS * 16];
    int tid = threadIdx.x;
    for (int k = tid; k < THREADS * 16; k += THREADS)
        cache[k] = in[k];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < REPEATS; r++)
        sum += cache[tid * 16];
    out[blockIdx.x * THREADS + tid] = sum;
}

__global__ void shared_stride32(const float *in, float *out)
{
    __shared__ volatile float cache[THREADS * 32];
    int tid = threadIdx.x;
    for (int k = tid; k < THREADS * 32; k += THREADS)
        cache[k] = in[k];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < REPEATS; r++)
        sum += cache[tid * 32];
    out[blockIdx.x * THREADS + tid] = sum;
}

__global__ void shared_broadcast(const float *in, float *out)
{
    __shared__ volatile float cache[THREADS];
    int tid = threadIdx.x;
    cache[tid] = in[tid];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < REPEATS; r++)
        sum += cache[0];
    out[blockIdx.x * THREADS + tid] = sum;
}

static void read(gmk_run &run, void (*kernel)(const float *, float *), int stride)
{
    gmk_array<float> in(THREADS * (stride ? stride : 1));
    gmk_array<float> out((size_t)run.size * THREADS);
    in.fill(1, 0, 1000); /* 1000 * 1000 fits a float exactly */
    out.upload();
    kernel<<<run.size, THREADS>>>(in.device, out.device);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (size_t i = 0; i < out.count; i++)
        want[i] = in.host[i % THREADS * stride] * REPEATS;
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"shared_stride1", 264, 4, 1 << 20, THREADS, false, "0.032 ms, no conflict",
     [](gmk_run &run) { read(run, shared_stride1, 1); }},
    {"shared_stride2", 264, 4, 1 << 20, THREADS, false, "0.065 ms, 2-way conflict",
     [](gmk_run &run) { read(run, shared_stride2, 2); }},
    {"shared_stride4", 264, 4, 1 << 20, THREADS, false, "0.128 ms, 4-way conflict",
     [](gmk_run &run) { read(run, shared_stride4, 4); }},
    {"shared_stride8", 264, 4, 1 << 20, THREADS, false, "0.251 ms, 8-way conflict",
     [](gmk_run &run) { read(run, shared_stride8, 8); }},
    {"shared_stride16", 264, 4, 1 << 20, THREADS, false, "16-way conflict",
     [](gmk_run &run) { read(run, shared_stride16, 16); }},
    {"shared_stride32", 264, 4, 1 << 20, THREADS, false, "32-way conflict: all in one bank",
     [](gmk_run &run) { read(run, shared_stride32, 32); }},
    {"shared_broadcast", 264, 4, 1 << 20, THREADS, false,
     "cache[0]: 1.024 ms, 32-way conflict in one note, a free broadcast in another",
     [](gmk_run &run) { read(run, shared_broadcast, 0); }},
};
GMK_TOPIC(gmk_shared_read, "blocks");
