/* SPDX-License-Identifier: MIT
 *
 * scoreboard.cu - what waits for a scoreboard that two instructions set. One warp repeats: a load
 * whose address does not depend on what was loaded, from a buffer that L2 holds and L1 does not
 * (ld.cg), beside it another instruction of variable latency on the sum so far, and an addition of
 * both to the sum. Two such steps are a turn of the loop, and the compiler gives the load and the
 * other instruction of a step one scoreboard, as `cuobjdump -sass -fun` with nvdisasm's control
 * bits shows. Settles: a scoreboard counts, so that the addition waits for both: a turn takes the
 * load's latency, and the other's on top (`none`: the load alone).
 * Output: CSV: name,turns,clocks - the least of three runs.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

#define TURNS  512
#define STRIDE 4096 /* bytes a step */

enum other { NONE, SHFL, MUFU, CONVERT, SHARED };

template <int OTHER>
__global__ void repeat(const unsigned *buffer, unsigned long long *clocks, unsigned *sink)
{
    __shared__ unsigned room[64];
    unsigned sum = threadIdx.x;
    room[threadIdx.x] = room[threadIdx.x + 32] = sum;
    __syncwarp();
    uint64_t begin = clock64();
#pragma unroll 2
    for (unsigned i = 0; i < 2 * TURNS; i++) {
        unsigned other = 0;
        if (OTHER == SHFL)
            other = __shfl_sync(~0u, sum, (int)((threadIdx.x * 7u + i) & 31u));
        if (OTHER == MUFU)
            asm volatile("{.reg .f32 t; mov.b32 t,%1; ex2.approx.ftz.f32 t,t; mov.b32 %0,t;}"
                         : "=r"(other)
                         : "r"(sum));
        if (OTHER == CONVERT)
            asm volatile("{.reg .f32 t; mov.b32 t,%1; cvt.rzi.u32.f32 %0,t;}"
                         : "=r"(other)
                         : "r"(sum));
        if (OTHER == SHARED)
            other = *(volatile unsigned *)&room[sum & 63u];
        sum += other + __ldcg(buffer + (size_t)i * (STRIDE / 4) + threadIdx.x);
    }
    asm volatile("" ::"r"(sum) : "memory");
    uint64_t end = clock64();
    if (threadIdx.x == 0)
        *clocks = end - begin;
    sink[threadIdx.x] = sum;
}

static unsigned *buffer, *sink;
static unsigned long long *clocks;

template <int OTHER> static void run(const char *name)
{
    unsigned long long least = ~0ull, now;
    for (int again = 0; again < 3; again++) {
        repeat<OTHER><<<1, 32>>>(buffer, clocks, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
        least = std::min(least, now);
    }
    printf("%s,%d,%llu\n", name, TURNS, least);
}

int main(void)
{
    const size_t bytes = (size_t)2 * TURNS * STRIDE + 4096;
    MICRO_CUDA(cudaMalloc(&buffer, bytes));
    MICRO_CUDA(cudaMemset(buffer, 0, bytes));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, 128));
    puts("name,turns,clocks");
    run<NONE>("none");
    run<SHFL>("shfl");
    run<MUFU>("mufu");
    run<CONVERT>("convert");
    run<SHARED>("shared");
    return 0;
}
