/* SPDX-License-Identifier: MIT
 *
 * atomics_words.cu - atomics of eight bytes on some words of each sector. Of each group of four
 * lanes those in `words` work, each on the word of its number: 32 lanes reach over eight sectors,
 * two lines of one slice of L2. All SMs on the same lines (hot), or each warp on its own (own).
 * Settles: what a pass through a sector takes by which of its words are asked for; of doubles, by
 * its halves of 16 bytes.
 * Leaves out: lanes that meet in a word, operations of four bytes (atomics_grid.cu).
 * Output: CSV: kind,op,words,lanes,sms,warps,turns,mean,last - `words` as bits; clocks of the mean
 * SM, of the last; a launch each after one that is not told, so that it can be captured.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define SMS   132
#define WARPS 16
#define TURNS 8

enum op { RED_F64, ATOM_F64, RED_U64, CAS64 };
static const char *const op_name[] = {"red.add.f64", "atom.add.f64", "red.add.u64",
                                      "atom.cas.b64"};

template <int OP>
__global__ void __launch_bounds__(1024) repeat(char *base, uint32_t words, uint32_t own,
                                               unsigned long long *clocks, uint32_t *sink)
{
    __shared__ unsigned long long last;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    char *at = base + lane * 8 + (size_t)(blockIdx.x * WARPS + warp) * own;
    uint64_t sum = 0, value = threadIdx.x + 1;
    double real = 0;
    if (threadIdx.x == 0)
        last = 0;
    __syncthreads();
    const unsigned long long start = clock64();
    if (words >> lane % 4 & 1) {
#pragma unroll
        for (uint32_t t = 0; t < TURNS; t++) {
            if (OP == RED_F64)
                asm volatile("red.global.add.f64 [%0],%1;" ::"l"(at), "d"((double)value)
                             : "memory");
            else if (OP == ATOM_F64)
                asm volatile("atom.global.add.f64 %0,[%1],%2;"
                             : "=d"(real)
                             : "l"(at), "d"((double)value)
                             : "memory");
            else if (OP == RED_U64)
                asm volatile("red.global.add.u64 [%0],%1;" ::"l"(at), "l"(value) : "memory");
            else
                asm volatile("atom.global.cas.b64 %0,[%1],%2,%2;"
                             : "=l"(sum)
                             : "l"(at), "l"(value)
                             : "memory");
        }
    }
    asm volatile("" ::"l"(sum), "d"(real) : "memory");
    __threadfence();
    atomicMax(&last, (unsigned long long)clock64());
    __syncthreads();
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = last - start;
    if (sum == 0x12345)
        *sink = (uint32_t)sum;
}

static char *array;
static unsigned long long *clocks, got[SMS];
static uint32_t *sink;

template <int OP> static void every(void)
{
    for (uint32_t own : {0u, 256u})
        for (uint32_t words : {0x1u, 0x3u, 0x6u, 0xcu, 0x5u, 0x9u, 0x7u, 0xfu}) {
            for (int again = 0; again < 2; again++)
                repeat<OP><<<SMS, WARPS * 32>>>(array, words, own, clocks, sink);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(got, clocks, sizeof got, cudaMemcpyDeviceToHost));
            unsigned long long all = 0, last = 0;
            for (unsigned i = 0; i < SMS; i++)
                all += got[i], last = got[i] > last ? got[i] : last;
            printf("%s,%s,%u,%d,%d,%d,%d,%llu,%llu\n", own ? "own" : "hot", op_name[OP], words,
                   8 * __builtin_popcount(words), SMS, WARPS, TURNS, all / SMS, last);
        }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&array, SMS * WARPS * 256));
    MICRO_CUDA(cudaMemset(array, 0, SMS * WARPS * 256));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof got));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    puts("kind,op,words,lanes,sms,warps,turns,mean,last");
    every<RED_F64>(), every<ATOM_F64>(), every<RED_U64>(), every<CAS64>();
    return 0;
}
