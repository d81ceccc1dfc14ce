/* SPDX-License-Identifier: MIT
 *
 * Lab 5, starting code: c = a b, an element a thread, each operand from global memory. Change
 * multiply() so that a block brings tiles of a and b into shared memory. The launch stays.
 */
#include "lab.h"

#define TILE 16

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

int main()
{
    const int n = 96;
    std::vector<float> a = lab_numbers(n * n, 1), b = lab_numbers(n * n, 2), c(n * n);
    float *device_a = lab_upload(a), *device_b = lab_upload(b), *device_c = lab_upload(c);
    multiply<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(device_a, device_b, device_c, n);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            for (int k = 0; k < n; k++)
                c[y * n + x] += a[y * n + k] * b[k * n + x];
    lab_expect("c", device_c, c);
    return 0;
}
