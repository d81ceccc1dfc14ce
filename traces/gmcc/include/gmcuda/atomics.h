/* SPDX-License-Identifier: MIT
 *
 * gmcuda/atomics.h - atomic functions. They are written as clang's own atomic operations, so that
 * the compiler sees which memory an address lies in and names it (atom.global, atom.shared). An
 * exchange is volatile: one whose result is not used would become a store, which nvcc does not do.
 *
 * The scope in a name (_block, _system) changes nothing here: no cache model tells them apart.
 */
#ifndef GMCUDA_ATOMICS_H
#define GMCUDA_ATOMICS_H

#define GMCUDA_ATOMIC(name, type, expression)                                                      \
    GMCUDA_DEVICE type name(type *address, type value)                                             \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    GMCUDA_DEVICE type name##_block(type *address, type value)                                     \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    GMCUDA_DEVICE type name##_system(type *address, type value)                                    \
    {                                                                                              \
        return expression;                                                                         \
    }

#define GMCUDA_FETCH(operation) __atomic_fetch_##operation(address, value, __ATOMIC_RELAXED)

/* Integers of both sizes. */
#define GMCUDA_ATOMIC_INTEGERS(type)                                                               \
    GMCUDA_ATOMIC(atomicAnd, type, GMCUDA_FETCH(and))                                              \
    GMCUDA_ATOMIC(atomicOr, type, GMCUDA_FETCH(or))                                                \
    GMCUDA_ATOMIC(atomicXor, type, GMCUDA_FETCH(xor))                                              \
    GMCUDA_ATOMIC(atomicMin, type, GMCUDA_FETCH(min))                                              \
    GMCUDA_ATOMIC(atomicMax, type, GMCUDA_FETCH(max))                                              \
    GMCUDA_ATOMIC(atomicExch, type,                                                                \
                  __atomic_exchange_n((volatile type *)address, value, __ATOMIC_RELAXED))          \
    GMCUDA_ATOMIC_CAS(atomicCAS, type)                                                             \
    GMCUDA_ATOMIC_CAS(atomicCAS_block, type)                                                       \
    GMCUDA_ATOMIC_CAS(atomicCAS_system, type)

#define GMCUDA_ATOMIC_CAS(name, type)                                                              \
    GMCUDA_DEVICE type name(type *address, type compare, type value)                               \
    {                                                                                              \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED,             \
                                    __ATOMIC_RELAXED);                                             \
        return compare;                                                                            \
    }

/* clang-format off */
GMCUDA_ATOMIC_INTEGERS(int)
GMCUDA_ATOMIC_INTEGERS(unsigned int)
GMCUDA_ATOMIC_INTEGERS(unsigned long long)
GMCUDA_ATOMIC(atomicMin, long long, GMCUDA_FETCH(min))
GMCUDA_ATOMIC(atomicMax, long long, GMCUDA_FETCH(max))
GMCUDA_ATOMIC(atomicAdd, int, GMCUDA_FETCH(add))
GMCUDA_ATOMIC(atomicAdd, unsigned int, GMCUDA_FETCH(add))
GMCUDA_ATOMIC(atomicAdd, unsigned long long, GMCUDA_FETCH(add))
GMCUDA_ATOMIC(atomicSub, int, GMCUDA_FETCH(sub))
GMCUDA_ATOMIC(atomicSub, unsigned int, GMCUDA_FETCH(sub))
GMCUDA_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f(address, value))
GMCUDA_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d(address, value))
GMCUDA_ATOMIC(atomicInc, unsigned int, __nvvm_atom_inc_gen_ui(address, value))
GMCUDA_ATOMIC(atomicDec, unsigned int, __nvvm_atom_dec_gen_ui(address, value))
GMCUDA_ATOMIC(atomicExch, float, __int_as_float(atomicExch((int *)address, __float_as_int(value))))
/* clang-format on */
/* LLVM 14 has no instruction for this where it knows the address to be global. */
GMCUDA_DEVICE unsigned short atomicCAS(unsigned short *address, unsigned short compare,
                                       unsigned short value)
{
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
                 : "=h"(old)
                 : "l"(address), "h"(compare), "h"(value)
                 : "memory");
    return old;
}
#undef GMCUDA_ATOMIC
#undef GMCUDA_FETCH
#undef GMCUDA_ATOMIC_INTEGERS
#undef GMCUDA_ATOMIC_CAS

#endif
