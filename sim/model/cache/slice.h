/* SPDX-License-Identifier: MIT
 *
 * slice.h - what passes a slice of L2: requests and data come in, data go out, each at its rate;
 * and times at which nothing passes. A store to a line of which sectors are on their way from DRAM
 * waits in its slice until they are there, and all requests behind it wait, too, of whatever lines
 * and SMs (micro/fill_store.cu: such stores right behind their loads, a line a warp, take twice
 * as long in all, of squares of 16 by 16 doubles three and seven times; as long as others do where
 * 800 clocks lie between). The SM waits for nothing meanwhile (micro/awaited_blocks.cu).
 *
 * A store that makes L2 complete partly written sectors keeps its slice, too, for a part of the
 * time that DRAM takes for it (gpu.l2_completed_percent; micro/row_pitch.cu, partial_rows.cu).
 *
 * Left out: atomics to such lines.
 */
#ifndef GMSIM_SLICE_H
#define GMSIM_SLICE_H

#include <stdbool.h>

#include "sim/model/time/queue.h"

#pragma GCC visibility push(hidden)

typedef struct gmsim_slice {
    gmsim_queue in, out;
    uint64_t shut, opens; /* the last time at which nothing passed: from, to; all such clocks are
                           * those at which requests leave their SMs */
} gmsim_slice;

/* Clocks that a request waits which leaves its SM at `now`. SMs are served one after the other
 * (queue.h): it may have left before the slice was shut. */
static inline uint64_t gmsim_slice_wait(const gmsim_slice *slice, uint64_t now)
{
    return now >= slice->shut && now < slice->opens ? slice->opens - now : 0;
}

/* A store that leaves its SM at `now` shuts the slice until `opens`, which is no sooner than now
 * and gmsim_slice_wait(). A time that does not touch the last one takes its place. */
static inline void gmsim_slice_shut(gmsim_slice *slice, uint64_t now, uint64_t opens)
{
    const bool apart = now > slice->opens || opens < slice->shut;
    slice->shut = apart || now < slice->shut ? now : slice->shut;
    slice->opens = opens;
}

#pragma GCC visibility pop

#endif
