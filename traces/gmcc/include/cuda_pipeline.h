/* SPDX-License-Identifier: MIT
 *
 * cuda_pipeline.h - asynchronous copies. Left out: the C++ interface in nvcuda::experimental.
 */
#ifndef GMCUDA_CUDA_PIPELINE_H
#define GMCUDA_CUDA_PIPELINE_H

#include "cuda_pipeline_primitives.h"

#endif
