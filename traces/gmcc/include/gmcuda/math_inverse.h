/* SPDX-License-Identifier: MIT
 *
 * gmcuda/math_inverse.h - the inverse error functions and the inverse of the normal distribution,
 * in single and double precision: a closed form that is right to some thousandths, then Halley's
 * steps on erf or erfc, whichever loses nothing there.
 */
#ifndef GMCUDA_MATH_INVERSE_H
#define GMCUDA_MATH_INVERSE_H

/* x >= 0 with erf(x) = e and erfc(x) = q; e and q are of [0, 1], and the smaller one is exact. */
template <typename T> GMCUDA_FUNCTION T __gmcuda_inverse_erf(T e, T q, int steps)
{
    const T l = log(q) + log1p(e), t = (T)4.330746750799873 + l / 2; /* 2 / (0.147 pi) */
    T x = sqrt(sqrt(t * t - l / (T)0.147) - t);
    if (e < (T)0.01)
        x = e * (T)0.8862269254527580; /* sqrt(pi) / 2 */
    for (int i = 0; i < steps; i++) {
        const T off = e < q ? erf(x) - e : q - erfc(x);
        const T r = off * (T)0.8862269254527580 * exp(x * x);
        x -= r / (1 + x * r);
    }
    return x;
}
#define GMCUDA_INVERSES(type, suffix, steps)                                                       \
    GMCUDA_FUNCTION type erfinv##suffix(type x)                                                    \
    {                                                                                              \
        const type e = fabs(x);                                                                    \
        if (!(e < 1))                                                                              \
            return e == 1 ? copysign((type)__builtin_inff(), x) : (type)__builtin_nanf("");        \
        return x == 0 ? x : copysign(__gmcuda_inverse_erf<type>(e, 1 - e, steps), x);              \
    }                                                                                              \
    GMCUDA_FUNCTION type erfcinv##suffix(type y)                                                   \
    {                                                                                              \
        const type q = y > 1 ? 2 - y : y;                                                          \
        if (!(q > 0))                                                                              \
            return q == 0 ? copysign((type)__builtin_inff(), 1 - y) : (type)__builtin_nanf("");    \
        if (q == 1)                                                                                \
            return 0;                                                                              \
        return copysign(__gmcuda_inverse_erf<type>(1 - q, q, steps), 1 - y);                       \
    }                                                                                              \
    GMCUDA_FUNCTION type normcdfinv##suffix(type p)                                                \
    {                                                                                              \
        return (type)-1.4142135623730951 * erfcinv##suffix(2 * p);                                 \
    }
/* clang-format off */
GMCUDA_INVERSES(float, f, 2)
GMCUDA_INVERSES(double, , 3)
/* clang-format on */
#undef GMCUDA_INVERSES

#endif
