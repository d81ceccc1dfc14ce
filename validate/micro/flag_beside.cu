/* SPDX-License-Identifier: MIT
 *
 * flag_beside.cu - what loads take beside stores of all SMs to one flag, as of loops over a graph that
 * tell that something has changed.
 *
 * Two CTAs of 16 warps an SM. In each turn `lanes` lanes of a warp load a word each, 33 lines
 * apart, anywhere in a table of 1 MiB that L2 has; where it comes, in each `every`-th turn of the warp (0: in none), they
 * store a byte: to the flag (`apart` 0), or to one of the warp's, so many bytes from the next one's.
 *
 * Settles: which stores to a flag become one on their way out of the SM; whether loads wait behind those
 * that wait for the flag's slice.
 *
 * Output: CSV lanes,every,apart - a row a launch, for ncu.
 */
#include "validate/micro/check.h"

#include <cstdint>
#include <cstdio>

#define WARPS 16u
#define CTAS  264u
#define TURNS 12u
#define WORDS (1u << 18)

__global__ void __launch_bounds__(WARPS * 32u) beside(const uint32_t *table, char *flags, uint32_t lanes,
                                                      uint32_t every, uint32_t apart)
{
    const uint32_t lane = threadIdx.x % 32u, warp = blockIdx.x * WARPS + threadIdx.x / 32u;
    char *flag = flags + warp * apart;
    uint32_t x = warp * 2654435761u;
    if (lane >= lanes)
        return;
    for (uint32_t i = 0; i < TURNS; i++) {
        x = x * 1664525u + 1013904223u + table[((x >> 8) + lane * 33u * 32u) % WORDS]; /* which is 0 */
        if (every && (warp + i) % every == 0)
            *(volatile char *)flag = (char)(x == 7u);
    }
    if (x == 7u)
        *(volatile char *)flag = 1;
}

int main()
{
    uint32_t *table;
    char *flags;
    MICRO_CUDA(cudaMalloc(&table, WORDS * sizeof *table));
    MICRO_CUDA(cudaMemset(table, 0, WORDS * sizeof *table));
    MICRO_CUDA(cudaMalloc(&flags, CTAS * WARPS * 128u));
    MICRO_CUDA(cudaMemset(flags, 0, CTAS * WARPS * 128u));
    printf("lanes,every,apart\n");
    for (uint32_t lanes : {1u, 8u, 32u})
        for (uint32_t every : {0u, 1u, 2u, 4u, 16u})
            for (uint32_t apart : {0u, 128u}) {
                if (apart && every != 1u)
                    continue;
                beside<<<CTAS, WARPS * 32u>>>(table, flags, lanes, every, apart);
                MICRO_CUDA(cudaGetLastError());
                printf("%u,%u,%u\n", lanes, every, apart);
            }
    MICRO_CUDA(cudaDeviceSynchronize());
    return 0;
}
