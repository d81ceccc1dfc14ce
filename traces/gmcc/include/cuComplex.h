/* SPDX-License-Identifier: MIT
 *
 * cuComplex.h - complex numbers as pairs, for kernels and the host: make, parts, conjugate, the
 * four operations, absolute value, multiply-add, in single and double precision.
 */
#ifndef GMCUDA_CUCOMPLEX_H
#define GMCUDA_CUCOMPLEX_H

#include "cuda_runtime.h"
#include <math.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* `F` is the letter of the functions' names, `f` the suffix of math.h's. The quotient and the
 * absolute value are scaled by the larger part, so that squares do not overflow. */
#define GMCUDA_COMPLEX(complex, real, f)                                                           \
    GMCUDA_BOTH complex make_##complex(real x, real y)                                             \
    {                                                                                              \
        complex z;                                                                                 \
        z.x = x;                                                                                   \
        z.y = y;                                                                                   \
        return z;                                                                                  \
    }                                                                                              \
    GMCUDA_SAME(real, cuCreal##f, (complex z), z.x)                                                \
    GMCUDA_SAME(real, cuCimag##f, (complex z), z.y)                                                \
    GMCUDA_SAME(complex, cuConj##f, (complex z), make_##complex(z.x, -z.y))                        \
    GMCUDA_SAME(complex, cuCadd##f, (complex a, complex b), make_##complex(a.x + b.x, a.y + b.y))  \
    GMCUDA_SAME(complex, cuCsub##f, (complex a, complex b), make_##complex(a.x - b.x, a.y - b.y))  \
    GMCUDA_SAME(complex, cuCmul##f, (complex a, complex b),                                        \
                make_##complex(a.x *b.x - a.y * b.y, a.x * b.y + a.y * b.x))                       \
    GMCUDA_BOTH complex cuCdiv##f(complex a, complex b)                                            \
    {                                                                                              \
        const real scale = 1 / (fabs##f(b.x) + fabs##f(b.y));                                      \
        const real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;         \
        const real d = 1 / (bx * bx + by * by);                                                    \
        return make_##complex((ax * bx + ay * by) * d, (ay * bx - ax * by) * d);                   \
    }                                                                                              \
    GMCUDA_BOTH real cuCabs##f(complex z)                                                          \
    {                                                                                              \
        const real x = fabs##f(z.x), y = fabs##f(z.y), large = x > y ? x : y,                      \
                   small = x > y ? y : x, r = large == 0 ? 0 : small / large;                      \
        return large == 0 || large > (real)1.7e308 ? x + y : large * sqrt##f(1 + r * r);           \
    }                                                                                              \
    GMCUDA_SAME(complex, cuCfma##f, (complex a, complex b, complex c),                             \
                make_##complex(a.x *b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y))
GMCUDA_COMPLEX(cuFloatComplex, float, f)
GMCUDA_COMPLEX(cuDoubleComplex, double, )
#undef GMCUDA_COMPLEX

GMCUDA_SAME(cuComplex, make_cuComplex, (float x, float y), make_cuFloatComplex(x, y))
GMCUDA_SAME(cuFloatComplex, cuComplexDoubleToFloat, (cuDoubleComplex z),
            make_cuFloatComplex((float)z.x, (float)z.y))
GMCUDA_SAME(cuDoubleComplex, cuComplexFloatToDouble, (cuFloatComplex z),
            make_cuDoubleComplex((double)z.x, (double)z.y))

#endif
