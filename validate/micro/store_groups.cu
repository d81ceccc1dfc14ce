/* SPDX-License-Identifier: MIT
 *
 * store_groups.cu - stores of a word each to the same lines, one right behind the other, by warps
 * that do something else in between. To be run under ncu (metrics/store_groups.txt), one launch a
 * row. Settles: how long a store's lines can be joined, to a few clocks, alone and beside another
 * warp's stores; that loads between groups of stores, of L1, L2 or DRAM, let more of them join, and
 * .cs does not matter; what a store that joins costs. store_merge.cu has what else ends it. Leaves
 * out: several CTAs an SM.
 *
 * - 0g0, 01g0, 0g10, 012g0, 0123g0: one warp stores to places 0 to 3, `lines` lines each, a word of
 *   one sector of each, and again to place 0; g: `links` dependent multiplications (4 clocks each).
 * - beside: 0g0, while warp `warp` stores to `others` lines, `count` times, `steps` multiplications
 *   apart.
 * - groups: each of `warp` warps of a CTA `count` times: a load of 16 bytes a lane of what `source`
 *   says (alu: `steps` x 8 dependent FFMA), then `links` words a lane, a store each, to 4 lines.
 *
 * Output: CSV rows experiment,lines,links,warp,others,steps,count,source.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define REPEATS 32
#define PLACE   16384u /* bytes from one repeat's places to the next's */

static uint32_t *array, *other, *sink;

__device__ static void st(uint32_t *p, uint32_t v)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ static void st_cs(uint32_t *p, uint32_t v)
{
    asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
template <typename T> __device__ static T hidden(T value)
{
    asm volatile("" : "+l"(value));
    return value;
}
__device__ static uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
__device__ static void pause(uint32_t clocks)
{
    uint32_t begin = now();
    while (now() - begin < clocks)
        ;
}
/* A chain of so many links from a value on. */
template <int LINKS> __device__ static uint32_t chain(uint32_t v, uint32_t zero)
{
#pragma unroll
    for (int k = 0; k < LINKS; k++)
        asm volatile("mad.lo.u32 %0, %0, %1, %0;" : "+r"(v) : "r"(zero));
    return v;
}
__device__ static uint32_t *place_of(uint32_t *p, uint32_t sectors)
{
    uint32_t lane = threadIdx.x % 32u;
    return p + lane / sectors * 32u + lane % sectors * 8u;
}

/* MODE 0: 0 g 0; 1: 0 1 g 0; 2: 0 g 1 0; 3: 0 1 2 g 0; 4: 0 1 2 3 g 0. Another warp `who`: stores
 * of `n1` lines all the time, LINKS1 links apart. */
template <int MODE, int LINKS, int LINKS1>
__global__ void twice(uint32_t *p, uint32_t lines, uint32_t sectors, uint32_t zero, uint32_t who,
                      uint32_t n1, uint32_t count1, uint32_t *q)
{
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp) {
        if (warp != who || lane >= n1)
            return;
        uint32_t v = zero;
#pragma unroll 1
        for (uint32_t i = 0; i < count1; i++) {
            st(q + lane * 32 + (i * 512u & 0xfffffu), v);
            v = chain<LINKS1>(v, zero);
        }
        return;
    }
    uint32_t *at = place_of(p, sectors);
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++, at += PLACE / 4u) {
        uint32_t *a0 = hidden(at), *a1 = hidden(at + 1024), *a2 = hidden(at + 2048),
                 *a3 = hidden(at + 3072);
        pause(2000);
        uint32_t v = chain<3>(r, zero);
        if (lane < lines * sectors) {
            st(a0, v);
            if (MODE == 1 || MODE >= 3)
                st(a1, v);
            if (MODE >= 3)
                st(a2, v);
            if (MODE == 4)
                st(a3, v);
            v = chain<LINKS>(v, zero);
            if (MODE == 2)
                st(a1, v);
            st(a0 + 1, v);
        }
    }
}

enum source { NONE, ALU, HIT, L2, DRAM, DRAM_CS };
static const char *const source_name[] = {"none", "alu", "hit", "l2", "dram", "dram_cs"};

/* `turns` times: what is loaded, or a pause, then four words a lane, a store each. */
template <int SOURCE, bool CS>
__global__ void __launch_bounds__(1024)
    groups(uint32_t *to, const uint4 *from, uint32_t turns, uint32_t links, uint32_t *sink)
{
    constexpr uint32_t words = 4;
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    uint32_t *at = to + thread * words;
    const uint4 *get = from + thread;
    uint4 v = {0, 0, 0, 0};
    uint32_t sum = 0;
    if (SOURCE == HIT) {
        asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(get)
                     : "memory");
        sum += v.x;
    }
    __syncthreads();
#pragma unroll 1
    for (uint32_t i = 0; i < turns; i++, at += threads * words) {
        if (SOURCE == ALU) {
            float x = 1.0f;
#pragma unroll 1
            for (uint32_t k = 0; k < links; k++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x));
            v.x = __float_as_uint(x);
        }
        if (SOURCE == HIT || SOURCE == DRAM)
            asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                         : "l"(get)
                         : "memory");
        if (SOURCE == DRAM_CS)
            asm volatile("ld.global.cs.v4.u32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                         : "l"(get)
                         : "memory");
        if (SOURCE == L2)
            asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                         : "l"(get)
                         : "memory");
        if (SOURCE == DRAM || SOURCE == DRAM_CS)
            get += threads;
        uint32_t d = v.x + v.y + v.z + v.w;
#pragma unroll
        for (int k = 0; k < (int)words; k++)
            if (CS)
                st_cs(at + k, d + k);
            else
                st(at + k, d + k);
    }
    if (sum == 0x12345)
        *sink = sum;
}

static void done(void)
{
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

template <int MODE, int LINKS> static void run_twice(uint32_t lines)
{
    twice<MODE, LINKS, 0><<<1, 32>>>(array, lines, 1, 0, 0, 0, 0, other);
    done();
    static const char *const name[] = {"0g0", "01g0", "0g10", "012g0", "0123g0"};
    printf("%s,%u,%d,,,,,\n", name[MODE], lines, LINKS);
}

template <int LINKS, int LINKS1> static void run_beside(uint32_t lines, uint32_t who, uint32_t n1)
{
    uint32_t count = LINKS1 <= 0 ? 4000 : LINKS1 <= 8 ? 1200 : 500;
    twice<0, LINKS, LINKS1><<<1, 160>>>(array, lines, 1, 0, who, n1, count, other);
    done();
    printf("beside,%u,%d,%u,%u,%d,%u,\n", lines, LINKS, who, n1, LINKS1, count);
}

template <int SOURCE, bool CS> static void run_source(uint32_t links, uint32_t most)
{
    const uint32_t turns = 32;
    for (uint32_t warps : {1u, 4u, 8u, 16u, 32u}) {
        if (warps > most)
            break;
        groups<SOURCE, CS><<<1, warps * 32>>>(array, (const uint4 *)other, turns, links, sink);
        done();
        printf("groups,4,4,%u,,%u,%u,%s%s\n", warps, links, turns, source_name[SOURCE],
               CS ? "+cs" : "");
    }
}

template <int MODE> static void run_modes(uint32_t lines)
{
    run_twice<MODE, 0>(lines), run_twice<MODE, 1>(lines), run_twice<MODE, 2>(lines);
    run_twice<MODE, 3>(lines), run_twice<MODE, 4>(lines), run_twice<MODE, 6>(lines);
    run_twice<MODE, 8>(lines);
}

template <int LINKS> static void run_besides(void)
{
    for (uint32_t lines : {1u, 8u})
        for (uint32_t who : {1u, 4u})
            for (uint32_t n1 : {1u, 8u}) {
                run_beside<LINKS, 0>(lines, who, n1), run_beside<LINKS, 8>(lines, who, n1);
                run_beside<LINKS, 20>(lines, who, n1);
            }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&array, 256u << 20));
    MICRO_CUDA(cudaMalloc(&other, 256u << 20));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMemset(other, 0, 256u << 20));
    puts("experiment,lines,links,warp,others,steps,count,source");
    for (uint32_t lines : {1u, 2u, 4u, 8u, 16u}) {
        run_modes<0>(lines);
        run_twice<0, 5>(lines), run_twice<0, 7>(lines), run_twice<0, 12>(lines);
    }
    for (uint32_t lines : {1u, 2u, 4u, 8u})
        run_modes<1>(lines);
    for (uint32_t lines : {1u, 2u, 4u})
        run_modes<2>(lines);
    for (uint32_t lines : {3u, 4u, 6u})
        run_modes<3>(lines);
    for (uint32_t lines : {4u, 6u})
        run_modes<4>(lines);
    run_besides<0>(), run_besides<2>(), run_besides<6>();
    run_source<NONE, false>(0, 32), run_source<ALU, false>(4, 32), run_source<ALU, false>(16, 32);
    run_source<HIT, false>(0, 32), run_source<L2, false>(0, 32), run_source<DRAM, false>(0, 32);
    run_source<NONE, true>(0, 32), run_source<DRAM_CS, true>(0, 8);
    return 0;
}
