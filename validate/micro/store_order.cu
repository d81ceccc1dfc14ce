/* SPDX-License-Identifier: MIT
 *
 * store_order.cu - in which order the load-store unit gets the accesses of warps that all have
 * some. Warps of one CTA (a mask; bit n: warp n, on sub-partition n mod 4) meet at a barrier, then
 * each issues eight accesses of the same kind, one right behind the other, and reads the clock
 * before each and after the last. Settles: which warp of a sub-partition comes next when its queue
 * has a place, how the unit goes round the sub-partitions, and how a barrier waits behind stores.
 * Leaves out: warps of several CTAs (warp_order.cu).
 *
 * Output: CSV: op,lines,sectors,mask,warp,t0..t8 - clocks since the first of all, of the second of
 * two runs; `lines` of `sectors` each (of shared memory: the ways of a conflict).
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

#define ACCESSES 8
#define WARPS    32u

enum op { STORE, JOIN, LOAD, LDS, OPS };
static const char *const op_name[] = {"store", "store_join", "load_hit", "lds"};

/* By a predicate that lanes have each for themselves, or S2UR reads it, which stands in the
 * load-store unit's queue itself. */
__device__ static void now(uint32_t &t, uint32_t always)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mov.u32 %0, %%clock; }"
                 : "+r"(t)
                 : "r"(always)
                 : "memory");
}

template <int OP>
__global__ void __launch_bounds__(1024) order(uint32_t *memory, uint32_t lines, uint32_t sectors,
                                              uint32_t mask, uint32_t *stamps, uint32_t *sink)
{
    __shared__ uint32_t words[8192];
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (uint32_t i = threadIdx.x; i < 8192; i += blockDim.x)
        words[i] = i;
    uint32_t *place = memory + warp * 16384 + lane / sectors % lines * 32 + lane % sectors * 8;
    const uint32_t shared =
        (uint32_t)__cvta_generic_to_shared(words) + lane % lines * 128 + lane / lines * 4;
    const uint32_t always = words[threadIdx.x] + 1;
    const bool in = OP == LDS || lane < lines * sectors;
    uint32_t t[ACCESSES + 1] = {0}, v[ACCESSES] = {0}, sum = 0;
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        if (OP == LOAD) /* warm L1 */
            for (int k = 0; k < ACCESSES; k++)
                sum += *(volatile uint32_t *)(place + k * 1024);
        __syncthreads();
        if (!(mask >> warp & 1u))
            continue;
        if (in) {
#pragma unroll
            for (int k = 0; k < ACCESSES; k++) {
                now(t[k], always);
                if (OP == STORE) /* places of their own */
                    asm volatile("st.global.u32 [%0], %1;" ::"l"(place + k * 1024), "r"(lane)
                                 : "memory");
                if (OP == JOIN) /* words of the same sectors */
                    asm volatile("st.global.u32 [%0], %1;" ::"l"(place + k), "r"(lane) : "memory");
                if (OP == LOAD)
                    asm volatile("ld.global.u32 %0, [%1];"
                                 : "=r"(v[k])
                                 : "l"(place + k * 1024)
                                 : "memory");
                if (OP == LDS)
                    asm volatile("ld.volatile.shared.u32 %0, [%1];"
                                 : "=r"(v[k])
                                 : "r"(shared)
                                 : "memory");
            }
            now(t[ACCESSES], always);
#pragma unroll
            for (int k = 0; k < ACCESSES; k++)
                sum += v[k];
        }
    }
    if (mask >> warp & 1u && lane == 0)
        for (int k = 0; k <= ACCESSES; k++)
            stamps[warp * (ACCESSES + 1) + k] = t[k];
    if (sum == 0x12345)
        *sink = sum;
}

static uint32_t *memory, *stamps, *sink;

template <int OP> static void run(uint32_t lines, uint32_t sectors, uint32_t mask)
{
    uint32_t got[WARPS][ACCESSES + 1], first = 0;
    order<OP><<<1, 1024>>>(memory, lines, sectors, mask, stamps, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(got, stamps, sizeof got, cudaMemcpyDeviceToHost));
    bool any = false;
    for (uint32_t w = 0; w < WARPS; w++)
        if (mask >> w & 1u && (!any || (int32_t)(got[w][0] - first) < 0)) {
            any = true;
            first = got[w][0];
        }
    for (uint32_t w = 0; w < WARPS; w++)
        if (mask >> w & 1u) {
            printf("%s,%u,%u,%#x,%u", op_name[OP], lines, sectors, mask, w);
            for (int k = 0; k <= ACCESSES; k++)
                printf(",%u", got[w][k] - first);
            putchar('\n');
        }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&memory, WARPS * 65536u));
    MICRO_CUDA(cudaMemset(memory, 0, WARPS * 65536u));
    MICRO_CUDA(cudaMalloc(&stamps, sizeof(uint32_t) * WARPS * (ACCESSES + 1)));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    puts("op,lines,sectors,mask,warp,t0,t1,t2,t3,t4,t5,t6,t7,t8");
    for (uint32_t mask : {0x1u, 0x11u, 0x1111u, 0x11111111u, 0xfu, 0xffu, 0xffffu, 0xffffffffu}) {
        for (uint32_t lines : {1u, 3u, 4u, 8u, 16u, 32u}) {
            const uint32_t sectors = lines <= 8 ? 4 : 32 / lines;
            run<STORE>(lines, sectors, mask);
            run<JOIN>(lines, sectors, mask);
            run<LOAD>(lines, sectors, mask);
            run<LDS>(lines, 1, mask);
        }
    }
    return 0;
}
