/* SPDX-License-Identifier: MIT
 *
 * cold_wide.cu - what code costs that is executed for the first time in a launch, by warps that
 * could go faster than a chain, and by several. `instructions` FFMAs in `chains` chains (4: one
 * could issue each clock), 16 bytes each, are executed twice by each of `warps` warps of a CTA on
 * each of 132 SMs. To be run under ncu, which empties caches before each launch. Settles: at which
 * rate code comes that is there when a launch begins, and that is not; whether warps that go side
 * by side share what comes. Leaves out: jumps. Output: CSV:
 * instructions,chains,warps,first,last,second,second_last - clocks of the mean and of the slowest
 * warp of a CTA, in the mean of CTAs, the first time and the second.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

enum { SMS = 132, WARPS = 16 };

#define F(x)      "fma.rn.f32 " x ", " x ", " x ", %4;"
#define ONE       F("%0") F("%0") F("%0") F("%0") F("%0") F("%0") F("%0") F("%0")
#define TWO       F("%0") F("%1") F("%0") F("%1") F("%0") F("%1") F("%0") F("%1")
#define FOUR      F("%0") F("%1") F("%2") F("%3") F("%0") F("%1") F("%2") F("%3")
#define TIMES8(x) x x x x x x x x

template <int CHAINS> __device__ __forceinline__ void piece(float (&x)[4], float y)
{
    if (CHAINS == 1)
        asm volatile(TIMES8(TIMES8(ONE)) : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "f"(y));
    else if (CHAINS == 2)
        asm volatile(TIMES8(TIMES8(TWO)) : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "f"(y));
    else
        asm volatile(TIMES8(TIMES8(FOUR))
                     : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
                     : "f"(y));
}

template <int COUNT, int CHAINS>
__global__ void code(unsigned long long *clocks, float *sink, float y)
{
    float x[4] = {1, 2, 3, 4};
    __syncthreads();
#pragma unroll 1
    for (int turn = 0; turn < 2; turn++) {
        uint64_t start = clock64();
#pragma unroll
        for (int i = 0; i < COUNT / 512; i++)
            piece<CHAINS>(x, y);
        asm volatile("" ::"f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3]) : "memory");
        if (threadIdx.x % 32 == 0)
            clocks[(blockIdx.x * 2 + turn) * WARPS + threadIdx.x / 32] = clock64() - start;
        __syncthreads();
    }
    if (x[0] + x[1] + x[2] + x[3] == 3)
        *sink = x[0];
}

static unsigned long long *clocks, here[SMS * 2 * WARPS];
static float *sink;

template <int COUNT, int CHAINS> static void run(void)
{
    for (int warps : {1, 2, 4, 8, 16}) {
        code<COUNT, CHAINS><<<SMS, warps * 32>>>(clocks, sink, 1.5f);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(here, clocks, sizeof here, cudaMemcpyDeviceToHost));
        double mean[2] = {0, 0}, last[2] = {0, 0};
        for (int cta = 0; cta < SMS; cta++)
            for (int turn = 0; turn < 2; turn++) {
                unsigned long long most = 0;
                for (int w = 0; w < warps; w++) {
                    unsigned long long c = here[(cta * 2 + turn) * WARPS + w];
                    mean[turn] += (double)c / warps;
                    most = std::max(most, c);
                }
                last[turn] += (double)most;
            }
        printf("%d,%d,%d,%.0f,%.0f,%.0f,%.0f\n", COUNT, CHAINS, warps, mean[0] / SMS, last[0] / SMS,
               mean[1] / SMS, last[1] / SMS);
    }
}

template <int COUNT> static void chains(void)
{
    run<COUNT, 1>();
    run<COUNT, 2>();
    run<COUNT, 4>();
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&clocks, sizeof here));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("instructions,chains,warps,first,last,second,second_last");
    chains<512>();
    chains<1024>();
    chains<2048>();
    chains<3072>();
    chains<4096>();
    chains<6144>();
    chains<8192>();
    chains<12288>();
    return 0;
}
