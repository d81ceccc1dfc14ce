/* SPDX-License-Identifier: MIT
 *
 * libraries.cu - CUB through NVIDIA's own headers, on clang and the interpreter: sums and prefix
 * sums of blocks and warps, against loops on the host.
 */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cstdio>

enum { THREADS = 128, BLOCKS = 3, N = THREADS * BLOCKS };

__global__ void sums(const int *in, int *total, int *before, int *warp)
{
    using reduce = cub::BlockReduce<int, THREADS>;
    using scan = cub::BlockScan<int, THREADS>;
    using warps = cub::WarpReduce<int>;
    __shared__ typename reduce::TempStorage for_reduce;
    __shared__ typename scan::TempStorage for_scan;
    __shared__ typename warps::TempStorage for_warps[THREADS / 32];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const int all = reduce(for_reduce).Sum(in[i]);
    scan(for_scan).ExclusiveSum(in[i], before[i]);
    const int part = warps(for_warps[threadIdx.x / 32]).Sum(in[i]);
    if (threadIdx.x == 0)
        total[blockIdx.x] = all;
    if (threadIdx.x % 32 == 0)
        warp[i / 32] = part;
}

int main()
{
    int *in, *total, *before, *warp, wrong = 0, sum = 0, part = 0;
    cudaMallocManaged(&in, N * sizeof *in);
    cudaMallocManaged(&before, N * sizeof *before);
    cudaMallocManaged(&total, BLOCKS * sizeof *total);
    cudaMallocManaged(&warp, N / 32 * sizeof *warp);
    for (int i = 0; i < N; i++)
        in[i] = i * 7919 % 1009;
    sums<<<BLOCKS, THREADS>>>(in, total, before, warp);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < N; i++) {
        wrong += before[i] != sum;
        sum += in[i], part += in[i];
        if (i % 32 == 31)
            wrong += warp[i / 32] != part, part = 0;
        if (i % THREADS == THREADS - 1)
            wrong += total[i / THREADS] != sum, sum = 0;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
