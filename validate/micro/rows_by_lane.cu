/* SPDX-License-Identifier: MIT
 *
 * rows_by_lane.cu - each lane goes through a row of its own, as naive code does: a request has 32
 * lines, of which it wants a word each. Of each CTA's warps, TURNS times:
 *   load     a word is loaded, which is in L1 but for one of eight
 *   store    one is stored
 *   red      one is added to
 *   beside   one is loaded and another stored
 *   copy     one is loaded, and stored when it is there
 *   add      one is loaded, and added when it is there
 * Settles: what the load-store unit does while a store of more lines than the queue of packets has
 * places leaves: the next load goes on before that.
 * Leaves out: requests of fewer lines (store_many.cu, store_groups.cu), several CTAs an SM.
 * Output: CSV: kind,sms,warps,turns - a row a launch, for ncu (metrics/rows_by_lane.txt). A CTA has
 * an SM to itself.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define TURNS 64
#define SMS   132

enum kind { LOAD, STORE, RED, BESIDE, COPY, ADD };
static const char *const kind_name[] = {"load", "store", "red", "beside", "copy", "add"};

template <int KIND>
__global__ void __launch_bounds__(1024) rows(const uint32_t *from, uint32_t *to)
{
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t *in = from + thread * TURNS;
    uint32_t *out = to + thread * TURNS, sum = 0;
#pragma unroll 16
    for (uint32_t t = 0; t < TURNS; t++) {
        uint32_t value = thread;
        if (KIND != STORE && KIND != RED)
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(in + t) : "memory");
        if (KIND == BESIDE || KIND == LOAD) {
            sum += value;
            value = thread;
        }
        if (KIND == STORE || KIND == BESIDE || KIND == COPY)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(out + t), "r"(value) : "memory");
        if (KIND == RED || KIND == ADD)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out + t), "r"(value) : "memory");
    }
    if (sum == 0x12345u)
        *to = sum;
}

static uint32_t *from, *to;

template <int KIND> static void run(int sms, int warps)
{
    printf("%s,%d,%d,%d\n", kind_name[KIND], sms, warps, TURNS);
    rows<KIND><<<sms, warps * 32>>>(from, to);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

int main(void)
{
    const size_t size = (size_t)SMS * 1024 * TURNS * 4;
    MICRO_CUDA(cudaMalloc(&from, size));
    MICRO_CUDA(cudaMalloc(&to, size));
    MICRO_CUDA(cudaMemset(from, 1, size));
    MICRO_CUDA(cudaMemset(to, 0, size));
    puts("kind,sms,warps,turns");
    for (int sms : {1, 32, SMS})
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            run<LOAD>(sms, warps);
            run<STORE>(sms, warps);
            run<RED>(sms, warps);
            run<BESIDE>(sms, warps);
            run<COPY>(sms, warps);
            run<ADD>(sms, warps);
        }
    return 0;
}
