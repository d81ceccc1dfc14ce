/* SPDX-License-Identifier: MIT
 *
 * age_start.cu - what a CTA waits for when it begins on an SM whose older CTAs keep a pipe busy. CTAs of
 * `warps` warps, eight on an SM, in sixteen waves: each warp does `before` operations of a pipe, loads a
 * word from DRAM, does `work` operations, four chains side by side, and ends. Pipes: alu (minima: two
 * clocks each), ffma, imad, slots (minima and FFMA by turns: a clock each). Settles: whether the first
 * instructions of young CTAs stand behind those of older ones, so that their loads set out late and the
 * SM's CTAs go in step; for pipes, and for the scheduler alone (`ffma` with work that fills all slots).
 * Output: CSV: pipe,warps,before,work,barrier,clocks,sets_out,answer,rest - of SM 0's CTAs but the first
 * eight: the SM's clocks in all; means of a CTA's clocks from its begin until its load has issued, from
 * there until what it loads is there (and the barrier passed), from there to its end.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

enum pipe { ALU, FFMA, IMAD, SLOTS };
static const char *const pipe_name[] = {"alu", "ffma", "imad", "slots"};

struct stamp {
    long long begin, out, there, end;
    unsigned sm, spare;
};

template <int PIPE> __device__ __forceinline__ void one(int i, uint32_t (&a)[4], float (&x)[4], uint32_t k, float f)
{
    if (PIPE == ALU || (PIPE == SLOTS && i % 2 == 0))
        asm volatile("min.u32 %0,%0,%1;" : "+r"(a[i % 4]) : "r"(k + (i & 4)));
    if (PIPE == FFMA || (PIPE == SLOTS && i % 2))
        asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(x[i % 4]) : "f"(f));
    if (PIPE == IMAD)
        asm volatile("mad.lo.u32 %0,%0,%1,%1;" : "+r"(a[i % 4]) : "r"(k));
}

template <int PIPE, int BEFORE, int BARRIER>
__global__ void work(const uint32_t *in, uint32_t turns, uint32_t k, float f, stamp *stamps, uint32_t *sink)
{
    uint32_t a[4] = {threadIdx.x, threadIdx.x + 1, threadIdx.x + 2, threadIdx.x + 3};
    float x[4] = {f, f + 1, f + 2, f + 3};
    long long begin = clock64();
#pragma unroll
    for (int i = 0; i < BEFORE; i++)
        one<PIPE>(i, a, x, k, f);
    /* The address needs what was done before: */
    uint32_t nothing = (a[0] ^ a[1] ^ a[2] ^ a[3]) == 0x12345678u || x[0] + x[1] + x[2] + x[3] == 1.25e30f;
    const uint32_t *p = in + ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) * 8 + nothing;
    uint32_t v;
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    long long out = clock64();
    a[0] += v;
    if (a[0] == 0x7654321u)
        sink[1] = 1;
    if (BARRIER)
        __syncthreads();
    long long there = clock64();
#pragma unroll 1
    for (uint32_t t = 0; t < turns; t++)
#pragma unroll
        for (int i = 0; i < 64; i++)
            one<PIPE>(i, a, x, k, f);
    long long end = clock64();
    if ((a[0] ^ a[1] ^ a[2] ^ a[3]) == 0x7654321u || x[0] + x[1] + x[2] + x[3] == 1.5e30f)
        sink[0] = 1;
    if (threadIdx.x % 32 == 0) {
        unsigned sm;
        asm("mov.u32 %0,%%smid;" : "=r"(sm));
        stamps[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = {begin, out, there, end, sm, 0};
    }
}

template <int PIPE, int BEFORE, int BARRIER> static void run(unsigned warps, uint32_t turns, uint32_t *in, stamp *stamps, uint32_t *sink)
{
    unsigned ctas = 132u * 8u * 16u;
    MICRO_CUDA(cudaFuncSetAttribute(work<PIPE, BEFORE, BARRIER>, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    for (int again = 0; again < 2; again++) {
        MICRO_CUDA(cudaMemset(in, 0, 600u << 20)); /* L2 keeps the end alone */
        work<PIPE, BEFORE, BARRIER><<<ctas, warps * 32, 27 << 10>>>(in, turns, 0xffffffffu, 1.0f, stamps, sink);
        MICRO_CUDA(cudaGetLastError());
    }
    std::vector<stamp> all(ctas * warps);
    MICRO_CUDA(cudaMemcpy(all.data(), stamps, all.size() * sizeof all[0], cudaMemcpyDeviceToHost));
    std::vector<stamp> of;
    for (unsigned c = 0; c < ctas; c++) {
        if (all[c * warps].sm != all[0].sm)
            continue;
        stamp s = all[c * warps];
        double out = 0, there = 0;
        for (unsigned w = 0; w < warps; w++) {
            const stamp &x = all[c * warps + w];
            s.begin = std::min(s.begin, x.begin);
            s.out = std::max(s.out, x.out);
            s.there = std::max(s.there, x.there);
            s.end = std::max(s.end, x.end);
        }
        (void)out, (void)there;
        of.push_back(s);
    }
    std::sort(of.begin(), of.end(), [](const stamp &a, const stamp &b) { return a.begin < b.begin; });
    long long last = 0;
    double o = 0, t = 0, e = 0;
    unsigned n = 0;
    for (size_t i = 0; i < of.size(); i++) {
        last = std::max(last, of[i].end);
        if (i < 8)
            continue;
        o += (double)(of[i].out - of[i].begin), t += (double)(of[i].there - of[i].out), e += (double)(of[i].end - of[i].there), n++;
    }
    printf("%s,%u,%d,%u,%d,%lld,%.0f,%.0f,%.0f\n", pipe_name[PIPE], warps, BEFORE, turns * 64, BARRIER,
           last - of[0].begin, o / n, t / n, e / n);
}

template <int PIPE> static void all(uint32_t *in, stamp *stamps, uint32_t *sink)
{
    for (unsigned warps : {4u, 8u})
        for (uint32_t turns : {1u, 2u, 4u, 8u}) {
            run<PIPE, 0, 0>(warps, turns, in, stamps, sink);
            run<PIPE, 8, 0>(warps, turns, in, stamps, sink);
            run<PIPE, 32, 0>(warps, turns, in, stamps, sink);
            run<PIPE, 8, 1>(warps, turns, in, stamps, sink);
        }
}

int main(void)
{
    uint32_t *in, *sink;
    stamp *stamps;
    MICRO_CUDA(cudaMalloc(&in, 600u << 20));
    MICRO_CUDA(cudaMalloc(&stamps, 132u * 8u * 16u * 8u * sizeof(stamp)));
    MICRO_CUDA(cudaMalloc(&sink, 4096));
    puts("pipe,warps,before,work,barrier,clocks,sets_out,answer,rest");
    all<ALU>(in, stamps, sink);
    all<FFMA>(in, stamps, sink);
    all<IMAD>(in, stamps, sink);
    all<SLOTS>(in, stamps, sink);
    return 0;
}
