/* SPDX-License-Identifier: MIT
 *
 * vector_types.h - char1 to double4, with the sizes and alignments that CUDA gives them (they
 * decide whether a load is one vector instruction), and dim3.
 */
#ifndef GMCUDA_VECTOR_TYPES_H
#define GMCUDA_VECTOR_TYPES_H

#include "gmcuda/attributes.h"

/* Members of one type, and the alignments of 2 and 4 of them (3 have their element's). */
#define GMCUDA_VECTORS(name, type, align2, align4)                                                 \
    struct name##1                                                                                 \
    {                                                                                              \
        type x;                                                                                    \
    };                                                                                             \
    struct __align__(align2) name##2                                                               \
    {                                                                                              \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __align__(align4) name##4                                                               \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4;

/* clang-format off */
GMCUDA_VECTORS(char, signed char, 2, 4)
GMCUDA_VECTORS(uchar, unsigned char, 2, 4)
GMCUDA_VECTORS(short, short, 4, 8)
GMCUDA_VECTORS(ushort, unsigned short, 4, 8)
GMCUDA_VECTORS(int, int, 8, 16)
GMCUDA_VECTORS(uint, unsigned int, 8, 16)
GMCUDA_VECTORS(long, long, 16, 16)
GMCUDA_VECTORS(ulong, unsigned long, 16, 16)
GMCUDA_VECTORS(longlong, long long, 16, 16)
GMCUDA_VECTORS(ulonglong, unsigned long long, 16, 16)
GMCUDA_VECTORS(float, float, 8, 16)
GMCUDA_VECTORS(double, double, 16, 16)
/* clang-format on */
/* CUDA 13's names of an alignment of 16 bytes and of 32. */
#define GMCUDA_ALIGNED4(name, type)                                                                \
    typedef struct __align__(16) name##4_16a                                                       \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    }                                                                                              \
    name##4_16a;                                                                                   \
    typedef struct __align__(32) name##4_32a                                                       \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    }                                                                                              \
    name##4_32a;
/* clang-format off */
GMCUDA_ALIGNED4(long, long)
GMCUDA_ALIGNED4(ulong, unsigned long)
GMCUDA_ALIGNED4(longlong, long long)
GMCUDA_ALIGNED4(ulonglong, unsigned long long)
GMCUDA_ALIGNED4(double, double)
/* clang-format on */
#undef GMCUDA_ALIGNED4

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
                                       unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
#endif
};
typedef struct dim3 dim3;

#endif
