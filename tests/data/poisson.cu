// SPDX-License-Identifier: MIT
//
// poisson.cu - a program of many launches: Poisson's equation on a square by conjugate gradients, n x n
// points, sums by a shared-memory tree and one atomic a block. Prints the residual it ends with.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK 256

// out = A in: the five-point star, zero outside.
__global__ void laplace(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int i = y * n + x;
    float sum = 4.0f * in[i];
    if (x > 0)
        sum -= in[i - 1];
    if (x + 1 < n)
        sum -= in[i + 1];
    if (y > 0)
        sum -= in[i - n];
    if (y + 1 < n)
        sum -= in[i + n];
    out[i] = sum;
}

__global__ void dot(const float *a, const float *b, float *sum, int count)
{
    __shared__ float part[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    part[threadIdx.x] = i < count ? a[i] * b[i] : 0.0f;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

// y = y + scale x
__global__ void add_scaled(const float *x, float *y, float scale, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        y[i] += scale * x[i];
}

// p = r + scale p
__global__ void next_direction(const float *r, float *p, float scale, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        p[i] = r[i] + scale * p[i];
}

static float product(const float *a, const float *b, float *sum, int count)
{
    float value;
    cudaMemset(sum, 0, sizeof *sum);
    dot<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, sum, count);
    cudaMemcpy(&value, sum, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 10, count = n * n;
    size_t bytes = (size_t)count * sizeof(float);
    float *x, *r, *p, *q, *sum;
    cudaMalloc(&x, bytes);
    cudaMalloc(&r, bytes);
    cudaMalloc(&p, bytes);
    cudaMalloc(&q, bytes);
    cudaMalloc(&sum, sizeof *sum);
    std::vector<float> right(count, 1.0f);
    cudaMemset(x, 0, bytes);
    cudaMemcpy(r, right.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(p, right.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
    int blocks = (count + BLOCK - 1) / BLOCK;
    float rr = product(r, r, sum, count), first = rr;
    for (int step = 0; step < steps; step++) {
        laplace<<<grid, block>>>(p, q, n);
        float alpha = rr / product(p, q, sum, count);
        add_scaled<<<blocks, BLOCK>>>(p, x, alpha, count);
        add_scaled<<<blocks, BLOCK>>>(q, r, -alpha, count);
        float next = product(r, r, sum, count);
        next_direction<<<blocks, BLOCK>>>(r, p, next / rr, count);
        rr = next;
    }
    printf("residual squared: %g, at first %g\n", rr, first);
    return cudaGetLastError() != cudaSuccess;
}
