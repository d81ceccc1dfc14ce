/* SPDX-License-Identifier: MIT
 *
 * Lab 1, starting code: y = a x + y, 32 elements a thread. The sums are right, the order in which
 * they are taken is not: change saxpy() so that a warp's lanes touch neighbours. The launch stays.
 */
#include "lab.h"

#define EACH 32 /* elements a thread */

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    for (int i = first; i < first + EACH && i < n; i++)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1 << 16, threads = 128, blocks = n / (threads * EACH);
    std::vector<float> x = lab_numbers(n, 1), y = lab_numbers(n, 2);
    float *device_x = lab_upload(x), *device_y = lab_upload(y);
    saxpy<<<blocks, threads>>>(2.0f, device_x, device_y, n);
    for (int i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + y[i];
    lab_expect("y", device_y, y);
    return 0;
}
