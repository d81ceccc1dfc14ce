/* SPDX-License-Identifier: MIT
 *
 * prefetch.cu - what an instruction that prefetches brings, whereto, and what it costs. One launch a
 * row, from flushed caches, to be run under ncu (metrics/prefetch.txt): each of `lanes` lanes of 4
 * warps of each CTA prefetches `count` times, each time 16 bytes into another line, lines `step` bytes
 * apart; then all CTAs meet, and
 *   none    nothing is done
 *   same    each thread loads the last sector of its lines
 *   other   likewise the lines of a CTA half the grid further
 *   line    all sectors of its lines
 *   word    stores the first word of its lines
 *   sector  stores the first sector of its lines
 *   again   prefetches them again
 * `clocks` is what the `count` prefetches of the first warp took, with no wait for what they bring.
 *
 * Output: CSV rows what,level,ctas,lanes,count,step,clocks.
 */
#include "validate/micro/check.h"
#include "validate/micro/meet.h"
#include "validate/micro/words.h"

#include <cstdint>

#define WARPS 4u

enum level { NO, L1, L2, L2_LAST };
static const char *const level_name[] = {"no", "L1", "L2", "L2::evict_last"};
enum action { NONE, SAME, OTHER, LINE, WORD, SECTOR, AGAIN };
static const char *const action_name[] = {"none", "same", "other", "line", "word", "sector", "again"};

template <level L> __device__ static void prefetch(const char *at)
{
    if (L == L1)
        asm volatile("prefetch.global.L1 [%0];" : : "l"(at) : "memory");
    else if (L == L2)
        asm volatile("prefetch.global.L2 [%0];" : : "l"(at) : "memory");
    else if (L == L2_LAST)
        asm volatile("prefetch.global.L2::evict_last [%0];" : : "l"(at) : "memory");
}

struct lines {
    char *first;
    size_t apart; /* from one of a thread's to its next */
};

__device__ static struct lines lines_of(char *memory, uint32_t cta, uint32_t lanes, size_t step)
{
    uint32_t warp = cta * WARPS + threadIdx.x / 32u;
    return {memory + ((size_t)warp * lanes + threadIdx.x % 32u) * step,
            (size_t)gridDim.x * WARPS * lanes * step};
}

template <level L>
__global__ void __launch_bounds__(WARPS * 32u)
    play(char *memory, action what, uint32_t lanes, uint32_t count, size_t step, unsigned all,
         unsigned long long *clocks, uint32_t *sink)
{
    bool takes_part = threadIdx.x % 32u < lanes;
    uint32_t sum = 0;
    struct lines mine = lines_of(memory, blockIdx.x, lanes, step);
    unsigned long long begin = clock64();
    if (takes_part) {
#pragma unroll 4
        for (uint32_t i = 0; i < count; i++)
            prefetch<L>(mine.first + i * mine.apart + 16);
    }
    unsigned long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *clocks = end - begin;
    while (clock64() - end < 20000) /* what they bring has come */
        ;
    meet(all);
    if (what == OTHER)
        mine = lines_of(memory, (blockIdx.x + gridDim.x / 2u) % gridDim.x, lanes, step);
    for (uint32_t i = 0; takes_part && what != NONE && i < count; i++) {
        char *line = mine.first + i * mine.apart;
        if (what == AGAIN)
            prefetch<L>(line + 16);
        else if (what == WORD)
            store(line, i);
        else if (what == SECTOR)
            for (uint32_t k = 0; k < 2u; k++)
                *(uint4 *)(line + k * 16u) = make_uint4(i, i, i, i);
        else
            for (uint32_t k = what == LINE ? 0u : 3u; k < 4u; k++)
                sum += load(line + k * 32u);
    }
    if (sum == 0x12345)
        *sink = sum;
}

static char *memory;
static uint32_t *sink;
static unsigned long long *clocks;
static unsigned met; /* CTAs of all launches so far */

template <level L>
static void run(action what, uint32_t ctas, uint32_t lanes, uint32_t count, size_t step)
{
    MICRO_CUDA(cudaMemset(clocks, 0, 8));
    met += ctas;
    play<L><<<ctas, WARPS * 32u>>>(memory, what, lanes, count, step, met, clocks, sink);
    MICRO_CUDA(cudaGetLastError());
    unsigned long long taken;
    MICRO_CUDA(cudaMemcpy(&taken, clocks, 8, cudaMemcpyDeviceToHost));
    printf("%s,%s,%u,%u,%u,%zu,%llu\n", action_name[what], level_name[L], ctas, lanes, count, step, taken);
}

template <level L> static void all_of()
{
    for (action what : {NONE, SAME, OTHER, LINE, WORD, SECTOR, AGAIN})
        run<L>(what, 132, 32, 1, 128);
    for (action what : {NONE, LINE})
        for (size_t step : {256, 4096})
            run<L>(what, 132, 32, 1, step);
    for (uint32_t lanes : {1u, 4u, 32u})
        for (uint32_t count : {1u, 4u, 16u, 64u})
            run<L>(NONE, 1, lanes, count, 128);
    for (uint32_t count : {4u, 16u})
        run<L>(NONE, 132, 32, count, 128);
}

int main()
{
    MICRO_CUDA(cudaMalloc(&memory, (size_t)132 * WARPS * 32u * 4096u));
    MICRO_CUDA(cudaMemset(memory, 0, (size_t)132 * WARPS * 32u * 4096u));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMalloc(&clocks, 8));
    puts("what,level,ctas,lanes,count,step,clocks");
    all_of<NO>();
    all_of<L1>();
    all_of<L2>();
    all_of<L2_LAST>();
    return 0;
}
