/* SPDX-License-Identifier: MIT
 *
 * carveouts.cu - one gather under four launches: the program prefers none, half or all of the SM's
 * memory as shared memory, and a block has 64, 256 or 1024 threads. Each thread reads 16 random
 * words of a 96 KB table: it stays in L1 where little is carved out, and does not where all is. The
 * kernels use no shared memory; what they prefer is all that moves the border.
 */
#include "kernels/gmkernels.h"

#define TABLE   (96 << 10) /* bytes */
#define ENTRIES (TABLE / (int)sizeof(int))
#define READS   16

static __device__ void gather(const int *table, int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned at = (unsigned)i * 2654435761u;
    int sum = 0;
    for (int k = 0; k < READS; k++) {
        at = at * 1664525u + 1013904223u;
        sum += table[(at >> 8) % ENTRIES];
    }
    sums[i] = sum;
}

__global__ void carveout_0_block256(const int *table, int *sums, int n)
{
    gather(table, sums, n);
}

__global__ void carveout_50_block64(const int *table, int *sums, int n)
{
    gather(table, sums, n);
}

__global__ void carveout_50_block1024(const int *table, int *sums, int n)
{
    gather(table, sums, n);
}

__global__ void carveout_100_block256(const int *table, int *sums, int n)
{
    gather(table, sums, n);
}

static void prefer(gmk_run &run, void (*kernel)(const int *, int *, int), int percent)
{
    int n = run.size;
    gmk_array<int> table(ENTRIES), sums(n);
    table.fill(1, -1000, 1000);
    sums.upload();
    GMK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    kernel<<<gmk_blocks(n, run.block), run.block>>>(table.device, sums.device, n);
    gmk_finish();
    if (!run.check)
        return;
    int *want = sums.expect();
    for (int i = 0; i < n; i++) {
        unsigned at = (unsigned)i * 2654435761u;
        want[i] = 0;
        for (int k = 0; k < READS; k++) {
            at = at * 1664525u + 1013904223u;
            want[i] += table.host[(at >> 8) % ENTRIES];
        }
    }
    gmk_compare(run, sums, 0);
}

static const gmk_kernel table[] = {
    {"carveout_0_block256", 1 << 18, 1 << 12, 1 << 28, 256, false,
     "all memory for L1: the table stays",
     [](gmk_run &run) { prefer(run, carveout_0_block256, 0); }},
    {"carveout_50_block64", 1 << 18, 1 << 12, 1 << 28, 64, false, "half of it, in small blocks",
     [](gmk_run &run) { prefer(run, carveout_50_block64, 50); }},
    {"carveout_50_block1024", 1 << 18, 1 << 12, 1 << 28, 1024, false, "half of it, in large blocks",
     [](gmk_run &run) { prefer(run, carveout_50_block1024, 50); }},
    {"carveout_100_block256", 1 << 18, 1 << 12, 1 << 28, 256, false,
     "all memory shared: the table does not fit L1",
     [](gmk_run &run) { prefer(run, carveout_100_block256, 100); }},
};
GMK_TOPIC(gmk_carveouts, "threads");
