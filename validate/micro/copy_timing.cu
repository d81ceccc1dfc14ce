/* SPDX-License-Identifier: MIT
 *
 * copy_timing.cu - how long cp.async takes. Each warp copies to a place of its own in shared memory,
 * from a place of its own, `stride` words of `bytes` between its lanes; a turn:
 *   chain   a copy, which is waited for
 *   four    four of them, 4 KB apart, then waited for
 *   read    the copy, waited for, and a load from shared memory, which is waited for
 *   behind  the same, but the copy is waited for a turn later
 *   meet    the copy, waited for, a barrier, the load, which is waited for, a barrier
 *   later   the same, but the copy is waited for a turn later
 *   without the same without a copy
 * Sources are in L1 (cp.async.ca), or in L2 (cp.async.cg, `bypass`).
 * Settles: what a copy takes of the load-store unit, hits and past L1, and its latency.
 * Leaves out: misses; patterns of banks (copy_async.cu).
 * Output: CSV: kind,bytes,bypass,stride,warps,turns,clocks - of the second time, mean over SMs of
 * their last warp. Eight SMs, a CTA each, a launch a row, so that it can be captured; two numbers of
 * turns, whose difference has no launch and no miss in it.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

#define SMS   8
#define OWN   4096 /* bytes of a warp's place, of each of four */

enum kind { CHAIN, FOUR, READ, BEHIND, MEET, LATER, WITHOUT };

template <int BYTES, bool BYPASS> __device__ static void copy(uint32_t to, const char *from)
{
    if constexpr (BYPASS)
        asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(to), "l"(from), "n"(BYTES)
                     : "memory");
}

template <int KIND, int BYTES, bool BYPASS, uint32_t TURNS>
__global__ void __launch_bounds__(1024) walk(const char *source, uint32_t stride,
                                             unsigned long long *clocks)
{
    extern __shared__ __align__(128) char pool[];
    __shared__ unsigned long long last;
    const uint32_t lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
    const uint32_t to =
        (uint32_t)__cvta_generic_to_shared(pool) + warp * 32u * BYTES + lane * BYTES;
    const char *from =
        source + ((size_t)blockIdx.x * 32u + warp) * 4u * OWN + lane * stride * BYTES;
    if (threadIdx.x == 0)
        last = 0;
#pragma unroll 1
    for (int again = 0; again < 2; again++) {
        __syncthreads();
        const unsigned long long begin = clock64();
#pragma unroll 1
        for (uint32_t t = 0; t < TURNS; t++) {
            constexpr bool later = KIND == BEHIND || KIND == LATER;
            constexpr bool meets = KIND >= MEET;
#pragma unroll
            for (int k = 0; k < (KIND == FOUR ? 4 : KIND == WITHOUT ? 0 : 1); k++)
                copy<BYTES, BYPASS>(to, from + k * OWN);
            asm volatile("cp.async.commit_group;\ncp.async.wait_group %0;" ::"n"(later)
                         : "memory");
            if constexpr (meets)
                __syncthreads();
            if constexpr (KIND >= READ) {
                uint32_t word;
                asm volatile("ld.shared.u32 %0,[%1];" : "=r"(word) : "r"(to) : "memory");
                from += word; /* 0 */
            }
            if constexpr (meets)
                __syncthreads();
        }
        const unsigned long long took = clock64() - begin;
        __syncthreads();
        if (again && lane == 0)
            atomicMax(&last, took);
    }
    __syncthreads();
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = last;
}

static char *source;
static unsigned long long *clocks;

template <int KIND, int BYTES, bool BYPASS, uint32_t TURNS>
static void run(uint32_t stride, uint32_t warps)
{
    static const char *const name[] = {"chain", "four",  "read",   "behind",
                                       "meet",  "later", "without"};
    unsigned long long now[SMS], all = 0;
    walk<KIND, BYTES, BYPASS, TURNS>
        <<<SMS, warps * 32, warps * 32 * BYTES>>>(source, stride, clocks);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(now, clocks, sizeof now, cudaMemcpyDeviceToHost));
    for (auto n : now)
        all += n;
    printf("%s,%d,%d,%u,%u,%u,%llu\n", name[KIND], BYTES, BYPASS, stride, warps, TURNS, all / SMS);
}

template <int KIND, int BYTES, bool BYPASS> static void every(void)
{
    for (uint32_t stride : {1u, 2u, 8u})
        for (uint32_t warps : {1u, 8u, 32u}) {
            if (KIND == FOUR && warps > 8u) /* L1 has no room for that */
                continue;
            run<KIND, BYTES, BYPASS, 24>(stride, warps);
            run<KIND, BYTES, BYPASS, 72>(stride, warps);
        }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&source, (size_t)SMS * 32 * 4 * OWN + 65536));
    MICRO_CUDA(cudaMemset(source, 0, (size_t)SMS * 32 * 4 * OWN + 65536));
    MICRO_CUDA(cudaMalloc(&clocks, SMS * sizeof *clocks));
    puts("kind,bytes,bypass,stride,warps,turns,clocks");
    every<CHAIN, 4, false>(), every<CHAIN, 8, false>(), every<CHAIN, 16, false>();
    every<CHAIN, 16, true>();
    every<FOUR, 4, false>(), every<FOUR, 8, false>(), every<FOUR, 16, false>();
    every<FOUR, 16, true>();
    every<READ, 4, false>(), every<READ, 16, true>();
    every<BEHIND, 4, false>(), every<BEHIND, 8, false>(), every<BEHIND, 16, true>();
    every<MEET, 4, false>(), every<MEET, 8, false>(), every<MEET, 16, true>();
    every<LATER, 4, false>(), every<LATER, 8, false>(), every<LATER, 16, true>();
    every<WITHOUT, 4, false>();
    return 0;
}
