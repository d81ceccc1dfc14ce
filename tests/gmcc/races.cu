/* SPDX-License-Identifier: MIT
 *
 * races.cu - one kernel a run, named by the first argument: some race, the others look as if they
 * did.
 */
#include <cuda_runtime.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------- they race
 */

__global__ void no_barrier(int *p)
{
    __shared__ int s[128];
    s[threadIdx.x] = p[threadIdx.x];
    p[threadIdx.x] = s[127 - threadIdx.x];
}
__global__ void late_barrier(int *p)
{
    __shared__ int s[128];
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = p[threadIdx.x] + i;
        __syncthreads();
        p[threadIdx.x] = s[127 - threadIdx.x];
    }
}
__global__ void lost_sums(int *p)
{
    p[0]++;
}
__global__ void in_place(int *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = p[i + 1] + 1;
}
__global__ void one_word(int *p)
{
    p[blockIdx.x * 32] = threadIdx.x;
}
__global__ void early_clear(int *p)
{
    __shared__ int sum;
    if (threadIdx.x == 127)
        sum = 0;
    atomicAdd(&sum, p[threadIdx.x]);
    __syncthreads();
    p[threadIdx.x] = sum;
}

/* --------------------------------------------------------------------------------- they do not */

__global__ void last_block(int *p, int *ticket)
{
    __shared__ bool last;
    p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __syncthreads();
    if (last)
        for (int i = threadIdx.x; i < blockDim.x * gridDim.x; i += blockDim.x)
            p[2048 + threadIdx.x] += p[i];
}
__global__ void locked(int *p, int *lock)
{
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        p[0] = p[0] + threadIdx.x + blockIdx.x;
        __threadfence();
        atomicExch(lock, 0);
    }
}
__global__ void same_value(int *p)
{
    p[0] = 7;
}
__global__ void chain(int *p, volatile int *flag)
{
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && flag[blockIdx.x - 1] == 0)
            ;
        p[blockIdx.x + 1] = p[blockIdx.x] + 1;
        __threadfence();
        flag[blockIdx.x] = 1;
    }
}
__global__ void bytes(char *p)
{
    p[threadIdx.x * gridDim.x + blockIdx.x] = threadIdx.x;
}
__global__ void own_barrier(int *p)
{
    __shared__ int s[128];
    int half = threadIdx.x / 64;
    s[threadIdx.x] = p[threadIdx.x];
    asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    p[threadIdx.x] = s[half * 64 + 63 - threadIdx.x % 64];
}
__global__ void at_length(int *p, volatile int *q) /* more accesses than are watched, then a race */
{
    for (int i = 0; i < 40000; i++)
        q[blockIdx.x] = i;
    p[0] += 1;
}

int main(int argc, char **argv)
{
    int *p, *q;
    cudaMalloc(&p, 16384);
    cudaMalloc(&q, 16384);
    cudaMemset(p, 1, 16384);
    cudaMemset(q, 0, 16384);
    const char *name = argc > 1 ? argv[1] : "";
#define RUN(kernel, grid, block, ...)                                                              \
    if (strcmp(name, #kernel) == 0)                                                                \
        kernel<<<grid, block>>>(__VA_ARGS__);
    RUN(no_barrier, 1, 128, p)
    RUN(late_barrier, 1, 128, p)
    RUN(lost_sums, 3, 1, p)
    RUN(in_place, 4, 32, p)
    RUN(one_word, 4, 32, p)
    RUN(early_clear, 1, 128, p)
    RUN(last_block, 6, 128, p, q)
    RUN(locked, 6, 128, p, q)
    RUN(same_value, 6, 128, p)
    RUN(chain, 6, 32, p, q)
    RUN(bytes, 6, 128, (char *)p)
    RUN(own_barrier, 1, 128, p)
    RUN(at_length, 3, 1, p, q)
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
