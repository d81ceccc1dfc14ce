/* SPDX-License-Identifier: MIT
 *
 * store_sets.cu - what L1's four sets of tags (sim/model/cache/tags.h) mean to stores. One launch a
 * row, to be run under ncu (metrics/store_sets.txt).
 *
 * - sets: a warp stores a word to each of `lines` lines, and the word after the next right after: lines of
 *   the sets named (`sets`, a mask) only. How many are open in a set?
 * - turns: `warps` warps of an SM, one a sub-partition, each stores `lanes` lanes of `bytes` bytes
 *   to each of `lines` lines side by side, four times: to other bytes of the same lines (apart 0),
 *   or to other lines (1). `clocks` a turn of the four, of 256: what a store takes.
 *
 * Output: CSV rows experiment,sets,warps,lines,lanes,bytes,apart,clocks.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define REPEATS 64
#define TURNS   256
#define LINES   4096u /* from one repeat's to the next's */

static uint32_t *array;
static unsigned long long *clocks;

__host__ __device__ static uint32_t parity(uint32_t bits)
{
    bits ^= bits >> 16, bits ^= bits >> 8, bits ^= bits >> 4;
    return 0x6996u >> (bits & 15u) & 1u;
}

/* As tags.h says. */
__device__ static uint32_t set_of(uint64_t line)
{
    return parity((uint32_t)line & 0x0f7ab5u) | parity((uint32_t)line & 0x1ad5dau) << 1;
}

__global__ void sets(uint32_t *p, uint32_t mask, uint32_t lines)
{
    const uint32_t lane = threadIdx.x;
#pragma unroll 1
    for (uint32_t r = 0; r < REPEATS; r++) {
        uint64_t line = (uint64_t)p / 128u + (uint64_t)r * LINES;
        for (uint32_t found = 0;; line++) /* the lane's: the lane'th of such sets */
            if (mask >> set_of(line) & 1u && found++ == lane)
                break;
        __syncwarp();
        const uint32_t begin = (uint32_t)clock();
        while ((uint32_t)clock() - begin < 2000u)
            ;
        if (lane < lines) {
            uint32_t *at = (uint32_t *)(line * 128u);
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(lane) : "memory");
            asm volatile("" : "+l"(at)); /* two stores, not one of both words */
            asm volatile("st.global.u32 [%0+8], %1;" ::"l"(at), "r"(lane) : "memory");
        }
    }
}

template <int BYTES> __device__ static void store(char *at, uint32_t value)
{
    if (BYTES == 4)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    else
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(value) : "memory");
}

template <int BYTES, bool APART>
__global__ void turns(uint32_t *p, uint32_t lines, uint32_t lanes, unsigned long long *clocks)
{
    const uint32_t lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
    char *at = (char *)p + (size_t)warp * LINES * 128u * 4u + lane / lanes * 128u +
               lane % lanes * (128u / lanes);
    __syncthreads();
    const uint64_t begin = (uint64_t)clock64();
#pragma unroll 1
    for (uint32_t t = 0; t < TURNS; t++, at += (size_t)lines * 128u * (APART ? 4u : 1u))
        if (lane < lines * lanes)
#pragma unroll
            for (uint32_t k = 0; k < 4; k++)
                store<BYTES>(at + (APART ? (size_t)k * lines * 128u : k * BYTES), t);
    atomicMax(clocks, (unsigned long long)clock64() - begin);
}

template <int BYTES, bool APART>
static void run_turns(uint32_t warps, uint32_t lines, uint32_t lanes)
{
    unsigned long long took;
    MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
    turns<BYTES, APART><<<1, warps * 32u>>>(array, lines, lanes, clocks);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
    printf("turns,,%u,%u,%u,%d,%d,%.1f\n", warps, lines, lanes, BYTES, APART,
           (double)took / TURNS);
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&array, (size_t)REPEATS * LINES * 128u));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    puts("experiment,sets,warps,lines,lanes,bytes,apart,clocks");
    for (uint32_t mask : {0x1u, 0x8u, 0x3u, 0x9u, 0x7u, 0xfu})
        for (uint32_t lines : {4u, 6u, 7u, 8u, 9u, 12u, 14u, 15u, 16u, 21u, 24u, 28u, 30u, 32u}) {
            sets<<<1, 32>>>(array, mask, lines);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaDeviceSynchronize());
            printf("sets,%u,1,%u,1,4,0,0\n", mask, lines);
        }
    for (uint32_t warps : {1u, 2u, 4u})
        for (uint32_t lines : {1u, 2u, 4u, 8u}) {
            for (uint32_t lanes : {1u, 4u})
                run_turns<4, false>(warps, lines, lanes), run_turns<4, true>(warps, lines, lanes),
                    run_turns<16, true>(warps, lines, lanes);
            run_turns<16, false>(warps, lines, 1u);
        }
    return 0;
}
