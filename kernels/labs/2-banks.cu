/* SPDX-License-Identifier: MIT
 *
 * Lab 2, starting code: a transpose through a tile in shared memory. Global memory is read and
 * written in rows, but the tile's columns lie in one bank. Change transpose(); the launch stays.
 */
#include "lab.h"

#define TILE 32

__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int n = 256;
    std::vector<float> in = lab_numbers((size_t)n * n, 1), out((size_t)n * n);
    float *device_in = lab_upload(in), *device_out = lab_upload(out);
    transpose<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(device_in, device_out, n);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            out[x * n + y] = in[y * n + x];
    lab_expect("out", device_out, out);
    return 0;
}
