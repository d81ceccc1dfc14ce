/* SPDX-License-Identifier: MIT
 *
 * hit_order.cu - what loads that hit in L2 take while another SM's loads come from DRAM. One warp of SM 0
 * loads a word on each of `lanes` lanes, 32 times, one after the other, each from any line of a
 * mebibyte that L2 has; eight warps of the SM `other` load from anywhere in 4 GiB meanwhile (132: no SM
 * does).
 *
 * Settles: whether a slice answers in order, and whom: hits wait for misses of those SMs, and of those
 * alone, that use the same side of L2.
 * Leaves out: how many ways an SM's hits may go past misses.
 *
 * Output: CSV lanes,other,clocks - of a load, the mean of three launches.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define SMS     132u
#define WARPS   8u
#define FIRST   8u /* loads that are not counted: the table's way into L2 */
#define LOADS   32u
#define HELD    (1u << 13) /* lines */
#define BEYOND  (1u << 25)
#define MISSES  4000u

__device__ static uint32_t load(const char *lines, uint32_t number)
{
    uint32_t word;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(lines + (size_t)number * 128u));
    return word; /* 0 */
}

__global__ void behind(const char *held, const char *beyond, uint32_t other, uint32_t lanes,
                       uint32_t seed, volatile uint32_t *stop, uint32_t *clocks)
{
    uint32_t sm, x = threadIdx.x % 32u * 977u;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm == 0 && threadIdx.x < 32u) {
        long long begin = 0;
        for (uint32_t i = 0; i < FIRST + LOADS; i++) {
            if (i == FIRST)
                begin = clock64();
            if (threadIdx.x < lanes)
                x = x * 1664525u + 1013904223u + load(held, x % HELD);
            __syncwarp();
        }
        if (threadIdx.x == 0) {
            *clocks = (uint32_t)(clock64() - begin) / LOADS;
            *stop = 1u;
        }
    } else if (sm == other) {
        x = seed * 2654435761u + threadIdx.x * 40503u;
        for (uint32_t i = 0; i < MISSES && !*stop; i++)
            x = x * 1664525u + 1013904223u + load(beyond, (x >> 4) % BEYOND);
    }
    if (x == 77u) /* keeps the loads */
        clocks[1] = x;
}

int main()
{
    char *held, *beyond;
    uint32_t *stop, *clocks, seed = 1;
    MICRO_CUDA(cudaMalloc(&held, (size_t)HELD * 128u));
    MICRO_CUDA(cudaMemset(held, 0, (size_t)HELD * 128u));
    MICRO_CUDA(cudaMalloc(&beyond, (size_t)BEYOND * 128u));
    MICRO_CUDA(cudaMemset(beyond, 0, (size_t)BEYOND * 128u));
    MICRO_CUDA(cudaMalloc(&stop, sizeof *stop));
    MICRO_CUDA(cudaMalloc(&clocks, 2 * sizeof *clocks));
    printf("lanes,other,clocks\n");
    for (uint32_t lanes : {32u, 8u, 1u})
        for (uint32_t other = 1; other <= SMS; other++) {
            uint32_t sum = 0;
            for (int run = 0; run < 3; run++) {
                uint32_t took;
                MICRO_CUDA(cudaMemset(stop, 0, sizeof *stop));
                behind<<<SMS, WARPS * 32u>>>(held, beyond, other, lanes, seed++, stop, clocks);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
                sum += took;
            }
            printf("%u,%u,%u\n", lanes, other, sum / 3u);
        }
    return 0;
}
