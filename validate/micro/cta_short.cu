/* SPDX-License-Identifier: MIT
 *
 * cta_short.cu - which SM each CTA is given where CTAs come and go faster than the GPU gives places
 * away. Settles whether SMs keep their turn, how many CTAs a group of SMs takes in one, and what
 * disturbs them: CTAs that live `spin` clocks, or up to `spread` more, that load `loads` scattered
 * lines one after the other, or that store so many.
 * Output: CSV: block,spin,spread,loads,stores,first,sms - `sms` are the SMs of CTAs `first` to
 * `first` + 63, in order, of the middle third of the second of two launches.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <vector>

#define WORDS (1u << 20)

__global__ void mark(uint8_t *out, uint32_t *table, uint32_t spin, uint32_t spread, uint32_t loads,
                     uint32_t stores)
{
    const uint32_t g = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t at = g * 2654435761u % WORDS;
    for (uint32_t i = 0; i < loads; i++)
        at = (table[at] + at * 40503u + 12289u) % WORDS;
    for (uint32_t i = 0; i < stores; i++)
        table[(at + i * 4099u) % WORDS] = 0;
    if (threadIdx.x == 0) {
        uint32_t sm, t0, t1;
        const uint32_t wait = spin + (uint32_t)((uint64_t)(blockIdx.x * 2654435761u) * spread >> 32);
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        if (wait) {
            asm volatile("mov.u32 %0, %%clock;" : "=r"(t0));
            do
                asm volatile("mov.u32 %0, %%clock;" : "=r"(t1));
            while (t1 - t0 < wait);
        }
        out[blockIdx.x] = (uint8_t)sm;
    }
    if (at == WORDS)
        table[0] = at;
}

int main(void)
{
    const uint32_t ctas = 24576;
    uint8_t *out;
    uint32_t *table;
    MICRO_CUDA(cudaMalloc(&out, ctas));
    MICRO_CUDA(cudaMalloc(&table, WORDS * sizeof *table));
    MICRO_CUDA(cudaMemset(table, 0, WORDS * sizeof *table));
    puts("block,spin,spread,loads,stores,first,sms");
    std::vector<uint8_t> host(ctas);
    static const struct {
        uint32_t spin, spread, loads, stores;
    } form[] = {{0, 0, 0, 0},      {400, 0, 0, 0},    {1000, 0, 0, 0},     {2000, 0, 0, 0},
                {4000, 0, 0, 0},   {400, 200, 0, 0},  {1000, 1000, 0, 0},  {1000, 2000, 0, 0},
                {0, 0, 1, 0},      {0, 0, 3, 0},      {0, 0, 6, 0},        {0, 0, 0, 1},
                {400, 0, 0, 4},    {0, 0, 3, 1}};
    for (uint32_t block : {32u, 64u, 256u})
        for (auto &f : form) {
            for (int rep = 0; rep < 2; rep++)
                mark<<<ctas, block>>>(out, table, f.spin, f.spread, f.loads, f.stores);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(host.data(), out, ctas, cudaMemcpyDeviceToHost));
            for (uint32_t i = ctas / 3; i < ctas / 3 * 2; i += 64) {
                printf("%u,%u,%u,%u,%u,%u,", block, f.spin, f.spread, f.loads, f.stores, i);
                for (uint32_t k = i; k < i + 64; k++)
                    printf(k > i ? " %u" : "%u", host[k]);
                puts("");
            }
        }
    return 0;
}
