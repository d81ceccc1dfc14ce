/* SPDX-License-Identifier: MIT
 *
 * look_back.cu - CTAs that add up what those before them have, by a decoupled look-back of each lane:
 * as a radix sort in one sweep does for each digit. A CTA takes its number, loads `loads` words a
 * thread, and stores a count of its own for each thread, then goes back from CTA to CTA until it
 * finds the sum of all before, waiting for counts that are not there yet; and stores its own sum.
 * Under Nsight Compute: how many sectors come of it, and how long it takes.
 * Output: CSV rows  ctas,loads
 */
#include "validate/micro/check.h"

#include <cstdint>
#include <cstdio>

#define THREADS 256u
#define PART    0x40000000u /* a CTA's own count */
#define SUM     0x80000000u /* of it and all before */
#define VALUE   0x3fffffffu

__global__ void __launch_bounds__(THREADS)
    look_back(uint32_t *back, uint32_t *turn, const uint32_t *in, uint32_t *out, uint32_t loads)
{
    __shared__ uint32_t taken;
    if (threadIdx.x == 0)
        taken = atomicAdd(turn, 1u);
    __syncthreads();
    const uint32_t number = taken;
    uint32_t own = 0;
    for (uint32_t i = 0; i < loads; i++)
        own += in[(number * loads + i) * THREADS + threadIdx.x] & 0xffu;
    volatile uint32_t *mine = back + number * THREADS + threadIdx.x;
    *mine = own | (number ? PART : SUM);
    uint32_t before = 0;
    for (uint32_t other = number; other > 0;) {
        volatile uint32_t *its = back + (other - 1u) * THREADS + threadIdx.x;
        uint32_t found;
        do {
            __threadfence_block();
            found = *its;
        } while (found == 0);
        before += found & VALUE;
        if (found & SUM)
            break;
        other--;
    }
    if (number)
        *mine = ((before + own) & VALUE) | SUM;
    out[number * THREADS + threadIdx.x] = before;
}

int main(void)
{
    uint32_t *back, *in, *out;
    MICRO_CUDA(cudaMalloc(&back, (2112u + 1u) * THREADS * 4u));
    MICRO_CUDA(cudaMalloc(&in, 2112u * THREADS * 16u * 4u));
    MICRO_CUDA(cudaMalloc(&out, 2112u * THREADS * 4u));
    MICRO_CUDA(cudaMemset(in, 1, 2112u * THREADS * 16u * 4u));
    puts("ctas,loads");
    for (uint32_t ctas : {132u, 264u, 528u, 1056u, 2112u})
        for (uint32_t loads : {1u, 16u}) {
            MICRO_CUDA(cudaMemset(back, 0, (2112u + 1u) * THREADS * 4u));
            look_back<<<ctas, THREADS>>>(back, back + 2112u * THREADS, in, out, loads);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaDeviceSynchronize());
            printf("%u,%u\n", ctas, loads);
        }
    return 0;
}
