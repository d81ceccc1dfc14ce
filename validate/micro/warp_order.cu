/* SPDX-License-Identifier: MIT
 *
 * warp_order.cu - which of several ready warps goes first. All CTAs of an SM do the same work, and
 * more of it than the SM can do at once: who is preferred, ends early. Settles: that warps of CTAs
 * that came earlier go first, and that warps of one CTA share evenly. Leaves out: priorities of
 * streams, warps that sleep. Output: CSV: kind,ctas,warps,cta,began,first,last,even - of the SM
 * that runs CTA 0: CTAs in the order in which they began; when each began and when its first and
 * last warp ended, in clocks since the first began; `even` is the clock at which all would end if
 * the SM shared itself evenly, that at which the last of all ended.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <vector>

enum kind { FMA, FMA4, LDS, LOAD, LOAD32, CHASE32, STORE };
static const char *const kind_name[] = {"fma", "fma4", "lds", "load", "load32", "chase32", "store"};

struct stamp {
    unsigned long long begin, end;
    unsigned sm, spare;
};

template <int KIND>
__global__ void __launch_bounds__(1024) work(uint32_t *memory, uint32_t turns, uint32_t zero, stamp *stamps)
{
    __shared__ uint32_t words[1024];
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, v = zero;
    float x[4] = {(float)zero, 1.f, 2.f, 3.f};
    uint32_t *own = memory + (blockIdx.x * (blockDim.x / 32) + warp) * 1024u;
    uint32_t *one = own + lane, *many = own + lane * 32;
    words[threadIdx.x] = zero;
    for (int i = 0; i < 32; i++)
        v += one[i * 32];
    uint32_t p = (uint32_t)__cvta_generic_to_shared(&words[threadIdx.x]);
    __syncthreads();
    unsigned long long begin = clock64();
#pragma unroll 1
    for (uint32_t t = 0; t < turns; t++)
#pragma unroll
        for (int i = 0; i < 8; i++) {
            uint32_t y = 0;
            if (KIND == FMA || KIND == FMA4)
                asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x[KIND == FMA ? 0 : i % 4]));
            if (KIND == LDS)
                asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(y) : "r"(p) : "memory");
            if (KIND == LOAD)
                asm volatile("ld.global.u32 %0,[%1];" : "=r"(y) : "l"(one + i * 32) : "memory");
            if (KIND == LOAD32 || KIND == CHASE32)
                asm volatile("ld.global.u32 %0,[%1];"
                             : "=r"(y)
                             : "l"(many + i + (KIND == CHASE32 ? v & zero : 0))
                             : "memory");
            if (KIND == STORE)
                asm volatile("st.global.u32 [%0],%1;" ::"l"(one + i * 32), "r"(v) : "memory");
            v += y;
        }
    unsigned long long end = clock64();
    if (x[0] + x[1] + x[2] + x[3] == 12345.5f || v == 0x7654321)
        memory[0] = v;
    if (lane == 0) {
        unsigned sm;
        asm("mov.u32 %0,%%smid;" : "=r"(sm));
        stamps[blockIdx.x * (blockDim.x / 32) + warp] = {begin, end, sm, 0};
    }
}

template <int KIND> static void run(uint32_t *memory, stamp *stamps, uint32_t turns)
{
    static const unsigned shape[][2] = {{2, 16}, {4, 8}, {8, 4}, {16, 1}, {32, 1}};
    int sms = 0;
    MICRO_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (auto s : shape) {
        unsigned ctas = s[0] * (unsigned)sms, warps = s[1];
        for (int again = 0; again < 2; again++) /* the second time L2 has all */
            work<KIND><<<ctas, warps * 32>>>(memory, turns, 0, stamps);
        MICRO_CUDA(cudaGetLastError());
        std::vector<stamp> all(ctas * warps);
        MICRO_CUDA(cudaMemcpy(all.data(), stamps, all.size() * sizeof all[0], cudaMemcpyDeviceToHost));
        struct row {
            unsigned long long begin, first, last;
            unsigned cta;
        };
        std::vector<row> rows;
        unsigned long long start = ~0ull, end = 0;
        for (unsigned c = 0; c < ctas; c++) {
            if (all[c * warps].sm != all[0].sm)
                continue;
            row r = {~0ull, ~0ull, 0, c};
            for (unsigned w = 0; w < warps; w++) {
                r.begin = std::min(r.begin, all[c * warps + w].begin);
                r.first = std::min(r.first, all[c * warps + w].end);
                r.last = std::max(r.last, all[c * warps + w].end);
            }
            rows.push_back(r);
            start = std::min(start, r.begin);
            end = std::max(end, r.last);
        }
        std::sort(rows.begin(), rows.end(), [](const row &a, const row &b) { return a.begin < b.begin; });
        for (const row &r : rows)
            printf("%s,%u,%u,%u,%llu,%llu,%llu,%llu\n", kind_name[KIND], s[0], warps, r.cta,
                   r.begin - start, r.first - start, r.last - start, end - start);
    }
}

int main(void)
{
    uint32_t *memory;
    stamp *stamps;
    MICRO_CUDA(cudaMalloc(&memory, 64u << 20));
    MICRO_CUDA(cudaMemset(memory, 0, 64u << 20));
    MICRO_CUDA(cudaMalloc(&stamps, 1u << 20));
    puts("kind,ctas,warps,cta,began,first,last,even");
    run<FMA>(memory, stamps, 400);
    run<FMA4>(memory, stamps, 400);
    run<LDS>(memory, stamps, 160);
    run<LOAD>(memory, stamps, 160);
    run<LOAD32>(memory, stamps, 64);
    run<CHASE32>(memory, stamps, 32);
    run<STORE>(memory, stamps, 80);
    return 0;
}
