/* SPDX-License-Identifier: MIT
 *
 * flag_store.cu - stores of all SMs to a flag, and to few of them, by what a lane stores.
 *
 * 264 CTAs of 256 threads. Each warp stores 64 times `bytes` bytes, all `lanes` lanes to one place, which
 * is that of one of `lines` lines in turn, or (0) a line of the warp's own, in L2; `gap` clocks between.
 *
 * Settles: whether bytes and halves of words cost a slice more than words do, and lanes that store to one
 * place more than one lane.
 *
 * Output: CSV bytes,lanes,lines,gap,clocks - of an SM from its first warp's begin to its last one's end and
 * beyond a fence, the mean of all SMs; the least of three runs.
 */
#include "validate/micro/check.h"
#include "validate/micro/sm_times.h"

#include <cstdint>
#include <cstdio>

#define CTAS    264u
#define THREADS 256u
#define STORES  64u

template <typename word>
__global__ void play(char *memory, uint32_t lanes, uint32_t lines, uint32_t gap, times *t)
{
    const uint32_t lane = threadIdx.x % 32u, warp = blockIdx.x * (THREADS / 32u) + threadIdx.x / 32u;
    __syncthreads();
    const unsigned long long begin = clock64();
    for (uint32_t i = 0; i < STORES; i++) {
        const uint32_t line = lines ? (warp + i) % lines : warp;
        const unsigned long long from = clock64();
        if (lane < lanes)
            *(volatile word *)(memory + line * 128u) = (word)1;
        while (gap && clock64() - from < gap)
            ;
    }
    __threadfence();
    if (lane == 0) {
        const unsigned sm = sm_number();
        atomicMin(&t->first[sm], begin);
        atomicMax(&t->last[sm], (unsigned long long)clock64());
    }
}

static char *memory;
static times *t;

template <typename word>
static int rows(bool once)
{
    for (uint32_t lanes : {1u, 32u})
        for (uint32_t lines : {1u, 2u, 8u, 64u, 0u})
            for (uint32_t gap : {0u, 2000u}) {
                double least = 0;
                for (int run = 0; run < (once ? 1 : 3); run++) {
                    times host;
                    MICRO_CUDA(times_clear(t));
                    play<word><<<CTAS, THREADS>>>(memory, lanes, lines, gap, t);
                    MICRO_CUDA(cudaGetLastError());
                    MICRO_CUDA(cudaMemcpy(&host, t, sizeof host, cudaMemcpyDeviceToHost));
                    const double clocks = times_mean(&host);
                    if (run == 0 || clocks < least)
                        least = clocks;
                }
                printf("%u,%u,%u,%u,%.0f\n", (unsigned)sizeof(word), lanes, lines, gap, least);
            }
    return 0;
}

int main(int argc, char **)
{
    MICRO_CUDA(cudaMalloc(&memory, CTAS * THREADS / 32u * 128u));
    MICRO_CUDA(cudaMalloc(&t, sizeof *t));
    MICRO_CUDA(cudaMemset(memory, 0, CTAS * THREADS / 32u * 128u));
    printf("bytes,lanes,lines,gap,clocks\n");
    const bool once = argc > 1; /* for captures */
    return rows<uint8_t>(once) || rows<uint16_t>(once) || rows<uint32_t>(once) || rows<uint64_t>(once);
}
