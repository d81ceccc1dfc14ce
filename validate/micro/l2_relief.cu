/* SPDX-License-Identifier: MIT
 *
 * l2_relief.cu - which accesses have L2 complete partly written lines, and how many lines of a
 * dense area are in the way, wherever it begins. One launch a row, from flushed caches, to be run
 * under ncu (metrics/l2_relief.txt). An area of `kilo` KiB begins `offset` MiB behind the start of
 * a large array.
 *   reads   the first word of each of its lines is written, all at once; all SMs wait for one
 *           another; then `other` MiB elsewhere are read past L1, each line by one SM
 *   near    the same, of what the same SM had read before all began: nothing crosses to the other
 *           side of L2 any more
 *   copy    thread i writes word `to` x i of the area, in order of CTAs of 256, having read word
 *           `other` x i of another array (0: none), or of two
 * Output: CSV rows experiment,kilo,offset,other,to,arrays.
 */
#include "validate/micro/check.h"
#include "validate/micro/meet.h"
#include <cstdint>
#include <cstring>

#define CTAS  132u
#define WARPS 32u
#define LINE  128u

__device__ static uint32_t read_lines(const uint32_t *other, size_t lines, size_t warp, size_t all)
{
    uint32_t sum = 0;
    for (size_t i = warp; i < lines; i += all)
        sum += __ldcg(other + i * 32u + threadIdx.x % 32u);
    return sum;
}

__global__ void __launch_bounds__(WARPS * 32u)
    written(char *area, size_t lines, const uint32_t *other, size_t others, bool near, unsigned met,
            uint32_t *sink)
{
    size_t warp = blockIdx.x * WARPS + threadIdx.x / 32u, all = gridDim.x * WARPS;
    uint32_t sum = near ? read_lines(other, others, warp, all) : 0;
    meet(met + gridDim.x);
    for (size_t i = warp * 32u + threadIdx.x % 32u; i < lines; i += all * 32u)
        *(uint32_t *)(area + i * LINE) = 1;
    meet(met + 2u * gridDim.x);
    sum += read_lines(other, others, warp, all);
    if (sum == 0x12345)
        *sink = sum;
}

__global__ void copy(const float *a, const float *b, float *out, uint32_t from, uint32_t to)
{
    size_t i = blockIdx.x * 256u + threadIdx.x;
    float sum = 1;
    if (from)
        sum = a[i * from];
    if (b)
        sum += b[i * from];
    out[i * to] = sum;
}

static char *array, *other;
static uint32_t *sink;

static void run_written(const char *name, size_t kilo, size_t offset, size_t others)
{
    static unsigned met;
    printf("%s,%zu,%zu,%zu,32,0\n", name, kilo, offset, others);
    written<<<CTAS, WARPS * 32u>>>(array + (offset << 20), kilo << 3, (uint32_t *)other,
                                   others << 13, !strcmp(name, "near"), met, sink);
    met += 2u * CTAS;
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

static void run_copy(size_t kilo, size_t offset, uint32_t from, uint32_t to, uint32_t arrays)
{
    printf("copy,%zu,%zu,%u,%u,%u\n", kilo, offset, from, to, arrays);
    copy<<<(unsigned)(kilo / to), 256>>>((float *)other,
                                         arrays > 1 ? (float *)(other + (32u << 20)) : NULL,
                                         (float *)(array + (offset << 20)), from, to);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

int main()
{
    MICRO_CUDA(cudaMalloc(&array, (size_t)448 << 20));
    MICRO_CUDA(cudaMalloc(&other, (size_t)64 << 20));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    printf("experiment,kilo,offset,other,to,arrays\n");
    run_written("reads", 6144, 0, 4); /* the first finds more than flushed caches */
    for (size_t offset : {0, 16, 64, 98, 129, 160, 206, 258, 300, 352, 402})
        for (size_t mega : {4, 6, 7, 8, 9, 10, 12, 14})
            run_written("reads", mega << 10, offset, 4);
    for (size_t offset : {0, 64})
        for (size_t kilo = 6656; kilo <= 13312; kilo += 1024)
            run_written("reads", kilo, offset, 4);
    for (size_t offset : {0, 129, 258})
        for (const char *name : {"reads", "near"})
            for (size_t others : {0, 1, 2, 4})
                run_written(name, 8192, offset, others);
    for (size_t offset : {0, 64, 129, 258, 402})
        for (size_t mega : {6, 8, 10, 12})
            for (uint32_t from : {0, 1, 2})
                run_copy(mega << 10, offset, from, 2, 1);
    for (size_t offset : {0, 64, 129, 258, 402})
        for (uint32_t to : {3, 4, 8})
            for (uint32_t arrays : {1, 2})
                run_copy(8192, offset, to, to, arrays);
    return 0;
}
