/* SPDX-License-Identifier: MIT
 *
 * origin.h - what the program calls an allocation, for traces: gmcc's runtime library and gmcapture
 * ask, each in the program itself. One thread at a time.
 */
#ifndef GMTRACE_ORIGIN_H
#define GMTRACE_ORIGIN_H

#include "traces/code/lines.h"
#include "traces/gmtrace.h"

/* An allocation whose origin is asked for. */
typedef struct gmt_made {
    const gmt_frames *frames; /* where the program asked for it */
    const char *call;         /* "cudaMalloc" */
    uint64_t number;          /* which allocation of the program it is, from 1 */
    gmtrace_origin *origin;   /* to be filled; its texts live as long as the program */
} gmt_made;

/* Of allocations in the order in which they were made. */
void gmt_find_origins(const gmt_made *made, size_t count);

#endif
