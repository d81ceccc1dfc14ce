/* SPDX-License-Identifier: MIT
 *
 * cas_contend.cu - compare-and-swap on words that all SMs use. Set fail: `lanes` lanes, on words
 * side by side, try `turns` times what cannot succeed, each waited for; warps and turns go through
 * `lines` lines. Set loop: lane l adds `step` to word l of a line `turns` times, each in a loop of
 * compare-and-swap until it succeeds. Sets sweep, sweep4: the same on each of `lines` lines, warp w
 * of a CTA on lines w, w + warps, ...; set same adds 0: no word changes, and none fails.
 * Settles what a compare-and-swap takes of a slice, by lanes; that it is the same where it fails;
 * how often loops turn, and whose end first.
 * Output: CSV: set,ctas,warps,lanes,lines,turns,step, and for the CTAs of SMs near the first line,
 * then for the others: how many, clocks of the mean and of the last CTA, tries of all lanes (fail:
 * of a warp of each CTA).
 */
#include "validate/micro/check.h"
#include "validate/micro/near_far.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

struct report {
    unsigned sm, end, tries;
};

__device__ static void gate_wait(unsigned *gate, unsigned all)
{
    if (threadIdx.x == 0) {
        atomicAdd(gate, 1);
        while (*(volatile unsigned *)gate < all)
            ;
    }
    __syncthreads();
}

/* spread: warps of a CTA take the lines in turn; else each goes through all. */
__global__ void contend(unsigned *words, unsigned lanes, unsigned lines, unsigned spread,
                        unsigned turns, unsigned step, unsigned *gate, unsigned all, report *out)
{
    __shared__ unsigned tries_all, last;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (threadIdx.x == 0)
        tries_all = last = 0;
    gate_wait(gate, all);
    const unsigned start = (unsigned)clock64();
    unsigned tries = 0;
    if (lane < lanes)
        for (unsigned t = 0; t < turns; t++)
            for (unsigned l = spread ? warp : 0; l < lines; l += spread ? warps : 1u) {
                unsigned *at = words + l * 32u + lane, old = __ldcg(at), want;
                do {
                    want = old;
                    old = atomicCAS(at, want, want + step);
                    tries++;
                } while (old != want);
            }
    __syncwarp();
    const unsigned end = (unsigned)clock64() - start;
    atomicAdd(&tries_all, tries);
    atomicMax(&last, end);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = {my_sm(), last, tries_all};
}

/* Compare-and-swaps that all fail, each waited for. */
__global__ void failing(unsigned *words, unsigned lanes, unsigned lines, unsigned turns,
                        unsigned *gate, unsigned all, report *out)
{
    __shared__ unsigned last;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        last = 0;
    gate_wait(gate, all);
    const unsigned start = (unsigned)clock64();
    unsigned old = 1;
    if (lane < lanes)
        for (unsigned t = 0; t < turns; t++)
            old = atomicCAS(words + (warp + t) % lines * 32u + lane, 0xf0000000u | (old & 1u), 5u);
    __syncwarp();
    const unsigned end = (unsigned)clock64() - start + (old == 0x12345678u);
    atomicMax(&last, end);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = {my_sm(), last, turns * lanes};
}

static unsigned *words, *gate, arrived;
static report *out;
static std::vector<unsigned> is_far;

static void show(const char *set, unsigned ctas, unsigned warps, unsigned lanes, unsigned lines,
                 unsigned turns, unsigned step)
{
    MICRO_CUDA(cudaDeviceSynchronize());
    std::vector<report> r(ctas);
    MICRO_CUDA(cudaMemcpy(r.data(), out, ctas * sizeof(report), cudaMemcpyDeviceToHost));
    double sum[2] = {0, 0}, tries[2] = {0, 0};
    unsigned n[2] = {0, 0}, last[2] = {0, 0};
    for (auto &x : r) {
        unsigned far = is_far[x.sm];
        n[far]++, sum[far] += x.end, tries[far] += x.tries;
        last[far] = std::max(last[far], x.end);
    }
    printf("%s,%u,%u,%u,%u,%u,%u", set, ctas, warps, lanes, lines, turns, step);
    for (int i = 0; i < 2; i++)
        printf(",%u,%.0f,%u,%.0f", n[i], n[i] ? sum[i] / n[i] : 0, last[i], tries[i]);
    puts("");
}

static void run(const char *set, unsigned ctas, unsigned warps, unsigned lanes, unsigned lines,
                unsigned spread, unsigned turns, unsigned step)
{
    contend<<<ctas, warps * 32>>>(words, lanes, lines, spread, turns, step, gate, arrived += ctas,
                                  out);
    show(set, ctas, warps, lanes, lines, turns, step);
}

static void fail(unsigned ctas, unsigned warps, unsigned lanes, unsigned lines, unsigned turns)
{
    failing<<<ctas, warps * 32>>>(words, lanes, lines, turns, gate, arrived += ctas, out);
    show("fail", ctas, warps, lanes, lines, turns, 0);
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&words, 1u << 20));
    MICRO_CUDA(cudaMalloc(&gate, 8));
    MICRO_CUDA(cudaMalloc(&out, 4096 * sizeof(report)));
    MICRO_CUDA(cudaMemset(words, 0, 1u << 20));
    MICRO_CUDA(cudaMemset(gate, 0, 8));
    is_far = far_sms(words);
    puts("set,ctas,warps,lanes,lines,turns,step,near,near_mean,near_last,near_tries,far,far_mean,"
         "far_last,far_tries");
    for (unsigned lanes : {32u, 1u}) {
        for (unsigned k : {1u, 2u, 4u, 8u, 16u, 32u, 66u, 132u})
            for (unsigned w : {1u, 4u, 16u})
                run("loop", k, w, lanes, 1, 0, std::max(1u, std::min(16u, 1056u / (k * w))), 1);
    }
    for (unsigned lines : {25u, 50u, 200u})
        run("sweep", 528, 8, 32, lines, 1, 1, 1);
    run("same", 528, 8, 32, 25, 1, 1, 0);
    run("sweep4", 132, 8, 32, 25, 1, 4, 1);
    for (unsigned lines : {1u, 4u, 25u})
        for (unsigned w : {1u, 4u, 16u})
            for (unsigned lanes : {1u, 2u, 4u, 8u, 32u})
                fail(132, w, lanes, lines, 64);
    return 0;
}
