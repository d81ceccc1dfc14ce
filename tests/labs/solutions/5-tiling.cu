/* SPDX-License-Identifier: MIT
 *
 * Lab 5, solved: c = a b, an element a thread, each operand from global memory. A
 * block brings tiles of a and b into shared memory.
 */
#include "lab.h"

#define TILE 16

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    float sum = 0;
    for (int first = 0; first < n; first += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[y * n + first + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
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
