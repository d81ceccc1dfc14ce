/* SPDX-License-Identifier: MIT
 *
 * near_far.h - which SMs lie on the side of L2 that has a word: of 132, each alone does
 * compare-and-swap on it, and those below the widest gap in the middle are near. 132 launches.
 */
#ifndef GMSIM_MICRO_NEAR_FAR_H
#define GMSIM_MICRO_NEAR_FAR_H

#include "validate/micro/check.h"
#include <algorithm>
#include <vector>

#define MICRO_SMS 132u

__device__ static unsigned my_sm()
{
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* One SM alone: clocks of a compare-and-swap. */
__global__ void alone_on(unsigned sm, unsigned *word, unsigned *took)
{
    if (my_sm() != sm || threadIdx.x)
        return;
    unsigned v = 0, before = (unsigned)clock64();
    for (int i = 0; i < 16; i++)
        v = atomicCAS(word, 0x80000000u | v, v);
    unsigned after = (unsigned)clock64();
    if (v == 0x77777777u)
        took[200] = v;
    took[sm] = (after - before) / 16u;
}

/* For each SM, whether it is far from the word, which must be 0. */
static std::vector<unsigned> far_sms(unsigned *word)
{
    unsigned *took, gap = 0, cut = 0;
    std::vector<unsigned> t(MICRO_SMS), is_far;
    MICRO_CUDA(cudaMalloc(&took, 4096));
    MICRO_CUDA(cudaMemset(took, 0, 4096));
    for (unsigned k = 0; k < MICRO_SMS; k++)
        alone_on<<<MICRO_SMS, 32>>>(k, word, took);
    MICRO_CUDA(cudaMemcpy(t.data(), took, MICRO_SMS * 4, cudaMemcpyDeviceToHost));
    MICRO_CUDA(cudaFree(took));
    std::vector<unsigned> s(t);
    std::sort(s.begin(), s.end());
    for (unsigned i = MICRO_SMS / 4; i < MICRO_SMS * 3 / 4; i++)
        if (s[i] - s[i - 1] > gap)
            gap = s[i] - s[i - 1], cut = s[i];
    for (unsigned k = 0; k < MICRO_SMS; k++)
        is_far.push_back(t[k] >= cut);
    return is_far;
}

#endif
