/* SPDX-License-Identifier: MIT
 *
 * early_exit.cu - whether an SM takes further CTAs while some warps of those that it has have ended.
 * Of each CTA's warps the first `stay` multiply for some 4,000 clocks, the others end at once, or
 * wait for that at a barrier (`wait`). What limits CTAs: warps, registers (`registers`: 128 a
 * thread), shared memory (`shared`: 48 KiB a CTA). Under Nsight Compute: how long all take; `most`
 * is how many CTAs were on an SM at a time, which the first warps count.
 * Output: CSV rows  limit,threads,stay,wait,ctas,most
 */
#include "validate/micro/check.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

#define TURNS 1000u
#define SMS   1024u

__device__ uint32_t held[SMS], most[SMS], sink;

__device__ __forceinline__ uint32_t sm_number()
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

__device__ __forceinline__ void play(uint32_t stay, uint32_t wait)
{
    const uint32_t warp = threadIdx.x / 32;
    if (warp < stay) {
        const uint32_t sm = sm_number();
        if (threadIdx.x == 0)
            atomicMax(&most[sm], atomicAdd(&held[sm], 1u) + 1u);
        uint32_t x = threadIdx.x;
#pragma unroll 1
        for (uint32_t i = 0; i < TURNS; i++)
            x = x * 0x9e3779b1u + blockIdx.x;
        if (x == 0x12345)
            sink = x;
        if (threadIdx.x == 0)
            atomicSub(&held[sm], 1u);
    }
    if (wait)
        __syncthreads();
}

__global__ void few(uint32_t stay, uint32_t wait)
{
    play(stay, wait);
}

/* As many registers as the bound allows. */
__global__ void __launch_bounds__(512, 1) many(uint32_t stay, uint32_t wait, const uint32_t *in)
{
    uint32_t value[100];
    if (in) {
#pragma unroll
        for (uint32_t i = 0; i < 100; i++)
            value[i] = in[i * 512 + threadIdx.x];
        __syncthreads();
#pragma unroll
        for (uint32_t i = 0; i < 100; i++)
            if (value[i] == 0x12345 * i)
                sink = value[(i + 7) % 100];
    }
    play(stay, wait);
}

int main(void)
{
    MICRO_CUDA(cudaFuncSetAttribute(few, cudaFuncAttributeMaxDynamicSharedMemorySize, 48 << 10));
    puts("limit,threads,stay,wait,ctas,most");
    for (const char *limit : {"warps", "registers", "shared"})
        for (uint32_t threads : {64u, 256u, 512u, 1024u})
            for (uint32_t stay : {1u, 2u, 4u, 8u, 16u, 32u})
                for (uint32_t wait : {0u, 1u}) {
                    if (stay * 32 > threads || (threads == 1024 && !strcmp(limit, "registers")) ||
                        (wait && stay > 1) || (threads == 64 && strcmp(limit, "warps")))
                        continue;
                    const uint32_t ctas = 132 * 64;
                    static uint32_t zero[SMS], counted[SMS];
                    MICRO_CUDA(cudaMemcpyToSymbol(held, zero, sizeof zero));
                    MICRO_CUDA(cudaMemcpyToSymbol(most, zero, sizeof zero));
                    if (!strcmp(limit, "registers"))
                        many<<<ctas, threads>>>(stay, wait, NULL);
                    else
                        few<<<ctas, threads, !strcmp(limit, "shared") ? 48 << 10 : 0>>>(stay, wait);
                    MICRO_CUDA(cudaGetLastError());
                    MICRO_CUDA(cudaMemcpyFromSymbol(counted, most, sizeof counted));
                    uint32_t at_once = 0;
                    for (uint32_t i = 0; i < SMS; i++)
                        at_once = counted[i] > at_once ? counted[i] : at_once;
                    printf("%s,%u,%u,%u,%u,%u\n", limit, threads, stay, wait, ctas, at_once);
                }
    return 0;
}
