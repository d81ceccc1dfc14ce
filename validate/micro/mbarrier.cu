/* SPDX-License-Identifier: MIT
 *
 * mbarrier.cu - how long warps take to arrive at an mbarrier and to go on. One CTA of `warps` warps
 * repeats a unit; lane 0 of a warp arrives, all its lanes wait:
 *   arrive   an arrival, alone, at a barrier that never completes
 *   passed   a wait for a phase that is long over
 *   self     an arrival that completes the phase, and the wait for it, by each warp on its own
 *   all      every warp arrives and waits, as at a CTA's barrier
 *   pingpong the first warp lets the others go, the last of the others lets the first go
 *   late     the same, the first being busy for some 500 clocks before: `work` rows are it alone
 *   trip     a warp without a barrier: what its loop takes
 * Settles: clocks of an arrival, of a wait that is over, and from the last arrival to the next
 * instruction, by warps. Leaves out: bulk copies (bulk_copy.cu), clusters (cluster.cu).
 * Output: CSV: unit,warps,turns,clocks - clocks of the slowest warp, the least of three runs. --one
 * runs the rows of 32 and 96 turns, once each, for a capture.
 */
#include "validate/micro/mbarrier.h"
#include <cstdio>

enum unit { ARRIVE, PASSED, SELF, ALL, PINGPONG, LATE, WORK, TRIP, UNITS };
static const char *const unit_name[] = {"arrive",   "passed", "self", "all",
                                        "pingpong", "late",   "work", "trip"};

__device__ static void work(float &x, float y)
{
#pragma unroll 1
    for (int i = 0; i < 16; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(x) : "f"(y));
}

template <int UNIT>
__global__ void __launch_bounds__(1024) repeat(int turns, float y, unsigned long long *clocks,
                                               float *sink)
{
    __shared__ __align__(8) uint64_t barrier[34];
    const uint32_t warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const bool first = threadIdx.x % 32 == 0;
    float x = (float)threadIdx.x;
    if (threadIdx.x == 0) {
        barrier_init(shared_address(&barrier[32]), UNIT == PINGPONG || UNIT == LATE ? 1 : warps);
        barrier_init(shared_address(&barrier[33]), warps > 1 ? warps - 1 : 1);
        for (int i = 0; i < 32; i++)
            barrier_init(shared_address(&barrier[i]), UNIT == ARRIVE ? 1000000 : 1);
    }
    __syncthreads();
    const uint32_t own = shared_address(&barrier[warp]), there = shared_address(&barrier[32]),
                   back = shared_address(&barrier[33]);
    if (UNIT == PASSED) {
        if (first)
            barrier_arrive(own);
        barrier_wait(own, 0);
    }
    __syncthreads();
    uint64_t begin = clock64();
#pragma unroll 1
    for (int t = 0; t < turns; t++) {
        const uint32_t parity = (uint32_t)t & 1;
        if (UNIT == ARRIVE && first)
            barrier_arrive(own);
        if (UNIT == PASSED)
            barrier_wait(own, 0);
        if (UNIT == SELF || UNIT == ALL) {
            if (first)
                barrier_arrive(UNIT == SELF ? own : there);
            barrier_wait(UNIT == SELF ? own : there, parity);
        }
        if (UNIT == TRIP || ((UNIT == LATE || UNIT == WORK) && warp == 0))
            work(x, y);
        if (UNIT == PINGPONG || UNIT == LATE) {
            if (warp == 0) {
                if (first)
                    barrier_arrive(there);
                barrier_wait(back, parity);
            } else {
                barrier_wait(there, parity);
                if (first)
                    barrier_arrive(back);
            }
        }
        __syncwarp();
    }
    if (first)
        atomicMax(clocks, (unsigned long long)(clock64() - begin));
    if (x == 12345.5f)
        *sink = x;
}

template <int UNIT> static void run(unsigned long long *clocks)
{
    for (unsigned warps : {1u, 2u, 4u, 5u, 8u, 16u, 32u}) {
        if ((UNIT == PINGPONG || UNIT == LATE) && warps == 1)
            continue;
        if ((UNIT == WORK || UNIT == TRIP) && warps > 1)
            break;
        for (int turns : {32, 96, 1024})
            if (!once || turns < 1024)
                printf("%s,%u,%d,%llu\n", unit_name[UNIT], warps, turns, least_clocks(clocks, [&] {
                           repeat<UNIT>
                               <<<1, warps * 32>>>(turns, 1.5f, clocks, (float *)(clocks + 1));
                       }));
    }
}

int main(int argc, char **argv)
{
    unsigned long long *clocks;
    read_options(argc, argv);
    MICRO_CUDA(cudaMalloc(&clocks, 16));
    puts("unit,warps,turns,clocks");
    run<ARRIVE>(clocks);
    run<PASSED>(clocks);
    run<SELF>(clocks);
    run<ALL>(clocks);
    run<PINGPONG>(clocks);
    run<LATE>(clocks);
    run<WORK>(clocks);
    run<TRIP>(clocks);
    return 0;
}
