/* SPDX-License-Identifier: MIT
 *
 * carveout.h - how much of an SM's unified memory the driver sets aside as shared memory.
 */
#ifndef GMSIM_CARVEOUT_H
#define GMSIM_CARVEOUT_H

#include "sim/model/occupancy.h"

#pragma GCC visibility push(hidden)

/* The smallest carve-out on offer that holds `bytes`, or the largest there is. */
uint32_t gmsim_carveout_for(const gmsim_gpu *gpu, uint64_t bytes);

/* The driver's choice in bytes for CTAs of which `blocks` fit an SM with the largest carve-out that
 * can be had. `limits` holds what stops them, shared memory aside, and the warps and the shared
 * memory of one, reservation and rounding included. */
uint32_t gmsim_carveout_chosen(const gmsim_gpu *gpu, const gmsim_demand *demand,
                               const gmsim_occupancy *limits, uint32_t blocks);

#pragma GCC visibility pop

#endif
