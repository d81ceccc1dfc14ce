/* SPDX-License-Identifier: MIT
 *
 * gmcuda/math_overloads.h - min, max and abs; one name for float and double; whole numbers, which
 * count as double, and mixed arguments of pow.
 */
#ifndef GMCUDA_MATH_OVERLOADS_H
#define GMCUDA_MATH_OVERLOADS_H

#define GMCUDA_FORWARD(result, fn, parameters, arguments)                                          \
    GMCUDA_DEVICE result fn parameters                                                             \
    {                                                                                              \
        return fn##f arguments;                                                                    \
    }
#define GMCUDA_FORWARD1(fn) GMCUDA_FORWARD(float, fn, (float x), (x))
#define GMCUDA_FORWARD2(fn) GMCUDA_FORWARD(float, fn, (float x, float y), (x, y))
/* clang-format off */
GMCUDA_MATH1(GMCUDA_FORWARD1)
GMCUDA_MATH2(GMCUDA_FORWARD2)
GMCUDA_MATH_OWN(GMCUDA_FORWARD1)
GMCUDA_FORWARD(float, fma, (float x, float y, float z), (x, y, z))
GMCUDA_FORWARD(float, ldexp, (float x, int n), (x, n))
GMCUDA_FORWARD(float, scalbn, (float x, int n), (x, n))
GMCUDA_FORWARD(float, frexp, (float x, int *exponent), (x, exponent))
GMCUDA_FORWARD(float, modf, (float x, float *whole), (x, whole))
GMCUDA_FORWARD(int, ilogb, (float x), (x))
GMCUDA_FORWARD(long, lrint, (float x), (x))
GMCUDA_FORWARD(long, lround, (float x), (x))
GMCUDA_FORWARD(long long, llrint, (float x), (x))
GMCUDA_FORWARD(long long, llround, (float x), (x))
/* clang-format on */
#define GMCUDA_ABS(type)                                                                           \
    GMCUDA_DEVICE type abs(type x)                                                                 \
    {                                                                                              \
        return x < 0 ? -x : x;                                                                     \
    }
/* clang-format off */
GMCUDA_ABS(int)
GMCUDA_ABS(long)
GMCUDA_ABS(long long)
/* clang-format on */
#undef GMCUDA_ABS
GMCUDA_DEVICE long labs(long x)
{
    return abs(x);
}
GMCUDA_DEVICE long long llabs(long long x)
{
    return abs(x);
}
GMCUDA_DEVICE double abs(double x)
{
    return fabs(x);
}
GMCUDA_DEVICE float abs(float x)
{
    return fabsf(x);
}

/* Whole numbers as arguments. */
#define GMCUDA_WHOLE1(fn)                                                                          \
    template <typename T>                                                                          \
    GMCUDA_DEVICE typename std::enable_if<std::is_integral<T>::value, double>::type fn(T x)        \
    {                                                                                              \
        return fn((double)x);                                                                      \
    }
/* clang-format off */
GMCUDA_MATH1(GMCUDA_WHOLE1)
GMCUDA_MATH_OWN(GMCUDA_WHOLE1)
/* clang-format on */
/* Two types: double, as the C++ library has it. */
#define GMCUDA_MIXED2(fn)                                                                          \
    template <typename T, typename U>                                                              \
    GMCUDA_DEVICE                                                                                  \
        typename std::enable_if<std::is_arithmetic<T>::value && std::is_arithmetic<U>::value &&    \
                                    !(std::is_same<T, float>::value &&                             \
                                      std::is_same<U, float>::value),                              \
                                double>::type                                                      \
        fn(T x, U y)                                                                               \
    {                                                                                              \
        return fn((double)x, (double)y);                                                           \
    }
/* clang-format off */
GMCUDA_MATH2(GMCUDA_MIXED2)
/* clang-format on */
/* A float to a whole power stays float in CUDA. */
GMCUDA_DEVICE float pow(float x, int y)
{
    return powf(x, (float)y);
}
#undef GMCUDA_FORWARD
#undef GMCUDA_FORWARD1
#undef GMCUDA_FORWARD2
#undef GMCUDA_WHOLE1
#undef GMCUDA_MIXED2

/* min and max on both sides, of every pair of integers and of floats. */
#define GMCUDA_MINMAX(type)                                                                        \
    GMCUDA_BOTH type min(type a, type b)                                                           \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    GMCUDA_BOTH type max(type a, type b)                                                           \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
#define GMCUDA_MINMAX2(type, other, result)                                                        \
    GMCUDA_BOTH result min(type a, other b)                                                        \
    {                                                                                              \
        return min((result)a, (result)b);                                                          \
    }                                                                                              \
    GMCUDA_BOTH result min(other a, type b)                                                        \
    {                                                                                              \
        return min((result)a, (result)b);                                                          \
    }                                                                                              \
    GMCUDA_BOTH result max(type a, other b)                                                        \
    {                                                                                              \
        return max((result)a, (result)b);                                                          \
    }                                                                                              \
    GMCUDA_BOTH result max(other a, type b)                                                        \
    {                                                                                              \
        return max((result)a, (result)b);                                                          \
    }
/* clang-format off */
GMCUDA_MINMAX(int)
GMCUDA_MINMAX(unsigned int)
GMCUDA_MINMAX(long)
GMCUDA_MINMAX(unsigned long)
GMCUDA_MINMAX(long long)
GMCUDA_MINMAX(unsigned long long)
GMCUDA_MINMAX2(int, unsigned int, unsigned int)
GMCUDA_MINMAX2(long, unsigned long, unsigned long)
GMCUDA_MINMAX2(long long, unsigned long long, unsigned long long)
/* clang-format on */
#undef GMCUDA_MINMAX
#undef GMCUDA_MINMAX2
/* A NaN loses against a number, as in fmin() and fmax(). */
#define GMCUDA_MINMAX_FLOAT(type, other, suffix)                                                   \
    GMCUDA_BOTH type min(type a, other b)                                                          \
    {                                                                                              \
        return __builtin_fmin##suffix(a, b);                                                       \
    }                                                                                              \
    GMCUDA_BOTH type max(type a, other b)                                                          \
    {                                                                                              \
        return __builtin_fmax##suffix(a, b);                                                       \
    }
/* clang-format off */
GMCUDA_MINMAX_FLOAT(float, float, f)
GMCUDA_MINMAX_FLOAT(double, double, )
GMCUDA_MINMAX_FLOAT(double, float, )
/* clang-format on */
GMCUDA_BOTH double min(float a, double b)
{
    return __builtin_fmin(a, b);
}
GMCUDA_BOTH double max(float a, double b)
{
    return __builtin_fmax(a, b);
}
#undef GMCUDA_MINMAX_FLOAT
GMCUDA_DEVICE unsigned int umin(unsigned int a, unsigned int b)
{
    return min(a, b);
}
GMCUDA_DEVICE unsigned int umax(unsigned int a, unsigned int b)
{
    return max(a, b);
}

/* CUDA's own functions serve the host, too. */
#define GMCUDA_HOST_OWN(name, type, f, value)                                                      \
    static __inline__ __host__ type name(type x)                                                   \
    {                                                                                              \
        return value;                                                                              \
    }
#define GMCUDA_HOST_BOTH(type, f)                                                                  \
    GMCUDA_HOST_OWN(rsqrt##f, type, f, 1 / sqrt##f(x))                                             \
    GMCUDA_HOST_OWN(rcbrt##f, type, f, 1 / cbrt##f(x))                                             \
    GMCUDA_HOST_OWN(sinpi##f, type, f, sin##f((type)3.14159265358979323846 * fmod##f(x, 2)))       \
    GMCUDA_HOST_OWN(cospi##f, type, f, cos##f((type)3.14159265358979323846 * fmod##f(x, 2)))       \
    GMCUDA_HOST_OWN(normcdf##f, type, f, erfc##f(-x *(type)0.70710678118654752440) / 2)
GMCUDA_HOST_BOTH(float, f)
GMCUDA_HOST_BOTH(double, )
#undef GMCUDA_HOST_BOTH
#undef GMCUDA_HOST_OWN

#endif
