/* SPDX-License-Identifier: MIT
 *
 * launch_call.c - watches the driver's launch functions; the runtime library calls them too.
 */
#include "traces/capture/launch_call.h"

#include <generated_cuda_meta.h>

#include "traces/gmtrace.h"

static _Thread_local uint32_t dynamic_shared = GMTRACE_UNKNOWN;

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
    if (!enters || !data->functionParams)
        return enters;
    switch (id) {
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernel:
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz:
        dynamic_shared = ((const cuLaunchKernel_params *)data->functionParams)->sharedMemBytes;
        break;
    case SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel:
    case SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz:
        dynamic_shared =
            ((const cuLaunchCooperativeKernel_params *)data->functionParams)->sharedMemBytes;
        break;
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx:
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz: {
        const CUlaunchConfig *config =
            ((const cuLaunchKernelEx_params *)data->functionParams)->config;
        dynamic_shared = config ? config->sharedMemBytes : GMTRACE_UNKNOWN;
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

uint32_t gmc_launch_call_dynamic_shared(void)
{
    return dynamic_shared;
}
