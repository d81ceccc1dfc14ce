/* SPDX-License-Identifier: MIT
 *
 * plugged.h - what the plug-ins that a GPU's keys name have in a model: their state, for all caches
 * in one block, and what they answered wrongly. Without plug-ins nothing here does anything.
 */
#ifndef GMSIM_PLUGGED_H
#define GMSIM_PLUGGED_H

#include "sim/model/time/sm.h"

#pragma GCC visibility push(hidden)

typedef struct gmsim_plugged {
    const gmsim_gpu *gpu;
    const gmsim_plugin *l1, *l2, *prefetch; /* NULL: built-in policies there */
    size_t l1_bytes, prefetch_bytes;        /* of an SM */
    uint8_t *state;                         /* of L2, then of each SM */
    size_t sm_at;
} gmsim_plugged;

/* Allocates the state; false where there is no memory. Free with gmsim_plugged_clear(). */
bool gmsim_plugged_init(gmsim_plugged *plugged, const gmsim_gpu *gpu);
void gmsim_plugged_clear(gmsim_plugged *plugged);

/* After L2 has been initialised; after an SM's part has begun a launch. */
void gmsim_plugged_shared(const gmsim_plugged *plugged, gmsim_shared *shared);
void gmsim_plugged_sm(const gmsim_plugged *plugged, gmsim_sm_memory *memory, uint32_t number);

/* After a launch: false, and UNSUPPORTED, where an answer was wrong. */
bool gmsim_plugged_check(const gmsim_plugged *plugged, const gmsim_sm *sm,
                         const gmsim_shared *shared, GError **error);

#pragma GCC visibility pop

#endif
