/* SPDX-License-Identifier: MIT
 *
 * warp.h - a warp's way from one record to the next.
 */
#ifndef GMSIM_WARP_H
#define GMSIM_WARP_H

#include "sim/model/hot.h"
#include "sim/model/time/launch.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

typedef enum gmsim_ahead {
    GMSIM_AHEAD_FAILED,
    GMSIM_AHEAD_END,
    GMSIM_AHEAD_RECORD,
    GMSIM_AHEAD_WAITS, /* for an answer that is under way */
} gmsim_ahead;

/* Next segment of a warp: false at the end of its stream or on an error, which is then set. */
bool gmsim_warp_refill(gmsim_scheduler *s, gmsim_warp *warp, GError **error);

/* Finds the warp's next record that takes a turn, and when the warp can go on towards it if the
 * last one issued at `now`; at the end of its stream, when it ends. Instructions without memory
 * access, recorded or not, are only added up. */
gmsim_ahead gmsim_warp_ahead(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, uint64_t now,
                             uint64_t *ready, GError **error);

/* The same of a warp that waited, once the answers are taken up. */
gmsim_ahead gmsim_warp_go_on(gmsim_sm *sm, gmsim_warp *warp, uint64_t *ready);

/* The warp sets out on its way, or on a piece of it, at `next`: what it uses of pipes it takes of
 * clocks from then on. */
static inline void gmsim_warp_sets_out(const gmsim_sm *sm, gmsim_warp *warp, uint64_t next)
{
    warp->constant_idle = MAX(sm->constant_free, next) - sm->constant_taken;
    const gmsim_sub_partition *part = warp->part;
    for (uint32_t left = (warp->uses & GMSIM_USES_PIPES) | 1u << GMSIM_PIPE_ISSUE; left;
         left &= left - 1u) {
        const uint32_t p = gmsim_lowest(left);
        warp->idle[p] = MAX(part->pipe_free[p], next) - part->taken[p];
    }
}

/* The warp goes the next piece of its way from `now` on: at its own pace, and as other warps leave
 * it the pipes. Returns when it has. */
uint64_t gmsim_warp_piece(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now);

/* Its scheduler is with the warp until that clock (runs.c). */
static inline void gmsim_warp_hold(gmsim_warp *warp, uint64_t until)
{
    warp->part->held_by = warp;
    warp->part->held_until = until;
}

/* The run on the warp's way begins at `now`, or when the scheduler is free: it takes the scheduler,
 * and the way its pipes. Returns when the warp is at its record, if nothing else is in the way. */
uint64_t gmsim_warp_run(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, uint64_t now);

/* When the warp, which goes on at `now`, issues its next record, for the rest as below: to be
 * executed in a turn of its own at that clock. */
uint64_t gmsim_warp_issue(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, uint64_t now);

/* The warp, which goes on at `*now`, executes its next record. It issues after the warp's own time,
 * after what other warps have put on the pipes that it needs, and when its sub-partition's queue
 * has a place: `*now` becomes that clock. An access takes its time at the load-store unit, counts,
 * and something may wait for it; a barrier is the caller's. Returns NULL, or what is wrong with the
 * record. */
const char *gmsim_warp_execute(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                               const gmtrace_record *record, uint64_t *now);

/* The warp's turn comes soon: what it needs is to be in the host's cache by then. Other warps'
 * turns have pushed it out, and each of its turns would wait for these lines one after the other.
 */
GMSIM_INLINE void gmsim_warp_expect(gmsim_sm *sm, uint32_t slot)
{
    const gmsim_warp *warp = &sm->warp[slot];
    const uintptr_t next = (uintptr_t)sm->coming[slot], first = (uintptr_t)warp;
    __builtin_prefetch((const void *)next); /* the next two records */
    __builtin_prefetch((const void *)(next + 2u * sizeof *warp->cursor.next - 1u));
    for (size_t at = 0; at <= offsetof(gmsim_warp, path); at += 64u)
        __builtin_prefetch((const void *)(first + at));
    __builtin_prefetch(&warp->way);
    if ((sm->comes[slot] & (GMSIM_COMES_ACCESS | GMSIM_COMES_SHARED)) == GMSIM_COMES_ACCESS)
        gmsim_sm_memory_expect(&sm->memory, sm->comes_to[slot]);
}

/* Whether the record takes a place in its sub-partition's queue. */
static inline bool gmsim_warp_queues(const gmtrace_record *record)
{
    return G_LIKELY(record->kind == GMTRACE_ACCESS) || record->kind == GMTRACE_BULK ||
           record->kind == GMTRACE_TENSOR;
}

/* The record is the warp's next. */
static inline void gmsim_warp_comes(gmsim_sm *sm, const gmsim_warp *warp,
                                    const gmtrace_record *record)
{
    const uint32_t slot = (uint32_t)(warp - sm->warp);
    sm->coming[slot] = record;
    sm->comes_to[slot] = record->address / GMSIM_LINE_BYTES;
    sm->comes[slot] = (uint8_t)((gmsim_warp_queues(record) ? GMSIM_COMES_QUEUES : 0) |
                                (record->kind == GMTRACE_ACCESS ? GMSIM_COMES_ACCESS : 0) |
                                (record->space == GMTRACE_SPACE_SHARED ? GMSIM_COMES_SHARED : 0));
}

/* Whether the warp's next record, which is GMSIM_COMES_*, can be executed while answers are under
 * way. */
static inline bool gmsim_warp_has_room(const gmsim_scheduler *s, const gmsim_sm *sm,
                                       const gmsim_warp *warp, uint32_t comes)
{
    return sm->accesses < GMSIM_ACCESSES &&
           (!(comes & GMSIM_COMES_QUEUES) ||
            gmsim_replay_room(s->replay, &sm->memory, warp->cursor.next,
                              comes & GMSIM_COMES_ACCESS));
}

/* Whether the way of a warp that waits depends on none of what is not known, a mask. */
bool gmsim_warp_knows(const gmsim_warp *warp, uint32_t unknown);

#pragma GCC visibility pop

#endif
