/* SPDX-License-Identifier: MIT
 *
 * loop_turn.cu - what a turn of a short loop takes, by where its first instruction lies. `body`
 * additions in one chain and what the loop needs; `before` further instructions stand in front of
 * it, so that it begins that many times 16 bytes later. `warps` of one CTA, one launch a row, the
 * code executed once before. Settles: what a taken branch costs beyond its stall count where its
 * target is the first, or the last, instruction of a line of code. Output: CSV rows
 * before,body,warps,clocks - of the slowest warp, a turn, in hundredths.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <utility>

#define TURNS 400u

template <int COUNT> __device__ __forceinline__ void adds(float &x, float y)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(x) : "f"(y));
}

template <int BEFORE, int BODY> __global__ void turns(float y, uint32_t count, unsigned long long *clocks, float *sink)
{
    float x = y;
#pragma unroll 1
    for (int again = 0; again < 2; again++) {
        __syncthreads();
        const uint64_t begin = clock64();
        adds<BEFORE>(x, y);
#pragma unroll 1
        for (uint32_t t = 0; t < count; t++)
            adds<BODY>(x, y);
        if (again)
            atomicMax(clocks, (unsigned long long)(clock64() - begin));
    }
    if (x == 12345.5f)
        *sink = x;
}

static unsigned long long *clocks;
static float *sink;

template <int BEFORE, int BODY> static void go(void)
{
    for (unsigned warps : {1u, 4u, 16u, 32u}) {
        unsigned long long took = 0;
        MICRO_CUDA(cudaMemcpy(clocks, &took, sizeof took, cudaMemcpyHostToDevice));
        turns<BEFORE, BODY><<<1, warps * 32>>>(1.5f, TURNS, clocks, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
        printf("%d,%d,%u,%llu\n", BEFORE, BODY, warps, took * 100u / TURNS);
    }
}

template <int BODY, int... BEFORE> static void all(std::integer_sequence<int, BEFORE...>)
{
    (go<BEFORE, BODY>(), ...);
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    printf("before,body,warps,clocks\n");
    const auto befores = std::make_integer_sequence<int, 16>{};
    all<1>(befores);
    all<2>(befores);
    all<4>(befores);
    all<6>(befores);
    all<8>(befores);
    all<12>(befores);
    all<16>(befores);
    all<24>(befores);
    all<32>(befores);
    return 0;
}
