/* SPDX-License-Identifier: MIT
 *
 * fetch.h - code that an SM does not have yet. Private to sim/model.
 */
#ifndef GMSIM_FETCH_H
#define GMSIM_FETCH_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

/* A launch of the kernel begins; cold: in caches that hold nothing of its code. False without
 * memory; to be ended in any case. */
bool gmsim_fetch_begin(gmsim_scheduler *s, const gmtrace_kernel *kernel, bool cold);
void gmsim_fetch_end(gmsim_scheduler *s);
/* Clocks begin at 0 again; what SMs have stays. */
void gmsim_fetch_restart(gmsim_scheduler *s);

/* A warp of the SM would go the way from the clock `begin` on, in so many clocks: clocks that it
 * waits for code in all. Only where s->code is. */
uint64_t gmsim_fetch_way(gmsim_scheduler *s, gmsim_sm *sm, const gmtrace_path *way, uint64_t begin,
                         uint32_t clocks);

/* The same of an instruction that is in the trace. */
uint64_t gmsim_fetch_instruction(gmsim_scheduler *s, const gmsim_sm *sm, uint32_t instr,
                                 uint64_t begin);

#pragma GCC visibility pop

#endif
