/* SPDX-License-Identifier: MIT
 *
 * local_sets.cu - how much of the local memory of a CTA stays in L1, on each SM. Its warps write
 * their `words` words each, one warp after another, and read them in the same order; a load that
 * takes 130 clocks or more was not there. L1 is as large as it gets. Every SM has one CTA.
 * Output: CSV rows words,warps,sm,lost: lines not found, of words times warps.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <vector>

#define SMS 132u

template <int WORDS>
__global__ void __launch_bounds__(1024) keep(uint32_t *out, uint32_t add)
{
    __shared__ uint32_t lost, room[256]; /* as much as the first measurement had */
    uint32_t mine[WORDS], warp = threadIdx.x / 32u, warps = blockDim.x / 32u, sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    lost = 0;
    for (uint32_t i = threadIdx.x; i < 256u; i += blockDim.x)
        *(volatile uint32_t *)&room[i] = 0;
    __syncthreads();
    for (uint32_t w = 0; w < warps; w++) {
        for (uint32_t i = 0; w == warp && i < WORDS; i++)
            *(volatile uint32_t *)&mine[(i + add) % WORDS] = i + threadIdx.x;
        __syncthreads();
    }
    for (uint32_t w = 0; w < warps; w++) {
        for (uint32_t i = 0; w == warp && i < WORDS; i++) {
            uint32_t t0, t1;
            asm volatile("mov.u32 %0, %%clock;" : "=r"(t0)::"memory");
            if (*(volatile uint32_t *)&mine[(i + add) % WORDS] == 0xdeadbeef)
                __trap();
            asm volatile("mov.u32 %0, %%clock;" : "=r"(t1)::"memory");
            if (threadIdx.x % 32u == 0 && t1 - t0 >= 130u)
                atomicAdd(&lost, 1u);
        }
        __syncthreads();
    }
    out[sm] = lost;
}

template <int WORDS> static void run(uint32_t warps, uint32_t *out)
{
    MICRO_CUDA(cudaFuncSetAttribute(keep<WORDS>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    keep<WORDS><<<SMS, warps * 32u>>>(out, 0);
    MICRO_CUDA(cudaGetLastError());
    std::vector<uint32_t> lost(SMS);
    MICRO_CUDA(cudaMemcpy(lost.data(), out, SMS * sizeof lost[0], cudaMemcpyDeviceToHost));
    for (uint32_t sm = 0; sm < SMS; sm++)
        printf("%d,%u,%u,%u\n", WORDS, warps, sm, lost[sm]);
}

int main()
{
    uint32_t *out;
    MICRO_CUDA(cudaMalloc(&out, SMS * sizeof *out));
    printf("words,warps,sm,lost\n");
    run<16>(1, out), run<16>(4, out), run<16>(16, out), run<64>(4, out), run<32>(16, out);
    run<32>(32, out), run<64>(16, out), run<128>(8, out), run<128>(4, out), run<256>(4, out);
    run<512>(2, out), run<8>(32, out), run<48>(8, out);
    return 0;
}
