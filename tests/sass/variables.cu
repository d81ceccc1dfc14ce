/* SPDX-License-Identifier: MIT
 *
 * variables.cu - variables that host code can name, and what is none, for
 * tests/capture/cubin_unit.c: nvcc -arch=sm_90 -cubin variables.cu -o variables.elf
 */
__device__ float table[256];
__constant__ float weights[16];
__device__ __managed__ int counter;
namespace own
{
__device__ double inside = 3.5;
}
static __device__ int hidden[4];
extern "C" __global__ void use(float *out, const char **text)
{
    __shared__ float tile[32];
    tile[threadIdx.x] = table[threadIdx.x] + weights[threadIdx.x % 16] + (float)own::inside +
                        (float)hidden[threadIdx.x % 4];
    atomicAdd(&counter, 1);
    *text = "a literal";
    out[threadIdx.x] = tile[31 - threadIdx.x];
}
