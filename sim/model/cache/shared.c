/* SPDX-License-Identifier: MIT
 *
 * shared.c - a message's way through LRC, L2 and DRAM, and the time it takes. Rules, as measured on
 * an H200 by micro/memory_timing.cu and micro/latency_spread.cu:
 *
 * - L2 has slices. Each takes requests (a line of a load, a sector of a store, one more for a line
 *   not written whole, a sector from DRAM) and gives sectors at its own rate.
 * - Neighbouring lines lie in the slices of one group, neighbouring groups of lines in the groups
 *   of one cluster (micro/atomics_timing.cu, micro/memory_timing.cu, shared). Which cluster and
 *   where in it they begin are hashes: lines at equal steps, powers of two as well, lie in all
 *   slices (micro/sparse_stores.cu: 4,096 bytes apart).
 * - A line comes from L2 after gpu.l2_latency, more or less by where SM and slice lie; later if the
 *   other side has it; from DRAM (dram.c) after gpu.dram_latency if its home is on the SM's side,
 *   else gpu.dram_far_latency.
 * - What SMs write and what comes from DRAM for them enters L2 by a port for each GPC
 *   (micro/ports.cu). Lines that both sides store to, one shortly after the other: contest.h.
 * - A read that finds its line on the way from DRAM to L2 waits for it, brings nothing more, and
 *   counts as a miss (micro/merge.cu). Of the longer way to DRAM half is there, half back: an SM of
 *   the other side has a line sooner where one of the home's side asks for it at the same time, and
 *   SMs that go through the same data together are faster than one alone (micro/together.cu).
 * - Atomics of a line and reads of it are carried out one after the other by the slice that does
 *   its atomics; to turn from one to the other takes time (micro/hot_line.cu).
 *
 * Left out: the slices' true hashes, the fabric between L2's sides.
 */
#include "sim/model/cache/shared.h"

#include "sim/model/cache/atomics.h"
#include "sim/model/count/coalesce.h"
#include "sim/model/count/lanes.h"
#include "sim/model/hot.h"
#include "sim/model/watch.h"

#include <string.h>

#define AHEAD GMSIM_MESSAGES_AHEAD

/* Work of slices is counted in parts of a clock. */
#define PARTS      16u
#define COST_SHIFT 7u    /* what a byte of DRAM counts: 128ths of those */
#define FILL_PARTS 4096u /* that of ports, where an error would add up over all slices */

/* Percent of a crossing for a reduction, of which nothing comes back (micro/l2_crossing.cu). */
#define CROSS_RED 75u

/* What DRAM brings of a line is in its slice so many clocks sooner than what a load from L2 that
 * is answered with it would take there (micro/fill_store.cu). */
#define FILL_EARLY 30u

/* Percent of a slice's time for a read that a read of a line takes on which its slice has carried
 * out an atomic in the last HOT_CLOCKS, and that it takes more right behind one
 * (micro/hot_line.cu: 2.2 clocks, and 2.5). */
#define HOT_READ   200u
#define HOT_TURN   235u
#define HOT_CLOCKS 500u

void gmsim_shared_begin(gmsim_shared *shared)
{
    memset(shared->lrc, 0, MAX(shared->gpu->launch_groups.count, 1u) * sizeof *shared->lrc);
    memset(shared->crowd, 0, sizeof shared->crowd);
    memset(shared->fill, 0, sizeof shared->fill);
    memset(shared->contest, 0xff, sizeof shared->contest);
    memset(shared->contested, 0, sizeof shared->contested);
    memset(shared->slice, 0, sizeof shared->slice);
    memset(shared->atomics, 0, sizeof shared->atomics);
    memset(shared->rivals, 0, sizeof shared->rivals);
    memset(shared->order, 0, sizeof shared->order);
    memset(shared->crossing, 0, sizeof shared->crossing);
    gmsim_dram_begin(&shared->dram, shared->gpu);
    memset(shared->filling, 0, sizeof shared->filling);
    shared->updates = shared->holds = false;
    shared->step = shared->drained = 0;
}

void gmsim_shared_step(gmsim_shared *shared, uint64_t step)
{
    gmsim_dram_step(&shared->dram, step - MIN(step, shared->step));
    shared->step = step;
}

static uint32_t shift_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

/* Clocks in parts that a slice needs for `bytes`, if all together serve `rate` bytes a clock. */
static uint32_t slice_parts(const gmsim_shared *shared, uint32_t bytes, uint32_t rate)
{
    return rate ? MAX((shared->slices * bytes * PARTS + rate / 2u) / rate, 1u) : 0;
}

static uint32_t fill_cost(uint32_t rate)
{
    return rate ? (GMSIM_SECTOR_BYTES * FILL_PARTS + rate / 2u) / rate : 0;
}

uint32_t gmsim_gpc_of(const gmsim_gpu *gpu, uint32_t group)
{
    uint32_t largest = 0, gpc = 0, sms = 0;
    for (uint32_t i = 0; i < gpu->launch_groups.count; i++)
        largest = MAX(largest, gpu->launch_groups.value[i]);
    for (uint32_t i = 0; i <= group && i < gpu->launch_groups.count; i++) {
        sms += gpu->launch_groups.value[i];
        if (sms > largest) {
            sms = gpu->launch_groups.value[i];
            gpc++;
        }
    }
    return gpc;
}

/* What SMs write and what comes from DRAM enters L2 by a port for each GPC (micro/ports.cu, all),
 * and what they read merges (lrc.h). */
static void init_gpcs(gmsim_shared *shared)
{
    const gmsim_gpu *gpu = shared->gpu;
    const uint32_t groups = gpu->launch_groups.count;
    const uint32_t rate = groups < 2u ? 0 : gpu->l2_group_write_bytes_per_clock;
    shared->fill_cost = fill_cost(rate ? rate : gpu->l2_write_bytes_per_clock);
    memset(shared->port, 0, sizeof shared->port);
    memset(shared->lrc_of, 0, sizeof shared->lrc_of);
    for (uint32_t i = 0; i < groups; i++) {
        shared->lrc_of[i] = gmsim_gpc_of(gpu, i);
        shared->port[i] = rate ? shared->lrc_of[i] : 0;
    }
}

void gmsim_shared_init(gmsim_shared *shared, gmsim_l2_set *set, const gmsim_gpu *gpu)
{
    shared->gpu = gpu;
    gmsim_l2_init(&shared->l2, set, gpu);
    shared->slices = CLAMP(gpu->l2_slices, 1u, GMSIM_SLICES);
    shared->sector_fill = 1u;
    shared->groups = MAX(shared->slices / gpu->l2_group_slices, 1u);
    shared->clusters = MAX(shared->slices / gpu->l2_cluster_slices, 1u);
    shared->cluster_slices = shared->slices / shared->clusters;
    uint32_t mask = shared->cluster_slices - 1u;
    shared->cluster_mask = shared->cluster_slices & mask ? 0 : mask;
    shared->sector_cost = slice_parts(shared, GMSIM_SECTOR_BYTES, gpu->l2_bytes_per_clock);
    shared->write_cost = slice_parts(shared, GMSIM_SECTOR_BYTES, gpu->l2_write_bytes_per_clock);
    shared->completed_cost = (uint64_t)slice_parts(shared, gpu->l2_completed_percent << COST_SHIFT,
                                                   gpu->dram_bytes_per_clock) /
                             100u;
    init_gpcs(shared);
    shared->cross_cost =
        gpu->l2_crossings_per_clock ? GMSIM_L2_SIDES * FILL_PARTS / gpu->l2_crossings_per_clock : 0;
    shared->read_cost = slice_parts(shared, 1u, gpu->l2_reads_per_clock);
    shared->crowded_cost = shared->read_cost * gpu->lrc_again_percent / 100u;
    shared->atomic_cost =
        slice_parts(shared, 1u, gpu->l2_atomics_per_clock) * shared->groups / shared->slices;
    shared->group_slices_shift = shift_of(gpu->l2_group_slices);
    shared->group_shift = shift_of(gpu->l2_group_lines);
    shared->cluster_shift = shift_of(gpu->l2_cluster_lines);
    shared->write_clocks = gpu->l2_latency * gpu->l2_write_percent / 100u;
    shared->lrc_clocks = gpu->l2_latency * gpu->lrc_way_percent / 100u;
    /* Nearer or farther than the mean, for each pair of GPC and group of slices. */
    for (uint32_t gpc = 0; gpc < GMSIM_LIST_MAX; gpc++)
        for (uint32_t group = 0; group < GMSIM_SLICES; group++)
            shared->away[gpc][group] =
                (int16_t)((int32_t)(gmsim_hash32(((uint64_t)gpc << 16 | group) + 1u) %
                                    (2u * gpu->l2_spread + 1u)) -
                          (int32_t)gpu->l2_spread);
}

/* Which cluster a line is in, and more. */
GMSIM_INLINE uint32_t cluster_hash(const gmsim_shared *shared, uint64_t line)
{
    return gmsim_hash32((line ^ line >> 17) >> shared->cluster_shift);
}

/* Neighbouring groups of lines lie in the groups of slices of one cluster; `within` says in which
 * slice of the group, the rest does not matter. */
GMSIM_INLINE uint32_t slice_at(const gmsim_shared *shared, uint32_t hash, uint32_t block,
                               uint32_t within)
{
    uint32_t first = (uint32_t)((uint64_t)hash * shared->clusters >> 32) * shared->cluster_slices;
    uint32_t group = (block + (hash & 0xfu)) << shared->group_slices_shift;
    uint32_t in_group = within & (shared->gpu->l2_group_slices - 1u);
    uint32_t number = group | in_group, mask = shared->cluster_mask;
    return first + (mask ? number & mask : number % shared->cluster_slices);
}

/* Neighbouring lines lie in the slices of one group, from a slice on that a hash of the group of
 * lines picks, with another factor than the clusters' has: lines at equal steps lie in all slices,
 * whatever the step. The upper six bits are enough for the largest groups. */
GMSIM_INLINE uint32_t slice_of(const gmsim_shared *shared, uint64_t line)
{
    uint32_t block = (uint32_t)(line >> shared->group_shift);
    return slice_at(shared, cluster_hash(shared, line), block,
                    (uint32_t)line + (block * 0xbf58476du >> 26));
}

/* Atomics of eight neighbouring lines are carried out in two slices of the group, by pairs of
 * lines, and those of the lines that have the group next in the other two: all on 4, 8, 16, 32 and
 * 64 lines are 2, 2, 4, 8 and 16 times as fast as on one (micro/atomics_timing.cu). */
static uint32_t atomic_slice_of(const gmsim_shared *shared, uint64_t line)
{
    uint32_t hash = cluster_hash(shared, line), block = (uint32_t)(line >> shared->group_shift);
    uint32_t one = ((uint32_t)(line >> 1) ^ hash >> 8) & 1u;
    uint32_t pair = ((uint32_t)(line >> 4) ^ hash >> 4) & 2u;
    return slice_at(shared, hash, block, (pair | one) + block);
}

/* What the SMs of a GPC write and what comes from DRAM for them goes into L2 at one rate. */
GMSIM_INLINE uint64_t fill_l2(gmsim_shared *shared, uint32_t gpc, uint64_t now, uint32_t sectors)
{
    gmsim_queue *port = &shared->filling[shared->port[gpc]];
    return gmsim_queue_take(port, shared->step, now, (uint64_t)sectors * shared->fill_cost,
                            FILL_PARTS);
}

GMSIM_INLINE uint64_t use_dram(gmsim_shared *shared, gmsim_l2_cost cost, uint64_t line,
                               uint64_t now)
{
    return cost.read | cost.written ? gmsim_dram_take(&shared->dram, cost, line, shared->step, now)
                                    : 0;
}

/* The answer to a message came later than those before. */
GMSIM_INLINE void later(gmsim_ask *ask, uint64_t done, uint64_t queued, gmsim_reach reach)
{
    if (done <= ask->done)
        return;
    ask->done = done;
    ask->queued = queued;
    ask->reach = (uint8_t)reach;
}

/* Clocks that a request of an SM of that side waits to cross to the other side of L2; as much as
 * `percent` of a read. */
GMSIM_INLINE uint64_t cross(gmsim_shared *shared, uint32_t side, uint64_t now, uint32_t percent)
{
    return gmsim_queue_take(&shared->crossing[side], shared->step, now,
                            shared->cross_cost * percent / 100u, FILL_PARTS);
}

/* Where the sender's reads merge. */
GMSIM_INLINE gmsim_lrc_entry *lrc_of(gmsim_shared *shared, gmsim_sender from)
{
    return shared->lrc[shared->lrc_of[from.gpc]];
}

/* Where it stands when what comes from DRAM of a line is there. */
GMSIM_INLINE gmsim_fill *fill_at(gmsim_shared *shared, uint64_t line)
{
    return &shared->fill[gmsim_hash_slot(line, GMSIM_FILLS)];
}

/* Clocks that what a read brings from DRAM waits in queues, where `turn` is DRAM's own; *refresh:
 * those for a refresh besides. */
GMSIM_INLINE uint64_t wait_for_dram(gmsim_shared *shared, gmsim_sender from, gmsim_l2_cost cost,
                                    uint64_t line, uint64_t now, uint64_t turn, uint64_t *refresh)
{
    const uint64_t wait = fill_l2(shared, from.gpc, now, cost.read * shared->sector_fill);
    *refresh = gmsim_dram_refresh_wait(&shared->dram, line, now);
    return MAX(turn, wait) + gmsim_dram_bank_wait(&shared->dram, line, shared->step);
}

/* Clocks that reads of so many sectors of a line wait for its slice, which works so long on them.
 */
GMSIM_INLINE uint64_t read_slice(gmsim_shared *shared, uint32_t number, uint64_t now, uint32_t work,
                                 uint32_t sectors)
{
    gmsim_slice *slice = &shared->slice[number];
    const uint64_t in = gmsim_queue_take(&slice->in, shared->step, now, work, PARTS);
    const uint64_t out =
        gmsim_queue_take(&slice->out, shared->step, now, sectors * shared->sector_cost, PARTS);
    const uint64_t shut = gmsim_slice_wait(slice, now);
    return MAX(MAX(in, out), shut);
}

/* So many reads that had joined others go on to L2 after all, where they hit; of as many sectors,
 * say, as the read that shows it. */
static __attribute__((noinline)) void go_on_late(gmsim_shared *shared, uint64_t line, uint64_t now,
                                                 uint32_t reads, uint32_t sectors)
{
    read_slice(shared, slice_of(shared, line), now, reads * shared->crowded_cost, reads * sectors);
    shared->l2.counts.read_sectors += reads * sectors;
    shared->l2.counts.read_hit_sectors += reads * sectors;
}

/* The slice that reads the line: that of its atomics, if it has just carried out one of them. Then
 * *work becomes what the read takes of it. */
GMSIM_INLINE uint32_t slice_to_read(gmsim_shared *shared, uint64_t line, uint64_t now,
                                    uint32_t *work)
{
    if (G_UNLIKELY(shared->updates)) {
        const uint32_t number = atomic_slice_of(shared, line);
        gmsim_rivals *rivals = &shared->rivals[number];
        if (rivals->last >> 4 == line && now < rivals->clock + HOT_CLOCKS) {
            *work = shared->read_cost * (HOT_READ + (rivals->read ? 0 : HOT_TURN)) / 100u;
            rivals->read = true;
            return number;
        }
    }
    return slice_of(shared, line);
}

/* Reductions wait for what a slice reads of L2's memory and brings into it, of whatever lines
 * (micro/atomics_beside.cu). */
static __attribute__((noinline)) void keep_reductions(gmsim_shared *shared, uint32_t number,
                                                      uint64_t now, uint32_t read, uint32_t brought)
{
    const gmsim_gpu *gpu = shared->gpu;
    gmsim_queue_take(&shared->rivals[number].reads, shared->step, now,
                     (read * gpu->atomic_read + brought * gpu->atomic_fill) * PARTS / 100u, PARTS);
}

/* The request has just asked for the same (copies past L1, to several places). */
static inline bool is_again(const gmsim_message *message, uint32_t i)
{
    return i && message[i].line == message[i - 1u].line &&
           message[i].touched == message[i - 1u].touched;
}

/* A line's sectors from L2 or beyond; `again`: as above. */
GMSIM_INLINE void read_line(gmsim_shared *shared, gmsim_lrc_entry *lrc, const gmsim_l2_place *place,
                            gmsim_sender from, gmsim_ask *ask, gmsim_message *message, bool again)
{
    const gmsim_gpu *gpu = shared->gpu;
    uint64_t line = message->line, now = message->clock;
    gmsim_reach far = GMSIM_REACH_L2;
    gmsim_lrc_entry *entry = NULL;
    uint64_t before = shared->lrc_clocks, at = now + before;
    uint32_t count = gmsim_sector_count(message->touched), read_cost = shared->read_cost;
    if (gpu->lrc_merge > 1u && !message->anew) {
        gmsim_lrc_crowd *crowd = gmsim_lrc_crowd_at(shared->crowd[from.side], line);
        uint32_t late;
        entry = gmsim_lrc_find(gmsim_lrc_at(lrc, line), line, at);
        const bool own = G_UNLIKELY(again) && gmsim_lrc_is_own(crowd, line, at);
        if (!own)
            gmsim_lrc_enter(crowd, line, message->touched, from.sm, at);
        gmsim_lrc_role role = gmsim_lrc_meet(entry, line, message->touched, at, gpu->lrc_merge);
        if (!own) {
            role = gmsim_lrc_among(crowd, entry, role, &late);
            if (G_UNLIKELY(late))
                go_on_late(shared, line, now, late, count);
        }
        if (role == GMSIM_LRC_JOINS) {
            message->clock = gmsim_lrc_back(entry, at) + before;
            later(ask, message->clock, 0, far);
            return;
        }
        if (gmsim_lrc_crowded(crowd, at))
            read_cost = shared->crowded_cost;
        if (role == GMSIM_LRC_ALONE)
            entry = NULL;
    }
    const uint32_t number = slice_to_read(shared, line, now, &read_cost);
    uint64_t queued = read_slice(shared, number, now, read_cost, count);
    gmsim_fill *fill = fill_at(shared, line);
    uint64_t away = (uint64_t)shared->away[from.gpc][number >> shared->group_slices_shift];
    gmsim_l2_cost cost = G_UNLIKELY(ask->whole_lines | ask->first)
                             ? gmsim_l2_read_hinted(&shared->l2, place, from.side, message->touched,
                                                    ask->whole_lines, ask->first)
                             : gmsim_l2_read(&shared->l2, place, from.side, message->touched);
    uint64_t latency = gpu->l2_latency + away;
    const uint64_t in_line = queued; /* for the slice: on the way to where reads merge */
    if (place->home != from.side && cost.reach != GMSIM_L2_NEAR) {
        const uint64_t crossing = cross(shared, from.side, now, 100u);
        queued = MAX(queued, crossing);
    }
    if (cost.reach == GMSIM_L2_FAR)
        latency = MAX(latency, gpu->l2_far_latency + away);
    uint64_t turn = use_dram(shared, cost, line, now + queued);
    if (G_UNLIKELY(shared->updates))
        keep_reductions(shared, number, now, count, cost.read);
    const bool near = place->home == from.side || !gpu->dram_far_latency;
    const uint64_t from_dram = (near ? gpu->dram_latency : gpu->dram_far_latency) + away;
    const uint64_t back =
        near ? 0 : (gpu->dram_far_latency - MIN(gpu->dram_far_latency, gpu->dram_latency)) / 2u;
    if (cost.reach == GMSIM_L2_DRAM) {
        uint64_t refresh;
        queued += wait_for_dram(shared, from, cost, line, now + queued, turn, &refresh);
        latency = from_dram + refresh;
        far = GMSIM_REACH_DRAM;
        *fill = (gmsim_fill){line, now, now + latency + queued - back, refresh + queued};
    } else if (fill->line == line && now + latency < fill->done + back &&
               now + GMSIM_STEP >= fill->start) { /* still on its way; this may be there first */
        fill->done = MIN(fill->done, now + from_dram + fill->waits - back);
        latency = MAX(fill->done + back - now, latency + queued) - queued;
        far = GMSIM_REACH_DRAM;
    }
    message->clock = now + latency + queued;
    if (!near) {
        gmsim_far_order *order = &shared->order[from.side][number];
        const uint64_t there = message->clock - away;
        if (far == GMSIM_REACH_DRAM)
            gmsim_far_order_miss(order, now, there);
        else
            message->clock = gmsim_far_order_hit(order, now, there) + away;
        queued = message->clock - now - latency;
    }
    if (entry) {
        uint64_t done = MAX(at, message->clock - MIN(message->clock, before));
        const uint32_t late = (uint32_t)MIN(in_line, done - at);
        *entry = (gmsim_lrc_entry){
            .line = line,
            .done = done,
            .late = late,
            .under = (uint32_t)(done - at) - late,
            .sectors = message->touched,
            .readers = 1u,
        };
    }
    later(ask, message->clock, queued, far);
}

/* What a prefetch asks for comes into L2 at its home; reads that want it wait for it there. */
static __attribute__((noinline)) void bring_line(gmsim_shared *shared, const gmsim_l2_place *place,
                                                 gmsim_sender from, gmsim_message *message)
{
    const gmsim_gpu *gpu = shared->gpu;
    const uint64_t line = message->line, now = message->clock;
    const uint32_t number = slice_of(shared, line);
    uint64_t queued =
        gmsim_queue_take(&shared->slice[number].in, shared->step, now, shared->read_cost, PARTS);
    const gmsim_l2_cost cost = gmsim_l2_bring(&shared->l2, place, message->touched);
    const uint64_t turn = use_dram(shared, cost, line, now);
    if (cost.reach != GMSIM_L2_DRAM)
        return;
    uint64_t refresh;
    queued += wait_for_dram(shared, from, cost, line, now, turn, &refresh);
    const uint64_t done = now + gpu->dram_latency + refresh + queued +
                          (uint64_t)shared->away[from.gpc][number >> shared->group_slices_shift];
    *fill_at(shared, line) = (gmsim_fill){line, now, done, refresh + queued};
    message->clock = done;
}

static gmsim_contest *contest_at(gmsim_shared *shared, uint64_t line)
{
    return &shared->contest[gmsim_hash_slot(line, GMSIM_CONTESTS)];
}

/* Both sides have the line. Who stores to it while the other does, too, takes another slice, and
 * more of it; or no less: *work is what it would take. Returns the slice. */
static __attribute__((noinline)) uint32_t contest(gmsim_shared *shared, uint32_t side,
                                                  gmsim_message *message, uint32_t *work)
{
    const gmsim_gpu *gpu = shared->gpu;
    const uint64_t line = message->line;
    if (!gmsim_contest_meets(contest_at(shared, line), gpu, side, line, message->clock))
        return slice_of(shared, line);
    const uint32_t number = atomic_slice_of(shared, line);
    const uint32_t lines = gmsim_contest_lines(&shared->contested[number], line);
    const uint32_t least = gmsim_contest_work(gpu, lines, message->units);
    *work = MAX(*work, least);
    message->holds = lines == 1u;
    shared->holds |= message->holds;
    return number;
}

/* Clocks that a store waits for its slice, which it keeps from others if sectors of its line are on
 * their way there (slice.h). */
GMSIM_INLINE uint64_t write_slice(gmsim_shared *shared, uint32_t number, uint64_t line,
                                  uint64_t now, uint32_t work)
{
    gmsim_slice *slice = &shared->slice[number];
    const uint64_t in = gmsim_queue_take(&slice->in, shared->step, now, work, PARTS);
    const uint64_t shut = gmsim_slice_wait(slice, now);
    const gmsim_fill *fill = fill_at(shared, line);
    const uint64_t back = shared->gpu->l2_latency + FILL_EARLY;
    if (G_UNLIKELY(fill->line == line && fill->done > now + shut + back && fill->start <= now)) {
        gmsim_slice_shut(slice, now, fill->done - back);
        return MAX(in, fill->done - back - now);
    }
    return MAX(in, shut);
}

GMSIM_INLINE void write_line(gmsim_shared *shared, const gmsim_l2_place *place, gmsim_sender from,
                             gmsim_message *message, const uint64_t bytes[2])
{
    uint64_t line = message->line, leaves = message->clock, behind;
    uint32_t units = message->units;
    gmsim_l2_cost cost =
        gmsim_l2_write(&shared->l2, place, from.side, message->touched, message->full, bytes);
    if (G_UNLIKELY(message->again)) {
        uint32_t again = gmsim_sector_count(message->again);
        shared->l2.counts.write_sectors -= again;
        shared->l2.counts.write_hit_sectors -= again;
    }
    uint32_t work = units * shared->write_cost;
    behind = use_dram(shared, cost, line, leaves);
    if (cost.read) { /* the slice waits for what is completed */
        const uint64_t until = shared->dram.last * shared->completed_cost >> COST_SHIFT;
        work = MAX(work, (uint32_t)until);
    }
    const uint32_t number = G_UNLIKELY(cost.reach == GMSIM_L2_BOTH)
                                ? contest(shared, from.side, message, &work)
                                : slice_of(shared, line);
    uint64_t wait = write_slice(shared, number, line, leaves, work);
    if (G_UNLIKELY(message->holds))
        gmsim_contest_waits(contest_at(shared, line), from.side, leaves + wait);
    wait = MAX(wait, behind);
    behind = fill_l2(shared, from.gpc, leaves, units);
    wait = MAX(wait, behind);
    message->clock = leaves + units + wait + shared->write_clocks;
    shared->drained = MAX(shared->drained, message->clock);
}

/* Adds work of one side's SMs to what a slice is to carry out; returns the clocks until it is its
 * turn. While SMs of both sides wait the line's side has `near` percent of the slice. */
static uint64_t take_turn(gmsim_rivals *rivals, uint64_t step, uint64_t now, uint64_t work,
                          bool far, uint64_t near)
{
    uint64_t served = (step - MIN(step, rivals->step)) * PARTS;
    uint64_t share = MIN(rivals->work[0], served * near / 100u);
    uint64_t rest = MIN(rivals->work[1], served - share);
    rivals->work[0] -= MIN(rivals->work[0], served - rest);
    rivals->work[1] -= rest;
    rivals->step = MAX(rivals->step, step);
    uint64_t own = rivals->work[far], part = far ? 100u - near : near;
    uint64_t ahead = own + MIN(rivals->work[!far], own * (100u - part) / MAX(part, 1u));
    uint64_t since = (now - MIN(now, step)) * PARTS;
    rivals->work[far] += work;
    return (ahead - MIN(ahead, since)) / PARTS;
}

/* Atomics and reductions are carried out in L2, sector by sector. */
static void do_atomic(gmsim_shared *shared, const gmsim_l2_place *place, gmsim_sender from,
                      gmsim_ask *ask, gmsim_message *message)
{
    const gmsim_gpu *gpu = shared->gpu;
    uint64_t leaves = message->clock;
    uint32_t number = atomic_slice_of(shared, message->line);
    uint32_t group = number >> shared->group_slices_shift;
    gmsim_rivals *rivals = &shared->rivals[number];
    uint64_t sectors = message->line << 4 | message->touched;
    gmsim_atomic_work work =
        gmsim_atomic_work_of(gpu, ask, message, shared->atomic_cost,
                             gmsim_recent_among(&rivals->recent, sectors, GMSIM_RECENT));
    rivals->last = sectors;
    rivals->clock = MAX(rivals->clock, leaves);
    rivals->read = false;
    shared->updates = true;
    gmsim_lrc_entry *lrc = gmsim_lrc_at(lrc_of(shared, from), message->line);
    gmsim_lrc_update(&lrc[0], message->line);
    gmsim_lrc_update(&lrc[1], message->line);
    gmsim_l2_cost cost = gmsim_l2_atomic(&shared->l2, place, from.side, message->touched);
    bool missed = cost.reach == GMSIM_L2_DRAM, far = place->home != from.side;
    uint64_t wait =
        gmsim_queue_take(&shared->slice[number].in, shared->step, leaves, work.slice, PARTS);
    uint64_t wait_side =
        take_turn(rivals, shared->step, leaves, work.slice, far, gpu->atomic_near_percent);
    if (work.by_side)
        wait = wait_side;
    if (work.beside) {
        const uint64_t wait_reads =
            gmsim_queue_take(&rivals->reads, shared->step, leaves, work.beside, PARTS);
        wait = MAX(wait, wait_reads);
    }
    /* A cluster's groups share what they can do: compare-and-swap on eight lines is not held up by
     * the group (micro/atomics_grid.cu). */
    uint64_t wait_group =
        gmsim_queue_take(&shared->atomics[number / shared->cluster_slices], shared->step, leaves,
                         work.group, PARTS * shared->cluster_slices / gpu->l2_group_slices);
    wait = MAX(wait, wait_group);
    if (far) {
        const uint64_t crossing =
            cross(shared, from.side, leaves, ask->kind == GMSIM_ASK_ATOMIC ? 100u : CROSS_RED);
        wait = MAX(wait, crossing);
    }
    /* What it makes DRAM do: micro/atomics_random.cu. */
    uint64_t turn = use_dram(shared, cost, message->line, leaves);
    wait = MAX(wait, turn);
    if (missed)
        wait += gmsim_dram_bank_wait(&shared->dram, message->line, shared->step);
    const uint64_t away = (uint64_t)shared->away[from.gpc][group];
    uint64_t latency = far ? gpu->l2_far_latency : gpu->l2_latency;
    /* An SM does not wait for what DRAM brings a reduction to add to (micro/rows_by_lane.cu). */
    if (missed && ask->kind == GMSIM_ASK_ATOMIC)
        latency = far && gpu->dram_far_latency ? gpu->dram_far_latency : gpu->dram_latency;
    const uint64_t there = leaves + message->units + wait;
    message->clock = there + work.slice / PARTS + latency + gpu->atomic_latency + away;
    /* A launch does not wait for what its reductions come to (micro/atomics_miss.cu, waves). */
    shared->drained =
        MAX(shared->drained,
            ask->kind == GMSIM_ASK_ATOMIC ? message->clock : there + shared->write_clocks);
    later(ask, message->clock, wait, missed ? GMSIM_REACH_DRAM : GMSIM_REACH_L2);
    if (ask->kind == GMSIM_ASK_ATOMIC)
        shared->l2.counts.atomic_sectors += message->operations;
    else
        shared->l2.counts.reduction_sectors += message->operations;
    shared->l2.counts.fabric_update_sectors += far ? message->operations : 0;
}

/* A copy that a store with evict_first leaves on the writer's side leaves before others
 * (micro/l2_hints.cu); the line at home stays as any other. */
static __attribute__((noinline)) void write_first(gmsim_shared *shared, const gmsim_l2_place *place,
                                                  gmsim_sender from, gmsim_message *message,
                                                  const uint64_t bytes[2])
{
    write_line(shared, place, from, message, bytes);
    gmsim_l2_copy_first(&shared->l2, place, from.side);
}

/* One after the other, with whoever looks on told of each. */
static __attribute__((noinline)) void serve_watched(gmsim_shared *shared,
                                                    const gmsim_l2_place *place, gmsim_sender from,
                                                    gmsim_ask *ask, gmsim_message *message,
                                                    const uint64_t (*bytes)[2])
{
    gmsim_l2 *l2 = &shared->l2;
    gmsim_lrc_entry *lrc = lrc_of(shared, from);
    for (uint32_t i = 0; i < ask->messages; i++) {
        const gmsim_l2_counts before = l2->counts;
        if (ask->brings)
            bring_line(shared, &place[i], from, &message[i]);
        else if (ask->kind == GMSIM_ASK_READ)
            read_line(shared, lrc, &place[i], from, ask, &message[i], is_again(message, i));
        else if (ask->kind == GMSIM_ASK_WRITE)
            write_line(shared, &place[i], from, &message[i], bytes[i]);
        else if (ask->kind == GMSIM_ASK_WRITE_FIRST)
            write_first(shared, &place[i], from, &message[i], bytes[i]);
        else
            do_atomic(shared, &place[i], from, ask, &message[i]);
        gmsim_l2_counts change = l2->counts;
        uint64_t *counter = (uint64_t *)&change;
        for (size_t k = 0; k < sizeof change / sizeof *counter; k++)
            counter[k] -= ((const uint64_t *)&before)[k];
        if (ask->is_load)
            l2->watch->missed(l2->watch, message[i].line, message[i].touched);
        if (ask->kind != GMSIM_ASK_READ)
            gmsim_l2_note(l2, &place[i], message[i].line);
        l2->watch->served(l2->watch, message[i].line, &change);
    }
}

/* The places are worked out once, and fetched AHEAD messages before their own, that is, while those
 * before are served. */
GMSIM_CLONES void gmsim_shared_expect(gmsim_shared *shared, gmsim_sender from,
                                      const gmsim_message *message, uint32_t count)
{
    const gmsim_l2 *l2 = &shared->l2;
    if (G_LIKELY(l2->usual)) {
        /* Copies, which what is written in between does not change. */
        const gmsim_l2 of = {.sets = l2->sets, .sides = l2->sides, .home_shift = l2->home_shift};
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t mixed = gmsim_even_mix(message[i].line, &of.sets);
            shared->place[i] = gmsim_l2_place_of(&of, message[i].line, mixed);
        }
    } else {
        for (uint32_t i = 0; i < count; i++)
            shared->place[i] = gmsim_l2_find(l2, message[i].line);
    }
    for (uint32_t i = 0; i < AHEAD; i++) {
        shared->place[count + i] = shared->place[0]; /* looked ahead to, and no more */
        gmsim_l2_prefetch(l2, &shared->place[i], from.side & (l2->sides - 1u));
    }
}

void gmsim_shared_serve(gmsim_shared *shared, gmsim_sender from, gmsim_ask *ask,
                        gmsim_message *message, const uint64_t (*bytes)[2],
                        const gmsim_l2_place *place)
{
    const gmsim_l2 *l2 = &shared->l2;
    const uint32_t count = ask->messages, side = from.side & (l2->sides - 1u);
    if (G_UNLIKELY(l2->watch)) {
        serve_watched(shared, place, from, ask, message, bytes);
    } else if (G_UNLIKELY(ask->brings)) {
        for (uint32_t i = 0; i < count; i++)
            bring_line(shared, &place[i], from, &message[i]);
    } else if (ask->kind == GMSIM_ASK_READ) {
        gmsim_lrc_entry *lrc = lrc_of(shared, from);
        gmsim_lrc_crowd *crowd = shared->crowd[from.side];
        for (uint32_t i = 0; i < count; i++) {
            gmsim_l2_prefetch(l2, &place[i + AHEAD], side);
            __builtin_prefetch(gmsim_lrc_at(lrc, place[i + AHEAD].line), 1);
            __builtin_prefetch(gmsim_lrc_crowd_at(crowd, place[i + AHEAD].line), 1);
            __builtin_prefetch(fill_at(shared, place[i + AHEAD].line), 1);
            read_line(shared, lrc, &place[i], from, ask, &message[i], is_again(message, i));
        }
    } else if (ask->kind == GMSIM_ASK_WRITE) {
        for (uint32_t i = 0; i < count; i++) {
            gmsim_l2_prefetch(l2, &place[i + AHEAD], side);
            __builtin_prefetch(fill_at(shared, place[i + AHEAD].line));
            write_line(shared, &place[i], from, &message[i], bytes[i]);
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            gmsim_l2_prefetch(l2, &place[i + AHEAD], side);
            if (ask->kind == GMSIM_ASK_WRITE_FIRST)
                write_first(shared, &place[i], from, &message[i], bytes[i]);
            else
                do_atomic(shared, &place[i], from, ask, &message[i]);
        }
    }
}

void gmsim_shared_serve_recorded(gmsim_shared *shared, gmsim_sender from, gmsim_ask *ask,
                                 gmsim_message *message, const uint64_t (*bytes)[2],
                                 const gmsim_l2_place *place)
{
    const gmsim_l2_counts before = shared->l2.counts;
    gmsim_shared_serve(shared, from, ask, message, bytes, place);
    gmsim_course_l2(shared->course, &before, &shared->l2.counts, message[ask->messages - 1u].clock);
}
