/* SPDX-License-Identifier: MIT
 *
 * hit_behind.cu - whether what a warp asks for comes before what it asked for earlier. Warp 0 of a
 * CTA asks for `first`, once or eight times, then for `second`; it is timed until that is there. Sets:
 *   own    one CTA; what is asked for first is waited for only then
 *   same   `warps` other warps of its sub-partition ask for `first`, again and again
 *   apart  warps of another sub-partition; more than seven: of all
 *   all    as apart, with a CTA on every SM
 * Kinds: l1 (a load that hits there), l2 and dram (loads that miss, up to there), cg (l2, past L1),
 * wide (l2, a line a lane), quad and oct (l2, 16 bytes a lane, side by side or 32 bytes apart), atom
 * (an atomic in L2, with its result), red, store, copy (cp.async.ca), shared (a load).
 * Output: CSV rows  set,first,second,warps,deep,mean,least,median,most - clocks until the second is
 * there.
 */
#include "validate/micro/check.h"
#include "validate/micro/flush.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define TIMES 128u
#define TURNS 1024u
#define LINES 65536u              /* 8 MiB, which L2 has */
#define COLD  ((size_t)256 << 20) /* bytes behind them, from DRAM */

enum kind { NONE, L1, L2, DRAM, CG, ATOM, RED, STORE, COPY, SHARED, WIDE, QUAD, OCT };
static const char *const kind_name[] = {"none",  "l1",   "l2",     "dram", "cg",   "atom", "red",
                                        "store", "copy", "shared", "wide", "quad", "oct"};

__device__ static uint32_t load(const char *at)
{
    uint32_t value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

/* Lane l reads or writes word l of a line. */
template <int K> __device__ static uint32_t ask(char *at, uint32_t shared)
{
    uint32_t value = 0;
    if (K == L1 || K == L2 || K == DRAM || K == WIDE)
        value = load(at);
    else if (K == QUAD || K == OCT) {
        uint4 v;
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(at)
                     : "memory");
        value = v.x + v.y + v.z + v.w;
    } else if (K == CG)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    else if (K == ATOM)
        asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(value) : "l"(at) : "memory");
    else if (K == RED)
        asm volatile("red.global.add.u32 [%0], 0;" ::"l"(at) : "memory");
    else if (K == STORE)
        asm volatile("st.global.u32 [%0], 0;" ::"l"(at) : "memory");
    else if (K == COPY)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(at) : "memory");
    else if (K == SHARED)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared) : "memory");
    return value;
}

/* Where a kind's `n`th line lies. */
template <int K> __device__ static char *place(char *p, size_t n)
{
    if (K == L1)
        return p + LINES * 128u + COLD;
    return p + (K == DRAM ? LINES * 128u + n * 128u % COLD : n % LINES * 128u);
}

/* Bytes from one lane's place to the next one's. */
__device__ static constexpr uint32_t apart_by(int kind)
{
    return kind == WIDE ? 128u : kind == QUAD ? 16u : kind == OCT ? 32u : 4u;
}

/* Counts only now that `later` is known. */
__device__ static uint32_t sum_of(const uint32_t value[8], uint32_t later)
{
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t d = 0; d < 8u; d++)
        sum += value[d] & later;
    return sum;
}

template <int F, int S, bool OWN>
__global__ void behind(char *p, uint32_t mask, uint32_t deep, uint32_t *out)
{
    __shared__ uint32_t there[1024];
    const uint32_t warp = threadIdx.x / 32u, lane = threadIdx.x % 32u;
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(there + threadIdx.x);
    uint32_t sum = load(place<L1>(p, 0) + lane * 4u);
    there[threadIdx.x] = 0;
    if (__syncthreads_or(sum == 0x12345))
        out[0] = sum;
    if (warp == 0) {
        for (uint32_t t = 0; t < TIMES; t++) {
            uint32_t value[8] = {0};
            const uint32_t before = (uint32_t)clock64();
            if (OWN)
#pragma unroll
                for (uint32_t d = 0; d < 8u; d++)
                    if (d == 0 || deep > 1u)
                        value[d] = ask<F>(place<F>(p, t * 32u + d * 2u) + lane * apart_by(F), to);
            __syncwarp(); /* keeps the order */
            const uint32_t second = ask<S>(place<S>(p, t * 32u + 17u) + lane * 4u, to);
            if (__any_sync(0xffffffffu, second == 0x12345u)) /* waits for it */
                out[0] = second;
            const uint32_t took = (uint32_t)clock64() - before;
            if (lane == 0 && blockIdx.x == 0)
                out[t] = took;
            sum += sum_of(value, took);
            if (__any_sync(0xffffffffu, sum == 0x12345u))
                out[0] = sum;
            if (F == COPY)
                asm volatile("cp.async.wait_all;" ::: "memory");
            for (uint32_t w = 0; w < 8u + t % 32u; w++) /* at any time of the others' turn */
                asm volatile("nanosleep.u32 0;" ::: "memory");
        }
    } else if (mask >> warp & 1u) {
        for (uint32_t t = 0; t < TURNS; t++) {
            uint32_t value[8] = {0};
#pragma unroll
            for (uint32_t d = 0; d < 8u; d++)
                if (d == 0 || deep > 1u)
                    value[d] = ask<F>(place<F>(p, ((t * 32u + warp) * 8u + d) * (apart_by(F) / 4u) +
                                                      blockIdx.x * 992u) +
                                          lane * apart_by(F),
                                      to);
            if (F == COPY)
                asm volatile("cp.async.wait_all;" ::: "memory");
            sum += sum_of(value, t);
            if (__any_sync(0xffffffffu, sum == 0x12345u))
                out[0] = sum;
        }
    }
}

static char *p;
static uint4 *other;
static uint32_t *out;
#define OTHER ((size_t)192 << 20)

template <int F, int S>
static void run(const char *set, uint32_t warps, uint32_t deep, uint32_t ctas = 1u)
{
    const bool own = set[0] == 'o';
    uint32_t mask = 0;
    for (uint32_t w = 1; w <= (own ? 0 : std::min(warps, 7u)); w++)
        mask |= 1u << (w * 4u + (set[0] == 's' ? 0 : 1u));
    if (warps > 7u) /* of all sub-partitions */
        mask = (uint32_t)((2ull << warps) - 2u);
    flush<<<264, 512>>>(other, OTHER / 16u, out + 8192);
    touch<<<264, 512>>>((const uint4 *)p, LINES * 8u, out + 8192);
    if (own)
        behind<F, S, true><<<ctas, 1024>>>(p, mask, deep, out);
    else
        behind<F, S, false><<<ctas, 1024>>>(p, mask, deep, out);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    std::vector<uint32_t> took(TIMES);
    MICRO_CUDA(cudaMemcpy(took.data(), out, TIMES * 4u, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (uint32_t t : took)
        sum += t;
    std::sort(took.begin(), took.end());
    printf("%s,%s,%s,%u,%u,%.0f,%u,%u,%u\n", set, kind_name[F], kind_name[S], warps, deep,
           sum / TIMES, took[0], took[TIMES / 2], took[TIMES - 1]);
    fflush(stdout);
}

template <int F> static void seconds(void)
{
    for (uint32_t deep : {1u, 8u}) {
        if (F == NONE && deep > 1u)
            break;
        run<F, L1>("own", 0, deep);
        run<F, L2>("own", 0, deep);
        run<F, CG>("own", 0, deep);
        run<F, DRAM>("own", 0, deep);
        run<F, ATOM>("own", 0, deep);
        run<F, SHARED>("own", 0, deep);
    }
}

template <int F> static void others(void)
{
    for (const char *set : {"same", "apart"})
        for (uint32_t warps : {1u, 7u})
            for (uint32_t deep : {1u, 8u}) {
                run<F, L1>(set, warps, deep);
                run<F, L2>(set, warps, deep);
                run<F, ATOM>(set, warps, deep);
                run<F, SHARED>(set, warps, deep);
            }
}

static void wide(void)
{
    for (uint32_t warps : {1u, 2u, 4u, 7u, 31u})
        for (uint32_t deep : {1u, 8u}) {
            run<WIDE, L1>("apart", warps, deep);
            run<WIDE, L2>("apart", warps, deep);
            run<WIDE, SHARED>("apart", warps, deep);
        }
    run<L2, L1>("apart", 31, 8);
    run<L2, SHARED>("apart", 31, 8);
    for (uint32_t warps : {1u, 2u, 4u, 7u, 31u})
        for (uint32_t deep : {1u, 8u}) {
            run<WIDE, L1>("all", warps, deep, 132u);
            run<WIDE, SHARED>("all", warps, deep, 132u);
        }
    for (uint32_t warps : {8u, 10u, 12u, 14u, 16u, 20u, 24u, 31u}) {
        run<WIDE, L1>("all", warps, 8, 132u);
        run<OCT, L1>("all", warps, 8, 132u);
        run<QUAD, L1>("all", warps, 8, 132u);
    }
    for (uint32_t deep : {1u, 8u}) {
        run<L2, L1>("all", 31, deep, 132u);
        run<DRAM, L1>("all", 31, deep, 132u);
    }
}

int main(void)
{
    const size_t size = LINES * (size_t)128 + COLD + 8192u;
    MICRO_CUDA(cudaMalloc(&p, size));
    MICRO_CUDA(cudaMalloc(&other, OTHER));
    MICRO_CUDA(cudaMalloc(&out, 65536));
    MICRO_CUDA(cudaMemset(p, 0, size));
    MICRO_CUDA(cudaMemset(other, 0, OTHER));
    printf("set,first,second,warps,deep,mean,least,median,most\n");
    seconds<NONE>();
    seconds<L1>();
    seconds<L2>();
    seconds<CG>();
    seconds<DRAM>();
    seconds<ATOM>();
    seconds<RED>();
    seconds<STORE>();
    seconds<COPY>();
    seconds<SHARED>();
    others<NONE>();
    others<L2>();
    others<DRAM>();
    others<ATOM>();
    others<COPY>();
    others<STORE>();
    wide();
    return 0;
}
