/* SPDX-License-Identifier: MIT
 *
 * mixed_sides.cu - which sides of a branch warps execute whose lanes decide it by a word that all
 * of them load, and by their own number (loaded_sides.cu has words of their own). 4 warps on each
 * sub-partition of every SM, 64 turns; no side accesses memory. What they load the launch writes again,
 * as it was, so that a trace does not have it. By name:
 *  - mixed: one of two sides, by the sign of the word less the lane's number: as often the one as the other
 *  - skip: the first of two tests of the same kind leads past everything for hardly any lane, the
 *    second for most (a splat's power and alpha)
 *  - shared: mixed, the word from shared memory
 *  - whole: mixed, compared as integers
 *  - tiny: a long side for a product, not negative, below 1e-5: none is
 *  - bound: a side for lanes below a bound that all load: 8 of 32
 * One launch a row, to be run under ncu (metrics/mixed_sides.txt: smsp__inst_executed.sum).
 *
 * Output: CSV rows  name,turns.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define TURNS   64
#define THREADS 512

template <int LENGTH> __device__ static float work(float v, float x)
{
#pragma unroll
    for (int i = 0; i < LENGTH; i++)
        v = v * x + (float)LENGTH;
    return v;
}

enum which { MIXED, SKIP, SHARED, WHOLE, TINY, BOUND };
static const char *const name[] = {"mixed", "skip", "shared", "whole", "tiny", "bound"};

template <int WHICH> __device__ static float turn(float v, float word, float lane)
{
    const float x = word - lane * (1.0f / 32.0f), d = x * x;
    switch (WHICH) {
    case SKIP:
        if (d > 0.9f)
            return v;
        v = work<24>(v, d);
        if (v * 0.0f + d > 0.01f)
            return v;
        return work<40>(v, x);
    case WHOLE: return (int)(word * 32.0f) < (int)lane ? work<24>(v, x) : work<40>(v, x);
    case TINY: return d + 0.001f < 1e-5f ? work<80>(v, x) : work<24>(v, x);
    case BOUND: return (int)lane < (int)(word * 0.0f) + 8 ? work<24>(v, x) : work<40>(v, x);
    default: return x < 0.0f ? work<24>(v, x) : work<40>(v, x);
    }
}

template <int WHICH>
__global__ void __launch_bounds__(THREADS) sides(float *table, uint32_t turns, float *out)
{
    __shared__ float kept[TURNS];
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0, lane = (float)(threadIdx.x % 32u);
    if (threadIdx.x < TURNS)
        kept[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (uint32_t t = 0; t < turns; t++)
        v = turn<WHICH>(v, WHICH == SHARED ? kept[t] : table[t], lane);
    out[i] = v;
    if (threadIdx.x < TURNS)
        table[threadIdx.x] = kept[threadIdx.x];
}

template <int WHICH> static void run(float *table, float *out)
{
    sides<WHICH><<<132, THREADS>>>(table, TURNS, out);
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%u\n", name[WHICH], TURNS);
}

int main()
{
    static float host[TURNS];
    float *table, *out;
    uint32_t state = 12345;
    for (float &value : host) {
        state = state * 1664525u + 1013904223u;
        value = (float)(state >> 8) / 16777216.0f;
    }
    MICRO_CUDA(cudaMalloc(&table, sizeof host));
    MICRO_CUDA(cudaMalloc(&out, 132 * THREADS * sizeof *out));
    MICRO_CUDA(cudaMemcpy(table, host, sizeof host, cudaMemcpyHostToDevice));
    printf("name,turns\n");
    run<MIXED>(table, out);
    run<SKIP>(table, out);
    run<SHARED>(table, out);
    run<WHOLE>(table, out);
    run<TINY>(table, out);
    run<BOUND>(table, out);
}
