/* SPDX-License-Identifier: MIT
 *
 * loads_out.cu - what loads of 32 lines each take that come from DRAM, by whose they are. Each of
 * `warps` warps of each of `sms` SMs loads a word of 32 lines anywhere in `mebibytes`, one load
 * after the other, 16 times; L2 has been read full of other lines before, or written full.
 *
 * Settles: whether it matters how many lines an SM has on its way, or all SMs together; what pages
 * and lines that L2 has to write back do.
 *
 * Output: CSV l2,mebibytes,sms,warps,clocks - of a load, the mean over warps and all but the first
 * and the last.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define LOADS   16u
#define ANOTHER ((size_t)256u << 20)

__global__ void out(const uint32_t *memory, uint32_t lines, uint32_t seed, volatile uint32_t *sink,
                    unsigned long long *clocks)
{
    uint32_t x = (seed * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x + 1u, word = 0;
    long long begin = 0, end = 0;
    x *= 2654435761u;
    for (uint32_t i = 0; i < LOADS; i++) {
        x = x * 1664525u + 1013904223u + word;
        word = __ldcg(memory + (size_t)((x ^ x >> 15) % lines) * 32u);
        if (word == 77u) /* the clock is not read before the word is there */
            *sink = x;
        __syncwarp();
        if (i == 0)
            begin = clock64();
        if (i == LOADS - 2u)
            end = clock64();
    }
    if (threadIdx.x % 32u == 0)
        atomicAdd(clocks, (unsigned long long)(end - begin));
}

__global__ void sweep(uint32_t *memory, bool writes, volatile uint32_t *sink)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < ANOTHER / 4u; i += gridDim.x * blockDim.x)
        if (writes)
            memory[i] = 0;
        else if (__ldcg(memory + i) == 77u)
            *sink = 1u;
}

int main()
{
    uint32_t *memory, *another, *sink, seed = 1;
    unsigned long long *clocks, took;
    MICRO_CUDA(cudaMalloc(&memory, (size_t)4096u << 20));
    MICRO_CUDA(cudaMemset(memory, 0, (size_t)4096u << 20));
    MICRO_CUDA(cudaMalloc(&another, ANOTHER));
    MICRO_CUDA(cudaMemset(another, 0, ANOTHER));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    printf("l2,mebibytes,sms,warps,clocks\n");
    for (bool written : {false, true})
        for (uint32_t mebibytes : {128u, 1024u, 4096u})
            for (uint32_t sms : {1u, 16u, 32u, 64u, 132u})
                for (uint32_t warps : {4u, 8u, 16u, 32u}) {
                    sweep<<<132, 1024>>>(another, written, sink);
                    sweep<<<132, 1024>>>(another, written, sink);
                    MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
                    out<<<sms, warps * 32u>>>(memory, mebibytes << 13, seed++, sink, clocks);
                    MICRO_CUDA(cudaGetLastError());
                    MICRO_CUDA(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
                    printf("%s,%u,%u,%u,%llu\n", written ? "written" : "read", mebibytes, sms, warps,
                           took / (sms * warps * (LOADS - 2u)));
                }
    return 0;
}
