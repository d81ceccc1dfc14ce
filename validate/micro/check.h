/* SPDX-License-Identifier: MIT
 *
 * check.h - every CUDA call of a microbenchmark is checked: it ends with place and reason.
 */
#ifndef GMSIM_MICRO_CHECK_H
#define GMSIM_MICRO_CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define MICRO_CUDA(call)                                                                           \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#endif
