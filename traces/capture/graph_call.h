/* SPDX-License-Identifier: MIT
 *
 * graph_call.h - the driver's API calls that instantiate and launch CUDA graphs.
 */
#ifndef GMCAPTURE_GRAPH_CALL_H
#define GMCAPTURE_GRAPH_CALL_H

#include "traces/capture/sanitizer_api.h"

typedef enum gmc_graph_call {
    GMC_GRAPH_NO_CALL,
    GMC_GRAPH_INSTANTIATE, /* its kernels are to be patched now */
    GMC_GRAPH_LAUNCH,
} gmc_graph_call;

void gmc_graph_call_enable(Sanitizer_SubscriberHandle subscriber);
gmc_graph_call gmc_graph_call_of(Sanitizer_CallbackId id);
/* Calls `found` with the name of each kernel of the graph, those of child graphs among them, that
 * an instantiating call is given. */
void gmc_graph_call_kernels(const Sanitizer_CallbackData *data,
                            void (*found)(CUcontext context, const char *kernel));

#endif
