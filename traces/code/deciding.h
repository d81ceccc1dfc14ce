/* SPDX-License-Identifier: MIT
 *
 * deciding.h - which loads decide, without a record in between, where a warp goes next: how often a
 * loop turns that has none, say. A capture keeps what such loads found.
 */
#ifndef GMTRACE_DECIDING_H
#define GMTRACE_DECIDING_H

#include "traces/gmtrace.h"

/* Sets deciding[i], one of kernel->instr_count, to 1 where instruction i is a load from global
 * memory whose value decides so in a trace of this detail, together with thread and CTA numbers,
 * parameters and numbers in the code; to 0 elsewhere. True where any does; false, and no more is
 * known, without memory. Thread-safe: it reads the kernel alone. */
bool gmt_deciding_loads(const gmtrace_kernel *kernel, gmtrace_detail detail, uint8_t *deciding);

#endif
