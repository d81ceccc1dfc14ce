/* SPDX-License-Identifier: MIT
 *
 * store_merge.cu - which stores of an SM become one packet on their way to L2. One launch a row, to
 * be run under ncu (metrics/store_merge.txt). A store instruction touches `sectors` sectors of each
 * of `lines` lines, a word in each; the next store to the same place writes the next word of each.
 *
 * - gap: two stores to one place by one warp, `links` dependent multiplications apart (4 clocks
 *   each); alone, or beside a warp of another sub-partition that loads all the time from shared
 *   memory (lds) or what hits L1 (ldg).
 * - between: two stores to one place, and between them the instruction named.
 * - singles: two stores to one place, and between them `links` stores of one line each.
 * - sequence: stores to the places named, a digit each, by one warp.
 * - barrier: all warps of `warps` (a mask) store four times to places of their own after a barrier.
 * - stream: the same without a barrier, on every SM.
 * - form, as programs do: structures of three floats; four words a lane, `links` times (quads, odd:
 *   not on sectors' borders); a local array of bytes; tiles of 4x4 floats a thread (grid x grid); a
 *   word a warp; rows that begin one word past a sector.
 *
 * Output: CSV rows experiment,what,lines,sectors,links,warps,ctas.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define REPEATS 32
#define PLACE   16384u /* bytes from one repeat's places to the next's */

static uint32_t *array, *other, *sink;

__device__ static void store_word(const uint32_t *p, uint32_t value)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

/* The compiler must not know. */
template <typename T> __device__ static T hidden(T value)
{
    if constexpr (sizeof(T) == 8)
        asm volatile("" : "+l"(value));
    else
        asm volatile("" : "+r"(value));
    return value;
}

__device__ static void pause(uint32_t clocks)
{
    uint32_t begin = (uint32_t)clock();
    while ((uint32_t)clock() - begin < clocks)
        ;
}

/* Where a lane writes: the first sectors of lines side by side. */
__device__ static uint32_t *place_of(uint32_t *p, uint32_t sectors)
{
    uint32_t lane = threadIdx.x % 32u;
    return p + lane / sectors * 32u + lane % sectors * 8u;
}

template <int LINKS>
__device__ static void store_twice(uint32_t *p, uint32_t lines, uint32_t sectors, uint32_t zero)
{
    uint32_t *at = place_of(p, sectors);
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++, at += PLACE / 4u) {
        pause(2000);
        if (threadIdx.x < lines * sectors) {
            uint32_t step = hidden(zero);
            store_word(at, step);
#pragma unroll
            for (int k = 0; k < LINKS; k++)
                asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(step) : "r"(zero));
            store_word(at + 1 + step, step);
        }
    }
}

template <int LINKS>
__global__ void gap(uint32_t *p, uint32_t lines, uint32_t sectors, uint32_t zero)
{
    store_twice<LINKS>(p, lines, sectors, zero);
}

/* The same beside a warp of another sub-partition that keeps the load-store unit busy. */
template <int LINKS, bool GLOBAL>
__global__ void gap_beside(uint32_t *p, uint32_t lines, uint32_t sectors, uint32_t zero,
                           const uint32_t *q, uint32_t *sink)
{
    __shared__ uint32_t shared[1024];
    for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x)
        shared[i] = zero;
    uint32_t near = (uint32_t)__cvta_generic_to_shared(&shared[threadIdx.x]), sum = 0, got;
    __syncthreads();
    if (threadIdx.x >= 32) {
#pragma unroll 1
        for (int i = 0; i < 2500; i++)
#pragma unroll
            for (int k = 0; k < 8; k++) {
                if (GLOBAL)
                    asm volatile("ld.volatile.global.u32 %0, [%1];"
                                 : "=r"(got)
                                 : "l"(q + threadIdx.x)
                                 : "memory");
                else
                    asm volatile("ld.volatile.shared.u32 %0, [%1];"
                                 : "=r"(got)
                                 : "r"(near)
                                 : "memory");
                sum += got;
            }
        if (sum == 0x12345)
            *sink = sum;
        return;
    }
    store_twice<LINKS>(p, lines, sectors, zero);
}

enum {
    NOTHING,
    SHARED,
    SAME_SECTOR,
    NEXT_SECTOR,
    LOAD_LINE,
    LOAD_HIT,
    RED_OTHER,
    RED_LINE,
    ATOM_OTHER,
    BARRIER,
    FENCE_CTA,
    FENCE_GPU
};

template <int WHAT>
__global__ void between(uint32_t *p, uint32_t lines, uint32_t sectors, uint32_t *q, uint32_t *sink)
{
    __shared__ uint32_t shared[32];
    uint32_t *at = place_of(p, sectors), lane = threadIdx.x, sum = q[lane], got;
    uint32_t near = (uint32_t)__cvta_generic_to_shared(&shared[lane]);
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++, at += PLACE / 4u) {
        uint32_t *from = hidden(q + 1024 * (r + 1) + lane), *same = hidden(at + 2),
                 *hit = hidden(q + lane);
        uint32_t *second = hidden(at + 1);
        pause(2000);
        if (lane < lines * sectors) {
            store_word(at, lane);
            if constexpr (WHAT == SHARED)
                asm volatile("st.shared.u32 [%0], %1;" ::"r"(near), "r"(lane) : "memory");
            if constexpr (WHAT == SAME_SECTOR)
                store_word(same, lane);
            if constexpr (WHAT == NEXT_SECTOR)
                store_word(hidden(same + 6), lane);
            if constexpr (WHAT == LOAD_LINE || WHAT == LOAD_HIT) {
                asm volatile("ld.global.u32 %0, [%1];"
                             : "=r"(got)
                             : "l"(WHAT == LOAD_HIT ? hit : from)
                             : "memory");
                sum += got;
            }
            if constexpr (WHAT == RED_OTHER || WHAT == RED_LINE)
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(WHAT == RED_LINE ? same : from),
                             "r"(lane)
                             : "memory");
            if constexpr (WHAT == ATOM_OTHER) {
                asm volatile("atom.global.add.u32 %0, [%1], %2;"
                             : "=r"(got)
                             : "l"(from), "r"(lane)
                             : "memory");
                sum += got;
            }
            if constexpr (WHAT == BARRIER)
                asm volatile("bar.sync 0;" ::: "memory");
            if constexpr (WHAT == FENCE_CTA)
                asm volatile("membar.cta;" ::: "memory");
            if constexpr (WHAT == FENCE_GPU)
                asm volatile("membar.gl;" ::: "memory");
            store_word(second, lane);
        }
    }
    if (sum == 0x12345)
        *sink = sum;
}

template <int COUNT>
__global__ void singles(uint32_t *p, uint32_t lines, uint32_t sectors, uint32_t *q)
{
    uint32_t *at = place_of(p, sectors), lane = threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++, at += PLACE / 4u) {
        uint32_t *single = hidden(q + 1024 * r + lane % 8u), *second = hidden(at + 1);
        pause(2000);
        if (lane < lines * sectors) {
            store_word(at, lane);
#pragma unroll
            for (int k = 0; k < COUNT; k++)
                store_word(single + 32 * k, lane);
            store_word(second, lane);
        }
    }
}

/* Every warp of the mask stores to places of its own. */
template <int... PLACES>
__global__ void sequence(uint32_t *p, uint32_t lines, uint32_t sectors, uint32_t warps, bool meet)
{
    constexpr int place[] = {PLACES...};
    uint32_t lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
    uint32_t *at =
        place_of(p, sectors) + ((size_t)blockIdx.x * 32u + warp) * (REPEATS * PLACE / 4u);
    bool in = lane < lines * sectors && warps >> warp & 1u;
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++, at += PLACE / 4u) {
        uint32_t *to[4];
        for (int k = 0; k < 4; k++)
            to[k] = hidden(at + k * (PLACE / 16u));
        if (meet) {
            pause(4000);
            __syncthreads();
        }
        if (in) {
#pragma unroll
            for (int k = 0; k < (int)sizeof...(PLACES); k++)
                store_word(to[place[k]] + k, lane);
        }
    }
}

struct triple {
    float x, y, z;
};

__global__ void triples(const triple *from, triple *to, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        triple t = from[i];
        t.x += 1;
        t.y *= 2;
        t.z -= 3;
        to[i] = t;
    }
}

__global__ void tile(float *to, int width, float value)
{
    int x = threadIdx.x % 16 * 4 + blockIdx.x * 64, y = threadIdx.x / 16 * 4 + blockIdx.y * 64;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            asm volatile("st.global.f32 [%0], %1;" ::"l"(to + (size_t)(y + i) * width + x + j),
                         "f"(value)
                         : "memory");
}

__global__ void word_a_warp(const float *from, float *to, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane; i < width; i += 32)
        sum += from[(size_t)row * width + i];
    for (int n = 16; n; n /= 2)
        sum += __shfl_down_sync(~0u, sum, n);
    if (lane == 0)
        to[row] = sum;
}

__global__ void past_a_sector(float *to, float value)
{
    to[blockIdx.x * (size_t)blockDim.x + threadIdx.x + 1] = value;
}

/* Four words a lane, a store each, 16 bytes from lane to lane; each warp `turns` times. */
__global__ void quads(float *to, uint32_t first, uint32_t turns, float value)
{
    float *at = to + first + (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * 4;
    for (uint32_t i = 0; i < turns; i++, at += (size_t)gridDim.x * blockDim.x * 4)
#pragma unroll
        for (int k = 0; k < 4; k++)
            asm volatile("st.global.f32 [%0], %1;" ::"l"(at + k), "f"(value) : "memory");
}

__global__ void local_bytes(uint32_t *to, uint32_t n)
{
    volatile unsigned char array[64];
#pragma unroll
    for (uint32_t i = 0; i < 64; i++)
        array[i] = (unsigned char)(i + n);
    if (n)
        to[blockIdx.x * blockDim.x + threadIdx.x] = array[n % 64];
}

static void row(const char *experiment, const char *what, uint32_t lines, uint32_t sectors,
                uint32_t links, uint32_t warps, uint32_t ctas)
{
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%s,%u,%u,%u,%#x,%u\n", experiment, what, lines, sectors, links, warps, ctas);
}

template <int LINKS> static void run_gap(uint32_t lines, uint32_t sectors)
{
    gap<LINKS><<<1, 32>>>(array, lines, sectors, 0);
    row("gap", "", lines, sectors, LINKS, 1, 1);
}

template <int LINKS> static void run_gap_beside(uint32_t lines, uint32_t sectors)
{
    gap_beside<LINKS, false><<<1, 64>>>(array, lines, sectors, 0, other, sink);
    row("gap", "lds", lines, sectors, LINKS, 1, 1);
    gap_beside<LINKS, true><<<1, 64>>>(array, lines, sectors, 0, other, sink);
    row("gap", "ldg", lines, sectors, LINKS, 1, 1);
}

static void run_gaps(uint32_t lines, uint32_t sectors)
{
    run_gap<0>(lines, sectors), run_gap<2>(lines, sectors), run_gap<3>(lines, sectors),
        run_gap<4>(lines, sectors);
    run_gap<5>(lines, sectors), run_gap<6>(lines, sectors), run_gap<7>(lines, sectors),
        run_gap<8>(lines, sectors);
    run_gap<10>(lines, sectors), run_gap<14>(lines, sectors);
}

template <int COUNT> static void run_singles(uint32_t lines, uint32_t sectors)
{
    singles<COUNT><<<1, 32>>>(array, lines, sectors, other);
    row("singles", "", lines, sectors, COUNT, 1, 1);
}

template <int WHAT> static void run_between(const char *what, uint32_t lines, uint32_t sectors)
{
    between<WHAT><<<1, 32>>>(array, lines, sectors, other, sink);
    row("between", what, lines, sectors, 0, 1, 1);
}

template <int... PLACES>
static void run_sequence(const char *what, uint32_t lines, uint32_t sectors)
{
    sequence<PLACES...><<<1, 32>>>(array, lines, sectors, 1, true);
    row("sequence", what, lines, sectors, 0, 1, 1);
}

static void run_load(uint32_t warps, uint32_t lines, uint32_t sectors)
{
    sequence<0, 0, 0, 0><<<1, 1024>>>(array, lines, sectors, warps, true);
    row("barrier", "", lines, sectors, 0, warps, 1);
}

static void run_stream(uint32_t warps, uint32_t lines, uint32_t sectors)
{
    sequence<0, 0, 0, 0><<<132, 1024>>>(array, lines, sectors, warps, false);
    row("stream", "", lines, sectors, 0, warps, 132);
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&array, (size_t)132 * 32 * REPEATS * PLACE));
    MICRO_CUDA(cudaMalloc(&other, 64u << 20));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMemset(other, 0, 64u << 20));
    printf("experiment,what,lines,sectors,links,warps,ctas\n");
    run_gaps(1, 1), run_gaps(3, 4), run_gaps(8, 1), run_gaps(8, 4), run_gaps(16, 1),
        run_gaps(24, 1);
    run_gap<0>(25, 1), run_gap<0>(26, 1), run_gap<0>(28, 1), run_gap<0>(30, 1), run_gap<0>(32, 1);
    for (uint32_t lines : {1u, 3u, 8u, 16u}) {
        uint32_t sectors = lines == 3 ? 4 : 1;
        run_between<SHARED>("shared", lines, sectors);
        run_between<SAME_SECTOR>("same_sector", lines, sectors),
            run_between<NEXT_SECTOR>("next_sector", lines, sectors);
        run_between<LOAD_LINE>("load", lines, sectors),
            run_between<LOAD_HIT>("load_hit", lines, sectors);
        run_between<RED_OTHER>("red", lines, sectors),
            run_between<RED_LINE>("red_line", lines, sectors);
        run_between<ATOM_OTHER>("atom", lines, sectors),
            run_between<BARRIER>("barrier", lines, sectors);
        run_between<FENCE_CTA>("fence_cta", lines, sectors),
            run_between<FENCE_GPU>("fence_gpu", lines, sectors);
        run_singles<1>(lines, sectors), run_singles<2>(lines, sectors),
            run_singles<3>(lines, sectors);
        run_singles<4>(lines, sectors), run_singles<6>(lines, sectors);
    }
    for (uint32_t lines : {1u, 2u, 3u, 4u, 5u, 6u, 8u})
        for (uint32_t sectors : {1u, 4u}) {
            if (lines * sectors > 32)
                continue;
            run_sequence<0, 0, 1, 1>("0011", lines, sectors),
                run_sequence<0, 1, 0>("010", lines, sectors);
            run_sequence<0, 1, 0, 1>("0101", lines, sectors),
                run_sequence<0, 1, 2, 0>("0120", lines, sectors);
            run_sequence<0, 1, 2, 0, 1, 2>("012012", lines, sectors);
        }
    for (uint32_t lines : {6u, 7u, 8u, 12u, 16u})
        run_sequence<0, 1, 2, 3, 0, 1, 2, 3>("01230123", lines, 1);
    for (uint32_t lines : {12u, 14u, 16u})
        run_sequence<0, 1, 0, 1>("0101", lines, 1),
            run_sequence<0, 1, 2, 0, 1, 2>("012012", lines, 1);
    for (uint32_t lines : {1u, 4u, 8u, 16u}) {
        const uint32_t sectors = lines == 4 ? 4 : 1;
        run_gap_beside<0>(lines, sectors), run_gap_beside<2>(lines, sectors),
            run_gap_beside<4>(lines, sectors);
        run_gap_beside<8>(lines, sectors), run_gap_beside<14>(lines, sectors);
    }
    /* Warps n and n + 4 are of one sub-partition. */
    for (uint32_t lines : {1u, 3u, 4u, 8u})
        for (uint32_t warps : {0x1u, 0x3u, 0xfu, 0x11u, 0x1111u, 0xffu, 0xffffu, 0xffffffffu})
            run_load(warps, lines, lines == 8 ? 1 : 4);
    for (uint32_t lines : {1u, 3u, 4u, 8u})
        for (uint32_t warps : {0xfu, 0x11u, 0xffu, 0xffffu, 0xffffffffu})
            run_stream(warps, lines, lines == 8 ? 1 : 4);
    for (uint32_t ctas : {132u, 1056u})
        triples<<<ctas, 256>>>((const triple *)other, (triple *)array, ctas * 256),
            row("form", "triples", 3, 4, 0, 8, ctas);
    for (uint32_t ctas : {66u, 132u, 264u, 528u, 1056u})
        for (uint32_t first : {0u, 1u})
            quads<<<ctas, 256>>>((float *)array, first, 8, 1.0f),
                row("form", first ? "quads_odd" : "quads", 4, 4, 8, 8, ctas);
    for (uint32_t ctas : {1u, 132u, 1056u})
        local_bytes<<<ctas, 256>>>(array, 0), row("form", "local_bytes", 1, 4, 0, 8, ctas);
    for (uint32_t n : {8u, 16u, 32u})
        tile<<<dim3(n, n), 256>>>((float *)array, n * 64, 1.0f), row("form", "tile", 4, 4, 0, 8, n);
    for (uint32_t width : {32u, 256u})
        word_a_warp<<<1024, 256>>>((const float *)other, (float *)array, width),
            row("form", "word", 1, 1, width, 8, 1024);
    past_a_sector<<<2048, 256>>>((float *)array, 1.0f), row("form", "past", 1, 4, 0, 8, 2048);
    return 0;
}
