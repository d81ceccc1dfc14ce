/* SPDX-License-Identifier: MIT
 *
 * atomics_random.cu - atomics, stores and loads of random words, in tables that L2 holds and in
 * larger ones. 264 CTAs of 1,024 threads; a thread does `turns` operations on words that a hash of
 * its number and the turn chooses; with `waits` each needs what the one before returned. Settles:
 * operations a clock by kind, width and size of the table. Leaves out: several on one address at a
 * time (atomics_timing.cu).
 *
 * Output: CSV: op,bytes,mebibytes,waits,turns,clocks,rate - the mean clocks of an SM; operations a
 * clock of all.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <vector>

#define SMS   132u
#define TURNS 32

enum op { RED, ADD, CAS, EXCH, STORE, LOAD, OPS };
static const char *const op_name[] = {"red.add", "atom.add", "atom.cas", "atom.exch", "st", "ld"};

__device__ static uint32_t mixed(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

template <int OP, typename T, bool WAITS>
__global__ void __launch_bounds__(1024)
    work(T *table, uint32_t mask, unsigned long long *clocks, uint32_t *sink)
{
    const uint32_t me = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    __syncthreads();
    const unsigned long long begin = clock64();
#pragma unroll 4
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        T *at =
              table + (mixed(me * TURNS + turn + (WAITS ? (uint32_t)(sum & 1u) << 20 : 0)) & mask),
          got = 0;
        if (OP == RED)
            atomicAdd(at, (T)2);
        if (OP == ADD)
            got = atomicAdd(at, (T)2);
        if (OP == CAS)
            got = atomicCAS(at, (T)me, (T)(me + 2));
        if (OP == EXCH)
            got = atomicExch(at, (T)(me * 2));
        if (OP == STORE)
            *(volatile T *)at = (T)me;
        if (OP == LOAD)
            got = __ldcg(at);
        sum += got;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = clock64() - begin;
    if (sum == (T)0x12345)
        *sink = 1;
}

static void *table;
static unsigned long long *clocks;
static uint32_t *sink;

template <int OP, typename T, bool WAITS> static void run(void)
{
    for (uint32_t size : {1u, 16u, 64u, 256u, 1024u}) {
        const uint32_t mask = (uint32_t)(((uint64_t)size << 20) / sizeof(T) - 1u);
        std::vector<unsigned long long> got(2 * SMS);
        MICRO_CUDA(cudaMemset(table, 0, (size_t)size << 20));
        for (int again = 0; again < 2; again++)
            work<OP, T, WAITS><<<2 * SMS, 1024>>>((T *)table, mask, clocks, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(
            cudaMemcpy(got.data(), clocks, got.size() * sizeof got[0], cudaMemcpyDeviceToHost));
        double sum = 0;
        for (unsigned long long c : got)
            sum += (double)c;
        sum /= 2 * SMS;
        printf("%s,%zu,%u,%d,%d,%.0f,%.2f\n", op_name[OP], sizeof(T), size, WAITS, TURNS, sum,
               2.0 * SMS * 1024 * TURNS / sum);
    }
}

template <int OP> static void run_op(void)
{
    run<OP, unsigned, false>(), run<OP, unsigned long long, false>();
    if (OP != RED && OP != STORE)
        run<OP, unsigned, true>(), run<OP, unsigned long long, true>();
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&table, 1u << 30));
    MICRO_CUDA(cudaMalloc(&clocks, 2 * SMS * sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    puts("op,bytes,mebibytes,waits,turns,clocks,rate");
    run_op<RED>(), run_op<ADD>(), run_op<CAS>(), run_op<EXCH>(), run_op<STORE>(), run_op<LOAD>();
    return 0;
}
