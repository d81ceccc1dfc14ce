/* SPDX-License-Identifier: MIT
 *
 * fetch.h - code that an SM does not have yet. Private to sim/model.
 */
#ifndef GMSIM_FETCH_H
#define GMSIM_FETCH_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

/* The launch finds caches that hold nothing of its code. False without memory; to be ended in any
 * case. */
bool gmsim_fetch_begin(gmsim_scheduler *s, const gmtrace_kernel *kernel);
void gmsim_fetch_end(gmsim_scheduler *s);

/* Clocks until the SM has what it had not of this code, `count` instructions from `first` on. */
uint32_t gmsim_fetch(gmsim_scheduler *s, const gmsim_sm *sm, uint32_t first, uint32_t count);

/* The same of a way. */
uint64_t gmsim_fetch_way(gmsim_scheduler *s, const gmsim_sm *sm, const gmtrace_path *way);

#pragma GCC visibility pop

#endif
