/* SPDX-License-Identifier: MIT
 *
 * variety.cu - where variety.code and variety.lives come from; not built. With CUDA 13.0:
 *   nvcc -cubin -O2 -lineinfo -arch=sm_90 variety.cu -o variety.cubin
 *   nvdisasm -hex -g -c variety.cubin >variety.code   (folders cut from the file names)
 *   nvdisasm -c -lrm narrow variety.cubin >variety.lives
 */
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

extern "C" {
__device__ __noinline__ float helper(const float *in, int i) { return in[i * 3] * 2.0f; }

__global__ void variety(float *out, const float *in, double *wide, int *bins, int n)
{
    __shared__ alignas(16) float tile[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __pipeline_memcpy_async(&tile[threadIdx.x * 4], &in[i * 4], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (i >= n)
        return;
    for (int k = 0; k < n; k += 7)
        atomicAdd(&bins[k % 5], 1);
    out[atomicCAS(&bins[i & 3], 1, 2)] = tile[threadIdx.x ^ 9] + helper(in, i);
    wide[i] = fma(wide[i + 1], wide[i + 2], 1.0);
    __stcs(out + i, __ldcg(in + i));
    ((short *)bins)[i] = ((const signed char *)in)[i];
}

__global__ void matrices(unsigned *out)
{
    __shared__ alignas(16) unsigned tile[256];
    unsigned row = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x * 8]), a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(row));
    float sum[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},"
                 "{%4,%5,%6,%7},{%4,%5},{%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a), "r"(b), "r"(c), "r"(d));
    out[threadIdx.x] = (unsigned)sum[0] + d;
}
}
