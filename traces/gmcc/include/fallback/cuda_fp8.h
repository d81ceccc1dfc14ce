/* SPDX-License-Identifier: MIT
 *
 * cuda_fp8.h - floats of 8 bits, e4m3 and e5m2, one, two and four of them: storage and conversions,
 * the same in kernels and on the host, rounded to nearest even. Left out: e8m0, conversions of
 * integers wider than int.
 */
#ifndef GMCUDA_CUDA_FP8_H
#define GMCUDA_CUDA_FP8_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* What is too large becomes the largest number, or else infinity; e4m3 has none, and NaN stands
 * for it. */
GMCUDA_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double value, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind)
{
    const bool e4m3 = kind == __NV_E4M3;
    const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    const double most = e4m3 ? 448 : 57344;
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
    const unsigned int sign = (unsigned int)(bits >> 56) & 0x80u;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (value != value) /* a quiet one, with the top of what it carries */
        return (__nv_fp8_storage_t)(sign | (e4m3 ? 0x7f : 0x7e | ((unsigned int)(bits >> 50) & 3)));
    if (exponent < 1 - bias)
        exponent = 1 - bias;
    /* The last bit's worth; adding and taking away 2^52 of it rounds to nearest even. */
    const double unit =
        __builtin_bit_cast(double, (unsigned long long)(exponent - mantissa + 1023) << 52);
    const double size = value < 0 ? -value : value;
    const double large = 4503599627370496.0;
    const double units = size > most * 2 ? 1e6 : (size / unit + large) - large;
    if (units * unit > most || size > most * 2) {
        const unsigned int end =
            saturate == __NV_SATFINITE ? (e4m3 ? 0x7e : 0x7b) : (e4m3 ? 0x7f : 0x7c);
        return (__nv_fp8_storage_t)(sign | end);
    }
    const unsigned int whole = (unsigned int)units, one = 1u << mantissa;
    const unsigned int above = (unsigned int)(exponent + bias) << mantissa;
    return (__nv_fp8_storage_t)(sign | (whole < one ? whole : above + whole - one));
}
GMCUDA_SAME(__nv_fp8_storage_t, __nv_cvt_float_to_fp8,
            (float f, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind),
            f != f ? 0x7f : __nv_cvt_double_to_fp8((double)f, saturate, kind))
GMCUDA_SAME(__nv_fp8_storage_t, __nv_cvt_halfraw_to_fp8,
            (__half_raw h, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind),
            __nv_cvt_float_to_fp8((float)__half(h), saturate, kind))
GMCUDA_SAME(__nv_fp8_storage_t, __nv_cvt_bfloat16raw_to_fp8,
            (__nv_bfloat16_raw h, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind),
            __nv_cvt_float_to_fp8((float)__nv_bfloat16(h), saturate, kind))

/* Every one of them is a half. */
GMCUDA_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    if (kind == __NV_E5M2)
        return __half_raw{(unsigned short)(x << 8)};
    const unsigned int sign = (x & 0x80u) << 8, rest = x & 0x7fu;
    if (rest == 0x7f)
        return __half_raw{0x7fff};
    if (rest >= 8)
        return __half_raw{(unsigned short)(sign | ((rest << 7) + (8u << 10)))};
    const __half small = (float)rest * 0.001953125f; /* 2^-9 */
    return __half_raw{(unsigned short)(sign | small.operator __half_raw().x)};
}

#define GMCUDA_PAIR(name, type, single)                                                            \
    GMCUDA_SAME(                                                                                   \
        __nv_fp8x2_storage_t, name,                                                                \
        (type v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind),                      \
        (__nv_fp8x2_storage_t)(single(v.x, saturate, kind) | single(v.y, saturate, kind) << 8))
GMCUDA_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8)
GMCUDA_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8)
#undef GMCUDA_PAIR
GMCUDA_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw h,
                                                            __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(h)), saturate, kind);
}
GMCUDA_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw h,
                                                                __nv_saturation_t saturate,
                                                                __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(h)), saturate, kind);
}
GMCUDA_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                   __nv_fp8_interpretation_t kind)
{
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
                       __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
}

#define GMCUDA_HD __host__ __device__ __attribute__((nodebug))
#define GMCUDA_FROM(type, name, value)                                                             \
    explicit GMCUDA_HD name(type v)                                                                \
        : __x(__nv_cvt_float_to_fp8((float)(value), __NV_SATFINITE, as))                           \
    {                                                                                              \
    }
#define GMCUDA_TO(type, value)                                                                     \
    explicit GMCUDA_HD operator type() const                                                       \
    {                                                                                              \
        return (type)(value);                                                                      \
    }
#define GMCUDA_FP8(name, short_name, interpretation)                                               \
    struct name {                                                                                  \
        static constexpr __nv_fp8_interpretation_t as = interpretation;                            \
        __nv_fp8_storage_t __x;                                                                    \
        name() = default;                                                                          \
        GMCUDA_FROM(float, name, v)                                                                \
        GMCUDA_FROM(__half, name, v)                                                               \
        GMCUDA_FROM(__nv_bfloat16, name, v)                                                        \
        GMCUDA_FROM(short, name, v)                                                                \
        GMCUDA_FROM(unsigned short, name, v)                                                       \
        explicit GMCUDA_HD name(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, as)) {}  \
        explicit GMCUDA_HD name(int v) : name((double)v) {}                                        \
        explicit GMCUDA_HD name(unsigned int v) : name((double)v) {}                               \
        explicit GMCUDA_HD operator __half() const                                                 \
        {                                                                                          \
            return __half(__nv_cvt_fp8_to_halfraw(__x, as));                                       \
        }                                                                                          \
        explicit GMCUDA_HD operator float() const { return (float)(__half) * this; }               \
        GMCUDA_TO(__nv_bfloat16, (float)*this)                                                     \
        GMCUDA_TO(double, (float)*this)                                                            \
        GMCUDA_TO(int, (float)*this)                                                               \
        GMCUDA_TO(unsigned int, (float)*this)                                                      \
        GMCUDA_TO(short, (float)*this)                                                             \
        GMCUDA_TO(unsigned short, (float)*this)                                                    \
        GMCUDA_TO(signed char, (float)*this)                                                       \
        GMCUDA_TO(unsigned char, (float)*this)                                                     \
        GMCUDA_TO(bool, (__x & 0x7f) != 0)                                                         \
    };                                                                                             \
    struct __attribute__((aligned(2))) __nv_fp8x2_##short_name {                                   \
        static constexpr __nv_fp8_interpretation_t as = interpretation;                            \
        __nv_fp8x2_storage_t __x;                                                                  \
        __nv_fp8x2_##short_name() = default;                                                       \
        explicit GMCUDA_HD __nv_fp8x2_##short_name(float2 v)                                       \
            : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, as))                                 \
        {                                                                                          \
        }                                                                                          \
        explicit GMCUDA_HD __nv_fp8x2_##short_name(double2 v)                                      \
            : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, as))                                \
        {                                                                                          \
        }                                                                                          \
        explicit GMCUDA_HD __nv_fp8x2_##short_name(__half2 v)                                      \
            : __nv_fp8x2_##short_name(__half22float2(v))                                           \
        {                                                                                          \
        }                                                                                          \
        explicit GMCUDA_HD __nv_fp8x2_##short_name(__nv_bfloat162 v)                               \
            : __nv_fp8x2_##short_name(__bfloat1622float2(v))                                       \
        {                                                                                          \
        }                                                                                          \
        explicit GMCUDA_HD operator __half2() const                                                \
        {                                                                                          \
            return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, as));                                   \
        }                                                                                          \
        explicit GMCUDA_HD operator float2() const { return __half22float2((__half2) * this); }    \
    };                                                                                             \
    struct __attribute__((aligned(4))) __nv_fp8x4_##short_name {                                   \
        __nv_fp8x4_storage_t __x;                                                                  \
        __nv_fp8x4_##short_name() = default;                                                       \
        explicit GMCUDA_HD __nv_fp8x4_##short_name(float4 v)                                       \
            : __x(__nv_fp8x2_##short_name(make_float2(v.x, v.y)).__x |                             \
                  (unsigned int)__nv_fp8x2_##short_name(make_float2(v.z, v.w)).__x << 16)          \
        {                                                                                          \
        }                                                                                          \
        explicit GMCUDA_HD __nv_fp8x4_##short_name(__half2 low, __half2 high)                      \
            : __x(__nv_fp8x2_##short_name(low).__x |                                               \
                  (unsigned int)__nv_fp8x2_##short_name(high).__x << 16)                           \
        {                                                                                          \
        }                                                                                          \
        explicit GMCUDA_HD operator float4() const                                                 \
        {                                                                                          \
            __nv_fp8x2_##short_name low, high;                                                     \
            low.__x = (__nv_fp8x2_storage_t)__x;                                                   \
            high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                          \
            const float2 a = (float2)low, b = (float2)high;                                        \
            return make_float4(a.x, a.y, b.x, b.y);                                                \
        }                                                                                          \
    };
GMCUDA_FP8(__nv_fp8_e4m3, e4m3, __NV_E4M3)
GMCUDA_FP8(__nv_fp8_e5m2, e5m2, __NV_E5M2)
#undef GMCUDA_FP8
#undef GMCUDA_FROM
#undef GMCUDA_TO
#undef GMCUDA_HD

#endif
