/* SPDX-License-Identifier: MIT
 *
 * curand_kernel.h - stands before cuRAND's, of which one part declares blockDim and threadIdx for the
 * host, with types that are not ours.
 */
#if __has_include_next(<curand_kernel.h>)
#define dim3  gmcuda_blockDim
#define uint3 gmcuda_threadIdx
#include <curand_mtgp32_kernel.h>
#undef dim3
#undef uint3
#include_next <curand_kernel.h>
#else
#error "cuRAND's headers are not here: gmcc --get-headers fetches them"
#endif
