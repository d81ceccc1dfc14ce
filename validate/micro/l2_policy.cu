/* SPDX-License-Identifier: MIT
 *
 * l2_policy.cu - what L2 keeps, what it reads from DRAM and when it writes back. One launch a row,
 * each from flushed caches, to be run under ncu (metrics/l2_policy.txt). Settles:
 *   private    W bytes read `passes` times, every byte by one SM: the capacity that reads find when
 *              a line is wanted on one side of L2 only
 *   shared     W bytes read twice by two SMs each, in neighbouring CTAs
 *   all        W bytes read twice by all SMs: the capacity when every line is wanted on both sides
 *   sector     one sector of every 64, 128 ... bytes: the granule of a DRAM read
 *   write      W bytes stored once, whole sectors; partial: 4 bytes of every `stride`
 *   halves     both 16-byte halves of each sector stored by different warps, one pass after another
 *   wread      W bytes stored (whole or 4 bytes a sector), then `other` bytes read, in one launch
 *   wspin      W bytes stored, then a wait of `other` microseconds
 *   wload      4 bytes of every sector stored, then the same sectors loaded from other SMs
 *   red, atom  one 4-byte reduction or atomic a sector
 * Output: CSV rows  experiment,bytes,passes,stride,other.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CTAS    264u
#define THREADS 512u

/* Word `index` of the whole grid's `step`th visit. */
__device__ static uint32_t sum_of(const uint32_t *p, size_t words, size_t first, size_t step)
{
    uint32_t sum = 0;
    for (size_t i = first; i < words; i += step)
        sum += __ldcg(p + i);
    return sum;
}

__global__ void read_private(const uint32_t *p, size_t words, uint32_t passes, uint32_t *sink)
{
    uint32_t sum = 0;
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
    for (uint32_t k = 0; k < passes; k++)
        sum += sum_of(p, words, thread, threads);
    if (sum == 0x12345)
        *sink = sum;
}

/* CTA b and b ^ 1 read the same words. */
__global__ void read_shared(const uint32_t *p, size_t words, uint32_t passes, uint32_t *sink)
{
    uint32_t sum = 0;
    size_t thread = (blockIdx.x / 2) * (size_t)blockDim.x + threadIdx.x;
    size_t threads = (size_t)(gridDim.x / 2) * blockDim.x;
    for (uint32_t k = 0; k < passes; k++)
        sum += sum_of(p, words, thread, threads);
    if (sum == 0x12345)
        *sink = sum;
}

/* Each SM begins elsewhere, so that few reads of a line are under way together. */
__global__ void read_all(const uint32_t *p, size_t words, uint32_t passes, uint32_t *sink)
{
    uint32_t sum = 0;
    size_t begin = words / gridDim.x * blockIdx.x / 32 * 32;
    for (uint32_t k = 0; k < passes; k++)
        for (size_t i = threadIdx.x; i < words; i += blockDim.x) {
            size_t at = begin + i;
            sum += __ldcg(p + (at < words ? at : at - words));
        }
    if (sum == 0x12345)
        *sink = sum;
}

__global__ void read_sector(const uint32_t *p, size_t words, size_t stride, uint32_t *sink)
{
    uint32_t sum = 0;
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
    sum += sum_of(p, words, thread * stride, threads * stride);
    if (sum == 0x12345)
        *sink = sum;
}

__global__ void store(uint32_t *p, size_t words, size_t stride)
{
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = thread * stride; i < words; i += threads * stride)
        p[i] = 1;
}

__global__ void store_halves(uint4 *p, size_t quads)
{
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
    for (uint32_t half = 0; half < 2; half++)
        for (size_t i = thread * 2 + half; i < quads; i += threads * 2)
            p[i] = make_uint4(1, 1, 1, 1);
}

__global__ void store_read(uint32_t *p, size_t words, size_t stride, const uint32_t *other, size_t other_words,
                           uint32_t *sink)
{
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = thread * stride; i < words; i += threads * stride)
        p[i] = 1;
    uint32_t sum = sum_of(other, other_words, thread, threads);
    if (sum == 0x12345)
        *sink = sum;
}

__global__ void store_spin(uint32_t *p, size_t words, size_t stride, uint32_t microseconds)
{
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = thread * stride; i < words; i += threads * stride)
        p[i] = 1;
    uint64_t start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        __nanosleep(500);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < microseconds * 1000ull);
}

__global__ void store_load(uint32_t *p, size_t words, size_t stride, uint32_t *sink)
{
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = thread * stride; i < words; i += threads * stride)
        p[i] = 1;
    uint32_t sum = sum_of(p, words, thread * stride + threads / 2 * stride, threads * stride);
    if (sum == 0x12345)
        *sink = sum;
}

__global__ void reduce(uint32_t *p, size_t words, size_t stride, uint32_t *sink)
{
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = thread * stride; i < words; i += threads * stride)
        if (sink) {
            if (atomicAdd(p + i, 1) == 0x12345)
                *sink = 1;
        } else {
            atomicAdd(p + i, 1);
        }
}

static void row(const char *experiment, size_t bytes, unsigned passes, unsigned stride, size_t other)
{
    printf("%s,%zu,%u,%u,%zu\n", experiment, bytes, passes, stride, other);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

int main(void)
{
    static const unsigned sizes[] = {4, 8, 16, 20, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 52, 56, 60, 64, 72, 80, 96, 128};
    static const unsigned writes[] = {1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64, 96, 128};
    const size_t mega = 1u << 20;
    uint32_t *a, *b, *sink;
    MICRO_CUDA(cudaMalloc(&a, 256 * mega));
    MICRO_CUDA(cudaMalloc(&b, 256 * mega));
    MICRO_CUDA(cudaMalloc(&sink, 256));
    MICRO_CUDA(cudaMemset(a, 0, 256 * mega));
    MICRO_CUDA(cudaMemset(b, 0, 256 * mega));
    printf("experiment,bytes,passes,stride,other\n");
    for (unsigned m : sizes) {
        read_private<<<CTAS, THREADS>>>(a, m * mega / 4, 1, sink), row("private", m * mega, 1, 4, 0);
        read_private<<<CTAS, THREADS>>>(a, m * mega / 4, 2, sink), row("private", m * mega, 2, 4, 0);
        read_private<<<CTAS, THREADS>>>(a, m * mega / 4, 4, sink), row("private", m * mega, 4, 4, 0);
        if (m <= 64)
            read_shared<<<CTAS, THREADS>>>(a, m * mega / 4, 2, sink), row("shared", m * mega, 2, 4, 0);
        if (m <= 48)
            read_all<<<132, 1024>>>(a, m * mega / 4, 2, sink), row("all", m * mega, 2, 4, 0);
    }
    for (unsigned stride : {8u, 16u, 32u, 64u, 256u})
        read_sector<<<CTAS, THREADS>>>(a, 64 * mega / 4, stride, sink), row("sector", 64 * mega, 1, stride * 4, 0);
    for (unsigned m : writes) {
        store<<<CTAS, THREADS>>>(a, m * mega / 4, 1), row("write", m * mega, 1, 4, 0);
        store<<<CTAS, THREADS>>>(a, m * mega / 4, 8), row("partial", m * mega, 1, 32, 0);
        store<<<CTAS, THREADS>>>(a, m * mega / 4, 16), row("partial", m * mega, 1, 64, 0);
        store<<<CTAS, THREADS>>>(a, m * mega / 4, 32), row("partial", m * mega, 1, 128, 0);
        store_halves<<<CTAS, THREADS>>>((uint4 *)a, m * mega / 16), row("halves", m * mega, 1, 16, 0);
        store_load<<<CTAS, THREADS>>>(a, m * mega / 4, 8, sink), row("wload", m * mega, 1, 32, 0);
        reduce<<<CTAS, THREADS>>>(a, m * mega / 4, 8, NULL), row("red", m * mega, 1, 32, 0);
        reduce<<<CTAS, THREADS>>>(a, m * mega / 4, 8, sink), row("atom", m * mega, 1, 32, 0);
    }
    for (unsigned m : {1u, 4u, 8u, 16u, 32u})
        for (unsigned stride : {1u, 8u, 32u}) {
            for (unsigned r : {4u, 8u, 16u, 24u, 32u, 40u, 48u, 64u, 96u, 128u})
                store_read<<<CTAS, THREADS>>>(a, m * mega / 4, stride, b, r * mega / 4, sink),
                    row("wread", m * mega, 1, stride * 4, r * mega);
            for (unsigned t : {10u, 30u, 100u, 300u, 1000u})
                store_spin<<<CTAS, THREADS>>>(a, m * mega / 4, stride, t), row("wspin", m * mega, 1, stride * 4, t);
        }
    return 0;
}
