/* SPDX-License-Identifier: MIT
 *
 * memory.cu - accesses that are wrong, planted: one a run, named by the first argument. What stands
 * behind a line says its bug's name, which check finds it, and what it is; the test looks there.
 */
#include "planted.h"

// clang-format off

#include <cstdlib>

__global__ void one_past_end(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        p[i] = i; // one_past_end, memory: writes a[n], which a GPU puts into the next array
}
__global__ void reads_past_end(int *out, const int *in, int n)
{
    int i = threadIdx.x;
    out[i] = in[i] + in[i + 1]; // reads_past_end, memory: a stencil's right neighbour of the last element
}
__global__ void before_start(int *out, const int *in)
{
    out[threadIdx.x] = in[(int)threadIdx.x - 1]; // before_start, memory: a[-1]
}
__global__ void wrong_pitch(float *m, int rows, int columns)
{
    int x = threadIdx.x, y = blockIdx.x;
    m[y * rows * 4 + x] = 1; // wrong_pitch, memory: rows and columns changed places in a matrix that is not square
}
__global__ void null_pointer(int *out, const int *in)
{
    out[0] = *in; // null_pointer, memory: a pointer that was never set
}
__global__ void host_pointer(int *out)
{
    out[threadIdx.x] = 1; // host_pointer, memory: malloc()'s memory given to a kernel
}
__global__ void use_after_free(int *out)
{
    out[threadIdx.x] = 1; // use_after_free, memory: an array that was freed before the launch
}
__global__ void misaligned_vector(float4 *out, const float *in)
{
    out[threadIdx.x] = *(const float4 *)(in + 1); // misaligned_vector, memory: a float4 from an address that is no multiple of 16
}
__global__ void misaligned_store(char *p)
{
    *(int *)(p + 4 * threadIdx.x + 1) = 1; // misaligned_store, memory: an int at an odd address
}
__global__ void dynamic_shared(int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x + 1] = 2; // dynamic_shared, memory: the launch gave too little shared memory
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 2 + 1];
}
__global__ void shared_neighbour(int *out)
{
    __shared__ int a[64], b[64];
    b[threadIdx.x] = 7;
    a[threadIdx.x + 1] = threadIdx.x; // shared_neighbour, memory: the end of one shared array is the next one's begin
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x / 2 + 1] + b[threadIdx.x];
}
__device__ int counts[32], limits[32];
__global__ void variable_neighbour(int *out)
{
    counts[threadIdx.x + 1] = 1; // variable_neighbour, memory: runs from one __device__ array into another
    limits[threadIdx.x] = 5;
    out[threadIdx.x] = counts[threadIdx.x] + limits[threadIdx.x];
}
__constant__ float weights[16];
__global__ void constant_beyond(float *out)
{
    out[threadIdx.x] = weights[threadIdx.x]; // constant_beyond, memory: 32 threads read 16 constants
}
__global__ void local_beyond(int *out, int n)
{
    int a[32];
    for (int i = 0; i < 32; i++)
        a[i] = out[i];
    for (int i = 0; i < n; i++)
        out[i] = a[(i * 7) % 40 + threadIdx.x]; // local_beyond, memory: an index beyond a thread's own array
}
__global__ void atomic_beyond(int *bins, const int *in)
{
    atomicAdd(&bins[in[threadIdx.x]], 1); // atomic_beyond, memory: a histogram's value is outside of its bins
}
__global__ void half_beyond(double *out, const int *n)
{
    out[*n] = 1; // half_beyond, memory: half of a double lies behind the array
}
__global__ void missing_guard(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2 * x[i]; // missing_guard, memory: no test of i against n in the last block
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const int n = 1000;
    int *a, *b;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMemset(a, 0, n * sizeof *a);
    cudaMemset(b, 0, n * sizeof *b);
    if (is(name, "use_after_free")) {
        cudaFree(a);
        use_after_free<<<1, 32>>>(a);
    } else if (is(name, "host_pointer")) {
        int *host = (int *)malloc(4096);
        host_pointer<<<1, 32>>>(host);
    } else if (is(name, "atomic_beyond")) {
        int values[32] = {0};
        values[7] = n;
        cudaMemcpy(b, values, sizeof values, cudaMemcpyHostToDevice);
        atomic_beyond<<<1, 32>>>(a, b);
    } else if (is(name, "half_beyond")) {
        int last = 499;
        int *c;
        cudaMalloc(&c, n * sizeof *c - 4);
        cudaMemcpy(b, &last, sizeof last, cudaMemcpyHostToDevice);
        half_beyond<<<1, 1>>>((double *)c, b);
    }
    PLANTED(one_past_end, 8, 128, 0, a, n)
    PLANTED(reads_past_end, 1, 1000, 0, a, b, n)
    PLANTED(before_start, 1, 32, 0, a, b)
    PLANTED(wrong_pitch, 25, 40, 0, (float *)a, 25, 40)
    PLANTED(null_pointer, 1, 1, 0, a, nullptr)
    PLANTED(misaligned_vector, 1, 1, 0, (float4 *)a, (const float *)b)
    PLANTED(misaligned_store, 1, 32, 0, (char *)a)
    PLANTED(dynamic_shared, 1, 64, 64 * sizeof(int), a)
    PLANTED(shared_neighbour, 1, 64, 0, a)
    PLANTED(variable_neighbour, 1, 32, 0, a)
    PLANTED(constant_beyond, 1, 32, 0, (float *)a)
    PLANTED(local_beyond, 1, 32, 0, a, 40)
    PLANTED(missing_guard, 8, 128, 0, (float *)a, (const float *)b, n)
    return cudaDeviceSynchronize() != cudaSuccess;
}
