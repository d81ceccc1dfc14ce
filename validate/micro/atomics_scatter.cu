/* SPDX-License-Identifier: MIT
 *
 * atomics_scatter.cu - atomics that go anywhere. All warps repeat an operation on words of 16 MiB
 * that L2 holds: `lanes` neighbouring lanes on neighbouring words of a line, which is any, and so
 * are those of the others; the first word of the line or any.
 *   red    additions without a result, of integers; redf: of floats
 *   atom   with a result
 * Settles: at what rate L2 carries them out, by the lanes of a line, where no slice has more to do
 * than others (atomics_timing.cu has lines in rows, which some slices get more of).
 * Leaves out: lanes that meet in a word, other than by chance.
 * Output: CSV: op,lanes,first,warps,turns - a row a launch, for ncu (metrics/atomics_scatter.txt);
 * each is of all SMs, a CTA each.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define SMS   132
#define TURNS 16
#define LINES (16u << 20 >> 7)

enum op { RED, REDF, ATOM };
static const char *const op_name[] = {"red", "redf", "atom"};

__device__ static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

template <int OP>
__global__ void __launch_bounds__(1024)
    scatter(uint32_t *area, uint32_t lanes, bool any, uint32_t *sink)
{
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32u, lane = threadIdx.x % 32u;
    uint32_t sum = 0;
#pragma unroll 1
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        const uint32_t at = mixed((warp * TURNS + turn) * 32u + lane / lanes);
        const uint32_t first = any ? (at >> 20) % (33u - lanes) : 0;
        uint32_t *word = area + at % LINES * 32u + first + lane % lanes;
        if (OP == RED)
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
        if (OP == REDF)
            asm volatile("red.global.add.f32 [%0], 0f00000000;" ::"l"(word) : "memory");
        if (OP == ATOM)
            sum += atomicAdd(word, 1u);
    }
    if (OP == ATOM && sum == 0x12345u)
        *sink = sum;
}

static uint32_t *area, *sink;

template <int OP> static void run(uint32_t lanes, bool any, uint32_t warps)
{
    printf("%s,%u,%s,%u,%d\n", op_name[OP], lanes, any ? "any" : "first", warps, TURNS);
    scatter<OP><<<SMS, warps * 32u>>>(area, lanes, any, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&area, LINES * 128u));
    MICRO_CUDA(cudaMemset(area, 0, LINES * 128u));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("op,lanes,first,warps,turns");
    for (uint32_t warps : {32u, 8u})
        for (bool any : {false, true})
            for (uint32_t lanes : {1u, 2u, 4u, 8u, 13u, 16u, 24u, 32u}) {
                run<RED>(lanes, any, warps);
                run<REDF>(lanes, any, warps);
                run<ATOM>(lanes, any, warps);
            }
    return 0;
}
