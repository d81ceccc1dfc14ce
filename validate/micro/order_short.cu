/* SPDX-License-Identifier: MIT
 *
 * order_short.cu - which warps go first where the way from one access to the next is short, and what
 * is scarce is not the load-store unit. As warp_order.cu: all CTAs of an SM do the same work, more
 * of it than the SM can do at once. A turn of `kind`: alu, 12 LOP3 and a store to shared memory;
 * fma, 24 FFMA in four chains and one; vote, six comparisons and votes and one; ldc, four loads of
 * constants by an index and one; off, eight loads of shared memory that no lane does; mix: CTAs with
 * an even number do alu turns, those with an odd one barriers, each behind a load from shared memory.
 * Settles: that warps of older CTAs have scheduler, pipes and constant port first on short ways,
 * too. Output: CSV: kind,ctas,warps,cta,began,first,last,even - as warp_order.cu.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <vector>

enum kind { ALU, FMA, VOTE, LDC, OFF, MIX };
static const char *const kind_name[] = {"alu", "fma", "vote", "ldc", "off", "mix"};

struct stamp {
    unsigned long long begin, end;
    unsigned sm, spare;
};

__constant__ uint32_t table[64];

template <int KIND>
__global__ void __launch_bounds__(1024)
    work(uint32_t turns, uint32_t zero, stamp *stamps, uint32_t *sink)
{
    __shared__ uint32_t words[1024];
    uint32_t v[4] = {zero, 1, 2, 3};
    float x[4] = {(float)zero, 1.f, 2.f, 3.f};
    const uint32_t p = (uint32_t)__cvta_generic_to_shared(&words[threadIdx.x]);
    words[threadIdx.x] = zero;
    __syncthreads();
    const unsigned long long begin = clock64();
    const bool alu = KIND == ALU || (KIND == MIX && blockIdx.x % 2 == 0);
    if (KIND == MIX && !alu) {
#pragma unroll 1
        for (uint32_t t = 0; t < turns; t++) {
            uint32_t y;
            asm volatile("ld.shared.u32 %0,[%1];" : "=r"(y) : "r"(p) : "memory");
            v[0] += y;
            __syncthreads();
        }
    } else {
#pragma unroll 1
        for (uint32_t t = 0; t < turns; t++) {
            if (alu)
#pragma unroll
                for (int i = 0; i < 12; i++)
                    asm volatile("lop3.b32 %0,%0,%1,%2,0x6a;" : "+r"(v[i % 4]) : "r"(zero), "r"(p));
            if (KIND == FMA)
#pragma unroll
                for (int i = 0; i < 24; i++)
                    asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x[i % 4]));
            if (KIND == VOTE)
#pragma unroll
                for (int i = 0; i < 6; i++)
                    asm volatile("{.reg .pred q; setp.lt.u32 q,%0,%1; vote.sync.ballot.b32 %0,q,-1;}"
                                 : "+r"(v[i % 4])
                                 : "r"(zero + 7u));
            if (KIND == LDC)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    v[i] += table[((p & zero) + t + i) & 63u];
            if (KIND == OFF)
#pragma unroll
                for (int i = 0; i < 8; i++)
                    asm volatile("{.reg .pred q; setp.gt.u32 q,%1,7; @q ld.shared.u32 %0,[%2];}"
                                 : "+r"(v[i % 4])
                                 : "r"(zero), "r"(p)
                                 : "memory");
            asm volatile("st.shared.u32 [%0],%1;" ::"r"(p), "r"(v[0] + __float_as_uint(x[0])) : "memory");
        }
    }
    const unsigned long long end = clock64();
    if (x[0] + x[1] + x[2] + x[3] == 12345.5f || v[0] + v[1] + v[2] + v[3] == 0x7654321)
        *sink = 1;
    unsigned sm;
    asm("mov.u32 %0,%%smid;" : "=r"(sm));
    if (threadIdx.x % 32 == 0)
        stamps[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = {begin, end, sm, 0};
}

template <int KIND> static void rows(stamp *stamps, uint32_t *sink, uint32_t ctas, uint32_t warps)
{
    const uint32_t grid = 132 * ctas, turns = 512;
    std::vector<stamp> got(grid * warps);
    for (int twice = 0; twice < 2; twice++) {
        work<KIND><<<grid, warps * 32>>>(turns, 0, stamps, sink);
        MICRO_CUDA(cudaDeviceSynchronize());
    }
    MICRO_CUDA(cudaMemcpy(got.data(), stamps, got.size() * sizeof(stamp), cudaMemcpyDeviceToHost));
    struct cta {
        unsigned long long begin, first, last;
        uint32_t number;
    };
    std::vector<cta> here;
    for (uint32_t c = 0; c < grid; c++) {
        if (got[c * warps].sm != got[0].sm)
            continue;
        cta one = {~0ull, ~0ull, 0, c};
        for (uint32_t w = 0; w < warps; w++) {
            const stamp &s = got[c * warps + w];
            one.begin = std::min(one.begin, s.begin);
            one.first = std::min(one.first, s.end);
            one.last = std::max(one.last, s.end);
        }
        here.push_back(one);
    }
    std::sort(here.begin(), here.end(), [](const cta &a, const cta &b) { return a.begin < b.begin; });
    unsigned long long even = 0;
    for (const cta &c : here)
        even = std::max(even, c.last);
    for (const cta &c : here)
        printf("%s,%u,%u,%u,%llu,%llu,%llu,%llu\n", kind_name[KIND], ctas, warps, c.number,
               c.begin - here[0].begin, c.first - here[0].begin, c.last - here[0].begin,
               even - here[0].begin);
}

template <int KIND> static void all(stamp *stamps, uint32_t *sink)
{
    static const uint32_t shape[][2] = {{2, 32}, {2, 16}, {4, 8}, {8, 4}};
    for (auto &s : shape)
        rows<KIND>(stamps, sink, s[0], s[1]);
}

int main()
{
    stamp *stamps;
    uint32_t *sink;
    MICRO_CUDA(cudaMalloc(&stamps, 132 * 64 * sizeof *stamps));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    printf("kind,ctas,warps,cta,began,first,last,even\n");
    all<ALU>(stamps, sink), all<FMA>(stamps, sink), all<VOTE>(stamps, sink), all<LDC>(stamps, sink);
    all<OFF>(stamps, sink), all<MIX>(stamps, sink);
    return 0;
}
