/* SPDX-License-Identifier: MIT
 *
 * races.cu - accesses that nothing orders, planted; see memory.cu. "other" marks the second line of
 * a race.
 */
#include "planted.h"

// clang-format off

__global__ void missing_barrier(int *p)
{
    __shared__ int s[128];
    s[threadIdx.x] = p[threadIdx.x]; // missing_barrier, other
    p[threadIdx.x] = s[127 - threadIdx.x]; // missing_barrier, races: a shared array is read before all have written it
}
__global__ void late_barrier(int *p)
{
    __shared__ int s[128];
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = p[threadIdx.x] + i; // late_barrier, races: the next round writes what others still read
        __syncthreads();
        sum += s[127 - threadIdx.x]; // late_barrier, other
    }
    p[threadIdx.x] = sum;
}
__global__ void reduction_step(int *p)
{
    __shared__ int s[256];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2)
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half]; // reduction_step, races: a reduction without a barrier in its loop
    if (threadIdx.x == 0)
        p[0] = s[0];
}
__global__ void one_writer(int *p)
{
    __shared__ int total;
    total = p[threadIdx.x]; // one_writer, races: all warps write one shared word
    __syncthreads();
    p[threadIdx.x] = total;
}
__global__ void shared_histogram(int *p)
{
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    bins[p[threadIdx.x] & 15]++; // shared_histogram, races: a histogram in shared memory without atomics
    __syncthreads();
    if (threadIdx.x < 16)
        p[threadIdx.x] = bins[threadIdx.x];
}
__global__ void early_clear(int *p)
{
    __shared__ int sum;
    if (threadIdx.x == 127)
        sum = 0; // early_clear, races: an atomic sum is cleared without a barrier behind it
    atomicAdd(&sum, p[threadIdx.x]); // early_clear, other
    __syncthreads();
    p[threadIdx.x] = sum;
}
__global__ void early_result(int *p)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, p[threadIdx.x]); // early_result, other
    if (threadIdx.x == 0)
        p[0] = sum; // early_result, races: an atomic sum is read before all have added
}
__global__ void double_buffer(int *p)
{
    __shared__ int s[2][128];
    int sum = 0;
    s[0][threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        s[(i + 1) & 1][threadIdx.x] = i; // double_buffer, races: two buffers that are swapped without a barrier
        sum += s[i & 1][threadIdx.x ^ 64]; // double_buffer, other
    }
    p[threadIdx.x] = sum;
}
__global__ void lost_sums(int *p)
{
    p[0]++; // lost_sums, races: blocks count without an atomic
}
__global__ void in_place(int *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = p[i + 1] + 1; // in_place, races: a stencil that overwrites what the next block reads
}
__global__ void one_word(int *p)
{
    p[blockIdx.x * 32] = threadIdx.x; // one_word, races: all lanes of a warp write one word
}
__global__ void blocks_overlap(int *p)
{
    p[blockIdx.x * (blockDim.x - 1) + threadIdx.x] = blockIdx.x; // blocks_overlap, races: each block's last element is the next one's first
}
__global__ void no_fence_flag(int *p, int *flag)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        p[0] = 42; // no_fence_flag, other
        *flag = 1; // no_fence_flag, other
    }
    if (blockIdx.x == 1 && *flag == 1) // no_fence_flag, races: blocks that talk through a plain flag
        p[1] = p[0]; // no_fence_flag, other
}
__global__ void result_too_soon(int *p, int *sum)
{
    if (threadIdx.x == 0)
        atomicAdd(sum, blockIdx.x);
    p[blockIdx.x * 32 + threadIdx.x] = 1; // result_too_soon, other
    if (blockIdx.x == gridDim.x - 1)
        p[1024] = p[threadIdx.x]; // result_too_soon, races: the last block adds up what others may not have written yet
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int *p, *q;
    cudaMalloc(&p, 16384);
    cudaMalloc(&q, 16384);
    int values[4096];
    for (int i = 0; i < 4096; i++)
        values[i] = i * 7 % 61;
    cudaMemcpy(p, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(q, 0, 16384);
    PLANTED(missing_barrier, 1, 128, 0, p)
    PLANTED(late_barrier, 1, 128, 0, p)
    PLANTED(reduction_step, 1, 256, 0, p)
    PLANTED(one_writer, 1, 128, 0, p)
    PLANTED(shared_histogram, 1, 128, 0, p)
    PLANTED(early_clear, 1, 128, 0, p)
    PLANTED(early_result, 1, 128, 0, p)
    PLANTED(double_buffer, 1, 128, 0, p)
    PLANTED(lost_sums, 3, 1, 0, p)
    PLANTED(in_place, 4, 32, 0, p)
    PLANTED(one_word, 4, 32, 0, p)
    PLANTED(blocks_overlap, 4, 32, 0, p)
    PLANTED(no_fence_flag, 2, 32, 0, p, q)
    PLANTED(result_too_soon, 4, 32, 0, p, q)
    cudaError_t error = cudaDeviceSynchronize();
    cudaFree(p);
    cudaFree(q);
    return error != cudaSuccess;
}
