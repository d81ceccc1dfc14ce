/* SPDX-License-Identifier: MIT
 *
 * partial_rows.cu - what it costs that L2 has parts of sectors completed: each is read from DRAM, and
 * written there later. All warps go side by side over `places`, `stride` bytes apart, a lane each:
 * one after another (near), or each 40,503rd (far). They are more lines than L2 keeps written ones.
 *
 * - part: `bytes` of each are stored. whole: two lanes store a sector of each.
 * - rmw: `bytes` are loaded, and stored there. read: they are loaded past L1.
 *
 * One launch a row, from flushed caches, to be run under ncu (metrics/partial_rows.txt).
 * Argument: near or far, for a capture, that order alone, and of far but a stride of 512.
 * Output: CSV rows  form,order,bytes,stride,places.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstring>

#define CTAS    1056u
#define THREADS 256u
#define AHEAD   4u
#define SPAN    (512u << 20) /* bytes, of fewer places */
#define FEWEST  (1u << 20)
#define MOST    (1u << 22)

enum form { PART, WHOLE, RMW, READ };
static const char *const name[] = {"part", "whole", "rmw", "read"};

template <int FORM, typename T>
__global__ void __launch_bounds__(THREADS) walk(char *memory, uint32_t stride, uint32_t places, uint32_t step, T value,
                                                uint32_t *sink)
{
    const uint32_t all = gridDim.x * blockDim.x, lanes = FORM == WHOLE ? 2u : 1u;
    uint32_t sum = 0;
    for (uint32_t t = blockIdx.x * blockDim.x + threadIdx.x; t < places * lanes; t += all * AHEAD) {
        T was[AHEAD];
        char *at[AHEAD];
#pragma unroll
        for (uint32_t k = 0; k < AHEAD; k++) {
            const uint32_t place = (t + k * all) / lanes * step & (places - 1u);
            at[k] = memory + (size_t)place * stride + (t & (lanes - 1u)) * sizeof(T);
            was[k] = value;
            if (FORM >= RMW && t + k * all < places)
                was[k] = __ldcg((const T *)at[k]);
        }
#pragma unroll
        for (uint32_t k = 0; k < AHEAD; k++) {
            if (FORM == READ)
                sum += *(const uint32_t *)&was[k];
            else if (t + k * all < places * lanes)
                *(T *)at[k] = was[k];
        }
    }
    if (FORM == READ && sum == 0x12345)
        *sink = sum;
}

template <int FORM, typename T> static void run(char *memory, T value, const char *order, uint32_t *sink)
{
    for (uint32_t stride : {32u, 64u, 128u, 256u, 512u, 1024u}) {
        uint32_t places = SPAN / stride;
        places = places > MOST ? MOST : places < FEWEST ? FEWEST : places;
        for (uint32_t step : {1u, 40503u}) {
            const char *const of = step == 1u ? "near" : "far";
            if (order && (strcmp(order, of) || (step != 1u && stride != 512u)))
                continue;
            walk<FORM, T><<<CTAS, THREADS>>>(memory, stride, places, step, value, sink);
            MICRO_CUDA(cudaDeviceSynchronize());
            printf("%s,%s,%u,%u,%u\n", name[FORM], of,
                   FORM == WHOLE ? 32u : (uint32_t)sizeof(T), stride, places);
        }
    }
}

int main(int count, char **word)
{
    const char *const order = count > 1 ? word[1] : nullptr;
    char *memory;
    uint32_t *sink;
    const size_t bytes = (size_t)1024u * FEWEST;
    MICRO_CUDA(cudaMalloc(&memory, bytes));
    MICRO_CUDA(cudaMemset(memory, 0, bytes));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("form,order,bytes,stride,places");
    run<PART>(memory, 1u, order, sink);
    run<PART>(memory, make_uint4(1, 2, 3, 4), order, sink);
    run<WHOLE>(memory, make_uint4(1, 2, 3, 4), order, sink);
    run<RMW>(memory, 1u, order, sink);
    run<RMW>(memory, make_uint4(1, 2, 3, 4), order, sink);
    run<READ>(memory, 1u, order, sink);
    return 0;
}
