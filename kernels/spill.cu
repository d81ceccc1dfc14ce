/* SPDX-License-Identifier: MIT
 *
 * spill.cu - every thread keeps N values alive at once and stirs them. 64 values fit in registers
 * (spill_none). The same code held to 32 registers by its launch bounds spills (spill_bounded), and
 * so does one with 300 values, more than the 255 registers a thread can have (spill_heavy). Spilled
 * values go through local memory: LDL and STL instructions. The arithmetic is on whole numbers.
 */
#include "kernels/gmkernels.h"

#define ROUNDS 4

/* All of v is needed in every round, so none of it can be forgotten in between. Unrolled, or the
 * array would be indexed at run time and live in local memory for that reason. */
template <int N> __device__ static unsigned stir(unsigned *v)
{
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        unsigned carry = v[N - 1];
#pragma unroll
        for (int k = 0; k < N; k++) {
            carry = (carry ^ v[k]) * 2654435761u + v[(k + N / 2) % N];
            v[k] = carry;
        }
    }
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < N; k++)
        sum ^= v[k];
    return sum;
}

template <int N> __device__ static void load_and_stir(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned v[N];
#pragma unroll
    for (int k = 0; k < N; k++)
        v[k] = in[k * n + i];
    out[i] = stir<N>(v);
}

__global__ void spill_none(const unsigned *in, unsigned *out, int n)
{
    load_and_stir<64>(in, out, n);
}

__global__ void __launch_bounds__(1024, 2) spill_bounded(const unsigned *in, unsigned *out, int n)
{
    load_and_stir<64>(in, out, n);
}

__global__ void spill_heavy(const unsigned *in, unsigned *out, int n)
{
    load_and_stir<300>(in, out, n);
}

template <int N> static void spill(gmk_run &run, void (*kernel)(const unsigned *, unsigned *, int))
{
    int n = run.size;
    gmk_array<unsigned> in((size_t)n * N), out(n);
    in.fill(1, 0, INT_MAX - 1);
    out.upload();
    kernel<<<gmk_blocks(n, run.block), run.block>>>(in.device, out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    unsigned *want = out.expect();
    for (int i = 0; i < n; i++) {
        unsigned v[N], sum = 0;
        for (int k = 0; k < N; k++)
            v[k] = in.host[(size_t)k * n + i];
        for (int r = 0; r < ROUNDS; r++) {
            unsigned carry = v[N - 1];
            for (int k = 0; k < N; k++)
                carry = v[k] = (carry ^ v[k]) * 2654435761u + v[(k + N / 2) % N];
        }
        for (int k = 0; k < N; k++)
            sum ^= v[k];
        want[i] = sum;
    }
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"spill_none", 1 << 16, 1 << 12, 1 << 22, 256, false,
     "values fit in registers: no local memory", [](gmk_run &run) { spill<64>(run, spill_none); }},
    {"spill_bounded", 1 << 16, 1 << 12, 1 << 22, 256, false,
     "launch bounds leave 32 registers: the rest spills to local memory",
     [](gmk_run &run) { spill<64>(run, spill_bounded); }},
    {"spill_heavy", 1 << 16, 1 << 11, 1 << 22, 256, false,
     "more values than registers: spills to local memory, off chip",
     [](gmk_run &run) { spill<300>(run, spill_heavy); }},
};
GMK_TOPIC(gmk_spill, "threads");
