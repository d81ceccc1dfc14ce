/* SPDX-License-Identifier: MIT
 *
 * scan.cu - inclusive prefix sums within every block: the Hillis-Steele scan, log2(block) steps
 * between two buffers in shared memory, and a scan by shuffles within each warp, where shared
 * memory only carries the warps' totals. The carry from block to block is left out.
 */
#include "kernels/gmkernels.h"

__global__ void scan_hillis_steele(const int *in, int *out, int n)
{
    extern __shared__ int buffer[]; /* two of blockDim.x */
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    int *from = buffer, *to = buffer + blockDim.x;
    from[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < (int)blockDim.x; d *= 2) {
        to[tid] = tid >= d ? from[tid] + from[tid - d] : from[tid];
        __syncthreads();
        int *t = from;
        from = to;
        to = t;
    }
    if (i < n)
        out[i] = from[tid];
}

__global__ void scan_shuffle(const int *in, int *out, int n)
{
    __shared__ int totals[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    int sum = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d)
            sum += below;
    }
    if (lane == 31)
        totals[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int total = lane < warps ? totals[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int below = __shfl_up_sync(0xffffffffu, total, d);
            if (lane >= d)
                total += below;
        }
        totals[lane] = total;
    }
    __syncthreads();
    if (warp > 0)
        sum += totals[warp - 1];
    if (i < n)
        out[i] = sum;
}

static void scan(gmk_run &run, void (*kernel)(const int *, int *, int), bool by_warps)
{
    int n = run.size;
    size_t shared = by_warps ? 0 : 2 * run.block * sizeof(int);
    if (by_warps && run.block % 32)
        gmk_fail(false, "--block must be a multiple of 32: the scan works by warps");
    gmk_array<int> in(n), out(n);
    in.fill(1, -1000, 1000);
    out.upload();
    kernel<<<gmk_blocks(n, run.block), run.block, shared>>>(in.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    int *want = out.expect();
    for (int i = 0; i < n; i++)
        want[i] = in.host[i] + (i % run.block ? want[i - 1] : 0);
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"scan_hillis_steele", 1 << 21, 1 << 14, INT_MAX / 2, 256, true,
     "log2(block) passes over shared memory, no bank conflict",
     [](gmk_run &run) { scan(run, scan_hillis_steele, false); }},
    {"scan_shuffle", 1 << 21, 1 << 15, INT_MAX / 2, 256, true,
     "shuffles: shared memory holds one word a warp",
     [](gmk_run &run) { scan(run, scan_shuffle, true); }},
};
GMK_TOPIC(gmk_scan, "elements");
