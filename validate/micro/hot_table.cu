/* SPDX-License-Identifier: MIT
 *
 * hot_table.cu - how fast SMs look things up in a table that L2 holds, by how large it is. Each of
 * 32 warps an SM looks up `lines` lines at a time, drawn at random, of which 32 / `lines` lanes each
 * read words of one sector; four such requests under way. Sets:
 *   table  every SM draws from the same table, of `kib` KiB
 *   own    every SM from a part of 128 KiB of its own
 * `op`: cg, or ca, which fills L1. To be run under ncu as well (metrics/hot_table.txt): which slices
 * are asked. An argument: every SM's 32 lines alone, to be captured.
 * Output: CSV rows  launch,set,op,sms,lines,kib,clocks - clocks of an SM a request.
 */
#include "validate/micro/check.h"
#include "validate/micro/flush.h"
#include <cstdint>
#include <cstdio>

#define BATCH 4u
#define WARPS 32u

template <bool CG> __device__ static uint32_t load(const char *at)
{
    return CG ? __ldcg((const uint32_t *)at) : *(const uint32_t *)at;
}

template <bool CG>
__global__ void __launch_bounds__(1024) look_up(const char *p, uint32_t mask, uint32_t apart,
                                                uint32_t share, uint32_t turns, uint32_t *out)
{
    const uint32_t lane = threadIdx.x % 32u, word = lane % share * 4u;
    const char *table = p + (size_t)blockIdx.x * apart + word;
    uint32_t state = (blockIdx.x * 1024u + threadIdx.x - lane % share) * 2654435761u + 12345u,
             sum = 0;
    __syncthreads();
    const uint32_t before = (uint32_t)clock64();
    for (uint32_t t = 0; t < turns; t++) {
        uint32_t value[BATCH];
#pragma unroll
        for (uint32_t i = 0; i < BATCH; i++) {
            state = state * 1664525u + 1013904223u;
            value[i] = load<CG>(table + (size_t)(state >> 5 & mask) * 32u);
        }
#pragma unroll
        for (uint32_t i = 0; i < BATCH; i++)
            sum += value[i];
        if (sum == 0x12345)
            out[0] = sum;
    }
    if (__syncthreads_or(sum == 0x12345))
        out[0] = sum;
    if (threadIdx.x == 0)
        out[16u + blockIdx.x] = (uint32_t)clock64() - before;
}

static char *p;
static uint32_t *out;
static uint32_t launches; /* so far */

template <bool CG>
static void run(uint32_t sms, uint32_t lines, uint32_t kib, bool own, uint32_t turns)
{
    const size_t bytes = own ? (size_t)132 * 131072u : (size_t)kib << 10;
    touch<<<264, 512>>>((const uint4 *)p, bytes / 16u, out);
    look_up<CG>
        <<<sms, WARPS * 32u>>>(p, kib * 32u - 1u, own ? 131072u : 0, 32u / lines, turns, out);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    uint32_t took[132];
    double sum = 0;
    MICRO_CUDA(cudaMemcpy(took, out + 16, sms * 4u, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < sms; i++)
        sum += took[i];
    printf("%u,%s,%s,%u,%u,%u,%.2f\n", 2u * launches++ + 1u, own ? "own" : "table",
           CG ? "cg" : "ca", sms, lines, kib, sum / sms / turns / WARPS / BATCH);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const uint32_t turns = argc > 1 ? 4 : 32; /* to be captured */
    MICRO_CUDA(cudaMalloc(&p, 64u << 20));
    MICRO_CUDA(cudaMalloc(&out, 65536));
    MICRO_CUDA(cudaMemset(p, 0, 64u << 20));
    printf("launch,set,op,sms,lines,kib,clocks\n");
    for (uint32_t sms : {1u, 16u, 132u})
        for (uint32_t lines : {32u, 8u, 1u}) {
            if (argc > 1 && (sms != 132u || lines != 32u))
                continue;
            for (uint32_t kib : {1u, 4u, 16u, 64u, 128u, 512u, 2048u, 16384u})
                run<true>(sms, lines, kib, false, turns);
            run<true>(sms, lines, 128, true, turns);
            for (uint32_t kib : {64u, 128u, 512u, 2048u})
                run<false>(sms, lines, kib, false, turns);
        }
    return 0;
}
