/* SPDX-License-Identifier: MIT
 *
 * calls_apart.cu - lanes that call a function in some turns of a loop and not in others, as what they
 * have loaded makes them, and access nothing else: those that did not call go on with those that did,
 * and a turn is executed once for all. A lane of 512 threads of every SM loads a word once, draws a
 * number from it each turn, and calls where that is among the first `of8` of eight. In `every`, a
 * branch stands in the loop besides, of which a trace does not tell where it goes: it is taken in each
 * turn whose number a quarter of the turns divides. One launch a row, to be run under ncu
 * (metrics/calls_apart.txt).
 *
 * Output: CSV rows  name,of8,turns.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <vector>

#define THREADS 512

/* Some work that no optimizer shortens. */
__device__ static __noinline__ float rare(float v, float x)
{
#pragma unroll
    for (int i = 0; i < 24; i++)
        v = v * x + (float)i;
    return v;
}

template <bool EVERY>
__global__ void __launch_bounds__(THREADS)
    calls(const uint32_t *table, uint32_t of8, uint32_t turns, float *out)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t state = table[i];
    float v = 0, sum = 0;
#pragma unroll 1
    for (uint32_t t = 0; t < turns; t++) {
        state = state * 1664525u + 1013904223u;
        const float x = (float)(state >> 8) / 16777216.0f;
#pragma unroll
        for (int k = 0; k < 16; k++)
            v = v * x + (float)k;
        if (state >> 29 < of8)
            v = rare(v, x);
        if (EVERY && (t + 1u) % (turns / 4u) == 0) {
#pragma unroll
            for (int k = 0; k < 12; k++)
                sum = sum * v + (float)k;
        }
    }
    out[i] = v + sum;
}

template <bool EVERY> static void run(const uint32_t *table, uint32_t of8, float *out)
{
    const uint32_t turns = 32;
    calls<EVERY><<<132, THREADS>>>(table, of8, turns, out);
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%u,%u\n", EVERY ? "every" : "plain", of8, turns);
}

int main()
{
    std::vector<uint32_t> host(132 * THREADS);
    uint32_t *table, state = 12345;
    float *out;
    for (uint32_t &value : host)
        value = state = state * 22695477u + 1u;
    MICRO_CUDA(cudaMalloc(&table, host.size() * sizeof host[0]));
    MICRO_CUDA(cudaMemcpy(table, host.data(), host.size() * sizeof host[0], cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMalloc(&out, host.size() * sizeof *out));
    puts("name,of8,turns");
    for (uint32_t of8 : {1u, 2u, 4u, 7u})
        run<false>(table, of8, out), run<true>(table, of8, out);
    return 0;
}
