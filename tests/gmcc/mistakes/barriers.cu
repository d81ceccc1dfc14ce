/* SPDX-License-Identifier: MIT
 *
 * barriers.cu - barriers that do not fit, planted; see memory.cu.
 */
#include "planted.h"

// clang-format off

__global__ void half_a_warp(int *p)
{
    if (threadIdx.x % 32 < 16)
        __syncthreads(); // half_a_warp, barriers: a barrier that half of a warp reaches
    p[threadIdx.x] = 1;
}
__global__ void in_a_loop(int *p)
{
    for (int i = 0; i < threadIdx.x; i++) {
        p[threadIdx.x] += i;
        __syncthreads(); // in_a_loop, barriers: a barrier in a loop that threads leave at different times
    }
    p[threadIdx.x] += 1;
}
__global__ void never_full(int *p)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory"); // never_full, barriers: a named barrier for two warps that one comes to
    p[threadIdx.x] = 1;
    __syncthreads();
}
__global__ void different_counts(int *p)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory"); // different_counts, other
    else
        asm volatile("bar.sync 1, 96;" ::: "memory"); // different_counts, barriers: warps that wait at one barrier for different numbers
    p[threadIdx.x] = 1;
}
__global__ void odd_count(int *p)
{
    asm volatile("bar.sync 1, 48;" ::: "memory"); // odd_count, barriers: a barrier for a number of threads that is no multiple of 32
    p[threadIdx.x] = 1;
}
__global__ void not_in_mask(int *p)
{
    if (threadIdx.x < 20)
        __syncwarp(0xffff); // not_in_mask, barriers: threads that call __syncwarp() without being in its mask
    p[threadIdx.x] = 1;
}
__global__ void elsewhere(int *p)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_down_sync(0xffffffff, v, 1); // elsewhere, barriers: a shuffle's mask names threads that went another way
    else
        p[threadIdx.x] = 2;
    p[threadIdx.x] += v;
}
__global__ void shuffle_mask(int *p)
{
    int v = threadIdx.x;
    if (threadIdx.x % 2)
        v += __shfl_xor_sync(0x55555555, v, 2); // shuffle_mask, barriers: the callers of a shuffle are not those that its mask names
    p[threadIdx.x] = v;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int *p;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    PLANTED(half_a_warp, 1, 64, 0, p)
    PLANTED(in_a_loop, 1, 64, 0, p)
    PLANTED(never_full, 1, 64, 0, p)
    PLANTED(different_counts, 1, 64, 0, p)
    PLANTED(odd_count, 1, 64, 0, p)
    PLANTED(not_in_mask, 1, 32, 0, p)
    PLANTED(elsewhere, 1, 32, 0, p)
    PLANTED(shuffle_mask, 1, 32, 0, p)
    return cudaDeviceSynchronize() != cudaSuccess;
}
