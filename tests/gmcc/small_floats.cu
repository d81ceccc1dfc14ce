/* SPDX-License-Identifier: MIT
 *
 * small_floats.cu - floats of 8 bits: every code there and back, rounding between neighbours, ends.
 */
#include <cuda_fp8.h>

static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

/* Of its definition: sign, exponent, mantissa. */
static double meant(unsigned code, int mantissa, int bias)
{
    const int exponent = (code & 0x7f) >> mantissa, rest = code & ((1 << mantissa) - 1);
    const double size = exponent ? ldexp(1 + ldexp(rest, -mantissa), exponent - bias)
                                 : ldexp(rest, 1 - bias - mantissa);
    return code & 0x80 ? -size : size;
}

template <typename T> static bool check(int mantissa, int bias, unsigned last)
{
    bool good = true;
    for (unsigned code = 0; code < 256; code++) {
        if ((code & 0x7f) > last)
            continue;
        T x;
        x.__x = (unsigned char)code;
        const double v = meant(code, mantissa, bias);
        good = good && (float)x == v && (float)(__half)x == v && T((float)v).__x == code &&
               T(v).__x == code && T(__half((float)v)).__x == code;
        if ((code & 0x7f) == last)
            continue;
        /* Halfway to the next goes to the even one, and all else to the nearer. */
        const double next = meant(code + 1, mantissa, bias), middle = (v + next) / 2;
        const double little = (next - v) / 1e6;
        good = good && T(middle).__x == (code % 2 ? code + 1 : code) &&
               T(middle + little).__x == code + 1 && T(middle - little).__x == code &&
               T((float)middle).__x == T(middle).__x;
    }
    return good;
}

__global__ void in_kernel(const float *in, unsigned char *e4m3, unsigned char *e5m2, float4 *back)
{
    const int i = threadIdx.x;
    e4m3[i] = __nv_fp8_e4m3(in[i]).__x;
    e5m2[i] = __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E5M2);
    if (i == 0)
        *back = (float4)__nv_fp8x4_e4m3(make_float4(in[0], in[1], in[2], in[3]));
}

int main()
{
    ok(check<__nv_fp8_e4m3>(3, 7, 0x7e), "e4m3: all numbers and what lies between them");
    ok(check<__nv_fp8_e5m2>(2, 15, 0x7b), "e5m2: all numbers and what lies between them");
    const float huge = INFINITY;
    ok(__nv_fp8_e4m3(464.0f).__x == 0x7e && __nv_fp8_e4m3(1e30f).__x == 0x7e &&
           __nv_fp8_e4m3(-huge).__x == 0xfe && __nv_fp8_e5m2(huge).__x == 0x7b &&
           __nv_cvt_float_to_fp8(465.0f, __NV_NOSAT, __NV_E4M3) == 0x7f &&
           __nv_cvt_float_to_fp8(464.0f, __NV_NOSAT, __NV_E4M3) == 0x7e &&
           __nv_cvt_float_to_fp8(-huge, __NV_NOSAT, __NV_E5M2) == 0xfc &&
           __nv_fp8_e4m3(NAN).__x == 0x7f && isnan((float)__nv_fp8_e5m2(NAN)),
       "what is too large, and what is no number");
    const __nv_fp8x2_e5m2 pair(make_float2(1.5f, -2));
    const float2 two = (float2)pair;
    ok(pair.__x == 0xc03e && two.x == 1.5f && two.y == -2 && (int)__nv_fp8_e4m3(-3.0f) == -3 &&
           (float)(__nv_bfloat16)__nv_fp8_e4m3(__nv_bfloat16(0.875f)) == 0.875f &&
           !(bool)__nv_fp8_e5m2(-0.0f),
       "pairs, integers, bfloats");
    float *in;
    unsigned char *e4m3, *e5m2;
    float4 *back;
    cudaMallocManaged(&in, 64 * sizeof *in);
    cudaMallocManaged(&e4m3, 64);
    cudaMallocManaged(&e5m2, 64);
    cudaMallocManaged(&back, sizeof *back);
    for (int i = 0; i < 64; i++)
        in[i] = (i % 2 ? -1 : 1) * ldexpf(1 + i / 100.0f, i / 2 - 14);
    in_kernel<<<1, 64>>>(in, e4m3, e5m2, back);
    bool good = cudaDeviceSynchronize() == cudaSuccess &&
                back->w == (float)__nv_fp8_e4m3(in[3]);
    for (int i = 0; i < 64; i++)
        good = good && e4m3[i] == __nv_fp8_e4m3(in[i]).__x &&
               e5m2[i] == __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E5M2);
    ok(good, "kernels convert as the host does");
    printf("1..%d\n", number);
    return failed != 0;
}
