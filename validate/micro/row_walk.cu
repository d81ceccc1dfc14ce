/* SPDX-License-Identifier: MIT
 *
 * row_walk.cu - loads and stores of warps whose lanes each walk along a row of their own, a word a
 * step, as a reduction or an embedding of rows by one thread each does: as many lines a request as
 * lanes take part. What is loaded lies in L1 from the first step of each line on. One CTA on each
 * of 132 SMs.
 *
 * - loads: arrays that are read a step. stores: arrays that are written.
 * - use: 1: a step's store has what the step's loads brought; 0: it does not wait for them.
 * - lanes: that take part. warps: of each CTA.
 *
 * Output: CSV loads,stores,use,lanes,warps,clocks - of a step of all warps, the least of three runs
 * of the mean of all SMs.
 */
#include "validate/micro/check.h"

#include <cstdint>

#define CTAS  132
#define STEPS 512 /* words of a row: 16 lines */

template <int LOADS, int STORES, bool USE>
__global__ void walk(const float *from, float *to, uint32_t lanes, uint64_t *clocks, float one)
{
    const uint32_t lane = threadIdx.x % 32u;
    const uint32_t warps = blockDim.x / 32u;
    const size_t row = ((size_t)blockIdx.x * warps + threadIdx.x / 32u) * 32u + lane;
    const size_t all = (size_t)gridDim.x * warps * 32u * STEPS;
    float kept = 0;
    __syncthreads();
    const uint32_t begin = (uint32_t)clock();
    if (lane < lanes) {
#pragma unroll 1
        for (uint32_t i = 0; i < STEPS; i++) {
            float v = one;
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                float x;
                asm volatile("ld.global.f32 %0, [%1];"
                             : "=f"(x)
                             : "l"(from + all * k + row * STEPS + i)
                             : "memory");
                if (USE)
                    v += x;
                else
                    kept += x;
            }
#pragma unroll
            for (int k = 0; k < STORES; k++)
                asm volatile("st.global.f32 [%0], %1;" ::"l"(to + all * k + row * STEPS + i), "f"(v)
                             : "memory");
            if (USE && !STORES)
                kept += v;
        }
    }
    __syncthreads();
    const uint32_t end = (uint32_t)clock();
    if (kept == 1.25f)
        to[0] = kept;
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = end - begin;
}

static float *from, *to;
static uint64_t *clocks;

template <int LOADS, int STORES, bool USE> static void run(uint32_t lanes, unsigned warps)
{
    double least = 1e30;
    for (int turn = 0; turn < 3; turn++) {
        walk<LOADS, STORES, USE><<<CTAS, warps * 32>>>(from, to, lanes, clocks, 1.f);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaDeviceSynchronize());
        uint64_t took[CTAS];
        MICRO_CUDA(cudaMemcpy(took, clocks, sizeof took, cudaMemcpyDeviceToHost));
        double sum = 0;
        for (uint64_t one : took)
            sum += (double)one;
        if (sum / CTAS / STEPS < least)
            least = sum / CTAS / STEPS;
    }
    printf("%d,%d,%d,%u,%u,%.1f\n", LOADS, STORES, USE, lanes, warps, least);
}

template <int LOADS, int STORES, bool USE> static void all_of()
{
    for (uint32_t lanes : {32u, 16u, 8u})
        for (unsigned warps : {1u, 2u, 4u, 8u})
            run<LOADS, STORES, USE>(lanes, warps);
}

int main()
{
    const size_t bytes = (size_t)CTAS * 8 * 32 * STEPS * sizeof(float);
    MICRO_CUDA(cudaMalloc(&from, 2 * bytes));
    MICRO_CUDA(cudaMalloc(&to, 2 * bytes));
    MICRO_CUDA(cudaMalloc(&clocks, CTAS * sizeof *clocks));
    MICRO_CUDA(cudaMemset(from, 0, 2 * bytes));
    puts("loads,stores,use,lanes,warps,clocks");
    all_of<1, 0, true>();
    all_of<2, 0, true>();
    all_of<0, 1, false>();
    all_of<0, 2, false>();
    all_of<1, 1, true>();
    all_of<1, 1, false>();
    all_of<2, 1, true>();
    all_of<2, 1, false>();
    return 0;
}
