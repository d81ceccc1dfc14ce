/* SPDX-License-Identifier: MIT
 *
 * barrier.cu - what a barrier costs when nobody is late. One CTA repeats __syncthreads (cta) or
 * __syncwarp (warp), 64 a turn, by 1 to 32 warps; `ctas` CTAs of that size share an SM. `late`
 * rows: before every barrier one warp is busy for some 500 clocks, so that the others sleep in it;
 * the time beyond the busy warp's own (late, 1 warp) is what waking takes. `count` gives
 * back how many threads say yes, and the next waits for that; `or` whether one does, which as the
 * compiler sees changes nothing for the next; of `sum` nobody waits for the counts until the end. Settles: the clocks
 * between the last arrival at a barrier and the next instruction, by warps. Leaves out: named
 * barriers with fewer threads, mbarrier, clusters. Output: CSV: kind,warps,ctas,barriers,clocks -
 * clocks of the slowest warp, the least of three runs.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define TURNS 32
#define BLOCK 64

enum kind { CTA, WARP, LATE, COUNT, OR, SUM, KINDS };
static const char *const kind_name[] = {"cta", "warp", "late", "count", "or", "sum"};

template <int KIND> __device__ static void turn(float &x, float y, unsigned &all)
{
#pragma unroll
    for (int k = 0; k < BLOCK; k++) {
        if (KIND == WARP)
            asm volatile("bar.warp.sync -1;" ::: "memory");
        if (KIND == LATE && threadIdx.x < 32) {
#pragma unroll 1
            for (int i = 0; i < 16; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(x) : "f"(y));
        }
        if (KIND == COUNT)
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 77777; bar.red.popc.u32 %0, 0, p; }"
                         : "+r"(all)::"memory");
        else if (KIND == OR)
            asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %0, 77777; bar.red.or.pred q, 0, p; "
                         "selp.u32 %0, 1, 2, q; }"
                         : "+r"(all)::"memory");
        else if (KIND == SUM)
            asm volatile("{ .reg .pred p; .reg .u32 n; setp.ne.u32 p, %1, 77777; "
                         "bar.red.popc.u32 n, 0, p; add.u32 %0, %0, n; }"
                         : "+r"(all)
                         : "r"(threadIdx.x)
                         : "memory");
        else if (KIND != WARP)
            asm volatile("bar.sync 0;" ::: "memory");
    }
}

template <int KIND>
__global__ void __launch_bounds__(1024) repeat(float y, unsigned long long *clocks, float *sink)
{
    __shared__ unsigned long long last;
    float x = (float)threadIdx.x;
    unsigned all = threadIdx.x;
    if (threadIdx.x == 0)
        last = 0;
    turn<KIND>(x, y, all);
    __syncthreads();
    uint64_t begin = clock64();
#pragma unroll 1
    for (int t = 0; t < TURNS; t++)
        turn<KIND>(x, y, all);
    atomicMax(&last, (unsigned long long)(clock64() - begin));
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(clocks, last);
    if (x == 12345.5f || all == 12345u)
        *sink = x;
}

template <int KIND> static void run(unsigned long long *clocks, unsigned warps, unsigned ctas)
{
    int sms = 0;
    unsigned long long least = ~0ull, now;
    MICRO_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int again = 0; again < 3; again++) {
        MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
        repeat<KIND><<<ctas == 1 ? 1 : ctas *(unsigned)sms, warps * 32>>>(1.5f, clocks,
                                                                          (float *)(clocks + 1));
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
        least = std::min(least, now);
    }
    printf("%s,%u,%u,%d,%llu\n", kind_name[KIND], warps, ctas, TURNS * BLOCK, least);
}

int main(void)
{
    unsigned long long *clocks;
    MICRO_CUDA(cudaMalloc(&clocks, 16));
    puts("kind,warps,ctas,barriers,clocks");
    for (unsigned ctas : {1u, 2u, 4u, 8u})
        for (unsigned warps : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 20u, 24u, 28u, 32u}) {
            if (warps * ctas > 64)
                continue;
            run<CTA>(clocks, warps, ctas);
            run<WARP>(clocks, warps, ctas);
            if (ctas == 1)
                run<LATE>(clocks, warps, ctas);
            if (ctas < 4) {
                run<COUNT>(clocks, warps, ctas);
                run<OR>(clocks, warps, ctas);
                run<SUM>(clocks, warps, ctas);
            }
        }
    return 0;
}
