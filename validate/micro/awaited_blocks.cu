/* SPDX-License-Identifier: MIT
 *
 * awaited_blocks.cu - what waits while a store waits for the load of its line.
 *
 * One CTA. A warp loads `lines` lines that only DRAM has, and stores to as many some ten clocks later.
 * Another warp, of another sub-partition, does one thing `late` clocks after the first one began. Sixteen rounds, each with
 * lines of its own.
 *
 * - stores: `none`; `same`: to the words loaded, before they are there; `other`: to other lines, which
 *   nobody loads; `after`: to the words loaded, once all are there.
 * - what: of the other warp: a load that hits `l1`, or `l2`, a load of `dram`, of `shared` memory, an
 *   `atomic` that L2 has the word of; `same`: it stores to its own load's word, in L2, and the load counts.
 *
 * Settles: whether such a store holds up its own warp's loads, other warps' requests, which, and how long.
 *
 * Output: CSV stores,what,lines,late,first,other - clocks from the first warp's first load to the last of
 * its values, and from the other's request to its value; means.
 */
#include "validate/micro/check.h"
#include "validate/micro/flush.h"
#include "validate/micro/words.h"

#include <cstdint>
#include <cstdio>

enum stores { NONE, SAME, OTHER, AFTER };
static const char *const stores_name[] = {"none", "same", "other", "after"};
enum what { L1, L2, DRAM, SHARED, ATOMIC, SAME2 };
static const char *const what_name[] = {"l1", "l2", "dram", "shared", "atomic", "same"};

#define ROUNDS 16u
#define MOST 16u /* lines a round */

struct lines_of {
    char *cold, *other, *warm; /* ROUNDS x MOST lines each; `warm` are in L2 */
    uint32_t *out;
    uint32_t *clocks; /* [ROUNDS][2] */
};

template <stores how, what other, uint32_t lines>
__global__ void play(lines_of m, uint32_t late)
{
    __shared__ uint32_t table[32];
    __shared__ volatile uint32_t begin;
    const uint32_t lane = threadIdx.x % 32u;
    const bool first = threadIdx.x < 32u;
    table[lane] = lane;
    uint32_t sum = load(m.cold + (ROUNDS + 1u) * MOST * 128u + lane * 4u) + load(m.other + (ROUNDS + 1u) * MOST * 128u) +
                   load(m.warm + (ROUNDS + 1u) * MOST * 128u + lane * 4u); /* translations, and L1's line */
    for (uint32_t round = 0; round < ROUNDS; round++) {
        char *cold = m.cold + round * MOST * 128u + lane * 4u, *away = m.other + round * MOST * 128u + lane * 4u;
        sum = __reduce_add_sync(~0u, sum);
        __syncthreads();
        if (threadIdx.x == 0)
            begin = (uint32_t)clock64();
        __syncthreads();
        const uint32_t start = begin;
        uint32_t from, to;
        if (first) {
            uint32_t got[lines];
            while ((uint32_t)clock64() - start < 100u)
                ;
            from = (uint32_t)clock64();
#pragma unroll
            for (uint32_t i = 0; i < lines; i++)
                got[i] = load(cold + i * 128u);
            uint32_t value = sum;
            if (how == AFTER)
#pragma unroll
                for (uint32_t i = 0; i < lines; i++)
                    value |= got[i];
            if (how != NONE)
#pragma unroll
                for (uint32_t i = 0; i < lines; i++)
                    store((how == OTHER ? away : cold) + i * 128u, value);
            while ((uint32_t)clock64() - from < 50u) /* what was loaded is not asked for before */
                ;
#pragma unroll
            for (uint32_t i = 0; i < lines; i++)
                sum += got[i];
            sum = __reduce_add_sync(~0u, sum);
            asm volatile("" ::"r"(sum) : "memory");
            to = (uint32_t)clock64() + (sum == 77u);
        } else {
            const char *at = other == L1 ? m.warm + (ROUNDS + 1u) * MOST * 128u + lane * 4u
                             : other == DRAM ? m.cold + (round * MOST + MOST - 1u) * 128u + lane * 4u
                                             : m.warm + round * 128u + lane * 4u;
            while ((uint32_t)clock64() - start < 100u + late)
                ;
            from = (uint32_t)clock64();
            uint32_t got;
            if (other == SHARED)
                got = ((volatile uint32_t *)table)[lane];
            else if (other == ATOMIC)
                got = atomicAdd((uint32_t *)at, lane == 0);
            else
                got = load(at);
            if (other == SAME2) {
                store((char *)at, lane);
                while ((uint32_t)clock64() - from < 50u)
                    ;
            }
            sum = __reduce_add_sync(~0u, sum + got);
            asm volatile("" ::"r"(sum) : "memory");
            to = (uint32_t)clock64() + (sum == 77u);
        }
        if (lane == 0)
            m.clocks[round * 2u + !first] = to - from;
        sum = 0;
        __syncthreads();
        const uint32_t pause = (uint32_t)clock64();
        while ((uint32_t)clock64() - pause < 4000u)
            ;
    }
    m.out[threadIdx.x] = sum;
}

static lines_of m;
static char *fill;
static uint32_t *sink;
#define FILL ((size_t)256 << 20)

template <stores how, what other, uint32_t lines>
static int row(uint32_t late)
{
    uint32_t host[ROUNDS][2], clocks[2] = {0, 0};
    flush<<<528, 512>>>((const uint4 *)fill, FILL / 16u, sink);
    touch<<<132, 512>>>((const uint4 *)m.warm, (ROUNDS + 2u) * MOST * 8u, sink);
    play<how, other, lines><<<1, 64>>>(m, late);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(host, m.clocks, sizeof host, cudaMemcpyDeviceToHost));
    for (uint32_t i = 1; i < ROUNDS; i++) /* the first one's code was not there */
        clocks[0] += host[i][0], clocks[1] += host[i][1];
    printf("%s,%s,%u,%u,%u,%u\n", stores_name[how], what_name[other], lines, late, clocks[0] / (ROUNDS - 1u), clocks[1] / (ROUNDS - 1u));
    return 0;
}

template <stores how, what other>
static int rows(void)
{
    for (uint32_t late : {30u, 100u, 200u, 400u})
        if (row<how, other, 1>(late) || row<how, other, 2>(late) || row<how, other, 4>(late) || row<how, other, 8>(late))
            return 1;
    return 0;
}

template <stores how>
static int all(void)
{
    return rows<how, L1>() || rows<how, L2>() || rows<how, DRAM>() || rows<how, SHARED>() || rows<how, ATOMIC>() || rows<how, SAME2>();
}

int main(void)
{
    char *memory;
    const size_t part = (ROUNDS + 2u) * MOST * 128u;
    MICRO_CUDA(cudaMalloc(&memory, 2u << 20));
    m.cold = memory, m.other = memory + part, m.warm = memory + 2 * part;
    MICRO_CUDA(cudaMalloc(&m.out, 4096));
    MICRO_CUDA(cudaMalloc(&m.clocks, 4096));
    MICRO_CUDA(cudaMalloc(&fill, FILL));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMemset(memory, 0, 2u << 20));
    MICRO_CUDA(cudaMemset(fill, 0, FILL));
    printf("stores,what,lines,late,first,other\n");
    return all<NONE>() || all<SAME>() || all<OTHER>() || all<AFTER>();
}
