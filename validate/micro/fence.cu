/* SPDX-License-Identifier: MIT
 *
 * fence.cu - what a memory fence takes. `warps` of one CTA an SM, on one SM or on all, repeat: so
 * many accesses (`before`: stores of whole lines, loads that miss L1, stores to shared memory, both
 * sorts of stores, or none), then a fence of the scope `cta`, `gl` or `sys`; `after` loads of lines that were loaded before the fence, which hit
 * L1 unless the fence emptied it. Settles: the latency of MEMBAR by scope, what it waits for, how
 * many are under way at a time. Output: CSV: scope,before,count,after,warps,sms,turns,clocks - of
 * the slowest CTA, the least of three runs.
 */
#include "validate/micro/check.h"
#include "validate/micro/fence.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

#define TURNS 64

enum before { NOTHING, STORES, LOADS, SHARED, BOTH };

template <int SCOPE>
__global__ void repeat(int before, int count, int after, uint32_t *data, uint32_t lines,
                       unsigned long long *clocks, uint32_t *sink)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    __shared__ uint32_t words[1024];
    const uint32_t own = (blockIdx.x * warps + warp) * lines;
    uint32_t sum = 0, at = 0;
    words[threadIdx.x] = lane;
    for (int i = 0; i < after; i++)
        sum += data[(own + lines - 1 - i) * 32 + lane];
    __syncthreads();
    uint64_t begin = clock64();
#pragma unroll 1
    for (int t = 0; t < TURNS; t++) {
#pragma unroll 4
        for (int i = 0; i < count; i++, at = at + 1 < lines - 8 ? at + 1 : 0) {
            uint32_t *p = data + (own + at) * 32 + lane;
            if (before == STORES || before == BOTH)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(sum) : "memory");
            if (before == LOADS) {
                uint32_t v;
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
                sum += v;
            }
        }
        if (before >= SHARED)
            asm volatile("st.shared.u32 [%0], %1;"
                         :
                         : "r"((uint32_t)__cvta_generic_to_shared(&words[threadIdx.x])), "r"(sum)
                         : "memory");
        fence<SCOPE>();
        for (int i = 0; i < after; i++) {
            uint32_t v;
            asm volatile("ld.global.u32 %0, [%1];"
                         : "=r"(v)
                         : "l"(data + (own + lines - 1 - i) * 32 + lane)
                         : "memory");
            sum += v;
        }
    }
    asm volatile("" ::"r"(sum) : "memory");
    atomicMax(clocks, (unsigned long long)(clock64() - begin));
    if (sum + words[threadIdx.x ^ 1u] == 0x12345678)
        *sink = sum;
}

int main(void)
{
    const uint32_t lines = 128, most = 132 * 32;
    uint32_t *data, *sink;
    unsigned long long *clocks;
    MICRO_CUDA(cudaMalloc(&data, (size_t)most * lines * 128));
    MICRO_CUDA(cudaMemset(data, 0, (size_t)most * lines * 128));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    static const char *const scope_name[] = {"cta", "gl", "sys"}, *const before_name[] = {
                                                                      "none", "stores", "loads",
                                                                      "shared", "both"};
    static const struct {
        int before, count, after;
    } form[] = {{NOTHING, 0, 0}, {STORES, 1, 0},  {STORES, 4, 0},  {STORES, 16, 0}, {LOADS, 1, 0},
                {LOADS, 4, 0},   {NOTHING, 0, 1}, {NOTHING, 0, 4}, {STORES, 1, 1},
                {SHARED, 0, 0},  {BOTH, 1, 0}};
    puts("scope,before,count,after,warps,sms,turns,clocks");
    for (int scope = 0; scope < 3; scope++)
        for (auto &f : form)
            for (int warps : {1, 4, 16, 32})
                for (int sms : {1, 132}) {
                    unsigned long long least = ~0ull, now;
                    for (int again = 0; again < 3; again++) {
                        MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
                        auto kernel = scope == 0 ? repeat<0> : scope == 1 ? repeat<1> : repeat<2>;
                        kernel<<<sms, warps * 32>>>(f.before, f.count, f.after, data, lines, clocks,
                                                    sink);
                        MICRO_CUDA(cudaGetLastError());
                        MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
                        least = std::min(least, now);
                    }
                    printf("%s,%s,%d,%d,%d,%d,%d,%llu\n", scope_name[scope], before_name[f.before],
                           f.count, f.after, warps, sms, TURNS, least);
                }
    return 0;
}
