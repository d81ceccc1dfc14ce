/* SPDX-License-Identifier: MIT
 *
 * store_crowd.cu - what it costs that SMs store to the same few lines. Each CTA of eight warps stores
 * once to each of `lines` lines, a warp's behind one another: the first `sectors` sectors of each.
 * CTAs begin at the first line (`same`), or each at a place of its own (`spread`); or each has lines
 * of its own (`own`), as many in all as fit 8 MiB. Few CTAs an SM at a time (`resident`) leave time
 * between stores to a line.
 * Under Nsight Compute: how long the last store takes to arrive is in the launch's cycles.
 * Output: CSV rows  set,lines,sectors,resident,ctas
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstring>

#define WARPS 8u

__global__ void __launch_bounds__(WARPS * 32)
    crowd(char *array, uint32_t lines, uint32_t sectors, uint32_t spread, size_t apart)
{
    extern __shared__ char room[]; /* keeps others off the SM */
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    char *at = array + blockIdx.x * apart % (8u << 20);
    const uint32_t begin = spread ? blockIdx.x * 2654435761u >> 8 : 0;
    if (lane >= sectors * 8u)
        return;
    for (uint32_t i = warp; i < lines; i += WARPS)
        *(volatile uint32_t *)(at + (i + begin) % lines * 128u + lane * 4u) = blockIdx.x;
    if (lines == 0)
        room[threadIdx.x] = 0;
}

int main(void)
{
    char *array;
    MICRO_CUDA(cudaMalloc(&array, 9u << 20));
    MICRO_CUDA(cudaFuncSetAttribute(crowd, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    puts("set,lines,sectors,resident,ctas");
    const auto launch = [&](const char *set, uint32_t lines, uint32_t sectors, uint32_t resident,
                            uint32_t ctas) {
        MICRO_CUDA(cudaMemset(array, 0, 9u << 20));
        crowd<<<ctas, WARPS * 32, resident == 8 ? 0 : 200 * 1024 / resident>>>(
            array, lines, sectors, !strcmp(set, "spread"), !strcmp(set, "own") ? (size_t)(lines + 7) / 8 * 1024 : 0);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaDeviceSynchronize());
        printf("%s,%u,%u,%u,%u\n", set, lines, sectors, resident, ctas);
    };
    for (uint32_t lines : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 256u, 1024u})
        for (uint32_t sectors : {1u, 2u, 4u})
            for (uint32_t resident : {1u, 8u})
                for (const char *set : {"same", "spread", "own"})
                    if (lines <= 64 || (resident == 8 && sectors != 2))
                        launch(set, lines, sectors, resident, lines < 64 ? 1056 : 528);
    for (uint32_t ctas : {66u, 132u, 264u, 2112u})
        for (const char *set : {"same", "own"})
            launch(set, 32, 4, 8, ctas);
    return 0;
}
