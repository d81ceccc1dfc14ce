/* SPDX-License-Identifier: MIT
 *
 * gmcuda/builtins.h - threadIdx, blockIdx, blockDim, gridDim and warpSize, and the functions that
 * live in the interpreter: printf, assert, malloc and free of kernels.
 */
#ifndef GMCUDA_BUILTINS_H
#define GMCUDA_BUILTINS_H

#define GMCUDA_FIELD(field, builtin)                                                               \
    __declspec(property(get = gmcuda_##field)) unsigned int field;                                 \
    GMCUDA_DEVICE unsigned int gmcuda_##field(void)                                                \
    {                                                                                              \
        return builtin;                                                                            \
    }
/* A read of a member reads a special register; the whole converts to uint3 and dim3. */
#define GMCUDA_BUILTIN(name, sreg)                                                                 \
    struct gmcuda_##name {                                                                         \
        GMCUDA_FIELD(x, __nvvm_read_ptx_sreg_##sreg##_x())                                         \
        GMCUDA_FIELD(y, __nvvm_read_ptx_sreg_##sreg##_y())                                         \
        GMCUDA_FIELD(z, __nvvm_read_ptx_sreg_##sreg##_z())                                         \
        __attribute__((nodebug)) __device__ operator uint3() const { return uint3{x, y, z}; }      \
        __attribute__((nodebug)) __device__ operator dim3() const { return dim3(x, y, z); }        \
        __device__ gmcuda_##name() = delete;                                                       \
        __device__ gmcuda_##name(const gmcuda_##name &) = delete;                                  \
    };                                                                                             \
    extern const __device__ __attribute__((weak)) gmcuda_##name name;
/* clang-format off */
GMCUDA_BUILTIN(threadIdx, tid)
GMCUDA_BUILTIN(blockIdx, ctaid)
GMCUDA_BUILTIN(blockDim, ntid)
GMCUDA_BUILTIN(gridDim, nctaid)
/* clang-format on */
#undef GMCUDA_BUILTIN
#undef GMCUDA_FIELD
__device__ const int warpSize = 32;

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...); /* clang turns it into vprintf */
__device__ void *malloc(size_t bytes);
__device__ void free(void *block) __attribute__((nothrow));
__device__ void __assertfail(const char *assertion, const char *file, unsigned int line,
                             const char *function, size_t char_size);
/* What glibc's assert() calls. */
GMCUDA_FUNCTION void __assert_fail(const char *assertion, const char *file, unsigned int line,
                                   const char *function)
{
    __assertfail(assertion, file, line, function, sizeof(char));
}
}

GMCUDA_DEVICE void *memcpy(void *to, const void *from, size_t bytes)
{
    return __builtin_memcpy(to, from, bytes);
}
GMCUDA_DEVICE void *memmove(void *to, const void *from, size_t bytes)
{
    return __builtin_memmove(to, from, bytes);
}
GMCUDA_DEVICE void *memset(void *to, int value, size_t bytes)
{
    return __builtin_memset(to, value, bytes);
}

#endif
