/* SPDX-License-Identifier: MIT
 *
 * merge_side.cu - whose read of other sectors of a line ends that reads of it join before L2. Two
 * SMs of a GPC read one sector, the second DELAY clocks after the first: while it joins it has the
 * data as early as the first. `sms` SMs of another GPC (or of the same) read sector `sector` of the
 * line all the time meanwhile (4: of another line). GPCs are those of micro/cta_order.cu, the
 * readers' the first; group 9: nobody reads.
 * Output: CSV rows  line,sector,group,sms,delay,first,second - clocks of their loads, in the mean.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <vector>

#define SMS     132u
#define TIMES   64u
#define PERIOD  2048u /* clocks from one time to the next: longer than any read takes */
#define LINE    32u   /* words */
#define WORKERS 4u    /* warps of an SM that reads meanwhile */

enum { NONE, FIRST, SECOND, MEANWHILE };

/* state[0]: the first reader's clock, when it is ready; state[LINE]: it has done. */
__global__ void read(const uint32_t *p, const uint32_t *role, uint32_t delay, uint32_t meanwhile,
                     volatile uint32_t *state, uint32_t *clocks, uint32_t *sink)
{
    uint32_t here, sum = 0, start, total = 0;
    asm("mov.u32 %0, %%smid;" : "=r"(here));
    const uint32_t mine = role[here];
    if (mine == NONE || (mine != MEANWHILE && threadIdx.x >= 32u))
        return;
    if (mine == FIRST) {
        for (uint32_t i = 0; i < 8; i++)
            sum += __ldcg(p + i % 4 * 8 + sum / 0x7fffffff);
        state[0] = ((uint32_t)clock() + 20000u) | 1u;
    }
    while ((start = state[0]) == 0)
        ;
    if (mine == MEANWHILE) {
        for (uint32_t i = 0; i < 32000u && !state[LINE]; i += 8)
            for (uint32_t k = 0; k < 8; k++)
                sum += __ldcg(p + meanwhile + (sum == 0x7654321));
    } else {
        start += mine == SECOND ? delay : 0;
        for (uint32_t i = 0; i < TIMES; i++) {
            while ((int32_t)((uint32_t)clock() - (start + i * PERIOD)) < 0)
                ;
            const uint32_t before = (uint32_t)clock();
            sum += __ldcg(p + (sum == 0x7654321));
            total += (uint32_t)clock() + (sum == 0x999) - before;
        }
        if (threadIdx.x == 0)
            clocks[mine] = total;
        if (mine == FIRST)
            state[LINE] = 1;
    }
    if (sum == 0x12345)
        *sink = sum;
}

int main(void)
{
    static const std::vector<uint32_t> gpc[] = {
        {2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107},
        {4, 5, 20, 21, 36, 37, 52, 53, 66, 67, 80, 81, 94, 95, 108, 109},
        {6, 7, 22, 23, 38, 39, 54, 55, 68, 69, 82, 83, 96, 97, 110, 111},
        {8, 9, 24, 25, 40, 41, 56, 57, 70, 71, 84, 85, 98, 99, 112, 113},
        {10, 11, 26, 27, 42, 43, 58, 59, 72, 73, 86, 87, 100, 101, 114, 115},
        {12, 13, 28, 29, 44, 45, 60, 61, 74, 75, 88, 89, 102, 103, 116, 117, 120, 121},
        {14, 15, 30, 31, 46, 47, 62, 63, 76, 77, 90, 91, 104, 105, 118, 119, 122, 123},
        {0, 1, 16, 17, 32, 33, 48, 49},
        {124, 125, 126, 127, 128, 129, 130, 131},
        {}};
    uint32_t *array, *state, *sink, *role, *clocks, host[SMS], taken[MEANWHILE];
    MICRO_CUDA(cudaMalloc(&array, 1u << 20));
    MICRO_CUDA(cudaMemset(array, 0, 1u << 20));
    MICRO_CUDA(cudaMalloc(&state, 4u * 2u * LINE));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMalloc(&role, sizeof host));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof taken));
    printf("line,sector,group,sms,delay,first,second\n");
    for (uint32_t line : {0u, 100u, 1000u, 3001u})
        for (uint32_t sector : {1u, 0u, 4u})
            for (uint32_t group = 0; group < 10; group++)
                for (uint32_t sms : {2u, 6u})
                    for (uint32_t delay : {8u, 200u}) {
                        for (uint32_t &one : host)
                            one = NONE;
                        host[gpc[0][0]] = FIRST;
                        host[gpc[0][2]] = SECOND;
                        for (uint32_t i = 0; i < sms && i < gpc[group].size(); i++)
                            host[gpc[group][gpc[group].size() - 1 - i]] = MEANWHILE;
                        MICRO_CUDA(cudaMemcpy(role, host, sizeof host, cudaMemcpyHostToDevice));
                        MICRO_CUDA(cudaMemset(state, 0, 4u * 2u * LINE));
                        read<<<SMS, 32u * WORKERS>>>(array + line * LINE, role, delay,
                                                     sector * 8u, state, clocks, sink);
                        MICRO_CUDA(cudaGetLastError());
                        MICRO_CUDA(cudaMemcpy(taken, clocks, sizeof taken, cudaMemcpyDeviceToHost));
                        printf("%u,%u,%u,%u,%u,%u,%u\n", line, sector, group, sms, delay,
                               taken[FIRST] / TIMES, taken[SECOND] / TIMES);
                    }
    return 0;
}
