/* SPDX-License-Identifier: MIT
 *
 * gmcuda/attributes.h - the words CUDA adds to C++, as clang's attributes. In C, and in C++ that is
 * not compiled as CUDA, they mean nothing.
 */
#ifndef GMCUDA_ATTRIBUTES_H
#define GMCUDA_ATTRIBUTES_H

/* Where NVIDIA's headers are installed too, a library's header may name them: they have been read,
 * then, as far as anything here is concerned. */
#define __HOST_DEFINES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
/* Nor does libcu++ need to compare the version of its cuda.h with ours. */
#define CCCL_DISABLE_CTK_COMPATIBILITY_CHECK
#define CCCL_DISABLE_NVTX /* nobody would listen */

#if defined(__CUDA__) && defined(__clang__)
#define __host__               __attribute__((host))
#define __device__             __attribute__((device))
#define __global__             __attribute__((global))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
/* gmcc looks for the section in what clang makes of the kernels. */
#define __managed__            __attribute__((device, section("gmcuda_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...)  _Pragma("GCC error \"clusters of CTAs are not supported\"")
/* Parameters live in constant memory either way; __grid_constant__ only promises not to copy. */
#define __grid_constant__
#else
#define __host__
#define __device__
#endif

#define __forceinline__      __inline__ __attribute__((always_inline))
#define __noinline__         __attribute__((noinline))
#define __align__(n)         __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDART_CB
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END

#if defined(__cplusplus) && defined(__CUDA__)
/* Everything our headers define for kernels: gone unless it is used. Without debug information of
 * its own, so that what it does counts for the line that called it. */
#define GMCUDA_DEVICE   static __inline__ __attribute__((always_inline, nodebug)) __device__
#define GMCUDA_FUNCTION static __inline__ __attribute__((nodebug)) __device__
/* Vector types and their constructors serve both sides. */
#define GMCUDA_BOTH static __inline__ __attribute__((nodebug)) __host__ __device__
#else
#define GMCUDA_BOTH static __inline__
#endif
#if defined(__cplusplus) && defined(__CUDA__)
/* Room of a shared variable whose constructor nobody calls: as_nvcc.awk writes it. */
template <typename T> struct __gmcuda_room {
    alignas(T) unsigned char bytes[sizeof(T)];
    __device__ __attribute__((always_inline, nodebug)) T &get()
    {
        return *reinterpret_cast<T *>(bytes);
    }
};
#endif
/* A name that CUDA gives to an expression, on both sides. */
#define GMCUDA_SAME(result, name, parameters, value)                                               \
    GMCUDA_BOTH result name parameters                                                             \
    {                                                                                              \
        return value;                                                                              \
    }

#endif
