/* SPDX-License-Identifier: MIT
 *
 * uniform_constants.cu - how long constants take of which the compiler knows that all lanes read the
 * same: ULDC, which stands in the warp's way until it has its word. Kinds:
 *   chase     each step reads where the next is, through `footprint` bytes, `stride` bytes a step
 *   operand   straight code whose FFMAs take 128 constants, 64 bytes apart
 * Each warp begins `apart` steps of arithmetic after the one before it, of all on the SM.
 * Settles: the size of the cache for such constants, its lines and sets, whose it is (a warp's own
 * sub-partition's or the SM's), what a miss takes and how many may be under way.
 * Leaves out: other constant banks.
 * Output: CSV: kind,footprint,stride,ctas,warps,apart,loads,clocks,mean - loads of one warp; clocks
 * of the slowest warp of the first CTA, and of the mean one, of the second of two passes.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define WORDS 14080 /* 55 KiB, as other constants need room, too */

__constant__ uint32_t table[WORDS];

enum kind { CHASE, OPERAND };

template <int KIND>
__global__ void __launch_bounds__(1024)
    go(uint32_t turns, uint32_t apart, unsigned long long *clocks, uint32_t *sink)
{
    uint32_t sum = 0;
    float f[4] = {(float)threadIdx.x, 1.f, 2.f, 3.f};
    unsigned long long begin = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
#pragma unroll 1
        for (uint32_t k = apart * (threadIdx.x / 32 + blockDim.x / 32 * (blockIdx.x / 132) + 1); k; k--)
            asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(sum));
        begin = clock64();
        if (KIND == CHASE) {
            uint32_t at = 0;
#pragma unroll 1
            for (uint32_t t = 0; t < turns; t++)
#pragma unroll
                for (int k = 0; k < 8; k++)
                    at = *(const uint32_t *)((const char *)table + at);
            sum += at + threadIdx.x;
        } else {
#pragma unroll 1
            for (uint32_t t = 0; t < turns; t++)
#pragma unroll
                for (int k = 0; k < 128; k++)
                    f[k % 4] = f[k % 4] * __uint_as_float(table[k * 16]) + f[k % 4];
        }
        if (sum + __float_as_uint(f[0] + f[1] + f[2] + f[3]) == 0x12345)
            *sink = sum;
    }
    if (threadIdx.x % 32 == 0)
        clocks[blockIdx.x * 32 + threadIdx.x / 32] = clock64() - begin;
}

static unsigned long long *clocks;
static uint32_t *sink;

template <int KIND>
static void run(uint32_t footprint, uint32_t stride, uint32_t ctas, uint32_t warps, uint32_t apart)
{
    static const char *const name[] = {"chase", "operand"};
    static uint32_t words[WORDS];
    const uint32_t turns = KIND == CHASE ? std::max(16u, 2 * footprint / stride / 8) : 8;
    const uint32_t loads = turns * (KIND == CHASE ? 8 : 128);
    unsigned long long now[32], most = 0, sum = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = (i * 4 + stride) % footprint;
    MICRO_CUDA(cudaMemcpyToSymbol(table, words, sizeof words));
    go<KIND><<<ctas, warps * 32>>>(turns, apart, clocks, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(now, clocks, warps * sizeof *now, cudaMemcpyDeviceToHost));
    for (uint32_t w = 0; w < warps; w++) {
        sum += now[w];
        most = std::max(most, now[w]);
    }
    printf("%s,%u,%u,%u,%u,%u,%u,%llu,%llu\n", name[KIND], footprint, stride, ctas, warps, apart,
           loads, most, sum / warps);
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&clocks, 264 * 32 * sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("kind,footprint,stride,ctas,warps,apart,loads,clocks,mean");
    for (uint32_t footprint :
         {128u, 256u, 384u, 512u, 640u, 1024u, 1280u, 2048u, 4096u, 16384u, 49152u})
        for (uint32_t stride : {4u, 32u, 64u, 128u, 256u})
            if (footprint > stride)
                run<CHASE>(footprint, stride, 1, 1, 0);
    for (uint32_t warps : {1u, 4u, 8u, 32u})
        for (uint32_t apart : {0u, 60u})
            run<OPERAND>(8192, 64, 264, warps, apart);
    return 0;
}
