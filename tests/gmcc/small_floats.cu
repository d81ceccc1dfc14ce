/* SPDX-License-Identifier: MIT
 *
 * small_floats.cu - floats of 8 bits: every code there and back, rounding between neighbours, ends;
 * every half and bfloat16, and floats of every exponent, against a search for the nearest code.
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

/* The nearest code, of two as near the even one; what rounds to more than the last number is `last`
 * or, without saturation, the next code, which is infinity or no number. */
static unsigned nearest(double v, bool saturate, bool e4m3)
{
    const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    const unsigned last = e4m3 ? 0x7e : 0x7b, sign = signbit(v) ? 0x80 : 0;
    if (isnan(v))
        return 0x7f;
    unsigned code = 0;
    for (unsigned step = 64; step; step /= 2)
        if (code + step <= last + 1 && meant(code + step, mantissa, bias) <= fabs(v))
            code += step;
    if (code <= last) {
        const double below = fabs(v) - meant(code, mantissa, bias);
        const double above = meant(code + 1, mantissa, bias) - fabs(v);
        code += below > above || (below == above && code % 2);
    }
    return sign | (code <= last ? code : saturate ? last : last + 1);
}

enum { HALVES = 1 << 16, FLOATS = 1 << 18 };
static float some_float(int i)
{
    static const unsigned low[4] = {0, 1, 0x7fff, 0x4000};
    return __builtin_bit_cast(float, (unsigned)(i / 4) << 16 | low[i % 4] | (i & 64 ? 0x8000u : 0));
}
template <__nv_fp8_interpretation_t kind, __nv_saturation_t saturate>
__global__ void convert_all(const float *in, unsigned char *out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < FLOATS; i += gridDim.x * blockDim.x) {
        out[i] = __nv_cvt_float_to_fp8(in[i], saturate, kind);
        if (i >= HALVES)
            continue;
        const __half_raw half = {(unsigned short)i};
        const __nv_bfloat16_raw bfloat = {(unsigned short)i};
        out[FLOATS + i] = __nv_cvt_halfraw_to_fp8(half, saturate, kind);
        out[FLOATS + HALVES + i] = __nv_cvt_bfloat16raw_to_fp8(bfloat, saturate, kind);
    }
}
template <__nv_fp8_interpretation_t kind, __nv_saturation_t saturate>
static bool all_are_nearest(const float *in, unsigned char *out)
{
    convert_all<kind, saturate><<<8, 256>>>(in, out);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < FLOATS + 2 * HALVES && good; i++) {
        const unsigned short bits = (unsigned short)i;
        const double v = i < FLOATS            ? in[i]
                         : i < FLOATS + HALVES ? (float)__ushort_as_half(bits)
                                               : (float)__ushort_as_bfloat16(bits);
        const unsigned want = nearest(v, saturate == __NV_SATFINITE, kind == __NV_E4M3);
        good = out[i] == want && (isnan(v) || __nv_cvt_double_to_fp8(v, saturate, kind) == want);
        if (!good)
            printf("# %a: %02x, not %02x\n", v, out[i], want);
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
           __nv_fp8_e4m3(NAN).__x == 0x7f && isnan((float)__nv_fp8_e5m2(NAN)) &&
           __nv_fp8_e5m2(-NAN).__x == 0x7f && __nv_fp8_e5m2(-(double)NAN).__x == 0xfe &&
           __nv_fp8_e4m3(-(double)NAN).__x == 0xff,
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
    bool good = cudaDeviceSynchronize() == cudaSuccess && back->w == (float)__nv_fp8_e4m3(in[3]);
    for (int i = 0; i < 64; i++)
        good = good && e4m3[i] == __nv_fp8_e4m3(in[i]).__x &&
               e5m2[i] == __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E5M2);
    ok(good, "kernels convert as the host does");
    float *all;
    unsigned char *codes;
    cudaMallocManaged(&all, FLOATS * sizeof *all);
    cudaMallocManaged(&codes, FLOATS + 2 * HALVES);
    for (int i = 0; i < FLOATS; i++)
        all[i] = some_float(i);
    ok(all_are_nearest<__NV_E4M3, __NV_SATFINITE>(all, codes) &&
           all_are_nearest<__NV_E4M3, __NV_NOSAT>(all, codes),
       "e4m3 of every half and bfloat, and floats of every exponent");
    ok(all_are_nearest<__NV_E5M2, __NV_SATFINITE>(all, codes) &&
           all_are_nearest<__NV_E5M2, __NV_NOSAT>(all, codes),
       "e5m2 of every half and bfloat, and floats of every exponent");
    printf("1..%d\n", number);
    return failed != 0;
}
