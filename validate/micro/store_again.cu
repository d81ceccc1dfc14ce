/* SPDX-License-Identifier: MIT
 *
 * store_again.cu - which lines L1 loses where a warp stores to them twice, one shortly after the
 * other. A warp has loaded `lines` lines, a lane or more in each. Then, 32 times and some 800
 * clocks apart, it stores a word to each, multiplies `gap` times, each time what came of the last,
 * stores the next word of each, and, long after, loads the first. Before the gap comes
 *
 * - none: nothing
 * - wait: a load of one other line, which hits and is waited for
 *
 * To be run under ncu (metrics/store_again.txt): a load of what is gone misses. Output: CSV rows
 * between,lines,gap,clocks - clocks between the two stores, of the last time.
 */
#include "validate/micro/check.h"
#include "validate/micro/words.h"
#include <cstdint>
#include <utility>

#define TURNS 32
#define GAPS  32

enum between { NONE, WAIT };
static const char *const between_name[] = {"none", "wait"};

template <int BETWEEN, int GAP>
__global__ void again(char *memory, uint32_t lines, uint32_t factor, uint32_t *sink)
{
    char *mine = memory + threadIdx.x % lines * 128 + threadIdx.x / lines * 8;
    const char *other = memory + 65536;
    uint32_t x = load(mine) + load(other), took = 0;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
#pragma unroll 1
        for (uint32_t i = 0; i < 50; i++)
            x = x * factor + 1u;
        uint32_t begin = clock();
        store(mine, x);
        if (BETWEEN == WAIT)
            x += load(other);
#pragma unroll
        for (int i = 0; i < GAP; i++)
            x = x * factor + 1u;
        store(mine + 4, x);
        took = clock() - begin;
#pragma unroll 1
        for (uint32_t i = 0; i < 50; i++)
            x = x * factor + 1u;
        x += load(mine);
    }
    if (x == 0x12345)
        *sink = x;
    sink[threadIdx.x] = took;
}

static char *memory;
static uint32_t *sink;

template <int BETWEEN, int GAP> static void run(uint32_t lines)
{
    uint32_t took;
    again<BETWEEN, GAP><<<1, 32>>>(memory, lines, 0x9e3779b1u, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(&took, sink, sizeof took, cudaMemcpyDeviceToHost));
    printf("%s,%u,%d,%u\n", between_name[BETWEEN], lines, GAP, took);
}

template <int... GAP> static void run_all(uint32_t lines, std::integer_sequence<int, GAP...>)
{
    (run<NONE, GAP>(lines), ...);
    (run<WAIT, GAP>(lines), ...);
}

int main()
{
    MICRO_CUDA(cudaMalloc(&memory, 1 << 17));
    MICRO_CUDA(cudaMemset(memory, 0, 1 << 17));
    MICRO_CUDA(cudaMalloc(&sink, 128));
    puts("between,lines,gap,clocks");
    for (uint32_t lines : {4u, 8u, 16u, 32u})
        run_all(lines, std::make_integer_sequence<int, GAPS>());
    return 0;
}
