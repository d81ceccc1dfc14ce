/* SPDX-License-Identifier: MIT
 *
 * lsu_share.cu - how much of the SM's load-store unit a warp gets, and how much the warps of one
 * sub-partition. Of a CTA of 16 warps, those in a mask (bit n: warp n, on sub-partition n mod 4)
 * repeat one request, eight at a time before they wait for what came; the others end. `degree` is
 * how many lanes of a phase are in one bank (shared; lds_128_one: all lanes load the same 16
 * bytes), or how many lines there are (global, in L1). With `mixed`, warp 0 alone has requests of
 * that degree and the others have requests of one wavefront. Settles: a warp gets a wavefront every
 * second clock, whoever else is there; two warps keep the unit busy, of one sub-partition or of
 * two; a sub-partition hands over an access to shared memory every four clocks; one that waits for
 * its own warp's last lets others pass; what two warps do between loads hardly delays either.
 * Leaves out: loads that miss L1. Output: CSV: op,degree,mixed,mask,requests,first,last - requests
 * of one warp; clocks of warp 0 and of the slowest warp, the least of three runs.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>

#define TURNS 64
#define BATCH 8

enum op { LDS, LDS64, LDS128, LDS128_ONE, STS, LDG, LDG_WIDE, OPS };
static const char *const op_name[] = {"lds_32", "lds_64",    "lds_128",    "lds_128_one",
                                      "sts_32", "ldg_lines", "ldg_sectors"};

template <int OP>
__global__ void __launch_bounds__(512)
    share(const uint32_t *global, uint32_t degree, uint32_t mixed, uint32_t mask,
          unsigned long long *clocks, uint32_t *sink)
{
    __shared__ __align__(16) uint32_t words[8192];
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    for (uint32_t i = threadIdx.x; i < 8192; i += blockDim.x)
        words[i] = i;
    uint32_t ways = mixed && warp ? 1 : degree;
    /* Lanes in groups of `ways`: a group has distinct words of one bank, or distinct lines. */
    const uint32_t bytes = OP == LDS128 ? 16 : OP == LDS64 ? 8 : 4;
    uint32_t at = OP == LDS128_ONE ? 0 : (lane % ways) * 128 + lane / ways * bytes % 128;
    uint32_t p = (uint32_t)__cvta_generic_to_shared(words) + at;
    const char *g = (const char *)global + warp * 4096 +
                    (OP == LDG_WIDE ? lane * 32 % (ways * 128) : (lane % ways) * 128);
    uint32_t v[BATCH][4];
    for (int b = 0; b < BATCH; b++)
        v[b][0] = v[b][1] = v[b][2] = v[b][3] = 0;
    __syncthreads();
    if (!(mask >> warp & 1u))
        return;
    uint64_t begin = 0;
    for (uint32_t turn = 0; turn <= TURNS; turn++) { /* the first warms L1 */
        if (turn == 1)
            begin = clock64();
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            if (OP == LDS)
                asm volatile("ld.volatile.shared.b32 %0,[%1];" : "=r"(v[b][0]) : "r"(p) : "memory");
            if (OP == LDS64)
                asm volatile("ld.volatile.shared.v2.b32 {%0,%1},[%2];"
                             : "=r"(v[b][0]), "=r"(v[b][1])
                             : "r"(p)
                             : "memory");
            if (OP == LDS128 || OP == LDS128_ONE)
                asm volatile("ld.volatile.shared.v4.b32 {%0,%1,%2,%3},[%4];"
                             : "=r"(v[b][0]), "=r"(v[b][1]), "=r"(v[b][2]), "=r"(v[b][3])
                             : "r"(p)
                             : "memory");
            if (OP == STS)
                asm volatile("st.volatile.shared.b32 [%0],%1;" ::"r"(p), "r"(lane) : "memory");
            if (OP == LDG || OP == LDG_WIDE)
                asm volatile("ld.global.b32 %0,[%1];" : "=r"(v[b][0]) : "l"(g + b * 4) : "memory");
        }
#pragma unroll
        for (int b = 0; b < BATCH; b++)
            sum += v[b][0] ^ v[b][1] ^ v[b][2] ^ v[b][3];
        if (sum == 0x12345)
            *sink = sum;
    }
    uint64_t took = clock64() - begin;
    if (lane == 0) {
        atomicMax(&clocks[1], (unsigned long long)took);
        if (warp == 0)
            clocks[0] = took;
    }
}

template <int OP> static void run(uint32_t *memory, uint32_t degree, uint32_t mixed, uint32_t mask)
{
    unsigned long long *clocks = (unsigned long long *)(memory + (1u << 18)), least[2] = {~0ull, ~0ull}, now[2];
    for (int again = 0; again < 3; again++) {
        MICRO_CUDA(cudaMemset(clocks, 0, sizeof now));
        share<OP><<<1, 512>>>(memory, degree, mixed, mask, clocks, memory + (1u << 19));
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(now, clocks, sizeof now, cudaMemcpyDeviceToHost));
        least[0] = std::min(least[0], now[0]);
        least[1] = std::min(least[1], now[1]);
    }
    printf("%s,%u,%u,0x%x,%d,%llu,%llu\n", op_name[OP], degree, mixed, mask, TURNS * BATCH,
           least[0], least[1]);
}

int main(void)
{
    uint32_t *memory;
    MICRO_CUDA(cudaMalloc(&memory, 4u << 20));
    MICRO_CUDA(cudaMemset(memory, 0, 4u << 20));
    puts("op,degree,mixed,mask,requests,first,last");
    for (uint32_t mixed = 0; mixed < 2; mixed++)
        for (uint32_t degree : {1u, 2u, 4u, 8u, 16u, 32u})
            for (uint32_t mask : {0x1u, 0x3u, 0x5u, 0x9u, 0x11u, 0x7u, 0x33u, 0xfu, 0x111u, 0x1111u,
                                  0x3333u, 0x5555u, 0xffffu}) {
                if (mixed && (degree == 1 || mask == 1))
                    continue;
                run<LDS>(memory, degree, mixed, mask);
                if (degree <= 8) {
                    run<LDS64>(memory, degree, mixed, mask);
                    run<LDS128>(memory, degree, mixed, mask);
                }
                if (degree == 1)
                    run<LDS128_ONE>(memory, degree, mixed, mask);
                run<STS>(memory, degree, mixed, mask);
                run<LDG>(memory, degree, mixed, mask);
                if (degree <= 8)
                    run<LDG_WIDE>(memory, degree, mixed, mask);
            }
    return 0;
}
