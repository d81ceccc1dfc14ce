/* SPDX-License-Identifier: MIT
 *
 * constant.cu - how long constants take. Each thread follows `chains` chains of loads through
 * `footprint` bytes of constant memory, `stride` bytes a step; the lanes of a warp read `degree`
 * different words, `apart` bytes from one another. Kinds:
 *   lane      the compiler does not know that lanes agree: LDC
 *   uniform   it does: ULDC
 *   operand   64 constants in a row as FFMA takes them: a ULDC.64 every two (stride 4, degree 1)
 * Settles: latency and clocks on the constant port by distinct words, the sizes of the two caches
 * before L2 (loads slow down where the footprint no longer fits), what the first pass pays.
 * Leaves out: constant banks other than the program's own, ld.const through generic addresses.
 * Output: CSV: kind,degree,apart,footprint,stride,chains,warps,loads,clocks,cold - loads of one
 * warp; clocks of the slowest warp of one CTA, the least of three runs; cold, of the same launch,
 * is the pass of as many loads before it, from caches empty at its start.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define BLOCK 16    /* loads a chain a turn */
#define WORDS 16128 /* 63 KiB, as other constants need room, too */

__constant__ uint32_t table[WORDS];
__constant__ float factors[64];

enum kind { LANE, UNIFORM, OPERAND };

template <int KIND, int CHAINS>
__device__ static void turn(uint32_t (&at)[CHAINS], float (&x)[CHAINS])
{
    if constexpr (KIND == OPERAND) {
#pragma unroll
        for (int k = 0; k < 64; k++)
            x[k % CHAINS] = x[k % CHAINS] * factors[k] + x[k % CHAINS];
    } else {
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                at[i] = *(const uint32_t *)((const char *)table + at[i]);
    }
}

template <int KIND, int CHAINS>
__global__ void __launch_bounds__(1024)
    chase(uint32_t degree, uint32_t apart, uint32_t between, uint32_t turns,
          unsigned long long *clocks, uint32_t *sink)
{
    __shared__ unsigned long long last[2];
    uint32_t at[CHAINS];
    float x[CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        at[i] = (uint32_t)i * between + (KIND == UNIFORM ? 0 : threadIdx.x % degree * apart);
        x[i] = (float)threadIdx.x;
    }
    if (threadIdx.x < 2)
        last[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        uint64_t begin = clock64();
#pragma unroll 1
        for (uint32_t t = 0; t < turns; t++)
            turn<KIND, CHAINS>(at, x);
        uint32_t sum = 0;
        for (int i = 0; i < CHAINS; i++)
            sum ^= at[i] ^ __float_as_uint(x[i]);
        asm volatile("" ::"r"(sum) : "memory");
        if (sum == 0x12345)
            *sink = sum;
        atomicMax(&last[pass], (unsigned long long)(clock64() - begin));
        __syncthreads();
    }
    if (threadIdx.x < 2)
        clocks[threadIdx.x] = last[threadIdx.x];
}

static unsigned long long *clocks;
static uint32_t *sink;

template <int KIND, int CHAINS>
static void run(uint32_t degree, uint32_t apart, uint32_t footprint, uint32_t stride,
                uint32_t warps)
{
    static const char *const name[] = {"lane", "uniform", "operand"};
    static uint32_t words[WORDS];
    const uint32_t loads = KIND == OPERAND ? 64 : BLOCK * CHAINS;
    const uint32_t turns = std::max(16u, footprint / stride / BLOCK);
    unsigned long long least[2] = {~0ull, ~0ull}, now[2];
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = (i * 4 + stride) % footprint;
    MICRO_CUDA(cudaMemcpyToSymbol(table, words, sizeof words));
    for (int again = 0; again < 3; again++) {
        chase<KIND, CHAINS>
            <<<1, warps * 32>>>(degree, apart, footprint / CHAINS / 64 * 64, turns, clocks, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(now, clocks, sizeof now, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 2; i++)
            least[i] = std::min(least[i], now[i]);
    }
    printf("%s,%u,%u,%u,%u,%d,%u,%u,%llu,%llu\n", name[KIND], degree, apart, footprint, stride,
           CHAINS, warps, turns * loads, least[1], least[0]);
}

int main(void)
{
    static const uint32_t warps[] = {1, 4, 8, 16, 32};
    MICRO_CUDA(cudaMalloc(&clocks, 2 * sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("kind,degree,apart,footprint,stride,chains,warps,loads,clocks,cold");
    for (uint32_t footprint = 512; footprint <= 4 * WORDS; footprint += footprint < 4096    ? 256
                                                                        : footprint < 16384 ? 2048
                                                                                            : 4096)
        for (uint32_t stride : {64u, 256u})
            run<LANE, 1>(1, 0, footprint, stride, 1);
    for (uint32_t apart : {4u, 8u, 32u})
        for (uint32_t degree : {1u, 2u, 3u, 4u, 8u, 16u, 32u}) {
            run<LANE, 1>(degree, apart, 1024, 4, 1);
            for (uint32_t w : warps)
                run<LANE, 4>(degree, apart, 1024, 4, w);
        }
    for (uint32_t w : warps) {
        run<UNIFORM, 1>(1, 0, 1024, 4, w);
        run<OPERAND, 4>(1, 0, 256, 4, w);
    }
    return 0;
}
