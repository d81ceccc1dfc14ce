/* SPDX-License-Identifier: MIT
 *
 * dram_mix.cu - what DRAM gives where it is read, written, or both at once. Arrays of `mega` MiB each
 * are gone through side by side, `reads` of them loaded and `writes` stored to, in order, by CTAs of
 * `warps` warps, eight of them an SM at most; `bytes` a lane. Arrays are far larger than L2, so that
 * what is written leaves it while the launch runs, but for its last part. One launch a row, each from
 * flushed caches, to be run under ncu (metrics/dram_mix.txt).
 *
 * Output: CSV rows  reads,writes,mega,bytes,warps.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define CTAS 1056u
#define MEGA ((size_t)1 << 20)

static char *memory;
static uint32_t *sink;

__device__ static uint32_t word(uint32_t v)
{
    return v;
}

__device__ static uint32_t word(uint2 v)
{
    return v.x ^ v.y;
}

__device__ static uint32_t word(uint4 v)
{
    return v.x ^ v.y ^ v.z ^ v.w;
}

__device__ static void make(uint32_t *v, uint32_t with)
{
    *v = with;
}

__device__ static void make(uint2 *v, uint32_t with)
{
    *v = make_uint2(with, with);
}

__device__ static void make(uint4 *v, uint32_t with)
{
    *v = make_uint4(with, with, with, with);
}

template <typename T, int READS, int WRITES>
__global__ void mix(const T *from, T *to, size_t elements, uint32_t *sink)
{
    uint32_t sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < elements;
         i += (size_t)gridDim.x * blockDim.x) {
        uint32_t here = 0;
#pragma unroll
        for (int r = 0; r < READS; r++)
            here ^= word(__ldcg(from + r * elements + i));
        T made;
        make(&made, here);
#pragma unroll
        for (int w = 0; w < WRITES; w++)
            to[w * elements + i] = made;
        sum += here;
    }
    if (WRITES == 0 && sum == 0x12345)
        *sink = sum;
}

template <typename T, int READS, int WRITES> static void run(size_t mega, unsigned warps)
{
    const T *from = (const T *)memory;
    T *to = (T *)(memory + READS * mega * MEGA);
    mix<T, READS, WRITES><<<CTAS, warps * 32>>>(from, to, mega * MEGA / sizeof(T), sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%d,%d,%zu,%zu,%u\n", READS, WRITES, mega, sizeof(T), warps);
}

template <typename T> static void all_of(size_t mega, unsigned warps)
{
    run<T, 1, 0>(mega, warps);
    run<T, 0, 1>(mega, warps);
    run<T, 1, 1>(mega, warps);
    run<T, 2, 1>(mega, warps);
    run<T, 1, 2>(mega, warps);
    run<T, 3, 1>(mega, warps);
    run<T, 0, 2>(mega, warps);
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&memory, 4 * 512 * MEGA));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("reads,writes,mega,bytes,warps");
    for (size_t mega : {128, 512})
        for (unsigned warps : {2u, 8u}) {
            all_of<uint32_t>(mega, warps);
            all_of<uint2>(mega, warps);
            all_of<uint4>(mega, warps);
        }
    return 0;
}
