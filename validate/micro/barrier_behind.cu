/* SPDX-License-Identifier: MIT
 *
 * barrier_behind.cu - what a barrier costs behind and before accesses and arithmetic. One CTA of 1
 * to 32 warps, or several that share an SM, repeat a form; names tell what a turn has, in order:
 * accesses to shared memory (sts, lds) or L1 (stg, ldg), additions in a chain (fma), a barrier
 * (bar).
 * - tree: the first warp adds two words and stores the sum, under a predicate, before the barrier;
 *   tree_branch: behind a branch; tree_last, tree_half, tree_all: other warps do;
 * - off4, offsts4, offadd4: four instructions whose predicate is false for all lanes, no barrier;
 * - one_fma, last_fma: one warp has a chain of 16, behind a branch, before the barrier.
 * Settles: when a warp goes on behind a barrier, and what accesses take that no lane does. Leaves
 * out: accesses that miss L1, named barriers. With --one each form is launched twice, by one CTA.
 * Output: CSV: form,warps,ctas,turns,clocks - clocks of the slowest warp for so many turns, those
 * of 256 less those of 64, each the least of three runs or four.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum form {
    BAR,
    STS_BAR,
    LDS_BAR,
    LDS_USE_BAR,
    STS_BAR_LDS_BAR,
    STS_BAR_LDS_BAR_FMA,
    LDS_STS_BAR,
    STS4_BAR,
    STS_CONFLICT_BAR,
    TREE,
    FMA_BAR,
    STG_BAR,
    LDG_BAR,
    LDG_USE_BAR,
    STS_FMA_BAR,
    ONE_STS_BAR,
    LDS128_BAR,
    LDS4_BAR,
    BAR_FMA32,
    LDS_CONFLICT_BAR,
    TREE_BRANCH,
    TREE_LAST,
    TREE_ALL,
    TREE_HALF,
    OFF4,
    OFF4_BAR,
    OFFSTS4,
    OFFADD4,
    ONE_FMA,
    ONE_FMA_OFF4,
    ONE_FMA_OFFADD4,
    LAST_FMA,
    FORMS
};
static const char *const names[] = {"bar",
                                    "sts_bar",
                                    "lds_bar",
                                    "lds_use_bar",
                                    "sts_bar_lds_bar",
                                    "sts_bar_lds_bar_fma",
                                    "lds_sts_bar",
                                    "sts4_bar",
                                    "sts_conflict_bar",
                                    "tree",
                                    "fma_bar",
                                    "stg_bar",
                                    "ldg_bar",
                                    "ldg_use_bar",
                                    "sts_fma_bar",
                                    "one_sts_bar",
                                    "lds128_bar",
                                    "lds4_bar",
                                    "bar_fma32",
                                    "lds_conflict_bar",
                                    "tree_branch",
                                    "tree_last",
                                    "tree_all",
                                    "tree_half",
                                    "off4",
                                    "off4_bar",
                                    "offsts4",
                                    "offadd4",
                                    "one_fma",
                                    "one_fma_off4",
                                    "one_fma_offadd4",
                                    "last_fma"};

__device__ static void bar(void)
{
    asm volatile("bar.sync 0;" ::: "memory");
}
__device__ static void sts(uint32_t at, float v)
{
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory");
}
__device__ static float lds(uint32_t at)
{
    float v;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at) : "memory");
    return v;
}
__device__ static float ldg(const float *at)
{
    float v;
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(at) : "memory");
    return v;
}
template <int N> __device__ static void chain(float &v, float y)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(v) : "f"(y));
}

__device__ static void off_lds(float &v, uint32_t at, float y)
{
    asm volatile("{.reg .pred p; setp.lt.f32 p, %2, 0f00000000; @p ld.shared.f32 %0, [%1];}"
                 : "+f"(v)
                 : "r"(at), "f"(y)
                 : "memory");
}
__device__ static void off_sts(float v, uint32_t at, float y)
{
    asm volatile(
        "{.reg .pred p; setp.lt.f32 p, %2, 0f00000000; @p st.shared.f32 [%1], %0;}" ::"f"(v),
        "r"(at), "f"(y)
        : "memory");
}
__device__ static void off_add(float &v, float y)
{
    asm volatile("{.reg .pred p; setp.lt.f32 p, %1, 0f00000000; @p add.f32 %0, %0, %1;}"
                 : "+f"(v)
                 : "f"(y));
}
__device__ static void work(float &v, float y, bool does, int once)
{
    if (does)
#pragma unroll 1
        for (int i = 0; i < once; i++)
            chain<16>(v, y);
}

template <int F>
__device__ static void step(float &v, float y, uint32_t mine, uint32_t next, float *global,
                            int once, float (&u)[4])
{
    float x = 0, z = 0, a[4] = {};
    if (F == BAR)
        bar();
    if (F == STS_BAR) {
        sts(mine, v);
        bar();
    }
    if (F == LDS_BAR) {
        x = lds(next);
        bar();
        v += x;
    }
    if (F == LDS_USE_BAR) {
        v += lds(next);
        asm volatile("" : "+f"(v));
        chain<1>(v, y);
        bar();
    }
    if (F == STS_BAR_LDS_BAR) {
        sts(mine, v);
        bar();
        v = lds(next);
        bar();
    }
    if (F == STS_BAR_LDS_BAR_FMA) {
        sts(mine, v);
        bar();
        x = lds(next);
        bar();
        chain<8>(v, y);
        v += x;
    }
    if (F == LDS_STS_BAR) {
        v = lds(next);
        sts(mine + 4096, v);
        bar();
    }
    if (F == STS4_BAR) {
        sts(mine, v);
        sts(mine + 4096, v);
        sts(mine + 8192, v);
        sts(mine + 12288, v);
        bar();
    }
    if (F == STS_CONFLICT_BAR) {
        sts((mine & 127) * 8 + (mine >> 7) * 128, v);
        bar();
    }
    if (F == LDS_CONFLICT_BAR) {
        x = lds((mine & 127) * 8 + (mine >> 7) * 128);
        bar();
        v += x;
    }
    if (F == TREE) {
        if (threadIdx.x < 32) {
            x = lds(mine);
            z = lds(mine + 4096);
            sts(mine, x + z);
        }
        bar();
    }
    if (F == TREE_BRANCH) {
        if (threadIdx.x < 32)
#pragma unroll 1
            for (int i = 0; i < once; i++) {
                x = lds(mine);
                z = lds(mine + 4096);
                sts(mine, x + z);
            }
        bar();
    }
    if (F == TREE_LAST) {
        if (threadIdx.x >= blockDim.x - 32) {
            x = lds(mine);
            z = lds(mine + 4096);
            sts(mine, x + z);
        }
        bar();
    }
    if (F == TREE_ALL) {
        x = lds(mine);
        z = lds(mine + 4096);
        sts(mine, x + z);
        bar();
    }
    if (F == TREE_HALF) {
        if (threadIdx.x < blockDim.x / 2) {
            x = lds(mine);
            z = lds(mine + 4096);
            sts(mine, x + z);
        }
        bar();
    }
    if (F == OFF4 || F == OFF4_BAR || F == ONE_FMA_OFF4) {
        off_lds(u[0], mine, y);
        off_lds(u[1], mine, y);
        off_lds(u[2], mine, y);
        off_lds(u[3], mine, y);
    }
    if (F == OFFSTS4) {
        off_sts(v, mine, y);
        off_sts(v, mine, y);
        off_sts(v, mine, y);
        off_sts(v, mine, y);
    }
    if (F == OFFADD4 || F == ONE_FMA_OFFADD4) {
        off_add(u[0], y);
        off_add(u[1], y);
        off_add(u[2], y);
        off_add(u[3], y);
    }
    if (F == ONE_FMA || F == ONE_FMA_OFF4 || F == ONE_FMA_OFFADD4)
        work(v, y, threadIdx.x < 32, once);
    if (F == LAST_FMA)
        work(v, y, threadIdx.x >= blockDim.x - 32, once);
    if (F == OFF4_BAR || (F >= ONE_FMA && F <= LAST_FMA))
        bar();
    if (F == FMA_BAR) {
        chain<8>(v, y);
        bar();
    }
    if (F == BAR_FMA32) {
        chain<32>(v, y);
        bar();
    }
    if (F == STG_BAR) {
        *(volatile float *)global = v;
        bar();
    }
    if (F == LDG_BAR) {
        x = ldg(global);
        bar();
        v += x;
    }
    if (F == LDG_USE_BAR) {
        v += ldg(global);
        asm volatile("" : "+f"(v));
        chain<1>(v, y);
        bar();
    }
    if (F == STS_FMA_BAR) {
        sts(mine, v);
        chain<16>(v, y);
        bar();
    }
    if (F == ONE_STS_BAR) {
        if (threadIdx.x < 32)
            sts(mine, v);
        bar();
    }
    if (F == LDS128_BAR) {
        asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(a[0]), "=f"(a[1]), "=f"(a[2]), "=f"(a[3])
                     : "r"(mine * 4 & 16383)
                     : "memory");
        bar();
        v += a[0] + a[1] + a[2] + a[3];
    }
    if (F == LDS4_BAR) {
        a[0] = lds(mine);
        a[1] = lds(mine + 4096);
        a[2] = lds(mine + 8192);
        a[3] = lds(mine + 12288);
        bar();
        v += a[0] + a[1] + a[2] + a[3];
    }
}

template <int F>
__global__ void __launch_bounds__(1024)
    repeat(float *global, float y, unsigned long long *clocks, int turns, int once)
{
    __shared__ float s[4 * 1024];
    __shared__ unsigned long long last;
    for (unsigned i = threadIdx.x; i < 4 * 1024; i += blockDim.x)
        s[i] = 0;
    float v = (float)threadIdx.x, u[4] = {v, v, v, v};
    uint32_t base = (uint32_t)__cvta_generic_to_shared(s), mine = base + threadIdx.x * 4,
             next = base + (threadIdx.x + 1) % 1024 * 4;
    if (threadIdx.x == 0)
        last = 0;
    global += (blockIdx.x * blockDim.x + threadIdx.x);
    step<F>(v, y, mine, next, global, once, u);
    __syncthreads();
    uint64_t begin = clock64();
#pragma unroll 1
    for (int t = 0; t < turns; t++) {
#pragma unroll
        for (int k = 0; k < 4; k++)
            step<F>(v, y, mine, next, global, once, u);
    }
    atomicMax(&last, (unsigned long long)(clock64() - begin));
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(clocks, last);
    if (v + u[0] + u[1] + u[2] + u[3] == 12345.5f)
        *global = v;
}
static unsigned long long *clocks;
static float *global;
template <int F> static unsigned long long run(unsigned warps, unsigned ctas, int turns, int times)
{
    unsigned long long least = ~0ull, now;
    for (int again = 0; again < times; again++) {
        MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
        repeat<F><<<ctas == 1 ? 1 : ctas * 132, warps * 32>>>(global, 1.5f, clocks, turns, 1);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
        least = std::min(least, now);
    }
    return least;
}
template <int F> static void rows(bool one)
{
    for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u})
        for (unsigned ctas : {1u, 2u, 4u, 8u}) {
            if (warps * ctas > 64 || (ctas > 1 && warps > 16) || (one && ctas > 1))
                continue;
            if (one) {
                run<F>(warps, ctas, 16, 1);
                run<F>(warps, ctas, 64, 1);
                continue;
            }
            unsigned long long few = run<F>(warps, ctas, 16, 4), many = run<F>(warps, ctas, 64, 3);
            printf("%s,%u,%u,%d,%llu\n", names[F], warps, ctas, 192, many - few);
        }
}
template <int F> static void all(bool one)
{
    rows<F>(one);
    if constexpr (F + 1 < FORMS)
        all<F + 1>(one);
}
int main(int argc, char **argv)
{
    const bool one = argc > 1 && !strcmp(argv[1], "--one");
    MICRO_CUDA(cudaMalloc(&clocks, 16));
    MICRO_CUDA(cudaMalloc(&global, 1 << 24));
    MICRO_CUDA(cudaMemset(global, 0, 1 << 24));
    if (!one)
        puts("form,warps,ctas,turns,clocks");
    all<0>(one);
    return 0;
}
