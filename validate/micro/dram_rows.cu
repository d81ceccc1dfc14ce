/* SPDX-License-Identifier: MIT
 *
 * dram_rows.cu - what it costs that the lines of a row of DRAM, 16 of them (dram_mix.cu), are not
 * accessed one after another. All warps go side by side over 512 MiB: in blocks of `rows` rows,
 * first all first lines of the block, then all second ones, and so on: between two lines of a row
 * lie as many of others. `sectors` of each line are loaded past L1, eight lines under way a warp, or
 * stored; L2 holds a tenth of it, and of what is written less. One launch a row, from flushed
 * caches, to be run under ncu (metrics/dram_rows.txt).
 *
 * Output: CSV rows  op,sectors,rows.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define CTAS      1056u
#define LINES     22u /* of memory, as a power of two */
#define ROW_LINES 4u  /* likewise */

#define AHEAD     8u

__device__ static uint32_t *word_of(uint32_t *memory, uint32_t t, uint32_t rows)
{
    const uint32_t block = t >> (rows + ROW_LINES), row = t & ((1u << rows) - 1u),
                   in_row = t >> rows & ((1u << ROW_LINES) - 1u),
                   line = (block << rows | row) << ROW_LINES | in_row;
    return memory + line * 32u + threadIdx.x % 32u;
}

template <bool STORE>
__global__ void walk(uint32_t *memory, uint32_t rows, uint32_t words, uint32_t *sink)
{
    const uint32_t warps = gridDim.x * blockDim.x / 32u;
    uint32_t sum = 0;
    if (threadIdx.x % 32u >= words)
        return;
    for (uint32_t t = (blockIdx.x * blockDim.x + threadIdx.x) / 32u; t < 1u << LINES;
         t += warps * AHEAD) {
#pragma unroll
        for (uint32_t k = 0; k < AHEAD; k++)
            if (t + k * warps < 1u << LINES) {
                if (STORE)
                    *word_of(memory, t + k * warps, rows) = t;
                else
                    sum += __ldcg(word_of(memory, t + k * warps, rows));
            }
    }
    if (!STORE && sum == 0x12345)
        *sink = sum;
}

template <bool STORE> static void run(uint32_t *memory, uint32_t rows, uint32_t *sink)
{
    for (uint32_t sectors : {1u, 2u, 4u}) {
        walk<STORE><<<CTAS, 256>>>(memory, rows, sectors * 8u, sink);
        MICRO_CUDA(cudaDeviceSynchronize());
        printf("%s,%u,%u\n", STORE ? "store" : "load", sectors, 1u << rows);
    }
}

int main()
{
    uint32_t *memory, *sink;
    MICRO_CUDA(cudaMalloc(&memory, (size_t)128 << LINES));
    MICRO_CUDA(cudaMemset(memory, 0, (size_t)128 << LINES));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("op,sectors,rows");
    for (uint32_t rows = 8; rows <= LINES - ROW_LINES; rows += 2) {
        run<false>(memory, rows, sink);
        run<true>(memory, rows, sink);
    }
    return 0;
}
