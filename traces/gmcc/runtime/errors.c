/* SPDX-License-Identifier: MIT
 *
 * errors.c - the lock around every call, the last error, and the errors' names and texts.
 */
#include "traces/gmcc/runtime/runtime.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cudaError_t sticky = cudaSuccess;     /* since a launch failed, until cudaDeviceReset() */
static _Thread_local cudaError_t last_error; /* CUDA keeps it thread by thread */

void gmcuda_enter(void)
{
    pthread_mutex_lock(&lock);
}

cudaError_t gmcuda_leave(cudaError_t error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t gmcuda_sticky(void)
{
    return sticky;
}

void gmcuda_set_sticky(cudaError_t error)
{
    if (error == cudaSuccess)
        last_error = cudaSuccess;
    sticky = error;
}

void gmcuda_message(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fflush(stdout); /* what the program and its kernels printed before comes first */
    fprintf(stderr, "gmcuda: %s\n", text);
}

cudaError_t cudaPeekAtLastError(void)
{
    return sticky != cudaSuccess ? sticky : last_error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

typedef struct entry {
    cudaError_t error;
    const char *name, *text;
} entry;

static const entry entries[] = {
#define ENTRY(error, text)                                                                         \
    {                                                                                              \
        error, #error, text                                                                        \
    }
    ENTRY(cudaSuccess, "no error"),
    ENTRY(cudaErrorInvalidValue, "invalid argument"),
    ENTRY(cudaErrorMemoryAllocation, "out of memory"),
    ENTRY(cudaErrorInitializationError, "initialization error"),
    ENTRY(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ENTRY(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    ENTRY(cudaErrorInvalidSymbol, "invalid device symbol"),
    ENTRY(cudaErrorInvalidHostPointer, "invalid host pointer"),
    ENTRY(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    ENTRY(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ENTRY(cudaErrorMissingConfiguration, "call to cudaLaunchKernel without a configuration"),
    ENTRY(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ENTRY(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ENTRY(cudaErrorInvalidDevice, "invalid device ordinal"),
    ENTRY(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    ENTRY(cudaErrorInvalidPtx, "the kernels' PTX cannot be interpreted"),
    ENTRY(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ENTRY(cudaErrorSymbolNotFound, "named symbol not found"),
    ENTRY(cudaErrorNotReady, "device not ready"),
    ENTRY(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ENTRY(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    ENTRY(cudaErrorLaunchTimeout,
          "the launch reached its limit of instructions and was terminated"),
    ENTRY(cudaErrorAssert, "device-side assert triggered"),
    ENTRY(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    ENTRY(cudaErrorMisalignedAddress, "misaligned address"),
    ENTRY(cudaErrorLaunchFailure, "unspecified launch failure"),
    ENTRY(cudaErrorNotSupported, "operation not supported"),
#undef ENTRY
};

static const entry *find(cudaError_t error)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (entries[i].error == error)
            return &entries[i];
    return NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const entry *e = find(error);
    return e != NULL ? e->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const entry *e = find(error);
    return e != NULL ? e->text : "unrecognized error code";
}
