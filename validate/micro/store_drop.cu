/* SPDX-License-Identifier: MIT
 *
 * store_drop.cu - what L1 keeps of lines that are stored to twice, one shortly after the other. A
 * warp has written an array of `words` words a lane, in local memory, or laid out alike in global
 * memory, where a word of all lanes is a line. Then, 32 times and a thousand clocks apart, each
 * lane stores to a word of its own, loads one, stores again and loads again, as far from a word
 * that `by` tells as the columns say; -1: that step is left out. `gap` clocks and some more are
 * between the steps; 0: nothing. To be run under ncu (metrics/store_drop.txt): a store that finds
 * its line gone counts no hit, nor does a load of what is gone of a line.
 *
 * - by: lane: each lane's word is the one after that of the lane before; hashed: without order.
 * - order: 0: store, load, again, reload; 1: store, again, load, reload.
 *
 * Output: CSV rows space,words,by,store,load,again,reload,order,gap.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define TURNS 32u
#define CTAS  132u

enum { LOCAL, GLOBAL };
enum { LANE, HASHED };

__device__ static void pause(uint32_t clocks)
{
    uint32_t begin = (uint32_t)clock();
    while ((uint32_t)clock() - begin < clocks)
        ;
}

template <int SPACE, int WORDS> struct array {
    uint32_t mine[SPACE == LOCAL ? WORDS : 1];
    uint32_t *global;
    __device__ __forceinline__ void put(uint32_t word, uint32_t value)
    {
        if (SPACE == LOCAL)
            mine[word] = value;
        else
            asm volatile("st.global.u32 [%0], %1;" ::"l"(global + word * 32u), "r"(value)
                         : "memory");
    }
    __device__ __forceinline__ uint32_t get(uint32_t word)
    {
        uint32_t value;
        if (SPACE == LOCAL)
            value = mine[word];
        else
            asm volatile("ld.global.ca.u32 %0, [%1];"
                         : "=r"(value)
                         : "l"(global + word * 32u)
                         : "memory");
        return value;
    }
};

template <int SPACE, int WORDS, int BY, int STORE, int LOAD, int AGAIN, int RELOAD, int ORDER,
          bool GAPPED>
__global__ void steps(uint32_t *data, uint32_t gap, uint32_t turns, uint32_t *sink, uint32_t q)
{
    const uint32_t lane = threadIdx.x % 32u;
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32u;
    uint32_t acc = warp;
    array<SPACE, WORDS> at;
    at.global = data + (size_t)warp * WORDS * 32u + lane;
    for (uint32_t j = 0; j < WORDS; j++)
        at.put(j, j * q + acc);
    pause(4000u);
    auto word = [](uint32_t from, int by) { return (from + (uint32_t)by) & (WORDS - 1u); };
    auto wait = [gap]() {
        if (GAPPED)
            pause(gap);
    };
#pragma unroll 1
    for (uint32_t i = 0; i < turns; i++) {
        const uint32_t from = BY == LANE ? i + lane : (i + lane * 5u) * 2654435761u >> 13;
        if (STORE >= 0)
            at.put(word(from, STORE), acc), wait();
        if (ORDER == 1 && AGAIN >= 0)
            at.put(word(from, AGAIN), acc + 1u), wait();
        if (LOAD >= 0)
            acc += at.get(word(from, LOAD)), wait();
        if (ORDER == 0 && AGAIN >= 0)
            at.put(word(from, AGAIN), acc), wait();
        if (RELOAD >= 0)
            acc += at.get(word(from, RELOAD)), wait();
        pause(1000u);
    }
    if (acc == 0x12345)
        *sink = acc;
}

static uint32_t *data, *sink;

template <int SPACE, int WORDS, int BY, int STORE, int LOAD, int AGAIN, int RELOAD, int ORDER = 0>
static void run(uint32_t gap)
{
    printf("%s,%d,%s,%d,%d,%d,%d,%d,%u\n", SPACE == LOCAL ? "local" : "global", WORDS,
           BY == LANE ? "lane" : "hashed", STORE, LOAD, AGAIN, RELOAD, ORDER, gap);
    (gap ? steps<SPACE, WORDS, BY, STORE, LOAD, AGAIN, RELOAD, ORDER, true>
         : steps<SPACE, WORDS, BY, STORE, LOAD, AGAIN, RELOAD, ORDER, false>)<<<CTAS, 32>>>(
        data, gap, TURNS, sink, 3);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

template <int SPACE, int WORDS, int BY> static void all_of()
{
    run<SPACE, WORDS, BY, 1, 0, -1, -1>(0);
    for (uint32_t gap : {0u, 10u, 20u, 40u, 80u, 160u, 320u, 1000u})
        run<SPACE, WORDS, BY, 1, 0, 4, 7>(gap);
    run<SPACE, WORDS, BY, 1, 0, 4, -1>(0);
    run<SPACE, WORDS, BY, 1, -1, 4, 7>(0);
    run<SPACE, WORDS, BY, 1, -1, 4, -1>(0);
    run<SPACE, WORDS, BY, 1, 0, -1, 7>(0);
    run<SPACE, WORDS, BY, -1, 0, 4, 7>(0);
    run<SPACE, WORDS, BY, 1, 0, 1, 0>(0);
    run<SPACE, WORDS, BY, 1, 0, 1, 7>(0);
    run<SPACE, WORDS, BY, 1, 1, 4, 4>(0);
    run<SPACE, WORDS, BY, 1, 4, 4, 1>(0);
    run<SPACE, WORDS, BY, 1, 0, 2, 0>(0);
    run<SPACE, WORDS, BY, 1, 0, 0, 7>(0);
    run<SPACE, WORDS, BY, 0, 0, 0, 0>(0);
    run<SPACE, WORDS, BY, 1, 0, 4, 7, 1>(0);
    run<SPACE, WORDS, BY, 1, 0, 4, 7, 1>(100);
}

int main()
{
    MICRO_CUDA(cudaMalloc(&data, 64u << 20));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    printf("space,words,by,store,load,again,reload,order,gap\n");
    all_of<LOCAL, 64, HASHED>();
    all_of<LOCAL, 64, LANE>();
    all_of<LOCAL, 8, HASHED>();
    all_of<GLOBAL, 64, HASHED>();
    return 0;
}
