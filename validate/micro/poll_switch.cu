/* SPDX-License-Identifier: MIT
 *
 * poll_switch.cu - a decoupled look-back by one lane a warp, whose poll and what it finds become a
 * jump by a table (BRX) that leads back to the load, as in cuSZp's kernels: flags are 0, 1 (a CTA's
 * part) or 2 (the sum up to it). Before it a CTA computes for `clocks` plus up to `spread` more, by a
 * hash of its number. One row a launch: to be captured, and measured with gpc__cycles_elapsed.max,
 * smsp__inst_executed.sum. Settles: that such a loop polls, and what it takes.
 *
 * Output: CSV ctas,clocks,spread.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

__global__ void look_back(volatile int *flag, volatile uint32_t *part, volatile uint32_t *sum,
                          uint32_t clocks, uint32_t spread, uint32_t *out)
{
    const uint32_t warp = blockIdx.x, lane = threadIdx.x;
    const uint32_t turns = (clocks + (warp * 2654435761u >> 16) % (spread + 1u)) / 4u;
    float x = (float)lane;
#pragma unroll 1
    for (uint32_t i = 0; i < turns; i++)
        x = x * 1.0001f + 1.0f;
    uint32_t found = 0;
    if (lane == 31) {
        part[warp + 1] = warp;
        __threadfence();
        if (warp == 0) {
            flag[0] = 2;
            __threadfence();
        }
        flag[warp + 1] = 1;
        __threadfence();
    }
    __syncthreads();
    if (warp > 0 && lane == 0) {
        uint32_t at = warp;
        while (at > 0) {
            int status;
            do {
                status = flag[at];
                __threadfence();
            } while (status == 0);
            if (status == 2) {
                found += sum[at];
                __threadfence();
                break;
            }
            if (status == 1)
                found += part[at];
            at--;
            __threadfence();
        }
        sum[warp] = found;
        __threadfence();
        flag[warp] = 2;
        __threadfence();
    }
    __syncthreads();
    out[warp * 32u + lane] = found + (x == 0.125f);
}

int main()
{
    uint32_t *words;
    const size_t each = 8192;
    MICRO_CUDA(cudaMalloc(&words, 3 * each * 4 + 4096 * 32 * 4));
    printf("ctas,clocks,spread\n");
    for (uint32_t ctas : {132u, 512u, 2048u})
        for (uint32_t clocks : {1000u, 50000u})
            for (uint32_t spread : {0u, 1000u, 20000u}) {
                MICRO_CUDA(cudaMemset(words, 0, 3 * each * 4));
                look_back<<<ctas, 32>>>((int *)words, words + each, words + 2 * each, clocks, spread,
                                        words + 3 * each);
                MICRO_CUDA(cudaDeviceSynchronize());
                printf("%u,%u,%u\n", ctas, clocks, spread);
            }
}
