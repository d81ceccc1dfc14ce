/* SPDX-License-Identifier: MIT
 *
 * special_loops.cu - what loops around functions of the mathematical library take, as compilers make
 * them: `warps` warps on each of the four sub-partitions of every SM load a word that L1 has, call
 * the function, and add what comes of it, 512 times. One launch a row, to be run under ncu
 * (metrics/special_loops.txt).
 *
 * Output: CSV rows  function,warps.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define TURNS 512

enum which { SINCOS, POW, EXP, LOG, RSQRT, SQRT, DIVIDE, ATAN, TANH, CONVERT };
static const char *const name[] = {"sincosf", "powf", "expf", "logf",  "rsqrtf",
                                   "sqrtf",   "divide", "atan2f", "tanhf", "convert"};

template <int WHICH> __device__ static float apply(float x, float y)
{
    float s = 0, c = 0;
    switch (WHICH) {
    case SINCOS: sincosf(x * y, &s, &c); return s * y + c;
    case POW: return powf(x, y);
    case EXP: return expf(x * y);
    case LOG: return logf(x + y);
    case RSQRT: return rsqrtf(x + y);
    case SQRT: return sqrtf(x + y);
    case DIVIDE: return x / (x + y);
    case ATAN: return atan2f(x, y);
    case TANH: return tanhf(x * y);
    default: return (float)(int)(x * y);
    }
}

template <int WHICH>
__global__ void __launch_bounds__(1024) repeat(const float *table, uint32_t turns, float *out)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const float y = 0.5f + threadIdx.x % 32 * 0.01f;
    float sum = 0;
#pragma unroll 1
    for (uint32_t t = 0; t < turns; t++)
        sum += apply<WHICH>(table[t], y);
    out[i] = sum;
}

template <int WHICH> static void run(const float *table, float *out)
{
    for (uint32_t warps : {1u, 2u, 4u, 8u}) {
        repeat<WHICH><<<132, warps * 128>>>(table, TURNS, out);
        MICRO_CUDA(cudaDeviceSynchronize());
        printf("%s,%u\n", name[WHICH], warps);
    }
}

int main()
{
    float *table, *out, host[TURNS];
    for (int i = 0; i < TURNS; i++)
        host[i] = 1.0f + i * 0.01f;
    MICRO_CUDA(cudaMalloc(&table, sizeof host));
    MICRO_CUDA(cudaMemcpy(table, host, sizeof host, cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMalloc(&out, 132 * 1024 * sizeof *out));
    puts("function,warps");
    run<SINCOS>(table, out);
    run<POW>(table, out);
    run<EXP>(table, out);
    run<LOG>(table, out);
    run<RSQRT>(table, out);
    run<SQRT>(table, out);
    run<DIVIDE>(table, out);
    run<ATAN>(table, out);
    run<TANH>(table, out);
    run<CONVERT>(table, out);
    return 0;
}
