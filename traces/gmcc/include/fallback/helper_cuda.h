/* SPDX-License-Identifier: MIT
 *
 * helper_cuda.h - what programs take from the helpers of NVIDIA's samples where those are not at
 * hand: checks of errors and the choice of a device.
 */
#ifndef GMCUDA_HELPER_CUDA_H
#define GMCUDA_HELPER_CUDA_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#define checkCudaErrors(call) gmcuda_helper_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message)                                                                  \
    gmcuda_helper_check(cudaGetLastError(), message, __FILE__, __LINE__)
#define printLastCudaError(message)                                                                \
    gmcuda_helper_say(cudaGetLastError(), message, __FILE__, __LINE__)

static inline int gmcuda_helper_say(cudaError_t error, const char *what, const char *file, int line)
{
    if (error != cudaSuccess)
        fprintf(stderr, "%s:%d: %s: %s (%d)\n", file, line, what, cudaGetErrorName(error),
                (int)error);
    return error != cudaSuccess;
}
static inline void gmcuda_helper_check(cudaError_t error, const char *what, const char *file,
                                       int line)
{
    if (gmcuda_helper_say(error, what, file, line))
        exit(EXIT_FAILURE);
}
/* There is one device. */
static inline int gpuGetMaxGflopsDeviceId(void)
{
    return 0;
}
static inline int findCudaDevice(int count, const char **arguments)
{
    (void)count, (void)arguments;
    checkCudaErrors(cudaSetDevice(0));
    return 0;
}

#endif
