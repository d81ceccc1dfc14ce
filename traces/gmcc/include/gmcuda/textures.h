/* SPDX-License-Identifier: MIT
 *
 * gmcuda/textures.h - reads of textures and accesses to surfaces: tex1Dfetch, tex1D, tex2D, tex3D
 * and the layered ones; surf1D..surf3D, read and write, and the layered ones. One PTX instruction
 * each. Left out: mipmaps, gathers, cube maps, texture references.
 */
#ifndef GMCUDA_TEXTURES_H
#define GMCUDA_TEXTURES_H

#define GMCUDA_LIST(...) __VA_ARGS__

/* ------------------------------------------------------------------------------------- textures */

/* Four channels as registers hold them, and what a type takes of them. */
struct gmcuda_texels {
    unsigned int x, y, z, w;
};
template <typename T> struct gmcuda_texel;
#define GMCUDA_TEXEL(type, result, ...)                                                            \
    template <> struct gmcuda_texel<type> {                                                        \
        static constexpr char kind = result;                                                       \
        using itself = type;                                                                       \
        static __inline__ __attribute__((always_inline, nodebug)) __device__ type                  \
        of(gmcuda_texels t)                                                                        \
        {                                                                                          \
            return itself{__VA_ARGS__};                                                            \
        }                                                                                          \
    };
#define GMCUDA_TEXELS(name, one, result, AS)                                                       \
    GMCUDA_TEXEL(one, result, AS(one, t.x))                                                        \
    GMCUDA_TEXEL(name##1, result, AS(one, t.x))                                                    \
    GMCUDA_TEXEL(name##2, result, AS(one, t.x), AS(one, t.y))                                      \
    GMCUDA_TEXEL(name##4, result, AS(one, t.x), AS(one, t.y), AS(one, t.z), AS(one, t.w))
#define GMCUDA_AS_INTEGER(type, v) (type)(v)
#define GMCUDA_AS_FLOAT(type, v)   __uint_as_float(v)
/* clang-format off */
GMCUDA_TEXEL(char, 's', (char)t.x)
GMCUDA_TEXELS(char, signed char, 's', GMCUDA_AS_INTEGER)
GMCUDA_TEXELS(uchar, unsigned char, 'u', GMCUDA_AS_INTEGER)
GMCUDA_TEXELS(short, short, 's', GMCUDA_AS_INTEGER)
GMCUDA_TEXELS(ushort, unsigned short, 'u', GMCUDA_AS_INTEGER)
GMCUDA_TEXELS(int, int, 's', GMCUDA_AS_INTEGER)
GMCUDA_TEXELS(uint, unsigned int, 'u', GMCUDA_AS_INTEGER)
GMCUDA_TEXELS(float, float, 'f', GMCUDA_AS_FLOAT)
/* clang-format on */
#undef GMCUDA_TEXEL
#undef GMCUDA_TEXELS
#undef GMCUDA_AS_INTEGER
#undef GMCUDA_AS_FLOAT

#define GMCUDA_TEX_ASM(geometry, type, from, where, ...)                                           \
    asm("tex." geometry ".v4." type "." from " {%0, %1, %2, %3}, [%4, " where "];"                 \
        : "=r"(t.x), "=r"(t.y), "=r"(t.z), "=r"(t.w)                                               \
        : "l"(object), __VA_ARGS__)
/* name<T>(object, coordinates), and name(&result, object, coordinates). */
#define GMCUDA_TEX(name, geometry, from, where, parameters, names, ...)                            \
    template <typename T> GMCUDA_DEVICE T name(cudaTextureObject_t object, GMCUDA_LIST parameters) \
    {                                                                                              \
        gmcuda_texels t;                                                                           \
        if (gmcuda_texel<T>::kind == 'f')                                                          \
            GMCUDA_TEX_ASM(geometry, "f32", from, where, __VA_ARGS__);                             \
        else if (gmcuda_texel<T>::kind == 's')                                                     \
            GMCUDA_TEX_ASM(geometry, "s32", from, where, __VA_ARGS__);                             \
        else                                                                                       \
            GMCUDA_TEX_ASM(geometry, "u32", from, where, __VA_ARGS__);                             \
        return gmcuda_texel<T>::of(t);                                                             \
    }                                                                                              \
    template <typename T>                                                                          \
    GMCUDA_DEVICE void name(T *result, cudaTextureObject_t object, GMCUDA_LIST parameters)         \
    {                                                                                              \
        *result = name<T>(object, GMCUDA_LIST names);                                              \
    }
/* clang-format off */
GMCUDA_TEX(tex1Dfetch, "1d", "s32", "{%5}", (int x), (x), "r"(x))
GMCUDA_TEX(tex1D, "1d", "f32", "{%5}", (float x), (x), "f"(x))
GMCUDA_TEX(tex2D, "2d", "f32", "{%5, %6}", (float x, float y), (x, y), "f"(x), "f"(y))
GMCUDA_TEX(tex3D, "3d", "f32", "{%5, %6, %7, %7}", (float x, float y, float z), (x, y, z),
           "f"(x), "f"(y), "f"(z))
GMCUDA_TEX(tex1DLayered, "a1d", "f32", "{%5, %6}", (float x, int layer), (x, layer),
           "r"(layer), "f"(x))
GMCUDA_TEX(tex2DLayered, "a2d", "f32", "{%5, %6, %7, %7}", (float x, float y, int layer),
           (x, y, layer), "r"(layer), "f"(x), "f"(y))
/* clang-format on */
#undef GMCUDA_TEX
#undef GMCUDA_TEX_ASM

/* ------------------------------------------------------------------------------------- surfaces */

/* x counts bytes. An element moves as one word, or as two of 64 bits; %1 is the second one. */
#define GMCUDA_SULD(geometry, bits, outside, where, reg, rc, ...)                                  \
    {                                                                                              \
        reg v[2];                                                                                  \
        asm volatile("suld.b." geometry "." bits "." outside " %0, [%2, " where "];"               \
                     : "=" rc(v[0]), "=" rc(v[1])                                                  \
                     : "l"(object), __VA_ARGS__                                                    \
                     : "memory");                                                                  \
        __builtin_memcpy(&value, v, sizeof(T));                                                    \
    }
#define GMCUDA_SUST(geometry, bits, outside, where, reg, rc, ...)                                  \
    {                                                                                              \
        reg v[2] = {};                                                                             \
        __builtin_memcpy(v, &value, sizeof(T));                                                    \
        asm volatile("sust.b." geometry "." bits "." outside " [%2, " where "], %0;" ::rc(v[0]),   \
                     rc(v[1]), "l"(object), __VA_ARGS__                                            \
                     : "memory");                                                                  \
    }
#define GMCUDA_SULD2(geometry, outside, where, ...)                                                \
    {                                                                                              \
        unsigned long long v[2];                                                                   \
        asm volatile("suld.b." geometry ".v2.b64." outside " {%0, %1}, [%2, " where "];"           \
                     : "=l"(v[0]), "=l"(v[1])                                                      \
                     : "l"(object), __VA_ARGS__                                                    \
                     : "memory");                                                                  \
        __builtin_memcpy(&value, v, sizeof(T));                                                    \
    }
#define GMCUDA_SUST2(geometry, outside, where, ...)                                                \
    {                                                                                              \
        unsigned long long v[2];                                                                   \
        __builtin_memcpy(v, &value, sizeof(T));                                                    \
        asm volatile("sust.b." geometry ".v2.b64." outside " [%2, " where                          \
                     "], {%0, %1};" ::"l"(v[0]),                                                   \
                     "l"(v[1]), "l"(object), __VA_ARGS__                                           \
                     : "memory");                                                                  \
    }
#define GMCUDA_SIZES(OP, geometry, outside, where, ...)                                            \
    if (sizeof(T) == 1)                                                                            \
        OP(geometry, "b8", outside, where, unsigned short, "h", __VA_ARGS__)                       \
    else if (sizeof(T) == 2)                                                                       \
        OP(geometry, "b16", outside, where, unsigned short, "h", __VA_ARGS__)                      \
    else if (sizeof(T) == 4)                                                                       \
        OP(geometry, "b32", outside, where, unsigned int, "r", __VA_ARGS__)                        \
    else if (sizeof(T) == 8)                                                                       \
        OP(geometry, "b64", outside, where, unsigned long long, "l", __VA_ARGS__)                  \
    else                                                                                           \
        OP##2(geometry, outside, where, __VA_ARGS__)
#define GMCUDA_OUTSIDE(OP, geometry, where, ...)                                                   \
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0,                           \
                  "surfaces have elements of 1, 2, 4, 8 or 16 bytes");                             \
    if (mode == cudaBoundaryModeTrap) {                                                            \
        GMCUDA_SIZES(OP, geometry, "trap", where, __VA_ARGS__)                                     \
    } else if (mode == cudaBoundaryModeClamp) {                                                    \
        GMCUDA_SIZES(OP, geometry, "clamp", where, __VA_ARGS__)                                    \
    } else {                                                                                       \
        GMCUDA_SIZES(OP, geometry, "zero", where, __VA_ARGS__)                                     \
    }
#define GMCUDA_SURFACE(name, geometry, where, parameters, names, ...)                              \
    template <typename T>                                                                          \
    GMCUDA_DEVICE T name##read(cudaSurfaceObject_t object, GMCUDA_LIST parameters,                 \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                \
    {                                                                                              \
        T value;                                                                                   \
        GMCUDA_OUTSIDE(GMCUDA_SULD, geometry, where, __VA_ARGS__)                                  \
        return value;                                                                              \
    }                                                                                              \
    template <typename T>                                                                          \
    GMCUDA_DEVICE void name##read(T *result, cudaSurfaceObject_t object, GMCUDA_LIST parameters,   \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)             \
    {                                                                                              \
        *result = name##read<T>(object, GMCUDA_LIST names, mode);                                  \
    }                                                                                              \
    template <typename T>                                                                          \
    GMCUDA_DEVICE void name##write(T value, cudaSurfaceObject_t object, GMCUDA_LIST parameters,    \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)            \
    {                                                                                              \
        GMCUDA_OUTSIDE(GMCUDA_SUST, geometry, where, __VA_ARGS__)                                  \
    }
/* clang-format off */
GMCUDA_SURFACE(surf1D, "1d", "{%3}", (int x), (x), "r"(x))
GMCUDA_SURFACE(surf2D, "2d", "{%3, %4}", (int x, int y), (x, y), "r"(x), "r"(y))
GMCUDA_SURFACE(surf3D, "3d", "{%3, %4, %5, %5}", (int x, int y, int z), (x, y, z),
               "r"(x), "r"(y), "r"(z))
GMCUDA_SURFACE(surf1DLayered, "a1d", "{%3, %4}", (int x, int layer), (x, layer),
               "r"(layer), "r"(x))
GMCUDA_SURFACE(surf2DLayered, "a2d", "{%3, %4, %5, %5}", (int x, int y, int layer), (x, y, layer),
               "r"(layer), "r"(x), "r"(y))
/* clang-format on */
#undef GMCUDA_SULD
#undef GMCUDA_SULD2
#undef GMCUDA_SUST
#undef GMCUDA_SUST2
#undef GMCUDA_SIZES
#undef GMCUDA_OUTSIDE
#undef GMCUDA_SURFACE
#undef GMCUDA_LIST

#endif
