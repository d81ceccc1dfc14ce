/* SPDX-License-Identifier: MIT
 *
 * l1_keeps.cu - what L1 keeps across fences, and of stores with hints. One warp; one launch a row,
 * to be run under ncu (metrics/l1_keeps.txt).
 *   fence_local, fence_global  64 lines of local memory written, or of global memory read; then 64
 *                              times: a fence of `what`, and a word of one of them read by each
 * lane SL LS SSL LSL ...          S: a store of `what` to a whole line, or a copy of it to shared
 *                              memory, L: a load (ld.ca) of it, 32 times, each to lines of its own,
 *                              some 2,000 clocks apart
 * Output: CSV rows  experiment,what,requests.
 */
#include "validate/micro/check.h"
#include "validate/micro/fence.h"
#include <cstdint>
#include <cstring>

#define REPEATS 32

__device__ static void pause(uint32_t clocks)
{
    uint32_t begin = (uint32_t)clock();
    while ((uint32_t)clock() - begin < clocks)
        ;
}

template <int SCOPE> __global__ void fence_local(uint32_t *sink, uint32_t q)
{
    uint32_t mine[64], sum = 0, lane = threadIdx.x;
    for (uint32_t j = 0; j < 64u; j++)
        mine[j] = j * q + lane;
#pragma unroll 1
    for (uint32_t i = 0; i < 64u; i++) {
        fence<SCOPE>();
        sum += mine[(i * q + lane) & 63u];
        mine[(i * q + lane + 7u) & 63u] = sum;
    }
    if (sum == 0x12345)
        *sink = sum;
}

template <int SCOPE> __global__ void fence_global(uint32_t *p, uint32_t *sink)
{
    uint32_t sum = 0, lane = threadIdx.x;
    for (uint32_t j = 0; j < 64u; j++)
        sum += p[j * 32u + lane];
#pragma unroll 1
    for (uint32_t i = 0; i < 64u; i++) {
        fence<SCOPE>();
        uint32_t v;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p + i * 32u + lane) : "memory");
        sum += v;
    }
    if (sum == 0x12345)
        *sink = sum;
}

static const char *const kind_name[] = {"st",
                                        "st.cg",
                                        "st.cs",
                                        "st.wt",
                                        "st.L1::no_allocate",
                                        "st.L1::evict_first",
                                        "st.L1::evict_last",
                                        "st.volatile",
                                        "st.relaxed.gpu",
                                        "st.u8",
                                        "cp.async.cg",
                                        "cp.async.ca"};

template <int KIND> __device__ __forceinline__ void store(uint32_t *p, uint32_t v)
{
    if (KIND == 0)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == 1)
        asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == 2)
        asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == 3)
        asm volatile("st.global.wt.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == 4)
        asm volatile("st.global.L1::no_allocate.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == 5)
        asm volatile("st.global.L1::evict_first.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == 6)
        asm volatile("st.global.L1::evict_last.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == 7)
        asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == 8)
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == 9)
        asm volatile("st.global.u8 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND >= 10) {
        __shared__ __align__(128) uint32_t room[128];
        uint32_t lane = threadIdx.x, to = (uint32_t)__cvta_generic_to_shared(room);
        if (KIND == 10) /* each chunk of the line by four lanes */
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 16u * lane),
                         "l"(p - lane + lane % 8u * 4u)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + 4u * lane), "l"(p)
                         : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
    }
}

/* Bits of `loads`, from the lowest: is it a load. */
template <int KIND>
__global__ void steps(uint32_t *p, uint32_t count, uint32_t loads, uint32_t *sink)
{
    uint32_t sum = 0;
    p += threadIdx.x;
#pragma unroll 1
    for (uint32_t r = 0; r < REPEATS; r++, p += 96)
#pragma unroll 1
        for (uint32_t i = 0; i < count; i++) {
            pause(2000);
            if (loads >> i & 1u) {
                uint32_t v;
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
                sum += v;
            } else {
                store<KIND>(p, i);
            }
        }
    if (sum == 0x12345)
        *sink = sum;
}

static uint32_t *array, *sink;

static void row(const char *experiment, const char *what, uint32_t requests)
{
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%s,%u\n", experiment, what, requests);
}

template <int SCOPE> static void run_fences(const char *what)
{
    fence_local<SCOPE><<<1, 32>>>(sink, 1), row("fence_local", what, 64);
    fence_global<SCOPE><<<1, 32>>>(array, sink), row("fence_global", what, 64);
}

template <int KIND> static void run_kind(void)
{
    for (const char *order : {"S", "SL", "SLL", "SS", "SSL", "LS", "LSL", "LSS", "LSSL"}) {
        uint32_t loads = 0;
        for (uint32_t i = 0; order[i]; i++)
            loads |= (uint32_t)(order[i] == 'L') << i;
        steps<KIND><<<1, 32>>>(array, (uint32_t)strlen(order), loads, sink);
        row(order, kind_name[KIND], REPEATS);
    }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&array, 1 << 20));
    MICRO_CUDA(cudaMemset(array, 0, 1 << 20));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    printf("experiment,what,requests\n");
    run_fences<4>("none"), run_fences<0>("cta"), run_fences<1>("gl"), run_fences<2>("sys"),
        run_fences<3>("acq_rel");
    run_kind<0>(), run_kind<1>(), run_kind<2>(), run_kind<3>(), run_kind<4>();
    run_kind<5>(), run_kind<6>(), run_kind<7>(), run_kind<8>(), run_kind<9>();
    run_kind<10>(), run_kind<11>();
    return 0;
}
