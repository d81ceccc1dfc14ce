/* SPDX-License-Identifier: MIT
 *
 * launch.h - one captured launch at a time, from the launch callback to the trace.
 */
#ifndef GMCAPTURE_LAUNCH_H
#define GMCAPTURE_LAUNCH_H

#include "traces/capture/sanitizer_api.h"
#include "traces/capture/settings.h"

void gmc_launch_init(const gmc_settings *settings);
/* The API call around a launch: between the two, other threads that want to launch a kernel the
 * user asked for wait. `function` may be NULL. */
void gmc_launch_call_enter(const char *function, CUcontext context);
void gmc_launch_call_leave(void);
bool gmc_launch_in_call(void); /* is this thread between the two? */
/* The launch itself, within the call. */
void gmc_launch_begin(const Sanitizer_LaunchData *data);
void gmc_launch_end(void);
/* A call that instantiates or launches a CUDA graph, at both its ends. */
void gmc_launch_graph_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data);
/* A kernel of a CUDA graph about to run, or to be uploaded. */
void gmc_launch_graph_node(const Sanitizer_GraphNodeLaunchData *node);
void gmc_launch_context_gone(CUcontext context);
/* Writes the trace; once, from the process that opened it. */
void gmc_launch_close(void);

#endif
