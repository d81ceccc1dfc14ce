/* SPDX-License-Identifier: MIT
 *
 * launch.c - launches: the configuration that <<<>>> leaves, the checks a driver makes, the
 * interpreter's run, and what its faults mean in CUDA's errors. Also what a program asks about its
 * kernels.
 *
 * GMSIM_THREADS sets how many CTAs run at once (default: one a processor), GMSIM_INSTRUCTIONS the
 * warp instructions of a CTA after which a launch counts as endless.
 */
#include "traces/gmcc/runtime/check.h"
#include "traces/gmcc/runtime/capture.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct configuration {
    dim3 grid, block;
    size_t dynamic_shared;
    cudaStream_t stream;
} configuration;

/* <<<>>> may nest while arguments are evaluated. */
static _Thread_local configuration stack[16];
static _Thread_local unsigned int depth;
static uint64_t launches;

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared,
                                         struct CUstream_st *stream)
{
    if (depth == sizeof stack / sizeof stack[0])
        return 1;
    stack[depth++] = (configuration){grid, block, dynamic_shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_shared,
                                       void *stream)
{
    if (depth == 0)
        return cudaErrorMissingConfiguration;
    const configuration *top = &stack[--depth];
    *grid = top->grid;
    *block = top->block;
    *dynamic_shared = top->dynamic_shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

static unsigned long number_from(const char *variable, unsigned long otherwise)
{
    const char *text = getenv(variable);
    char *end;
    if (text == NULL || text[0] == 0)
        return otherwise;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno != 0 || *end != 0 || text[0] == '-' || value == 0) {
        gmcuda_message("%s: '%s' is not a whole number from 1 on; ignored", variable, text);
        return otherwise;
    }
    return value;
}

static unsigned int thread_count(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned long n = number_from("GMSIM_THREADS", processors > 0 ? (unsigned long)processors : 1);
    return n > 256 ? 256 : (unsigned int)n;
}

static uint32_t registers_of(const gmcuda_function *function)
{
    return function->registers != 0 ? function->registers : function->kernel->registers;
}

/* What a driver refuses, before anything runs. */
static cudaError_t check_shape(const gmcuda_function *function, dim3 grid, dim3 block,
                               size_t dynamic_shared)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const gmptx_kernel *kernel = function->kernel;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0 || grid.x > INT_MAX ||
        grid.y > 65535 || grid.z > 65535 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
        threads > GMCUDA_MAX_THREADS) {
        gmcuda_message("%s: a grid of %u x %u x %u CTAs of %u x %u x %u threads cannot be launched",
                       function->readable, grid.x, grid.y, grid.z, block.x, block.y, block.z);
        return cudaErrorInvalidConfiguration;
    }
    if (kernel->max_threads != 0 && threads > kernel->max_threads) {
        gmcuda_message("%s: %llu threads a CTA, its __launch_bounds__ allow %u", function->readable,
                       (unsigned long long)threads, kernel->max_threads);
        return cudaErrorInvalidValue;
    }
    if (dynamic_shared + kernel->static_shared > (size_t)function->max_dynamic_shared) {
        gmcuda_message("%s: %zu bytes of shared memory a CTA, %d are allowed; "
                       "cudaFuncSetAttribute() allows up to %d",
                       function->readable, dynamic_shared + kernel->static_shared,
                       function->max_dynamic_shared, GMCUDA_SHARED_OPTIN);
        return cudaErrorInvalidValue;
    }
    /* An estimate of registers is no reason to refuse what a GPU might run. */
    if (function->registers != 0 &&
        gmcuda_occupancy(function->registers, dynamic_shared + kernel->static_shared,
                         (int)threads) == 0)
        return cudaErrorLaunchOutOfResources;
    return cudaSuccess;
}

static cudaError_t error_of(gmptx_fault_kind kind)
{
    switch (kind) {
    case GMPTX_FAULT_ACCESS:
        return cudaErrorIllegalAddress;
    case GMPTX_FAULT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case GMPTX_FAULT_LIMIT:
        return cudaErrorLaunchTimeout;
    case GMPTX_FAULT_TRAP:
        return cudaErrorAssert;
    case GMPTX_FAULT_INSTRUCTION:
        return cudaErrorIllegalInstruction;
    case GMPTX_FAULT_FREE:
    case GMPTX_FAULT_NONE:
    case GMPTX_FAULT_BARRIER:
    case GMPTX_FAULT_OTHER:
        break;
    }
    return cudaErrorLaunchFailure;
}

/* Enters the kernel into the trace, once. */
static bool add_to_trace(gmcuda_function *function, gmtrace_writer *writer)
{
    gmtrace_error error;
    uint32_t index;
    if (function->trace_index >= 0)
        return true;
    const char *name = function->readable != function->mangled ? function->readable : NULL;
    bool good = gmptx_add_to_trace(function->code != NULL ? function->code : function->kernel, name,
                                   registers_of(function), writer, &index, &error);
    if (!good)
        gmcuda_trace_failed(&error);
    else
        function->trace_index = index;
    return good;
}

static cudaError_t run(gmcuda_function *function, dim3 grid, dim3 block, void **arguments,
                       size_t dynamic_shared, cudaStream_t stream, bool together)
{
    gmtrace_error error;
    gmptx_result result;
    const gmptx_checks checks = {.unwritten = gmcuda_checks(GMCUDA_CHECK_UNWRITTEN),
                                 .shadow = *gmcuda_shadow(),
                                 .found = gmcuda_found,
                                 .user = function};
    if (getenv("GMSIM_TRACE") != NULL && !gmcuda_checks_any() && !together)
        gmcuda_assemble_function(function);
    gmtrace_writer *writer = gmcuda_trace(function);
    if (writer != NULL && !add_to_trace(function, writer))
        writer = NULL;
    const gmptx_kernel *kernel =
        writer != NULL && function->code != NULL ? function->code : function->kernel;
    uint32_t accesses = 0;
    const uint64_t watched =
        kernel == function->kernel ? gmcuda_watched_ctas(function, &accesses) : 0;
    gmptx_launch launch = {
        .kernel = kernel,
        .name = function->readable,
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .dynamic_shared = (uint32_t)dynamic_shared,
        .args = arguments,
        .check = gmcuda_accessible,
        .answer = gmcuda_checks_any() ? NULL : gmcuda_answer,
        .texture = gmcuda_find_texture,
        .allocate = gmcuda_heap_take,
        .release = gmcuda_heap_give,
        .together = together,
        .race_ctas = watched,
        .race_accesses = accesses,
        .race = gmcuda_tell_race,
        .race_user = function,
        .stray = gmcuda_tell_stray,
        .checks = gmcuda_checks_any() ? &checks : NULL,
        .threads = thread_count(),
        .instruction_limit = number_from("GMSIM_INSTRUCTIONS", 0),
        .sm_count = GMCUDA_SM_COUNT,
        .writer = writer,
        .trace =
            {
                .kernel = writer != NULL ? (uint32_t)function->trace_index : 0,
                .cluster = {1, 1, 1},
                .shared_config = GMTRACE_UNKNOWN,
                .carveout_percent = function->carveout,
                .stream = gmcuda_stream_number(stream),
                .ordinal = launches++,
            },
    };
    gmtrace_allocation *allocations = NULL;
    if (writer != NULL) {
        allocations = gmcuda_list_allocations(&launch.trace.allocation_count);
        launch.trace.allocation = allocations;
    }
    bool good = gmptx_run(&launch, &result, &error);
    free(allocations);
    if (result.races_incomplete && launch.checks != NULL)
        gmcuda_races_incomplete();
    if (good) {
        gmcuda_save_mistakes();
        return gmcuda_sticky();
    }
    char where[160] = "";
    if (result.fault.kind == GMPTX_FAULT_ACCESS && result.fault.space == GMTRACE_SPACE_GLOBAL)
        gmcuda_describe(result.fault.address, result.fault.bytes, where, sizeof where);
    gmcuda_message("%s%s%s", error.text, where[0] != 0 ? "; " : "", where);
    if (launch.checks != NULL)
        gmcuda_found_fault(function, &result.fault);
    gmcuda_save_mistakes();
    gmcuda_set_sticky(error_of(result.fault.kind));
    return gmcuda_sticky();
}

/* All CTAs must fit on the GPU at once where they may wait for one another. */
static cudaError_t check_together(const gmcuda_function *function, dim3 grid, dim3 block,
                                  size_t dynamic_shared)
{
    const int each =
        gmcuda_occupancy(registers_of(function), dynamic_shared + function->kernel->static_shared,
                         (int)(block.x * block.y * block.z));
    const uint64_t ctas = (uint64_t)grid.x * grid.y * grid.z;
    if (ctas <= (uint64_t)each * GMCUDA_SM_COUNT)
        return cudaSuccess;
    gmcuda_message("%s: %llu CTAs cannot run at once, %d fit on each of %d SMs", function->readable,
                   (unsigned long long)ctas, each, GMCUDA_SM_COUNT);
    return cudaErrorCooperativeLaunchTooLarge;
}

static cudaError_t launch_kernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                 size_t dynamic_shared, cudaStream_t stream, bool together)
{
    cudaError_t error;
    gmcuda_enter();
    if (gmcuda_sticky() != cudaSuccess)
        return gmcuda_leave(gmcuda_sticky());
    gmcuda_function *function = gmcuda_find_function(host, &error);
    if (function == NULL)
        return gmcuda_leave(error);
    error = check_shape(function, grid, block, dynamic_shared);
    if (error == cudaSuccess && together)
        error = check_together(function, grid, block, dynamic_shared);
    if (error == cudaSuccess && function->kernel->allocates)
        error = gmcuda_open_heap();
    if (error == cudaSuccess)
        error = run(function, grid, block, arguments, dynamic_shared, stream, together);
    return gmcuda_leave(error);
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                             size_t dynamic_shared, cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_capture_launch(stream, host, grid, block, arguments, dynamic_shared);
    return launch_kernel(host, grid, block, arguments, dynamic_shared, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamic_shared, cudaStream_t stream)
{
    if (!gmcuda_stream_captured(stream))
        return launch_kernel(host, grid, block, arguments, dynamic_shared, stream, true);
    gmcuda_enter();
    gmcuda_message("a cooperative launch cannot be captured");
    return gmcuda_leave(cudaErrorStreamCaptureUnsupported);
}

/* Attributes are wishes, but for two. */
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host,
                                void **arguments)
{
    bool cooperative = false;
    if (config == NULL || (config->attrs == NULL && config->numAttrs != 0))
        return gmcuda_enter(), gmcuda_leave(cudaErrorInvalidValue);
    for (unsigned int i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id == cudaLaunchAttributeCooperative)
            cooperative = a->val.cooperative != 0;
        if (a->id == cudaLaunchAttributeClusterDimension &&
            (a->val.clusterDim.x > 1 || a->val.clusterDim.y > 1 || a->val.clusterDim.z > 1)) {
            gmcuda_enter();
            gmcuda_message("cudaLaunchKernelEx: clusters of CTAs are not supported");
            return gmcuda_leave(cudaErrorNotSupported);
        }
    }
    return (cooperative ? cudaLaunchCooperativeKernel
                        : cudaLaunchKernel)(host, config->gridDim, config->blockDim, arguments,
                                            config->dynamicSmemBytes, config->stream);
}

cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute, int value)
{
    cudaError_t error;
    gmcuda_enter();
    gmcuda_function *function = gmcuda_find_function(host, &error);
    if (function == NULL)
        return gmcuda_leave(error);
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || value + (int)function->kernel->static_shared > GMCUDA_SHARED_OPTIN)
            return gmcuda_leave(cudaErrorInvalidValue);
        value += (int)function->kernel->static_shared;
        function->max_dynamic_shared =
            value > GMCUDA_SHARED_DEFAULT ? value : GMCUDA_SHARED_DEFAULT;
        return gmcuda_leave(cudaSuccess);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return gmcuda_leave(cudaErrorInvalidValue);
        function->carveout = value;
        return gmcuda_leave(cudaSuccess);
    }
    return gmcuda_leave(cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *host)
{
    cudaError_t error;
    gmcuda_enter();
    gmcuda_function *function = gmcuda_find_function(host, &error);
    if (function == NULL || attributes == NULL)
        return gmcuda_leave(function == NULL ? error : cudaErrorInvalidValue);
    const gmptx_kernel *kernel = function->kernel;
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = kernel->static_shared;
    attributes->localSizeBytes = kernel->local_bytes;
    attributes->maxThreadsPerBlock =
        kernel->max_threads != 0 ? (int)kernel->max_threads : GMCUDA_MAX_THREADS;
    attributes->numRegs = (int)registers_of(function);
    attributes->ptxVersion = 80;
    attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes =
        function->max_dynamic_shared - (int)kernel->static_shared;
    attributes->preferredShmemCarveout = function->carveout;
    return gmcuda_leave(cudaSuccess);
}

/* The preference of L1 or shared memory is a carve-out by another name. */
cudaError_t cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache config)
{
    static const int percent[] = {-1, 100, 0, 50};
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return gmcuda_enter(), gmcuda_leave(cudaErrorInvalidValue);
    return cudaFuncSetAttribute(host, cudaFuncAttributePreferredSharedMemoryCarveout,
                                percent[config]);
}
cudaError_t cudaFuncSetSharedMemConfig(const void *host, enum cudaSharedMemConfig config)
{
    (void)host;
    (void)config;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                          int block_size, size_t dynamic_shared)
{
    cudaError_t error;
    gmcuda_enter();
    gmcuda_function *function = gmcuda_find_function(host, &error);
    if (function == NULL)
        return gmcuda_leave(error);
    if (blocks == NULL || block_size < 1)
        return gmcuda_leave(cudaErrorInvalidValue);
    *blocks = block_size > GMCUDA_MAX_THREADS
                  ? 0
                  : gmcuda_occupancy(registers_of(function),
                                     dynamic_shared + function->kernel->static_shared, block_size);
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                   int block_size,
                                                                   size_t dynamic_shared,
                                                                   unsigned int flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, block_size, dynamic_shared);
}
