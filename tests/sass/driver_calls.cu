/* SPDX-License-Identifier: MIT
 *
 * driver_calls.cu - what the driver links in, for tests/capture/cubin_unit.c:
 *     nvcc -arch=sm_90 -cubin driver_calls.cu -o driver_calls.elf
 */
#include <cassert>
#include <cstdio>

static __device__ __noinline__ int says(int x)
{
    printf("%d", x);
    return x * 3;
}

extern "C" __global__ void asserts(int *out, const int *in)
{
    assert(in[threadIdx.x] >= 0);
    out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void prints(int *out, const int *in)
{
    out[threadIdx.x] = says(in[threadIdx.x]);
}

extern "C" __global__ void plain(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}
