/* SPDX-License-Identifier: MIT
 *
 * l1_script.h - which of the reads of a script hit L1. One lane reads lines in scripted order, each
 * read after the last one has come; what hits is kept as bits in shared memory, so that nothing but
 * these reads touches the cache. A program says before it includes this how many reads a script may
 * have (MAX_STEPS) and what number a line has (script_line); both fit into constant memory.
 */
#ifndef GMSIM_MICRO_L1_SCRIPT_H
#define GMSIM_MICRO_L1_SCRIPT_H

#include "validate/micro/check.h"

#include <cstdint>
#include <vector>

#define WORDS ((MAX_STEPS + 31) / 32)
__constant__ script_line script[MAX_STEPS];

__global__ void play(const char *base, uint32_t steps, uint32_t *out)
{
    __shared__ uint32_t hit[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        hit[i] = 0;
    for (uint32_t i = 0; i < steps; i++) {
        const char *p = base + 128ull * script[i];
        uint32_t t0, t1, v;
        asm volatile("mov.u32 %0, %%clock;\n\tld.global.u32 %1, [%2];"
                     : "=r"(t0), "=r"(v)
                     : "l"(p)
                     : "memory");
        if (v == 0xdeadbeef) /* waits for the value: the array never holds it */
            __trap();
        asm volatile("mov.u32 %0, %%clock;" : "=r"(t1)::"memory");
        if (t1 - t0 < 120)
            hit[i / 32] |= 1u << i % 32;
    }
    for (uint32_t i = 0; i < WORDS; i++)
        out[i] = hit[i];
}

static char *script_array;
static uint32_t *script_hits;

/* Lines lie in `bytes` of zeros. */
static void script_begin(size_t bytes)
{
    MICRO_CUDA(cudaMalloc(&script_array, bytes));
    MICRO_CUDA(cudaMemset(script_array, 0, bytes));
    MICRO_CUDA(cudaMalloc(&script_hits, WORDS * sizeof *script_hits));
}

/* Which of the reads of `lines` hit, with `percent` of L1 preferred for shared memory. */
static std::vector<bool> script_play(const std::vector<script_line> &lines, int percent)
{
    if (lines.size() > MAX_STEPS) {
        fprintf(stderr, "a script of %zu steps is longer than %d\n", lines.size(), MAX_STEPS);
        exit(1);
    }
    MICRO_CUDA(cudaMemcpyToSymbol(script, lines.data(), lines.size() * sizeof lines[0]));
    MICRO_CUDA(cudaFuncSetAttribute(play, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    for (int again = 0; again < 2; again++) /* the second time L2 has all */
        play<<<1, 1>>>(script_array, (uint32_t)lines.size(), script_hits);
    MICRO_CUDA(cudaGetLastError());
    uint32_t bits[WORDS];
    MICRO_CUDA(cudaMemcpy(bits, script_hits, sizeof bits, cudaMemcpyDeviceToHost));
    std::vector<bool> hit(lines.size());
    for (size_t i = 0; i < lines.size(); i++)
        hit[i] = bits[i / 32] >> i % 32 & 1;
    return hit;
}

#endif
