/* SPDX-License-Identifier: MIT
 *
 * line_crowd.cu - what it costs that reads meet in a line. 32 warps of each SM read 32 lines at a
 * time, drawn at random, of a table that L2 holds: of each line a sector drawn at random, or always
 * the first. Sets: `table`, all SMs from one of `kib` KiB; `own`, each SM from one of its own. The
 * smaller the table, the more reads of a line are under way.
 * Output: CSV rows  set,sectors,kib,clocks - of an SM a request, in the mean of SMs.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define SMS   132u
#define TURNS 256u

__global__ void __launch_bounds__(1024) look_up(const char *p, uint32_t sectors, uint32_t apart,
                                                uint32_t lines, uint32_t *out)
{
    const char *table = p + (size_t)blockIdx.x * apart;
    uint32_t state = (blockIdx.x * 1024u + threadIdx.x) * 2654435761u + 12345u, sum = 0;
    __syncthreads();
    const uint32_t before = (uint32_t)clock();
    for (uint32_t t = 0; t < TURNS; t++) {
        state = state * 1664525u + 1013904223u;
        const uint32_t line = (state >> 7) % lines, sector = (state >> 5) % sectors;
        sum += __ldcg((const uint32_t *)(table + line * 128u + sector * 32u));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = (uint32_t)clock() - before;
    if (sum == 0x12345)
        out[SMS] = sum;
}

int main(void)
{
    char *array;
    uint32_t *out, host[SMS];
    const size_t size = 32u << 20;
    MICRO_CUDA(cudaMalloc(&array, size));
    MICRO_CUDA(cudaMemset(array, 0, size));
    MICRO_CUDA(cudaMalloc(&out, (SMS + 1u) * sizeof *out));
    printf("set,sectors,kib,clocks\n");
    for (uint32_t own = 0; own < 2; own++)
        for (uint32_t kib : {16u, 32u, 64u, 128u, 512u, 2048u, 8192u})
            for (uint32_t sectors : {1u, 2u, 4u}) {
                double sum = 0;
                if (own && kib != 128u)
                    continue;
                for (uint32_t times = 0; times < 3; times++) /* the last finds all in L2 */
                    look_up<<<SMS, 1024>>>(array, sectors, own * kib * 1024u, kib * 8u, out);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
                for (uint32_t clocks : host)
                    sum += clocks;
                printf("%s,%u,%u,%.2f\n", own ? "own" : "table", sectors, kib,
                       sum / SMS / TURNS / 32.0);
            }
    return 0;
}
