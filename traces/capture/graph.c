/* SPDX-License-Identifier: MIT
 *
 * graph.c - the driver names a graph's kernels while it is launched. Each gets user data of its
 * own, those that are not captured as well: a stretch of the graph keeps what it was given last
 * (turns.h). The consumer opens a launch in the trace when a kernel's turn has come, so the writer
 * is the consumer's until the graph is done.
 *
 * Left out: kernels that a conditional node runs a second time, and graphs that kernels launch.
 */
#include "traces/capture/graph.h"

#include <stdlib.h>

#include "traces/capture/channel.h"
#include "traces/capture/facts.h"
#include "traces/capture/message.h"
#include "traces/capture/output.h"

#define HELD_MEMORY                                                                                \
    (1ull << 30) /* of reports that wait for their kernel's turn; --memory's least */

typedef struct graph_kernel {
    gmc_graph_kernel told;
    gmc_entry *entry; /* of a captured one */
    gmc_kind *kind;
    gmtrace_launch launch;
} graph_kernel;

static const gmc_settings *settings;

/* The graph being launched; the thread that launches it holds launch.c's lock. */
static struct {
    gmc_channel *channel; /* NULL until a kernel is captured */
    CUcontext context;
    Sanitizer_StreamHandle stream;
    uint64_t base;                           /* reports count pcs from here */
    graph_kernel *kernel[GMC_GRAPH_KERNELS]; /* set before the kernel can report */
    uint32_t count;
} graph;

void gmc_graph_init(const gmc_settings *chosen)
{
    settings = chosen;
}

static gmc_graph_kernel *kernel_of(uint32_t number)
{
    graph_kernel *at = number < GMC_GRAPH_KERNELS
                           ? __atomic_load_n(&graph.kernel[number], __ATOMIC_ACQUIRE)
                           : NULL;
    return at ? &at->told : NULL;
}

static bool open_launch(uint32_t number, uint32_t dynamic_shared, gmc_job *job)
{
    graph_kernel *at = graph.kernel[number];
    at->launch.dynamic_shared = dynamic_shared;
    if (!gmc_output_begin(at->entry, at->kind, &at->launch))
        return false;
    *job = (gmc_job){
        .writer = gmc_output_writer(),
        .code = &at->entry->code,
        .threads = at->told.threads,
        .slots = at->entry->kernel->slots,
    };
    return true;
}

static void close_launch(uint32_t number, const gmc_result *result)
{
    gmc_output_end(graph.kernel[number]->entry->kernel, result, true);
}

static bool begin(const Sanitizer_LaunchData *data)
{
    const gmc_turn_calls calls = {
        .kernel = kernel_of,
        .open = open_launch,
        .close = close_launch,
        .memory = settings->memory > HELD_MEMORY ? settings->memory : HELD_MEMORY,
    };
    graph.stream = data->hApiStream ? data->hApiStream : data->hStream;
    gmc_channel *channel = gmc_channel_get(settings, data->context, graph.stream);
    if (!channel || !gmc_consumer_start_graph(channel->consumer, &calls))
        return false;
    graph.context = data->context;
    graph.channel = channel;
    return true;
}

static bool prepare(const Sanitizer_LaunchData *data, gmc_entry *entry)
{
    uint64_t pc;
    return gmc_modules_is_patched(entry) && gmc_output_open(data->device) &&
           gmc_modules_prepare(entry, data->context) && gmc_facts_locate(data, entry, &pc) &&
           (graph.channel ? graph.context == data->context : begin(data));
}

static bool add(const Sanitizer_LaunchData *data, gmc_entry *entry, gmc_kind *kind,
                uint64_t ordinal)
{
    uint64_t pc = 0, size = 0;
    graph_kernel *at = calloc(1, sizeof *at);
    if (!at)
        return false;
    if (gmc_san.sanitizerGetFunctionPcAndSize(data->module, data->functionName, &pc, &size) !=
        SANITIZER_SUCCESS)
        size = 0;
    if (!graph.base)
        graph.base = pc;
    at->told = (gmc_graph_kernel){
        .entry = (int64_t)(pc - graph.base) / 16,
        .length = (int64_t)(size / 16),
        .shape = GMC_SHAPE(data->gridDim_x, data->gridDim_y, data->gridDim_z, data->blockDim_x,
                           data->blockDim_y, data->blockDim_z),
        .threads = data->blockDim_x * data->blockDim_y * data->blockDim_z,
        .ctas = (uint64_t)data->gridDim_x * data->gridDim_y * data->gridDim_z,
        .captured = entry && size && prepare(data, entry),
    };
    at->entry = entry;
    at->kind = kind;
    if (at->told.captured)
        gmc_facts_of(data, entry->kernel, ordinal, graph.stream, &at->launch);
    __atomic_store_n(&graph.kernel[graph.count++], at, __ATOMIC_RELEASE);
    return at->told.captured;
}

bool gmc_graph_add(const Sanitizer_LaunchData *data, gmc_entry *entry, gmc_kind *kind,
                   uint64_t ordinal)
{
    const uint32_t number = graph.count;
    const bool captured = number < GMC_GRAPH_KERNELS && add(data, entry, kind, ordinal);
    const void *user = NULL;
    if (graph.channel && graph.context == data->context &&
        (graph.count == number || gmc_channel_aim(graph.channel, number, graph.base, graph.stream)))
        user = &graph.channel->device[number < GMC_GRAPH_KERNELS ? number : number - 1];
    SanitizerResult result =
        gmc_san.sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, user);
    if (captured && result != SANITIZER_SUCCESS)
        gmc_warn("%s: the launch cannot be traced: %s", entry->kernel->name,
                 gmc_sanitizer_error(result));
    return captured;
}

void gmc_graph_finish(void)
{
    gmc_result left = {0};
    uint64_t head = 0;
    uint32_t captured = 0, silent = 0;
    if (graph.channel) {
        if (gmc_san.sanitizerStreamSynchronize(graph.stream) == SANITIZER_SUCCESS)
            gmc_channel_head(graph.channel, graph.stream, &head);
        gmc_consumer_finish(graph.channel->consumer, head, &left);
    }
    for (uint32_t i = 0; i < graph.count; i++) {
        graph_kernel *at = graph.kernel[i];
        captured += at->told.captured;
        silent += at->told.captured && !at->told.begun;
        free((void *)(uintptr_t)at->launch.allocation);
        free(at);
        graph.kernel[i] = NULL;
    }
    if (silent || left.odd) {
        gmc_output_add_unseen(GMTRACE_UNSEEN_GRAPH_LAUNCHES);
        gmc_warn("a CUDA graph: of %u kernels to be captured %u reported nothing, and %llu reports "
                 "are of no kernel: those are left out",
                 captured, silent, (unsigned long long)left.odd);
    }
    graph.channel = NULL;
    graph.count = 0;
    graph.base = 0;
}
