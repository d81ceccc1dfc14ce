/* SPDX-License-Identifier: MIT
 *
 * launch.c - captured launches are serialised: the launching thread waits at the end of its API
 * call until the kernel is done and its records are taken. A program whose kernel waits for another
 * one that it launches later would hang; such programs cannot be captured.
 */
#include "traces/capture/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/capture/allocations.h"
#include "traces/capture/channel.h"
#include "traces/capture/launch_call.h"
#include "traces/capture/message.h"
#include "traces/capture/modules.h"

#define MAX_STREAMS 4096u

static const gmc_settings *settings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one captured launch at a time */
static _Thread_local bool in_call;   /* this thread took the lock when its API call began */
static _Thread_local bool in_launch; /* it took it when the launch began: an unknown API call */
static bool finished;                /* every launch the user asked for is captured */
static gmtrace_writer *writer;
static pid_t owner; /* the process that opened the writer */
static char output[4096];
static bool broken; /* the trace cannot be written: stop capturing */
static uint64_t ordinal, wanted, captured, records;
static uint32_t unseen;
static Sanitizer_StreamHandle streams[MAX_STREAMS];
static uint32_t stream_count;

/* The launch in progress. */
static struct {
    bool open;
    gmc_channel *channel;
    gmc_entry *entry;
    Sanitizer_StreamHandle stream;
    uint32_t dynamic_shared;
} current;

void gmc_launch_init(const gmc_settings *chosen)
{
    settings = chosen;
}

static bool check(bool good, const gmtrace_error *error)
{
    if (!good && !broken) {
        broken = true;
        gmc_warn("%s: %s", output, error->text);
        gmc_report(settings, "error", error->text);
    }
    return good;
}

/* The first process that captures takes the name asked for, another one adds its number. */
static void choose_output(void)
{
    char claim[4096];
    snprintf(claim, sizeof claim, "%s/owner", settings->scratch ? settings->scratch : "/nowhere");
    int file = open(claim, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool first = file >= 0 || errno != EEXIST;
    if (file >= 0)
        close(file);
    if (first) {
        snprintf(output, sizeof output, "%s", settings->output);
        return;
    }
    size_t length = strlen(settings->output);
    bool suffix = length > 4 && strcmp(settings->output + length - 4, ".trc") == 0;
    snprintf(output, sizeof output, "%.*s-%ld.trc", (int)(suffix ? length - 4 : length),
             settings->output, (long)getpid());
}

static bool open_writer(CUdevice device)
{
    if (writer || broken || finished)
        return writer != NULL;
    gmc_gpu gpu;
    gmc_query_gpu(device, &gpu);
    gmtrace_capture capture = {
        .source = "gmcapture " GMC_VERSION,
        .program = program_invocation_short_name,
        .gpu = gpu.name,
        .cc_major = gpu.cc_major,
        .cc_minor = gpu.cc_minor,
        .sm_count = gpu.sm_count,
        .driver_version = gpu.driver_version,
        .detail = GMTRACE_DETAIL_MEMORY,
    };
    gmtrace_writer_options options = {.level = settings->level, .pending_limit = settings->memory};
    gmtrace_error error = {0};
    char text[4200];
    choose_output();
    owner = getpid();
    snprintf(text, sizeof text, "%ld %s", (long)owner, output);
    gmc_report(settings, "open", text);
    writer = gmtrace_writer_create(output, &capture, &options, &error);
    return check(writer != NULL, &error);
}

static uint32_t stream_number(Sanitizer_StreamHandle stream)
{
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

static bool add_kernel(gmc_entry *entry)
{
    const gmc_kernel *kernel = entry->kernel;
    gmtrace_kernel description = {
        .mangled = kernel->mangled,
        .name = kernel->name,
        .registers = kernel->registers,
        .static_shared = kernel->static_shared,
        .local_bytes = kernel->local_bytes,
        .barriers = kernel->barriers,
        .instr_count = kernel->sass.instr_count,
        .instr = kernel->sass.instr,
        .file_count = kernel->sass.file_count,
        .file = kernel->sass.file,
    };
    gmtrace_error error = {0};
    __atomic_fetch_or(&unseen, kernel->unseen, __ATOMIC_RELAXED);
    entry->added = gmtrace_writer_add_kernel(writer, &description, &entry->trace_index, &error);
    return check(entry->added, &error);
}

static bool start(const Sanitizer_LaunchData *data, gmc_entry *entry, uint64_t number)
{
    int32_t carveout = -1;
    if (!open_writer(data->device) || !gmc_modules_prepare(entry, data->context))
        return false;
    gmc_channel *channel = gmc_channel_get(settings, data->context, data->hStream);
    uint64_t pc = 0, size;
    SanitizerResult result =
        gmc_san.sanitizerGetFunctionPcAndSize(data->module, data->functionName, &pc, &size);
    if (!gmc_modules_locate(entry))
        return false;
    if (result != SANITIZER_SUCCESS)
        gmc_warn("%s: its code cannot be found (%s); its records name no instruction",
                 entry->kernel->name, gmc_sanitizer_error(result));
    if (!channel || !gmc_channel_aim(channel, pc, data->hStream))
        return false;
    ask_driver(entry->kernel, data->function, &carveout);
    if (!entry->added && !add_kernel(entry))
        return false;

    uint32_t allocation_count;
    gmtrace_allocation *allocation = gmc_allocations_copy(&allocation_count);
    gmtrace_launch launch = {
        .kernel = entry->trace_index,
        .grid = {data->gridDim_x, data->gridDim_y, data->gridDim_z},
        .block = {data->blockDim_x, data->blockDim_y, data->blockDim_z},
        .cluster = {data->clusterDim_x ? data->clusterDim_x : 1,
                    data->clusterDim_y ? data->clusterDim_y : 1,
                    data->clusterDim_z ? data->clusterDim_z : 1},
        .dynamic_shared = gmc_launch_call_dynamic_shared(),
        .shared_config = GMTRACE_UNKNOWN,
        .carveout_percent = carveout,
        .stream = stream_number(data->hStream),
        .ordinal = number,
        .allocation_count = allocation_count,
        .allocation = allocation,
    };
    gmtrace_error error = {0};
    bool good = check(gmtrace_writer_begin_launch(writer, &launch, &error), &error);
    free(allocation);
    if (!good)
        return false;
    result = gmc_san.sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream,
                                                    channel->device);
    if (result != SANITIZER_SUCCESS)
        gmc_warn("%s: the launch cannot be traced: %s", entry->kernel->name,
                 gmc_sanitizer_error(result));
    gmc_job job = {
        .writer = writer,
        .code = &entry->code,
        .threads = data->blockDim_x * data->blockDim_y * data->blockDim_z,
        .slots = entry->kernel->slots,
    };
    gmc_consumer_start(channel->consumer, &job);
    current.open = true;
    current.channel = channel;
    current.entry = entry;
    current.stream = data->hStream;
    current.dynamic_shared = launch.dynamic_shared;
    return true;
}

/* The open launch misses records: said here and in the trace. */
static void lose(const char *why)
{
    gmtrace_error error = {0};
    gmc_warn("%s, launch %llu: records are missing: %s", current.entry->kernel->name,
             (unsigned long long)captured, why);
    check(gmtrace_writer_lose(writer, why, &error), &error);
}

static void finish(void)
{
    gmc_result taken;
    gmtrace_error error = {0};
    uint64_t head = 0;
    SanitizerResult result = gmc_san.sanitizerStreamSynchronize(current.stream);
    bool whole =
        result == SANITIZER_SUCCESS && gmc_channel_head(current.channel, current.stream, &head);
    gmc_consumer_finish(current.channel->consumer, head, &taken);
    const char *name = current.entry->kernel->name;
    /* A record that a trace cannot hold costs this launch, not the file. */
    if (taken.error.status == GMTRACE_USAGE || taken.odd)
        lose(taken.error.status == GMTRACE_USAGE ? taken.error.text
                                                 : "some accesses have no known size");
    else if (taken.error.status != GMTRACE_OK)
        check(false, &taken.error);
    else if (!whole || !taken.sound)
        lose("it ended with an error");
    if (taken.unknown_pc)
        gmc_note("%s: %llu records belong to no instruction of the table", name,
                 (unsigned long long)taken.unknown_pc);
    if (taken.dynamic_shared != GMTRACE_UNKNOWN && taken.dynamic_shared != current.dynamic_shared)
        gmc_note("%s: %u bytes of dynamic shared memory asked for, %u given", name,
                 current.dynamic_shared, taken.dynamic_shared);
    if (current.entry->kernel->slots)
        gmc_note("%s: %llu local accesses at fixed stack offsets reconstructed (%llu under a "
                 "predicate, taken as executed); several paths %llu times, none %llu times",
                 name, (unsigned long long)taken.slots.accesses,
                 (unsigned long long)taken.slots.predicated,
                 (unsigned long long)taken.slots.ambiguous, (unsigned long long)taken.slots.lost);
    const char *unseen_tensors = gmc_modules_tensors_unseen(current.entry);
    if (unseen_tensors)
        lose(unseen_tensors);
    check(gmtrace_writer_end_launch(writer, &error), &error);
    captured++;
    records += taken.records;
    current.open = false;
    gmc_note("%s: %llu records", name, (unsigned long long)taken.records);
}

/* With the lock held. */
static void close_writer(void)
{
    char text[4200];
    gmtrace_error error = {0};
    if (!writer)
        return;
    gmtrace_writer_add_unseen(writer, __atomic_load_n(&unseen, __ATOMIC_RELAXED));
    bool keep = captured > 0 && !broken;
    bool good = check(gmtrace_writer_close(writer, keep, &error), &error);
    writer = NULL;
    if (good && keep) {
        snprintf(text, sizeof text, "%llu %llu %s", (unsigned long long)captured,
                 (unsigned long long)records, output);
        gmc_report(settings, "trace", text);
    }
}

/* All that takes locks of the driver is done here, where the thread holds none: in the launch
 * callback it does, and would wait for itself as soon as another thread waits too. */
void gmc_launch_call_enter(const char *function, CUcontext context)
{
    if (in_call || __atomic_load_n(&finished, __ATOMIC_RELAXED) || !gmc_modules_wants(function))
        return;
    pthread_mutex_lock(&lock);
    in_call = true;
    if (wanted < settings->skip || wanted - settings->skip >= settings->count || broken)
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
    /* Nothing is to come: a program that crashes later, or never ends, has its trace already. */
    if (writer && wanted - settings->skip >= settings->count) {
        __atomic_store_n(&finished, true, __ATOMIC_RELAXED);
        close_writer();
    }
    in_call = false;
    pthread_mutex_unlock(&lock);
}

static bool is_chosen(const Sanitizer_LaunchData *data, const gmc_entry *entry)
{
    uint64_t which = wanted++;
    if (broken || which < settings->skip)
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

void gmc_launch_begin(const Sanitizer_LaunchData *data)
{
    uint64_t number = __atomic_fetch_add(&ordinal, 1, __ATOMIC_RELAXED);
    gmc_entry *entry = gmc_modules_find(data->module, data->functionName);
    if (!entry || __atomic_load_n(&finished, __ATOMIC_RELAXED))
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
    bool open = is_chosen(data, entry) && start(data, entry, number);
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

void gmc_launch_graph_node(const Sanitizer_LaunchData *data)
{
    static bool said;
    /* Its module may be patched for the sake of other launches, and a node that is given no user
     * data gets a pointer that leads nowhere, not a null one. */
    gmc_san.sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, NULL);
    if (!gmc_modules_find(data->module, data->functionName))
        return;
    __atomic_fetch_or(&unseen, GMTRACE_UNSEEN_GRAPH_LAUNCHES, __ATOMIC_RELAXED);
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        gmc_warn("the program launches %s from a CUDA graph; launches from graphs are not captured",
                 data->functionName);
}

void gmc_launch_context_gone(CUcontext context)
{
    gmc_channel_context_gone(context);
}

void gmc_launch_close(void)
{
    char text[32];
    if (owner && owner != getpid())
        return; /* a child of the process that captures */
    snprintf(text, sizeof text, "%llu", (unsigned long long)ordinal);
    gmc_report(settings, "seen", text);
    /* A thread that is still capturing keeps the lock: it will not come back. */
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    close_writer();
    pthread_mutex_unlock(&lock);
}
