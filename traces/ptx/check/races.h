/* SPDX-License-Identifier: MIT
 *
 * races.h - accesses of different warps to the same bytes that nothing orders, one of them a write.
 *
 * Time is a counter that barriers and releases step. A warp knows of what its CTA did before its
 * last barrier, and of what anybody did before the release that it last saw: an atomic, a volatile
 * or otherwise ordered store to global memory is a release; an atomic that returns, or such a load,
 * of the same word sees it. An access of another warp that is later than both is a race with this
 * one. All who release share one time, so more counts as ordered than is: what is told is a race of
 * the program, on a GPU too, but not every race is told.
 *
 * No race: a store of what is there already; atomics among themselves; an ordered access to global
 * memory; a plain load of a global word that others change by atomics. Within a warp only lanes of
 * one store that write different values to one word are a race: lanes run in step here.
 *
 * CTAs that are watched must run one after the other.
 */
#ifndef GMPTX_CHECK_RACES_H
#define GMPTX_CHECK_RACES_H

#include "traces/ptx/exec.h"

typedef struct ptx_races ptx_races;

/* For one launch, of each CTA the first `each` accesses of warps (0: all). NULL without memory. */
ptx_races *gmptx_open_races(uint32_t shared_bytes, uint32_t each);
void gmptx_close_races(ptx_races *races);

typedef enum ptx_touch { TOUCH_LOAD, TOUCH_STORE, TOUCH_REDUCTION, TOUCH_ATOMIC } ptx_touch;

/* Before the lanes of `mask` access `bytes` each at `host`. `value`: of a store, lane by lane,
 * `bytes` each; or NULL, and it counts as a change. */
void gmptx_watch_access(ptx_warp *w, const ptx_op *op, ptx_touch touch, bool shared, uint32_t mask,
                        uint32_t bytes, uint8_t *const *host, const uint8_t *value);
/* Before the warps that wait at the barrier go on. */
void gmptx_watch_barrier(ptx_cta *cta, uint32_t barrier);
/* A phase of an mbarrier is complete: as if all warps had met, which misses races, but makes none
 * up. */
void gmptx_watch_phase(ptx_cta *cta);
/* Hands the races found to the launch's callback, in the order in which they were met. */
void gmptx_tell_races(const ptx_races *races, const gmptx_launch *launch);
/* Was there too little room to watch all accesses? */
bool gmptx_races_incomplete(const ptx_races *races);

#endif
