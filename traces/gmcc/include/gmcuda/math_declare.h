/* SPDX-License-Identifier: MIT
 *
 * gmcuda/math_declare.h - the names of the mathematical functions that kernels have, declared
 * before the C++ library's <cmath> is read: its constexpr functions count as __device__ functions
 * too unless one of the same type is known already, and they end in calls that no GPU has.
 *
 * Left out, and so an error where a kernel uses them: Bessel functions, erfcx, remquo.
 */
#ifndef GMCUDA_MATH_DECLARE_H
#define GMCUDA_MATH_DECLARE_H
#pragma clang system_header /* only there may a constexpr function of the same type follow */

/* In C's library as well: double f(double), float ff(float), and std::f of both. */
/* clang-format off */
#define GMCUDA_MATH1(X)                                                                            \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf)       \
    X(erfc) X(exp) X(exp2) X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2)    \
    X(logb) X(nearbyint) X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
/* clang-format on */
#define GMCUDA_MATH2(X)                                                                            \
    X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
/* CUDA's own. */
#define GMCUDA_MATH_OWN(X) X(rsqrt) X(rcbrt) X(sinpi) X(cospi) X(exp10) X(normcdf)

#define GMCUDA_DECLARE(type, name, ...) GMCUDA_FUNCTION type name(__VA_ARGS__);
#define GMCUDA_DECLARE1(fn)                                                                        \
    GMCUDA_DECLARE(double, fn, double)                                                             \
    GMCUDA_DECLARE(float, fn, float)                                                               \
    GMCUDA_DECLARE(float, fn##f, float)
#define GMCUDA_DECLARE_TO(type, fn)                                                                \
    GMCUDA_DECLARE(type, fn, double)                                                               \
    GMCUDA_DECLARE(type, fn, float)                                                                \
    GMCUDA_DECLARE(type, fn##f, float)
#define GMCUDA_DECLARE_IS(fn)                                                                      \
    GMCUDA_DECLARE(bool, fn, double)                                                               \
    GMCUDA_DECLARE(bool, fn, float)
#define GMCUDA_DECLARE2(fn)                                                                        \
    GMCUDA_DECLARE(double, fn, double, double)                                                     \
    GMCUDA_DECLARE(float, fn, float, float)                                                        \
    GMCUDA_DECLARE(float, fn##f, float, float)

/* clang-format off */
GMCUDA_MATH1(GMCUDA_DECLARE1)
GMCUDA_MATH2(GMCUDA_DECLARE2)
GMCUDA_MATH_OWN(GMCUDA_DECLARE1)
GMCUDA_DECLARE(double, fma, double, double, double)
GMCUDA_DECLARE(float, fma, float, float, float)
GMCUDA_DECLARE(float, fmaf, float, float, float)
GMCUDA_DECLARE(double, ldexp, double, int)
GMCUDA_DECLARE(float, ldexp, float, int)
GMCUDA_DECLARE(float, ldexpf, float, int)
GMCUDA_DECLARE(double, scalbn, double, int)
GMCUDA_DECLARE(float, scalbn, float, int)
GMCUDA_DECLARE(float, scalbnf, float, int)
GMCUDA_DECLARE(double, frexp, double, int *)
GMCUDA_DECLARE(float, frexp, float, int *)
GMCUDA_DECLARE(float, frexpf, float, int *)
GMCUDA_DECLARE(double, modf, double, double *)
GMCUDA_DECLARE(float, modf, float, float *)
GMCUDA_DECLARE(float, modff, float, float *)
GMCUDA_DECLARE_TO(int, ilogb)
GMCUDA_DECLARE_TO(long, lrint)
GMCUDA_DECLARE_TO(long, lround)
GMCUDA_DECLARE_TO(long long, llrint)
GMCUDA_DECLARE_TO(long long, llround)
GMCUDA_DECLARE_IS(isnan)
GMCUDA_DECLARE_IS(isinf)
GMCUDA_DECLARE_IS(isfinite)
GMCUDA_DECLARE_IS(isnormal)
GMCUDA_DECLARE_IS(signbit)
GMCUDA_DECLARE(int, abs, int)
GMCUDA_DECLARE(long, abs, long)
GMCUDA_DECLARE(long long, abs, long long)
GMCUDA_DECLARE(double, abs, double)
GMCUDA_DECLARE(float, abs, float)
GMCUDA_DECLARE(long, labs, long)
GMCUDA_DECLARE(long long, llabs, long long)
GMCUDA_DECLARE(void, sincos, double, double *, double *)
GMCUDA_DECLARE(void, sincosf, float, float *, float *)
GMCUDA_DECLARE(void, sincospi, double, double *, double *)
GMCUDA_DECLARE(void, sincospif, float, float *, float *)
GMCUDA_DECLARE(float, fdividef, float, float)
GMCUDA_DECLARE(double, rhypot, double, double)
GMCUDA_DECLARE(float, rhypotf, float, float)
GMCUDA_DECLARE(double, norm3d, double, double, double)
GMCUDA_DECLARE(float, norm3df, float, float, float)
GMCUDA_DECLARE(double, rnorm3d, double, double, double)
GMCUDA_DECLARE(float, rnorm3df, float, float, float)

namespace std
{
#define GMCUDA_USING(fn)  using ::fn;
#define GMCUDA_USING_F(fn) using ::fn; using ::fn##f;
GMCUDA_MATH1(GMCUDA_USING_F)
GMCUDA_MATH2(GMCUDA_USING_F)
GMCUDA_USING_F(fma) GMCUDA_USING_F(ldexp) GMCUDA_USING_F(scalbn) GMCUDA_USING_F(frexp)
GMCUDA_USING_F(modf) GMCUDA_USING_F(ilogb) GMCUDA_USING_F(lrint) GMCUDA_USING_F(lround)
GMCUDA_USING_F(llrint) GMCUDA_USING_F(llround)
GMCUDA_USING(isnan) GMCUDA_USING(isinf) GMCUDA_USING(isfinite) GMCUDA_USING(isnormal)
GMCUDA_USING(signbit) GMCUDA_USING(abs) GMCUDA_USING(labs) GMCUDA_USING(llabs)
#undef GMCUDA_USING
#undef GMCUDA_USING_F
}
/* clang-format on */
#undef GMCUDA_DECLARE
#undef GMCUDA_DECLARE1
#undef GMCUDA_DECLARE2
#undef GMCUDA_DECLARE_TO
#undef GMCUDA_DECLARE_IS

#endif
