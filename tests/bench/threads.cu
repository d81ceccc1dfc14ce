/* SPDX-License-Identifier: MIT
 *
 * threads.cu - arithmetic in blocks that share nothing, for threads.py: ./threads [ROUNDS]
 */
#include <cstdlib>

__global__ void work(float *a, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = x + 1;
    for (int round = 0; round < rounds; round++) {
        x = x * 0.999f + y;
        y = y * 0.5f + x * 0.25f;
    }
    a[i] = x + y;
}

int main(int argc, char **argv)
{
    const int blocks = 64, block = 256;
    float *a;
    cudaMalloc(&a, blocks * block * sizeof *a);
    cudaMemset(a, 0, blocks * block * sizeof *a);
    work<<<blocks, block>>>(a, argc > 1 ? atoi(argv[1]) : 100000);
    return cudaDeviceSynchronize() != cudaSuccess;
}
