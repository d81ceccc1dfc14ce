/* SPDX-License-Identifier: MIT
 *
 * Lab 3, solved: each row of a matrix less its mean. A block brings ROWS rows into shared
 * memory, one after the other is worked on by all its threads. One row needs 4 KiB.
 */
#include "lab.h"

#define ROWS    1
#define THREADS 256
#define WIDTH   1024

__global__ void centre(const float *in, float *out)
{
    extern __shared__ float row[];
    __shared__ float sum;
    const size_t first = (size_t)blockIdx.x * ROWS * WIDTH;
    for (int i = threadIdx.x; i < ROWS * WIDTH; i += THREADS)
        row[i] = in[first + i];
    for (int r = 0; r < ROWS; r++) {
        if (threadIdx.x == 0)
            sum = 0;
        __syncthreads();
        float part = 0;
        for (int i = threadIdx.x; i < WIDTH; i += THREADS)
            part += row[r * WIDTH + i];
        for (int lanes = 16; lanes > 0; lanes /= 2)
            part += __shfl_down_sync(0xffffffffu, part, lanes);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&sum, part);
        __syncthreads();
        for (int i = threadIdx.x; i < WIDTH; i += THREADS)
            out[first + r * WIDTH + i] = row[r * WIDTH + i] - sum / WIDTH;
        __syncthreads();
    }
}

int main()
{
    const int rows = 96, shared = ROWS * WIDTH * (int)sizeof(float);
    std::vector<float> in = lab_numbers((size_t)rows * WIDTH, 1), out(in.size());
    float *device_in = lab_upload(in), *device_out = lab_upload(out);
    static_assert(96 % ROWS == 0, "ROWS must divide 96");
    LAB_MUST(cudaFuncSetAttribute(centre, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    centre<<<rows / ROWS, THREADS, shared>>>(device_in, device_out);
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int i = 0; i < WIDTH; i++)
            sum += in[r * WIDTH + i];
        for (int i = 0; i < WIDTH; i++)
            out[r * WIDTH + i] = in[r * WIDTH + i] - sum / WIDTH;
    }
    lab_expect("out", device_out, out);
    return 0;
}
