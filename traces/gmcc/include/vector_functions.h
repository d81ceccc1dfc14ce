/* SPDX-License-Identifier: MIT
 *
 * vector_functions.h - make_char1() to make_double4().
 */
#ifndef GMCUDA_VECTOR_FUNCTIONS_H
#define GMCUDA_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define GMCUDA_MAKE(name, type)                                                                    \
    GMCUDA_BOTH name##1 make_##name##1(type x)                                                     \
    {                                                                                              \
        return name##1 {x};                                                                        \
    }                                                                                              \
    GMCUDA_BOTH name##2 make_##name##2(type x, type y)                                             \
    {                                                                                              \
        return name##2 {x, y};                                                                     \
    }                                                                                              \
    GMCUDA_BOTH name##3 make_##name##3(type x, type y, type z)                                     \
    {                                                                                              \
        return name##3 {x, y, z};                                                                  \
    }                                                                                              \
    GMCUDA_BOTH name##4 make_##name##4(type x, type y, type z, type w)                             \
    {                                                                                              \
        return name##4 {x, y, z, w};                                                               \
    }

/* clang-format off */
GMCUDA_MAKE(char, signed char)
GMCUDA_MAKE(uchar, unsigned char)
GMCUDA_MAKE(short, short)
GMCUDA_MAKE(ushort, unsigned short)
GMCUDA_MAKE(int, int)
GMCUDA_MAKE(uint, unsigned int)
GMCUDA_MAKE(long, long)
GMCUDA_MAKE(ulong, unsigned long)
GMCUDA_MAKE(longlong, long long)
GMCUDA_MAKE(ulonglong, unsigned long long)
GMCUDA_MAKE(float, float)
GMCUDA_MAKE(double, double)
/* clang-format on */
#undef GMCUDA_MAKE

/* What else programs make of parts. */
#include "driver_types.h"
GMCUDA_BOTH cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t x, size_t y)
{
    return cudaPitchedPtr{pointer, pitch, x, y};
}
GMCUDA_BOTH cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return cudaExtent{width, height, depth};
}
GMCUDA_BOTH cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return cudaPos{x, y, z};
}

#endif
