/* SPDX-License-Identifier: MIT
 *
 * l2_dirty.cu - how long dirty and partly written data stay in L2. One launch a row, each from
 * flushed caches, to be run under ncu (metrics/l2_dirty.txt). Sizes are in MiB.
 *   write      `mega` of lines, `sectors` of each, whole sectors, in order; scattered: in any order
 *   words      4 bytes of `sectors` sectors of each line of `mega`
 *   copy       `mega` written, `other` times as much read beside
 *   reads      `mega` written, then an area of `other` read, `passes` times: by one SM each line
 *   everyone   the same, each line by all SMs
 *   rewrites   `mega` written, then an area of `other` written, `passes` times
 *   kept       `mega` written, then twice: read again, and `other` of new lines read
 *   before     `other` read, then `mega` written
 *   twice      `mega` written twice
 *   again      40 MiB written, then `other` of them, from the `passes`th MiB on, written again
 *   half_reads, half_writes   half of every sector of `mega`, then `other` read or written, then
 *              the other halves
 *   halves     half of each sector of `mega`, the other halves `other` KiB of halves later
 *   transpose  `mega` of floats, 32 x `passes` threads a CTA, stores down the columns
 *   shifted    rows of 2048 floats whose inner 2046 are written
 * Output: CSV rows  experiment,mega,other,sectors,passes.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define CTAS    264u
#define THREADS 512u
#define MEGA    ((size_t)1 << 20)

static uint32_t *a, *b, *sink;

__device__ static size_t first(void)
{
    return blockIdx.x * (size_t)blockDim.x + threadIdx.x;
}

__device__ static size_t step(void)
{
    return (size_t)gridDim.x * blockDim.x;
}

/* One to one on 0 ... mask. */
__device__ static size_t scatter(size_t i, size_t mask)
{
    i = (i * 0x9E3779B97F4A7C15ull) & mask;
    i ^= i >> 9;
    i = (i * 0xD6E8FEB86659FD93ull) & mask;
    return i ^ i >> 11;
}

__device__ static void fill(uint4 *p, size_t quads)
{
    for (size_t i = first(); i < quads; i += step())
        p[i] = make_uint4(1, 1, 1, 1);
}

__device__ static uint32_t sum_of(const uint4 *p, size_t quads)
{
    uint32_t sum = 0;
    for (size_t i = first(); i < quads; i += step())
        sum += __ldcg(p + i).x;
    return sum;
}

__global__ void write(uint32_t *p, size_t lines, uint32_t sectors, bool scattered)
{
    for (size_t i = first(); i < lines * sectors * 8u; i += step()) {
        size_t line = i / 8u / sectors;
        p[(scattered ? scatter(line, lines - 1u) : line) * 32u + i % (8u * sectors)] = 1;
    }
}

__global__ void words(uint32_t *p, size_t lines, uint32_t sectors)
{
    for (size_t i = first(); i < lines * sectors; i += step())
        p[i / sectors * 32u + i % sectors * 8u] = 1;
}

__global__ void copy(uint4 *p, size_t quads, const uint4 *q, uint32_t reads)
{
    for (size_t i = first(); i < quads; i += step()) {
        uint4 v = q[i];
        for (uint32_t k = 1; k < reads; k++)
            v.x += q[i + k * quads].x;
        p[i] = v;
    }
}

__global__ void write_read(uint4 *p, size_t quads, const uint4 *q, size_t others, uint32_t passes, uint32_t *sink)
{
    uint32_t sum = 0;
    fill(p, quads);
    for (uint32_t k = 0; k < passes; k++)
        sum += sum_of(q, others);
    if (sum == 0x12345)
        *sink = sum;
}

__global__ void write_read_all(uint4 *p, size_t quads, const uint4 *q, size_t others, uint32_t passes, uint32_t *sink)
{
    uint32_t sum = 0;
    size_t begin = others / gridDim.x * blockIdx.x / 8u * 8u;
    fill(p, quads);
    for (uint32_t k = 0; k < passes; k++)
        for (size_t i = threadIdx.x; i < others; i += blockDim.x) {
            size_t at = begin + i;
            sum += __ldcg(q + (at < others ? at : at - others)).x;
        }
    if (sum == 0x12345)
        *sink = sum;
}

__global__ void write_write(uint4 *p, size_t quads, uint4 *q, size_t others, uint32_t passes)
{
    fill(p, quads);
    for (uint32_t k = 0; k < passes; k++)
        fill(q, others);
}

__global__ void keep(uint4 *p, size_t quads, const uint4 *q, size_t others, uint32_t *sink)
{
    uint32_t sum = 0;
    fill(p, quads);
    for (uint32_t k = 0; k < 2; k++) {
        sum += sum_of(p, quads);
        sum += sum_of(q + k * others, others);
    }
    if (sum == 0x12345)
        *sink = sum;
}

__global__ void read_write(const uint4 *q, size_t others, uint4 *p, size_t quads, uint32_t *sink)
{
    uint32_t sum = sum_of(q, others);
    if (sum == 0x12345)
        *sink = sum;
    fill(p, quads);
}

__device__ static void half(uint4 *p, size_t sectors, uint32_t which)
{
    for (size_t i = first(); i < sectors; i += step())
        p[2u * i + which] = make_uint4(1, 1, 1, 1);
}

__global__ void half_other(uint4 *p, size_t sectors, uint4 *q, size_t others, bool reads, uint32_t *sink)
{
    half(p, sectors, 0);
    if (!reads)
        fill(q, others);
    else if (sum_of(q, others) == 0x12345)
        *sink = 1;
    half(p, sectors, 1);
}

__global__ void halves(uint4 *p, size_t sectors, size_t later)
{
    for (size_t i = first(); i < sectors + later; i += step()) {
        if (i < sectors)
            p[2u * i] = make_uint4(1, 1, 1, 1);
        if (i >= later)
            p[2u * (i - later) + 1u] = make_uint4(1, 1, 1, 1);
    }
}

__global__ void transpose(const float *from, float *to, uint32_t width)
{
    uint32_t x = blockIdx.x * 32u + threadIdx.x, y = blockIdx.y * 32u + threadIdx.y;
    for (uint32_t j = 0; j < 32u; j += blockDim.y)
        to[(size_t)x * width + y + j] = from[(size_t)(y + j) * width + x];
}

__global__ void shifted(const float *from, float *to, uint32_t width, uint32_t height)
{
    uint32_t x = blockIdx.x * blockDim.x + threadIdx.x + 1u, y = blockIdx.y * blockDim.y + threadIdx.y + 1u;
    if (x < width - 1u && y < height - 1u)
        to[(size_t)y * width + x] = from[(size_t)y * width + x];
}

static void row(const char *experiment, size_t mega, size_t other, uint32_t sectors, uint32_t passes)
{
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%zu,%zu,%u,%u\n", experiment, mega, other, sectors, passes);
}

int main(void)
{
    const size_t quads = MEGA / 16u, lines = MEGA / 128u, sectors = MEGA / 32u;
    MICRO_CUDA(cudaMalloc(&a, 256 * MEGA));
    MICRO_CUDA(cudaMalloc(&b, 256 * MEGA));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMemset(a, 0, 256 * MEGA));
    MICRO_CUDA(cudaMemset(b, 0, 256 * MEGA));
    uint4 *p = (uint4 *)a, *q = (uint4 *)b;
    printf("experiment,mega,other,sectors,passes\n");
    for (size_t m : {16, 24, 26, 28, 30, 32, 40, 48, 64, 96})
        write<<<CTAS, THREADS>>>(a, m * lines, 4, false), row("write", m, 0, 4, 1);
    for (size_t m : {16, 32, 64})
        write<<<CTAS, THREADS>>>(a, m * lines, 4, true), row("scattered", m, 0, 4, 1);
    for (size_t m : {24, 28, 32, 48, 64})
        for (uint32_t s : {1u, 2u})
            write<<<CTAS, THREADS>>>(a, m * lines, s, false), row("write", m, 0, s, 1);
    for (size_t m : {4, 6, 7, 8, 9, 10, 12, 16, 32, 64})
        for (uint32_t s : {1u, 2u, 4u})
            words<<<CTAS, THREADS>>>(a, m * lines, s), row("words", m, 0, s, 1);
    for (uint32_t k : {1u, 2u, 3u, 5u})
        for (size_t m : {12, 16, 20, 24, 32, 40})
            copy<<<CTAS, THREADS>>>(p, m * quads, q, k), row("copy", m, k * m, 4, 1);
    for (size_t m : {8, 16, 20, 24})
        for (size_t o : {16, 24, 28, 32, 36, 40, 48, 64})
            write_read<<<CTAS, THREADS>>>(p, m * quads, q, o * quads, 1, sink), row("reads", m, o, 4, 1);
    for (size_t o : {4, 8, 16, 24})
        for (uint32_t k : {4u, 16u})
            write_read<<<CTAS, THREADS>>>(p, 16 * quads, q, o * quads, k, sink), row("reads", 16, o, 4, k);
    for (size_t o : {8, 12, 16, 20, 24, 32})
        write_read_all<<<132, 1024>>>(p, 16 * quads, q, o * quads, 1, sink), row("everyone", 16, o, 4, 1);
    for (size_t o : {2, 4, 8, 10})
        for (uint32_t k : {1u, 4u, 8u})
            write_write<<<CTAS, THREADS>>>(p, 16 * quads, q, o * quads, k), row("rewrites", 16, o, 4, k);
    for (size_t o : {16, 24, 32, 48})
        keep<<<CTAS, THREADS>>>(p, 16 * quads, q, o * quads, sink), row("kept", 16, o, 4, 2);
    for (size_t o : {32, 64, 128})
        read_write<<<CTAS, THREADS>>>(q, o * quads, p, 24 * quads, sink), row("before", 24, o, 4, 1);
    for (size_t m : {24, 28, 32, 40})
        write_write<<<CTAS, THREADS>>>(p, m * quads, p, m * quads, 1), row("twice", m, m, 4, 2);
    for (uint32_t at : {0u, 4u, 8u, 12u, 16u, 24u})
        write_write<<<CTAS, THREADS>>>(p, 40 * quads, p + at * quads, 8 * quads, 1), row("again", 40, 8, 4, at);
    for (size_t m : {2, 4, 6})
        for (size_t o : {0, 16, 24, 28, 32, 40, 48, 64}) {
            half_other<<<CTAS, THREADS>>>(p, m * sectors, q, o * quads, true, sink), row("half_reads", m, o, 4, 1);
            half_other<<<CTAS, THREADS>>>(p, m * sectors, q, o * quads, false, sink), row("half_writes", m, o, 4, 1);
        }
    for (size_t m : {7, 8, 10, 12, 16})
        half_other<<<CTAS, THREADS>>>(p, m * sectors, q, 0, false, sink), row("half_writes", m, 0, 4, 1);
    for (size_t d : {0, 64, 256, 1024, 2048, 4096, 8192, 16384})
        halves<<<CTAS, THREADS>>>(p, 48 * sectors, d * sectors / 1024u), row("halves", 48, d, 4, 1);
    for (uint32_t n : {1024u, 1536u, 2048u, 3072u})
        for (uint32_t r : {8u, 16u, 32u})
            transpose<<<dim3(n / 32u, n / 32u), dim3(32, r)>>>((float *)b, (float *)a, n),
                row("transpose", n * n * 4u / MEGA, n * n * 4u / MEGA, 4, r);
    for (size_t m : {8, 16, 24, 32, 64})
        shifted<<<dim3(64, (unsigned)(m * MEGA / 8192u / 8u)), dim3(32, 8)>>>((float *)b, (float *)a, 2048,
                                                                            (uint32_t)(m * MEGA / 8192u)),
            row("shifted", m, m, 4, 1);
    return 0;
}
