/* SPDX-License-Identifier: MIT
 *
 * together.cu - many SMs go through the same cold data at once, each load after the one before is
 * there, as kernels do whose threads each look at all of a small array. A warp of each CTA, and one
 * CTA on each of `sms`, loads words `step` bytes apart (ld.ca), one in each of its first `lanes`
 * lanes, of 1 MB that is in no cache. Settles: whether SMs that come to a line a little later than
 * others wait less, for which sectors of a line, and for how many lines. Leaves out: warps of one SM.
 * Output: CSV: sms,step,lanes,sector,loads,clocks,least,most - loads of words in that sector of
 * their line, of one SM; the mean of SMs of what one took, and of the fastest and the slowest SM.
 */
#include "validate/micro/check.h"
#include "validate/micro/flush.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

#define BYTES (1u << 20)
#define OTHER (160ull << 20)

__global__ void go(const char *p, uint32_t step, uint32_t lanes, uint32_t *ready, uint32_t *sums)
{
    uint32_t sum[4] = {0, 0, 0, 0}, loads[4] = {0, 0, 0, 0};
    if (threadIdx.x == 0)
        atomicAdd(ready, 1u);
    while (*(volatile uint32_t *)ready < gridDim.x)
        ;
    uint32_t zero = 0;
    __syncwarp();
    for (uint32_t at = 0; at < BYTES; at += step * lanes) {
        const uint32_t before = clock();
        uint32_t v = 0;
        if (threadIdx.x < lanes)
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p + at + step * threadIdx.x + zero) : "memory");
        zero = __ballot_sync(~0u, v) & 1u; /* all are there */
        const uint32_t after = clock() + zero;
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            const bool here = at / 32u % 4u == i;
            sum[i] += here ? after - before : 0u;
            loads[i] += here;
        }
    }
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++) {
            sums[blockIdx.x * 8u + i] = sum[i];
            sums[blockIdx.x * 8u + 4 + i] = loads[i];
        }
}

int main(void)
{
    char *p, *other;
    uint32_t *sums, *ready, host[132 * 8];
    MICRO_CUDA(cudaMalloc(&p, BYTES));
    MICRO_CUDA(cudaMalloc(&other, OTHER));
    MICRO_CUDA(cudaMalloc(&sums, sizeof host));
    MICRO_CUDA(cudaMalloc(&ready, 8));
    MICRO_CUDA(cudaMemset(p, 0, BYTES));
    MICRO_CUDA(cudaMemset(other, 0, OTHER));
    MICRO_CUDA(cudaFuncSetAttribute(go, cudaFuncAttributeMaxDynamicSharedMemorySize, 150 << 10));
    puts("sms,step,lanes,sector,loads,clocks,least,most");
    static const struct {
        uint32_t step, lanes;
    } way[] = {{32, 1}, {64, 1}, {128, 1}, {128, 4}, {128, 8}, {128, 16}, {128, 32}};
    for (uint32_t sms : {1u, 8u, 16u, 32u, 132u})
        for (auto w : way)
            for (int again = 0; again < 2; again++) {
                flush<<<264, 1024>>>((const uint4 *)other, OTHER / 16u, ready + 1);
                MICRO_CUDA(cudaMemset(ready, 0, 4));
                go<<<sms, 32, 150 << 10>>>(p, w.step, w.lanes, ready, sums);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaMemcpy(host, sums, sms * 32u, cudaMemcpyDeviceToHost));
                for (int k = 0; again && k < 4; k++) {
                    double mean = 0, least = 1e9, most = 0;
                    const double n = host[4 + k];
                    for (uint32_t i = 0; n > 0 && i < sms; i++) {
                        const double one = host[i * 8u + k] / n;
                        mean += one / sms, least = std::min(least, one), most = std::max(most, one);
                    }
                    if (n > 0)
                        printf("%u,%u,%u,%d,%.0f,%.1f,%.1f,%.1f\n", sms, w.step, w.lanes, k, n, mean, least, most);
                }
            }
    return 0;
}
