/* SPDX-License-Identifier: MIT
 *
 * constant_warps.cu - warps of an SM that go through the same constants together, and miss. Each
 * goes so many turns; a turn loads four constants, five words apart, and begins a word (lanes) or a
 * line (lines) after the one before. Kinds:
 *   near    lanes two words apart: all that a load asks for is in the first cache
 *   lanes   lanes 17 words apart, of 4 KB: 34 lines a load, more than that cache holds
 *   lines   all lanes alike, a line a turn, of 4 KB
 * Settles: whether warps miss each for itself, or one for all: what a load then costs an SM is what
 * its addresses take, two clocks each.
 * Leaves out: warps that are elsewhere in the table (constant_miss.cu).
 * Output: CSV: kind,ctas,warps,turns,clocks - of an SM's CTAs together, the longest of all SMs; a
 * launch on all SMs each, so that it can be captured.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

#define TURNS 160
#define SMS   132

__constant__ uint32_t table[1024]; /* zeros */

enum kind { NEAR, LANES, LINES };

template <int KIND>
__global__ void __launch_bounds__(1024) walk(unsigned long long *clocks, uint32_t *sink)
{
    constexpr uint32_t step = KIND == LINES ? 16 : 1;
    const uint32_t lane = KIND == LINES ? 0 : threadIdx.x % 32u * (KIND == LANES ? 17u : 2u);
    uint32_t sum = 0;
    const uint64_t begin = clock64();
#pragma unroll 1
    for (uint32_t i = 0; i < TURNS; i++)
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            sum += table[(lane + i * step + 5 * k) & (KIND == NEAR ? 127u : 1023u)];
    asm volatile("" ::"r"(sum) : "memory");
    if (sum)
        *sink = sum;
    if (threadIdx.x % 32u == 0)
        clocks[(blockIdx.x * blockDim.x + threadIdx.x) / 32u] = clock64() - begin;
}

static unsigned long long *clocks;
static uint32_t *sink;

template <int KIND> static void run(uint32_t ctas, uint32_t warps)
{
    static const char *const name[] = {"near", "lanes", "lines"};
    static unsigned long long now[SMS * 32];
    walk<KIND><<<ctas * SMS, warps * 32>>>(clocks, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(now, clocks, ctas * SMS * warps * sizeof *now, cudaMemcpyDeviceToHost));
    printf("%s,%u,%u,%d,%llu\n", name[KIND], ctas, warps, TURNS,
           *std::max_element(now, now + ctas * SMS * warps));
}

template <int KIND> static void every()
{
    static const struct {
        uint32_t ctas, warps;
    } shape[] = {{1, 1}, {1, 4}, {1, 8}, {1, 16}, {1, 32}, {2, 8}, {4, 4}, {16, 1}};
    for (const auto &s : shape)
        run<KIND>(s.ctas, s.warps);
}

int main()
{
    MICRO_CUDA(cudaMalloc(&clocks, SMS * 32 * sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("kind,ctas,warps,turns,clocks");
    every<NEAR>();
    every<LANES>();
    every<LINES>();
    return 0;
}
