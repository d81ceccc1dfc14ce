/* SPDX-License-Identifier: MIT
 *
 * graph.c - CUDA graphs: nodes, and graphs of them.
 */
#include "traces/gmcc/runtime/capture.h"
#include "traces/gmcc/runtime/graph.h"

#include <stdlib.h>
#include <string.h>

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

cudaError_t gmcuda_append_node(cudaGraphNode_t *out, cudaGraph_t graph,
                               const cudaGraphNode_t *after, size_t count,
                               enum cudaGraphNodeType type, const void *what)
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
    return gmcuda_leave(gmcuda_append_node(out, graph, after, count, type, what));
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
        const cudaError_t error =
            gmcuda_append_node(&copy, to, n->after, n->after_count, n->type, what);
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
