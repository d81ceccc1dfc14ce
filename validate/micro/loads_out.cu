/* SPDX-License-Identifier: MIT
 *
 * loads_out.cu - what loads of 32 lines each take that come from DRAM, by how many are on their way.
 * Each of `warps` warps of each of `sms` SMs loads a word of 32 lines anywhere in `mebibytes`, one
 * load after the other, 16 times; L2 has none of them at first.
 *
 * Settles: that it is all one whose loads those are: the lines on their way to all SMs together
 * decide, and how large the memory is.
 *
 * Output: CSV mebibytes,sms,warps,clocks - of a load, the mean over warps.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define LOADS 16u
#define FLUSH ((size_t)256u << 20)

__global__ void out(const uint32_t *memory, uint32_t lines, uint32_t seed, uint32_t *sink,
                    unsigned long long *clocks)
{
    uint32_t x = (seed * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x + 1u, word = 0;
    x *= 2654435761u;
    const long long begin = clock64();
    for (uint32_t i = 0; i < LOADS; i++) {
        x = x * 1664525u + 1013904223u + word;
        word = __ldcg(memory + (size_t)((x ^ x >> 15) % lines) * 32u);
        __syncwarp();
    }
    if (word == 77u)
        *sink = x;
    if (threadIdx.x % 32u == 0)
        atomicAdd(clocks, (unsigned long long)(clock64() - begin));
}

int main()
{
    uint32_t *memory, *flush, *sink, seed = 1;
    unsigned long long *clocks, took;
    MICRO_CUDA(cudaMalloc(&memory, (size_t)4096u << 20));
    MICRO_CUDA(cudaMemset(memory, 0, (size_t)4096u << 20));
    MICRO_CUDA(cudaMalloc(&flush, FLUSH));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    out<<<1, 32>>>(memory, 1u << 20, 0, sink, clocks); /* the code is there */
    printf("mebibytes,sms,warps,clocks\n");
    for (uint32_t mebibytes : {128u, 512u, 4096u})
        for (uint32_t sms : {1u, 4u, 16u, 32u, 64u, 132u})
            for (uint32_t warps : {8u, 16u, 32u}) {
                MICRO_CUDA(cudaMemset(flush, 1, FLUSH));
                MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
                out<<<sms, warps * 32u>>>(memory, mebibytes << 13, seed++, sink, clocks);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
                printf("%u,%u,%u,%llu\n", mebibytes, sms, warps, took / (sms * warps * LOADS));
            }
    return 0;
}
