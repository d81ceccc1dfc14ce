/* SPDX-License-Identifier: MIT
 *
 * constant_narrow.cu - what lanes share of a load of constants. Each thread loads 16 values of
 * `width` bytes a turn, at addresses that the compiler does not know to agree; the lanes of a warp
 * have `degree` different addresses, `apart` bytes from one another.
 * Settles: whether the constant port counts addresses, or words of four bytes, or more, in which
 * lanes meet; and what a load of more than four bytes takes.
 * Leaves out: values that lie across words; misses (constant_miss.cu).
 * Output: CSV: width,degree,apart,warps,loads,clocks - loads of one warp; clocks of the slowest
 * warp of one CTA, the least of three runs, each after one through the same lines.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

#define LOADS 16 /* a turn */
#define TURNS 64
#define BETWEEN 64 /* bytes from one load to the next: all lie within the first cache */

__constant__ uint64_t table[256];

__device__ static uint32_t all_of(uint64_t value)
{
    return (uint32_t)value ^ (uint32_t)(value >> 32);
}

template <class T>
__global__ void __launch_bounds__(1024)
    load(uint32_t degree, uint32_t apart, unsigned long long *clocks, uint32_t *sink)
{
    __shared__ unsigned long long last[2];
    uint32_t at = threadIdx.x % degree * apart, sum = 0;
    if (threadIdx.x < 2)
        last[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        const uint64_t begin = clock64();
#pragma unroll 1
        for (int turn = 0; turn < TURNS; turn++) {
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                sum += all_of(*(const T *)((const char *)table + at + k * BETWEEN));
            at += sum; /* the table is all 0 */
        }
        asm volatile("" ::"r"(sum) : "memory");
        atomicMax(&last[pass], (unsigned long long)(clock64() - begin));
        __syncthreads();
    }
    if (sum)
        *sink = sum;
    if (threadIdx.x == 0)
        *clocks = last[1];
}

static unsigned long long *clocks;
static uint32_t *sink;

template <class T> static void run(uint32_t degree, uint32_t apart, uint32_t warps)
{
    unsigned long long least = ~0ull, now;
    for (int again = 0; again < 3; again++) {
        load<T><<<1, warps * 32>>>(degree, apart, clocks, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
        least = std::min(least, now);
    }
    printf("%u,%u,%u,%u,%d,%llu\n", (unsigned)sizeof(T), degree, apart, warps, LOADS * TURNS,
           least);
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("width,degree,apart,warps,loads,clocks");
    for (uint32_t warps : {1u, 4u, 16u})
        for (uint32_t degree : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 24u, 32u}) {
            for (uint32_t apart : {1u, 2u, 4u, 8u})
                run<uint8_t>(degree, apart, warps);
            for (uint32_t apart : {2u, 4u})
                run<uint16_t>(degree, apart, warps);
            for (uint32_t apart : {4u, 8u, 16u})
                run<uint32_t>(degree, apart, warps);
            for (uint32_t apart : {8u, 16u})
                run<uint64_t>(degree, apart, warps);
        }
    return 0;
}
