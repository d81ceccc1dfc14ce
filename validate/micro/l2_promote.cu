/* SPDX-License-Identifier: MIT
 *
 * l2_promote.cu - what a load that asks L2 for 64, 128 or 256 bytes brings. Each lane reads 4 bytes
 * (copies: 16) of sector `sector` of every `step`th of 131,072 lines, each line once, from a
 * flushed L2. One launch a row, to be run under ncu (metrics/l2_promote.txt). load     ld.global,
 * .L2::64B, .L2::128B, .L2::256B copy     cp.async.cg, the same twice    load; then another sector
 * of the same lines, plainly: is it there? Output: CSV rows  experiment,bytes,sector,step.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define CTAS    264u
#define THREADS 256u
#define LINES   131072u

#define LOAD(hint)                                                                                 \
    asm volatile("ld.global" hint ".u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory")
#define COPY(hint)                                                                                 \
    asm volatile("cp.async.cg.shared.global" hint " [%0], [%1], 16;"                               \
                 ::"r"(to), "l"(at)                                                                \
                 : "memory")

template <int B> __device__ static uint32_t load(const char *at)
{
    uint32_t value;
    if (B == 64)
        LOAD(".L2::64B");
    else if (B == 128)
        LOAD(".L2::128B");
    else if (B == 256)
        LOAD(".L2::256B");
    else
        LOAD("");
    return value;
}

template <int B> __device__ static void copy(uint32_t to, const char *at)
{
    if (B == 64)
        COPY(".L2::64B");
    else if (B == 128)
        COPY(".L2::128B");
    else if (B == 256)
        COPY(".L2::256B");
    else
        COPY("");
}

#define EACH_LINE                                                                                  \
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < LINES / step; i += CTAS * THREADS)

template <int B> __global__ void load(const char *p, uint32_t sector, uint32_t step, uint32_t *sink)
{
    uint32_t sum = 0;
    EACH_LINE sum += load<B>(p + (size_t)i * step * 128u + sector * 32u);
    if (sum == 0x12345)
        *sink = sum;
}

template <int B> __global__ void copy(const char *p, uint32_t sector, uint32_t step, uint32_t *sink)
{
    __shared__ uint4 there[THREADS];
    EACH_LINE
    {
        copy<B>((uint32_t)__cvta_generic_to_shared(there + threadIdx.x),
                p + (size_t)i * step * 128u + sector * 32u);
        asm volatile("cp.async.wait_all;" ::: "memory");
    }
    if (there[threadIdx.x].x == 0x12345)
        *sink = 1;
}

template <int B>
__global__ void twice(const char *p, uint32_t sector, uint32_t step, uint32_t *sink)
{
    uint32_t sum = 0;
    EACH_LINE sum += load<B>(p + (size_t)i * step * 128u + sector * 32u);
    if (sum == 0x12345)
        *sink = sum;
    __syncthreads();
    EACH_LINE sum += load<0>(p + (size_t)i * step * 128u + (sector ^ 2u) * 32u);
    if (sum == 0x12345)
        *sink = sum;
}

static char *p;
static uint32_t *sink;

#define ROW(experiment, B, sector, step)                                                           \
    do {                                                                                           \
        experiment<B><<<CTAS, THREADS>>>(p, sector, step, sink);                                   \
        MICRO_CUDA(cudaGetLastError());                                                            \
        MICRO_CUDA(cudaDeviceSynchronize());                                                       \
        printf(#experiment ",%d,%u,%u\n", B, sector, step);                                        \
    } while (0)

template <int B> static void rows(void)
{
    for (uint32_t step : {1u, 2u, 4u})
        for (uint32_t sector : {0u, 3u})
            ROW(load, B, sector, step);
    for (uint32_t step : {1u, 2u})
        ROW(copy, B, 0u, step);
    ROW(twice, B, 0u, 1u);
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&p, LINES * (size_t)128));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMemset(p, 0, LINES * (size_t)128));
    printf("experiment,bytes,sector,step\n");
    rows<0>();
    rows<64>();
    rows<128>();
    rows<256>();
    return 0;
}
