// SPDX-License-Identifier: MIT
// names.cu - memory that is asked for in the ways in which programs do; names.test knows the lines.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int table[64];
static __device__ float hidden[32];
__constant__ int fixed[4];

namespace own {
__device__ double inside;
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != cudaSuccess)                                                                 \
            return 1;                                                                              \
    } while (0)

template <class T> static T *room_for(size_t n)
{
    T *p = nullptr;
    cudaMalloc(&p, n * sizeof(T));
    return p;
}

static cudaError_t get(void **where, size_t bytes)
{
    return cudaMalloc(where, bytes);
}

struct pair {
    float *left, *right;
};

__global__ void touch(float *const *p, int count)
{
    for (int i = 0; i < count; i++)
        p[i][threadIdx.x] = (float)table[threadIdx.x] + hidden[threadIdx.x] + (float)fixed[0];
    own::inside = 1;
}

int main()
{
    const size_t bytes = 128 * sizeof(float);
    float *d_x, *a, *b, **list, *rows[2], *managed, *pinned, *pitched;
    pair s;
    size_t pitch;
    CHECK(cudaMalloc((void **)&d_x, bytes));
    cudaMalloc(&a, bytes); cudaMalloc(&b, bytes); // clang-format off
    for (int i = 0; i < 2; i++)
        CHECK(cudaMalloc(&rows[i], bytes));
    float *from_helper = room_for<float>(128);
    float *another = room_for<float>(128);
    CHECK(get((void **)&s.left, bytes));
    CHECK(get((void **)&s.right, bytes));
    CHECK(cudaMallocManaged(&managed, bytes));
    CHECK(cudaHostAlloc((void **)&pinned, bytes, 0));
    CHECK(cudaMallocPitch(&pitched, &pitch, bytes, 2));
    CHECK(cudaMallocManaged(&list, 16 * sizeof *list));
    float *all[] = {d_x, a, b, rows[0], rows[1], from_helper, another, s.left, s.right, managed,
                    pinned, pitched};
    const int count = sizeof all / sizeof *all;
    for (int i = 0; i < count; i++)
        list[i] = all[i];
    touch<<<1, 32>>>(list, count);
    CHECK(cudaDeviceSynchronize());
    cudaFree(a);
    touch<<<1, 32>>>(list + 2, count - 2);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
