/* SPDX-License-Identifier: MIT
 *
 * driver.c - the driver's questions about devices and memory, which the runtime's functions answer:
 * its errors and attributes have the same numbers.
 */
#include "traces/gmcc/include/fallback/cuda.h"

#include <stdio.h>

static CUresult same(cudaError_t error)
{
    return (CUresult)error;
}

CUresult cuInit(unsigned int flags)
{
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuDriverGetVersion(int *version)
{
    return same(cudaDriverGetVersion(version));
}
CUresult cuGetErrorName(CUresult error, const char **name)
{
    *name = cudaGetErrorName((cudaError_t)error);
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count)
{
    return same(cudaGetDeviceCount(count));
}
CUresult cuDeviceGet(CUdevice *device, int number)
{
    if (device == NULL || number != 0)
        return device == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess && size > 0)
        snprintf(name, (size_t)size, "%s", properties.name);
    return same(error);
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    return same(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess && bytes != NULL)
        *bytes = properties.totalGlobalMem;
    return same(error);
}
CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
    return same(cudaMemGetInfo(free_bytes, total));
}
CUresult cuCtxSynchronize(void)
{
    return same(cudaDeviceSynchronize());
}
