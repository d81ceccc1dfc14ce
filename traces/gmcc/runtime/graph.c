/* SPDX-License-Identifier: MIT
 *
 * graph.c - CUDA graphs. What a stream is asked to do while it is captured becomes a node, behind
 * all nodes that were captured before; a launch does the nodes in an order that their dependencies
 * allow, the earliest first. A stream that waits for an event of a captured one is captured, too.
 */
#include "traces/gmcc/runtime/graph.h"

#include <stdlib.h>
#include <string.h>

struct CUgraphNode_st {
    struct CUgraphNode_st *next;
    const struct CUgraphNode_st *original; /* of a copy: the node it was made from */
    enum cudaGraphNodeType type;
    struct cudaKernelNodeParams kernel;
    void *values; /* of the kernel's parameters */
    struct cudaMemcpy3DParms copy;
    struct cudaMemsetParams set;
    struct cudaHostNodeParams host;
    cudaGraphNode_t *after;
    size_t after_count;
    bool done;
};

struct CUgraph_st {
    cudaGraphNode_t first, last;
    size_t count;
};
struct CUgraphExec_st {
    struct CUgraph_st graph;
};

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

/* --------------------------------------------------------------------------------------- nodes */

static void free_node(cudaGraphNode_t n)
{
    free(n->kernel.kernelParams);
    free(n->values);
    free(n->after);
    free(n);
}

static void free_nodes(struct CUgraph_st *graph)
{
    while (graph->first != NULL) {
        cudaGraphNode_t n = graph->first;
        graph->first = n->next;
        free_node(n);
    }
    *graph = (struct CUgraph_st){0};
}

/* Arguments live no longer than the call that names them: their values are kept. */
static cudaError_t keep_arguments(cudaGraphNode_t n, const struct cudaKernelNodeParams *what)
{
    cudaError_t error;
    const gmcuda_function *function = gmcuda_find_function(what->func, &error);
    if (function == NULL)
        return error;
    const gmptx_kernel *k = function->kernel;
    void **pointers = calloc(k->param_count + 1u, sizeof *pointers);
    char *values = calloc(1, k->param_bytes + 1u);
    if (pointers == NULL || values == NULL || (k->param_count != 0 && what->kernelParams == NULL)) {
        free(pointers);
        free(values);
        return pointers == NULL || values == NULL ? cudaErrorMemoryAllocation
                                                  : cudaErrorInvalidValue;
    }
    for (uint32_t i = 0; i < k->param_count; i++) {
        pointers[i] = values + k->param[i].offset;
        memcpy(pointers[i], what->kernelParams[i], k->param[i].size);
    }
    free(n->kernel.kernelParams);
    free(n->values);
    n->kernel = *what;
    n->kernel.kernelParams = pointers;
    n->values = values;
    return cudaSuccess;
}

/* Appends a node; `what` is what it does, by its type. */
static cudaError_t append(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
                          size_t count, enum cudaGraphNodeType type, const void *what)
{
    cudaError_t error = cudaSuccess;
    if (graph == NULL || (count != 0 && after == NULL) ||
        (what == NULL && type != cudaGraphNodeTypeEmpty))
        return cudaErrorInvalidValue;
    cudaGraphNode_t n = calloc(1, sizeof *n);
    if (n != NULL)
        n->after = calloc(count + 1, sizeof(cudaGraphNode_t));
    if (n == NULL || n->after == NULL) {
        free(n);
        return cudaErrorMemoryAllocation;
    }
    n->type = type;
    n->after_count = count;
    if (count != 0)
        memcpy(n->after, after, count * sizeof *n->after);
    if (type == cudaGraphNodeTypeKernel)
        error = keep_arguments(n, what);
    else if (type == cudaGraphNodeTypeMemcpy)
        n->copy = *(const struct cudaMemcpy3DParms *)what;
    else if (type == cudaGraphNodeTypeMemset)
        n->set = *(const struct cudaMemsetParams *)what;
    else if (type == cudaGraphNodeTypeHost)
        n->host = *(const struct cudaHostNodeParams *)what;
    if (error != cudaSuccess) {
        free_node(n);
        return error;
    }
    if (graph->last != NULL)
        graph->last->next = n;
    else
        graph->first = n;
    graph->last = n;
    graph->count++;
    if (out != NULL)
        *out = n;
    return cudaSuccess;
}

static cudaError_t add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
                       size_t count, enum cudaGraphNodeType type, const void *what)
{
    gmcuda_enter();
    return gmcuda_leave(append(out, graph, after, count, type, what));
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaKernelNodeParams *what)
{
    return add(node, graph, after, count, cudaGraphNodeTypeKernel, what);
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemcpy3DParms *what)
{
    return add(node, graph, after, count, cudaGraphNodeTypeMemcpy, what);
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t count, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const struct cudaMemcpy3DParms what = gmcuda_rows(to, bytes, from, bytes, bytes, 1, kind);
    return add(node, graph, after, count, cudaGraphNodeTypeMemcpy, &what);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemsetParams *what)
{
    return add(node, graph, after, count, cudaGraphNodeTypeMemset, what);
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t count,
                                 const struct cudaHostNodeParams *what)
{
    return add(node, graph, after, count, cudaGraphNodeTypeHost, what);
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t count)
{
    return add(node, graph, after, count, cudaGraphNodeTypeEmpty, NULL);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count)
{
    gmcuda_enter();
    if (graph == NULL || (count != 0 && (from == NULL || to == NULL)))
        return gmcuda_leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        cudaGraphNode_t *more =
            realloc(to[i]->after, (to[i]->after_count + 1) * sizeof(cudaGraphNode_t));
        if (more == NULL)
            return gmcuda_leave(cudaErrorMemoryAllocation);
        to[i]->after = more;
        more[to[i]->after_count++] = from[i];
    }
    return gmcuda_leave(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    gmcuda_enter();
    if (node == NULL || type == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *type = node->type;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    gmcuda_enter();
    if (graph == NULL || count == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    size_t i = 0;
    for (cudaGraphNode_t n = graph->first; nodes != NULL && n != NULL && i < *count; n = n->next)
        nodes[i++] = n;
    *count = nodes != NULL ? i : graph->count;
    return gmcuda_leave(cudaSuccess);
}

/* -------------------------------------------------------------------------------------- graphs */

/* A copy's nodes depend on copies. */
static cudaError_t copy_nodes(struct CUgraph_st *to, const struct CUgraph_st *from)
{
    for (cudaGraphNode_t n = from->first; n != NULL; n = n->next) {
        const void *what = n->type == cudaGraphNodeTypeKernel   ? (const void *)&n->kernel
                           : n->type == cudaGraphNodeTypeMemcpy ? (const void *)&n->copy
                           : n->type == cudaGraphNodeTypeMemset ? (const void *)&n->set
                                                                : (const void *)&n->host;
        cudaGraphNode_t copy;
        const cudaError_t error = append(&copy, to, n->after, n->after_count, n->type, what);
        if (error != cudaSuccess)
            return error;
        copy->original = n;
    }
    for (cudaGraphNode_t n = to->first; n != NULL; n = n->next)
        for (size_t i = 0; i < n->after_count; i++) {
            cudaGraphNode_t m = to->first;
            while (m != NULL && m->original != n->after[i])
                m = m->next;
            if (m == NULL) /* of another graph */
                return cudaErrorInvalidValue;
            n->after[i] = m;
        }
    return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    gmcuda_enter();
    if (graph == NULL || flags != 0)
        return gmcuda_leave(cudaErrorInvalidValue);
    *graph = calloc(1, sizeof **graph);
    return gmcuda_leave(*graph != NULL ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    gmcuda_enter();
    if (graph == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    free_nodes(graph);
    free(graph);
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    cudaError_t error = graph != NULL ? cudaGraphCreate(clone, 0) : cudaErrorInvalidValue;
    gmcuda_enter();
    if (error == cudaSuccess)
        error = copy_nodes(*clone, graph);
    return gmcuda_leave(error);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    gmcuda_enter();
    if (exec == NULL || graph == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *exec = calloc(1, sizeof **exec);
    if (*exec == NULL)
        return gmcuda_leave(cudaErrorMemoryAllocation);
    const cudaError_t error = copy_nodes(&(*exec)->graph, graph);
    if (error != cudaSuccess) {
        free_nodes(&(*exec)->graph);
        free(*exec);
        *exec = NULL;
    }
    return gmcuda_leave(error);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    gmcuda_enter();
    if (exec == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    free_nodes(&exec->graph);
    free(exec);
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *what)
{
    gmcuda_enter();
    cudaGraphNode_t n = exec != NULL ? exec->graph.first : NULL;
    while (n != NULL && n->original != node)
        n = n->next;
    if (n == NULL || what == NULL || n->type != cudaGraphNodeTypeKernel)
        return gmcuda_leave(cudaErrorInvalidValue);
    return gmcuda_leave(keep_arguments(n, what));
}

static cudaError_t fill(const struct cudaMemsetParams *what)
{
    cudaError_t error = cudaSuccess;
    const size_t each = what->elementSize;
    if (each == 1)
        return what->height <= 1 ? cudaMemset(what->dst, (int)what->value, what->width)
                                 : cudaMemset2D(what->dst, what->pitch, (int)what->value,
                                                what->width, what->height);
    if (each != 2 && each != 4)
        return cudaErrorInvalidValue;
    for (size_t y = 0; error == cudaSuccess && y < what->height; y++)
        for (size_t x = 0; error == cudaSuccess && x < what->width; x++)
            error = cudaMemcpy((char *)what->dst + y * what->pitch + x * each, &what->value, each,
                               cudaMemcpyHostToDevice);
    return error;
}

static cudaError_t run_node(cudaGraphNode_t n, cudaStream_t stream)
{
    const struct cudaKernelNodeParams *k = &n->kernel;
    switch (n->type) {
    case cudaGraphNodeTypeKernel:
        return cudaLaunchKernel(k->func, k->gridDim, k->blockDim, k->kernelParams,
                                k->sharedMemBytes, stream);
    case cudaGraphNodeTypeMemcpy:
        return cudaMemcpy3D(&n->copy);
    case cudaGraphNodeTypeMemset:
        return fill(&n->set);
    case cudaGraphNodeTypeHost:
        n->host.fn(n->host.userData);
        break;
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeEmpty:
        break;
    }
    return cudaSuccess;
}

static bool is_ready(const struct CUgraphNode_st *n)
{
    for (size_t i = 0; i < n->after_count; i++)
        if (!n->after[i]->done)
            return false;
    return !n->done;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    if (exec == NULL || gmcuda_stream_captured(stream))
        return gmcuda_enter(), gmcuda_leave(exec == NULL ? cudaErrorInvalidValue
                                                         : cudaErrorStreamCaptureUnsupported);
    for (cudaGraphNode_t n = exec->graph.first; n != NULL; n = n->next)
        n->done = false;
    for (size_t left = exec->graph.count; error == cudaSuccess && left > 0; left--) {
        cudaGraphNode_t n = exec->graph.first;
        while (n != NULL && !is_ready(n))
            n = n->next;
        if (n == NULL) /* they wait for one another */
            return gmcuda_enter(), gmcuda_leave(cudaErrorInvalidValue);
        error = run_node(n, stream);
        n->done = true;
    }
    return error;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    (void)stream;
    gmcuda_enter();
    return gmcuda_leave(exec != NULL ? gmcuda_sticky() : cudaErrorInvalidValue);
}

/* ------------------------------------------------------------------------------------- capture */

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
        append(NULL, c->graph, &c->graph->last, c->graph->last != NULL, type, what));
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
