/* SPDX-License-Identifier: MIT
 *
 * inject.c - libgmcapture.so's way in and out: loaded with LD_PRELOAD, it subscribes to the
 * Sanitizer's callbacks before main() and writes the trace after it. Without GMCAPTURE_OUTPUT in
 * the environment it does nothing.
 */

#include <string.h>

#include "traces/capture/allocations.h"
#include "traces/capture/graph_call.h"
#include "traces/capture/launch.h"
#include "traces/capture/launch_call.h"
#include "traces/capture/message.h"
#include "traces/capture/modules.h"
#include "traces/capture/origins.h"
#include "traces/capture/ranges.h"

static gmc_settings settings;

/* The driver's own memory and that of modules: no allocation of the program's. */
enum {
    OF_NO_CALL =
        SANITIZER_MEMORY_FLAG_MODULE | SANITIZER_MEMORY_FLAG_CG_RUNTIME | SANITIZER_MEMORY_FLAG_CNP
};

static void on_resource(Sanitizer_CallbackId id, const void *data)
{
    const Sanitizer_ResourceMemoryData *memory = data;
    switch (id) {
    case SANITIZER_CBID_RESOURCE_INIT_FINISHED:
        gmc_report(&settings, "cuda", "initialised");
        break;
    case SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
        gmc_launch_context_gone(((const Sanitizer_ResourceContextData *)data)->context);
        break;
    case SANITIZER_CBID_RESOURCE_MODULE_LOADED:
        gmc_modules_loaded(data, gmc_launch_in_call());
        break;
    case SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
        gmc_modules_unloaded(data);
        break;
    case SANITIZER_CBID_RESOURCE_FUNCTIONS_LAZY_LOADED:
        gmc_modules_lazy(data, false);
        break;
    case SANITIZER_CBID_RESOURCE_FUNCTIONS_LAZY_PATCHED:
        gmc_modules_lazy(data, true);
        break;
    case SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC:
    case SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC:
        gmc_allocations_add(memory->address, memory->size,
                            memory->flags & OF_NO_CALL ? NULL : gmc_origins_make(memory->address));
        break;
    case SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE:
    case SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC:
        gmc_allocations_remove(memory->address);
        break;
    }
}

static void on_graph_node(const Sanitizer_GraphNodeLaunchData *node)
{
    switch (node->nodeType) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        gmc_launch_graph_node(node);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        gmc_allocations_add(node->memAllocData.address, node->memAllocData.size, NULL);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        if (!node->isGraphUpload)
            gmc_allocations_remove(node->memFreeAddress);
        break;
    default:
        break;
    }
}

/* gives: the first parameter points to the address that the program gets. */
static void on_allocating_call(const Sanitizer_CallbackData *call, bool gives)
{
    uint64_t address = 0;
    const void *to = NULL;
    if (call->callbackSite == SANITIZER_API_ENTER) {
        gmc_origins_enter(call->functionName);
        return;
    }
    if (gives && call->functionParams)
        memcpy(&to, call->functionParams, sizeof to);
    if (to) /* a failed call leaves there what was, which is no new allocation's */
        memcpy(&address, to, sizeof address);
    gmc_origins_leave(address);
}

static void SANITIZERAPI on_callback(void *user, Sanitizer_CallbackDomain domain,
                                     Sanitizer_CallbackId id, const void *data)
{
    (void)user;
    switch (domain) {
    case SANITIZER_CB_DOMAIN_RESOURCE:
        on_resource(id, data);
        break;
    case SANITIZER_CB_DOMAIN_LAUNCH:
        if (id == SANITIZER_CBID_LAUNCH_BEGIN)
            gmc_launch_begin(data);
        else if (id == SANITIZER_CBID_LAUNCH_END)
            gmc_launch_end();
        break;
    case SANITIZER_CB_DOMAIN_GRAPHS: {
        const Sanitizer_GraphNodeLaunchData *node = data;
        if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN)
            on_graph_node(node);
        break;
    }
    case SANITIZER_CB_DOMAIN_RUNTIME_API: {
        const Sanitizer_CallbackData *call = data;
        if (id == SANITIZER_CBID_RUNTIME_API_cudaProfilerStart ||
            id == SANITIZER_CBID_RUNTIME_API_cudaProfilerStop)
            gmc_ranges_profiler(id == SANITIZER_CBID_RUNTIME_API_cudaProfilerStart);
        else
            on_allocating_call(call, true);
        break;
    }
    case SANITIZER_CB_DOMAIN_DRIVER_API: {
        const Sanitizer_CallbackData *call = data;
        if (id == SANITIZER_CBID_DRIVER_API_cuProfilerStart ||
            id == SANITIZER_CBID_DRIVER_API_cuProfilerStop)
            gmc_ranges_profiler(id == SANITIZER_CBID_DRIVER_API_cuProfilerStart);
        else if (strncmp(call->functionName, "cuMem", 5) == 0)
            on_allocating_call(call, id != SANITIZER_CBID_DRIVER_API_cuMemCreate &&
                                         id != SANITIZER_CBID_DRIVER_API_cuMemMap);
        else if (gmc_graph_call_of(id) != GMC_GRAPH_NO_CALL)
            gmc_launch_graph_call(id, call);
        else if (gmc_launch_call_note(id, call))
            gmc_launch_call_enter(gmc_launch_call_name(id, call), call->context);
        else
            gmc_launch_call_leave();
        break;
    }
    default:
        break;
    }
}

/* The profiler's switch, and what allocates. */
static const Sanitizer_CallbackId driver_calls[] = {
    SANITIZER_CBID_DRIVER_API_cuProfilerStart,
    SANITIZER_CBID_DRIVER_API_cuProfilerStop,
    SANITIZER_CBID_DRIVER_API_cuMemAlloc_v2,
    SANITIZER_CBID_DRIVER_API_cuMemAllocPitch_v2,
    SANITIZER_CBID_DRIVER_API_cuMemAllocManaged,
    SANITIZER_CBID_DRIVER_API_cuMemAllocAsync,
    SANITIZER_CBID_DRIVER_API_cuMemAllocAsync_ptsz,
    SANITIZER_CBID_DRIVER_API_cuMemAllocFromPoolAsync,
    SANITIZER_CBID_DRIVER_API_cuMemAllocFromPoolAsync_ptsz,
    SANITIZER_CBID_DRIVER_API_cuMemCreate,
    SANITIZER_CBID_DRIVER_API_cuMemMap,
};
static const Sanitizer_CallbackId runtime_calls[] = {
    SANITIZER_CBID_RUNTIME_API_cudaProfilerStart,
    SANITIZER_CBID_RUNTIME_API_cudaProfilerStop,
    SANITIZER_CBID_RUNTIME_API_cudaMalloc,
    SANITIZER_CBID_RUNTIME_API_cudaMallocPitch,
    SANITIZER_CBID_RUNTIME_API_cudaMalloc3D,
    SANITIZER_CBID_RUNTIME_API_cudaMallocManaged,
    SANITIZER_CBID_RUNTIME_API_cudaMallocAsync,
    SANITIZER_CBID_RUNTIME_API_cudaMallocAsync_ptsz,
    SANITIZER_CBID_RUNTIME_API_cudaMallocFromPoolAsync,
    SANITIZER_CBID_RUNTIME_API_cudaMallocFromPoolAsync_ptsz,
};

static bool subscribe(void)
{
    char reason[512];
    Sanitizer_SubscriberHandle subscriber;
    if (!gmc_modules_init(&settings, reason, sizeof reason)) {
        gmc_warn("--kernel %s: %s", settings.kernel, reason);
        return false;
    }
    if (!gmc_ranges_init(settings.nvtx, !settings.from_start, reason, sizeof reason)) {
        gmc_warn("--nvtx-include: %s", reason);
        return false;
    }
    if (!gmc_sanitizer_load(settings.sanitizer ? settings.sanitizer : "libsanitizer-public.so",
                            reason, sizeof reason)) {
        gmc_warn("%s", reason);
        return false;
    }
    SanitizerResult result = gmc_san.sanitizerSubscribe(&subscriber, on_callback, NULL);
    if (result != SANITIZER_SUCCESS) {
        gmc_warn("cannot subscribe to the program's CUDA calls: %s", gmc_sanitizer_error(result));
        return false;
    }
    gmc_san.sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_RESOURCE);
    gmc_san.sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_LAUNCH);
    gmc_san.sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_GRAPHS);
    gmc_launch_call_enable(subscriber);
    gmc_graph_call_enable(subscriber);
    for (size_t k = 0; k < sizeof driver_calls / sizeof *driver_calls; k++)
        gmc_san.sanitizerEnableCallback(1, subscriber, SANITIZER_CB_DOMAIN_DRIVER_API,
                                        driver_calls[k]);
    for (size_t k = 0; k < sizeof runtime_calls / sizeof *runtime_calls; k++)
        gmc_san.sanitizerEnableCallback(1, subscriber, SANITIZER_CB_DOMAIN_RUNTIME_API,
                                        runtime_calls[k]);
    return true;
}

__attribute__((constructor)) static void enter(void)
{
    gmc_settings_read(&settings);
    if (!settings.output)
        return;
    gmc_verbose = settings.verbose;
    gmc_launch_init(&settings);
    if (!subscribe())
        gmc_report(&settings, "error", "the program ran untraced");
}

__attribute__((destructor)) static void leave(void)
{
    if (settings.output)
        gmc_launch_close();
}
