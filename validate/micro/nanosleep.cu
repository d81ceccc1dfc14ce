/* SPDX-License-Identifier: MIT
 *
 * nanosleep.cu - how long __nanosleep(ns) takes: the mean of 64 calls, the shortest and the longest,
 * in clocks of the SM, of the first warp among `warps` of a CTA that all sleep, less what two
 * readings of the clock take. One call after the other (`behind`), or each after some time of
 * another length, up to 100,000 clocks (`alone`).
 * Output: CSV rows  set,ns,warps,mean,least,most
 */
#include "validate/micro/check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#define CALLS 64u

__global__ void rest(uint32_t ns, uint32_t between, uint32_t *took)
{
    for (uint32_t i = 0; i < CALLS; i++) {
        if (between) {
            const uint32_t now = (uint32_t)clock64(), until = (i + 1u) * 2654435761u % between;
            while ((uint32_t)clock64() - now < until)
                ;
        }
        const uint32_t begin = (uint32_t)clock64();
        __nanosleep(ns);
        const uint32_t end = (uint32_t)clock64();
        if (threadIdx.x == 0)
            took[i] = end - begin;
    }
}

__global__ void awake(uint32_t *took)
{
    for (uint32_t i = 0; i < CALLS; i++) {
        const uint32_t begin = (uint32_t)clock64(), end = (uint32_t)clock64();
        if (threadIdx.x == 0)
            took[i] = end - begin;
    }
}

int main(void)
{
    uint32_t *took, here[CALLS];
    MICRO_CUDA(cudaMalloc(&took, sizeof here));
    puts("set,ns,warps,mean,least,most");
    awake<<<1, 32>>>(took);
    MICRO_CUDA(cudaMemcpy(here, took, sizeof here, cudaMemcpyDeviceToHost));
    std::sort(here, here + CALLS);
    const uint32_t reading = here[CALLS / 2];
    for (uint32_t between : {0u, 100000u})
        for (uint32_t warps : {1u, 8u, 32u})
            for (uint32_t ns : {0u, 1u, 10u, 20u, 40u, 64u, 100u, 200u, 350u, 450u, 500u, 700u, 1005u, 1500u, 2000u, 5000u, 20000u}) {
                rest<<<1, warps * 32u>>>(ns, between, took);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaMemcpy(here, took, sizeof here, cudaMemcpyDeviceToHost));
                uint64_t sum = 0;
                for (uint32_t one : here)
                    sum += one - std::min(one, reading);
                std::sort(here, here + CALLS);
                printf("%s,%u,%u,%llu,%u,%u\n", between ? "alone" : "behind", ns, warps, (unsigned long long)(sum / CALLS), here[0] - reading, here[CALLS - 1] - reading);
            }
    return 0;
}
