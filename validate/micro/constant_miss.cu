/* SPDX-License-Identifier: MIT
 *
 * constant_miss.cu - constants that do not fit the first cache. Each warp reads a constant a turn,
 * `step` words after the turn before, of `words` words; each warp begins `apart` words after the
 * one before, each lane `lane` words after its neighbour. Kinds:
 *   chain     LDC, whose address waits for the constant before
 *   four      LDC, four of them under way at a time
 *   eight     LDC, eight of them
 * Settles: what a miss takes, how many a warp and an SM have under way, when a warp finds what
 * another one asked for, the port of misses of one SM and of all.
 * Leaves out: latencies of constants that hit (constant.cu).
 * Usage: constant_miss [WORDS STEP APART LANE CTAS WARPS SMS] - of one point alone.
 * Output: CSV: kind,words,step,apart,lane,ctas,warps,sms,turns,cold,cold_last,warm,warm_last -
 * clocks of the CTAs' first pass and of their second over the same constants: mean and longest.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

#define WORDS 16128 /* 63 KiB, as other constants need room, too */
#define TURNS 512u

__constant__ uint32_t table[WORDS]; /* zeros */

enum kind { CHAIN, FOUR, EIGHT };

template <int KIND>
__global__ void __launch_bounds__(1024) walk(uint32_t step, uint32_t mask, uint32_t apart,
                                             uint32_t q, unsigned long long *clocks, uint32_t *sink)
{
    constexpr uint32_t ways = KIND == EIGHT ? 8 : 4;
    __shared__ unsigned long long last[2];
    const uint32_t warp = (threadIdx.x + blockIdx.x / 132u * blockDim.x) / 32u;
    uint32_t sum = 0, start = warp * apart + threadIdx.x % 32u * q;
    if (threadIdx.x < 2)
        last[threadIdx.x] = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        uint64_t begin = clock64();
        if constexpr (KIND == CHAIN) {
            uint32_t at = start;
#pragma unroll 1
            for (uint32_t i = 0; i < TURNS; i++)
                at += table[at & mask] + step;
            sum += at;
        } else {
            uint32_t at = start;
#pragma unroll 1
            for (uint32_t i = 0; i < TURNS; i += ways, at += ways * step)
#pragma unroll
                for (uint32_t k = 0; k < ways; k++)
                    sum += table[(at + k * step) & mask];
        }
        asm volatile("" ::"r"(sum) : "memory");
        if (sum == 0x12345)
            *sink = sum;
        atomicMax(&last[pass], (unsigned long long)(clock64() - begin));
    }
    __syncthreads();
    if (threadIdx.x < 2)
        clocks[2 * blockIdx.x + threadIdx.x] = last[threadIdx.x];
}

static unsigned long long *clocks;
static uint32_t *sink;

template <int KIND>
static void run(uint32_t words, uint32_t step, uint32_t apart, uint32_t lane, uint32_t ctas,
                uint32_t warps, uint32_t sms)
{
    static const char *const name[] = {"chain", "four", "eight"};
    static unsigned long long now[2 * 132 * 16];
    const uint32_t grid = ctas * sms;
    double mean[2] = {0, 0};
    unsigned long long most[2] = {0, 0};
    walk<KIND><<<grid, warps * 32>>>(step, words - 1, apart, lane, clocks, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(now, clocks, 2 * grid * sizeof *now, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < 2 * grid; i++) {
        mean[i % 2] += (double)now[i] / grid;
        most[i % 2] = std::max(most[i % 2], now[i]);
    }
    printf("%s,%u,%u,%u,%u,%u,%u,%u,%u,%.0f,%llu,%.0f,%llu\n", name[KIND], words, step, apart, lane,
           ctas, warps, sms, TURNS, mean[0], most[0], mean[1], most[1]);
}

static void every(uint32_t words, uint32_t step, uint32_t ctas, uint32_t warps, uint32_t sms)
{
    for (uint32_t apart : {0u, 16u, 1040u}) {
        run<CHAIN>(words, step, apart, 0, ctas, warps, sms);
        run<FOUR>(words, step, apart, 0, ctas, warps, sms);
        run<EIGHT>(words, step, apart, 0, ctas, warps, sms);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        uint32_t ctas, warps, sms;
    } shape[] = {{1, 1, 1},    {1, 2, 1},   {1, 4, 1},    {1, 8, 1},   {1, 16, 1},
                 {1, 32, 1},   {1, 1, 132}, {1, 4, 132},  {1, 8, 132}, {1, 32, 132},
                 {2, 32, 132}, {4, 4, 132}, {16, 1, 132}, {16, 4, 132}};
    MICRO_CUDA(cudaMalloc(&clocks, 2 * 132 * 16 * sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("kind,words,step,apart,lane,ctas,warps,sms,turns,cold,cold_last,warm,warm_last");
    if (argc == 8) { /* words, step, apart, ctas, warps, SMs of one launch of each kind */
        uint32_t of[7];
        for (int i = 0; i < 7; i++)
            of[i] = (uint32_t)atoi(argv[i + 1]);
        run<CHAIN>(of[0], of[1], of[2], of[3], of[4], of[5], of[6]);
        run<FOUR>(of[0], of[1], of[2], of[3], of[4], of[5], of[6]);
        run<EIGHT>(of[0], of[1], of[2], of[3], of[4], of[5], of[6]);
        return 0;
    }
    for (const auto &s : shape)
        for (uint32_t words : {256u, 512u, 1024u, 4096u, 8192u})
            for (uint32_t step : {1u, 4u, 16u, 17u, 64u})
                every(words, step, s.ctas, s.warps, s.sms);
    for (const auto &s : shape)
        for (uint32_t words : {512u, 1024u, 4096u})
            for (uint32_t lane : {1u, 8u, 16u, 17u, 32u, 80u})
                for (uint32_t step : {1u, 16u, 17u}) {
                    run<CHAIN>(words, step, 0, lane, s.ctas, s.warps, s.sms);
                    run<FOUR>(words, step, 0, lane, s.ctas, s.warps, s.sms);
                }
    return 0;
}
