/* SPDX-License-Identifier: MIT
 *
 * atomics.h - what an atomic's line takes on the way out of the SM, and in L2.
 */
#ifndef GMSIM_ATOMICS_H
#define GMSIM_ATOMICS_H

#include "sim/device/gpu.h"
#include "sim/model/cache/message.h"

#pragma GCC visibility push(hidden)

/* Clocks on the way out of the SM. */
uint32_t gmsim_atomic_units(const gmsim_ask *ask, const gmsim_message *message);

/* Parts of a clock that the slice works on it, and that a group of slices would, were the work the
 * same on all groups of the cluster. */
typedef struct gmsim_atomic_work {
    uint64_t slice, group;
    uint64_t beside; /* of `slice`, what loads keep waiting, and others of it */
    bool by_side;    /* the slice keeps up with its sectors: sides take turns by their ways to it */
} gmsim_atomic_work;

/* cost: parts of a clock for a sector; among: of how many different sectors, these among them, the
 * slice's last ones were. */
gmsim_atomic_work gmsim_atomic_work_of(const gmsim_gpu *gpu, const gmsim_ask *ask,
                                       const gmsim_message *message, uint32_t cost, uint32_t among);

#pragma GCC visibility pop

#endif
