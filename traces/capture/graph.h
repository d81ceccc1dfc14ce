/* SPDX-License-Identifier: MIT
 *
 * graph.h - the captured kernels of one launch of a CUDA graph. The device runs them as it likes,
 * side by side where the graph has branches; the trace holds them one after another, in the order
 * in which they began.
 */
#ifndef GMCAPTURE_GRAPH_H
#define GMCAPTURE_GRAPH_H

#include "traces/capture/kinds.h"
#include "traces/capture/modules.h"
#include "traces/capture/sanitizer_api.h"

void gmc_graph_init(const gmc_settings *settings);
/* A kernel that is about to run; entry NULL: it is not to be captured. Its module must have been
 * patched before the graph was instantiated. True where it is captured. */
bool gmc_graph_add(const Sanitizer_LaunchData *data, gmc_entry *entry, gmc_kind *kind,
                   uint64_t ordinal);
/* Waits for the graph, if any of its kernels is captured. */
void gmc_graph_finish(void);

#endif
