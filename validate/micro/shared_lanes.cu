/* SPDX-License-Identifier: MIT
 *
 * shared_lanes.cu - whether loads from shared memory take the load-store unit less where few lanes
 * of a warp do them. `warps` warps of a CTA repeat loads of `bytes` a lane, eight of them from
 * places of their own, which all lanes read alike, and add what comes; of each warp the first
 * `lanes` do so.
 * Settles: clocks a load where many wait (one wavefront is counted for up to 16 lanes of 16
 * bytes, and for all lanes two). Under ncu: gpc__cycles_elapsed.max,
 * l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum.
 * Output: CSV launch,bytes,lanes,warps,loads,clocks - the first of three launches alike; loads of a
 * warp; clocks of the slowest warp, the least of the three.
 */
#include "validate/micro/check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#define TURNS 32u
#define WARPS 32u

template <uint32_t BYTES> __device__ float load(uint32_t at)
{
    float v[4] = {0, 0, 0, 0};
    if (BYTES == 16)
        asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3},[%4];"
                     : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                     : "r"(at)
                     : "memory");
    else if (BYTES == 8)
        asm volatile("ld.volatile.shared.v2.f32 {%0,%1},[%2];" : "=f"(v[0]), "=f"(v[1]) : "r"(at) : "memory");
    else
        asm volatile("ld.volatile.shared.f32 %0,[%1];" : "=f"(v[0]) : "r"(at) : "memory");
    return v[0] + v[BYTES / 4 - 1u];
}

template <uint32_t BYTES> __global__ void read(uint32_t lanes, uint32_t *clocks, float *sink)
{
    __shared__ float4 row[WARPS * 8u];
    for (uint32_t i = threadIdx.x; i < WARPS * 8u; i += blockDim.x)
        row[i] = make_float4(1, 2, 3, 4);
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(row) + threadIdx.x / 32u * 128u;
    float sum = 0;
    __syncthreads();
    const uint32_t begin = (uint32_t)clock64();
#pragma unroll 1
    for (uint32_t t = 0; t < TURNS; t++) {
        if (threadIdx.x % 32u < lanes) {
#pragma unroll
            for (uint32_t i = 0; i < 8u; i++)
                sum += load<BYTES>(at + 16u * i);
        }
        __syncwarp();
    }
    if (sum == 1.5f)
        *sink = sum;
    if (threadIdx.x % 32u == 0)
        clocks[blockIdx.x * WARPS + threadIdx.x / 32u] = (uint32_t)clock64() - begin;
}

int main(void)
{
    uint32_t *clocks, host[WARPS];
    float *sink;
    MICRO_CUDA(cudaMalloc(&clocks, 132 * sizeof host));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("launch,bytes,lanes,warps,loads,clocks");
    uint32_t launches = 0;
    void (*const kernel[])(uint32_t, uint32_t *, float *) = {read<4>, read<8>, read<16>};
    for (uint32_t k = 0; k < 3u; k++)
        for (uint32_t lanes : {1u, 8u, 16u, 32u})
            for (uint32_t warps : {1u, 4u, 8u, 16u, 32u}) {
                uint32_t least = UINT32_MAX;
                for (int run = 0; run < 3; run++) {
                    kernel[k]<<<132, warps * 32u>>>(lanes, clocks, sink);
                    MICRO_CUDA(cudaMemcpy(host, clocks, warps * sizeof *host, cudaMemcpyDeviceToHost));
                    least = std::min(least, *std::max_element(host, host + warps));
                }
                printf("%u,%u,%u,%u,%u,%u\n", launches, 4u << k, lanes, warps, TURNS * 8u, least);
                launches += 3u;
            }
    return 0;
}
