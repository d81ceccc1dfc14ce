/* SPDX-License-Identifier: MIT
 *
 * l2_again.cu - what becomes of dirty lines of L2 when others are accessed again and again. One
 * launch a row, from flushed caches, to be run under ncu (metrics/l2_again.txt): `old` sixteenths of
 * a MiB are written once, then all CTAs meet, then `again` sixteenths elsewhere are accessed `times`
 * times.
 *   others    whole lines are written, each time by another SM
 *   same      each by the same SM
 *   words     a word of each sector, each time by another SM
 *   halves    half of each sector, likewise
 *   reads     whole lines are read, each time by another SM, past L1
 *   few       one write in four of `others`
 *   wait      nothing, for `times` thousand clocks
 *   after     as others, then what is old is read
 *   clean     likewise, but what is old was read at first, not written
 *   fresh     as others, and what is old is written every fourth time as well, by the same SM
 * With an argument, only rows of `others` with nothing old, and `passes_` before their name: for a
 * list of metrics so long that ncu takes several passes, and restores memory in between
 * (metrics/modelled.txt). Output: CSV rows experiment,old,again,times.
 */
#include "validate/micro/check.h"
#include "validate/micro/meet.h"
#include <cstdint>

#define CTAS  132u
#define WARPS 32u

enum kind { OTHERS, SAME, WORDS, HALVES, READS, FEW, WAIT, AFTER, CLEAN, FRESH };
static const char *const name[] = {"others", "same", "words", "halves", "reads", "few", "wait",
                                   "after",  "clean", "fresh"};

__global__ void __launch_bounds__(WARPS * 32u)
    work(uint32_t *old, size_t old_lines, uint32_t *array, size_t lines, uint32_t times, kind what,
         unsigned all, uint32_t *sink)
{
    uint32_t warp = blockIdx.x * WARPS + threadIdx.x / 32u, warps = gridDim.x * WARPS;
    uint32_t lane = threadIdx.x % 32u, sum = 0;
    for (size_t i = warp; i < old_lines; i += warps)
        if (what == CLEAN)
            sum += __ldcg(old + i * 32u + lane);
        else
            old[i * 32u + lane] = 1;
    meet(all);
    if (what == WAIT) {
        long long begin = clock64();
        while (clock64() - begin < (long long)times * 1000)
            ;
        return;
    }
    for (uint32_t k = 0; k < times && (what != FEW || blockIdx.x % 4u == 0); k++) {
        uint32_t first = what == SAME ? warp : (warp + k * WARPS * 37u) % warps;
        for (size_t i = first; i < lines; i += warps) {
            uint32_t *p = array + i * 32u + lane;
            if (what == READS)
                sum += __ldcg(p);
            else if ((what != WORDS || lane % 8u == 0) && (what != HALVES || lane % 8u < 4u))
                *p = k;
        }
        for (size_t i = warp; what == FRESH && k % 4u == 0 && i < old_lines; i += warps)
            old[i * 32u + lane] = k;
    }
    for (size_t i = warp; (what == AFTER || what == CLEAN) && i < old_lines; i += warps)
        sum += __ldcg(old + i * 32u + lane);
    if (sum == 0x12345)
        *sink = sum;
}

static uint32_t *old, *array, *sink;
static const char *prefix = "";

static void run(kind what, size_t old_size, size_t size, uint32_t times)
{
    static unsigned all;
    const size_t lines = ((size_t)1 << 16) / 128u;
    all += CTAS;
    work<<<CTAS, WARPS * 32u>>>(old, old_size * lines, array, size * lines, times, what, all, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s%s,%zu,%zu,%u\n", prefix, name[what], old_size, size, times);
}

int main(int argc, char **)
{
    MICRO_CUDA(cudaMalloc(&old, (size_t)64 << 20));
    MICRO_CUDA(cudaMalloc(&array, (size_t)64 << 20));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    printf("experiment,old,again,times\n");
    if (argc > 1) {
        prefix = "passes_";
        const struct {
            size_t size;
            uint32_t times;
        } rows[] = {{4, 1024}, {16, 512}, {64, 256}, {128, 128}};
        for (const auto &row : rows)
            for (int again = 0; again < 3; again++)
                run(OTHERS, 0, row.size, row.times);
        return 0;
    }
    for (size_t size : {4, 16, 64, 128})
        for (uint32_t times : {2, 4, 8, 16, 32, 64, 128})
            run(OTHERS, 256, size, times);
    for (kind what : {SAME, WORDS, HALVES, READS})
        for (size_t size : {16, 64})
            for (uint32_t times : {4, 16, 64})
                run(what, 256, size, times);
    for (size_t size : {16, 64})
        for (uint32_t times : {16, 64})
            run(FEW, 256, size, times);
    for (uint32_t times : {10, 100, 400, 1000})
        run(WAIT, 256, 0, times);
    for (size_t before : {64, 128, 320})
        for (uint32_t times : {4, 16, 64})
            run(OTHERS, before, 64, times);
    for (size_t size : {1, 4, 16})
        run(OTHERS, 256, size, 512);
    for (size_t size : {256, 320})
        for (uint32_t times : {1, 2, 4, 8, 16})
            run(OTHERS, 0, size, times);
    for (size_t size : {4, 16, 64, 128})
        for (uint32_t times : {8, 16, 32, 64, 128, 256})
            run(OTHERS, 0, size, times);
    for (uint32_t times : {8, 16, 24, 32})
        for (unsigned again = 0; again < 3; again++)
            run(OTHERS, 0, 256, times);
    for (kind what : {AFTER, CLEAN, FRESH})
        for (size_t size : {4, 16, 64})
            for (uint32_t times : {16, 32, 64, 128})
                run(what, 128, size, times);
    return 0;
}
