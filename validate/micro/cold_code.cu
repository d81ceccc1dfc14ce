/* SPDX-License-Identifier: MIT
 *
 * cold_code.cu - what code costs that is executed for the first time in a launch. A chain of
 * `instructions` FFMAs, 16 bytes each, is executed twice by one warp on each of `ctas` SMs; the same
 * launch comes several times: behind other code (`other`), after a kernel that writes 128 MB
 * (`flushed`), at once (`again`). To be run under ncu, which empties caches before each launch; the
 * table is of such a run, where all launches of a size are alike. Settles: how much code is there
 * when a launch begins, and what the rest costs a line of 128 bytes. Leaves out: several warps, that
 * would fetch for one another. Output: CSV: kind,instructions,ctas,first,second - mean clocks of the
 * first and of the second time.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define FFMA   "fma.rn.f32 %0, %0, %1, %1;"
#define FFMA8  FFMA FFMA FFMA FFMA FFMA FFMA FFMA FFMA
#define FFMA64 FFMA8 FFMA8 FFMA8 FFMA8 FFMA8 FFMA8 FFMA8 FFMA8

/* One assembler statement for many instructions: the compiler reads each of them. */
template <int COUNT> __device__ __forceinline__ float chain(float x, float y)
{
#pragma unroll
    for (int i = 0; i < COUNT / 512; i++)
        asm volatile(FFMA64 FFMA64 FFMA64 FFMA64 FFMA64 FFMA64 FFMA64 FFMA64 : "+f"(x) : "f"(y));
    return x;
}

template <int COUNT> __global__ void code(unsigned long long *clocks, float *sink, float y)
{
    float x = 1;
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
        uint64_t start = clock64();
        x = chain<COUNT>(x, y);
        asm volatile("" ::"f"(x) : "memory");
        if (threadIdx.x == 0)
            clocks[2 * blockIdx.x + i] = clock64() - start;
    }
    if (x == 3)
        *sink = x;
}

__global__ void fill(uint4 *buffer, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        buffer[i] = make_uint4(1, 2, 3, 4);
}

static unsigned long long *clocks, here[264];
static float *sink;
static uint4 *buffer;

template <int COUNT> static void run(void)
{
    for (int ctas : {1, 132})
        for (int turn = 0; turn < 4; turn++) {
            if (turn < 3)
                fill<<<528, 256>>>(buffer, (128u << 20) / sizeof *buffer);
            code<COUNT><<<ctas, 32>>>(clocks, sink, 1.5f);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(here, clocks, sizeof here, cudaMemcpyDeviceToHost));
            double sum[2] = {0, 0};
            for (int i = 0; i < 2 * ctas; i++)
                sum[i % 2] += (double)here[i];
            printf("%s,%d,%d,%.0f,%.0f\n",
                   turn == 3 ? "again"
                   : turn    ? "flushed"
                             : "other",
                   COUNT, ctas, sum[0] / ctas, sum[1] / ctas);
        }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&clocks, sizeof here));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMalloc(&buffer, 128u << 20));
    puts("kind,instructions,ctas,first,second");
    run<512>();
    run<1024>();
    run<2048>();
    run<3072>();
    run<4096>();
    run<5120>();
    run<6144>();
    run<7168>();
    run<7680>();
    run<8192>();
    run<12288>();
    return 0;
}
