/* SPDX-License-Identifier: MIT
 *
 * deciding.h - which loads read what decides how often a kernel's loops turn, where records do not
 * tell. A capture keeps what such loads found.
 *
 * Not filled yet: no load is taken to decide.
 */
#ifndef GMTRACE_DECIDING_H
#define GMTRACE_DECIDING_H

#include "traces/gmtrace.h"

/* Sets deciding[i], one of kernel->instr_count, to 1 where instruction i is a load from global
 * memory whose value decides how often a loop turns that has no records in a trace of this detail,
 * and to 0 elsewhere. True where any does; false, and no more is known, without memory.
 * Thread-safe: it reads the kernel alone. */
bool gmt_deciding_loads(const gmtrace_kernel *kernel, gmtrace_detail detail, uint8_t *deciding);

#endif
