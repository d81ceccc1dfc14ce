/* SPDX-License-Identifier: MIT
 *
 * outer_product.cu - inner loops of matrix products: a warp repeats k outer products of r by c
 * registers, as compilers write them, with operands that (l) 0 stay in registers, 1 and 2 come from
 * shared memory for each product, by 16 and 4 bytes, 3 stay, with a barrier each turn, as in 1.
 * Settles: what FFMA take whose registers share a bank, where `.reuse` keeps some, by how many
 * warps. Leaves out: loads from global memory. Output: CSV: kind,threads,ctas,turns,mean,max - kind
 * as t8x4k8l1 (r 8, c 4, k 8); CTAs an SM; clocks a product of a warp, the mean and the most of
 * all.
 */
#include "validate/micro/check.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

template <int R, int C, int K, int LDS>
__global__ void tile(float *out, const float *in, unsigned *t, int turns)
{
    __shared__ __align__(16) float a[K * 128], b[K * 128];
    for (int i = threadIdx.x; i < K * 128; i += blockDim.x) {
        a[i] = in[i];
        b[i] = in[i + 1];
    }
    __syncthreads();
    float acc[R][C] = {}, ra[R], rb[C];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16 % 16;
    for (int i = 0; i < R; i++)
        ra[i] = a[(y * R + i) % 128];
    for (int i = 0; i < C; i++)
        rb[i] = b[(x * C + i) % 128];
    unsigned start = clock();
    for (int n = 0; n < turns; n++) {
        asm volatile("" ::: "memory");
#pragma unroll
        for (int k = 0; k < K; k++) {
            if (LDS == 0 || LDS == 3) {
#pragma unroll
                for (int i = 0; i < R; i++)
                    asm volatile("" : "+f"(ra[i]));
#pragma unroll
                for (int i = 0; i < C; i++)
                    asm volatile("" : "+f"(rb[i]));
            }
            if (LDS == 1) {
#pragma unroll
                for (int i = 0; i < R; i += 4)
                    *(float4 *)&ra[i] = *(const float4 *)&a[k * 128 + y * R % 128 + i];
#pragma unroll
                for (int i = 0; i < C; i += 4)
                    *(float4 *)&rb[i] = *(const float4 *)&b[k * 128 + x * C % 128 + i];
            }
            if (LDS == 2) {
#pragma unroll
                for (int i = 0; i < R; i++)
                    ra[i] = a[k * 128 + y * R % 128 + i];
#pragma unroll
                for (int i = 0; i < C; i++)
                    rb[i] = b[k * 128 + x * C % 128 + i];
            }
#pragma unroll
            for (int i = 0; i < R; i++)
#pragma unroll
                for (int j = 0; j < C; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        if (LDS == 3 || LDS == 1)
            __syncthreads();
    }
    unsigned end = clock();
    float s = 0;
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++)
            s += acc[i][j];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
    if (threadIdx.x % 32 == 0) {
        unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
        t[2 * w] = start;
        t[2 * w + 1] = end;
    }
}
static float *in, *out;
static unsigned *t, h[1 << 17];
template <typename F>
static void row(const char *name, F f, int threads, int ctas, int turns, double unit)
{
    const int n = 132 * ctas * threads / 32;
    double best = 1e30, bm = 0;
    for (int i = 0; i < 3; i++) {
        f<<<132 * ctas, threads>>>(out, in, t, turns);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(h, t, n * 8, cudaMemcpyDeviceToHost));
        double sum = 0, max = 0;
        for (int w = 0; w < n; w++) {
            double d = h[2 * w + 1] - h[2 * w];
            sum += d;
            if (d > max)
                max = d;
        }
        if (sum / n < best) {
            best = sum / n;
            bm = max;
        }
    }
    printf("%s,%d,%d,%d,%.2f,%.2f\n", name, threads, ctas, turns, best / turns / unit,
           bm / turns / unit);
    fflush(stdout);
}
int main(int argc, char **argv)
{
    const char *one = argc > 1 ? argv[1] : "";
    MICRO_CUDA(cudaMalloc(&in, 1 << 20));
    MICRO_CUDA(cudaMalloc(&out, 1 << 22));
    MICRO_CUDA(cudaMalloc(&t, 1 << 20));
    MICRO_CUDA(cudaMemset(in, 0, 1 << 20));
    printf("kind,threads,ctas,turns,mean,max\n");
    static const int th[] = {32, 128, 256, 512, 1024};
#define T(r, c, k, l)                                                                              \
    for (int i = 0; i < 5; i++)                                                                    \
        if ((!*one || !strcmp(one, "t" #r "x" #c "k" #k "l" #l)) &&                                \
            ((r) * (c) < 64 || th[i] < 512)) {                                                     \
            row("t" #r "x" #c "k" #k "l" #l, tile<r, c, k, l>, th[i], 1, 200, k);                  \
            if ((r) * (c) < 64 && th[i] < 1024)                                                    \
                row("t" #r "x" #c "k" #k "l" #l, tile<r, c, k, l>, th[i], 2, 200, k);              \
        }
    T(8, 8, 8, 0)
    T(8, 8, 8, 1)
    T(8, 8, 8, 2) T(8, 8, 8, 3) T(8, 4, 8, 0) T(8, 4, 8, 1) T(4, 4, 8, 0) T(4, 4, 8, 1)
        T(4, 4, 8, 2) T(8, 1, 8, 0) T(8, 1, 8, 2) T(4, 1, 8, 2) T(2, 1, 8, 2)
            T(1, 1, 16, 2) return 0;
}
