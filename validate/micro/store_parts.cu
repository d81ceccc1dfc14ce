/* SPDX-License-Identifier: MIT
 *
 * store_parts.cu - what it takes to store to a part of sectors that nobody has read: by name,
 *  - word: a word of one sector for each lane, `step` bytes apart (0: anywhere)
 *  - sector: whole sectors, one for each eight lanes, `step` bytes apart
 *  - line: a word of each of a line's sectors, a line for each four lanes
 * Each of `warps` warps, in CTAs of `cta`, does so `times` times, all one after the other through
 * `area` MiB; `chain` FFMA lie between. L2 holds nothing at first.
 * One launch a row, to be run under ncu (metrics/store_parts.txt).
 *
 * Output: CSV rows  name,step,area,warps,cta,times,chain
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

__global__ void parts(char *array, uint32_t each, uint32_t step, uint32_t mask, uint32_t times,
                      uint32_t chain)
{
    const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * (blockDim.x / 32);
    const uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    float v = (float)lane;
    for (uint32_t i = 0; i < times; i++) {
        const uint32_t place = (i * warps + warp) * (32 / each) + lane / each;
        const uint32_t at = step ? place * step : (place * 2654435761u) / 32u * 32u;
        const uint32_t in = each == 4 ? lane % 4 * 32 : lane % each * 4;
        *(volatile float *)(array + ((at & mask) + in)) = v;
        for (uint32_t k = 0; k < chain; k++)
            v = v * 1.0001f + 0.5f;
    }
}

int main(void)
{
    char *array;
    MICRO_CUDA(cudaMalloc(&array, (256u << 20) + 4096));
    MICRO_CUDA(cudaMemset(array, 0, 256u << 20));
    puts("name,step,area,warps,cta,times,chain");
    const auto launch = [&](const char *name, uint32_t step, uint32_t area, uint32_t warps,
                            uint32_t cta, uint32_t times, uint32_t chain) {
        const uint32_t each = name[0] == 'w' ? 1 : name[0] == 's' ? 8 : 4;
        parts<<<warps / cta, cta * 32>>>(array, each, step, (area << 20) - 1, times, chain);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaDeviceSynchronize());
        printf("%s,%u,%u,%u,%u,%u,%u\n", name, step, area, warps, cta, times, chain);
    };
    for (uint32_t area : {4u, 64u, 256u}) {
        for (uint32_t step : {32u, 64u, 136u, 192u, 256u, 416u, 1056u})
            launch("word", step, area, 4224, 1, 6, 0);
        for (uint32_t step : {32u, 160u, 416u, 1056u})
            launch("sector", step, area, 4224, 1, 24, 0);
        for (uint32_t step : {128u, 384u, 1152u})
            launch("line", step, area, 4224, 1, 6, 0);
    }
    for (uint32_t area : {4u, 64u})
        launch("word", 0, area, 4224, 1, 4, 0);
    launch("sector", 0, 64, 4224, 1, 16, 0);
    for (uint32_t times : {1u, 2u, 3u, 12u})
        launch("word", 136, 64, 4224, 1, times, 0);
    for (uint32_t cta : {4u, 16u})
        launch("word", 136, 64, 4224, cta, 6, 0);
    for (uint32_t warps : {132u, 528u, 1056u, 8448u})
        launch("word", 136, 64, warps, 1, 4224 * 6 / warps, 0);
    for (uint32_t chain : {512u, 2048u})
        launch("word", 136, 64, 4224, 1, 6, chain);
    return 0;
}
