/* SPDX-License-Identifier: MIT
 *
 * store_hit.cu - when a store finds its line in L1, and which stores become one on their way to L2.
 * One warp stores COUNT times, `delay` clocks apart; one launch a row, to be run under ncu
 * (metrics/store_hit.txt):
 *   word     every store to the same word of a line
 *   words    store i to word i of a line (lane 0 alone)
 *   sectors  store i to sector i mod 4 of a line
 *   lanes    store i to word i of 32 lines, one a lane (a column of a matrix)
 *   rows     the whole line, again and again
 *   warps    as lanes, store i by warp i of the CTA
 * `loaded` 1: the lines are loaded first.
 * Output: CSV rows  experiment,loaded,delay,stores.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define COUNT 32u

__device__ static void wait_until(uint32_t clock_value)
{
    while ((int32_t)((uint32_t)clock() - clock_value) < 0)
        ;
}

__global__ void play(uint32_t *p, int experiment, uint32_t loaded, uint32_t delay, uint32_t *sink)
{
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    if (loaded)
        for (uint32_t i = 0; i < 32; i++)
            sum += p[i * 32 + lane];
    if (sum == 0x12345)
        *sink = sum;
    __syncthreads();
    uint32_t start = (uint32_t)clock() + 3000;
    for (uint32_t i = 0; i < COUNT; i++) {
        if (experiment == 5 && warp != i)
            continue;
        wait_until(start + i * delay);
        switch (experiment) {
        case 0: if (lane == 0) p[0] = i; break;
        case 1: if (lane == 0) p[i] = i; break;
        case 2: if (lane == 0) p[i % 4 * 8] = i; break;
        case 3: case 5: p[lane * 32 + i] = i; break;
        default: p[lane] = i; break;
        }
    }
}

int main(void)
{
    static const char *const name[] = {"word", "words", "sectors", "lanes", "rows", "warps"};
    uint32_t *array, *sink;
    MICRO_CUDA(cudaMalloc(&array, 1 << 20));
    MICRO_CUDA(cudaMemset(array, 0, 1 << 20));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    printf("experiment,loaded,delay,stores\n");
    for (int e = 0; e < 6; e++)
        for (uint32_t loaded = 0; loaded < 2; loaded++)
            for (uint32_t delay : {0u, 20u, 50u, 100u, 200u, 300u, 400u, 600u, 1000u, 2000u}) {
                play<<<1, e == 5 ? 1024 : 32>>>(array, e, loaded, delay, sink);
                printf("%s,%u,%u,%u\n", name[e], loaded, delay, COUNT);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaDeviceSynchronize());
            }
    return 0;
}
