/* SPDX-License-Identifier: MIT
 *
 * facts.c - asks the driver, which changes nothing, so that a callback may do it.
 */
#include "traces/capture/facts.h"

#include "traces/capture/allocations.h"
#include "traces/capture/message.h"
#include "traces/capture/origins.h"

#define MAX_STREAMS 4096u

/* By one thread at a time: whoever captures a launch. */
static uint32_t stream_number(Sanitizer_StreamHandle stream)
{
    static Sanitizer_StreamHandle streams[MAX_STREAMS];
    static uint32_t stream_count;
    for (uint32_t i = 0; i < stream_count; i++)
        if (streams[i] == stream)
            return i;
    if (stream_count == MAX_STREAMS)
        return MAX_STREAMS;
    streams[stream_count] = stream;
    return stream_count++;
}

/* What the driver says counts; the cubin's figures are for when it says nothing. */
static void ask_driver(gmc_kernel *kernel, CUfunction function, int32_t *carveout)
{
    int registers = gmc_query_function(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
    int shared = gmc_query_function(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    int local = gmc_query_function(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    int percent = gmc_query_function(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    gmc_note("%s: registers %u %d, shared %u %d, local %u %d (cubin, driver)", kernel->name,
             kernel->registers, registers, kernel->static_shared, shared, kernel->local_bytes,
             local);
    if (registers > 0 && !kernel->registers)
        kernel->registers = (uint32_t)registers;
    if (shared >= 0)
        kernel->static_shared = (uint32_t)shared;
    if (local >= 0)
        kernel->local_bytes = (uint32_t)local;
    *carveout = percent >= 0 && percent <= 100 ? percent : -1;
}

bool gmc_facts_locate(const Sanitizer_LaunchData *data, gmc_entry *entry, uint64_t *pc)
{
    uint64_t size;
    *pc = 0;
    SanitizerResult result =
        gmc_san.sanitizerGetFunctionPcAndSize(data->module, data->functionName, pc, &size);
    if (!gmc_modules_locate(entry))
        return false;
    if (result != SANITIZER_SUCCESS)
        gmc_warn("%s: its code cannot be found (%s); its records name no instruction",
                 entry->kernel->name, gmc_sanitizer_error(result));
    return true;
}

void gmc_facts_of(const Sanitizer_LaunchData *data, gmc_kernel *kernel, uint64_t ordinal,
                  Sanitizer_StreamHandle stream, gmtrace_launch *launch)
{
    int32_t carveout;
    uint32_t allocation_count;
    gmc_origins_resolve();
    gmtrace_allocation *allocation = gmc_allocations_copy(&allocation_count);
    ask_driver(kernel, data->function, &carveout);
    *launch = (gmtrace_launch){
        .grid = {data->gridDim_x, data->gridDim_y, data->gridDim_z},
        .block = {data->blockDim_x, data->blockDim_y, data->blockDim_z},
        .cluster = {data->clusterDim_x ? data->clusterDim_x : 1,
                    data->clusterDim_y ? data->clusterDim_y : 1,
                    data->clusterDim_z ? data->clusterDim_z : 1},
        .shared_config = GMTRACE_UNKNOWN,
        .carveout_percent = carveout,
        .stream = stream_number(stream),
        .ordinal = ordinal,
        .allocation_count = allocation_count,
        .allocation = allocation,
    };
}
