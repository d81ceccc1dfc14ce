/* SPDX-License-Identifier: MIT
 *
 * branch_cost.cu - what short sequences with branches in them take: divisions and roots, whose
 * rare cases stand behind a branch; a part of the warp going another way and coming back; a call;
 * the turn of a loop; and chains of products without any (fma12, dfma12). A kernel repeats one
 * unit on a chain where each needs the one before, by `warps` warps of one CTA, a quarter of them
 * on each sub-partition.
 * Settles: latencies of MUFU, FCHK, BSSY, BSYNC, BRA, CALL and RET as the code's control bits do
 * not tell them, and the clocks of a scheduler that a branch takes from other warps.
 * Output: CSV: name,warps,units,clocks - units of one warp; clocks of the slowest warp, the least
 * of three runs. --one runs each kernel once with each number of warps, for a capture.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#define TURNS 256
#define BLOCK 4 /* units a turn */

/* I(name, statement): v is a float, u an integer, d a double, x, y, n operands unknown to the compiler */
/* clang-format off */
#define LIST(I)                                                                                    \
    I(add, asm volatile("add.rn.f32 %0,%0,%1;" : "+f"(v) : "f"(x)))                                \
    I(fma12, for (int q = 0; q < 12; q++) asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(v) : "f"(x))) \
    I(mufu_rcp, asm volatile("rcp.approx.ftz.f32 %0,%0;" : "+f"(v)))                               \
    I(mufu_rcp_add, asm volatile("rcp.approx.ftz.f32 %0,%0; add.rn.f32 %0,%0,%1;" : "+f"(v) : "f"(x))) \
    I(div, asm volatile("div.rn.f32 %0,%1,%0;" : "+f"(v) : "f"(x)))                                \
    I(div_add, asm volatile("add.rn.f32 %0,%0,%2; div.rn.f32 %0,%1,%0;" : "+f"(v) : "f"(x), "f"(y))) \
    I(div_full, asm volatile("div.full.f32 %0,%1,%0;" : "+f"(v) : "f"(x)))                         \
    I(rcp_rn, asm volatile("rcp.rn.f32 %0,%0;" : "+f"(v)))                                         \
    I(sqrt_rn, asm volatile("sqrt.rn.f32 %0,%0;" : "+f"(v)))                                       \
    I(div_u32, asm volatile("div.u32 %0,%1,%0; or.b32 %0,%0,1;" : "+r"(u) : "r"(n)))               \
    I(div_f64, asm volatile("div.rn.f64 %0,%1,%0;" : "+d"(d) : "d"((double)x)))                    \
    I(expf_, v = expf(-v))                                                                         \
    I(branch_none, if (lane < zero) { v = work(v, x); } asm volatile("" : "+f"(v)))                \
    I(branch_half, if (lane < zero + 16) { v = work(v, x); } asm volatile("" : "+f"(v)))           \
    I(branch_all, if (lane < zero + 32) { v = work(v, x); } asm volatile("" : "+f"(v)))            \
    I(branch_both, if (lane < zero + 16) { v = work(v, x); } else { v = work(v, y); } asm volatile("" : "+f"(v))) \
    I(shfl, asm volatile("shfl.sync.bfly.b32 %0,%0,1,31,-1;" : "+r"(u)))                           \
    I(shfl_add, asm volatile("{.reg .b32 t; shfl.sync.bfly.b32 t,%0,1,31,-1; add.s32 %0,%0,t;}" : "+r"(u))) \
    I(call, v = far(v, x))                                                                         \
    I(dfma12, for (int q = 0; q < 12; q++) asm volatile("fma.rn.f64 %0,%0,%1,%1;" : "+d"(d) : "d"((double)x)))
/* clang-format on */

enum which {
#define I(name, ...) K_##name,
    LIST(I)
#undef I
};

__device__ __noinline__ float far(float v, float x)
{
    asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(v) : "f"(x));
    return v;
}

/* Too long to be predicated. */
__device__ static float work(float v, float x)
{
#pragma unroll
    for (int k = 0; k < 12; k++)
        asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(v) : "f"(x));
    return v;
}

template <int WHICH>
__global__ void __launch_bounds__(1024)
    repeat(const volatile float *in, unsigned long long *clocks, float *sink)
{
    __shared__ unsigned long long last;
    float v = in[threadIdx.x % 32], x = in[32], y = in[33];
    uint32_t u = (uint32_t)in[34] + threadIdx.x, n = (uint32_t)in[35], zero = (uint32_t)in[36], lane = threadIdx.x % 32;
    double d = (double)in[34];
    (void)lane, (void)zero, (void)n, (void)y;
    if (threadIdx.x == 0)
        last = 0;
    __syncthreads();
    uint64_t begin = clock64();
#pragma unroll 1
    for (int t = 0; t < TURNS; t++) {
#pragma unroll
        for (int k = 0; k < BLOCK; k++) {
#define I(name, ...)                                                                               \
    if constexpr (WHICH == K_##name) {                                                             \
        __VA_ARGS__;                                                                               \
    }
            LIST(I)
#undef I
        }
    }
    float sum = v + (float)u + (float)d;
    asm volatile("" ::"f"(sum) : "memory");
    atomicMax(&last, (unsigned long long)(clock64() - begin));
    __syncthreads();
    if (threadIdx.x == 0)
        *clocks = last;
    sink[threadIdx.x] = sum;
}

static float *in, *sink;
static unsigned long long *clocks;
static int repeats = 3;

template <int WHICH> static void run(const char *name)
{
    for (unsigned warps : {1u, 4u, 8u, 16u, 32u}) {
        unsigned long long least = ~0ull, now;
        for (int again = 0; again < repeats; again++) {
            repeat<WHICH><<<1, warps * 32>>>(in, clocks, sink);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
            least = std::min(least, now);
        }
        printf("%s,%u,%d,%llu\n", name, warps, TURNS * BLOCK, least);
    }
}

int main(int argc, char **argv)
{
    float numbers[64];
    if (argc > 1 && !strcmp(argv[1], "--one"))
        repeats = 1;
    for (int i = 0; i < 64; i++)
        numbers[i] = 1.25f + (float)i / 64;
    numbers[34] = 3, numbers[35] = 1000003, numbers[36] = 0;
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
