/* SPDX-License-Identifier: MIT
 *
 * Lab 6, starting code: a dot product, one atomicAdd a thread to a single sum. Change dot(): as many
 * atomics as blocks, or fewer. The launch stays.
 */
#include "lab.h"

#define THREADS 256

__global__ void dot(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        atomicAdd(sum, a[i] * b[i]);
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
