/* SPDX-License-Identifier: MIT
 *
 * atomics_few.cu - atomics of all SMs on the same few words, one for each lane, `stride` bytes apart:
 * additions to `type` (int, float, double), with a `result` or without, from the `place`-th of
 * places 1 MiB and 4 KiB apart. As many CTAs of a warp as SMs take at once have eight of them each,
 * one behind the other.
 * One launch a row, to be run under ncu (metrics/atomics_few.txt).
 *
 * Output: CSV rows  type,stride,result,place
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define CTAS   4224u
#define TURNS  8u
#define PLACES 12u

template <typename T, bool RESULT>
__global__ void few(char *array, uint32_t stride, uint32_t *sink)
{
    T *at = (T *)(array + (size_t)threadIdx.x * stride);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TURNS; i++)
        if (RESULT)
            sum += (uint32_t)atomicAdd(at, (T)0) & 0xffffu;
        else
            atomicAdd(at, (T)0);
    if (RESULT && sum == 12345u)
        *sink = sum;
}

template <typename T, bool RESULT>
static void launch(const char *type, uint32_t stride, uint32_t place, char *array, uint32_t *sink)
{
    few<T, RESULT><<<CTAS, 32>>>(array + place * ((1u << 20) + 4096u), stride, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%u,%d,%u\n", type, stride, RESULT, place);
}

template <typename T> static void all(const char *type, char *array, uint32_t *sink)
{
    for (uint32_t stride : {8u, 32u, 64u, 128u, 256u, 512u, 1024u, 4096u}) {
        launch<T, false>(type, stride, 0, array, sink);
        for (uint32_t place = 0; place < (stride < 128 ? 1 : PLACES); place++)
            launch<T, true>(type, stride, place, array, sink);
    }
}

int main(void)
{
    char *array;
    uint32_t *sink;
    MICRO_CUDA(cudaMalloc(&array, 16u << 20));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMemset(array, 0, 16u << 20));
    puts("type,stride,result,place");
    all<int>("int", array, sink);
    all<float>("float", array, sink);
    all<double>("double", array, sink);
    return 0;
}
