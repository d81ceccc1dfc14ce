/* SPDX-License-Identifier: MIT
 *
 * launch.c - captured launches are serialised: the launching thread waits at the end of its API
 * call until the kernel is done and its records are taken. A program whose kernel waits for another
 * one that it launches later would hang; such programs cannot be captured.
 */
#include "traces/capture/launch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "traces/capture/allocations.h"
#include "traces/capture/channel.h"
#include "traces/capture/facts.h"
#include "traces/capture/graph.h"
#include "traces/capture/graph_call.h"
#include "traces/capture/kinds.h"
#include "traces/capture/launch_call.h"
#include "traces/capture/message.h"
#include "traces/capture/modules.h"
#include "traces/capture/output.h"
#include "traces/capture/ranges.h"

static const gmc_settings *settings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one captured launch at a time */
static _Thread_local bool in_call;   /* this thread took the lock when its API call began */
static _Thread_local bool in_launch; /* it took it when the launch began: an unknown API call */
static bool finished;                /* every launch the user asked for is captured */
static uint64_t ordinal, wanted;
static gmc_found *memory; /* made for the first launch that asks for it */

/* The launch in progress. */
static struct {
    bool open;
    gmc_channel *channel;
    gmc_entry *entry;
    Sanitizer_StreamHandle stream;
    uint32_t dynamic_shared;
    gmc_found *found;                            /* NULL where its kernel has no deciding loads */
    uint32_t parameters_offset, parameters_size; /* no bytes where they are not known */
    uint8_t parameters[65536];
} current;

void gmc_launch_init(const gmc_settings *chosen)
{
    settings = chosen;
    gmc_output_init(chosen);
    gmc_graph_init(chosen);
}

/* Parameters are the program's to change once its call returns. */
static void keep_parameters(const gmc_kernel *kernel, CUfunction function)
{
    const gmc_function *self = kernel->function_count ? kernel->function[0] : NULL;
    current.parameters_offset = current.parameters_size = 0;
    if (!self || !self->parameters_size || self->parameters_size > sizeof current.parameters ||
        !gmc_launch_call_block(function, kernel->mangled, current.parameters,
                               self->parameters_size))
        return;
    current.parameters_offset = self->parameters_offset;
    current.parameters_size = self->parameters_size;
}

/* NULL where nothing is asked, or where it is not known what the kernel writes. */
static gmc_found *found_by(const gmc_entry *entry)
{
    const gmc_kernel *kernel = entry->kernel;
    if (!kernel->deciding || kernel->unseen & GMTRACE_UNSEEN_TENSOR_COPY ||
        gmc_modules_tensors_unseen(entry))
        return NULL;
    if (!memory)
        memory = gmc_found_create();
    if (memory)
        gmc_found_begin(memory, kernel->deciding, kernel->sass.instr_count);
    return memory;
}

static bool start(const Sanitizer_LaunchData *data, gmc_entry *entry, gmc_kind *kind,
                  uint64_t number)
{
    if (!gmc_output_open(data->device) || !gmc_modules_prepare(entry, data->context))
        return false;
    gmc_channel *channel = gmc_channel_get(settings, data->context, data->hStream);
    uint64_t pc;
    if (!gmc_facts_locate(data, entry, &pc) || !channel ||
        !gmc_channel_aim(channel, 0, pc, data->hStream))
        return false;
    gmtrace_launch launch;
    gmc_facts_of(data, entry->kernel, number, data->hStream, &launch);
    launch.dynamic_shared = gmc_launch_call_dynamic_shared();
    bool good = gmc_output_begin(entry, kind, &launch);
    free((void *)(uintptr_t)launch.allocation);
    if (!good)
        return false;
    SanitizerResult result = gmc_san.sanitizerSetLaunchCallbackData(data->hLaunch, data->function,
                                                                    data->hStream, channel->device);
    if (result != SANITIZER_SUCCESS)
        gmc_warn("%s: the launch cannot be traced: %s", entry->kernel->name,
                 gmc_sanitizer_error(result));
    keep_parameters(entry->kernel, data->function);
    current.found = found_by(entry);
    gmc_job job = {
        .writer = gmc_output_writer(),
        .code = &entry->code,
        .threads = data->blockDim_x * data->blockDim_y * data->blockDim_z,
        .ctas = (uint64_t)data->gridDim_x * data->gridDim_y * data->gridDim_z,
        .slots = entry->kernel->slots,
        .found = current.found,
    };
    gmc_consumer_start(channel->consumer, &job);
    current.open = true;
    current.channel = channel;
    current.entry = entry;
    current.stream = data->hStream;
    current.dynamic_shared = launch.dynamic_shared;
    return true;
}

/* Memory that the program holds no more may be anything by now. */
static size_t copy_memory(void *to, uint64_t from, size_t size)
{
    const uint64_t held = gmc_allocations_room(from);
    size = held < size ? held : size;
    return size && gmc_san.sanitizerMemcpyDeviceToHost(to, (void *)(uintptr_t)from, size,
                                                       current.stream) == SANITIZER_SUCCESS
               ? size
               : 0;
}

/* Of memory nothing is told where the launch's own writes may be missing. */
static void tell_found(const gmc_result *taken, bool whole)
{
    gmtrace_known known = {.constants_offset = current.parameters_offset,
                           .constants_size = current.parameters_size,
                           .constants = current.parameters};
    if (current.found && whole && taken->sound && !taken->odd &&
        !gmc_found_memory(current.found, copy_memory, &known))
        gmc_note("%s: no memory for what its loads found", current.entry->kernel->name);
    uint32_t count;
    const gmc_constant *constant = gmc_modules_constants(current.entry, &count);
    if (count &&
        !gmc_constants_tell(&known, &current.entry->kernel->sass, constant, count, copy_memory))
        gmc_note("%s: no memory for its constants", current.entry->kernel->name);
    if (known.constants_size || known.range_count)
        gmc_output_know(&known);
}

static void finish(void)
{
    gmc_result taken;
    uint64_t head = 0;
    SanitizerResult result = gmc_san.sanitizerStreamSynchronize(current.stream);
    bool whole =
        result == SANITIZER_SUCCESS && gmc_channel_head(current.channel, current.stream, &head);
    /* The Sanitizer cannot read memory in a green context's stream. */
    if (!whole) {
        gmc_note("%s: %s", current.entry->kernel->name, gmc_sanitizer_error(result));
        whole = gmc_consumer_wait(current.channel->consumer);
    }
    gmc_consumer_finish(current.channel->consumer, head, &taken);
    if (taken.dynamic_shared != GMTRACE_UNKNOWN && taken.dynamic_shared != current.dynamic_shared)
        gmc_note("%s: %u bytes of dynamic shared memory asked for, %u given",
                 current.entry->kernel->name, current.dynamic_shared, taken.dynamic_shared);
    tell_found(&taken, whole);
    gmc_output_end(current.entry->kernel, &taken, whole);
    current.open = false;
}

/* All that takes locks of the driver is done here, where the thread holds none: in the launch
 * callback it does, and would wait for itself as soon as another thread waits too. */
static bool enter(void)
{
    if (in_call || __atomic_load_n(&finished, __ATOMIC_RELAXED))
        return false;
    pthread_mutex_lock(&lock);
    in_call = true;
    return true;
}

void gmc_launch_call_enter(const char *function, CUcontext context)
{
    if (!gmc_modules_wants(function) || !gmc_ranges_open() || !enter())
        return;
    if (wanted < settings->skip || wanted - settings->skip >= settings->count ||
        gmc_output_broken())
        return;
    if (context)
        gmc_channel_get(settings, context, NULL);
    if (context && function)
        gmc_modules_prepare_named(context, function);
}

bool gmc_launch_in_call(void)
{
    return in_call;
}

void gmc_launch_call_leave(void)
{
    if (!in_call)
        return;
    if (current.open)
        finish();
    gmc_graph_finish();
    /* Nothing is to come: a program that crashes later, or never ends, has its trace already. */
    if (gmc_output_writer() && wanted >= settings->skip &&
        wanted - settings->skip >= settings->count) {
        __atomic_store_n(&finished, true, __ATOMIC_RELAXED);
        gmc_output_close();
    }
    in_call = false;
    pthread_mutex_unlock(&lock);
}

/* Kernels are patched even where this is no stretch to be captured: the graph may be launched
 * again, and cannot be patched any more. */
static void patch_for_graph(CUcontext context, const char *function)
{
    if (gmc_modules_wants(function) && !gmc_output_broken())
        gmc_modules_prepare_named(context, function);
}

void gmc_launch_graph_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data)
{
    if (data->callbackSite != SANITIZER_API_ENTER) {
        gmc_launch_call_leave();
        return;
    }
    if (gmc_graph_call_of(id) == GMC_GRAPH_LAUNCH)
        gmc_launch_call_enter(NULL, data->context);
    else if (enter() && data->context)
        gmc_graph_call_kernels(data, patch_for_graph);
}

static bool is_chosen(const Sanitizer_LaunchData *data, const gmc_entry *entry)
{
    uint64_t which = wanted++;
    if (gmc_output_broken() || which < settings->skip)
        return false;
    if (which - settings->skip >= settings->count) {
        __atomic_store_n(&finished, true, __ATOMIC_RELAXED);
        return false;
    }
    uint64_t ctas = (uint64_t)data->gridDim_x * data->gridDim_y;
    if (ctas * data->gridDim_z <= UINT32_MAX)
        return true;
    gmc_warn("%s: a grid of more than 2^32 CTAs is not captured", entry->mangled);
    return false;
}

/* The launch's kind; NULL where all are captured, or what it is like cannot be known. node: of a
 * CUDA graph, whose parameters are as they were where the graph is launched again. */
static gmc_kind *kind_of(const Sanitizer_LaunchData *data, const gmc_entry *entry,
                         const Sanitizer_GraphNodeLaunchData *node)
{
    gmc_kind_key key = {.kernel = entry,
                        .grid = {data->gridDim_x, data->gridDim_y, data->gridDim_z},
                        .block = {data->blockDim_x, data->blockDim_y, data->blockDim_z},
                        .cluster = {data->clusterDim_x, data->clusterDim_y, data->clusterDim_z}};
    if (!settings->sample)
        return NULL;
    if (node) {
        const void *const who[] = {node->graphExec, node->node};
        key.parameters = gmc_kinds_parameters(GMC_KINDS_START + 1, who, sizeof who);
    } else {
        key.dynamic_shared = gmc_launch_call_dynamic_shared();
        if (!gmc_launch_call_parameters(data->function, &key.parameters))
            return NULL;
    }
    return gmc_kinds_find(&key);
}

static bool takes(gmc_kind *kind, uint64_t number)
{
    return !settings->sample || gmc_kinds_take(kind, settings->sample, number);
}

void gmc_launch_begin(const Sanitizer_LaunchData *data)
{
    uint64_t number = __atomic_fetch_add(&ordinal, 1, __ATOMIC_RELAXED);
    gmc_entry *entry = gmc_modules_find(data->module, data->functionName);
    if (!entry || __atomic_load_n(&finished, __ATOMIC_RELAXED) || !gmc_ranges_open())
        return;
    /* A launch by a call that is not watched: waiting here would be a deadlock. */
    if (!in_call && pthread_mutex_trylock(&lock) != 0) {
        gmc_warn("%s: launched while another launch was captured, by a call that gmcapture does "
                 "not know: left out",
                 entry->mangled);
        return;
    }
    in_launch = !in_call;
    if (current.open) /* the launch before it in the same call failed */
        finish();
    gmc_kind *kind = NULL;
    bool open = is_chosen(data, entry) && takes(kind = kind_of(data, entry, NULL), number) &&
                start(data, entry, kind, number);
    if (in_launch && !open) {
        in_launch = false;
        pthread_mutex_unlock(&lock);
    }
}

void gmc_launch_end(void)
{
    if (!in_launch)
        return;
    finish();
    in_launch = false;
    pthread_mutex_unlock(&lock);
}

static void leave_out(const gmc_entry *entry)
{
    static bool said;
    gmc_output_add_unseen(GMTRACE_UNSEEN_GRAPH_LAUNCHES);
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        gmc_warn("%s: launched from a CUDA graph in a way that cannot be captured: left out",
                 entry->mangled);
}

void gmc_launch_graph_node(const Sanitizer_GraphNodeLaunchData *node)
{
    const Sanitizer_LaunchData *data = &node->launchData;
    gmc_entry *entry = NULL;
    gmc_kind *kind = NULL;
    bool captured = false;
    if (!node->isGraphUpload) {
        uint64_t number = __atomic_fetch_add(&ordinal, 1, __ATOMIC_RELAXED);
        entry = gmc_modules_find(data->module, data->functionName);
        if (__atomic_load_n(&finished, __ATOMIC_RELAXED) || !gmc_ranges_open() ||
            (entry && in_call &&
             !(is_chosen(data, entry) && takes(kind = kind_of(data, entry, node), number))))
            entry = NULL;
        if (in_call)
            captured = gmc_graph_add(data, entry, kind, number);
    }
    /* Its module may be patched for the sake of other launches, and a node that is given no user
     * data gets a pointer that leads nowhere, not a null one. */
    if (!in_call || node->isGraphUpload)
        gmc_san.sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, NULL);
    if (entry && !captured)
        leave_out(entry);
}

void gmc_launch_context_gone(CUcontext context)
{
    gmc_channel_context_gone(context);
}

void gmc_launch_close(void)
{
    char text[32];
    if (gmc_output_is_others())
        return;
    snprintf(text, sizeof text, "%llu", (unsigned long long)ordinal);
    gmc_report(settings, "seen", text);
    /* A thread that is still capturing keeps the lock: it will not come back. */
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    gmc_output_close();
    pthread_mutex_unlock(&lock);
}
