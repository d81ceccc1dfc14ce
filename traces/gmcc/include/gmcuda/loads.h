/* SPDX-License-Identifier: MIT
 *
 * gmcuda/loads.h - loads and stores with a cache operator: __ldg, __ldca, __ldcg, __ldcs, __ldlu,
 * __ldcv, __stwb, __stcg, __stcs and __stwt of every scalar and vector type, one PTX instruction
 * each.
 */
#ifndef GMCUDA_LOADS_H
#define GMCUDA_LOADS_H

/* type: what the program names; part: what a register holds; rc: its constraint; ptx: its type. */
/* Loads of data that no one writes (nc) may be moved and merged; the others stay where they are. */
#define GMCUDA_MOVED_nc
#define GMCUDA_MOVED_ca volatile
#define GMCUDA_MOVED_cg volatile
#define GMCUDA_MOVED_cs volatile
#define GMCUDA_MOVED_lu volatile
#define GMCUDA_MOVED_cv volatile
#define GMCUDA_ORDERED_nc
#define GMCUDA_ORDERED_ca : "memory"
#define GMCUDA_ORDERED_cg : "memory"
#define GMCUDA_ORDERED_cs : "memory"
#define GMCUDA_ORDERED_lu : "memory"
#define GMCUDA_ORDERED_cv : "memory"

#define GMCUDA_LOAD1(name, op, type, part, rc, ptx)                                                \
    GMCUDA_DEVICE type name(const type *p)                                                         \
    {                                                                                              \
        part x;                                                                                    \
        asm GMCUDA_MOVED_##op("ld.global." #op "." ptx " %0, [%1];"                                \
                              : "=" rc(x)                                                          \
                              : "l"(__cvta_generic_to_global(p))GMCUDA_ORDERED_##op);              \
        return (type)x;                                                                            \
    }
#define GMCUDA_LOAD2(name, op, type, member, part, rc, ptx)                                        \
    GMCUDA_DEVICE type name(const type *p)                                                         \
    {                                                                                              \
        part x, y;                                                                                 \
        asm GMCUDA_MOVED_##op("ld.global." #op ".v2." ptx " {%0, %1}, [%2];"                       \
                              : "=" rc(x), "=" rc(y)                                               \
                              : "l"(__cvta_generic_to_global(p))GMCUDA_ORDERED_##op);              \
        return type{(member)x, (member)y};                                                         \
    }
#define GMCUDA_LOAD4(name, op, type, member, part, rc, ptx)                                        \
    GMCUDA_DEVICE type name(const type *p)                                                         \
    {                                                                                              \
        part x, y, z, w;                                                                           \
        asm GMCUDA_MOVED_##op("ld.global." #op ".v4." ptx " {%0, %1, %2, %3}, [%4];"               \
                              : "=" rc(x), "=" rc(y), "=" rc(z), "=" rc(w)                         \
                              : "l"(__cvta_generic_to_global(p))GMCUDA_ORDERED_##op);              \
        return type{(member)x, (member)y, (member)z, (member)w};                                   \
    }
#define GMCUDA_STORE1(name, op, type, part, rc, ptx)                                               \
    GMCUDA_DEVICE void name(type *p, type v)                                                       \
    {                                                                                              \
        asm volatile("st.global." #op "." ptx " [%0], %1;" ::"l"(__cvta_generic_to_global(p)),     \
                     rc((part)v)                                                                   \
                     : "memory");                                                                  \
    }
#define GMCUDA_STORE2(name, op, type, member, part, rc, ptx)                                       \
    GMCUDA_DEVICE void name(type *p, type v)                                                       \
    {                                                                                              \
        asm volatile("st.global." #op ".v2." ptx                                                   \
                     " [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)),                        \
                     rc((part)v.x), rc((part)v.y)                                                  \
                     : "memory");                                                                  \
    }
#define GMCUDA_STORE4(name, op, type, member, part, rc, ptx)                                       \
    GMCUDA_DEVICE void name(type *p, type v)                                                       \
    {                                                                                              \
        asm volatile("st.global." #op ".v4." ptx                                                   \
                     " [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)),                \
                     rc((part)v.x), rc((part)v.y), rc((part)v.z), rc((part)v.w)                    \
                     : "memory");                                                                  \
    }

/* PTX holds bytes in 16-bit registers. */
#define GMCUDA_ALL(ONE, TWO, FOUR, name, op)                                                       \
    ONE(name, op, char, short, "h", "s8")                                                          \
    ONE(name, op, signed char, short, "h", "s8")                                                   \
    ONE(name, op, unsigned char, unsigned short, "h", "u8")                                        \
    ONE(name, op, short, short, "h", "s16")                                                        \
    ONE(name, op, unsigned short, unsigned short, "h", "u16")                                      \
    ONE(name, op, int, int, "r", "s32")                                                            \
    ONE(name, op, unsigned int, unsigned int, "r", "u32")                                          \
    ONE(name, op, long, long, "l", "s64")                                                          \
    ONE(name, op, unsigned long, unsigned long, "l", "u64")                                        \
    ONE(name, op, long long, long long, "l", "s64")                                                \
    ONE(name, op, unsigned long long, unsigned long long, "l", "u64")                              \
    ONE(name, op, float, float, "f", "f32")                                                        \
    ONE(name, op, double, double, "d", "f64")                                                      \
    TWO(name, op, char2, signed char, short, "h", "s8")                                            \
    TWO(name, op, uchar2, unsigned char, unsigned short, "h", "u8")                                \
    TWO(name, op, short2, short, short, "h", "s16")                                                \
    TWO(name, op, ushort2, unsigned short, unsigned short, "h", "u16")                             \
    TWO(name, op, int2, int, int, "r", "s32")                                                      \
    TWO(name, op, uint2, unsigned int, unsigned int, "r", "u32")                                   \
    TWO(name, op, longlong2, long long, long long, "l", "s64")                                     \
    TWO(name, op, ulonglong2, unsigned long long, unsigned long long, "l", "u64")                  \
    TWO(name, op, float2, float, float, "f", "f32")                                                \
    TWO(name, op, double2, double, double, "d", "f64")                                             \
    FOUR(name, op, char4, signed char, short, "h", "s8")                                           \
    FOUR(name, op, uchar4, unsigned char, unsigned short, "h", "u8")                               \
    FOUR(name, op, short4, short, short, "h", "s16")                                               \
    FOUR(name, op, ushort4, unsigned short, unsigned short, "h", "u16")                            \
    FOUR(name, op, int4, int, int, "r", "s32")                                                     \
    FOUR(name, op, uint4, unsigned int, unsigned int, "r", "u32")                                  \
    FOUR(name, op, float4, float, float, "f", "f32")

/* clang-format off */
GMCUDA_ALL(GMCUDA_LOAD1, GMCUDA_LOAD2, GMCUDA_LOAD4, __ldg, nc)
GMCUDA_ALL(GMCUDA_LOAD1, GMCUDA_LOAD2, GMCUDA_LOAD4, __ldca, ca)
GMCUDA_ALL(GMCUDA_LOAD1, GMCUDA_LOAD2, GMCUDA_LOAD4, __ldcg, cg)
GMCUDA_ALL(GMCUDA_LOAD1, GMCUDA_LOAD2, GMCUDA_LOAD4, __ldcs, cs)
GMCUDA_ALL(GMCUDA_LOAD1, GMCUDA_LOAD2, GMCUDA_LOAD4, __ldlu, lu)
GMCUDA_ALL(GMCUDA_LOAD1, GMCUDA_LOAD2, GMCUDA_LOAD4, __ldcv, cv)
GMCUDA_ALL(GMCUDA_STORE1, GMCUDA_STORE2, GMCUDA_STORE4, __stwb, wb)
GMCUDA_ALL(GMCUDA_STORE1, GMCUDA_STORE2, GMCUDA_STORE4, __stcg, cg)
GMCUDA_ALL(GMCUDA_STORE1, GMCUDA_STORE2, GMCUDA_STORE4, __stcs, cs)
GMCUDA_ALL(GMCUDA_STORE1, GMCUDA_STORE2, GMCUDA_STORE4, __stwt, wt)
/* clang-format on */
#undef GMCUDA_ALL
#undef GMCUDA_LOAD1
#undef GMCUDA_LOAD2
#undef GMCUDA_LOAD4
#undef GMCUDA_STORE1
#undef GMCUDA_STORE2
#undef GMCUDA_STORE4

#endif
