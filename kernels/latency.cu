/* SPDX-License-Identifier: MIT
 *
 * latency.cu - one thread follows a random cycle of indices, each load waiting for the one before,
 * and counts the clocks a step takes: in shared memory, in a global array that stays in L1 (second
 * walk of it), and in one far larger than L1, each line met once. --size is the number of indices.
 */
#include "kernels/gmkernels.h"

#define SHARED_MOST 8192
#define STEPS       4096

__global__ void chase_shared(const int *next, int *out, long long *clocks, int n)
{
    __shared__ int cycle[SHARED_MOST];
    for (int i = 0; i < n; i++)
        cycle[i] = next[i];
    int p = 0;
    long long begin = clock64();
    for (int s = 0; s < STEPS; s++)
        p = cycle[p];
    *out = p;
    *clocks = clock64() - begin;
}

__global__ void chase_cached(const int *next, int *out, long long *clocks, int n)
{
    int p = 0;
    for (int s = 0; s < n; s++)
        p = next[p];
    long long begin = clock64();
    for (int s = 0; s < STEPS; s++)
        p = next[p];
    *out = p;
    *clocks = clock64() - begin;
}

__global__ void chase_memory(const int *next, int *out, long long *clocks, int)
{
    int p = 0;
    long long begin = clock64();
    for (int s = 0; s < STEPS; s++)
        p = next[p];
    *out = p;
    *clocks = clock64() - begin;
}

static void chase(gmk_run &run, void (*kernel)(const int *, int *, long long *, int), int warm,
                  int spread)
{
    int n = run.size / spread;
    if (n < 2)
        gmk_fail(false, "--size must be at least %d", 2 * spread);
    gmk_array<int> next((size_t)n * spread), order(n), out(1);
    gmk_array<long long> clocks(1);
    order.fill_permutation(1);
    for (int k = 0; k < n; k++)
        next.host[(size_t)order.host[k] * spread] = order.host[(k + 1) % n] * spread;
    next.upload();
    out.upload();
    clocks.upload();
    kernel<<<1, 1>>>(next.device, out.device, clocks.device, n);
    gmk_finish();
    GMK_CUDA(cudaMemcpy(clocks.host, clocks.device, sizeof(long long), cudaMemcpyDeviceToHost));
    snprintf(run.note, sizeof run.note, "%.1f clocks a step", (double)clocks.host[0] / STEPS);
    if (!run.check)
        return;
    int p = 0;
    for (int s = 0; s < STEPS + (warm ? n : 0); s++)
        p = next.host[p];
    out.expect()[0] = p;
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"chase_shared", 1024, 256, SHARED_MOST, 1, false, "shared memory: 20-30 cycles",
     [](gmk_run &run) { chase(run, chase_shared, 0, 1); }},
    {"chase_cached", 4096, 1024, 1 << 26, 1, false, "L1: 30 cycles",
     [](gmk_run &run) { chase(run, chase_cached, 1, 1); }},
    {"chase_memory", 1 << 24, 1 << 20, 1 << 30, 1, false,
     "L2: 100-200 cycles, global: 300-600 cycles",
     [](gmk_run &run) { chase(run, chase_memory, 0, 32); }},
};
GMK_TOPIC(gmk_latency, "indices");
