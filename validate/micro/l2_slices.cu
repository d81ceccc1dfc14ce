/* SPDX-License-Identifier: MIT
 *
 * l2_slices.cu - which lines are in one slice of L2. 131 SMs flood a word with reductions while a
 * warp loads line after line: those that wait are in the word's slice (set slice: for each pair of
 * lines of a megabyte the first line found in its slice, in order; side: clocks of an atomic from
 * one SM). Set rate: all warps add to `lines` neighbouring lines, in step, shifted by CTA, or at
 * random; kind: full lines, or a word a lane.
 * Output: CSV: set,...
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#define PROBES 2048u
__device__ volatile unsigned stop;

__device__ static unsigned line_of(unsigned i)
{
    return i / 2u * 8u + i % 2u * 2u;
}

__global__ void __launch_bounds__(32) find(uint32_t *base, unsigned flooded, unsigned zero,
                                           unsigned *gate, unsigned all, unsigned *took, int atomic)
{
    const uint32_t lane = threadIdx.x;
    if (blockIdx.x == 0)
        for (unsigned i = 0; i < PROBES; i++) {
            uint32_t r;
            asm volatile("ld.global.cg.u32 %0,[%1];"
                         : "=r"(r)
                         : "l"(base + line_of(i) * 32u + lane)
                         : "memory");
            if (r == 12345u)
                took[0] = r;
        }
    if (lane == 0) {
        atomicAdd(gate, 1);
        while (*(volatile unsigned *)gate < all)
            ;
    }
    __syncwarp();
    if (blockIdx.x) {
        while (!stop)
            for (int k = 0; k < 8; k++)
                asm volatile(
                    "red.global.add.u32 [%0],%1;" ::"l"(base + flooded * 32u + lane * zero), "r"(0)
                    : "memory");
        return;
    }
    const long long start = clock64();
    while (clock64() < start + 20000)
        ;
    for (unsigned i = 0; i < PROBES; i++) {
        uint32_t r = 0, *at = base + line_of(i) * 32u + lane;
        const unsigned before = (unsigned)clock64();
        if (!atomic)
            asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(r) : "l"(at) : "memory");
        else if (lane == 0)
            asm volatile("atom.global.add.u32 %0,[%1],%2;" : "=r"(r) : "l"(at), "r"(0) : "memory");
        asm volatile("{ .reg .pred p; setp.eq.u32 p,%0,12345; @p st.global.u32 [%1],%0; }" ::"r"(r),
                     "l"(took)
                     : "memory");
        const unsigned after = (unsigned)clock64();
        if (lane == 0)
            took[i] = after - before;
    }
    if (lane == 0)
        stop = 1;
}

__device__ static uint32_t mixed(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void __launch_bounds__(1024)
    rate(uint32_t *base, unsigned lines, int order, int alone, unsigned turns, unsigned *gate,
         unsigned all, unsigned long long *clocks)
{
    __shared__ unsigned long long last;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (threadIdx.x == 0) {
        last = 0;
        atomicAdd(gate, 1);
        while (*(volatile unsigned *)gate < all)
            ;
    }
    __syncthreads();
    const unsigned long long start = clock64();
    for (unsigned t = 0; t < turns; t++) {
        unsigned n = t * warps + warp;
        n = order == 0 ? n : order == 1 ? n + blockIdx.x * 37u : mixed((n * 132u + blockIdx.x));
        uint32_t *at = alone ? base + (size_t)((n * 32u + lane) % lines) * 32u
                             : base + (size_t)(n % lines) * 32u + lane;
        asm volatile("red.global.add.u32 [%0],%1;" ::"l"(at), "r"(1) : "memory");
    }
    __threadfence();
    atomicMax(&last, (unsigned long long)clock64());
    __syncthreads();
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = last - start;
}

int main(void)
{
    char *m;
    unsigned *gate, *took, arrived = 0, lat[PROBES];
    unsigned long long *clocks, got[132];
    MICRO_CUDA(cudaMalloc(&m, 64u << 20));
    MICRO_CUDA(cudaMalloc(&took, sizeof lat));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof got));
    MICRO_CUDA(cudaMalloc(&gate, 8));
    MICRO_CUDA(cudaMemset(m, 0, 64u << 20));
    MICRO_CUDA(cudaMemset(gate, 0, 8));
    for (size_t place : {(size_t)0, (size_t)1 << 20, (size_t)2 << 20, (size_t)34 << 20}) {
        std::vector<int> slice(PROBES, -1), side(PROBES, 0);
        const unsigned no = 0, yes = 1;
        for (unsigned next = 0, floods = 0; next < PROBES && floods < 140; next++) {
            if (slice[next] >= 0)
                continue;
            floods++;
            MICRO_CUDA(cudaMemcpyToSymbol(stop, &no, 4));
            find<<<132, 32>>>((uint32_t *)(m + place), next / 2u * 8u + next % 2u * 2u, 0, gate,
                              arrived += 132, took, 0);
            MICRO_CUDA(cudaDeviceSynchronize());
            MICRO_CUDA(cudaMemcpy(lat, took, sizeof lat, cudaMemcpyDeviceToHost));
            slice[next] = (int)next;
            for (unsigned i = 0; i < PROBES; i++)
                if (lat[i] > 2500 && slice[i] < 0)
                    slice[i] = (int)next;
        }
        MICRO_CUDA(cudaMemcpyToSymbol(stop, &yes, 4));
        find<<<1, 32>>>((uint32_t *)(m + place), 0, 0, gate, arrived += 1, took, 1);
        MICRO_CUDA(cudaDeviceSynchronize());
        MICRO_CUDA(cudaMemcpy(lat, took, sizeof lat, cudaMemcpyDeviceToHost));
        printf("slice,%zu", place);
        for (unsigned i = 0; i < PROBES; i++)
            printf(",%d", slice[i]);
        printf("\nside,%zu", place);
        for (unsigned i = 0; i < PROBES; i++)
            printf(",%u", lat[i]);
        puts("");
    }
    for (size_t place : {(size_t)0, (size_t)6 << 20, (size_t)34 << 20})
        for (int alone = 0; alone < 2; alone++)
            for (int order = 0; order < 3; order++)
                for (unsigned warps : {8u, 32u})
                    for (unsigned lines = alone ? 32u : 1u; lines <= 8192u; lines *= 2) {
                        unsigned long long best = ~0ull;
                        const unsigned turns = (alone ? 64u : 256u) / warps;
                        for (int again = 0; again < 2; again++) {
                            rate<<<132, warps * 32>>>((uint32_t *)(m + place), lines, order, alone,
                                                      turns, gate, arrived += 132, clocks);
                            MICRO_CUDA(cudaDeviceSynchronize());
                            MICRO_CUDA(cudaMemcpy(got, clocks, sizeof got, cudaMemcpyDeviceToHost));
                            unsigned long long most = 0;
                            for (unsigned long long c : got)
                                most = c > most ? c : most;
                            best = most < best ? most : best;
                        }
                        printf("rate,%zu,%d,%d,%u,%u,%u,%llu,%.3f\n", place, alone, order, warps,
                               lines, turns, best, (double)best / (132.0 * warps * turns));
                    }
    return 0;
}
