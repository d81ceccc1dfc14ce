/* SPDX-License-Identifier: MIT
 *
 * share.h - how the warps of a sub-partition share its pipes on long ways without a record.
 */
#ifndef GMSIM_SHARE_H
#define GMSIM_SHARE_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

/* A way is gone in pieces of so many clocks, longer ones only where all warps of the sub-partition
 * have far more before them, so that warps share pipes on it. Of the simulation, not of a GPU. */
#define GMSIM_PIECE_CLOCKS 128u

/* The warp sets out on the rest of a way longer than that. Sets how many pieces are left, and what
 * the warp takes of the pipes on the next; returns by how many clocks others delay that one. */
uint64_t gmsim_share(const gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot);

/* By how much others hold up the warp that sets out on a way not longer than that, at `now`. */
uint64_t gmsim_share_meet(const gmsim_scheduler *s, const gmsim_sm *sm, gmsim_warp *warp,
                          uint64_t now);

/* The warp's way is over at `now`: younger ones, which it delayed, go on at once. */
void gmsim_share_over(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now);

#pragma GCC visibility pop

#endif
