/* SPDX-License-Identifier: MIT
 *
 * graph.h - what a CUDA graph is made of.
 */
#ifndef GMCUDA_GRAPH_H
#define GMCUDA_GRAPH_H

#include "traces/gmcc/runtime/runtime.h"

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

/* Appends a node behind `count` others; `what` is what it does, by its type. *out may be NULL. */
cudaError_t gmcuda_append_node(cudaGraphNode_t *out, cudaGraph_t graph,
                               const cudaGraphNode_t *after, size_t count,
                               enum cudaGraphNodeType type, const void *what);

#endif
