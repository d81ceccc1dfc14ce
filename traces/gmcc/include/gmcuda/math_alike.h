/* SPDX-License-Identifier: MIT
 *
 * gmcuda/math_alike.h - the functions that single and double precision have word for word alike.
 * Read once for each: GMCUDA_REAL is the type, GMCUDA_WORD the integer of its size, and
 * GMCUDA_NAME(fn) the function's name with the type's ending; all three are gone afterwards.
 */

#define GMCUDA_BUILTIN(fn, builtin, parameters, arguments)                                         \
    GMCUDA_DEVICE GMCUDA_REAL GMCUDA_NAME(fn) parameters                                           \
    {                                                                                              \
        return GMCUDA_NAME(builtin) arguments;                                                     \
    }
/* clang-format off */
GMCUDA_BUILTIN(fabs, __builtin_fabs, (GMCUDA_REAL x), (x))
GMCUDA_BUILTIN(floor, __builtin_floor, (GMCUDA_REAL x), (x))
GMCUDA_BUILTIN(ceil, __builtin_ceil, (GMCUDA_REAL x), (x))
GMCUDA_BUILTIN(trunc, __builtin_trunc, (GMCUDA_REAL x), (x))
GMCUDA_BUILTIN(rint, __builtin_rint, (GMCUDA_REAL x), (x))
GMCUDA_BUILTIN(nearbyint, __builtin_rint, (GMCUDA_REAL x), (x))
GMCUDA_BUILTIN(fmin, __builtin_fmin, (GMCUDA_REAL x, GMCUDA_REAL y), (x, y))
GMCUDA_BUILTIN(fmax, __builtin_fmax, (GMCUDA_REAL x, GMCUDA_REAL y), (x, y))
/* clang-format on */
#undef GMCUDA_BUILTIN
GMCUDA_DEVICE bool isnan(GMCUDA_REAL x)
{
    return x != x;
}
GMCUDA_DEVICE bool signbit(GMCUDA_REAL x)
{
    return __builtin_bit_cast(GMCUDA_WORD, x) < 0;
}
GMCUDA_DEVICE long GMCUDA_NAME(lround)(GMCUDA_REAL x)
{
    return (long)GMCUDA_NAME(round)(x);
}
GMCUDA_DEVICE long long GMCUDA_NAME(llround)(GMCUDA_REAL x)
{
    return (long long)GMCUDA_NAME(round)(x);
}
GMCUDA_DEVICE GMCUDA_REAL GMCUDA_NAME(fdim)(GMCUDA_REAL x, GMCUDA_REAL y)
{
    return x <= y ? 0 : x - y;
}
GMCUDA_DEVICE GMCUDA_REAL GMCUDA_NAME(modf)(GMCUDA_REAL x, GMCUDA_REAL *whole)
{
    GMCUDA_REAL t = GMCUDA_NAME(trunc)(x);
    *whole = t;
    return GMCUDA_NAME(copysign)(isinf(x) ? 0 : x - t, x);
}
GMCUDA_DEVICE GMCUDA_REAL GMCUDA_NAME(scalbn)(GMCUDA_REAL x, int n)
{
    return GMCUDA_NAME(ldexp)(x, n);
}
GMCUDA_FUNCTION int GMCUDA_NAME(ilogb)(GMCUDA_REAL x)
{
    int exponent;
    if (x == 0 || isnan(x))
        return -2147483647 - 1;
    if (isinf(x))
        return 2147483647;
    (void)GMCUDA_NAME(frexp)(x, &exponent);
    return exponent - 1;
}
GMCUDA_FUNCTION GMCUDA_REAL GMCUDA_NAME(logb)(GMCUDA_REAL x)
{
    return x == 0        ? -GMCUDA_NAME(__builtin_inf)()
           : isfinite(x) ? (GMCUDA_REAL)GMCUDA_NAME(ilogb)(x)
                         : x * x;
}
GMCUDA_FUNCTION GMCUDA_REAL GMCUDA_NAME(nextafter)(GMCUDA_REAL x, GMCUDA_REAL y)
{
    GMCUDA_WORD bits = __builtin_bit_cast(GMCUDA_WORD, x);
    if (isnan(x) || isnan(y))
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return GMCUDA_NAME(copysign)(__builtin_bit_cast(GMCUDA_REAL, (GMCUDA_WORD)1), y);
    return __builtin_bit_cast(GMCUDA_REAL, (x < y) == (bits > 0) ? bits + 1 : bits - 1);
}
GMCUDA_DEVICE void GMCUDA_NAME(sincos)(GMCUDA_REAL x, GMCUDA_REAL *sine, GMCUDA_REAL *cosine)
{
    *sine = GMCUDA_NAME(sin)(x);
    *cosine = GMCUDA_NAME(cos)(x);
}
GMCUDA_DEVICE void GMCUDA_NAME(sincospi)(GMCUDA_REAL x, GMCUDA_REAL *sine, GMCUDA_REAL *cosine)
{
    *sine = GMCUDA_NAME(sinpi)(x);
    *cosine = GMCUDA_NAME(cospi)(x);
}
GMCUDA_DEVICE GMCUDA_REAL GMCUDA_NAME(rhypot)(GMCUDA_REAL x, GMCUDA_REAL y)
{
    return 1 / GMCUDA_NAME(hypot)(x, y);
}
GMCUDA_DEVICE GMCUDA_REAL GMCUDA_NAME(rnorm3d)(GMCUDA_REAL x, GMCUDA_REAL y, GMCUDA_REAL z)
{
    return 1 / GMCUDA_NAME(norm3d)(x, y, z);
}

#undef GMCUDA_REAL
#undef GMCUDA_WORD
#undef GMCUDA_NAME
