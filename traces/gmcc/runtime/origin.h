/* SPDX-License-Identifier: MIT
 *
 * origin.h - what the program calls an allocation, for traces. The caller holds the runtime's lock.
 */
#ifndef GMCUDA_ORIGIN_H
#define GMCUDA_ORIGIN_H

#include "traces/gmcc/runtime/runtime.h"

/* An allocation whose origin is asked for. */
typedef struct gmcuda_made {
    const gmcuda_frames *frames; /* where the program asked for it */
    const char *call;            /* "cudaMalloc" */
    uint64_t number;             /* which allocation of the program it is, from 1 */
    gmtrace_origin *origin;      /* to be filled; its texts live as long as the program */
} gmcuda_made;

/* Of allocations in the order in which they were made. */
void gmcuda_find_origins(const gmcuda_made *made, size_t count);

#endif
