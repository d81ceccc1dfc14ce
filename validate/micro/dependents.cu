/* SPDX-License-Identifier: MIT
 *
 * dependents.cu - what it costs a launch that it says when others may begin
 * (griddepcontrol.launch_dependents, PREEXIT), and waits for those before it (griddepcontrol.wait,
 * ACQBULK), though there are none. `says`: neither, wait, launch or both; `by`: which threads do,
 * all, or the first warp's. Then each thread stores a word and multiplies `turns` times.
 * Under Nsight Compute.
 * Output: CSV rows  says,by,threads,ctas,turns
 */
#include "validate/micro/check.h"

#include <cstdint>
#include <cstdio>

enum { NEITHER, WAIT, LAUNCH, BOTH };
static const char *const name[] = {"neither", "wait", "launch", "both"};

template <int SAYS, bool FIRST> __global__ void play(uint32_t *array, uint32_t turns)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!FIRST || threadIdx.x < 32) {
        if (SAYS & LAUNCH)
            asm volatile("griddepcontrol.launch_dependents;");
        if (SAYS & WAIT)
            asm volatile("griddepcontrol.wait;" ::: "memory");
    }
    uint32_t x = i;
#pragma unroll 1
    for (uint32_t k = 0; k < turns; k++)
        x = x * 0x9e3779b1u + turns;
    array[i] = x;
}

int main(void)
{
    uint32_t *array;
    MICRO_CUDA(cudaMalloc(&array, 64u << 20));
    puts("says,by,threads,ctas,turns");
    const auto launch = [&](int says, bool first, uint32_t threads, uint32_t ctas, uint32_t turns) {
        void (*const kernel[])(uint32_t *, uint32_t) = {
            play<NEITHER, false>, play<WAIT, false>, play<LAUNCH, false>, play<BOTH, false>,
            play<NEITHER, true>,  play<WAIT, true>,  play<LAUNCH, true>,  play<BOTH, true>};
        kernel[says + 4 * first]<<<ctas, threads>>>(array, turns);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaDeviceSynchronize());
        printf("%s,%s,%u,%u,%u\n", name[says], first ? "first" : "all", threads, ctas, turns);
    };
    for (uint32_t threads : {32u, 64u, 256u, 512u})
        for (uint32_t ctas : {132u, 2112u, 8448u, 33792u})
            for (uint32_t turns : {0u, 300u})
                for (int says = 0; says < 4; says++)
                    for (int first = 0; first < 2; first++)
                        if (ctas * threads <= 16u << 20 && (!first || threads == 256))
                            launch(says, first, threads, ctas, turns);
    return 0;
}
