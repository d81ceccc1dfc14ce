/* SPDX-License-Identifier: MIT
 *
 * libraries.cu - CUB and cuRAND through NVIDIA's own headers, on clang and the interpreter: sums
 * and prefix sums of blocks and warps, against loops on the host; means of random numbers.
 */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cmath>
#include <curand_kernel.h>
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

/* The means of 16 uniform and 16 normal numbers of each thread. */
__global__ void draw(float *uniform, float *normal)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(1234, i, 0, &state);
    for (int k = 0; k < 16; k++) {
        uniform[i] += curand_uniform(&state) / 16;
        normal[i] += curand_normal(&state) / 16;
    }
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
    float *uniform, *normal;
    double of_uniform = 0, of_normal = 0;
    cudaMallocManaged(&uniform, N * sizeof *uniform);
    cudaMallocManaged(&normal, N * sizeof *normal);
    cudaMemset(uniform, 0, N * sizeof *uniform);
    cudaMemset(normal, 0, N * sizeof *normal);
    draw<<<BLOCKS, THREADS>>>(uniform, normal);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < N; i++)
        of_uniform += uniform[i] / N, of_normal += normal[i] / N;
    /* Six standard deviations of 6,144 numbers. */
    wrong += fabs(of_uniform - 0.5) > 0.0221 || fabs(of_normal) > 0.0766;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
