/* SPDX-License-Identifier: MIT
 *
 * gather_reuse.cu - out[i] = table[index[i]], the indices random and read coalesced, from a table
 * that fits an SM's L1, one that only L2 holds, and one that takes half of L2. The kernels differ
 * in the table's size alone: how often an element is still near when it is wanted again.
 */
#include "kernels/gmkernels.h"

#define PER_THREAD 4

static __device__ void gather(const float *table, const int *index, float *out, int n)
{
    int first = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
    for (int k = 0; k < PER_THREAD; k++) {
        int i = first + k * blockDim.x;
        if (i < n)
            out[i] = table[index[i]];
    }
}

__global__ void gather_64k(const float *table, const int *index, float *out, int n)
{
    gather(table, index, out, n);
}

__global__ void gather_1m(const float *table, const int *index, float *out, int n)
{
    gather(table, index, out, n);
}

__global__ void gather_32m(const float *table, const int *index, float *out, int n)
{
    gather(table, index, out, n);
}

static void gather_from(gmk_run &run, void (*kernel)(const float *, const int *, float *, int),
                        int table_bytes)
{
    int n = run.size, entries = table_bytes / (int)sizeof(float);
    gmk_array<float> table(entries), out(n);
    gmk_array<int> index(n);
    table.fill(1, -1000, 1000);
    index.fill(2, 0, entries - 1);
    out.upload();
    kernel<<<gmk_blocks(n, run.block * PER_THREAD), run.block>>>(table.device, index.device,
                                                                 out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (int i = 0; i < n; i++)
        want[i] = table.host[index.host[i]];
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"gather_64k", 1 << 20, 1 << 15, 1 << 30, 256, true, "random reads of a table that fits L1",
     [](gmk_run &run) { gather_from(run, gather_64k, 64 << 10); }},
    {"gather_1m", 1 << 20, 1 << 15, 1 << 30, 256, true,
     "random reads of a table that fits L2 alone",
     [](gmk_run &run) { gather_from(run, gather_1m, 1 << 20); }},
    {"gather_32m", 1 << 20, 1 << 15, 1 << 30, 256, true,
     "random reads of a table half as large as L2",
     [](gmk_run &run) { gather_from(run, gather_32m, 32 << 20); }},
};
GMK_TOPIC(gmk_gather_reuse, "elements read");
