/* SPDX-License-Identifier: MIT
 *
 * cuda_profiler_api.h - cudaProfilerStart() and cudaProfilerStop(), which do nothing here.
 */
#include "cuda_runtime_api.h"
