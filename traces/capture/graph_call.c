/* SPDX-License-Identifier: MIT
 *
 * graph_call.c - a graph's kernels must call the patches when it is instantiated: what the driver
 * makes of them then, it keeps. So their names are asked for when the call begins, where the thread
 * holds no lock of the driver. Kernels in the bodies of conditional nodes are not found.
 */
#include "traces/capture/graph_call.h"

#include <generated_cuda_meta.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 16 /* graphs within graphs that are walked */

static const struct {
    Sanitizer_CallbackId id;
    gmc_graph_call call;
} calls[] = {
    {SANITIZER_CBID_DRIVER_API_cuGraphInstantiate, GMC_GRAPH_INSTANTIATE},
    {SANITIZER_CBID_DRIVER_API_cuGraphInstantiate_v2, GMC_GRAPH_INSTANTIATE},
    {SANITIZER_CBID_DRIVER_API_cuGraphInstantiateWithFlags, GMC_GRAPH_INSTANTIATE},
    {SANITIZER_CBID_DRIVER_API_cuGraphInstantiateWithParams, GMC_GRAPH_INSTANTIATE},
    {SANITIZER_CBID_DRIVER_API_cuGraphInstantiateWithParams_ptsz, GMC_GRAPH_INSTANTIATE},
    {SANITIZER_CBID_DRIVER_API_cuGraphExecUpdate, GMC_GRAPH_INSTANTIATE},
    {SANITIZER_CBID_DRIVER_API_cuGraphExecUpdate_v2, GMC_GRAPH_INSTANTIATE},
    {SANITIZER_CBID_DRIVER_API_cuGraphLaunch, GMC_GRAPH_LAUNCH},
    {SANITIZER_CBID_DRIVER_API_cuGraphLaunch_ptsz, GMC_GRAPH_LAUNCH},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* The driver's functions, by the versions whose structures are used here. */
static struct {
    CUresult (*nodes)(CUgraph, CUgraphNode *, size_t *);
    CUresult (*type)(CUgraphNode, CUgraphNodeType *);
    CUresult (*kernel)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v2 *);
    CUresult (*child)(CUgraphNode, CUgraph *);
    CUresult (*function_name)(const char **, CUfunction);
    CUresult (*kernel_name)(const char **, CUkernel);
} ask;

void gmc_graph_call_enable(Sanitizer_SubscriberHandle subscriber)
{
    for (size_t i = 0; i < CALLS; i++)
        gmc_san.sanitizerEnableCallback(1, subscriber, SANITIZER_CB_DOMAIN_DRIVER_API, calls[i].id);
}

gmc_graph_call gmc_graph_call_of(Sanitizer_CallbackId id)
{
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].id == id)
            return calls[i].call;
    return GMC_GRAPH_NO_CALL;
}

static bool find_functions(void)
{
#define FIND(member, name)                                                                         \
    do {                                                                                           \
        void *symbol = gmc_driver_symbol(name);                                                    \
        memcpy(&ask.member, &symbol, sizeof symbol);                                               \
    } while (0)
    FIND(type, "cuGraphNodeGetType");
    FIND(kernel, "cuGraphKernelNodeGetParams_v2");
    FIND(child, "cuGraphChildGraphNodeGetGraph");
    FIND(function_name, "cuFuncGetName");
    FIND(kernel_name, "cuKernelGetName");
    FIND(nodes, "cuGraphGetNodes");
#undef FIND
    return ask.nodes && ask.type && ask.kernel && ask.child && ask.function_name && ask.kernel_name;
}

static void walk(CUgraph graph, CUcontext context, unsigned depth,
                 void (*found)(CUcontext, const char *))
{
    size_t count = 0;
    if (ask.nodes(graph, NULL, &count) != CUDA_SUCCESS)
        return;
    CUgraphNode *node = calloc(count + 1, sizeof *node);
    if (!node || ask.nodes(graph, node, &count) != CUDA_SUCCESS)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        CUgraphNodeType type;
        CUDA_KERNEL_NODE_PARAMS_v2 kernel = {0};
        CUgraph child;
        const char *name = NULL;
        if (ask.type(node[i], &type) != CUDA_SUCCESS)
            continue;
        if (type == CU_GRAPH_NODE_TYPE_GRAPH && depth < DEPTH &&
            ask.child(node[i], &child) == CUDA_SUCCESS)
            walk(child, context, depth + 1, found);
        if (type != CU_GRAPH_NODE_TYPE_KERNEL || ask.kernel(node[i], &kernel) != CUDA_SUCCESS)
            continue;
        if ((kernel.func && ask.function_name(&name, kernel.func) == CUDA_SUCCESS && name) ||
            (kernel.kern && ask.kernel_name(&name, kernel.kern) == CUDA_SUCCESS && name))
            found(kernel.ctx ? kernel.ctx : context, name);
    }
    free(node);
}

void gmc_graph_call_kernels(const Sanitizer_CallbackData *data,
                            void (*found)(CUcontext context, const char *kernel))
{
    /* All these calls' parameters begin with the executable graph and the graph. */
    const cuGraphInstantiateWithFlags_params *params = data->functionParams;
    if (params && params->hGraph && find_functions())
        walk(params->hGraph, data->context, 0, found);
}
