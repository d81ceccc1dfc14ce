/* SPDX-License-Identifier: MIT
 *
 * warp.h - a warp's way from one record to the next.
 */
#ifndef GMSIM_WARP_H
#define GMSIM_WARP_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

typedef enum gmsim_ahead { GMSIM_AHEAD_FAILED, GMSIM_AHEAD_END, GMSIM_AHEAD_RECORD } gmsim_ahead;

/* Next segment of a warp: false at the end of its stream or on an error, which is then set. */
bool gmsim_warp_refill(gmsim_scheduler *s, gmsim_warp *warp, GError **error);

/* Finds the warp's next record that takes a turn, and when the warp can go on towards it if the
 * last one issued at `now`; at the end of its stream, when it ends. Instructions without memory
 * access, recorded or not, are only added up. */
gmsim_ahead gmsim_warp_ahead(gmsim_scheduler *s, gmsim_warp *warp, uint64_t now, uint64_t *ready,
                             GError **error);

/* When the record issues if the warp goes on at `now`: after its own time, and after what other
 * warps have put on the pipes it needs. */
uint64_t gmsim_warp_issue(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now);

/* An access: its time at the load-store unit, what it counts, and what waits for it. `*issue` moves
 * on while its sub-partition's queue is full. Returns NULL, or what is wrong with the record. */
const char *gmsim_warp_access(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                              const gmtrace_record *record, uint64_t *issue);

#pragma GCC visibility pop

#endif
