/* SPDX-License-Identifier: MIT
 *
 * jump_table.cu - what a jump by a table (BRX) takes, and lanes that go several ways from it. A kernel
 * repeats a switch of eight cases, each of another number of dependent FMAs, which a compiler makes
 * two or three tables of, by `warps` warps of one CTA; lanes of a warp go to `ways` of the cases, which change
 * from turn to turn; 0: there is no switch, but FMAs, as many as the mean case has, and what makes
 * the index.
 * Output: CSV: ways,warps,units,clocks - units of one warp; clocks of the slowest warp, the least of
 * three runs. --one runs each kernel once with each number of warps, for a capture.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#define TURNS 1024

template <int LENGTH> __device__ static float work(float v, float x)
{
#pragma unroll
    for (int i = 0; i < LENGTH; i++)
        v = v * x + (float)LENGTH;
    return v;
}

template <int SWITCH>
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
        asm volatile("add.u32 %0,%0,3;" : "+r"(which));
        uint32_t index; /* of which the compiler knows nothing */
        asm volatile("and.b32 %0,%1,7;" : "=r"(index) : "r"(which));
        if (!SWITCH) {
            v = work<15>(v, x) + (float)(index >> 3);
            continue;
        }
        switch (index) {
        case 0: v = work<12>(v, x); break;
        case 1: v = work<13>(v, x); break;
        case 2: v = work<14>(v, x); break;
        case 3: v = work<15>(v, x); break;
        case 4: v = work<16>(v, x); break;
        case 5: v = work<17>(v, x); break;
        case 6: v = work<18>(v, x); break;
        case 7: v = work<19>(v, x); break;
        default: break;
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

template <int SWITCH> static void run(uint32_t ways)
{
    for (unsigned warps : {1u, 4u, 8u, 16u, 32u}) {
        unsigned long long least = ~0ull, now;
        for (int again = 0; again < repeats; again++) {
            repeat<SWITCH><<<1, warps * 32>>>(in, ways, clocks, sink);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
            least = std::min(least, now);
        }
        printf("%u,%u,%d,%llu\n", ways, warps, TURNS, least);
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
    puts("ways,warps,units,clocks");
    run<0>(0);
    for (uint32_t ways : {1u, 2u, 4u, 8u})
        run<1>(ways);
    return 0;
}
