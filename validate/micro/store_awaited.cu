/* SPDX-License-Identifier: MIT
 *
 * store_awaited.cu - what L1 keeps of a line that a store comes to while a load of it is under way, and
 * of one that it does not have and that several stores write words of. One warp, of which `lanes` lanes
 * have a line each, goes through 64 lines one after the other; one launch a row, to be run under ncu
 * (metrics/store_awaited.txt).
 *
 * - awaited: the last sector of the line is loaded, and there; then its first word, and `gap`
 *   multiplications later word `word` is stored. Long after, words 2 and 25 are loaded: what is lost of
 *   the line misses, and a store to what is not there. word -1: no store.
 * - after: as awaited, but the store has what the load brought, or what `gap` multiplications make
 *   of it.
 * - whole: as awaited, but the warp has one line at a time, whose word 0 is loaded by one lane; `lanes`
 *   lanes store a word each from `word` on, 8 a whole sector and 32 the line.
 * - pairs: a structure of two words each 8 bytes of the lines. First words are stored in all (`stores` 1),
 *   both (2) or none (0); then, structure by structure, both words are loaded, the first is stored that the
 *   structure before gave, and the second that this one gives after `gap` multiplications; twice (`word`).
 * - written: `stores` words are stored, each `word` words after the one before, with `gap`
 *   multiplications between; long after the first and the last of them are loaded.
 *
 * Output: CSV rows experiment,lanes,stores,word,gap.
 */
#include "validate/micro/check.h"
#include "validate/micro/words.h"

#include <cstdint>
#include <cstdio>

#define LINES 64u

enum experiment { AWAITED, WRITTEN, WHOLE, AFTER, PAIRS };
static const char *const experiment_name[] = {"awaited", "written", "whole", "after", "pairs"};

/* So many multiplications, each of what came of the last. */
__device__ static uint32_t spend(uint32_t x, uint32_t factor, uint32_t count)
{
#pragma unroll 1
    for (uint32_t i = 0; i < count; i++)
        x = x * factor + 1u;
    return x;
}

template <experiment what>
__global__ void play(char *memory, uint32_t stores, int word, uint32_t gap, uint32_t factor,
                     uint32_t *sink)
{
    uint32_t x = threadIdx.x;
    for (uint32_t i = 0; i < LINES; i++) {
        char *line = memory + (i * blockDim.x + threadIdx.x) * 128u;
        uint32_t awaited = 0;
        if (what != WRITTEN) {
            x = spend(x + load(line + 96), factor, 100);
            awaited = load(line);
            if (what == AFTER)
                x = awaited;
        }
        for (uint32_t k = 0; k < stores; k++) {
            x = spend(x, factor, gap);
            store(line + (what != WRITTEN ? (uint32_t)word : k * (uint32_t)word) * 4u, x);
        }
        x = spend(x, factor, 400) + awaited;
        x += load(what != WRITTEN ? line + 8 : line);
        x += load(what != WRITTEN ? line + 100 : line + (stores - 1u) * (uint32_t)word * 4u);
    }
    if (x == 0x12345)
        *sink = x;
}

__global__ void play_whole(char *memory, uint32_t lanes, int word, uint32_t gap, uint32_t factor,
                           uint32_t *sink)
{
    uint32_t x = threadIdx.x;
    for (uint32_t i = 0; i < LINES; i++) {
        char *line = memory + i * 128u;
        uint32_t awaited = 0;
        if (threadIdx.x == 0)
            x += load(line + 96);
        x = spend(__shfl_sync(0xffffffffu, x, 0), factor, 100) + threadIdx.x;
        if (threadIdx.x == 0)
            awaited = load(line);
        x = spend(x, factor, gap);
        if (threadIdx.x < lanes)
            store(line + ((uint32_t)word + threadIdx.x) * 4u, x);
        x = spend(x, factor, 400) + awaited;
        if (threadIdx.x == 0)
            x += load(line + 8) + load(line + 100);
    }
    if (x == 0x12345)
        *sink = x;
}

__global__ void play_pairs(char *memory, uint32_t stores, uint32_t turns, uint32_t gap, uint32_t factor,
                           uint32_t *sink)
{
    char *at = memory + threadIdx.x * LINES * 128u;
    uint32_t x = threadIdx.x;
    for (uint32_t i = 0; i < LINES * 16u; i++) {
        if (stores)
            store(at + i * 8u, x);
        if (stores > 1u)
            store(at + i * 8u + 4u, x);
        x = spend(x, factor, 2);
    }
    x = spend(x, factor, 400);
    for (uint32_t turn = 0; turn < turns; turn++)
        for (uint32_t i = 0; i < LINES * 16u; i++) {
            uint32_t one = load(at + i * 8u), other = load(at + i * 8u + 4u);
            store(at + i * 8u, x);
            x = spend(one + other, factor, gap);
            store(at + i * 8u + 4u, x);
        }
    if (x == 0x12345)
        *sink = x;
}

static char *memory;
static uint32_t *sink;

static void run(experiment what, uint32_t lanes, uint32_t stores, int word, uint32_t gap)
{
    if (what == WHOLE)
        play_whole<<<1, 32>>>(memory, lanes, word, gap, 0x9e3779b1u, sink);
    else if (what == PAIRS)
        play_pairs<<<1, lanes>>>(memory, stores, (uint32_t)word, gap, 0x9e3779b1u, sink);
    else
        (what == AWAITED ? play<AWAITED>
         : what == AFTER ? play<AFTER>
                         : play<WRITTEN>)<<<1, lanes>>>(memory, stores, word, gap, 0x9e3779b1u, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%u,%u,%d,%u\n", experiment_name[what], lanes, stores, word, gap);
}

int main()
{
    MICRO_CUDA(cudaMalloc(&memory, 32u * LINES * 128u));
    MICRO_CUDA(cudaMemset(memory, 0, 32u * LINES * 128u));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    puts("experiment,lanes,stores,word,gap");
    for (uint32_t lanes : {1u, 4u, 32u}) {
        run(AWAITED, lanes, 0, -1, 0);
        for (int word : {0, 1, 9, 24}) {
            for (uint32_t gap : {0u, 5u, 20u, 100u})
                run(AWAITED, lanes, 1, word, gap);
            for (uint32_t gap : {0u, 2u, 8u})
                run(AFTER, lanes, 1, word, gap);
        }
        for (uint32_t stores : {0u, 1u, 2u})
            for (int turns : {1, 2})
                run(PAIRS, lanes, stores, turns, 2);
        for (uint32_t stores : {1u, 2u, 4u, 8u})
            for (int word : {1, 2, 8})
                for (uint32_t gap : {0u, 2u, 5u, 20u})
                    if ((stores - 1u) * (uint32_t)word < 32u)
                        run(WRITTEN, lanes, stores, word, gap);
    }
    for (uint32_t lanes : {4u, 8u, 32u})
        for (int word : {0, 8, 24})
            for (uint32_t gap : {0u, 5u, 100u})
                if (lanes < 32u || word == 0)
                    run(WHOLE, lanes, 1, word, gap);
    return 0;
}
