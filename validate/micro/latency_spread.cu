/* SPDX-License-Identifier: MIT
 *
 * latency_spread.cu - how much the latency of one access differs from line to line. One thread of
 * one SM loads lines one after the other (ld.cg), each after the one before is there:
 *   dram   random lines of 1 GiB, after a flush of L2
 *   row    lines 128 bytes apart, after a flush
 *   l2     random lines of 16 MiB that another SM, on each side of L2, has read before
 *   again  the same lines again by the same SM: now on its own side
 * Settles: the distribution that a request of many lines, or a barrier, waits for the largest of.
 * Output: CSV: experiment,sm,clocks,count - a histogram by steps of 8 clocks.
 */
#include "validate/micro/check.h"
#include "validate/micro/flush.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define LINES 4096u
#define OTHER (160ull << 20)
#define BIN   8u
#define BINS  512u

/* Thread 0 of the CTA on SM `sm` reads; when warm, every other SM reads all lines as well. */
__global__ void __launch_bounds__(1024) read(const char *p, uint64_t mask, uint64_t step, uint32_t sm, uint32_t *bins,
                                             uint32_t *sink)
{
    uint32_t here, sum = 0;
    asm("mov.u32 %0, %%smid;" : "=r"(here));
    if (here != sm || threadIdx.x)
        return;
    uint64_t at = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        at += step;
        const char *q = p + (((at ^ (at >> 17) * 0x9e3779b97f4a7c15ull) + sum) & mask & ~127ull);
        if (step == 128)
            q = p + ((at + sum) & mask);
        uint32_t v;
        uint64_t begin = clock64();
        asm volatile("ld.global.cg.b32 %0,[%1];" : "=r"(v) : "l"(q) : "memory");
        sum += v;
        asm volatile("" : "+r"(sum) : : "memory");
        uint32_t clocks = (uint32_t)(clock64() - begin + (sum ? 1 : 0));
        if (bins)
            atomicAdd(&bins[clocks / BIN < BINS ? clocks / BIN : BINS - 1], 1u);
    }
    if (sum == 0x12345)
        *sink = sum;
}

int main(void)
{
    char *array, *other;
    uint32_t *bins, *sink;
    const uint64_t bytes = 1ull << 30, some = 16ull << 20, odd = 0x9e3779b97f4a7c15ull;
    MICRO_CUDA(cudaMalloc(&array, bytes));
    MICRO_CUDA(cudaMalloc(&other, OTHER));
    MICRO_CUDA(cudaMemset(array, 0, bytes));
    MICRO_CUDA(cudaMemset(other, 0, OTHER));
    MICRO_CUDA(cudaMallocManaged(&bins, BINS * sizeof *bins));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    puts("experiment,sm,clocks,count");
    for (uint32_t sm = 0; sm < 132; sm += 22)
        for (int k = 0; k < 4; k++) {
            static const char *const name[] = {"dram", "row", "l2", "again"};
            for (uint32_t i = 0; i < BINS; i++)
                bins[i] = 0;
            if (k < 3)
                flush<<<264, 1024>>>((const uint4 *)other, OTHER / 16, sink);
            uint64_t mask = (k < 2 ? bytes : some) - 1, step = k == 1 ? 128 : odd;
            if (k == 2) /* two SMs of different sides */
                for (uint32_t by = 1; by < 60; by += 7)
                    read<<<132, 1024>>>(array, mask, step, by, nullptr, sink);
            read<<<132, 1024>>>(array, mask, step, sm, bins, sink);
            MICRO_CUDA(cudaDeviceSynchronize());
            for (uint32_t i = 0; i < BINS; i++)
                if (bins[i])
                    printf("%s,%u,%u,%u\n", name[k], sm, i * BIN, bins[i]);
        }
    return 0;
}
