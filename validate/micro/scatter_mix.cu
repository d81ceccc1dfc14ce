/* SPDX-License-Identifier: MIT
 *
 * scatter_mix.cu - what loads and stores that touch many lines take of an SM, alone and in turns.
 * The warps of a CTA go through rows of their own, a lane a row, word by word: of `stride` bytes to
 * the next row a request has four lines (16 bytes), eight (32), 16 (64) or 32 (more). A warp stays
 * in the first line of its rows, so that all loads hit L1 but the first; in sets with `new` it goes
 * on through rows of 768 words, of which each sector misses L1 once and, but for 132 SMs, lies in
 * L2. Sets:
 *
 * - load: eight loads, then their sum
 * - store: stores, one after another
 * - pair: a load, then a store of its result to the same place
 * - apart: a load, then a store of its result to rows that nobody loads
 * - one: apart, with a load of one word, the same for all lanes, between them
 * - two: with two such loads
 *
 * Argument: anything, for a capture, of the rows of one SM alone. Output: CSV rows
 * set,new,stride,warps,sms,steps,least,mean,most - clocks of the slowest warp of an SM for its
 * steps after the first eight, of one load, one store or one of each; of all SMs the fastest, the
 * mean and the slowest; of three runs the fastest.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstring>

#define BATCH 8
#define SMS   132u

enum set { LOAD, STORE, PAIR, APART, ONE, TWO };
static const char *const set_name[] = {"load", "store", "pair", "apart", "one", "two"};

template <int SET>
__global__ void __launch_bounds__(1024)
    walk(char *memory, const uint32_t *uniform, uint32_t stride, uint32_t mask, uint32_t end,
         uint32_t turns, unsigned *clocks, uint32_t *sink)
{
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0, word = 0;
    size_t rows = ((size_t)blockIdx.x * blockDim.x / 32 + warp) * 32;
    char *from = memory + (rows + lane) * stride;
    char *to = SET >= APART ? from + ((size_t)gridDim.x * blockDim.x) * stride : from;
    uint64_t begin = 0;
    for (uint32_t turn = 0; turn <= turns; turn++) { /* the first fetches the lines */
        if (turn == 1)
            begin = clock64();
        uint32_t v[BATCH];
#pragma unroll
        for (uint32_t b = 0; b < BATCH; b++) {
            uint32_t at = word + (b & mask) * 4, one = 0, two = 0;
            if (SET != STORE)
                asm volatile("ld.global.b32 %0, [%1];" : "=r"(v[b]) : "l"(from + at) : "memory");
            if (SET >= ONE)
                asm volatile("ld.global.b32 %0, [%1];" : "=r"(one) : "l"(uniform + b) : "memory");
            if (SET >= TWO)
                asm volatile("ld.global.b32 %0, [%1];"
                             : "=r"(two)
                             : "l"(uniform + 64 + b)
                             : "memory");
            if (SET == LOAD)
                continue;
            asm volatile("st.global.b32 [%0], %1;"
                         :
                         : "l"(to + at), "r"(SET == STORE ? turn : v[b] + one + two + 1u)
                         : "memory");
        }
        word = word + BATCH * 4 < end ? word + BATCH * 4 : 0;
        if (SET == LOAD)
            for (uint32_t b = 0; b < BATCH; b++)
                sum += v[b];
    }
    if (sum == 0x12345)
        *sink = sum;
    uint64_t took = clock64() - begin;
    if (lane == 0)
        atomicMax(&clocks[blockIdx.x], (unsigned)took);
}

static uint32_t *sink, *uniform;
static unsigned *clocks;

template <int SET>
static void run(char *memory, uint32_t stride, bool goes_on, uint32_t warps, uint32_t sms,
                int times)
{
    uint32_t line = std::min(stride, 128u);
    for (uint32_t turns : {8u, 40u}) {
        unsigned of[SMS], best[SMS] = {~0u};
        for (int i = 0; i < times; i++) {
            MICRO_CUDA(cudaMemset(clocks, 0, sizeof of));
            walk<SET><<<sms, warps * 32>>>(memory, uniform, stride, line / 4 - 1,
                                           goes_on ? stride : line, turns, clocks, sink);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(of, clocks, sizeof of, cudaMemcpyDeviceToHost));
            if (*std::max_element(of, of + sms) < *std::max_element(best, best + (i ? sms : 1)))
                memcpy(best, of, sizeof of);
        }
        double mean = 0;
        for (uint32_t i = 0; i < sms; i++)
            mean += best[i] / (double)sms;
        printf("%s,%d,%u,%u,%u,%u,%u,%.1f,%u\n", set_name[SET], goes_on, stride, warps, sms,
               turns * BATCH, *std::min_element(best, best + sms), mean,
               *std::max_element(best, best + sms));
    }
}

int main(int argc, char **)
{
    bool capture = argc > 1;
    size_t size = 2ull * SMS * 1024 * 3072;
    int times = capture ? 1 : 3;
    char *memory;
    MICRO_CUDA(cudaMalloc(&memory, size));
    MICRO_CUDA(cudaMemset(memory, 0, size));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMalloc(&uniform, 4096));
    MICRO_CUDA(cudaMemset(uniform, 0, 4096));
    MICRO_CUDA(cudaMalloc(&clocks, SMS * sizeof *clocks));
    puts("set,new,stride,warps,sms,steps,least,mean,most");
    for (uint32_t sms : {1u, 32u, SMS})
        for (uint32_t stride : {4u, 8u, 16u, 32u, 64u, 128u, 3072u})
            for (bool goes_on : {false, true})
                for (uint32_t warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
                    if ((capture && sms > 1) || (goes_on && (stride < 3072 || warps > 8)))
                        continue;
                    run<LOAD>(memory, stride, goes_on, warps, sms, times);
                    run<STORE>(memory, stride, goes_on, warps, sms, times);
                    run<PAIR>(memory, stride, goes_on, warps, sms, times);
                    run<APART>(memory, stride, goes_on, warps, sms, times);
                    run<ONE>(memory, stride, goes_on, warps, sms, times);
                    run<TWO>(memory, stride, goes_on, warps, sms, times);
                }
    return 0;
}
