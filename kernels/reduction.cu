/* SPDX-License-Identifier: MIT
 *
 * reduction.cu - every block sums its elements by a tree in dynamic shared memory: halving the
 * active threads from above (reduce_tree, no conflicts), or doubling the distance between the words
 * added (reduce_interleaved, whose conflicts grow with every step).
 */
#include "kernels/gmkernels.h"

__global__ void reduce_tree(const int *in, int *sums, int n)
{
    extern __shared__ int cache[];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    cache[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = cache[0];
}

__global__ void reduce_interleaved(const int *in, int *sums, int n)
{
    extern __shared__ int cache[];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    cache[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 1; s < (int)blockDim.x; s *= 2) {
        int k = 2 * s * tid;
        if (k < (int)blockDim.x)
            cache[k] += cache[k + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = cache[0];
}

static void reduce(gmk_run &run, void (*kernel)(const int *, int *, int))
{
    int n = run.size, blocks = gmk_blocks(n, run.block);
    if (run.block & (run.block - 1))
        gmk_fail(false, "--block must be a power of two: the tree halves it");
    gmk_array<int> in(n), sums(blocks);
    in.fill(1, -1000, 1000);
    sums.upload();
    kernel<<<blocks, run.block, run.block * sizeof(int)>>>(in.device, sums.device, n);
    gmk_finish();
    if (!run.check)
        return;
    int *want = sums.expect();
    for (int k = 0; k < blocks; k++)
        want[k] = 0;
    for (int i = 0; i < n; i++)
        want[i / run.block] += in.host[i];
    gmk_compare(run, sums, 0);
}

static const gmk_kernel table[] = {
    {"reduce_tree", 1 << 20, 1 << 15, INT_MAX / 2, 256, true,
     "O(log n) steps in dynamic shared memory", [](gmk_run &run) { reduce(run, reduce_tree); }},
    {"reduce_interleaved", 1 << 20, 1 << 15, INT_MAX / 2, 256, true,
     "the same tree with strided words: bank conflicts",
     [](gmk_run &run) { reduce(run, reduce_interleaved); }},
};
GMK_TOPIC(gmk_reduction, "elements");
