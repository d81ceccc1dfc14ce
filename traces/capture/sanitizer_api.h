/* SPDX-License-Identifier: MIT
 *
 * sanitizer_api.h - the functions of libsanitizer-public.so and of the CUDA driver that gmcapture
 * calls, found at run time: the traced machine's toolkit need not be where it was at build time.
 */
#ifndef GMCAPTURE_SANITIZER_API_H
#define GMCAPTURE_SANITIZER_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>
#include <sanitizer.h>

#define GMC_SANITIZER_FUNCTIONS(X)                                                                 \
    X(sanitizerSubscribe)                                                                          \
    X(sanitizerEnableDomain)                                                                       \
    X(sanitizerEnableCallback)                                                                     \
    X(sanitizerAddPatches)                                                                         \
    X(sanitizerPatchInstructions)                                                                  \
    X(sanitizerPatchModule)                                                                        \
    X(sanitizerSetLaunchCallbackData)                                                              \
    X(sanitizerGetFunctionPcAndSize)                                                               \
    X(sanitizerAlloc)                                                                              \
    X(sanitizerAllocHost)                                                                          \
    X(sanitizerFree)                                                                               \
    X(sanitizerFreeHost)                                                                           \
    X(sanitizerMemset)                                                                             \
    X(sanitizerMemcpyHostToDeviceAsync)                                                            \
    X(sanitizerMemcpyDeviceToHost)                                                                 \
    X(sanitizerStreamSynchronize)                                                                  \
    X(sanitizerGetResultString)

typedef struct gmc_sanitizer_api {
#define GMC_MEMBER(name) __typeof__(&name) name;
    GMC_SANITIZER_FUNCTIONS(GMC_MEMBER)
#undef GMC_MEMBER
} gmc_sanitizer_api;

extern gmc_sanitizer_api gmc_san;

/* False with a reason in `text` where the library or one of its functions is missing. */
bool gmc_sanitizer_load(const char *path, char *text, size_t size);
/* Whether the library calls back for loads through tensor maps: older ones accept the callback, and
 * never call. */
bool gmc_sanitizer_shows_tensors(void);
const char *gmc_sanitizer_error(SanitizerResult result);

/* A function of the driver; NULL where it is not loaded or has none of this name. */
void *gmc_driver_symbol(const char *name);

/* Driver queries. They ask, and change nothing, so a callback may make them. */
typedef struct gmc_gpu {
    char name[96];
    unsigned cc_major, cc_minor, sm_count, driver_version;
} gmc_gpu;

void gmc_query_gpu(CUdevice device, gmc_gpu *gpu);
/* A function's or a kernel's (CUkernel) mangled name; NULL where the driver does not say. */
const char *gmc_function_name(CUfunction function);
/* Where a module's variable lies; false where the driver does not say. */
bool gmc_query_variable(CUmodule module, const char *name, uint64_t *base, uint64_t *size);
/* Can it say what parameters kernels have? */
bool gmc_query_parameters(void);
/* Place and bytes of a kernel's parameter; false behind the last. */
bool gmc_query_parameter(CUfunction function, size_t index, size_t *offset, size_t *size);
/* -1 where the driver does not say. */
int gmc_query_function(CUfunction function, CUfunction_attribute attribute);

#endif
