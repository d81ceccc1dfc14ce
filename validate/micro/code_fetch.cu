/* SPDX-License-Identifier: MIT
 *
 * code_fetch.cu - what it takes to fetch instructions. Warps repeat a loop of straight code,
 * `instructions` additions and what the loop needs, 16 bytes each: in one chain (chain: an
 * instruction every 4 clocks needs no more), in four (wide: one a clock), in four with a jump over
 * `skip` instructions after every eighth (jump); in one chain with the loop's counter and condition
 * ready long before its branch (loop), and with `skip` branches that are not taken in the chain
 * (pass) or that are, over eight instructions each (over). `warps` of one CTA start together. Settles: what a
 * taken branch costs beyond its stall count, and from which size on instructions come too late, by
 * warps. Leaves out: code that is executed once. Output: CSV:
 * kind,instructions,skip,warps,turns,clocks - clocks of the slowest warp, the least of three runs.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>

enum kind { CHAIN, WIDE, JUMP };
static const char *const kind_name[] = {"chain", "wide", "jump"};

#define FMA(x, y) "fma.rn.f32 " x "," x "," y "," y "; "
#define ADD(x)    asm volatile(FMA("%0", "%1") : "+f"(x) : "f"(y))
/* 64 in one statement: one by one, twelve thousand take the compiler a minute. It places what stands
 * before shorter chains otherwise then, so that these stay as they were measured. */
#define IN_ONE(kind, count) (count % 64 == 0 && (kind == WIDE || (kind == CHAIN && count > 3072)))
#define TIMES16(text) text text text text text text text text text text text text text text text text
#define ADD4          FMA("%0", "%1") FMA("%0", "%1") FMA("%0", "%1") FMA("%0", "%1")
#define ADD4_WIDE     FMA("%0", "%4") FMA("%1", "%4") FMA("%2", "%4") FMA("%3", "%4")

template <int KIND, int COUNT, int SKIP> struct code {
    static __device__ __forceinline__ void go(float (&x)[4], float y, uint32_t never)
    {
        if constexpr (IN_ONE(KIND, COUNT)) {
#pragma unroll
            for (int i = 0; i < COUNT / 64; i++)
                if constexpr (KIND == CHAIN)
                    asm volatile(TIMES16(ADD4) : "+f"(x[0]) : "f"(y));
                else
                    asm volatile(TIMES16(ADD4_WIDE)
                                 : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
                                 : "f"(y));
        } else if constexpr (COUNT > 64) {
            code<KIND, COUNT / 2, SKIP>::go(x, y, never);
            code<KIND, COUNT - COUNT / 2, SKIP>::go(x, y, never);
        } else {
#pragma unroll
            for (int i = 0; i < COUNT; i++) {
                ADD(x[KIND == CHAIN ? 0 : i % 4]);
                if (KIND == JUMP && i % 8 == 7)
                    if (__builtin_expect(never != 0, 1)) {
#pragma unroll
                        for (int s = 0; s < SKIP; s++)
                            ADD(x[s % 4]);
                    }
            }
        }
    }
};

template <int KIND, int COUNT, int SKIP>
__global__ void __launch_bounds__(1024)
    repeat(float y, uint32_t turns, uint32_t never, unsigned long long *clocks, float *sink)
{
    float x[4] = {y, y + 1, y + 2, y + 3};
    uint64_t begin = 0;
    __syncthreads();
#pragma unroll 1
    for (uint32_t t = 0; t <= turns; t++) {
        if (t == 1)
            begin = clock64();
        code<KIND, COUNT, SKIP>::go(x, y, never);
    }
    atomicMax(clocks, (unsigned long long)(clock64() - begin));
    if (x[0] + x[1] + x[2] + x[3] == 12345.5f)
        *sink = x[0];
}

#define FMA4  "fma.rn.f32 %0,%0,%2,%2; fma.rn.f32 %0,%0,%2,%2; fma.rn.f32 %0,%0,%2,%2; fma.rn.f32 %0,%0,%2,%2;\n"
#define FMA16 FMA4 FMA4 FMA4 FMA4
#define PASS  "{ @q bra away; }\n" FMA4 FMA4
#define OVER  "{ @!q bra past;\n" FMA4 FMA4 "past: }\n" FMA4 FMA4
#define LOOP(body)                                                                                 \
    asm volatile("{ .reg .pred p, q; .reg .u32 t; mov.u32 t,%1; setp.eq.u32 q,t,%3;\n"             \
                 "again: sub.u32 t,t,1; setp.ne.u32 p,t,0;\n" body "@p bra again;\n"              \
                 "away: }"                                                                         \
                 : "+f"(x)                                                                         \
                 : "r"(turns), "f"(y), "r"(never)                                                  \
                 : "memory")

/* Kinds of loops, by number. */
template <int WHICH> __device__ static void loop(float &x, float y, uint32_t turns, uint32_t never)
{
    if (WHICH == 0)
        LOOP(FMA4);
    if (WHICH == 1)
        LOOP(FMA4 FMA4);
    if (WHICH == 2)
        LOOP(FMA16);
    if (WHICH == 3)
        LOOP(FMA16 FMA16);
    if (WHICH == 4)
        LOOP(FMA16 FMA16 FMA16 FMA16);
    if (WHICH == 5)
        LOOP(PASS PASS PASS PASS PASS PASS PASS PASS);
    if (WHICH == 6)
        LOOP(OVER OVER OVER OVER OVER OVER OVER OVER);
}

template <int WHICH>
__global__ void __launch_bounds__(1024)
    tight(float y, uint32_t turns, uint32_t never, unsigned long long *clocks, float *sink)
{
    float x = y;
    loop<WHICH>(x, y, 16, never);
    __syncthreads();
    uint64_t begin = clock64();
    loop<WHICH>(x, y, turns, never);
    atomicMax(clocks, (unsigned long long)(clock64() - begin));
    if (x == 12345.5f)
        *sink = x;
}

static unsigned long long *clocks;

template <int WHICH> static void run_tight(const char *kind, int instructions, int skip)
{
    for (unsigned warps : {1u, 4u, 8u, 16u, 32u}) {
        unsigned long long least = ~0ull, now;
        for (int again = 0; again < 3; again++) {
            MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
            tight<WHICH><<<1, warps * 32>>>(1.5f, 1024, 5000, clocks, (float *)(clocks + 1));
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
            least = std::min(least, now);
        }
        printf("%s,%d,%d,%u,1024,%llu\n", kind, instructions, skip, warps, least);
    }
}

template <int KIND, int COUNT, int SKIP> static void run(void)
{
    uint32_t turns = std::max(4, 65536 / COUNT);
    for (unsigned warps : {1u, 4u, 8u, 16u, 32u}) {
        unsigned long long least = ~0ull, now;
        for (int again = 0; again < 3; again++) {
            MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
            repeat<KIND, COUNT, SKIP><<<1, warps * 32>>>(1.5f, turns, 0, clocks, (float *)(clocks + 1));
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
            least = std::min(least, now);
        }
        printf("%s,%d,%d,%u,%u,%llu\n", kind_name[KIND], COUNT, SKIP, warps, turns, least);
    }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&clocks, 16));
    puts("kind,instructions,skip,warps,turns,clocks");
#define SIZES(R)                                                                                   \
    R(4) R(8) R(16) R(32) R(64) R(256) R(512) R(1024) R(1536) R(2048) R(3072) R(4096) R(6144)      \
        R(7168) R(8192) R(12288)
#define BOTH(n) run<CHAIN, n, 0>(), run<WIDE, n, 0>();
    SIZES(BOTH)
    run<JUMP, 64, 1>(), run<JUMP, 64, 8>(), run<JUMP, 64, 32>(), run<JUMP, 256, 8>();
    run<JUMP, 512, 8>();
    run_tight<0>("loop", 4, 0);
    run_tight<1>("loop", 8, 0);
    run_tight<2>("loop", 16, 0);
    run_tight<3>("loop", 32, 0);
    run_tight<4>("loop", 64, 0);
    run_tight<5>("pass", 64, 8);
    run_tight<6>("over", 64, 8);
    return 0;
}
