/* SPDX-License-Identifier: MIT
 *
 * Lab 6, solved: a dot product, one atomicAdd a thread to a single sum. Here a
 * block adds up first.
 */
#include "lab.h"

#define THREADS 256

__global__ void dot(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    __shared__ float part[THREADS / 32];
    float mine = i < n ? a[i] * b[i] : 0;
    for (int lanes = 16; lanes > 0; lanes /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, lanes);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < THREADS / 32; warp++)
            mine += part[warp];
        atomicAdd(sum, mine);
    }
}

int main()
{
    const int n = 1 << 15;
    std::vector<float> a = lab_numbers(n, 1), b = lab_numbers(n, 2), sum(1);
    float *device_a = lab_upload(a), *device_b = lab_upload(b), *device_sum = lab_upload(sum);
    dot<<<n / THREADS, THREADS>>>(device_a, device_b, device_sum, n);
    for (int i = 0; i < n; i++)
        sum[0] += a[i] * b[i];
    lab_expect("sum", device_sum, sum);
    return 0;
}
