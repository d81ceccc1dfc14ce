/* SPDX-License-Identifier: MIT
 *
 * l2_crossing.cu - how many requests cross between the two sides of L2. 64 warps an SM use 32 words
 * drawn at random from a table of `kib` KiB, again and again: `op` read, red, atom and cas past L1,
 * or `read+cas`, a compare-and-swap of what was just read. That is carried out where the line is at
 * home, and makes the copy on the other side useless, so that half of the reads cross, too. To be
 * run under ncu (metrics/l2_crossing.txt).
 * Output: CSV rows  op,kib,words.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define TURNS 12u
#define CTAS  264u

enum { READ, RED, ATOM, CAS, READ_CAS };

template <int OP> __device__ static uint32_t use(uint32_t *at)
{
    uint32_t value = OP == CAS ? 1u : 0u;
    if (OP == READ || OP == READ_CAS)
        value = __ldcg(at);
    if (OP == RED)
        atomicAdd(at, 1u);
    if (OP == ATOM)
        value = atomicAdd(at, 1u);
    if (OP == CAS || OP == READ_CAS)
        value = atomicCAS(at, value, value + 1u);
    return value;
}

template <int OP> __global__ void __launch_bounds__(1024) draw(uint32_t *table, uint32_t words, uint32_t *sink)
{
    uint32_t state = (blockIdx.x * 1024u + threadIdx.x) * 2654435761u + 12345u, sum = 0;
    for (uint32_t t = 0; t < TURNS; t++) {
        state = state * 1664525u + 1013904223u;
        sum += use<OP>(table + (state >> 4) % words);
        state += OP != RED && sum >> 31; /* one after the other */
    }
    if (sum == 0x12345)
        *sink = sum;
}

int main(void)
{
    uint32_t *table, *sink;
    MICRO_CUDA(cudaMalloc(&table, 16u << 20));
    MICRO_CUDA(cudaMemset(table, 0, 16u << 20));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    static const struct {
        const char *name;
        void (*run)(uint32_t *, uint32_t, uint32_t *);
    } ops[] = {{"read", draw<READ>},
               {"red", draw<RED>},
               {"atom", draw<ATOM>},
               {"cas", draw<CAS>},
               {"read+cas", draw<READ_CAS>}};
    printf("op,kib,words\n");
    for (uint32_t kib : {512u, 2048u, 16384u})
        for (auto &op : ops) {
            op.run<<<CTAS, 1024>>>(table, kib * 256u, sink);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaDeviceSynchronize());
            printf("%s,%u,%u\n", op.name, kib, TURNS * CTAS * 1024u);
        }
    return 0;
}
