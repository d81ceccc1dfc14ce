/* SPDX-License-Identifier: MIT
 *
 * code_jumps.cu - code of which most is jumped over. A block of 8 instructions is followed by `skip`
 * ones that no warp executes; then comes the next block, of `blocks`. All is gone through twice,
 * in a launch of a kernel that has run before.
 * Settles: what it takes until code is there to which warps jump, which nobody asked for before
 * (code_fetch.cu has straight code only).
 * Leaves out: warps that jump elsewhere than their neighbours, backward jumps, calls.
 * Output: CSV: blocks,skip,warps,ctas,run,first,second,clocks - warps of a CTA, of which each has an
 * SM; clocks of the slowest warp of the first CTA each time, and of both.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

template <int SKIP> __device__ static void skipped(float &x)
{
#pragma unroll
    for (int i = 0; i < SKIP; i++)
        asm volatile("fma.rn.f32 %0, %0, 0f3f800001, 0f3f800002;" : "+f"(x));
}

template <int BLOCKS, int SKIP>
__global__ void __launch_bounds__(1024)
    jump(uint32_t which, unsigned long long *clocks, float *sink)
{
    __shared__ unsigned long long last[2];
    float x = (float)threadIdx.x;
    if (threadIdx.x < 2)
        last[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        const uint64_t begin = clock64();
#pragma unroll
        for (int block = 0; block < BLOCKS; block++) {
            skipped<6>(x);
            if (which == (uint32_t)block)
                skipped<SKIP>(x);
        }
        atomicMax(&last[pass], (unsigned long long)(clock64() - begin));
        __syncthreads();
    }
    if (x == 1.2345f)
        *sink = x;
    if (threadIdx.x < 2 && blockIdx.x == 0)
        clocks[threadIdx.x] = last[threadIdx.x];
}

static unsigned long long *clocks;
static float *sink;

template <int BLOCKS, int SKIP> static void run(void)
{
    unsigned long long now[2];
    for (uint32_t ctas : {1u, 132u})
        for (uint32_t warps : {1u, 8u})
            for (int again = 0; again < 3; again++) {
                jump<BLOCKS, SKIP><<<ctas, warps * 32>>>(UINT32_MAX, clocks, sink);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaMemcpy(now, clocks, sizeof now, cudaMemcpyDeviceToHost));
                printf("%d,%d,%u,%u,%d,%llu,%llu,%llu\n", BLOCKS, SKIP, warps, ctas, again, now[0],
                       now[1], now[0] + now[1]);
            }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&clocks, 2 * sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("blocks,skip,warps,ctas,run,first,second,clocks");
    run<64, 8>();
    run<64, 24>();
    run<64, 56>();
    run<64, 120>();
    run<128, 8>();
    run<128, 24>();
    run<128, 56>();
    run<128, 120>();
    run<256, 8>();
    run<256, 24>();
    run<256, 56>();
    run<512, 8>();
    run<512, 24>();
    run<64, 64>();
    run<64, 128>();
    run<128, 64>();
    run<128, 128>();
    run<256, 64>();
    run<512, 0>();
    run<1024, 0>();
    return 0;
}
