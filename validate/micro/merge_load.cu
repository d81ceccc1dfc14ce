/* SPDX-License-Identifier: MIT
 *
 * merge_load.cu - how many reads merge before L2 when SMs read the same from L2 in step, by how
 * much is under way. Neighbouring CTAs (`share` of them) read the same sectors in the same order,
 * warps of `lines` lines a load; sectors of other CTAs are in lines of their own (`beside` 0) or in
 * the same lines (1). To be run under ncu (metrics/merge.txt, and cycles); L2 has all of it but the
 * first time. Output: CSV rows  share,warps,lines,beside,loads.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define TURNS 8u

/* A warp's load i is of `lines` lines, a sector of each, `rows` loads before it comes round. */
__global__ void __launch_bounds__(1024) read(const uint32_t *p, unsigned share, unsigned lines, unsigned beside,
                                             unsigned columns, unsigned rows, uint32_t *sink)
{
    const unsigned column = blockIdx.x / share, warps = blockDim.x / 32u, lane = threadIdx.x % 32u;
    const unsigned line = lane * lines / 32u, word = lane % 8u;
    const unsigned pitch = beside ? (columns + 3u) / 4u * 32u : columns * 32u;
    const uint32_t *mine = p + (beside ? column * 8u : column * 32u) + word;
    uint32_t sum = 0;
    for (unsigned turn = 0; turn < TURNS; turn++)
#pragma unroll 4
        for (unsigned row = threadIdx.x / 32u; row < rows; row += warps)
            sum += __ldcg(mine + (size_t)(row * lines + line) * pitch);
    if (sum == 0x12345)
        *sink = sum;
}

int main(void)
{
    uint32_t *array, *sink;
    const size_t size = 48u << 20;
    MICRO_CUDA(cudaMalloc(&array, size));
    MICRO_CUDA(cudaMemset(array, 0, size));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    printf("share,warps,lines,beside,loads\n");
    for (unsigned beside : {0u, 1u})
        for (unsigned lines : {1u, 4u, 32u})
            for (unsigned warps : {1u, 4u, 16u, 64u})
                for (unsigned share : {4u, 8u, 16u, 132u}) {
                    const unsigned ctas = warps == 64u ? 264u : 132u, size = warps == 64u ? 1024u : 32u * warps;
                    const unsigned columns = (ctas + share - 1u) / share, rows = lines == 32u ? 64u : 256u;
                    read<<<ctas, size>>>(array, share, lines, beside, columns, rows, sink);
                    MICRO_CUDA(cudaGetLastError());
                    MICRO_CUDA(cudaDeviceSynchronize());
                    printf("%u,%u,%u,%u,%u\n", share, warps, lines, beside, TURNS * rows * ctas);
                }
    return 0;
}
