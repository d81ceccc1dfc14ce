/* SPDX-License-Identifier: MIT
 *
 * atomics.cu - how many sectors L2 counts for one global atomic or reduction of a warp. One launch
 * a row, to be run under ncu (metrics/atomics.txt): lane i works on word (i / same) * stride, so
 * that `same` lanes meet in each address. Settles whether lanes that meet count once or one by one,
 * for integers and floats, with and without a result.
 * Output: CSV rows  experiment,same,stride,warps.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define WARPS 64

template <typename T, bool result> __global__ void play(T *p, uint32_t same, uint32_t stride, T *sink)
{
    T *word = p + threadIdx.x / same * stride;
    if (result) {
        T old = atomicAdd(word, (T)1);
        if (old == (T)-5)
            *sink = old;
    } else {
        atomicAdd(word, (T)1);
    }
}

template <typename T, bool result> static void series(const char *name, void *array, void *sink)
{
    for (uint32_t same : {1u, 2u, 4u, 8u, 32u})
        for (uint32_t stride : {1u, 2u, 8u, 32u}) {
            play<T, result><<<WARPS, 32>>>((T *)array, same, stride, (T *)sink);
            printf("%s,%u,%u,%u\n", name, same, stride, WARPS);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaDeviceSynchronize());
        }
}

int main(void)
{
    void *array, *sink;
    MICRO_CUDA(cudaMalloc(&array, 1 << 20));
    MICRO_CUDA(cudaMemset(array, 0, 1 << 20));
    MICRO_CUDA(cudaMalloc(&sink, 8));
    printf("experiment,same,stride,warps\n");
    series<int, false>("red.int", array, sink);
    series<float, false>("red.float", array, sink);
    series<int, true>("atom.int", array, sink);
    series<float, true>("atom.float", array, sink);
    return 0;
}
