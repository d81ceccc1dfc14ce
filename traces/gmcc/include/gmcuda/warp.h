/* SPDX-License-Identifier: MIT
 *
 * gmcuda/warp.h - barriers, fences, votes, shuffles and matches, clocks, and what a thread can ask
 * about addresses and itself. Anything that waits for other threads is convergent and volatile: the
 * compiler may neither move it past memory accesses nor into a branch.
 */
#ifndef GMCUDA_WARP_H
#define GMCUDA_WARP_H

#define GMCUDA_CONVERGENT GMCUDA_DEVICE __attribute__((convergent))

/* Barriers and fences are inline assembly that clobbers memory, not clang's builtins: LLVM 14 takes
 * it that an intrinsic cannot change a variable which only its own file can name, and moves loads
 * of __shared__ variables up across those. */
GMCUDA_CONVERGENT void __gmcuda_syncthreads(void)
{
    asm volatile("bar.sync 0;" ::: "memory");
}
#define __syncthreads() __gmcuda_syncthreads() /* that name is a builtin's */

#define GMCUDA_BARRIER(name, text)                                                                 \
    GMCUDA_CONVERGENT int name(int predicate)                                                      \
    {                                                                                              \
        int d;                                                                                     \
        asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.s32 p, %1, 0;\n\t" text "\n\t}"             \
                     : "=r"(d)                                                                     \
                     : "r"(predicate)                                                              \
                     : "memory");                                                                  \
        return d;                                                                                  \
    }
/* clang-format off */
GMCUDA_BARRIER(__syncthreads_count, "bar.red.popc.u32 %0, 0, p;")
GMCUDA_BARRIER(__syncthreads_and, "bar.red.and.pred q, 0, p;\n\tselp.s32 %0, 1, 0, q;")
GMCUDA_BARRIER(__syncthreads_or, "bar.red.or.pred q, 0, p;\n\tselp.s32 %0, 1, 0, q;")
/* clang-format on */
#undef GMCUDA_BARRIER

GMCUDA_CONVERGENT void __syncwarp(unsigned int mask = 0xffffffffu)
{
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
GMCUDA_CONVERGENT void __barrier_sync(unsigned int id)
{
    asm volatile("barrier.sync %0;" ::"r"(id) : "memory");
}
GMCUDA_CONVERGENT void __barrier_sync_count(unsigned int id, unsigned int count)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
GMCUDA_DEVICE void __threadfence_block(void)
{
    asm volatile("membar.cta;" ::: "memory");
}
GMCUDA_DEVICE void __threadfence(void)
{
    asm volatile("membar.gl;" ::: "memory");
}
GMCUDA_DEVICE void __threadfence_system(void)
{
    asm volatile("membar.sys;" ::: "memory");
}

GMCUDA_CONVERGENT int __all_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_all_sync(mask, predicate);
}
GMCUDA_CONVERGENT int __any_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_any_sync(mask, predicate);
}
GMCUDA_CONVERGENT int __uni_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_uni_sync(mask, predicate);
}
GMCUDA_CONVERGENT unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate);
}
GMCUDA_CONVERGENT unsigned int __activemask(void)
{
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

/* The third operand of shfl: where the lane's segment ends, and how wide segments are. */
#define GMCUDA_SEGMENT(width, clamp) ((32 - (width)) << 8 | (clamp))

#define GMCUDA_SHUFFLE(name, builtin, clamp, lane)                                                 \
    GMCUDA_CONVERGENT int name(unsigned int mask, int value, lane n, int width = 32)               \
    {                                                                                              \
        return builtin(mask, value, (int)n, GMCUDA_SEGMENT(width, clamp));                         \
    }                                                                                              \
    GMCUDA_CONVERGENT unsigned int name(unsigned int mask, unsigned int value, lane n,             \
                                        int width = 32)                                            \
    {                                                                                              \
        return (unsigned int)name(mask, (int)value, n, width);                                     \
    }                                                                                              \
    GMCUDA_CONVERGENT float name(unsigned int mask, float value, lane n, int width = 32)           \
    {                                                                                              \
        return __int_as_float(name(mask, __float_as_int(value), n, width));                        \
    }                                                                                              \
    GMCUDA_CONVERGENT unsigned long long name(unsigned int mask, unsigned long long value, lane n, \
                                              int width = 32)                                      \
    {                                                                                              \
        unsigned int low = name(mask, (unsigned int)value, n, width);                              \
        unsigned int high = name(mask, (unsigned int)(value >> 32), n, width);                     \
        return (unsigned long long)high << 32 | low;                                               \
    }                                                                                              \
    GMCUDA_CONVERGENT long long name(unsigned int mask, long long value, lane n, int width = 32)   \
    {                                                                                              \
        return (long long)name(mask, (unsigned long long)value, n, width);                         \
    }                                                                                              \
    GMCUDA_CONVERGENT unsigned long name(unsigned int mask, unsigned long value, lane n,           \
                                         int width = 32)                                           \
    {                                                                                              \
        return (unsigned long)name(mask, (unsigned long long)value, n, width);                     \
    }                                                                                              \
    GMCUDA_CONVERGENT long name(unsigned int mask, long value, lane n, int width = 32)             \
    {                                                                                              \
        return (long)name(mask, (unsigned long long)value, n, width);                              \
    }                                                                                              \
    GMCUDA_CONVERGENT double name(unsigned int mask, double value, lane n, int width = 32)         \
    {                                                                                              \
        return __longlong_as_double(name(mask, __double_as_longlong(value), n, width));            \
    }

/* clang-format off */
GMCUDA_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, 31, int)
GMCUDA_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, 0, unsigned int)
GMCUDA_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, 31, unsigned int)
GMCUDA_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, 31, int)
/* clang-format on */
#undef GMCUDA_SHUFFLE
#undef GMCUDA_SEGMENT

#define GMCUDA_MATCH(type, bits, letter, width)                                                    \
    GMCUDA_CONVERGENT unsigned int __match_any_sync(unsigned int mask, type value)                 \
    {                                                                                              \
        unsigned int same;                                                                         \
        asm volatile("match.any.sync." width " %0, %1, %2;"                                        \
                     : "=r"(same)                                                                  \
                     : letter(__builtin_bit_cast(bits, value)), "r"(mask));                        \
        return same;                                                                               \
    }                                                                                              \
    GMCUDA_CONVERGENT unsigned int __match_all_sync(unsigned int mask, type value, int *all)       \
    {                                                                                              \
        unsigned int same;                                                                         \
        int predicate;                                                                             \
        asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync." width " %0|p, %2, %3;\n\t"            \
                     "selp.s32 %1, 1, 0, p;\n\t}"                                                  \
                     : "=r"(same), "=r"(predicate)                                                 \
                     : letter(__builtin_bit_cast(bits, value)), "r"(mask));                        \
        *all = predicate;                                                                          \
        return same;                                                                               \
    }
/* clang-format off */
GMCUDA_MATCH(int, unsigned int, "r", "b32")
GMCUDA_MATCH(unsigned int, unsigned int, "r", "b32")
GMCUDA_MATCH(float, unsigned int, "r", "b32")
GMCUDA_MATCH(long, unsigned long long, "l", "b64")
GMCUDA_MATCH(unsigned long, unsigned long long, "l", "b64")
GMCUDA_MATCH(long long, unsigned long long, "l", "b64")
GMCUDA_MATCH(unsigned long long, unsigned long long, "l", "b64")
GMCUDA_MATCH(double, unsigned long long, "l", "b64")
/* clang-format on */
#undef GMCUDA_MATCH

#define GMCUDA_REDUCE(name, type, text)                                                            \
    GMCUDA_CONVERGENT type name(unsigned int mask, type value)                                     \
    {                                                                                              \
        type d;                                                                                    \
        asm volatile("redux.sync." text " %0, %1, %2;" : "=r"(d) : "r"(value), "r"(mask));         \
        return d;                                                                                  \
    }
/* clang-format off */
GMCUDA_REDUCE(__reduce_add_sync, int, "add.s32")
GMCUDA_REDUCE(__reduce_min_sync, int, "min.s32")
GMCUDA_REDUCE(__reduce_max_sync, int, "max.s32")
GMCUDA_REDUCE(__reduce_add_sync, unsigned int, "add.u32")
GMCUDA_REDUCE(__reduce_min_sync, unsigned int, "min.u32")
GMCUDA_REDUCE(__reduce_max_sync, unsigned int, "max.u32")
GMCUDA_REDUCE(__reduce_and_sync, unsigned int, "and.b32")
GMCUDA_REDUCE(__reduce_or_sync, unsigned int, "or.b32")
GMCUDA_REDUCE(__reduce_xor_sync, unsigned int, "xor.b32")
/* clang-format on */
#undef GMCUDA_REDUCE

GMCUDA_DEVICE long long clock64(void)
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}
/* glibc's clock() is the host's; this one belongs to kernels. */
GMCUDA_DEVICE long clock(void)
{
    int t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
GMCUDA_DEVICE unsigned long long __gmcuda_globaltimer(void)
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
GMCUDA_DEVICE void __nanosleep(unsigned int ns)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}
GMCUDA_DEVICE void __trap(void)
{
    asm volatile("trap;");
}
GMCUDA_DEVICE void __brkpt(void)
{
    asm volatile("brkpt;");
}
GMCUDA_DEVICE void __prof_trigger(int) {} /* nobody counts these */

#define GMCUDA_ADDRESS(space)                                                                      \
    GMCUDA_DEVICE unsigned long long __cvta_generic_to_##space(const void *p)                      \
    {                                                                                              \
        unsigned long long d;                                                                      \
        asm("cvta.to." #space ".u64 %0, %1;" : "=l"(d) : "l"(p));                                  \
        return d;                                                                                  \
    }                                                                                              \
    GMCUDA_DEVICE void *__cvta_##space##_to_generic(unsigned long long p)                          \
    {                                                                                              \
        void *d;                                                                                   \
        asm("cvta." #space ".u64 %0, %1;" : "=l"(d) : "l"(p));                                     \
        return d;                                                                                  \
    }
#define GMCUDA_IS(name, space)                                                                     \
    GMCUDA_DEVICE unsigned int name(const void *p)                                                 \
    {                                                                                              \
        unsigned int d;                                                                            \
        asm("{\n\t.reg .pred p;\n\tisspacep." space " p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}"        \
            : "=r"(d)                                                                              \
            : "l"(p));                                                                             \
        return d;                                                                                  \
    }
/* clang-format off */
GMCUDA_ADDRESS(global)
GMCUDA_ADDRESS(shared)
GMCUDA_ADDRESS(const)
GMCUDA_ADDRESS(local)
GMCUDA_IS(__isGlobal, "global")
GMCUDA_IS(__isShared, "shared")
GMCUDA_IS(__isConstant, "const")
GMCUDA_IS(__isLocal, "local")
/* clang-format on */
#undef GMCUDA_ADDRESS
#undef GMCUDA_IS
GMCUDA_DEVICE unsigned long long __cvta_generic_to_constant(const void *p)
{
    return __cvta_generic_to_const(p);
}

#endif
