/* SPDX-License-Identifier: MIT
 *
 * held.h - reports of a CUDA graph's kernels whose turn has not come: branches of a graph run side
 * by side, a trace holds one launch after another.
 */
#ifndef GMCAPTURE_HELD_H
#define GMCAPTURE_HELD_H

#include <stdbool.h>
#include <stddef.h>

#include "traces/capture/ring.h"

typedef struct gmc_held_list {
    gmc_cell *cell; /* headers, each with its payload behind it */
    size_t count, room;
    bool dropped; /* some did not fit */
} gmc_held_list;

typedef struct gmc_held {
    gmc_held_list list[GMC_GRAPH_KERNELS];
    size_t bytes, limit; /* of all together */
} gmc_held;

/* Keeps a report, or marks the kernel's list. */
void gmc_held_add(gmc_held *held, uint32_t kernel, const gmc_cell *header, const gmc_cell *payload,
                  unsigned payload_cells);
void gmc_held_clear(gmc_held *held, uint32_t kernel);

#endif
