/* SPDX-License-Identifier: MIT
 *
 * l2_hints.cu - which lines leave L2 sooner for a hint of the access: stores plain, .cs, .wt or .cg, loads
 * plain, .cs, .lu or .L1::no_allocate. One launch a row, each from flushed caches, to be run under ncu
 * (metrics/l2_hints.txt). Sizes are in MiB. Each warp has rows of its own, each line is one SM's.
 *   between    `mega` read, then `other` stored with the hint, then `mega` read again
 *   behind     `mega` stored with the hint, then `other` read, twice
 *   kept       `mega` stored with the hint, then read
 *   rows       `mega` read; then read again, and as much stored with the hint beside
 *   reads      `mega` read with the hint, then `other` plainly, then `mega` again
 *   others     `mega` read plainly, then `other` with the hint, then `mega` again
 *   mixed      `mega` stored with the hint, then as much plainly, then `other` read
 * Output: CSV rows  experiment,hint,mega,other.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define CTAS    264u
#define THREADS 512u
#define MEGA    ((size_t)1 << 20)

enum hint { PLAIN, STREAM, WRITE_THROUGH, GLOBAL, LAST_USE, NO_ALLOCATE };
static const char *const name[] = {"plain", "cs", "wt", "cg", "lu", "na"};

template <int H> __device__ static void store(uint4 *p)
{
    const uint4 v = make_uint4(1, 1, 1, 1);
    if (H == STREAM)
        __stcs(p, v);
    else if (H == WRITE_THROUGH)
        __stwt(p, v);
    else if (H == GLOBAL)
        __stcg(p, v);
    else
        *p = v;
}

template <int H> __device__ static uint32_t load(const uint4 *p)
{
    uint4 v;
    if (H == STREAM)
        v = __ldcs(p);
    else if (H == LAST_USE)
        v = __ldlu(p);
    else if (H == GLOBAL)
        v = __ldcg(p);
    else if (H == NO_ALLOCATE)
        asm volatile("ld.global.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    else
        v = __ldca(p);
    return v.x;
}

__device__ static size_t first(void)
{
    return blockIdx.x * (size_t)blockDim.x + threadIdx.x;
}

__device__ static size_t step(void)
{
    return (size_t)gridDim.x * blockDim.x;
}

template <int H> __device__ static void fill(uint4 *p, size_t quads)
{
    for (size_t i = first(); i < quads; i += step())
        store<H>(p + i);
}

template <int H> __device__ static uint32_t sum_of(const uint4 *p, size_t quads)
{
    uint32_t sum = 0;
    for (size_t i = first(); i < quads; i += step())
        sum += load<H>(p + i);
    asm volatile("" ::: "memory");
    return sum;
}

#define KERNEL(name)                                                                                                   \
    template <int H> __global__ void name(uint4 *p, size_t quads, uint4 *q, size_t others, uint32_t *sink)

KERNEL(between)
{
    uint32_t sum = sum_of<GLOBAL>(p, quads);
    fill<H>(q, others);
    if (sum + sum_of<GLOBAL>(p, quads) == 0x12345)
        *sink = sum;
}

KERNEL(behind)
{
    fill<H>(p, quads);
    uint32_t sum = sum_of<GLOBAL>(q, others);
    if (sum + sum_of<GLOBAL>(q, others) == 0x12345)
        *sink = sum;
}

KERNEL(kept)
{
    fill<H>(p, quads);
    if (sum_of<GLOBAL>(p, quads) == 0x12345)
        *sink = others;
}

KERNEL(rows)
{
    uint32_t sum = sum_of<GLOBAL>(p, quads);
    for (size_t i = first(); i < quads; i += step()) {
        sum += load<GLOBAL>(p + i);
        store<H>(q + i);
    }
    if (sum == 0x12345)
        *sink = sum;
}

KERNEL(reads)
{
    uint32_t sum = sum_of<H>(p, quads);
    sum += sum_of<GLOBAL>(q, others);
    if (sum + sum_of<GLOBAL>(p, quads) == 0x12345)
        *sink = sum;
}

KERNEL(others)
{
    uint32_t sum = sum_of<GLOBAL>(p, quads);
    sum += sum_of<H>(q, others);
    if (sum + sum_of<GLOBAL>(p, quads) == 0x12345)
        *sink = sum;
}

KERNEL(mixed)
{
    fill<H>(p, quads);
    fill<PLAIN>(p + quads, quads);
    if (sum_of<GLOBAL>(q, others) == 0x12345)
        *sink = 1;
}

static uint4 *p, *q;
static uint32_t *sink;

#define ROW(experiment, H, mega, other)                                                                                \
    do {                                                                                                               \
        experiment<H><<<CTAS, THREADS>>>(p, (mega) * (MEGA / 16u), q, (other) * (MEGA / 16u), sink);                   \
        MICRO_CUDA(cudaGetLastError());                                                                                \
        MICRO_CUDA(cudaDeviceSynchronize());                                                                           \
        printf(#experiment ",%s,%zu,%zu\n", name[H], (size_t)(mega), (size_t)(other));                                 \
    } while (0)

template <int H> static void stores(void)
{
    for (size_t o : {8, 16, 24, 32})
        ROW(between, H, 16, o);
    for (size_t o : {24, 32})
        ROW(between, H, 24, o);
    for (size_t o : {16, 24, 32})
        ROW(behind, H, 16, o);
    for (size_t m : {16, 24, 32, 40, 48})
        ROW(kept, H, m, 0);
    for (size_t m : {16, 20, 24, 32, 40})
        ROW(rows, H, m, m);
    for (size_t o : {16, 32, 48})
        ROW(mixed, H, 10, o);
}

template <int H> static void loads(void)
{
    for (size_t o : {16, 24, 32})
        ROW(reads, H, 16, o);
    for (size_t o : {16, 24, 32})
        ROW(others, H, 16, o);
}

int main(int argc, char **argv)
{
    MICRO_CUDA(cudaMalloc(&p, 64 * MEGA));
    MICRO_CUDA(cudaMalloc(&q, 64 * MEGA));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMemset(p, 0, 64 * MEGA));
    MICRO_CUDA(cudaMemset(q, 0, 64 * MEGA));
    printf("experiment,hint,mega,other\n");
    if (argc > 1) { /* one launch, to be looked at by other programs */
        const size_t m = (size_t)atoi(argv[2]), o = (size_t)atoi(argv[3]);
        switch (argv[1][0]) {
        case 'b':
            ROW(between, STREAM, m, o);
            break;
        case 'k':
            ROW(kept, STREAM, m, o);
            break;
        case 'r':
            ROW(rows, STREAM, m, o);
            break;
        case 'p':
            ROW(rows, PLAIN, m, o);
            break;
        }
        return 0;
    }
    stores<PLAIN>(), stores<STREAM>();
    for (size_t m : {16, 24, 32}) {
        ROW(rows, WRITE_THROUGH, m, m);
        ROW(rows, GLOBAL, m, m);
    }
    loads<GLOBAL>(), loads<PLAIN>(), loads<STREAM>(), loads<LAST_USE>(), loads<NO_ALLOCATE>();
    return 0;
}
