/* SPDX-License-Identifier: MIT
 *
 * merge.cu - which reads of one sector join when they are under way together. One launch a row,
 * each from flushed caches, to be run under ncu (metrics/merge.txt). Settles:
 *   warps  `readers` warps of one SM load the same line of their own L1, warp w `delay` * w clocks
 *          after warp 0: do pending sectors count as hits, and do they go to L2 twice
 *   sms    the first `readers` SMs of a list (a TPC, a GPC, several GPCs) load the same line
 *          (ld.cg), SM i of the list `delay` * i clocks after the first: which merge before L2
 * `cold` 1: from DRAM; 0: the lines were read by another SM before, so that L2 has them.
 * SMs agree on the time by %globaltimer, whose tick is noted in the last column of a first row.
 * Output: CSV rows  experiment,list,readers,delay,cold,lines.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define LINES  256u
#define PERIOD 4096u /* clocks from one line to the next: longer than any read takes */

__device__ static uint64_t globaltimer()
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

/* Warp w of one CTA loads line i at start + i * PERIOD + w * delay. */
__global__ void warps(const uint32_t *p, uint32_t readers, uint32_t delay, uint32_t *sink)
{
    __shared__ uint32_t begin;
    uint32_t warp = threadIdx.x / 32, sum = 0;
    if (threadIdx.x == 0)
        begin = (uint32_t)clock();
    __syncthreads();
    if (warp >= readers)
        return;
    uint32_t start = begin + 2000 + warp * delay;
    for (uint32_t i = 0; i < LINES; i++) {
        while ((int32_t)((uint32_t)clock() - (start + i * PERIOD)) < 0)
            ;
        sum += p[i * 32 + threadIdx.x % 32];
    }
    if (sum == 0x12345)
        *sink = sum;
}

/* rank[smid]: place of the SM in the list, 255 not in it. */
__global__ void __launch_bounds__(1024) sms(const uint32_t *p, const uint8_t *rank, uint32_t readers, uint32_t delay,
                                            uint32_t warm, uint64_t *sink)
{
    uint32_t here;
    asm("mov.u32 %0, %%smid;" : "=r"(here));
    uint32_t mine = rank[here], sum = 0;
    if (threadIdx.x >= 32)
        return;
    if (warm && mine == 200) /* an SM that is in no list brings the lines into L2 */
        for (uint32_t i = 0; i < LINES; i++)
            sum += __ldcg(p + i * 32 + threadIdx.x);
    uint64_t first = globaltimer(), begin = (first / 65536 + 2) * 65536, now;
    do
        now = globaltimer();
    while (now < begin);
    uint32_t start = (uint32_t)clock() + 1000 + mine * delay;
    if (mine < readers)
        for (uint32_t i = 0; i < LINES; i++) {
            while ((int32_t)((uint32_t)clock() - (start + i * PERIOD)) < 0)
                ;
            sum += __ldcg(p + i * 32 + threadIdx.x);
        }
    if (sum == 0x12345)
        *sink = now - begin;
}

static uint32_t *array;
static uint64_t *sink;

static void done(const char *experiment, const char *list, unsigned readers, unsigned delay, unsigned cold)
{
    printf("%s,%s,%u,%u,%u,%u\n", experiment, list, readers, delay, cold, LINES);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

int main(void)
{
    /* SMs of one GPC, as micro/cta_order.cu shows them, TPC by TPC; then another GPC's. */
    static const uint8_t gpc[] = {2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107};
    static const uint8_t next[] = {4, 5, 20, 21, 36, 37, 52, 53, 66, 67, 80, 81, 94, 95, 108, 109};
    uint8_t *rank, lists[3][132];
    MICRO_CUDA(cudaMalloc(&array, LINES * 128));
    MICRO_CUDA(cudaMemset(array, 0, LINES * 128));
    MICRO_CUDA(cudaMalloc(&sink, 8));
    MICRO_CUDA(cudaMalloc(&rank, sizeof lists));
    for (int l = 0; l < 3; l++) {
        for (int i = 0; i < 132; i++)
            lists[l][i] = l == 2 ? (uint8_t)(i == 131 ? 200 : i) : 255;
        if (l < 2)
            lists[l][131] = 200;
    }
    for (unsigned i = 0; i < 16; i++) {
        lists[0][gpc[i]] = (uint8_t)i;                         /* one GPC */
        lists[1][i % 2 ? next[i / 2] : gpc[i / 2]] = (uint8_t)i; /* two GPCs in turn */
    }
    MICRO_CUDA(cudaMemcpy(rank, lists, sizeof lists, cudaMemcpyHostToDevice));
    static const char *const names[] = {"gpc", "gpcs", "all"};
    printf("experiment,list,readers,delay,cold,lines\n");
    for (unsigned readers : {1u, 2u, 3u, 4u, 8u, 16u, 32u})
        for (unsigned delay : {0u, 10u, 40u, 100u, 300u, 800u})
            warps<<<1, 1024>>>(array, readers, delay, (uint32_t *)sink), done("warps", "sm", readers, delay, 1);
    for (int l = 0; l < 3; l++)
        for (unsigned readers : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 12u, 16u, 64u, 131u})
            for (unsigned delay : {0u, 25u, 50u, 100u, 200u, 400u, 800u})
                for (unsigned cold = 0; cold < 2; cold++) {
                    if ((l < 2 && readers > 16) || (l == 2 && readers * delay > 40000))
                        continue;
                    sms<<<132, 1024>>>(array, rank + 132 * l, readers, delay, !cold, sink);
                    done("sms", names[l], readers, delay, cold);
                }
    return 0;
}
