/* SPDX-License-Identifier: MIT
 *
 * hits_beside.cu - what loads that hit in L2 take in warps that also load from DRAM. Each of `warps`
 * warps of each of `sms` SMs loads 32 lines anywhere in 4 GiB, then `hits` times 32 lines anywhere
 * in 1 MiB that the SMs have brought into L2, one load after the other, eight times over.
 *
 * Settles: how long such hits wait for misses (hit_order.cu) at the rates of misses and of hits that
 * kernels have.
 *
 * Output: CSV sms,warps,hits,clocks - of a round, the mean over warps.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define ROUNDS 8u
#define HELD   (1u << 13) /* lines */
#define PART   1024u      /* of them, that an SM brings */
#define BEYOND (1u << 25) /* lines */

__global__ void beside(const uint32_t *held, const uint32_t *beyond, uint32_t hits, uint32_t seed,
                       uint32_t *sink, unsigned long long *clocks)
{
    uint32_t x = (seed * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x + 1u, word = 0;
    x *= 2654435761u;
    for (uint32_t i = threadIdx.x; i < PART; i += blockDim.x)
        word += __ldcg(held + (size_t)(blockIdx.x * PART + i) % HELD * 32u);
    x += word; /* 0 */
    __syncthreads();
    const long long begin = clock64();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        x = x * 1664525u + 1013904223u + word;
        word = __ldcg(beyond + (size_t)((x ^ x >> 15) % BEYOND) * 32u);
        __syncwarp();
        for (uint32_t j = 0; j < hits; j++) {
            x = x * 1664525u + 1013904223u + word;
            word = __ldcg(held + (size_t)((x ^ x >> 15) % HELD) * 32u);
            __syncwarp();
        }
    }
    if (word == 77u)
        *sink = x;
    if (threadIdx.x % 32u == 0)
        atomicAdd(clocks, (unsigned long long)(clock64() - begin));
}

int main()
{
    uint32_t *held, *beyond, *sink, seed = 0;
    unsigned long long *clocks;
    MICRO_CUDA(cudaMalloc(&held, (size_t)HELD * 128u));
    MICRO_CUDA(cudaMemset(held, 0, (size_t)HELD * 128u));
    MICRO_CUDA(cudaMalloc(&beyond, (size_t)BEYOND * 128u));
    MICRO_CUDA(cudaMemset(beyond, 0, (size_t)BEYOND * 128u));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    printf("sms,warps,hits,clocks\n");
    for (uint32_t sms : {16u, 132u})
        for (uint32_t warps : {1u, 4u, 16u})
            for (uint32_t hits : {0u, 1u, 3u}) {
                unsigned long long took;
                MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
                beside<<<sms, warps * 32u>>>(held, beyond, hits, seed++, sink, clocks);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
                printf("%u,%u,%u,%llu\n", sms, warps, hits, took / (sms * warps * ROUNDS));
            }
    return 0;
}
