/* SPDX-License-Identifier: MIT
 *
 * atomics_beside.cu - what it costs that a slice of L2 serves reductions on one word while all SMs
 * read. CTAs of 256 threads each load 16 bytes a thread, from DRAM or from 16 MiB that L2 holds, or
 * nothing, and then one thread adds to one of `words` words, 4 KiB apart (0: none). As many CTAs as
 * there are additions (`form` ctas), or 8 an SM that take turns (loop): their ends are not in it.
 * Settles: whether reads wait for a slice's reductions or these for reads; whether a CTA's end waits
 * for its reduction.
 * One launch a row, to be run under ncu (metrics/atomics_beside.txt).
 *
 * Output: CSV rows form,source,words,type.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define CTAS   32768u
#define HELD   (16u << 20) /* bytes */
#define SOURCE ((size_t)CTAS * 4096u)

static uint4 *in;
static char *words;

template <typename T, bool LOADS>
__global__ void __launch_bounds__(256)
    beside(const uint4 *from, size_t mask, char *to, uint32_t count, uint32_t ctas, T one)
{
    for (uint32_t cta = blockIdx.x; cta < ctas; cta += gridDim.x) {
        uint4 v = {0, 0, 0, 0};
        if (LOADS)
            v = from[((size_t)cta * 256u + threadIdx.x) & mask];
        if (v.x + v.y + v.z + v.w == 1u) /* never */
            one += (T)v.x;
        __syncthreads();
        if (count && threadIdx.x == 0)
            atomicAdd((T *)(to + (cta % count) * 4096u), one);
    }
}

template <typename T, bool LOADS>
static void run(const char *form, const char *source, uint32_t count, const char *type)
{
    const size_t all = source[0] == 'l' ? HELD : SOURCE;
    printf("%s,%s,%u,%s\n", form, source, count, type);
    beside<T, LOADS><<<form[0] == 'c' ? CTAS : 132u * 8u, 256>>>(in, all / 16u - 1u, words, count, CTAS, (T)1);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

int main()
{
    MICRO_CUDA(cudaMalloc(&in, SOURCE));
    MICRO_CUDA(cudaMalloc(&words, 64u * 4096u));
    MICRO_CUDA(cudaMemset(in, 0, SOURCE));
    MICRO_CUDA(cudaMemset(words, 0, 64u * 4096u));
    printf("form,source,words,type\n");
    for (const char *form : {"ctas", "loop"}) {
        for (uint32_t count : {0u, 1u, 2u, 4u, 16u})
            for (const char *source : {"dram", "l2"})
                run<int, true>(form, source, count, "int");
        for (uint32_t count : {0u, 1u, 2u, 4u, 16u})
            run<int, false>(form, "none", count, "int");
        for (const char *source : {"dram", "l2"})
            run<float, true>(form, source, 1, "float");
        run<float, false>(form, "none", 1, "float");
    }
    return 0;
}
