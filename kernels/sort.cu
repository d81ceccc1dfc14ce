/* SPDX-License-Identifier: MIT
 *
 * sort.cu - two passes that sorting is made of: a bitonic sort of one tile in shared memory, and
 * the scatter of a radix sort, where every element goes to a place that was counted out before.
 */
#include "kernels/gmkernels.h"

#include <algorithm>

#define TILE   1024 /* elements a block sorts */
#define DIGITS 16

__global__ void sort_bitonic(const int *in, int *out, int n)
{
    __shared__ int tile[TILE];
    int base = blockIdx.x * TILE, t = threadIdx.x; /* TILE / 2 threads, two elements each */
    for (int i = t; i < TILE; i += TILE / 2)
        tile[i] = base + i < n ? in[base + i] : INT_MAX;
    for (int length = 2; length <= TILE; length *= 2)
        for (int step = length / 2; step > 0; step /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (step - 1)), high = low + step;
            bool up = (low & length) == 0;
            int a = tile[low], b = tile[high];
            if ((a > b) == up) {
                tile[low] = b;
                tile[high] = a;
            }
        }
    __syncthreads();
    for (int i = t; i < TILE; i += TILE / 2)
        if (base + i < n)
            out[base + i] = tile[i];
}

__global__ void sort_radix_scatter(const int *in, const int *place, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[place[i]] = in[i];
}

static void bitonic(gmk_run &run)
{
    int n = run.size;
    gmk_array<int> in(n), out(n);
    in.fill(1, -1000000, 1000000);
    out.upload();
    sort_bitonic<<<gmk_blocks(n, TILE), TILE / 2>>>(in.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    int *want = out.expect();
    memcpy(want, in.host, (size_t)n * sizeof *want);
    for (int first = 0; first < n; first += TILE)
        std::sort(want + first, want + std::min(first + TILE, n));
    gmk_compare(run, out, 0);
}

static void radix_scatter(gmk_run &run)
{
    int n = run.size, start[DIGITS + 1] = {0};
    gmk_array<int> in(n), place(n), out(n);
    in.fill(2, 0, INT_MAX / 2);
    for (int i = 0; i < n; i++)
        start[in.host[i] % DIGITS + 1]++;
    for (int d = 0; d < DIGITS; d++)
        start[d + 1] += start[d];
    for (int i = 0; i < n; i++)
        place.host[i] = start[in.host[i] % DIGITS]++;
    place.upload();
    out.upload();
    sort_radix_scatter<<<gmk_blocks(n, run.block), run.block>>>(in.device, place.device, out.device,
                                                                n);
    gmk_finish();
    if (!run.check)
        return;
    int *want = out.expect();
    for (int i = 0; i < n; i++)
        want[place.host[i]] = in.host[i];
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"sort_bitonic", 1 << 20, 1 << 11, 1 << 28, TILE / 2, false,
     "a tile sorted in shared memory: compares at every power of two", bitonic},
    {"sort_radix_scatter", 1 << 20, 1 << 14, 1 << 28, 256, true,
     "elements to places counted out before: 16 streams of writes", radix_scatter},
};
GMK_TOPIC(gmk_sort, "elements");
