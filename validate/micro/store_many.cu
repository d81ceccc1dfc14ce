/* SPDX-License-Identifier: MIT
 *
 * store_many.cu - which stores of many warps join, by how many warps of how many sub-partitions
 * store. To be run under ncu (metrics/store_many.txt), one launch a row. Warps of a CTA (a mask;
 * bit n: warp n, on sub-partition n mod 4) store `words` times, a word each, to `lines` lines of
 * their own, `sectors` sectors of each, one store right behind the other, then to the next lines.
 * Settles: that sub-partitions' stores come in turn and 28 lines of them all stay open; which warp
 * of a sub-partition comes next where several wait; what a line that joins costs.
 *
 * - many: nothing in between. rmw: each word is loaded before, and waited for.
 * - With an argument, not under ncu: when each warp issued each of its stores.
 *
 * Output: CSV rows experiment,lines,sectors,words,mask,ctas; with an argument order,lines,sectors,
 * words,mask,warp, and the clock before each store.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define REPEATS 24
#define STAMPED 12
#define KEPT    (STAMPED * 8)

static uint32_t *array, *stamps;

enum mode { MANY, RMW, STAMP };

__device__ static uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

template <int WORDS, int MODE>
__global__ void __launch_bounds__(1024)
    work(uint32_t *p, uint32_t lines, uint32_t sectors, uint32_t mask, uint32_t *out)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t step = lines * 32u * 32u; /* words from one repeat's places to the next's */
    uint32_t *at = p + ((size_t)blockIdx.x * REPEATS * 32u + warp) * lines * 32u +
                   lane / sectors * 32u + lane % sectors * 8u;
    __syncthreads();
    if (!(mask >> warp & 1u) || lane >= lines * sectors)
        return;
    uint32_t *stamp = out + warp * KEPT;
#pragma unroll 1
    for (int r = 0; r < (MODE == STAMP ? STAMPED : REPEATS); r++, at += step) {
        uint32_t t[WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            uint32_t value = (uint32_t)k;
            if (MODE == RMW)
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at + k) : "memory");
            if (MODE == STAMP)
                t[k] = now();
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at + k), "r"(value + 1u) : "memory");
        }
        if (MODE == STAMP && lane == 0)
            for (int k = 0; k < WORDS; k++)
                asm volatile("st.shared.u32 [%0], %1;" ::"r"((warp * KEPT + r * WORDS + k) * 4u),
                             "r"(t[k])
                             : "memory");
    }
    if (MODE == STAMP && lane == 0)
        for (uint32_t i = 0; i < STAMPED * WORDS; i++) {
            uint32_t v;
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((warp * KEPT + i) * 4u));
            stamp[i] = v;
        }
}

template <int WORDS, int MODE>
static void launch(uint32_t lines, uint32_t sectors, uint32_t mask, unsigned ctas)
{
    const uint32_t shared = MODE == STAMP ? 32 * KEPT * 4 : 0;
    work<WORDS, MODE><<<ctas, 1024, shared>>>(array, lines, sectors, mask, stamps);
    MICRO_CUDA(cudaDeviceSynchronize());
}

template <int WORDS, int MODE>
static void run(const char *name, uint32_t lines, uint32_t sectors, uint32_t mask, unsigned ctas)
{
    printf("%s,%u,%u,%d,0x%x,%u\n", name, lines, sectors, WORDS, mask, ctas);
    launch<WORDS, MODE>(lines, sectors, mask, ctas);
}

template <int WORDS> static void stamped(uint32_t lines, uint32_t sectors, uint32_t mask)
{
    static uint32_t host[32 * KEPT];
    launch<WORDS, STAMP>(lines, sectors, mask, 1);
    MICRO_CUDA(cudaMemcpy(host, stamps, sizeof host, cudaMemcpyDeviceToHost));
    for (uint32_t w = 0; w < 32; w++) {
        if (!(mask >> w & 1u))
            continue;
        printf("order,%u,%u,%d,0x%x,%u", lines, sectors, WORDS, mask, w);
        for (int i = 0; i < STAMPED * WORDS; i++)
            printf(",%u", host[w * KEPT + i]);
        printf("\n");
    }
}

int main(int argc, char **)
{
    const size_t bytes = 132ull * REPEATS * 32u * 32u * 128u;
    MICRO_CUDA(cudaMalloc(&array, bytes));
    MICRO_CUDA(cudaMalloc(&stamps, 32 * KEPT * 4));
    MICRO_CUDA(cudaMemset(array, 0, bytes));
    if (argc > 1) {
        for (int i = 0; i < 2; i++) {
            stamped<4>(4, 4, 0xffffu), stamped<4>(4, 4, 0xffffffffu), stamped<4>(8, 4, 0xffu);
            stamped<8>(8, 4, 0xffu), stamped<4>(8, 1, 0xffu), stamped<4>(3, 4, 0xffffu);
            stamped<4>(3, 4, 0xffffffffu), stamped<4>(4, 4, 0x11111111u);
            stamped<8>(16, 2, 0xffu);
        }
        return 0;
    }
    static const uint32_t masks[] = {0xfu,        0xffu,   0xfffu,      0xffffu,     0xffffffu,
                                     0xffffffffu, 0x1111u, 0x11111111u, 0x33333333u, 0x3333u};
    static const uint32_t shape[][2] = {{1, 1}, {2, 4}, {3, 4}, {4, 1},  {4, 4},
                                        {6, 4}, {8, 1}, {8, 4}, {16, 1}, {16, 2}};
    printf("experiment,lines,sectors,words,mask,ctas\n");
    for (const uint32_t(&s)[2] : shape)
        for (uint32_t mask : masks)
            run<4, MANY>("many", s[0], s[1], mask, 1);
    for (uint32_t mask : {0xffu, 0xffffu, 0xffffffffu}) {
        run<8, MANY>("many", 4, 4, mask, 1), run<8, MANY>("many", 8, 4, mask, 1);
        run<8, MANY>("many", 16, 2, mask, 1), run<2, MANY>("many", 4, 4, mask, 1);
        run<8, RMW>("rmw", 4, 4, mask, 1), run<8, RMW>("rmw", 8, 4, mask, 1);
        run<8, RMW>("rmw", 16, 2, mask, 1), run<4, RMW>("rmw", 8, 4, mask, 1);
        run<4, MANY>("many", 4, 4, mask, 132), run<4, MANY>("many", 8, 4, mask, 132);
        run<8, MANY>("many", 8, 4, mask, 132), run<8, RMW>("rmw", 8, 4, mask, 132);
    }
    return 0;
}
