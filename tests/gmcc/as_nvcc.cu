/* SPDX-License-Identifier: MIT
 *
 * as_nvcc.cu - what nvcc reads and clang by itself does not.
 */
#include <cstdio>

__global__ void turn(unsigned int *a)
{
    extern __shared__ alignas(16) unsigned char bytes[];
    __shared__ alignas(alignof(float4)) unsigned int tile[32];
    unsigned int lane, mask;
    asm volatile("mov.u32 %0, %laneid;\n\t"
                 "mov.u32 %1, %%lanemask_lt;" /* doubled already */
                 : "=r"(lane), "=r"(mask));
    tile[threadIdx.x] = lane + __popc(mask) + __LINE__;
    bytes[threadIdx.x] = 1;
    struct count {
        unsigned int n;
        __device__ count() : n(1000) {}
    };
    __shared__ count ones[32];
    ones[threadIdx.x].n = 1;
    __syncthreads();
    a[threadIdx.x] = tile[31 - threadIdx.x] * bytes[31 - threadIdx.x] * ones[31 - threadIdx.x].n;
}

int main()
{
    unsigned int *a, host[32];
    bool good = true;
    cudaMalloc(&a, sizeof host);
    turn<<<1, 32, 32>>>(a);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned int i = 0; i < 32; i++)
        good &= host[i] == 2 * (31 - i) + 15;
    cudaFree(a);
    puts(good ? "good" : "bad");
    return !good;
}
