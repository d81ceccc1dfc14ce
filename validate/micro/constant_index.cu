/* SPDX-License-Identifier: MIT
 *
 * constant_index.cu - when a load of constants is done with the register that its index is in. One
 * warp goes through a table: a turn loads a constant from `degree` addresses, whose index is then
 * added to in its place, and
 *   one   nothing else
 *   two   another, behind that addition
 * Settles: whether an instruction that writes what a load of constants reads waits for the load to
 * end: `two` takes longer than `one` then by all that the second load takes. It depends on the
 * registers that the compiler has chosen; tests read them from a capture.
 * Output: CSV: kind,degree,turns,clocks - of one launch, a row each, so that it can be captured.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define TURNS 1200

__constant__ uint32_t table[8192]; /* zeros */

template <int KIND, int SHIFT>
__global__ void walk(const uint32_t *in, unsigned long long *clocks, uint32_t *sink)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t sum = in[lane];
    asm volatile("" : "+r"(sum));
    uint64_t begin = clock64();
#pragma unroll 1
    for (uint32_t i = 0; i < TURNS; i++) {
        sum += __shfl_down_sync(~0u, sum, 3);
        sum += table[((lane >> SHIFT) + i) & 8191u];
        if (KIND == 2)
            sum += table[i & 1023u];
    }
    asm volatile("" ::"r"(sum) : "memory");
    *clocks = clock64() - begin;
    *sink = sum;
}

static uint32_t *in, *sink;
static unsigned long long *clocks;

template <int KIND, int SHIFT> static void run()
{
    unsigned long long took = 0;
    walk<KIND, SHIFT><<<1, 32>>>(in, clocks, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
    printf("%s,%d,%d,%llu\n", KIND == 1 ? "one" : "two", 32 >> SHIFT, TURNS, took);
}

template <int KIND> static void every()
{
    run<KIND, 5>();
    run<KIND, 4>();
    run<KIND, 3>();
    run<KIND, 2>();
    run<KIND, 1>();
    run<KIND, 0>();
}

int main()
{
    MICRO_CUDA(cudaMalloc(&in, 128));
    MICRO_CUDA(cudaMemset(in, 0, 128));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("kind,degree,turns,clocks");
    every<1>();
    every<2>();
    return 0;
}
