/* SPDX-License-Identifier: MIT
 *
 * cta_order.cu - which SM each CTA is given, and when. Settles the order in which a grid's first
 * wave fills the SMs and who takes the next CTA.
 * Output: CSV rows  grid,block,shared,cta,sm,start_ns,end_ns  for several grids and block sizes; each CTA spins for
 * a time that differs a little from CTA to CTA.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct stamp {
    uint32_t sm, pad;
    uint64_t start, end;
};

__global__ void mark(stamp *out, uint32_t spin)
{
    extern __shared__ uint32_t unused[];
    if (threadIdx.x == 0) {
        stamp s;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(s.sm));
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s.start));
        uint32_t t0, t1, wait = spin + (blockIdx.x * 2654435761u >> 24) * 4;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(t0));
        do
            asm volatile("mov.u32 %0, %%clock;" : "=r"(t1));
        while (t1 - t0 < wait);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s.end));
        s.pad = 0;
        out[blockIdx.x] = s;
    }
    __syncthreads();
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!csv) {
        perror(argv[1]);
        return 1;
    }
    const uint32_t ctas = 4096;
    stamp *out;
    MICRO_CUDA(cudaMalloc(&out, ctas * sizeof *out));
    MICRO_CUDA(cudaFuncSetAttribute(mark, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    fprintf(csv, "grid,block,shared,cta,sm,start_ns,end_ns\n");
    static const struct {
        uint32_t grid, block, shared;
    } run[] = {{ctas, 1024, 0}, {ctas, 256, 0}, {ctas, 64, 0}, {ctas, 256, 200 * 1024}, {ctas, 128, 50 * 1024},
               {ctas, 512, 0},  {100, 256, 0},  {132, 256, 0}, {140, 256, 0}, {264, 256, 0}, {300, 256, 0},
               {576, 256, 0},   {800, 256, 0},  {264, 1024, 0}, {264, 256, 32 * 1024}};
    std::vector<stamp> host(ctas);
    for (auto &r : run)
        for (int rep = 0; rep < 2; rep++) {
            mark<<<r.grid, r.block, r.shared>>>(out, 4000);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(host.data(), out, ctas * sizeof *out, cudaMemcpyDeviceToHost));
            if (rep == 1)
                for (uint32_t i = 0; i < r.grid; i++)
                    fprintf(csv, "%u,%u,%u,%u,%u,%llu,%llu\n", r.grid, r.block, r.shared, i, host[i].sm,
                            (unsigned long long)host[i].start, (unsigned long long)host[i].end);
        }
    return fclose(csv) ? 1 : 0;
}
