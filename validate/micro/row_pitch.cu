/* SPDX-License-Identifier: MIT
 *
 * row_pitch.cu - stores of warps whose lanes each walk along a row of their own, a word a step
 * (row_walk.cu), by how far rows lie apart, how many there are, and whether L2 has them.
 *
 * - sms: with a CTA each. warps: of each CTA. pitch: bytes from row to row.
 * - warm: 1: the rows' lines were read before, and lie in L2 whole, so that no partly written line
 *   needs DRAM; 0: L2 was filled with something else.
 *
 * Each row is written for 64 words: two lines. Settles: whether what a store of 32 rows takes
 * grows with the rows of all SMs (L2), or of one; whether that is what partly written lines that
 * are completed from DRAM take of L2 (warm against not; under ncu: dram__sectors_read.sum); whether
 * 4,096 bytes apart take longer than others also where half of the SMs store.
 * Under ncu (one row a launch of `walk`): gpc__cycles_elapsed.max, sm__cycles_active.avg,
 * dram__sectors_read.sum, dram__sectors_write.sum, lts__t_sectors_srcunit_tex_op_write.sum,
 * lts__t_requests_srcunit_ltcfabric.sum, lts__t_sectors.max, lts__t_sectors.avg,
 * lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed; with --cache-control none.
 *
 * Output: CSV sms,warps,pitch,warm,clocks,most - clocks of a store: of a step of all warps of an SM
 * by its warps; the mean of all SMs, and the slowest; the least of three runs.
 */
#include "validate/micro/check.h"

#include <cstdint>
#include <cstdio>

#define STEPS 64u

__global__ void walk(char *to, uint32_t pitch, uint64_t *clocks, float one)
{
    const size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    char *at = to + row * pitch;
    __syncthreads();
    const uint64_t begin = clock64();
#pragma unroll 1
    for (uint32_t i = 0; i < STEPS; i++)
        asm volatile("st.global.f32 [%0], %1;" ::"l"(at + 4u * i), "f"(one) : "memory");
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = clock64() - begin;
}

__global__ void read_rows(const char *from, uint32_t pitch, size_t rows, float *sink)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < rows * 8u;
         i += (size_t)gridDim.x * blockDim.x) /* a sector each */
        sum += __ldcg((const float *)(from + i / 8u * pitch + i % 8u * 32u));
    if (sum == 1.5f)
        *sink = sum;
}

int main(void)
{
    const size_t size = (size_t)132 * 32 * 32 * 4608u + 4096u, other = (size_t)256 << 20;
    char *rows, *fill;
    uint64_t *clocks, host[132];
    float *sink;
    MICRO_CUDA(cudaMalloc(&rows, size));
    MICRO_CUDA(cudaMalloc(&fill, other));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof host));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMemset(rows, 0, size));
    printf("sms,warps,pitch,warm,clocks,most\n");
    for (uint32_t warm : {1u, 0u})
        for (uint32_t sms : {1u, 16u, 64u, 132u})
            for (uint32_t warps : {2u, 4u, 8u, 16u, 32u})
                for (uint32_t pitch : {288u, 480u, 512u, 2048u, 4096u, 4608u}) {
                    double mean = 0, most = 0;
                    for (int run = 0; run < 3; run++) {
                        const size_t all = (size_t)sms * warps * 32u;
                        MICRO_CUDA(cudaMemset(fill, run, other));
                        if (warm)
                            read_rows<<<264, 512>>>(rows, pitch, all, sink);
                        else
                            read_rows<<<264, 512>>>(fill, 256u, other / 256u, sink);
                        walk<<<sms, warps * 32u>>>(rows, pitch, clocks, 1.0f);
                        MICRO_CUDA(cudaMemcpy(host, clocks, sms * sizeof *host, cudaMemcpyDeviceToHost));
                        double sum = 0, last = 0;
                        for (uint32_t i = 0; i < sms; i++) {
                            sum += (double)host[i] / sms;
                            last = (double)host[i] > last ? (double)host[i] : last;
                        }
                        if (run == 0 || sum < mean)
                            mean = sum, most = last;
                    }
                    printf("%u,%u,%u,%u,%.1f,%.1f\n", sms, warps, pitch, warm,
                           mean / STEPS / warps, most / STEPS / warps);
                }
    return 0;
}
