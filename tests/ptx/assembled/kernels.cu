// SPDX-License-Identifier: MIT
//
// kernels.cu - what ptx_assembled.c executes twice, as PTX and as machine code. kernels.ptx is
// nvcc -arch=sm_90 -ptx of it, kernels.cubin what ptxas -arch=sm_90 makes of that, kernels.code
// nvdisasm -hex -g -c of the cubin. Every kernel is NAME(in, out, n): 32-bit words, n of each.
#include <cuda_fp16.h>

typedef const unsigned *__restrict__ input;
#define AT (blockIdx.x * blockDim.x + threadIdx.x)

__constant__ unsigned powers[8] = {1, 3, 9, 27, 81, 243, 729, 2187};
__device__ unsigned long long turns[4];

extern "C" __global__ void integers(input in, unsigned *out, int n)
{
    const unsigned i = AT;
    if (i >= n)
        return;
    const unsigned a = in[i], b = in[(i * 7 + 1) % n] | 1;
    const long long w = (long long)(int)a * (int)b + ((unsigned long long)b << 20) - a;
    unsigned r = a / b ^ (a % b) << 3 ^ (unsigned)((int)a / (int)(b >> 5 | 1));
    r += __popc(a) + __clz(b) + __brev(a) + __byte_perm(a, b, 0x3175) + __umulhi(a, b);
    r ^= (unsigned)(w >> 32) ^ (unsigned)w ^ __funnelshift_l(a, b, a & 31) ^ max((int)a, (int)b);
    r += a > b ? min(a, 77u) : (unsigned)abs((int)b);
    out[i] = r + powers[a & 7] + (unsigned)(w % 1000003);
}

extern "C" __global__ void loops(input in, unsigned *out, int n)
{
    const unsigned i = AT;
    if (i >= n)
        return;
    unsigned x = in[i] & 0xffff, steps = 0;
    while (x > 1 && steps < 300) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        if (x % 97 == 5)
            break;
        for (unsigned k = 0; k < (x & 3); k++)
            steps += in[(i + k) % n] & 1;
        steps++;
    }
    out[i] = steps << 16 ^ x;
}

extern "C" __global__ void sums(input in, unsigned *out, int n)
{
    __shared__ unsigned part[256];
    const unsigned t = threadIdx.x, i = AT;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    unsigned v = part[0] ^ t;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(~0u, v, d) * (d + 1);
    v ^= __ballot_sync(~0u, v & 4) + __shfl_up_sync(~0u, v, 3);
    if (i < n)
        out[i] = v;
    if (t == 0)
        atomicAdd(&turns[1], (unsigned long long)v);
}

extern "C" __global__ void counts(input in, unsigned *out, int n)
{
    __shared__ unsigned bin[64];
    const unsigned t = threadIdx.x, i = AT;
    if (t < 64)
        bin[t] = 0;
    __syncthreads();
    if (i < n) {
        atomicAdd(&bin[in[i] & 63], 1);
        atomicMax(&out[n - 1 - (in[i] & 7)], in[i] >> 8);
        atomicCAS(&out[0], 0, 1);
    }
    __syncthreads();
    if (t < 64)
        atomicAdd(&out[8 + t], bin[t]);
}

extern "C" __global__ void reals(input in, unsigned *out, int n)
{
    const unsigned i = AT;
    if (i >= n)
        return;
    const float a = (float)(int)in[i] * 1e-4f, b = (float)(in[(i + 5) % n] & 0xfff) + 0.5f;
    const double d = (double)a * b + 1.0 / b;
    float r = a / b + sqrtf(b) * fmaf(a, b, -3.0f) + fminf(a, b) + floorf(a) + (a > b ? 1.5f : -a);
    r += (float)d + (float)(int)(d * 0.25) + (float)(d / (b + 3.0));
    const __half2 h = __floats2half2_rn(b * 0.01f, b * 0.5f), g = __hfma2(h, h, h);
    out[i] = __float_as_uint(r) ^ (unsigned)(long long)(d * 16.0) ^ __half_as_ushort(__high2half(g));
}

extern "C" __global__ void locals(input in, unsigned *out, int n)
{
    const unsigned i = AT;
    unsigned a[24];
    if (i >= n)
        return;
    for (int k = 0; k < 24; k++)
        a[k] = in[(i + k) % n];
    for (int k = 0; k < 40; k++)
        a[(a[k % 24] + k) % 24] ^= a[(k * 5) % 24] >> 3;
    unsigned *p = &a[in[i] % 24];
    out[i] = *p + a[in[(i + 1) % n] % 24];
}
