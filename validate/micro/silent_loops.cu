/* SPDX-License-Identifier: MIT
 *
 * silent_loops.cu - loops in which nothing is accessed, so that no trace of accesses tells how often
 * they turn; what decides it is known to the launch. Each turn is a chain of four FFMA.
 *  - parameter: as often as a parameter says
 *  - product: a parameter times the CTA's number, divided by another one
 *  - halved: a float that is a parameter is multiplied by 0.37 until it is below 1
 *  - collatz: each lane as often as its thread's number asks
 *  - escape: each lane until a point of the plane, made of its thread's and CTA's number, has left
 *    the circle of the Mandelbrot set, at most `count` times
 *  - loaded: each lane as often as a word says that it loads
 *  - rooted: a double that each lane loads gives way to its root until it is below 1.5
 *  - voted: a warp until none of its lanes, each with a word that it loads, goes on
 * Settles: that parameters, floats and memory that nobody writes say which instructions a warp
 * executes (ncu's count).
 * Output: CSV: name,ctas,warps. One launch a row, so that it can be captured as it is.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstring>

enum which { PARAMETER, PRODUCT, HALVED, COLLATZ, ESCAPE, LOADED, ROOTED, VOTED };
static const char *const names[] = {"parameter", "product", "halved", "collatz",
                                    "escape",    "loaded",  "rooted", "voted"};

struct given {
    uint32_t count, divisor;
    float start;
    const uint32_t *words;
    const double *doubles;
};

__device__ static float work(float v, float x)
{
#pragma unroll
    for (int k = 0; k < 4; k++)
        asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(v) : "f"(x));
    return v;
}

template <int WHICH> __global__ void silent(given in, float *out)
{
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in.start;
    if (WHICH == PARAMETER || WHICH == PRODUCT) {
        const uint32_t turns = WHICH == PARAMETER ? in.count
                                                  : in.count * (blockIdx.x + 1u) / in.divisor;
#pragma unroll 1
        for (uint32_t i = 0; i < turns; i++)
            v = work(v, in.start);
    } else if (WHICH == HALVED) {
#pragma unroll 1
        for (float left = in.start; left >= 1.0f; left *= 0.37f)
            v = work(v, in.start);
    } else if (WHICH == COLLATZ) {
        uint32_t n = thread + 1u;
#pragma unroll 1
        for (; n != 1u; n = n % 2u ? 3u * n + 1u : n / 2u)
            v = work(v, in.start);
    } else if (WHICH == ESCAPE) {
        const float x = (float)threadIdx.x / (float)blockDim.x * 3.0f - 2.0f;
        const float y = (float)blockIdx.x / (float)gridDim.x * 2.0f - 1.0f;
        float a = 0, b = 0;
#pragma unroll 1
        for (uint32_t i = 0; i < in.count && a * a + b * b < 4.0f; i++) {
            const float next = a * a - b * b + x;
            b = 2.0f * a * b + y;
            a = next;
            v = work(v, in.start);
        }
    } else if (WHICH == LOADED) {
#pragma unroll 1
        for (uint32_t i = in.words[thread]; i; i--)
            v = work(v, in.start);
    } else if (WHICH == ROOTED) {
#pragma unroll 1
        for (double d = in.doubles[thread]; d >= 1.5; d = sqrt(d))
            v = work(v, in.start);
    } else {
        uint32_t left = in.words[thread];
#pragma unroll 1
        while (__any_sync(UINT32_MAX, left != 0)) {
            left -= left != 0;
            v = work(v, in.start);
        }
    }
    out[thread] = v;
}

static given in;
static float *out;

template <int WHICH> static void run(uint32_t ctas, uint32_t warps)
{
    silent<WHICH><<<ctas, warps * 32u>>>(in, out);
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%u,%u\n", names[WHICH], ctas, warps);
}

static void run_all(uint32_t ctas, uint32_t warps)
{
    run<PARAMETER>(ctas, warps);
    run<PRODUCT>(ctas, warps);
    run<HALVED>(ctas, warps);
    run<COLLATZ>(ctas, warps);
    run<ESCAPE>(ctas, warps);
    run<LOADED>(ctas, warps);
    run<ROOTED>(ctas, warps);
    run<VOTED>(ctas, warps);
}

int main()
{
    enum { THREADS = 16 * 128 };
    static uint32_t word[THREADS];
    static double wide[THREADS];
    uint32_t *words;
    double *doubles;
    for (uint32_t i = 0, random = 1; i < THREADS; i++) {
        random = random * 1664525u + 1013904223u;
        word[i] = random >> 26;
        wide[i] = 1.0 + (double)(random >> 8);
    }
    MICRO_CUDA(cudaMalloc(&words, sizeof word));
    MICRO_CUDA(cudaMalloc(&doubles, sizeof wide));
    MICRO_CUDA(cudaMalloc(&out, THREADS * sizeof *out));
    MICRO_CUDA(cudaMemcpy(words, word, sizeof word, cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMemcpy(doubles, wide, sizeof wide, cudaMemcpyHostToDevice));
    in = {37, 5, 1e9f, words, doubles};
    puts("name,ctas,warps");
    run_all(2, 1);
    run_all(16, 4);
    return 0;
}
