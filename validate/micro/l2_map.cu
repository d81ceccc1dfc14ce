/* SPDX-License-Identifier: MIT
 *
 * l2_map.cu - L2 hit latency of every line of a small array, seen from several SMs. Settles which
 * lines are near and which far for an SM (partitions), whether a far line becomes near once read
 * (replication), and how the slice hash spreads consecutive lines.
 * Output: CSV rows  sm,pass,line,clocks. One thread of one SM reads at a time.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

/* The CTA on SM `sm` chases; every other one leaves at once. A CTA fills an SM, so each has one. */
__global__ void __launch_bounds__(1024) chase(const uint32_t *base, uint32_t lines, uint32_t sm, uint16_t *out)
{
    uint32_t here;
    asm("mov.u32 %0, %%smid;" : "=r"(here));
    if (here != sm || threadIdx.x)
        return;
    for (uint32_t i = 0; i < lines; i++) {
        const uint32_t *p = base + 32 * (size_t)i;
        uint32_t t0, t1, v;
        asm volatile("mov.u32 %0, %%clock;\n\tld.global.cg.u32 %1, [%2];" : "=r"(t0), "=r"(v) : "l"(p) : "memory");
        if (v == 0xdeadbeef)
            __trap();
        asm volatile("mov.u32 %0, %%clock;" : "=r"(t1)::"memory");
        out[i] = (uint16_t)(t1 - t0 > 65535 ? 65535 : t1 - t0);
    }
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!csv) {
        perror(argv[1]);
        return 1;
    }
    const uint32_t lines = 8192;
    uint32_t *array;
    uint16_t *out;
    MICRO_CUDA(cudaMalloc(&array, (size_t)lines * 128));
    MICRO_CUDA(cudaMemset(array, 0, (size_t)lines * 128));
    MICRO_CUDA(cudaMalloc(&out, lines * 2));
    fprintf(csv, "sm,pass,line,clocks\n");
    static const uint32_t sms[] = {0, 1, 2, 16, 17, 40, 80, 131};
    std::vector<uint16_t> host(lines);
    for (uint32_t sm : sms)
        for (int pass = 0; pass < 3; pass++) {
            chase<<<132, 1024>>>(array, lines, sm, out);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(host.data(), out, lines * 2, cudaMemcpyDeviceToHost));
            for (uint32_t i = 0; i < lines; i++)
                fprintf(csv, "%u,%d,%u,%u\n", sm, pass, i, host[i]);
        }
    return fclose(csv) ? 1 : 0;
}
