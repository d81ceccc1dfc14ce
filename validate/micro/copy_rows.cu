/* SPDX-License-Identifier: MIT
 *
 * copy_rows.cu - what cp.async of rows takes, as tiles of matrices are copied: 16 bytes a lane, from
 * rows of `along` lanes that lie 1 KiB apart, to shared memory in a row (`pitch` 0) or with `pitch`
 * bytes from one row to the next. Sixteen warps of an SM copy twice a turn and wait for the turn
 * before; as many others load 16 bytes a lane from shared memory meanwhile, `reads` times a turn.
 * Sources are in L1 (cp.async.ca) or in L2 (cp.async.cg, `bypass`). Settles: what a copy takes of
 * the load-store unit and of shared memory by its rows, and whether loads wait for that.
 * Eight SMs, a CTA each, a launch a row, so that it can be captured; two numbers of turns, whose
 * difference has no launch in it.
 *
 * Output: CSV: along,pitch,bypass,copies,reads,turns,clocks - mean over SMs of their last warp.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define SMS   8
#define WARPS 16u
#define OWN   32768u /* bytes of a warp's source */

static char *source;
static unsigned long long *clocks;

template <bool BYPASS, int COPIES, int READS>
__global__ void __launch_bounds__(1024)
    rows(const char *from, uint32_t along, uint32_t pitch, uint32_t turns, unsigned long long *out)
{
    extern __shared__ __align__(128) char pool[];
    __shared__ unsigned long long last;
    const uint32_t lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
    const uint32_t row = lane / along, column = lane % along;
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(pool) + warp % WARPS * 4096u;
    const uint32_t to = base + (pitch ? row * pitch + column * 16u : lane * 16u);
    from += ((size_t)blockIdx.x * WARPS + warp % WARPS) * OWN + row * 1024u + column * 16u;
    uint32_t sum = 0;
    if (threadIdx.x == 0)
        last = 0;
    for (int again = 0; again < 2; again++) {
        __syncthreads();
        const unsigned long long begin = clock64();
        if (warp < WARPS && COPIES) {
#pragma unroll 1
            for (uint32_t t = 0; t < turns; t++) {
#pragma unroll
                for (int k = 0; k < COPIES; k++)
                    if (BYPASS)
                        asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to + k * 2048), "l"(from + k * 512) : "memory");
                    else
                        asm volatile("cp.async.ca.shared.global [%0],[%1],16;" ::"r"(to + k * 2048), "l"(from + k * 512) : "memory");
                asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
            }
        } else if (warp >= WARPS && READS) {
#pragma unroll 1
            for (uint32_t t = 0; t < turns; t++) {
                uint32_t a[READS ? READS : 1][4];
#pragma unroll
                for (int k = 0; k < READS; k++)
                    asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a[k][0]), "=r"(a[k][1]), "=r"(a[k][2]), "=r"(a[k][3]) : "r"(base + lane * 16u) : "memory");
#pragma unroll
                for (int k = 0; k < READS; k++)
                    sum += a[k][0] ^ a[k][1] ^ a[k][2] ^ a[k][3];
            }
        }
        const unsigned long long took = clock64() - begin;
        __syncthreads();
        if (again && lane == 0)
            atomicMax(&last, took);
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = last + (sum == 12345u);
}

template <bool BYPASS, int COPIES, int READS> static void run(uint32_t along, uint32_t pitch)
{
    MICRO_CUDA(cudaFuncSetAttribute(rows<BYPASS, COPIES, READS>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    for (uint32_t turns : {24u, 72u}) {
        unsigned long long now[SMS], all = 0;
        rows<BYPASS, COPIES, READS><<<SMS, 1024, 65536>>>(source, along, pitch, turns, clocks);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(now, clocks, sizeof now, cudaMemcpyDeviceToHost));
        for (auto n : now)
            all += n;
        printf("%u,%u,%d,%d,%d,%u,%llu\n", along, pitch, BYPASS, COPIES, READS, turns, all / SMS);
    }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&source, (size_t)SMS * WARPS * OWN + 65536));
    MICRO_CUDA(cudaMemset(source, 0, (size_t)SMS * WARPS * OWN + 65536));
    MICRO_CUDA(cudaMalloc(&clocks, SMS * sizeof *clocks));
    puts("along,pitch,bypass,copies,reads,turns,clocks");
    run<true, 0, 2>(32, 0), run<true, 0, 4>(32, 0), run<true, 0, 8>(32, 0), run<true, 0, 16>(32, 0);
    for (uint32_t along : {32u, 16u, 8u, 4u, 2u, 1u}) {
        run<true, 2, 0>(along, 0), run<true, 2, 2>(along, 0), run<true, 2, 4>(along, 0);
        run<true, 2, 8>(along, 0), run<true, 2, 16>(along, 0);
        run<false, 2, 0>(along, 0), run<false, 2, 4>(along, 0), run<false, 2, 8>(along, 0);
        const uint32_t wide = along * 16u, rows = 32u / along;
        for (uint32_t pitch : {wide + 16u, 128u})
            if (pitch > wide && pitch * rows <= 2048u)
                run<true, 2, 0>(along, pitch), run<true, 2, 4>(along, pitch), run<false, 2, 0>(along, pitch);
    }
    return 0;
}
