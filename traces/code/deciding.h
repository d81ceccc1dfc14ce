/* SPDX-License-Identifier: MIT
 *
 * deciding.h - which loads decide, without a record in between, where a warp goes next: how often a
 * loop turns that has none, say; or which constants it reads there. A capture keeps what such loads
 * found.
 */
#ifndef GMTRACE_DECIDING_H
#define GMTRACE_DECIDING_H

#include "traces/gmtrace.h"

/* Some CTAs show what indices of constants are made of (indices.h), evenly over all: a capture
 * keeps what those have loaded. */
#define GMT_SHOWING_CTAS 16u
static inline bool gmt_cta_shows(uint64_t ctas, uint64_t cta)
{
    const uint64_t step = ctas / GMT_SHOWING_CTAS;
    return step < 2u || cta % step == 0;
}

enum {
    GMT_DECIDES = 1, /* where to go */
    GMT_MAKES_INDEX, /* of constants, and decides nothing */
};

/* Sets deciding[i], one of kernel->instr_count, to one of those where instruction i is a load from
 * global memory whose value decides so in a trace of this detail, together with thread and CTA
 * numbers, parameters and numbers in the code, or makes an index; to 0 elsewhere. True where any
 * does; false, and no more is known, without memory. Thread-safe: it reads the kernel alone. */
bool gmt_deciding_loads(const gmtrace_kernel *kernel, gmtrace_detail detail, uint8_t *deciding);

#endif
