/* SPDX-License-Identifier: MIT
 *
 * launch_call.c - watches the driver's launch functions; the runtime library calls them too.
 */
#include "traces/capture/launch_call.h"

#include <generated_cuda_meta.h>
#include <string.h>

#include "traces/capture/kinds.h"
#include "traces/gmtrace.h"

static _Thread_local uint32_t dynamic_shared = GMTRACE_UNKNOWN;
/* The program's, for the time of the call: pointers to each parameter, or a list of what is where.
 */
static _Thread_local void **parameters, **extra;
static _Thread_local CUfunction called;

void gmc_launch_call_enable(Sanitizer_SubscriberHandle subscriber)
{
    static const Sanitizer_CallbackId ids[] = {
        SANITIZER_CBID_DRIVER_API_cuLaunchKernel,
        SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz,
        SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel,
        SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz,
        SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx,
        SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz,
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        gmc_san.sanitizerEnableCallback(1, subscriber, SANITIZER_CB_DOMAIN_DRIVER_API, ids[i]);
}

bool gmc_launch_call_note(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data)
{
    bool enters = data->callbackSite == SANITIZER_API_ENTER;
    dynamic_shared = GMTRACE_UNKNOWN;
    parameters = extra = NULL;
    called = NULL;
    if (!enters || !data->functionParams)
        return enters;
    switch (id) {
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernel:
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz:
        dynamic_shared = ((const cuLaunchKernel_params *)data->functionParams)->sharedMemBytes;
        parameters = ((const cuLaunchKernel_params *)data->functionParams)->kernelParams;
        extra = ((const cuLaunchKernel_params *)data->functionParams)->extra;
        called = ((const cuLaunchKernel_params *)data->functionParams)->f;
        break;
    case SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel:
    case SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz:
        dynamic_shared =
            ((const cuLaunchCooperativeKernel_params *)data->functionParams)->sharedMemBytes;
        parameters = ((const cuLaunchCooperativeKernel_params *)data->functionParams)->kernelParams;
        called = ((const cuLaunchCooperativeKernel_params *)data->functionParams)->f;
        break;
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx:
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz: {
        const CUlaunchConfig *config =
            ((const cuLaunchKernelEx_params *)data->functionParams)->config;
        dynamic_shared = config ? config->sharedMemBytes : GMTRACE_UNKNOWN;
        parameters = ((const cuLaunchKernelEx_params *)data->functionParams)->kernelParams;
        extra = ((const cuLaunchKernelEx_params *)data->functionParams)->extra;
        called = ((const cuLaunchKernelEx_params *)data->functionParams)->f;
        break;
    }
    }
    return true;
}

const char *gmc_launch_call_name(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data)
{
    const void *params = data->functionParams;
    if (!params)
        return NULL;
    switch (id) {
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernel:
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz:
        return gmc_function_name(((const cuLaunchKernel_params *)params)->f);
    case SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel:
    case SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz:
        return gmc_function_name(((const cuLaunchCooperativeKernel_params *)params)->f);
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx:
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz:
        return gmc_function_name(((const cuLaunchKernelEx_params *)params)->f);
    }
    return NULL;
}

/* A block of them, as extra has it; NULL where it has none. */
static const void *extra_block(size_t *bytes)
{
    const void *block = NULL;
    const size_t *size = NULL;
    for (void **at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
        if (at[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            block = at[1];
        else if (at[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = at[1];
        else
            return NULL;
    }
    *bytes = block && size ? *size : 0;
    return size ? block : NULL;
}

static bool hash_block(uint64_t *hash)
{
    size_t size;
    const void *block = extra_block(&size);
    if (!block)
        return false;
    *hash = gmc_kinds_parameters(GMC_KINDS_START, block, size);
    return true;
}

bool gmc_launch_call_parameters(CUfunction function, uint64_t *hash)
{
    size_t offset, size;
    *hash = GMC_KINDS_START;
    if (!parameters && extra)
        return hash_block(hash);
    if (!gmc_query_parameters())
        return false;
    for (size_t i = 0; gmc_query_parameter(function, i, &offset, &size); i++) {
        if (!parameters || !parameters[i])
            return false;
        *hash = gmc_kinds_parameters(*hash, parameters[i], size);
    }
    return true;
}

/* One by one; false where the last does not end where they should. */
static bool gather(CUfunction function, uint8_t *block, size_t size)
{
    size_t offset, bytes, end = 0;
    memset(block, 0, size);
    if (!gmc_query_parameters())
        return false;
    for (size_t i = 0; gmc_query_parameter(function, i, &offset, &bytes); i++) {
        if (!parameters[i] || offset > size || bytes > size - offset)
            return false;
        memcpy(block + offset, parameters[i], bytes);
        end = offset + bytes > end ? offset + bytes : end;
    }
    return end == size;
}

bool gmc_launch_call_block(CUfunction function, const char *kernel, uint8_t *block, size_t size)
{
    size_t given;
    const char *name = called ? gmc_function_name(called) : NULL;
    if (!name || strcmp(name, kernel) != 0)
        return false;
    if (parameters)
        return gather(function, block, size);
    const void *whole = extra ? extra_block(&given) : NULL;
    if (!whole || given < size)
        return false;
    memcpy(block, whole, size);
    return true;
}

uint32_t gmc_launch_call_dynamic_shared(void)
{
    return dynamic_shared;
}
