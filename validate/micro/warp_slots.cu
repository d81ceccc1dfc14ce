/* SPDX-License-Identifier: MIT
 *
 * warp_slots.cu - in which sub-partition of its SM each warp of a CTA is (%warpid, of which every
 * fourth is in the same). CTAs of `warps` warps that wait; of those that were first on each SM, in
 * the order in which they began: how many have each warp in the sub-partition after that of the warp
 * before (`in_turn`), and the lowest slot there that was free (`lowest`); and of the first warps,
 * how many are so many sub-partitions after that of the CTA before (`by_0` to `by_3`).
 * Output: CSV rows  warps,ctas,in_turn,lowest,by_0,by_1,by_2,by_3
 */
#include "validate/micro/check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define PARTS 4u
#define SLOTS 64u
#define SMS   132u

struct cta {
    long long begin;
    uint32_t sm, number, slot[32];
};

__device__ cta seen[SMS * SLOTS];
__device__ uint32_t sink;

__global__ void stay(void)
{
    const uint32_t warp = threadIdx.x / 32;
    uint32_t sm, slot;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
    const long long begin = clock64();
    if (threadIdx.x % 32 == 0)
        seen[blockIdx.x].slot[warp] = slot;
    if (threadIdx.x == 0) {
        seen[blockIdx.x].sm = sm;
        seen[blockIdx.x].number = blockIdx.x;
        seen[blockIdx.x].begin = begin;
    }
    while (clock64() - begin < 60000)
        ;
}

int main(void)
{
    puts("warps,ctas,in_turn,lowest,by_0,by_1,by_2,by_3");
    for (uint32_t warps : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 12u, 16u, 20u, 24u}) {
        const uint32_t ctas = SMS * std::min(SLOTS / warps, 32u);
        static cta all[SMS * SLOTS];
        stay<<<ctas, warps * 32>>>();
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpyFromSymbol(all, seen, ctas * sizeof *all));
        uint32_t pairs = 0, in_turn = 0, lowest = 0, by[PARTS] = {0};
        for (uint32_t sm = 0; sm < SMS; sm++) {
            std::vector<cta> here;
            for (uint32_t i = 0; i < ctas; i++)
                if (all[i].sm == sm)
                    here.push_back(all[i]);
            std::sort(here.begin(), here.end(), [](const cta &a, const cta &b) { return a.number < b.number; });
            uint32_t next[PARTS] = {0}; /* the lowest free slot of each */
            for (size_t i = 0; i < here.size(); i++) {
                bool turns = true, low = true;
                for (uint32_t w = 0; w < warps; w++) {
                    const uint32_t slot = here[i].slot[w];
                    turns = turns && slot % PARTS == (here[i].slot[0] + w) % PARTS;
                    low = low && slot / PARTS == next[slot % PARTS]++;
                }
                in_turn += turns;
                lowest += low;
                if (i)
                    by[(here[i].slot[0] + PARTS - here[i - 1].slot[0] % PARTS) % PARTS]++;
                pairs++;
            }
        }
        printf("%u,%u,%u,%u,%u,%u,%u,%u\n", warps, pairs, in_turn, lowest, by[0], by[1], by[2], by[3]);
    }
    return 0;
}
