/* SPDX-License-Identifier: MIT
 *
 * collatz.cu - a loop without a memory access that turns as often as each thread's number asks: no
 * trace of memory accesses tells that. collatz.trc was captured on an H100, where Nsight Compute
 * counted 77,308 warp instructions and 12,596 cycles.
 */
#include <cuda_runtime.h>

__global__ void collatz(unsigned *steps, unsigned first)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = first + i, count = 0;
    while (n != 1u) {
        n = n % 2u ? 3u * n + 1u : n / 2u;
        count++;
    }
    steps[i] = count;
}

int main()
{
    unsigned *steps;
    if (cudaMalloc(&steps, 16 * 128 * sizeof *steps) != cudaSuccess)
        return 1;
    collatz<<<16, 128>>>(steps, 1u);
    return cudaDeviceSynchronize() != cudaSuccess;
}
