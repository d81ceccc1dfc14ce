/* SPDX-License-Identifier: MIT
 *
 * walk.cu - a row-major n x n matrix is summed in strips of 32 steps. row_walk: neighbouring
 * threads read neighbouring elements of a row (coalesced). column_walk: neighbouring threads read
 * down a column, n elements apart (32 lines a warp, each re-read by the next steps if it is still
 * cached).
 */
#include "kernels/gmkernels.h"

#define STEPS 32

__global__ void row_walk(const int *m, int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * STEPS;
    if (t >= n)
        return;
    int sum = 0;
    for (int s = first; s < first + STEPS; s++)
        sum += m[s * n + t];
    out[blockIdx.y * n + t] = sum;
}

__global__ void column_walk(const int *m, int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * STEPS;
    if (t >= n)
        return;
    int sum = 0;
    for (int s = first; s < first + STEPS; s++)
        sum += m[t * n + s];
    out[blockIdx.y * n + t] = sum;
}

static void walk(gmk_run &run, void (*kernel)(const int *, int *, int), bool by_row)
{
    int n = run.size, strips = n / STEPS;
    if (n % STEPS)
        gmk_fail(false, "--size must be a multiple of %d", STEPS);
    gmk_array<int> m((size_t)n * n), out((size_t)n * strips);
    m.fill(1, -1000, 1000);
    out.upload();
    kernel<<<dim3(gmk_blocks(n, run.block), strips), run.block>>>(m.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    int *want = out.expect();
    for (int strip = 0; strip < strips; strip++)
        for (int t = 0; t < n; t++) {
            int sum = 0;
            for (int s = strip * STEPS; s < (strip + 1) * STEPS; s++)
                sum += by_row ? m.host[(size_t)s * n + t] : m.host[(size_t)t * n + s];
            want[(size_t)strip * n + t] = sum;
        }
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"row_walk", 2048, 256, 32768, 256, true, "coalesced: a warp reads along a row",
     [](gmk_run &run) { walk(run, row_walk, true); }},
    {"column_walk", 2048, 256, 32768, 256, true, "not coalesced: a warp reads down a column",
     [](gmk_run &run) { walk(run, column_walk, false); }},
};
GMK_TOPIC(gmk_walk, "rows and columns");
