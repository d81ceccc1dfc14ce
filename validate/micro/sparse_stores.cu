/* SPDX-License-Identifier: MIT
 *
 * sparse_stores.cu - at what rate stores that leave most of a line alone go out to L2. Warps store
 * `width` bytes a lane, lanes `stride` bytes apart, into a span of L2 of their own: warp after warp
 * (near: one warp's lines beside the next one's), or in the order of a permutation (far). The span
 * was written whole before, or not touched since L2 was filled with something else (cold).
 * Settles: that lines at equal steps, 4,096 bytes as well, lie in all slices of L2, and that how
 * much of a sector is written makes no difference, up to half of it.
 * Output: CSV: form,width,stride,warps,sms,bytes,stores,clocks - bytes of the span; stores of one
 * warp; clocks of the slowest CTA, the least of three runs.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

template <typename T> __device__ __forceinline__ void put(char *at, uint32_t v);
template <> __device__ __forceinline__ void put<uint8_t>(char *at, uint32_t v)
{
    asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(v) : "memory");
}
template <> __device__ __forceinline__ void put<uint16_t>(char *at, uint32_t v)
{
    asm volatile("st.global.u16 [%0], %1;" ::"l"(at), "h"((uint16_t)v) : "memory");
}
template <> __device__ __forceinline__ void put<uint32_t>(char *at, uint32_t v)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory");
}
template <> __device__ __forceinline__ void put<uint64_t>(char *at, uint32_t v)
{
    asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(at), "r"(v) : "memory");
}
template <> __device__ __forceinline__ void put<uint4>(char *at, uint32_t v)
{
    asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at), "r"(v) : "memory");
}

template <typename T>
__global__ void scatter(char *data, uint64_t bytes, uint32_t stride, uint32_t stores, int far,
                        unsigned long long *clocks)
{
    const uint32_t lane = threadIdx.x % 32,
                   warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const uint32_t warps = gridDim.x * (blockDim.x / 32);
    __syncthreads();
    uint64_t begin = clock64();
#pragma unroll 4
    for (uint32_t s = 0; s < stores; s++) {
        uint32_t piece = s * warps + warp;
        if (far)
            piece = piece * 2654435761u >> 8;
        put<T>(data + ((uint64_t)piece * 32 + lane) * stride % bytes, s);
    }
    __threadfence();
    __syncthreads();
    // one atomic a CTA, after the clocks are read: more of them would hold up others' stores
    if (threadIdx.x == 0)
        atomicMax(clocks, (unsigned long long)(clock64() - begin));
}

int main(void)
{
    const uint64_t most = 64u << 20;
    char *data, *other;
    unsigned long long *clocks;
    MICRO_CUDA(cudaMalloc(&data, most));
    MICRO_CUDA(cudaMalloc(&other, 2 * most));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    puts("form,width,stride,warps,sms,bytes,stores,clocks");
    for (const char *form : {"near", "far", "cold"})
        for (int width : {1, 2, 4, 8, 16})
            for (uint32_t stride : {16u, 32u, 48u, 64u, 128u, 256u, 512u, 4096u})
                for (int warps : {8, 32})
                    for (int sms : {1, 132}) {
                        if (stride < (uint32_t)width || (stride == 48 && width == 16 && 0))
                            continue;
                        const uint64_t bytes = 12u << 20;
                        uint32_t stores = sms == 1 ? 128 : 32;
                        unsigned long long least = ~0ull, now;
                        for (int again = 0; again < 3; again++) {
                            if (form[0] == 'c') {
                                MICRO_CUDA(cudaMemset(data, 1, bytes));
                                MICRO_CUDA(cudaMemset(other, again, 2 * most));
                            } else {
                                MICRO_CUDA(cudaMemset(data, again, bytes));
                            }
                            MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
                            auto kernel = width == 1   ? scatter<uint8_t>
                                          : width == 2 ? scatter<uint16_t>
                                          : width == 4 ? scatter<uint32_t>
                                          : width == 8 ? scatter<uint64_t>
                                                       : scatter<uint4>;
                            kernel<<<sms, warps * 32>>>(data, bytes, stride, stores, form[0] == 'f',
                                                        clocks);
                            MICRO_CUDA(cudaGetLastError());
                            MICRO_CUDA(
                                cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
                            least = std::min(least, now);
                        }
                        printf("%s,%d,%u,%d,%d,%llu,%u,%llu\n", form, width, stride, warps, sms,
                               (unsigned long long)bytes, stores, least);
                    }
    return 0;
}
