/* SPDX-License-Identifier: MIT
 *
 * poll.cu - how long it takes from a CTA's write until another that polls the word goes on, and how
 * often that one reads it meanwhile. CTAs of one warp, of which lane 0 polls, as many as SMs at most.
 * To be run under ncu (metrics/poll.txt). Forms:
 *   none      CTAs do nothing: what the launch takes
 *   wait      CTA 0 makes `work` products, one from the other, then writes a flag that all others poll
 *   chain     CTA i polls the flag of CTA i - 1 and then writes its own
 *   turn      `share` CTAs wait for their turns at a word, add to what the one before left there, and
 *             give the turn to the next (as products split along K do)
 *   barrier   all CTAs, `rounds` times: an atomic each, then polls until all have come
 *   lookback  decoupled look-back: each warp writes its part, reads those of the 32 before it until
 *             all are there, goes on to the 32 before those unless one has a sum, and writes its sum
 * Output: CSV rows  form,ctas,share,rounds,work.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstring>

#define WORDS 4096u

static __device__ uint32_t peek(const uint32_t *p)
{
    uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

static __device__ void poke(uint32_t *p, uint32_t value)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

__global__ void none(uint32_t *flag)
{
    if (flag == nullptr)
        *flag = 1;
}

__global__ void wait(uint32_t *flag, uint32_t work)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x) {
        while (peek(flag) == 0)
            ;
        return;
    }
    float x = (float)work;
#pragma unroll 1
    for (uint32_t i = 0; i < work; i++)
        x = x * 0.5f + 1.0f;
    poke(flag, x < 0 ? 2u : 1u);
}

__global__ void chain(uint32_t *flag)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x)
        while (peek(flag + 32u * (blockIdx.x - 1u)) == 0)
            ;
    poke(flag + 32u * blockIdx.x, 1);
}

__global__ void turn(volatile uint32_t *word, uint32_t *sum, uint32_t share)
{
    const uint32_t group = blockIdx.x / share, rank = blockIdx.x % share;
    if (threadIdx.x == 0)
        while (word[32u * group] != rank)
            ;
    __syncthreads();
    volatile uint32_t *own = sum + 32u * group + threadIdx.x;
    *own = *own + threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        word[32u * group] = rank + 1u;
}

__global__ void barrier(uint32_t *count, uint32_t rounds)
{
    for (uint32_t round = 1; round <= rounds; round++) {
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1u);
            while (peek(count) < round * gridDim.x)
                ;
        }
        __syncthreads();
    }
}

/* state[32 + i] of tile i: 0 nothing, 1 its part, 2 the sum of all up to it; 2 before the first. */
__global__ void lookback(uint32_t *state)
{
    const uint32_t lane = threadIdx.x;
    if (lane == 0)
        poke(state + 32u + blockIdx.x, blockIdx.x ? 1u : 2u);
    for (int32_t before = (int32_t)blockIdx.x - 1; before >= 0; before -= 32) {
        const int32_t tile = before - (int32_t)lane;
        uint32_t value;
        do
            value = peek(state + 32 + (tile < -32 ? -32 : tile));
        while (__any_sync(0xffffffffu, value == 0));
        if (__any_sync(0xffffffffu, value == 2))
            break;
    }
    if (lane == 0 && blockIdx.x)
        poke(state + 32u + blockIdx.x, 2u);
}

int main(void)
{
    uint32_t *words, first[32];
    MICRO_CUDA(cudaMalloc(&words, 2 * WORDS * 4 + 32 * WORDS));
    memset(first, 0, sizeof first);
    for (uint32_t &value : first)
        value = 2;
    printf("form,ctas,share,rounds,work\n");
    for (const char *form : {"none", "wait", "chain", "turn", "barrier", "lookback"})
        for (uint32_t ctas : {4u, 33u, 66u, 132u})
            for (uint32_t k : {0u, 1u}) {
                const char f = form[0];
                const uint32_t share = f == 't' ? (k ? ctas : 4u) : 1u, rounds = f == 'b' ? (k ? 16u : 1u) : 1u;
                const uint32_t work = f == 'w' ? (k ? 4000u : 400u) : 0;
                if ((k && (f == 'n' || f == 'c' || f == 'l')) || (f == 't' && (ctas % 4u || (k && ctas == 4u))))
                    continue;
                MICRO_CUDA(cudaMemset(words, 0, 2 * WORDS * 4 + 32 * WORDS));
                if (f == 'l')
                    MICRO_CUDA(cudaMemcpy(words, first, sizeof first, cudaMemcpyHostToDevice));
                if (f == 'n')
                    none<<<ctas, 32>>>(words);
                else if (f == 'w')
                    wait<<<ctas, 32>>>(words, work);
                else if (f == 'c')
                    chain<<<ctas, 32>>>(words);
                else if (f == 't')
                    turn<<<ctas, 32>>>(words, words + WORDS, share);
                else if (f == 'b')
                    barrier<<<ctas, 32>>>(words, rounds);
                else
                    lookback<<<ctas, 32>>>(words);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaDeviceSynchronize());
                printf("%s,%u,%u,%u,%u\n", form, ctas, share, rounds, work);
            }
    return 0;
}
