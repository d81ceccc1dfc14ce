/* SPDX-License-Identifier: MIT
 *
 * trace_error.h - what the trace library says is wrong, as an error of this one.
 */
#ifndef GMSIM_TRACE_ERROR_H
#define GMSIM_TRACE_ERROR_H

#include "sim/device/gpu.h"
#include "traces/gmtrace.h"

#pragma GCC visibility push(hidden)

/* Sets error: "NAME: reason (at byte N)"; name: the trace's, or NULL where the caller adds it. */
void gmsim_trace_error(GError **error, const char *name, const gmtrace_error *reason);

#pragma GCC visibility pop

#endif
