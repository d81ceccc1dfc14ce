/* SPDX-License-Identifier: MIT
 *
 * local_lanes.cu - what L1 finds of lines whose words a warp's lanes write apart from one another:
 * arrays of `words` words a lane with an index of each lane's own, in local memory, or laid out
 * alike in global memory. Every warp writes its array (`fill` 1: all lanes the same word, which the
 * compiler joins to stores of 16 bytes; 0: not at all), waits, and then, `turns` times, writes a
 * word of each lane, waits `gap` clocks and reads a word of each, then waits `gap` again, and works
 * on a chain of `chain` additions. To be run under ncu (metrics/local_lanes.txt).
 *
 * - by: how lanes choose their words. same: all the same; lane: each the next lane's next; hashed:
 *   without order; pair: of each two lanes the same; far: all the same, and what is written is
 *   `words` / 2 away from what is read.
 * - kind: what of the two is done. read; write (what was written is read at the end, word by word);
 *   both.
 *
 * Output: CSV rows space,words,by,kind,fill,gap,chain,warps,ctas,turns.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define TURNS 32u
#define CTAS  132u

enum { LOCAL, GLOBAL };
enum { SAME, LANE, HASHED, PAIR, FAR };
enum { READ, WRITE, BOTH };

__device__ static void pause(uint32_t clocks)
{
    uint32_t begin = (uint32_t)clock();
    while (clocks && (uint32_t)clock() - begin < clocks)
        ;
}

__device__ static uint32_t work(uint32_t chain, uint32_t sum)
{
    float v = (float)(sum & 0xffu);
#pragma unroll 16
    for (uint32_t i = 0; i < chain; i++)
        v = fmaf(v, 1.0001f, 0.5f);
    return (uint32_t)v;
}

__device__ __forceinline__ uint32_t chosen(uint32_t by, uint32_t turn, uint32_t lane,
                                           uint32_t words)
{
    uint32_t which = by == SAME     ? turn
                     : by == LANE   ? turn + lane
                     : by == HASHED ? (turn + lane * 5u) * 2654435761u >> 13
                     : by == PAIR   ? turn + lane / 2u
                                    : turn;
    return which % words;
}

/* Words of local memory by a volatile array; of global memory by the same layout. */
template <int SPACE, int WORDS> struct array {
    __align__(16) volatile uint32_t mine[SPACE == LOCAL ? WORDS : 4];
    uint32_t *global;
    __device__ void put(uint32_t word, uint32_t value)
    {
        if (SPACE == LOCAL)
            mine[word] = value;
        else
            asm volatile("st.global.u32 [%0], %1;" ::"l"(global + word * 32u), "r"(value)
                         : "memory");
    }
    __device__ uint32_t get(uint32_t word)
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

template <int SPACE, int WORDS>
__global__ void lanes(uint32_t *data, uint32_t by, uint32_t kind, uint32_t fill, uint32_t gap,
                      uint32_t chain, uint32_t turns, uint32_t *sink)
{
    const uint32_t lane = threadIdx.x % 32u;
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32u;
    uint32_t sum = 0;
    array<SPACE, WORDS> at;
    at.global = data + (size_t)warp * WORDS * 32u + lane;
    for (uint32_t j = 0; fill && j < WORDS; j++)
        at.put(j, j + lane);
    pause(4000u);
#pragma unroll 1
    for (uint32_t i = 0; i < turns; i++) {
        if (kind != READ)
            at.put(chosen(by, i + (by == FAR ? WORDS / 2u : 0), lane, WORDS), sum);
        pause(gap);
        if (kind != WRITE)
            sum += at.get(chosen(by, i + (kind == BOTH && by != FAR), lane, WORDS));
        pause(gap);
        sum += work(chain, sum);
    }
    pause(4000u);
    for (uint32_t j = 0; kind == WRITE && j < WORDS; j++)
        sum += at.get(j);
    if (sum == 0x12345)
        *sink = sum;
}

static uint32_t *data, *sink;
static const char *const by_name[] = {"same", "lane", "hashed", "pair", "far"};
static const char *const kind_name[] = {"read", "write", "both"};

template <int SPACE, int WORDS>
static void run(uint32_t by, uint32_t kind, uint32_t fill, uint32_t gap, uint32_t warps,
                uint32_t chain = 0)
{
    printf("%s,%d,%s,%s,%u,%u,%u,%u,%u,%u\n", SPACE == LOCAL ? "local" : "global", WORDS,
           by_name[by], kind_name[kind], fill, gap, chain, warps, CTAS, TURNS);
    lanes<SPACE, WORDS><<<CTAS, warps * 32u>>>(data, by, kind, fill, gap, chain, TURNS, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

template <int SPACE, int WORDS> static void all_of(void)
{
    for (uint32_t by : {SAME, LANE, HASHED, PAIR, FAR})
        for (uint32_t gap : {0u, 50u, 200u, 1000u})
            run<SPACE, WORDS>(by, BOTH, 1, gap, 1);
    for (uint32_t by : {SAME, LANE, HASHED}) {
        run<SPACE, WORDS>(by, READ, 1, 0, 1);
        run<SPACE, WORDS>(by, WRITE, 1, 0, 1);
        run<SPACE, WORDS>(by, WRITE, 1, 1000, 1);
        run<SPACE, WORDS>(by, BOTH, 0, 1000, 1);
    }
}

int main()
{
    MICRO_CUDA(cudaMalloc(&data, 64u << 20));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    printf("space,words,by,kind,fill,gap,chain,warps,ctas,turns\n");
    all_of<LOCAL, 8>();
    all_of<LOCAL, 64>();
    all_of<GLOBAL, 64>();
    for (uint32_t by : {SAME, LANE, HASHED})
        for (uint32_t warps : {1u, 8u}) {
            run<LOCAL, 64>(by, BOTH, 1, 0, warps, 512);
            run<LOCAL, 64>(by, READ, 1, 0, warps, 512);
        }
    for (uint32_t warps : {2u, 8u, 16u})
        for (uint32_t by : {SAME, LANE, HASHED}) {
            run<LOCAL, 16>(by, BOTH, 1, 0, warps);
            run<LOCAL, 16>(by, BOTH, 1, 1000, warps);
            run<LOCAL, 16>(by, READ, 1, 0, warps);
        }
    return 0;
}
