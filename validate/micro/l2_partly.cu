/* SPDX-License-Identifier: MIT
 *
 * l2_partly.cu - when L2 has partly written lines completed. One launch a row, from flushed caches,
 * to be run under ncu (metrics/l2_dirty.txt). Sizes are in MiB; of `mega` of lines, from `offset`
 * of a large array on, `sectors` sectors each get their first 4 bytes. All SMs wait for one
 * another, then wait     nothing happens for `times` thousand clocks reads    `other` elsewhere are
 * read past L1, each line by one SM, `times` times hits     the same, of what was read before all
 * began writes   `other` elsewhere are written, whole lines same     the same bytes are written
 * again, by the same SMs again    the same bytes are written again, by others whole    the same
 * sectors are written again, whole mix      of each line the sectors behind are written, whole;
 * then `other` are read any      as reads, but of any lines of 256 MiB Output: CSV rows
 * experiment,mega,offset,sectors,other,times.
 */
#include "validate/micro/check.h"
#include "validate/micro/meet.h"
#include <cstdint>

#define CTAS  132u
#define WARPS 32u
#define LINE  128u
#define SPAN  (1u << 21) /* lines of which `any` takes some */

enum kind { WAIT, READS, HITS, WRITES, SAME, AGAIN, WHOLE, MIX, ANY };
static const char *const name[] = {"wait",  "reads", "hits", "writes", "same",
                                   "again", "whole", "mix",  "any"};

__device__ static void pass(long long clocks)
{
    long long begin = clock64();
    while (clock64() - begin < clocks)
        ;
}

/* One to one on 0 ... mask, as in l2_spread.cu. */
__device__ static size_t scatter(size_t i, size_t mask)
{
    i = (i * 0x9E3779B97F4A7C15ull) & mask;
    i ^= i >> 9;
    i = (i * 0xD6E8FEB86659FD93ull) & mask;
    return i ^ i >> 11;
}

struct share {
    size_t first, step; /* of a launch's warps, 32 at a time */
};

/* A lane writes the first word of a sector. */
__device__ static void write_words(char *array, size_t lines, uint32_t sectors, bool any,
                                   share warps, uint32_t value)
{
    for (size_t i = warps.first * 32u + threadIdx.x % 32u; i < lines * sectors;
         i += warps.step * 32u) {
        size_t line = any ? scatter(i / sectors, SPAN - 1u) : i / sectors;
        *(uint32_t *)(array + line * LINE + i % sectors * 32u) = value;
    }
}

/* Two lanes write a sector: `sectors` of each line, from sector `from` on. */
__device__ static void write_sectors(char *array, size_t lines, uint32_t from, uint32_t sectors,
                                     share warps)
{
    uint32_t halves = 2u * sectors;
    for (size_t i = warps.first * 32u + threadIdx.x % 32u; i < lines * halves;
         i += warps.step * 32u)
        *(uint4 *)(array + i / halves * LINE + from * 32u + i % halves * 16u) =
            make_uint4(1, 2, 3, 4);
}

__device__ static uint32_t read_lines(const uint32_t *other, size_t lines, share warps)
{
    uint32_t sum = 0;
    for (size_t i = warps.first; i < lines; i += warps.step)
        sum += __ldcg(other + i * 32u + threadIdx.x % 32u);
    return sum;
}

__global__ void __launch_bounds__(WARPS * 32u)
    work(char *array, size_t lines, uint32_t sectors, uint32_t *other, size_t others,
         uint32_t times, kind what, unsigned met, uint32_t *sink)
{
    size_t warp = blockIdx.x * WARPS + threadIdx.x / 32u, all = gridDim.x * WARPS;
    share warps = {warp, all};
    uint32_t sum = 0;
    if (what == HITS)
        sum += read_lines(other, others, warps);
    meet(met + gridDim.x);
    write_words(array, lines, sectors, what == ANY, warps, 1);
    meet(met + 2u * gridDim.x);
    if (what == WAIT)
        return pass((long long)times * 1000);
    if (what == MIX)
        write_sectors(array, lines, sectors, 4u - sectors, warps);
    for (uint32_t k = 1; k <= times; k++) {
        share moved = {(warp + k * WARPS * 37u) % all, all};
        if (what == WRITES)
            for (size_t i = warp; i < others; i += all)
                other[i * 32u + threadIdx.x % 32u] = k;
        else if (what == SAME || what == AGAIN)
            write_words(array, lines, sectors, false, what == SAME ? warps : moved, k);
        else if (what == WHOLE)
            write_sectors(array, lines, 0, sectors, warps);
        else
            sum += read_lines(other, others, moved);
    }
    if (sum == 0x12345)
        *sink = sum;
}

static char *array;
static uint32_t *other, *sink;

static void run(kind what, size_t mega, size_t offset, uint32_t sectors, size_t others,
                uint32_t times)
{
    static unsigned met;
    work<<<CTAS, WARPS * 32u>>>(array + (offset << 20), mega << 13, sectors, other, others << 13,
                                times, what, met, sink);
    met += 2u * CTAS;
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%zu,%zu,%u,%zu,%u\n", name[what], mega, offset, sectors, others, times);
}

int main()
{
    MICRO_CUDA(cudaMalloc(&array, (size_t)512 << 20));
    MICRO_CUDA(cudaMalloc(&other, (size_t)64 << 20));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    printf("experiment,mega,offset,sectors,other,times\n");
    run(WAIT, 6, 0, 1, 0, 30); /* the first finds more than flushed caches */
    for (size_t offset : {0, 64, 129, 258})
        for (size_t mega : {6, 7, 8, 9, 10, 12, 16})
            run(WAIT, mega, offset, 1, 0, 30);
    for (uint32_t sectors : {1, 4})
        for (size_t mega : {12, 16, 20, 24, 32, 64})
            for (uint32_t times : {0, 300})
                run(WAIT, mega, 0, sectors, 0, times);
    for (size_t mega : {4, 5, 6, 7, 8, 10, 12, 16})
        for (size_t others : {1, 2, 4, 8, 16})
            run(READS, mega, 0, 1, others, 1);
    for (size_t mega : {6, 8, 12, 16})
        run(READS, mega, 0, 4, 4, 4);
    for (size_t mega : {6, 8, 10, 12, 16})
        for (size_t others : {4, 16})
            run(HITS, mega, 0, 1, others, 1);
    for (size_t mega : {5, 6, 7, 8, 10, 12, 16})
        for (size_t others : {1, 4, 8})
            run(WRITES, mega, 0, 1, others, 1);
    for (kind what : {SAME, AGAIN, WHOLE})
        for (uint32_t sectors : {1, 4})
            for (size_t mega : {5, 6, 7, 8, 10, 12, 16})
                for (uint32_t times : {1, 4})
                    run(what, mega, 0, sectors, 0, times);
    for (uint32_t sectors : {1, 2, 3})
        for (size_t mega : {6, 8, 10, 12, 16})
            for (size_t others : {0, 4})
                run(MIX, mega, 0, sectors, others, 1);
    for (size_t mega : {2, 4, 6, 8, 16})
        for (size_t others : {0, 4, 16})
            run(ANY, mega, 0, 1, others, 1);
    return 0;
}
