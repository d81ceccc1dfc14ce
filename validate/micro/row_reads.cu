/* SPDX-License-Identifier: MIT
 *
 * row_reads.cu - loops whose lanes read a row each, so that a load touches 32 lines: `lanes` bytes from lane to
 * lane, `step` bytes from load to load, data in L2. One CTA an SM.
 *   turns      sums: a load waits for nothing but the one eight before
 *   again      the same, of the same `step` bytes all the time, which L1 holds
 *   chain      each load waits for the one before
 *   update     after each load its sum is stored where `q` has the same place
 *   same       all lanes of all warps read one word, eight loads of `step` bytes from one to the next at once
 * Settles: what a load costs that brings sectors to L1 beside one that hits; what CTAs on other SMs change.
 * Output: CSV: kind,lanes,step,warps,ctas,mean,min,max - clocks a load of an SM, over the SMs.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstring>

#define LOADS 512u
#define AHEAD 8u
#define BYTES ((size_t)24 << 20)

enum kind { TURNS, AGAIN, CHAIN, UPDATE, SAME };
static const char *const name[] = {"turns", "again", "chain", "update", "same"};

template <int K>
__global__ void __launch_bounds__(1024)
    rows(char *p, char *q, uint32_t lanes, uint32_t step, uint32_t own, uint32_t *t, uint32_t *sink)
{
    const uint32_t thread = threadIdx.x;
    char *a = p + (size_t)blockIdx.x * own + (K == SAME ? 0 : (size_t)thread * lanes);
    char *b = q + (size_t)blockIdx.x * own + (size_t)thread * lanes;
    uint32_t sum = 0, old[AHEAD];
    for (uint32_t i = 0; i < AHEAD; i++)
        old[i] = 0;
    if (K == AGAIN || K == UPDATE)
        for (uint32_t i = 0; i < AHEAD; i++) {
            sum += *(volatile uint32_t *)(a + i * step);
            if (K == UPDATE)
                sum += *(volatile uint32_t *)(b + i * step);
        }
    __syncthreads();
    const uint32_t begin = (uint32_t)clock();
    for (uint32_t n = 0; n < LOADS; n += AHEAD) {
#pragma unroll
        for (uint32_t i = 0; i < AHEAD; i++) {
            uint32_t v;
            const char *at = a + i * step;
            if (K == CHAIN)
                at += sum;
            asm volatile("ld.global.b32 %0,[%1];" : "=r"(v) : "l"(at) : "memory");
            if (K == CHAIN)
                sum += v;
            else if (K == UPDATE) {
                old[i] += v;
                asm volatile("st.global.b32 [%0],%1;" ::"l"(b + i * step), "r"(old[i]) : "memory");
            } else
                old[i] += v;
        }
        if (K != AGAIN && K != UPDATE)
            a += AHEAD * step;
        if (K == SAME)
            for (uint32_t i = 1; i < AHEAD; i++)
                old[0] += old[i], old[i] = 0;
        if (K == SAME && old[0])
            a += old[0];
    }
    for (uint32_t i = 0; i < AHEAD; i++)
        sum += old[i];
    if (sum == 0x12345)
        *sink = sum;
    __syncthreads();
    if (thread == 0)
        t[blockIdx.x] = (uint32_t)clock() - begin;
}

__global__ void touch(const uint4 *p, size_t quads, uint32_t *sink)
{
    uint32_t sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < quads; i += (size_t)gridDim.x * blockDim.x)
        sum += __ldcg(p + i).x;
    if (sum == 0x12345)
        *sink = sum;
}

static char *p, *q;
static uint32_t *t, *sink;
static bool single; /* one launch, to be looked at by other programs */

/* A CTA's own part is `own` bytes after the one before. */
template <int K>
static void run(uint32_t lanes, uint32_t step, uint32_t warps, uint32_t ctas, uint32_t own)
{
    uint32_t clocks[132], least[132], sum = 0, min = UINT32_MAX, max = 0;
    memset(least, 0xff, sizeof least);
    if ((size_t)(ctas - 1u) * own + (size_t)(K == SAME ? 1u : warps * 32u) * lanes + (size_t)LOADS * step + 4096u > BYTES)
        return;
    for (uint32_t r = 0; r < (single ? 1u : 3u); r++) {
        touch<<<264, 512>>>((const uint4 *)p, BYTES / 16u, sink);
        rows<K><<<ctas, warps * 32u>>>(p, q, lanes, step, own, t, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(clocks, t, ctas * 4u, cudaMemcpyDeviceToHost));
        for (uint32_t i = 0; i < ctas; i++)
            least[i] = clocks[i] < least[i] ? clocks[i] : least[i];
    }
    for (uint32_t i = 0; i < ctas; i++) {
        sum += least[i] / 4u;
        min = least[i] < min ? least[i] : min;
        max = least[i] > max ? least[i] : max;
    }
    const double loads = (double)LOADS * (K == SAME || K == CHAIN ? 1 : warps);
    printf("%s,%u,%u,%u,%u,%.2f,%.2f,%.2f\n", name[K], lanes, step, warps, ctas, 4. * sum / ctas / loads, min / loads,
           max / loads);
}

int main(int argc, char **argv)
{
    MICRO_CUDA(cudaMalloc(&p, 2u * BYTES));
    MICRO_CUDA(cudaMalloc(&q, 2u * BYTES));
    MICRO_CUDA(cudaMalloc(&t, 132 * 4));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMemset(p, 0, 2u * BYTES));
    MICRO_CUDA(cudaMemset(q, 0, 2u * BYTES));
    printf("kind,lanes,step,warps,ctas,mean,min,max\n");
    if (argc > 6) { /* kind, lanes, step, warps, ctas, own */
        uint32_t v[5];
        for (int i = 0; i < 5; i++)
            v[i] = (uint32_t)atoi(argv[i + 2]);
        single = true;
        const int k = atoi(argv[1]);
        (k == TURNS    ? run<TURNS>
         : k == AGAIN  ? run<AGAIN>
         : k == CHAIN  ? run<CHAIN>
         : k == UPDATE ? run<UPDATE>
                       : run<SAME>)(v[0], v[1], v[2], v[3], v[4]);
        return 0;
    }
    for (uint32_t warps : {1u, 2u, 4u, 8u, 16u, 32u})
        for (uint32_t lanes : {8192u, 8192u + 4u, 8192u + 32u, 8192u + 64u}) {
            for (uint32_t step : {4u, 8u, 16u, 32u, 128u}) /* rows do not overlap */
                run<TURNS>(lanes + (step > 16u ? (step - 16u) * LOADS : 0u), step, warps, 1, 0);
            run<AGAIN>(lanes, 4, warps, 1, 0);
        }
    for (uint32_t warps : {4u, 8u, 16u, 32u})
        for (uint32_t lanes : {4u, 16u, 64u, 128u})
            for (uint32_t step : {4096u * (lanes > 16u ? 4u : 1u)}) { /* other lines each time */
                run<TURNS>(lanes, step, warps, 1, 0);
                run<AGAIN>(lanes, 4, warps, 1, 0);
            }
    for (uint32_t warps : {1u, 8u})
        for (uint32_t lanes : {8192u, 8192u + 4u})
            for (uint32_t step : {4u, 8u, 32u})
                run<CHAIN>(lanes, step, warps, 1, 0);
    for (uint32_t ctas : {2u, 8u, 16u, 32u, 132u})
        for (uint32_t lanes : {8192u, 8192u + 4u})
            for (uint32_t step : {4u, 16u}) {
                run<TURNS>(lanes, step, 8, ctas, 16384);
                run<TURNS>(lanes, step, 8, ctas, 0);
            }
    for (uint32_t ctas : {1u, 2u, 4u, 8u, 16u, 32u, 66u, 132u})
        for (uint32_t warps : {2u, 8u})
            for (uint32_t lanes : {64u, 128u, 4u})
                run<UPDATE>(lanes, 4, warps, ctas, 65536);
    for (uint32_t ctas : {1u, 2u, 8u, 16u, 32u, 132u})
        for (uint32_t warps : {1u, 8u})
            for (uint32_t step : {4u, 20u, 128u})
                run<SAME>(0, step, warps, ctas, 0);
    return 0;
}
