/* SPDX-License-Identifier: MIT
 *
 * unwritten.cu - reads of what nobody wrote, planted; see memory.cu.
 */
#include "planted.h"

// clang-format off

__global__ void never_filled(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x] + 1; // never_filled, unwritten: an array that the host forgot to copy
}
__global__ void half_filled(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x] + 1; // half_filled, unwritten: elements taken for bytes, so a quarter is set
}
__global__ void sums_not_cleared(int *sums, const int *in)
{
    atomicAdd(&sums[in[threadIdx.x] & 3], 1); // sums_not_cleared, unwritten: atomics on sums that nobody set to 0
}
__global__ void produce(int *p, int n)
{
    if (threadIdx.x < n)
        p[threadIdx.x] = 1;
}
__global__ void gap_between_kernels(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x]; // gap_between_kernels, unwritten: one kernel reads more than the one before wrote
}
__global__ void shared_border(int *out, const int *in)
{
    __shared__ int s[66];
    s[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 2]; // shared_border, unwritten: a tile without its border
}
__global__ void shared_sum(int *out, const int *in)
{
    __shared__ int sum;
    atomicAdd(&sum, in[threadIdx.x]); // shared_sum, unwritten: a sum in shared memory that nobody cleared
    __syncthreads();
    out[threadIdx.x] = sum;
}
__global__ void local_array(int *out, const int *in, int n)
{
    int a[64];
    for (int i = 0; i < n; i++)
        a[in[i]] = i;
    out[threadIdx.x] = a[in[threadIdx.x] + 5]; // local_array, unwritten: elements of a thread's own array that no iteration set
}
__global__ void reused(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x]; // allocated_again, unwritten: memory that is given out again is not what it was
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int *a, *b, *c, values[256];
    cudaMalloc(&a, 1024);
    cudaMalloc(&b, 1024);
    cudaMalloc(&c, 1024);
    for (int i = 0; i < 256; i++)
        values[i] = i % 16;
    if (!is(name, "never_filled") && !is(name, "half_filled") && !is(name, "copied_back"))
        cudaMemcpy(b, values, sizeof values, cudaMemcpyHostToDevice);
    if (is(name, "half_filled"))
        cudaMemset(b, 0, 256);
    if (is(name, "gap_between_kernels")) {
        produce<<<1, 64>>>(c, 48);
        gap_between_kernels<<<1, 64>>>(a, c);
    }
    if (is(name, "allocated_again")) {
        cudaMemset(a, 0, 1024);
        cudaFree(a);
        cudaMalloc(&a, 1024);
        reused<<<1, 32>>>(b, a);
    }
    if (is(name, "copied_back"))
        cudaMemcpy(values, b, sizeof values, cudaMemcpyDeviceToHost); // copied_back, unwritten: a result that no kernel wrote is copied to the host
    PLANTED(never_filled, 1, 32, 0, a, b)
    PLANTED(half_filled, 1, 256, 0, a, b)
    PLANTED(sums_not_cleared, 1, 32, 0, c, b)
    PLANTED(shared_border, 1, 64, 0, a, b)
    PLANTED(shared_sum, 1, 64, 0, a, b)
    PLANTED(local_array, 1, 32, 0, a, b, 32)
    cudaError_t error = cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return error != cudaSuccess;
}
