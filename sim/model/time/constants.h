/* SPDX-License-Identifier: MIT
 *
 * constants.h - constants that an SM does not have at hand. Private to sim/model.
 */
#ifndef GMSIM_CONSTANTS_H
#define GMSIM_CONSTANTS_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

/* What of a kernel's constants its SMs have is followed where its code has loads of them with an
 * index. `lanes`: of a warp; `cold`: L2 has none of them. False without memory; to be ended in any
 * case. */
bool gmsim_constants_begin(gmsim_scheduler *s, const gmtrace_kernel *kernel, uint32_t lanes,
                           bool cold);
void gmsim_constants_end(gmsim_scheduler *s);
/* What a scheduler that runs some of another's SMs needs of its own: its s->constants, to be freed.
 * False without memory. */
bool gmsim_constants_share(gmsim_scheduler *own, const gmsim_scheduler *s);

/* The launch begins anew: nobody has read anything. */
void gmsim_constants_forget(gmsim_scheduler *s);

/* A warp begins in that slot. */
void gmsim_constants_enter(gmsim_scheduler *s, const gmsim_sm *sm, uint32_t slot);
/* It is to go the way, which would take it `clocks`, beginning `at` clocks from the last record. */
void gmsim_constants_set_out(gmsim_scheduler *s, const gmsim_sm *sm, uint32_t slot,
                             const gmtrace_path *way, uint64_t at, uint32_t clocks);
/* It goes so many clocks from `now` on, the last ones of its ways if `all`; those who came before
 * it have theirs by `asks`. Returns how much longer it waits for constants. */
uint64_t gmsim_constants_read(const gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now,
                              uint64_t asks, uint64_t clocks, bool all);
/* A step of all SMs is over. */
void gmsim_constants_step(gmsim_scheduler *s);

#pragma GCC visibility pop

#endif
