/* SPDX-License-Identifier: MIT
 *
 * graph_launch.c - launches of CUDA graphs: the nodes are done in an order that their dependencies
 * allow, the earliest first.
 */
#include "traces/gmcc/runtime/capture.h"
#include "traces/gmcc/runtime/graph.h"

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
