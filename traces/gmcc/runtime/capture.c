/* SPDX-License-Identifier: MIT
 *
 * capture.c - streams that are captured: what they are asked to do becomes a node of a graph,
 * behind all nodes that were captured before. A stream that waits for an event of a captured one is
 * captured, too.
 */
#include "traces/gmcc/runtime/capture.h"
#include "traces/gmcc/runtime/graph.h"

#include <stdlib.h>

/* A capture that is going on; streams and events know it by its number. */
typedef struct capture {
    struct capture *next;
    uint64_t number;
    cudaStream_t origin;
    cudaGraph_t graph;
} capture;

static capture *captures;
static uint64_t capture_numbers;

static capture *find_capture(uint64_t number)
{
    capture *c = captures;
    while (number != 0 && c != NULL && c->number != number)
        c = c->next;
    return number != 0 ? c : NULL;
}

bool gmcuda_is_captured(uint64_t number)
{
    return find_capture(number) != NULL;
}
bool gmcuda_captures(void)
{
    return captures != NULL;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    gmcuda_enter();
    uint64_t *number = gmcuda_stream_capture(stream);
    if (number == NULL) /* the legacy stream and the thread's */
        return gmcuda_leave(cudaErrorStreamCaptureUnsupported);
    if (find_capture(*number) != NULL)
        return gmcuda_leave(cudaErrorIllegalState);
    capture *c = calloc(1, sizeof *c);
    cudaGraph_t graph = calloc(1, sizeof *graph);
    if (c == NULL || graph == NULL) {
        free(c);
        free(graph);
        return gmcuda_leave(cudaErrorMemoryAllocation);
    }
    *c = (capture){captures, ++capture_numbers, stream, graph};
    captures = c;
    *number = c->number;
    return gmcuda_leave(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    gmcuda_enter();
    uint64_t *number = gmcuda_stream_capture(stream);
    capture **at = &captures, *c = number != NULL ? find_capture(*number) : NULL;
    if (c == NULL || graph == NULL || c->origin != stream)
        return gmcuda_leave(graph == NULL ? cudaErrorInvalidValue
                            : c == NULL   ? cudaErrorIllegalState
                                          : cudaErrorStreamCaptureUnmatched);
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    *graph = c->graph;
    free(c);
    return gmcuda_leave(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    gmcuda_enter();
    if (status == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *status = gmcuda_stream_captured(stream) ? cudaStreamCaptureStatusActive
                                             : cudaStreamCaptureStatusNone;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    static _Thread_local enum cudaStreamCaptureMode now = cudaStreamCaptureModeGlobal;
    const enum cudaStreamCaptureMode before = now;
    if (mode == NULL)
        return gmcuda_enter(), gmcuda_leave(cudaErrorInvalidValue);
    now = *mode;
    *mode = before;
    return cudaSuccess;
}

bool gmcuda_stream_captured(cudaStream_t stream)
{
    const uint64_t *number = captures != NULL ? gmcuda_stream_capture(stream) : NULL;
    return number != NULL && find_capture(*number) != NULL;
}

/* Behind the last node: the order of the calls is one that all streams allow. */
static cudaError_t record(cudaStream_t stream, enum cudaGraphNodeType type, const void *what)
{
    gmcuda_enter();
    capture *c = find_capture(*gmcuda_stream_capture(stream));
    return gmcuda_leave(
        gmcuda_append_node(NULL, c->graph, &c->graph->last, c->graph->last != NULL, type, what));
}
cudaError_t gmcuda_not_captured(const char *call)
{
    gmcuda_enter();
    gmcuda_message("%s: not supported while its stream is captured", call);
    return gmcuda_leave(cudaErrorStreamCaptureUnsupported);
}
cudaError_t gmcuda_capture_launch(cudaStream_t stream, const void *host, dim3 grid, dim3 block,
                                  void **arguments, size_t dynamic_shared)
{
    const struct cudaKernelNodeParams what = {(void *)(uintptr_t)host,      grid,      block,
                                              (unsigned int)dynamic_shared, arguments, NULL};
    return record(stream, cudaGraphNodeTypeKernel, &what);
}
cudaError_t gmcuda_capture_copy(cudaStream_t stream, const struct cudaMemcpy3DParms *what)
{
    return record(stream, cudaGraphNodeTypeMemcpy, what);
}
cudaError_t gmcuda_capture_set(cudaStream_t stream, void *to, size_t pitch, int value, size_t width,
                               size_t height)
{
    const struct cudaMemsetParams what = {to, pitch, (unsigned int)value, 1, width, height};
    return record(stream, cudaGraphNodeTypeMemset, &what);
}
cudaError_t gmcuda_capture_host(cudaStream_t stream, cudaHostFn_t function, void *user)
{
    const struct cudaHostNodeParams what = {function, user};
    return record(stream, cudaGraphNodeTypeHost, &what);
}
