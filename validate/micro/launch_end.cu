/* SPDX-License-Identifier: MIT
 *
 * launch_end.cu - how much longer a launch takes than its SMs are active, and how far apart they end.
 * One launch a row, from flushed caches, to be run under ncu (metrics/launch_end.txt):
 *   spin   each warp waits `size` clocks
 *   math   each has `size` multiplications, one after the other
 *   read   16 bytes a thread are loaded, `size` KiB in all
 *   write  likewise stored
 *   copy   loaded and stored
 *   part   as copy, by 132 CTAs that go through all of it
 *   near   as copy, 64 KiB of it read again and again, and written elsewhere
 *   past   as read, past L1
 *   table  1056 CTAs load 64 KiB again and again, `size` KiB in all
 *   ring   132 CTAs load 1 MiB again and again, past L1, `size` KiB in all
 *   anew   likewise store it
 *   once   likewise load `size` KiB, each once
 *   small  as copy, 100 KiB of shared memory a CTA, so that L1 has 56 KiB
 *
 * Output: CSV rows what,ctas,threads,size.
 */
#include "validate/micro/check.h"

#include <cstdint>

enum action { SPIN, MATH, READ, WRITE, COPY, PART, NEAR, PAST, TABLE, RING, ANEW, ONCE, SMALL };
static const char *const action_name[] = {"spin", "math", "read", "write", "copy", "part", "near", "past", "table", "ring", "anew", "once", "small"};

/* 16 bytes each */
#define NEAR_UNITS 4096u
#define RING_UNITS 65536u

__global__ void play(action what, const uint4 *from, uint4 *to, uint32_t size, uint32_t *sink)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    if (what == SPIN) {
        long long begin = clock64();
        while (clock64() - begin < size)
            ;
    } else if (what == MATH) {
        uint32_t x = i;
#pragma unroll 1
        for (uint32_t k = 0; k < size; k++)
            x = x * 0x9e3779b1u + size;
        if (x == 0x12345)
            *sink = x;
    } else if (what == READ || what == PAST) {
        uint4 x = what == PAST ? __ldcg(from + i) : from[i];
        if (x.x + x.y + x.z + x.w == 0x12345)
            *sink = x.x;
    } else if (what == WRITE) {
        to[i] = make_uint4(i, i, i, i);
    } else if (what == TABLE || what == RING || what == ONCE) {
        uint32_t sum = 0;
        const uint32_t ring = what == RING ? RING_UNITS : size * 64u;
        for (; i < size * 64u; i += all)
            sum += what == TABLE ? __ldca(from + i % NEAR_UNITS).x : __ldcg(from + i % ring).x;
        if (sum == 0x12345)
            *sink = sum;
    } else if (what == ANEW) {
        for (; i < size * 64u; i += all)
            to[i % RING_UNITS] = make_uint4(i, i, i, i);
    } else {
        for (; i < size * 64u; i += all)
            to[i] = from[what == NEAR ? i % NEAR_UNITS : i];
    }
}

static uint4 *from, *to;
static uint32_t *sink;

static void run(action what, uint32_t ctas, uint32_t threads, uint32_t size)
{
    play<<<ctas, threads, what == SMALL ? 100u << 10 : 0u>>>(what, from, to, size, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%u,%u,%u\n", action_name[what], ctas, threads, size);
}

static uint32_t ctas_of(action what, uint32_t kib)
{
    switch (what) {
    case PART:
    case RING:
    case ANEW:
    case ONCE: return 132u;
    case TABLE: return 1056u;
    default: return kib * 64u / 256u;
    }
}

int main()
{
    MICRO_CUDA(cudaMalloc(&from, (size_t)64 << 20));
    MICRO_CUDA(cudaMalloc(&to, (size_t)64 << 20));
    MICRO_CUDA(cudaMemset(from, 0, (size_t)64 << 20));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaFuncSetAttribute(play, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
    puts("what,ctas,threads,size");
    for (uint32_t threads : {32u, 256u, 1024u})
        for (uint32_t ctas : {1u, 132u, 264u, 528u, 1056u, 2112u, 4224u, 8448u})
            for (uint32_t clocks : {100u, 1000u, 10000u})
                if ((uint64_t)ctas * threads * clocks < 10000000000u)
                    run(SPIN, ctas, threads, clocks);
    for (uint32_t threads : {32u, 256u, 1024u})
        for (uint32_t ctas : {132u, 1056u, 4224u, 16896u})
            for (uint32_t count : {16u, 128u, 1024u, 8192u})
                if ((uint64_t)ctas * threads * count < 5000000000u)
                    run(MATH, ctas, threads, count);
    for (action what : {READ, WRITE, COPY, PART, NEAR, PAST, TABLE, RING, ANEW, ONCE, SMALL})
        for (uint32_t kib : {256u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u, 65536u})
            run(what, ctas_of(what, kib), 256, kib);
    return 0;
}
