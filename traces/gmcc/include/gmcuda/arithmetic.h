/* SPDX-License-Identifier: MIT
 *
 * gmcuda/arithmetic.h - arithmetic in a rounding mode of the program's choice, and the fast
 * approximations (__sinf, __expf, __fdividef ...) that are one or two PTX instructions.
 */
#ifndef GMCUDA_ARITHMETIC_H
#define GMCUDA_ARITHMETIC_H

#define GMCUDA_ROUNDED(mode, ptx)                                                                  \
    GMCUDA_ASM2(__fadd_##mode, float, "f", float, "f", "add." ptx ".f32")                          \
    GMCUDA_ASM2(__fsub_##mode, float, "f", float, "f", "sub." ptx ".f32")                          \
    GMCUDA_ASM2(__fmul_##mode, float, "f", float, "f", "mul." ptx ".f32")                          \
    GMCUDA_ASM2(__fdiv_##mode, float, "f", float, "f", "div." ptx ".f32")                          \
    GMCUDA_ASM3(__fmaf_##mode, float, "f", float, "f", "fma." ptx ".f32")                          \
    GMCUDA_ASM1(__frcp_##mode, float, "f", float, "f", "rcp." ptx ".f32")                          \
    GMCUDA_ASM1(__fsqrt_##mode, float, "f", float, "f", "sqrt." ptx ".f32")                        \
    GMCUDA_ASM2(__dadd_##mode, double, "d", double, "d", "add." ptx ".f64")                        \
    GMCUDA_ASM2(__dsub_##mode, double, "d", double, "d", "sub." ptx ".f64")                        \
    GMCUDA_ASM2(__dmul_##mode, double, "d", double, "d", "mul." ptx ".f64")                        \
    GMCUDA_ASM2(__ddiv_##mode, double, "d", double, "d", "div." ptx ".f64")                        \
    GMCUDA_ASM3(__fma_##mode, double, "d", double, "d", "fma." ptx ".f64")                         \
    GMCUDA_ASM1(__drcp_##mode, double, "d", double, "d", "rcp." ptx ".f64")                        \
    GMCUDA_ASM1(__dsqrt_##mode, double, "d", double, "d", "sqrt." ptx ".f64")
/* clang-format off */
GMCUDA_ROUNDED(rn, "rn")
GMCUDA_ROUNDED(rz, "rz")
GMCUDA_ROUNDED(rd, "rm")
GMCUDA_ROUNDED(ru, "rp")
#undef GMCUDA_ROUNDED
/* Denormal values stay, whatever the options say. */
GMCUDA_ASM3(__fmaf_ieee_rn, float, "f", float, "f", "fma.rn.f32")
GMCUDA_ASM3(__fmaf_ieee_rz, float, "f", float, "f", "fma.rz.f32")
GMCUDA_ASM3(__fmaf_ieee_rd, float, "f", float, "f", "fma.rm.f32")
GMCUDA_ASM3(__fmaf_ieee_ru, float, "f", float, "f", "fma.rp.f32")

GMCUDA_ASM1(__sinf, float, "f", float, "f", "sin.approx.f32")
GMCUDA_ASM1(__cosf, float, "f", float, "f", "cos.approx.f32")
GMCUDA_ASM1(__frsqrt_rn, float, "f", float, "f", "rsqrt.approx.f32")
GMCUDA_ASM1(__gmcuda_ex2, float, "f", float, "f", "ex2.approx.f32")
GMCUDA_ASM1(__gmcuda_lg2, float, "f", float, "f", "lg2.approx.f32")
GMCUDA_ASM1(__gmcuda_rcp, float, "f", float, "f", "rcp.approx.f32")
GMCUDA_ASM2(__fdividef, float, "f", float, "f", "div.approx.f32")
GMCUDA_ASM1(__saturatef, float, "f", float, "f", "cvt.sat.f32.f32")
/* clang-format on */

GMCUDA_DEVICE float __exp2f(float x)
{
    return __gmcuda_ex2(x);
}
GMCUDA_DEVICE float __expf(float x)
{
    return __gmcuda_ex2(x * 1.44269504f);
}
GMCUDA_DEVICE float __exp10f(float x)
{
    return __gmcuda_ex2(x * 3.32192809f);
}
GMCUDA_DEVICE float __log2f(float x)
{
    return __gmcuda_lg2(x);
}
GMCUDA_DEVICE float __logf(float x)
{
    return __gmcuda_lg2(x) * 0.693147181f;
}
GMCUDA_DEVICE float __log10f(float x)
{
    return __gmcuda_lg2(x) * 0.301029996f;
}
GMCUDA_DEVICE float __powf(float x, float y)
{
    return __gmcuda_ex2(y * __gmcuda_lg2(x));
}
GMCUDA_DEVICE float __tanf(float x)
{
    return __fdividef(__sinf(x), __cosf(x));
}
GMCUDA_DEVICE void __sincosf(float x, float *sine, float *cosine)
{
    *sine = __sinf(x);
    *cosine = __cosf(x);
}

#endif
