/* SPDX-License-Identifier: MIT
 *
 * working_set.cu - the same bytes read again and again: by each block a region of its own (does L1
 * hold it?), and by the whole grid one large array (does L2?).
 */
#include "kernels/gmkernels.h"

#define L1_PASSES 8
#define L2_PASSES 3

/* Every block reads `words` words of its own L1_PASSES times. */
static __device__ void read_own(const int *in, int *out, int words)
{
    const int *own = in + (size_t)blockIdx.x * words;
    int sum = 0;
    for (int pass = 0; pass < L1_PASSES; pass++) {
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            sum += own[i];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void l1_set_8k(const int *in, int *out, int words)
{
    read_own(in, out, words);
}
__global__ void l1_set_32k(const int *in, int *out, int words)
{
    read_own(in, out, words);
}
__global__ void l1_set_64k(const int *in, int *out, int words)
{
    read_own(in, out, words);
}
__global__ void l1_set_96k(const int *in, int *out, int words)
{
    read_own(in, out, words);
}
__global__ void l1_set_160k(const int *in, int *out, int words)
{
    read_own(in, out, words);
}

/* The grid reads `quads` times 16 bytes L2_PASSES times; a thread meets the same ones each time. */
static __device__ void read_all(const int4 *in, int *out, int quads)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x, sum = 0;
    for (int pass = 0; pass < L2_PASSES; pass++)
        for (int i = thread; i < quads; i += threads) {
            int4 v = in[i];
            sum += v.x + v.y + v.z + v.w;
        }
    out[thread] = sum;
}

__global__ void l2_set_16m(const int4 *in, int *out, int quads)
{
    read_all(in, out, quads);
}
__global__ void l2_set_40m(const int4 *in, int *out, int quads)
{
    read_all(in, out, quads);
}
__global__ void l2_set_96m(const int4 *in, int *out, int quads)
{
    read_all(in, out, quads);
}
__global__ void l2_set_256m(const int4 *in, int *out, int quads)
{
    read_all(in, out, quads);
}

static void own(gmk_run &run, void (*kernel)(const int *, int *, int), int bytes)
{
    int blocks = run.size, words = bytes / 4, threads = run.block;
    gmk_array<int> in((size_t)blocks * words), out((size_t)blocks * threads);
    in.fill(1, -100, 100);
    out.upload();
    kernel<<<blocks, threads>>>(in.device, out.device, words);
    gmk_finish();
    if (!run.check)
        return;
    int *want = out.expect();
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < threads; t++) {
            int sum = 0;
            for (int i = t; i < words; i += threads)
                sum += in.host[(size_t)b * words + i];
            want[(size_t)b * threads + t] = L1_PASSES * sum;
        }
    gmk_compare(run, out, 0);
}

/* --size counts blocks; a full grid of 264 blocks reads `bytes`, a smaller one as much less. */
static void all(gmk_run &run, void (*kernel)(const int4 *, int *, int), size_t bytes)
{
    int quads = (int)(bytes / 16 / 264 * run.size), threads = run.size * run.block;
    gmk_array<int> in((size_t)quads * 4), out(threads);
    in.fill(2, -100, 100);
    out.upload();
    kernel<<<run.size, run.block>>>((const int4 *)in.device, out.device, quads);
    gmk_finish();
    if (!run.check)
        return;
    int *want = out.expect();
    for (int t = 0; t < threads; t++) {
        int sum = 0;
        for (int i = t; i < quads; i += threads)
            sum += in.host[4 * (size_t)i] + in.host[4 * (size_t)i + 1] +
                   in.host[4 * (size_t)i + 2] + in.host[4 * (size_t)i + 3];
        want[t] = L2_PASSES * sum;
    }
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"l1_set_8k", 132, 8, 1024, 1024, false, "8 KB a block, read 8 times",
     [](gmk_run &run) { own(run, l1_set_8k, 8 << 10); }},
    {"l1_set_32k", 132, 8, 1024, 1024, false, "32 KB a block, read 8 times",
     [](gmk_run &run) { own(run, l1_set_32k, 32 << 10); }},
    {"l1_set_64k", 132, 8, 1024, 1024, false, "64 KB a block, read 8 times",
     [](gmk_run &run) { own(run, l1_set_64k, 64 << 10); }},
    {"l1_set_96k", 264, 8, 1024, 1024, false, "96 KB a block, two blocks an SM, read 8 times",
     [](gmk_run &run) { own(run, l1_set_96k, 96 << 10); }},
    {"l1_set_160k", 264, 8, 1024, 1024, false,
     "160 KB a block, two blocks an SM: more than L1 holds",
     [](gmk_run &run) { own(run, l1_set_160k, 160 << 10); }},
    {"l2_set_16m", 264, 2, 264, 512, false, "16 MB, read 3 times: L2 holds it",
     [](gmk_run &run) { all(run, l2_set_16m, (size_t)16 << 20); }},
    {"l2_set_40m", 264, 2, 264, 512, false, "40 MB, read 3 times: L2 just about holds it",
     [](gmk_run &run) { all(run, l2_set_40m, (size_t)40 << 20); }},
    {"l2_set_96m", 264, 2, 264, 512, false, "96 MB, read 3 times: too much for L2",
     [](gmk_run &run) { all(run, l2_set_96m, (size_t)96 << 20); }},
    {"l2_set_256m", 264, 2, 264, 512, false, "256 MB, read 3 times: nothing is left to find",
     [](gmk_run &run) { all(run, l2_set_256m, (size_t)256 << 20); }},
};
GMK_TOPIC(gmk_working_set, "blocks");
