/* SPDX-License-Identifier: MIT
 *
 * gather_mix.cu - what gathers take of which some lanes hit in L1 and the others bring a sector from L2.
 * Each lane reads a word of a line of its own choice: the first `hits` lanes of a table of 64 lines, the
 * others of 16 MiB that L2 holds. A warp has `unroll` such loads under way; which lines the next ones read
 * depends on what these brought.
 *
 * Argument: anything, for a capture, fewer turns. Output: CSV rows hits,unroll,warps,sms,turns,clocks - of
 * the slowest SM, the least of three runs.
 */
#include "validate/micro/check.h"
#include "validate/micro/words.h"

#include <cstdint>
#include <cstdio>

#define SMS   132u
#define TABLE 64u
#define COLD  (16u << 20)

template <int UNROLL>
__global__ void __launch_bounds__(1024, 2)
    gather(const char *table, const char *cold, uint32_t hits, uint32_t turns, unsigned *clocks, uint32_t *sink)
{
    uint32_t lane = threadIdx.x % 32u, r = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b9u;
    bool hot = lane < hits;
    const char *base = hot ? table : cold;
    uint32_t mask = hot ? TABLE - 1u : COLD / 128u - 1u;
    for (uint32_t i = threadIdx.x; i < TABLE; i += blockDim.x)
        r += load(table + i * 128u);
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (uint32_t turn = 0; turn < turns; turn++) {
        uint32_t v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            r = r * 1664525u + 1013904223u;
            v[u] = load(base + ((r >> 9) & mask) * 128u);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            r += v[u];
    }
    unsigned took = (unsigned)(clock64() - begin);
    if (lane == 0)
        atomicMax(clocks, took);
    if (r == 0x12345)
        *sink = r;
}

static char *table, *cold;
static unsigned *clocks;
static uint32_t *sink;

template <int UNROLL> static void run(uint32_t hits, uint32_t warps, uint32_t sms, bool capture)
{
    uint32_t turns = (capture ? 32u : 128u) / UNROLL, ctas = warps > 32u ? 2u : 1u;
    unsigned least = ~0u, took;
    for (int again = 0; again < (capture ? 1 : 3); again++) {
        MICRO_CUDA(cudaMemset(cold, 0, COLD)); /* is in L2 then */
        MICRO_CUDA(cudaMemset(clocks, 0, 4));
        gather<UNROLL><<<sms * ctas, warps / ctas * 32u>>>(table, cold, hits, turns, clocks, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(&took, clocks, 4, cudaMemcpyDeviceToHost));
        least = took < least ? took : least;
    }
    printf("%u,%d,%u,%u,%u,%u\n", hits, UNROLL, warps, sms, turns, least);
}

int main(int argc, char **)
{
    bool capture = argc > 1;
    MICRO_CUDA(cudaMalloc(&table, TABLE * 128u));
    MICRO_CUDA(cudaMemset(table, 0, TABLE * 128u));
    MICRO_CUDA(cudaMalloc(&cold, COLD));
    MICRO_CUDA(cudaMalloc(&clocks, 4));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    puts("hits,unroll,warps,sms,turns,clocks");
    for (uint32_t sms : {1u, SMS})
        for (uint32_t warps : {4u, 16u, 32u, 64u})
            for (uint32_t hits : {0u, 4u, 8u, 16u, 24u, 28u, 32u}) {
                if (sms == 1u && warps > 32u) /* its CTAs would go to two */
                    continue;
                run<1>(hits, warps, sms, capture);
                run<4>(hits, warps, sms, capture);
            }
    return 0;
}
