/* SPDX-License-Identifier: MIT
 *
 * loaded_sides.cu - which sides of a branch warps execute whose lanes decide it by what they have
 * loaded. Each lane of 4 warps on each sub-partition of every SM loads a word, takes its power of two
 * less one, x, goes through a chain of FFMA that x says, and again, 64 times; no side accesses
 * memory. (Nothing but the hardware knows bit by bit what powers it finds, so that the sides follow
 * from no trace.) By name:
 *  - else: one of two sides, as often the one as the other
 *  - chain: one of four, by three comparisons in a row
 *  - table: one of eight, by a switch
 *  - within: one of two, and one of two within either
 *  - same: one of two, by a word that all lanes load
 *  - sum: one of two, by the sum of all lanes' x
 *  - large, small, equal: a long side for what is beyond 1e6, below 1e-6, or is 0.5: none is
 *  - few: one of two, the second by one word of 256
 * One launch a row, to be run under ncu (metrics/loaded_sides.txt).
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

enum which { ELSE, CHAIN, TABLE, WITHIN, SAME, SUM, LARGE, SMALL, EQUAL, FEW };
static const char *const name[] = {"else", "chain", "table", "within", "same",
                                   "sum",  "large", "small", "equal",  "few"};

__device__ static float sum_of_warp(float x)
{
    for (int step = 16; step; step /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

template <int WHICH> __device__ static float turn(float v, float x)
{
    switch (WHICH) {
    case CHAIN:
        if (x < 0.25f)
            return work<40>(v, x);
        if (x < 0.5f)
            return work<32>(v, x);
        if (x < 0.75f)
            return work<28>(v, x);
        return work<24>(v, x);
    case TABLE:
        switch ((int)(x * 8.0f)) {
        case 0: return work<24>(v, x);
        case 1: return work<26>(v, x);
        case 2: return work<28>(v, x);
        case 3: return work<30>(v, x);
        case 4: return work<32>(v, x);
        case 5: return work<34>(v, x);
        case 6: return work<36>(v, x);
        case 7: return work<38>(v, x);
        default: return v;
        }
    case WITHIN:
        if (x < 0.5f) {
            v = work<24>(v, x);
            return x < 0.25f ? work<26>(v, v) : work<28>(v, v);
        }
        v = work<30>(v, x);
        return x < 0.75f ? work<32>(v, v) : work<34>(v, v);
    case SUM: return sum_of_warp(x) < 16.0f ? work<24>(v, x) : work<40>(v, x);
    case LARGE: return fabsf(x) >= 1e6f ? work<80>(v, x) : work<24>(v, x);
    case SMALL: return fabsf(x) < 1e-6f ? work<80>(v, x) : work<24>(v, x);
    case EQUAL: return x == 0.5f ? work<80>(v, x) : work<24>(v, x);
    case FEW: return x >= 255.0f / 256.0f ? work<40>(v, x) : work<24>(v, x);
    default: return x < 0.5f ? work<24>(v, x) : work<40>(v, x);
    }
}

__device__ static float power(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y - 1.0f;
}

template <int WHICH>
__global__ void __launch_bounds__(THREADS) sides(const float *table, uint32_t turns, float *out)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
#pragma unroll 1
    for (uint32_t t = 0; t < turns; t++)
        v = turn<WHICH>(v, power(table[WHICH == SAME ? t * 37u : t * THREADS + threadIdx.x]));
    out[i] = v;
}

template <int WHICH> static void run(const float *table, float *out)
{
    sides<WHICH><<<132, THREADS>>>(table, TURNS, out);
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%u\n", name[WHICH], TURNS);
}

int main()
{
    static float host[TURNS * THREADS];
    float *table, *out;
    uint32_t state = 12345;
    for (float &value : host) {
        state = state * 1664525u + 1013904223u;
        value = (float)(state >> 8) / 16777216.0f;
        if (value < 1e-5f || value == 0.5f)
            value = 0.3f;
    }
    MICRO_CUDA(cudaMalloc(&table, sizeof host));
    MICRO_CUDA(cudaMemcpy(table, host, sizeof host, cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMalloc(&out, 132 * THREADS * sizeof *out));
    puts("name,turns");
    run<ELSE>(table, out);
    run<CHAIN>(table, out);
    run<TABLE>(table, out);
    run<WITHIN>(table, out);
    run<SAME>(table, out);
    run<SUM>(table, out);
    run<LARGE>(table, out);
    run<SMALL>(table, out);
    run<EQUAL>(table, out);
    run<FEW>(table, out);
    return 0;
}
