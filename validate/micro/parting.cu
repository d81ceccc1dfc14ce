/* SPDX-License-Identifier: MIT
 *
 * parting.cu - what it takes lanes of a warp to part and to meet again, where the number of a thread
 * decides who goes which way and nothing is accessed on it. A kernel repeats one unit on a chain
 * where each needs the one before, by `warps` warps of one CTA, a quarter of them on each
 * sub-partition; who goes changes from turn to turn. N is a chain of N FFMA:
 *  - none, all12, half12, lane12: nobody, all lanes, half of them or one go through 12
 *  - both12: each half through 12 of its own; both4: through 4 and a division
 *  - quarters: each quarter through 12 of its own, by two branches one within the other
 *  - turns: lane n goes n % 4 times through 4
 * Settles: which instructions a warp executes whose lanes part (ncu's count), and the clocks of
 * parting and meeting.
 * Output: CSV: name,warps,units,clocks - units of one warp; clocks of the slowest warp. One launch
 * a row, so that it can be captured as it is.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define TURNS 256
#define BLOCK 2 /* units a turn */

/* I(name, statement): v is a float, `lane` changes its owner from turn to turn. */
/* clang-format off */
#define LIST(I)                                                                                    \
    I(none, if (lane > blockDim.x) { v = work<12>(v, x); })                                        \
    I(all12, if (lane < blockDim.x) { v = work<12>(v, x); })                                       \
    I(half12, if (lane < 16) { v = work<12>(v, x); })                                              \
    I(lane12, if (lane == 0) { v = work<12>(v, x); })                                              \
    I(both12, if (lane < 16) { v = work<12>(v, x); } else { v = work<12>(v, y); })                 \
    I(both4, if (lane < 16) { v = x / work<4>(v, x); } else { v = y / work<4>(v, y); })            \
    I(quarters, if (lane < 16) { if (lane < 8) v = work<12>(v, x); else v = work<12>(v, y); }      \
                else { if (lane < 24) v = work<12>(v, z); else v = work<12>(v, x + y); })          \
    I(turns, for (uint32_t i = 0; i < lane % 4; i++) v = work<4>(v, x);)
/* clang-format on */

enum which {
#define I(name, ...) K_##name,
    LIST(I)
#undef I
};

template <int N> __device__ static float work(float v, float x)
{
#pragma unroll
    for (int k = 0; k < N; k++)
        asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(v) : "f"(x));
    return v;
}

template <int WHICH>
__global__ void __launch_bounds__(1024)
    repeat(const volatile float *in, unsigned *clocks, float *sink)
{
    __shared__ unsigned last;
    float v = in[threadIdx.x % 32], x = in[32], y = in[33], z = in[34];
    if (threadIdx.x == 0)
        last = 0;
    __syncthreads();
    const uint32_t begin = (uint32_t)clock();
    (void)y, (void)z;
#pragma unroll 1
    for (uint32_t t = 0; t < TURNS; t++) {
        const uint32_t lane = (threadIdx.x ^ t) % 32;
        (void)lane;
#pragma unroll
        for (int k = 0; k < BLOCK; k++) {
#define I(name, ...)                                                                               \
    if constexpr (WHICH == K_##name) {                                                             \
        __VA_ARGS__;                                                                               \
        asm volatile("" : "+f"(v));                                                                \
    }
            LIST(I)
#undef I
        }
    }
    asm volatile("" ::"f"(v) : "memory");
    atomicMax(&last, (uint32_t)clock() - begin);
    sink[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        *clocks = last;
}

static float *in, *sink;
static unsigned *clocks;

template <int WHICH> static void run(const char *name)
{
    for (unsigned warps : {1u, 4u, 8u, 16u}) {
        unsigned took;
        repeat<WHICH><<<1, warps * 32>>>(in, clocks, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
        printf("%s,%u,%d,%u\n", name, warps, TURNS * BLOCK, took);
    }
}

int main()
{
    float numbers[64];
    for (int i = 0; i < 64; i++)
        numbers[i] = 1.25f + (float)i / 64;
    MICRO_CUDA(cudaMalloc(&in, sizeof numbers));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, 1024 * sizeof *sink));
    MICRO_CUDA(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    puts("name,warps,units,clocks");
#define I(name, ...) run<K_##name>(#name);
    LIST(I)
#undef I
    return 0;
}
