/* SPDX-License-Identifier: MIT
 *
 * signs.cu - rotations, and copies of a sign, cut and masked in the ways programs do it: fields
 * that run over the top of a 64-bit value. Each kernel against the same function on the host.
 */
#include <cuda_runtime.h>
#include <stdio.h>

typedef long long s64;
typedef unsigned long long u64;

template <int I> __host__ __device__ u64 cut(u64 x)
{
    int v = (int)x;
    switch (I) {
    case 0:
        return (unsigned)((v << 1) ^ (v < 0 ? 7 : 0));
    case 1:
        return (s64)x < 0 ? 7 : 0;
    case 2:
        return (x << 1) ^ ((s64)x < 0 ? 7 : 0);
    case 3:
        return (unsigned)(v >> 31 & 15);
    case 4:
        return (s64)x >> 60 & 255;
    case 5:
        return (s64)x >> 63 & 3;
    case 6:
        return (s64)x >> 40 & 0x7ffffffff;
    case 7:
        return (s64)x >> 33 & 0x3ffffffffffffff;
    case 8:
        return x >> 60 & 255;
    case 9:
        return (unsigned)v >> 28 & 255;
    case 10:
        return (s64)x >> 48 & 0xffff;
    case 11:
        return x << (x >> 58) | x >> (-(x >> 58) & 63);
    case 12:
        return ~(1ull << (x & 63)); /* a rotation to LLVM, by more than 63 */
    default:
        return (s64)(x << 3) >> 60 & 0xff;
    }
}

template <int I> __global__ void kernel(u64 *out, const u64 *in)
{
    out[threadIdx.x] = cut<I>(in[threadIdx.x]);
}

static int number, bad;
template <int I> void test(u64 *out, u64 *in, const u64 *values, int n)
{
    u64 found[8];
    kernel<I><<<1, n>>>(out, in);
    cudaMemcpy(found, out, n * sizeof *found, cudaMemcpyDeviceToHost);
    bool good = true;
    for (int i = 0; i < n; i++)
        if (found[i] != cut<I>(values[i])) {
            fprintf(stderr, "%llx: %llx, not %llx\n", values[i], found[i], cut<I>(values[i]));
            good = false;
        }
    bad += !good;
    printf("%sok %d - signs, way %d\n", good ? "" : "not ", ++number, I);
}

int main()
{
    const u64 values[] = {0x8000000080000001ull, 0xfffffffffffffffbull, 5,
                          0x7000000070000000ull, 0xf00000000fffffffull, 0};
    const int n = sizeof values / sizeof *values;
    u64 *in, *out;
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&out, sizeof values);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    test<0>(out, in, values, n);
    test<1>(out, in, values, n);
    test<2>(out, in, values, n);
    test<3>(out, in, values, n);
    test<4>(out, in, values, n);
    test<5>(out, in, values, n);
    test<6>(out, in, values, n);
    test<7>(out, in, values, n);
    test<8>(out, in, values, n);
    test<9>(out, in, values, n);
    test<10>(out, in, values, n);
    test<11>(out, in, values, n);
    test<12>(out, in, values, n);
    test<13>(out, in, values, n);
    printf("1..%d\n", number);
    return bad != 0;
}
