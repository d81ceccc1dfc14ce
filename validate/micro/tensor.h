/* SPDX-License-Identifier: MIT
 *
 * tensor.h - the driver's function that makes tensor maps, found at run time: microbenchmarks do
 * not link the driver.
 */
#ifndef GMSIM_MICRO_TENSOR_H
#define GMSIM_MICRO_TENSOR_H

#include "validate/micro/check.h"
#include <cuda.h>

static inline decltype(&cuTensorMapEncodeTiled) micro_tensor_encoder()
{
    void *found = NULL;
    cudaDriverEntryPointQueryResult how;
    MICRO_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                                cudaEnableDefault, &how));
    if (!found) {
        fprintf(stderr, "this driver has no tensor maps\n");
        exit(1);
    }
    return (decltype(&cuTensorMapEncodeTiled))found;
}

#endif
