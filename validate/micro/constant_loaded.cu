/* SPDX-License-Identifier: MIT
 *
 * constant_loaded.cu - loads of constants whose index was loaded. Each thread loads a kind, 0 to
 * degree - 1 in no order, and by it four constants; 32 times. Kinds are
 *   word   of four bytes, and lie one behind the other
 *   byte   of one byte
 *   list   of four bytes, wherever a list of places says, which is loaded before
 * and tables
 *   param  in the kernel's parameters
 *   bank   in a __constant__ variable
 * Settles: whether a load of constants takes as long by the number of different kinds that its warp
 * has loaded as it does by that of addresses that the code computes (constant.cu).
 * Leaves out: kinds in shared memory, tables that the cache of constants does not hold.
 * Output: CSV: kind,table,degree,ctas,threads - a row a launch, for ncu (metrics/constant_loaded.txt).
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <vector>

#define CTAS    8
#define THREADS 1024
#define TURNS   32
#define KINDS   8192 /* of a table of kinds */
#define DEGREES 32

struct table {
    float a[DEGREES], b[DEGREES], c[DEGREES], d[DEGREES];
};

__constant__ table bank;

enum kind { WORD, BYTE, LIST };

template <int KIND, bool BANK>
__global__ void __launch_bounds__(THREADS)
    look_up(table param, const uint32_t *kinds, const uint8_t *bytes, const uint32_t *list,
            float *sink)
{
    float x = 0;
#pragma unroll 1
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        const uint32_t at = (turn * THREADS + threadIdx.x) % KINDS;
        const uint32_t kind = KIND == BYTE   ? bytes[at]
                              : KIND == LIST ? kinds[list[at]]
                                             : kinds[at];
        if (BANK)
            x = (x * bank.a[kind] + bank.b[kind]) * bank.c[kind] + bank.d[kind];
        else
            x = (x * param.a[kind] + param.b[kind]) * param.c[kind] + param.d[kind];
    }
    if (x == 12345.f)
        *sink = x;
}

static uint32_t *kinds, *list;
static uint8_t *bytes;
static float *sink;
static table values;

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void fill(uint32_t degree)
{
    uint32_t state = 1;
    std::vector<uint32_t> kind(KINDS), place(KINDS);
    std::vector<uint8_t> byte(KINDS);
    for (uint32_t i = 0; i < KINDS; i++) {
        kind[i] = next(&state) % degree;
        byte[i] = (uint8_t)kind[i];
        place[i] = next(&state) % KINDS;
    }
    MICRO_CUDA(cudaMemcpy(kinds, kind.data(), KINDS * 4u, cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMemcpy(list, place.data(), KINDS * 4u, cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMemcpy(bytes, byte.data(), KINDS, cudaMemcpyHostToDevice));
}

template <int KIND, bool BANK> static void run(uint32_t degree)
{
    static const char *const name[] = {"word", "byte", "list"};
    look_up<KIND, BANK><<<CTAS, THREADS>>>(values, kinds, bytes, list, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%s,%u,%d,%d\n", name[KIND], BANK ? "bank" : "param", degree, CTAS, THREADS);
}

int main()
{
    MICRO_CUDA(cudaMalloc(&kinds, KINDS * 4u));
    MICRO_CUDA(cudaMalloc(&list, KINDS * 4u));
    MICRO_CUDA(cudaMalloc(&bytes, KINDS));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("kind,table,degree,ctas,threads");
    for (uint32_t degree = 1; degree <= DEGREES; degree *= 2) {
        fill(degree);
        run<WORD, false>(degree);
        run<WORD, true>(degree);
        run<BYTE, false>(degree);
        run<BYTE, true>(degree);
        run<LIST, false>(degree);
        run<LIST, true>(degree);
    }
    return 0;
}
