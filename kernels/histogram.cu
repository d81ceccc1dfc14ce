/* SPDX-License-Identifier: MIT
 *
 * histogram.cu - counts bytes in 256 bins, the higher values being likelier (each is the larger of
 * two random bytes): an atomic on global memory for every byte, and a copy of the bins a block in
 * shared memory that is added to the global one at the end.
 */
#include "kernels/gmkernels.h"

#define BINS     256
#define A_THREAD 16 /* bytes a thread of histogram_shared counts */

__global__ void histogram_global(const unsigned char *in, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i]], 1u);
}

__global__ void histogram_shared(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned mine[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], mine[b]);
}

static void histogram(gmk_run &run, void (*kernel)(const unsigned char *, unsigned *, int),
                      int a_thread)
{
    int n = run.size;
    gmk_array<unsigned char> in(n);
    gmk_array<unsigned> bins(BINS);
    for (int i = 0; i < n; i++) {
        uint64_t h = gmk_hash(1, i);
        unsigned char a = (unsigned char)h, b = (unsigned char)(h >> 8);
        in.host[i] = a > b ? a : b;
    }
    in.upload();
    for (int b = 0; b < BINS; b++)
        bins.host[b] = 0;
    bins.upload();
    kernel<<<gmk_blocks(gmk_blocks(n, a_thread), run.block), run.block>>>(in.device, bins.device,
                                                                          n);
    gmk_finish();
    if (!run.check)
        return;
    unsigned *want = bins.expect();
    for (int i = 0; i < n; i++)
        want[in.host[i]]++;
    gmk_compare(run, bins, 0);
}

static const gmk_kernel table[] = {
    {"histogram_global", 1 << 20, 1 << 14, INT_MAX / 2, 256, true,
     "a global atomic a byte, all to 32 sectors",
     [](gmk_run &run) { histogram(run, histogram_global, 1); }},
    {"histogram_shared", 1 << 22, 1 << 16, INT_MAX / 2, 256, true,
     "shared atomics, then 256 global ones a block",
     [](gmk_run &run) { histogram(run, histogram_shared, A_THREAD); }},
};
GMK_TOPIC(gmk_histogram, "bytes");
