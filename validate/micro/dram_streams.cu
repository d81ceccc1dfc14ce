/* SPDX-License-Identifier: MIT
 *
 * dram_streams.cu - DRAM's rate where threads go through many arrays together. Thread i loads element
 * i, 8 bytes, of each of `reads` arrays and stores their sum to each of `writes` others. Array after
 * array begins 16 MiB and `shift` bytes further on, and the first `shift` bytes behind a line's
 * beginning. Orders:
 *   together  all loads, then all stores
 *   turn      each load waits for the one before
 *   place     as together, but stores go to the first arrays that were loaded
 *   rows      as together, of rows of 66 elements those but the first and the last
 * Settles: whether DRAM is slower at many streams than at few, and at lines of which neighbouring
 * warps read a part each.
 * Leaves out: elements of other sizes.
 * Output: CSV: order,reads,writes,shift,threads - a row a launch, for ncu.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define THREADS 1500160u
#define BLOCK   128u
#define APART   ((size_t)1 << 24)

enum order { TOGETHER, TURN, PLACE, ROWS };

template <int ORDER, int READS, int WRITES>
__global__ void __launch_bounds__(BLOCK) play(char *memory, uint32_t shift)
{
    size_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (ORDER == ROWS)
        i = i / 64u * 66u + 1u + i % 64u;
    const size_t apart = (APART + shift) / 8u;
    double *own = (double *)(memory + shift) + i;
    double x[READS], sum = 0;
#pragma unroll
    for (int k = 0; k < READS; k++) {
        x[k] = own[k * apart + (ORDER == TURN && sum == 1.0)];
        if (ORDER == TURN)
            sum += x[k];
    }
#pragma unroll
    for (int k = 0; k < READS; k++)
        sum += x[k];
#pragma unroll
    for (int k = 0; k < WRITES; k++)
        own[(ORDER == PLACE ? k : READS + k) * apart] = sum;
    if (!WRITES && sum == 1.0)
        *own = sum;
}

static char *memory;

template <int ORDER, int READS, int WRITES> static void run(uint32_t shift)
{
    static const char *const name[] = {"together", "turn", "place", "rows"};
    play<ORDER, READS, WRITES><<<THREADS / BLOCK, BLOCK>>>(memory, shift);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%d,%d,%u,%u\n", name[ORDER], READS, WRITES, shift, THREADS);
}

template <int ORDER, int READS> static void writes(uint32_t shift)
{
    run<ORDER, READS, 0>(shift);
    if (READS > 2)
        run<ORDER, READS, 1>(shift);
    run<ORDER, READS, 3>(shift);
    if (ORDER != PLACE || READS > 6)
        run<ORDER, READS, 6>(shift);
}

template <int ORDER> static void shifts()
{
    for (uint32_t shift : {0, 8, 24, 32, 64, 96}) {
        writes<ORDER, 4>(shift);
        writes<ORDER, 8>(shift);
    }
}

int main()
{
    MICRO_CUDA(cudaMalloc(&memory, 20 * APART));
    MICRO_CUDA(cudaMemset(memory, 0, 20 * APART));
    puts("order,reads,writes,shift,threads");
    writes<TOGETHER, 2>(0);
    writes<TOGETHER, 12>(0);
    writes<TURN, 12>(0);
    shifts<TOGETHER>();
    shifts<TURN>();
    shifts<PLACE>();
    writes<ROWS, 4>(0);
    writes<ROWS, 8>(0);
    return 0;
}
