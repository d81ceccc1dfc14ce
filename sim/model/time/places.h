/* SPDX-License-Identifier: MIT
 *
 * places.h - the queue between a sub-partition and the SM's load-store unit. It holds gpu.sm_queue
 * memory instructions that the unit has not taken. Of warps that wait for a place in it those of
 * the oldest CTA come next (micro/warp_order.cu, `store`; micro/store_merge.cu, `form`); of these
 * any one, by chance, where they store (micro/store_many.cu; store_merge.cu, `tile` and `quads`),
 * the first, where that accesses shared memory (micro/lsu_share.cu, `sts_32`), or else the last of
 * two, of more the third. Such a warp sets out so that it arrives with the place: what it waits
 * stands before its way, not behind it.
 */
#ifndef GMSIM_PLACES_H
#define GMSIM_PLACES_H

#include "sim/model/hot.h"
#include "sim/model/time/launch.h"

/* Of an access that stands in the queue. */
#define GMSIM_PLACE_UNKNOWN UINT64_MAX

/* When the sub-partition's queue has a place; it may not be known yet. */
GMSIM_INLINE uint64_t gmsim_place_at(const gmsim_sub_partition *part)
{
    return part->began[part->next];
}

/* The place is taken by the warp's instruction, which the load-store unit takes at `began`. */
GMSIM_INLINE void gmsim_place_take(gmsim_sub_partition *part, const gmsim_warp *warp,
                                   uint64_t began, uint32_t places)
{
    part->late[part->next] = warp->late;
    part->paced[part->next] = warp->paced;
    part->began[part->next] = began;
    part->next = part->next + 1u < places ? part->next + 1u : 0;
}

/* An entry of the line: the number of the warp's CTA, by which they stand there, and its slot. */
GMSIM_INLINE uint64_t gmsim_place_entry(const gmsim_warp *warp, uint32_t slot)
{
    return warp->who.cta * GMSIM_MAX_SM_WARPS + slot;
}

/* The slot at the head, where warps wait. */
GMSIM_INLINE uint32_t gmsim_place_first(const gmsim_sub_partition *part)
{
    return part->line[part->waiting - 1u] % GMSIM_MAX_SM_WARPS;
}

/* The warp that comes next is ready when there is a place. */
GMSIM_INLINE void gmsim_place_next(gmsim_scheduler *s, gmsim_sm *sm,
                                   const gmsim_sub_partition *part)
{
    uint32_t slot = gmsim_place_first(part);
    const uint64_t place = gmsim_place_at(part);
    if (place == GMSIM_PLACE_UNKNOWN) {
        sm->ready[slot] = GMSIM_NEVER;
        return;
    }
    gmsim_ready_at(s, sm, slot, MAX(place, sm->since[slot]));
}

/* Whether the warp, whose turn it is, has waited for a place: then it stands at the head. */
GMSIM_INLINE bool gmsim_place_has_waited(const gmsim_sub_partition *part, uint32_t slot)
{
    return part->waiting && gmsim_place_first(part) == slot;
}

/* The warp would issue a memory instruction at `now`, and its sub-partition's queue is full. */
GMSIM_INLINE void gmsim_place_wait(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    const gmsim_warp *warp = &sm->warp[slot];
    gmsim_sub_partition *part = warp->part;
    const uint64_t entry = gmsim_place_entry(warp, slot), cta = gmsim_place_entry(warp, 0);
    const uint32_t last = part->waiting++;
    uint64_t *at = &part->line[last];
    sm->since[slot] = now;
    sm->ready[slot] = GMSIM_NEVER;
    /* Most are of old CTAs, whose warps set out first and come again: from the head on. */
    for (; at != part->line && at[-1] < cta + GMSIM_MAX_SM_WARPS; at--) {
        if (at[-1] >= cta) { /* of one CTA: who came first, then by slot */
            const uint64_t since = sm->since[at[-1] % GMSIM_MAX_SM_WARPS];
            if (since > now || (since == now && at[-1] > entry))
                break;
        }
        *at = at[-1];
    }
    *at = entry;
    if (at != &part->line[last])
        return;
    if (last)
        sm->ready[at[-1] % GMSIM_MAX_SM_WARPS] = GMSIM_NEVER;
    gmsim_place_next(s, sm, part);
}

/* There is a place: which of the warps that wait `now` sets out, of the oldest CTA's. Where the
 * first stores it is as chance has it, else two stay behind, where there are so many; not so where
 * it accesses shared memory. Copies past the load-store unit go before nobody, nor does anybody
 * where there is no room for whatever an access may ask for: it was only asked whether there is for
 * what the first does. */
GMSIM_INLINE uint32_t gmsim_place_leave(gmsim_sm *sm, gmsim_sub_partition *part, uint64_t now)
{
    uint64_t *head = &part->line[--part->waiting];
    const uint64_t first = *head;
    const bool shared = sm->comes[first % GMSIM_MAX_SM_WARPS] & GMSIM_COMES_SHARED;
    const bool stores = sm->warp[first % GMSIM_MAX_SM_WARPS].cursor.next->op == GMTRACE_OP_STORE;
    const uint32_t behind = shared ? 0 : stores ? part->waiting : MIN(part->waiting, 2u);
    uint32_t n = 0;
    while (n < behind) {
        const uint64_t other = *(head - n - 1u);
        if ((other ^ first) >= GMSIM_MAX_SM_WARPS || sm->since[other % GMSIM_MAX_SM_WARPS] > now)
            break;
        n++;
    }
    if (n && stores)
        n = gmsim_scatter32(now ^ first << 7) % (n + 1u);
    uint32_t slot = *(head - n) % GMSIM_MAX_SM_WARPS;
    if (n && !(sm->comes[slot] & GMSIM_COMES_ACCESS && gmsim_sm_memory_record_room(&sm->memory))) {
        n = 0;
        slot = first % GMSIM_MAX_SM_WARPS;
    }
    if (n)
        sm->ready[first % GMSIM_MAX_SM_WARPS] = GMSIM_NEVER;
    for (head -= n; n; n--, head++)
        *head = head[1];
    return slot;
}

/* A memory instruction waits for its place from that clock on. As long as what holds the place
 * waits for pipes or constants itself, so does this one; then both wait for the load-store unit. */
GMSIM_INLINE void gmsim_place_count(gmsim_sm *sm, const gmsim_sub_partition *part, uint64_t from,
                                    bool shared)
{
    uint64_t wait = gmsim_place_at(part) - from, late = part->late[part->next];
    if (late) {
        uint64_t paced = part->paced[part->next], began = MAX(from, paced - late);
        uint64_t unpaced = paced > began ? paced - began : 0;
        sm->timing.stall[GMSIM_STALL_MATH] += unpaced;
        wait -= unpaced;
    }
    sm->timing.stall[shared ? GMSIM_STALL_SHARED : GMSIM_STALL_L1] += wait;
}

/* When a warp that has waited for its place sets out. */
GMSIM_INLINE uint64_t gmsim_place_set_out(gmsim_sm *sm, const gmsim_sub_partition *part,
                                          uint32_t slot)
{
    const gmsim_warp *warp = &sm->warp[slot];
    uint64_t place = gmsim_place_at(part), there = sm->since[slot] + warp->clocks;
    if (place <= there)
        return sm->since[slot];
    gmsim_place_count(sm, part, there, sm->comes[slot] & GMSIM_COMES_SHARED);
    return place - warp->clocks;
}

#endif
