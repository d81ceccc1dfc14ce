/* SPDX-License-Identifier: MIT
 *
 * merge_window.cu - how long a read is under way before L2, so that another SM's read of the same
 * joins it. SMs of one GPC, whose clocks run alike, read a line every PERIOD clocks, SM i `delay` * i
 * clocks after the first; before that the first reads all lines twice, so that L2 has them on its
 * side. `other` 1: SMs of odd number read another sector of the line. To be run under ncu
 * (metrics/merge_window.txt); a row of no readers shows what is read besides.
 * Output: CSV rows  pick,other,readers,delay,lines.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstring>

#define LINES  256u
#define PERIOD 2048u /* clocks from one line to the next: longer than any read takes */
#define SMS    132u

/* rank[SM]: which reader it is, SMS: none. The first says when to begin. */
__global__ void read(const uint32_t *p, const uint32_t *rank, uint32_t readers, uint32_t delay, uint32_t other,
                     volatile uint32_t *begin, uint32_t *sink)
{
    uint32_t here, sum = 0, start;
    asm("mov.u32 %0, %%smid;" : "=r"(here));
    const uint32_t mine = rank[here];
    if (mine >= readers && mine != 0)
        return;
    const uint32_t *from = p + (other && mine % 2u ? 8u : 0u);
    if (mine == 0) {
        for (uint32_t pass = 0; pass < 2; pass++)
            for (uint32_t i = 0; i < 2 * LINES; i++)
                sum += __ldcg(p + i * 16 + sum / 0x7fffffff);
        *begin = ((uint32_t)clock() + 20000u) | 1u;
    }
    while ((start = *begin) == 0)
        ;
    start += mine * delay;
    if (readers)
        for (uint32_t i = 0; i < LINES; i++) {
            while ((int32_t)((uint32_t)clock() - (start + i * PERIOD)) < 0)
                ;
            sum += __ldcg(from + i * 32);
        }
    if (sum == 0x12345)
        *sink = sum;
}

int main(void)
{
    /* SMs of a GPC, as micro/cta_order.cu shows them, TPC by TPC. */
    static const uint32_t gpc[] = {2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107};
    uint32_t *array, *begin, *sink, *rank, host[SMS];
    MICRO_CUDA(cudaMalloc(&array, LINES * 128));
    MICRO_CUDA(cudaMemset(array, 0, LINES * 128));
    MICRO_CUDA(cudaMalloc(&begin, 4));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMalloc(&rank, sizeof host));
    printf("pick,other,readers,delay,lines\n");
    for (const char *pick : {"gpc", "apart"}) {
        for (uint32_t i = 0; i < SMS; i++)
            host[i] = SMS;
        for (uint32_t i = 0; i < 16; i++)
            host[gpc[strcmp(pick, "gpc") ? i * 2 % 16 + i / 8 : i]] = i;
        MICRO_CUDA(cudaMemcpy(rank, host, sizeof host, cudaMemcpyHostToDevice));
        for (uint32_t other : {0u, 1u})
            for (uint32_t readers : {0u, 1u, 2u, 4u})
                for (uint32_t delay : {0u, 4u, 8u, 16u, 24u, 32u, 40u, 48u, 64u, 80u, 96u, 112u, 128u, 144u, 160u, 176u,
                                       192u, 208u, 224u, 256u, 300u}) {
                    if (readers < 2 && delay)
                        continue;
                    MICRO_CUDA(cudaMemset(begin, 0, 4));
                    read<<<SMS, 32, 0>>>(array, rank, readers, delay, other, begin, sink);
                    MICRO_CUDA(cudaGetLastError());
                    MICRO_CUDA(cudaDeviceSynchronize());
                    printf("%s,%u,%u,%u,%u\n", pick, other, readers, delay, LINES);
                }
    }
    return 0;
}
