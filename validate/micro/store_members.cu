/* SPDX-License-Identifier: MIT
 *
 * store_members.cu - stores of the members of a structure, one right behind another, by warps that come
 * from DRAM: each of a million threads loads the members of its own, computes with each `steps`
 * multiplications and additions, each of which waits for the one before, and stores them. How much
 * leaves L1 more than once says whether other warps' stores come between.
 *
 * - words3: three floats, in place
 * - bytes4: four bytes, in place
 * - words3_to: three floats, to another array
 *
 * One launch a row, from flushed caches, to be run under ncu (metrics/store_members.txt).
 * Output: CSV rows  form,steps,warps - the latter of an SM at most, by shared memory.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define THREADS 1000192u

struct words3 {
    float member[3];
    static constexpr int count = 3;
};

struct bytes4 {
    uint8_t member[4];
    static constexpr int count = 4;
};

template <typename T, int STEPS>
__global__ void __launch_bounds__(256) change(const T *from, T *to, float factor)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float value[T::count];
#pragma unroll
    for (int m = 0; m < T::count; m++)
        value[m] = (float)from[i].member[m];
#pragma unroll
    for (int s = 0; s < STEPS; s++)
#pragma unroll
        for (int m = 0; m < T::count; m++)
            value[m] = value[m] * factor + value[(m + 1) % T::count];
#pragma unroll
    for (int m = 0; m < T::count; m++)
        to[i].member[m] = value[m];
}

static char *memory;

template <typename T, int STEPS> static void run(const char *form, bool apart)
{
    T *from = (T *)memory, *to = apart ? (T *)(memory + (64u << 20)) : from;
    for (uint32_t warps : {64u, 16u}) {
        const uint32_t shared = warps == 64u ? 0 : 100u << 10;
        MICRO_CUDA(cudaFuncSetAttribute(change<T, STEPS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        100 << 10));
        change<T, STEPS><<<THREADS / 256u, 256, shared>>>(from, to, 1.5f);
        MICRO_CUDA(cudaDeviceSynchronize());
        printf("%s,%d,%u\n", form, STEPS, warps);
    }
}

template <int STEPS> static void all()
{
    run<words3, STEPS>("words3", false);
    run<bytes4, STEPS>("bytes4", false);
    run<words3, STEPS>("words3_to", true);
}

int main()
{
    MICRO_CUDA(cudaMalloc(&memory, 128u << 20));
    MICRO_CUDA(cudaMemset(memory, 0, 128u << 20));
    puts("form,steps,warps");
    all<1>();
    all<4>();
    all<16>();
    all<48>();
    return 0;
}
