/* SPDX-License-Identifier: MIT
 *
 * cuda_runtime.h - the CUDA C++ language and runtime as gmcc knows them. gmcc reads this file first
 * in every .cu file, as nvcc reads its own. Kernels compile to PTX, which libgmcuda interprets.
 *
 * Left out: texture references, dynamic parallelism, clusters.
 */
#ifndef GMCUDA_CUDA_RUNTIME_H
#define GMCUDA_CUDA_RUNTIME_H

/* The compiler's version, for programs that ask. */
#ifdef __CUDACC__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif

#include "gmcuda/attributes.h"
#include "vector_types.h"
#if defined(__CUDA__) && defined(__cplusplus)
#include "gmcuda/math_declare.h" /* before any header of the C++ library */
#include <cfloat>
#include <climits>
#include <cstdio>
#include <math.h> /* the C++ library's: <cmath>, and its names without std:: */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <type_traits>
#include <utility>
#endif
#include "cuda_runtime_api.h"
#include "library_types.h"
#ifdef __cplusplus
#include "vector_functions.h"
#include "gmcuda/launch.h"
#endif
#if defined(__CUDA__) && defined(__cplusplus)
#include "gmcuda/builtins.h"
#include <new> /* clang adds to it what kernels have, on malloc() and free() */
#include "gmcuda/bits.h"
#include "gmcuda/simd.h"
#include "gmcuda/warp.h"
#include "gmcuda/loads.h"
#include "gmcuda/atomics.h"
#include "gmcuda/textures.h"
#include "gmcuda/arithmetic.h"
#include "gmcuda/math_double.h"
#include "gmcuda/math_double_rest.h"
#include "gmcuda/math_float.h"
#include "gmcuda/math_overloads.h"
#include "gmcuda/math_inverse.h"
#endif

#endif
