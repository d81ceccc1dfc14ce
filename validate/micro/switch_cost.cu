/* SPDX-License-Identifier: MIT
 *
 * switch_cost.cu - what the branches of a switch take, and lanes that go several ways from it: how
 * long, and how much of a scheduler that other warps have, too. A kernel repeats a switch of eight
 * cases, each of four dependent FMAs, which a compiler makes a tree of branches of, by `warps` warps of
 * one CTA; lanes of a warp go to `ways` of the cases, 0: there is no switch, but its FMAs and what
 * makes its index. `apart`: the cases lie so many more instructions from one another.
 * Output: CSV: ways,apart,warps,units,clocks - units of one warp; clocks of the slowest warp, the
 * least of three runs. --one runs each kernel once with each number of warps, for a capture.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#define TURNS 1024

template <int MORE> __device__ static float work(float v, float x)
{
    asm volatile("fma.rn.f32 %0,%0,%1,%1; fma.rn.f32 %0,%0,%1,%1; fma.rn.f32 %0,%0,%1,%1; fma.rn.f32 %0,%0,%1,%1;"
                 : "+f"(v)
                 : "f"(x));
    if (MORE && v == 12345.0f) /* never */
#pragma unroll
        for (int k = 0; k < MORE; k++)
            asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(v) : "f"(x));
    return v;
}

template <int SWITCH, int MORE>
__global__ void __launch_bounds__(1024)
    repeat(const volatile float *in, uint32_t ways, unsigned long long *clocks, float *sink)
{
    __shared__ unsigned long long last;
    float v = in[threadIdx.x % 32];
    const float x = in[32];
    uint32_t which = ways ? threadIdx.x % ways : 0;
    if (threadIdx.x == 0)
        last = 0;
    __syncthreads();
    const uint64_t begin = clock64();
#pragma unroll 1
    for (int t = 0; t < TURNS; t++) {
        asm volatile("add.u32 %0,%0,8;" : "+r"(which));
        const uint32_t index = which & 7u;
        if (!SWITCH) {
            v = work<MORE>(v, x) + (float)(index >> 3);
            continue;
        }
        switch (index) {
        case 0:
            v = work<MORE>(v, x);
            break;
        case 1:
            v = work<MORE>(v, x + 1.0f);
            break;
        case 2:
            v = work<MORE>(v, x + 2.0f);
            break;
        case 3:
            v = work<MORE>(v, x + 3.0f);
            break;
        case 4:
            v = work<MORE>(v, x + 4.0f);
            break;
        case 5:
            v = work<MORE>(v, x + 5.0f);
            break;
        case 6:
            v = work<MORE>(v, x + 6.0f);
            break;
        default:
            v = work<MORE>(v, x + 7.0f);
            break;
        }
        asm volatile("" : "+f"(v));
    }
    asm volatile("" ::"f"(v) : "memory");
    atomicMax(&last, (unsigned long long)(clock64() - begin));
    __syncthreads();
    if (threadIdx.x == 0)
        *clocks = last;
    sink[threadIdx.x] = v;
}

static float *in, *sink;
static unsigned long long *clocks;
static int repeats = 3;

template <int SWITCH, int MORE> static void run(uint32_t ways)
{
    for (unsigned warps : {1u, 4u, 8u, 16u, 32u}) {
        unsigned long long least = ~0ull, now;
        for (int again = 0; again < repeats; again++) {
            repeat<SWITCH, MORE><<<1, warps * 32>>>(in, ways, clocks, sink);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
            least = std::min(least, now);
        }
        printf("%u,%d,%u,%d,%llu\n", ways, MORE, warps, TURNS, least);
    }
}

int main(int argc, char **argv)
{
    float numbers[64];
    if (argc > 1 && !strcmp(argv[1], "--one"))
        repeats = 1;
    for (int i = 0; i < 64; i++)
        numbers[i] = 1.25f + (float)i / 64;
    MICRO_CUDA(cudaMalloc(&in, sizeof numbers));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, 1024 * sizeof *sink));
    MICRO_CUDA(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    puts("ways,apart,warps,units,clocks");
    run<0, 0>(0);
    for (uint32_t ways : {1u, 2u, 4u, 8u})
        run<1, 0>(ways);
    for (uint32_t ways : {1u, 8u})
        run<1, 40>(ways);
    return 0;
}
