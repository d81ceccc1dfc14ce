/* SPDX-License-Identifier: MIT
 *
 * access.c - a warp's accesses to memory: their queue, the load-store unit, and who learns of their
 * answers.
 *
 * - A sub-partition holds gpu.sm_queue memory instructions that the SM's load-store unit has not
 *   taken (places.h). The unit takes one request a clock, more slowly where a request has many
 *   lines or bank conflicts, and not while the way to L2 is full of stores; accesses to shared
 *   memory pass those. Accesses of one warp do not overlap there, and take two clocks a wavefront
 *   of shared memory or of what L1 holds or awaits, copies a line: two warps keep it busy. A
 *   sub-partition hands it an access to shared memory every four clocks (micro/lsu_share.cu). The
 *   end of a group of copies takes its place behind them, and is known as a load that hits is.
 * - Where nothing stands in a queue, an access is taken, at a clock to come, as it issues. A store
 *   of parts of lines that the unit cannot take yet stands, and so does what comes meanwhile: the
 *   unit takes from the sub-partitions in turn (micro/store_ctas.cu, micro/store_many.cu), of those
 *   that have something for it: what comes behind a store they have gpu.sm_store_issue clocks later
 *   (micro/store_pitch.cu, `tile`); of CTAs of one warp it takes the oldest's first (`short`).
 *   Which stores follow each other, and so join, depends on it. What the warp cannot know until
 *   then it is told when the access is taken.
 *
 * Left out: that copies and bulk copies stand, too; whether older CTAs of several warps go first,
 * as well: some programs look like it, others do not.
 */
#include "sim/model/time/access.h"

#include "sim/model/count/lanes.h"
#include "sim/model/time/cluster.h"
#include "sim/model/time/mbarrier.h"
#include "sim/model/time/places.h"

/* Of the load-store unit, for the end of a group (micro/copy_timing.cu, `without`). */
#define COMMIT_CLOCKS 2u

static inline void commit(gmsim_warp *warp)
{
    uint32_t last = warp->groups_known++;
    uint64_t before = last ? warp->group[(last - 1u) % GMSIM_COPY_GROUPS] : 0;
    warp->group[last % GMSIM_COPY_GROUPS] = MAX(before, warp->copied);
}

void gmsim_access_land(gmsim_scheduler *s, gmsim_sm *sm, const gmsim_warp *warp, uint32_t number,
                       uint32_t ctas, uint64_t done)
{
    if (!ctas || !s->clusters.size || gmsim_cluster_tell(s, sm, warp->cta, ctas, number, 0, done))
        gmsim_mbarrier_land(s, sm, warp->cta, number, done);
}

uint32_t gmsim_access_completes(const gmsim_scheduler *s, const gmtrace_record *record)
{
    uint32_t offset;
    if (gmsim_phase_event_of(record, &offset) != GMSIM_PHASE_COPY)
        return 0;
    uint32_t number = gmsim_phases_find(&s->phases, offset & 0xffffffu);
    return number < GMSIM_MBARRIERS ? number + 1u : 0;
}

void gmsim_access_commit(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, uint64_t now)
{
    if (!s->plan.functional) {
        const uint64_t taken = MAX(sm->unit_free, now), begin = MAX(taken, warp->unit_free);
        sm->unit_free = taken + COMMIT_CLOCKS;
        sm->unit_work += COMMIT_CLOCKS;
        warp->copied = MAX(warp->copied, begin + s->plan.gpu->l1_latency);
    }
    warp->groups++;
    if (warp->under_way >> GMSIM_UNDER_WAY_COPIES & 1u)
        sm->access[sm->accesses++] =
            (gmsim_access){.slot = gmsim_slot_of(sm, warp), .commits = true};
    else
        commit(warp);
}

void gmsim_access_take_answers(gmsim_scheduler *s, gmsim_sm *sm)
{
    const gmsim_ask *ask = sm->memory.out.ask;
    for (uint32_t n = 0; n < sm->accesses; n++) {
        gmsim_access *access = &sm->access[n];
        gmsim_warp *warp = &sm->warp[access->slot];
        warp->under_way = 0;
        if (access->commits) {
            commit(warp);
            continue;
        }
        for (uint32_t left = access->asks; left; ask++) {
            if (!ask->waits)
                continue;
            left--;
            if (ask->done < access->done)
                continue;
            access->done = ask->done;
            access->queued = ask->queued;
            access->reach = ask->reach;
        }
        gmsim_access_take_up(s, sm, warp, access);
        gmsim_set_free(warp, access->read_board, access->read, 0, GMSIM_STALL_L1);
    }
    sm->accesses = 0;
    gmsim_outbox_clear(&sm->memory.out);
}

/* What an access will tell, as gmsim_warp.unserved. */
static uint32_t told_by(uint32_t board, uint32_t read_board)
{
    return 1u << GMSIM_UNDER_WAY_STORED | (board < GMSIM_SCOREBOARDS ? 1u << board : 0) |
           (read_board < GMSIM_SCOREBOARDS ? 1u << read_board : 0);
}

void gmsim_access_stand(const gmsim_gpu *gpu, gmsim_sm *sm, gmsim_warp *warp,
                        const gmtrace_record *record, uint64_t issue, uint32_t board,
                        uint32_t read_board)
{
    gmsim_sub_partition *part = warp->part;
    gmsim_standing *standing = &sm->stands[part - sm->part][part->next];
    const bool shared = record->space == GMTRACE_SPACE_SHARED;
    standing->issue = issue;
    part->stander[part->next] =
        (gmsim_stander){gmsim_access_hand(gpu, part, record, issue), gmsim_slot_of(sm, warp),
                        (uint8_t)board, (uint8_t)read_board};
    standing->record = *record;
    if (record->shape == GMTRACE_OFFSETS || record->shape == GMTRACE_FULL) {
        /* Its chunk may be gone by then. */
        gmsim_lane_addresses(warp->cursor.chunk, record, standing->address);
        standing->record.shape = GMTRACE_FULL;
        standing->record.lanes = 0;
    }
    warp->unserved |= told_by(board, read_board);
    part->shared_order |= (uint32_t)shared << part->standing;
    part->order[part->standing++] = (uint8_t)part->next;
    sm->standing++;
    sm->standing_shared += shared;
    gmsim_place_take(part, warp, GMSIM_PLACE_UNKNOWN, gpu->sm_queue);
}

/* The sub-partition whose turn it was when the unit took its last access, of those that had
 * something then, or else that which had something first; of CTAs of one warp that of the oldest.
 * And which of what stands there the unit takes. */
static gmsim_sub_partition *next_in_turn(const gmsim_scheduler *s, gmsim_sm *sm, uint32_t *which)
{
    const bool open = sm->held <= gmsim_unit_takes_at(sm) + GMSIM_AHEAD;
    const bool lone = s->plan.cta_warps == 1u;
    const uint32_t parts = s->plan.sub_partitions;
    gmsim_sub_partition *next = NULL;
    uint64_t first = UINT64_MAX, oldest = UINT64_MAX;
    for (uint32_t k = 1; k <= parts && (lone || first > sm->served_at); k++) {
        gmsim_sub_partition *part = &sm->part[(sm->served + k) % parts];
        if (!part->standing || !(open || part->shared_order))
            continue;
        const uint32_t n = open ? 0 : gmsim_lowest(part->shared_order);
        const gmsim_stander *head = &part->stander[part->order[n]];
        const uint64_t handed = MAX(head->handed, sm->served_at);
        const uint64_t cta = lone ? sm->warp[head->slot].who.cta : 0;
        if (handed < first || (handed == first && cta < oldest)) {
            first = handed;
            oldest = cta;
            next = part;
            *which = n;
        }
    }
    return next;
}

/* What the warp cannot know yet of its accesses that still stand. */
static uint32_t unserved_of(const gmsim_sub_partition *part, uint32_t slot)
{
    uint32_t unserved = 0;
    for (uint32_t i = 0; i < part->standing; i++) {
        const gmsim_stander *left = &part->stander[part->order[i]];
        unserved |= left->slot == slot ? told_by(left->board, left->read_board) : 0;
    }
    return unserved;
}

/* What comes next, as far as is known now, is to be in the host's cache by then. */
static void expect_next(const gmsim_scheduler *s, gmsim_sm *sm)
{
    uint32_t which;
    const gmsim_sub_partition *part = next_in_turn(s, sm, &which);
    const uint32_t place = part->order[which];
    const gmsim_standing *standing = &sm->stands[part - sm->part][place];
    const gmsim_warp *warp = &sm->warp[part->stander[place].slot];
    __builtin_prefetch(standing);
    __builtin_prefetch(standing->address);
    __builtin_prefetch(&warp->unit_free, 1);
    __builtin_prefetch(&warp->who, 1);
    __builtin_prefetch(&warp->who.answer, 1);
}

const char *gmsim_unit_take(gmsim_scheduler *s, gmsim_sm *sm, uint32_t *slot)
{
    uint32_t which;
    gmsim_sub_partition *part = next_in_turn(s, sm, &which);
    const uint32_t place = part->order[which], below = (1u << which) - 1u;
    const gmsim_standing *standing = &sm->stands[part - sm->part][place];
    const gmtrace_chunk chunk = {.address64 = standing->address};
    const gmsim_stander who = part->stander[place];
    gmsim_warp *warp = &sm->warp[who.slot];
    sm->served = (uint32_t)(part - sm->part);
    sm->served_at = gmsim_unit_takes_at(sm);
    sm->standing--;
    sm->standing_shared -= part->shared_order >> which & 1u;
    part->standing--;
    part->shared_order = (part->shared_order & below) | (part->shared_order >> 1 & ~below);
    for (uint32_t i = which; i < part->standing; i++)
        part->order[i] = part->order[i + 1u];
    if (sm->standing)
        expect_next(s, sm);
    const char *wrong = gmsim_access_serve(s, sm, warp, &chunk, &standing->record, standing->issue,
                                           who.board, who.read_board, GMSIM_READS_BEFORE);
    part->began[place] = warp->who.now;
    *slot = who.slot;
    warp->unserved = unserved_of(part, *slot);
    return wrong;
}
