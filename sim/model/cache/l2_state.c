/* SPDX-License-Identifier: MIT
 *
 * l2_state.c - how large L2 is, how it is made of a GPU's numbers, and emptied.
 *
 * A flush by ncu between passes leaves dirty lines of its own behind, in a third of the sets: as
 * often one as more, of those two as often as more, and so on (l2_policy.cu, private: of kernels
 * that only read so many are written from 28 to 44 MB on; l2_again.cu, passes_others: in so many
 * sets the oldest line is one).
 *
 * Left out: that the hardware's flush takes time.
 */
#include "sim/model/cache/l2_private.h"
#include "sim/policy/write.h"

#include <string.h>

#define FOREIGN_HEAP 2u /* of them in a set that has some, in the mean */

uint32_t gmsim_l2_sets(const gmsim_gpu *gpu)
{
    uint32_t ways = MIN(gpu->l2_ways, GMSIM_L2_WAYS);
    uint64_t sets = gpu->l2_size / ((uint64_t)GMSIM_LINE_BYTES * ways);
    return MAX((uint32_t)sets, GMSIM_L2_SIDES);
}

/* Groups of lines that share bounds; the number of one is of 16 bits. */
static uint32_t groups_of(const gmsim_gpu *gpu)
{
    uint64_t groups = gpu->l2_size / (GMSIM_LINE_BYTES * GMSIM_L2_GROUP);
    return (uint32_t)CLAMP(groups, 1u, UINT16_MAX + 1u);
}

/* Those that share the bound on partly written lines; a number of 16 bits, too. */
static uint32_t parts_of(const gmsim_gpu *gpu)
{
    return CLAMP(groups_of(gpu) * gpu->l2_partial_groups / 100u, 1u, UINT16_MAX + 1u);
}

static uint32_t width_of(const gmsim_gpu *gpu)
{
    return gpu->l2_ways > GMSIM_L2_NARROW ? GMSIM_L2_WAYS : GMSIM_L2_NARROW;
}

/* Most lines of a group. */
static uint32_t most_of(uint32_t percent)
{
    return MAX(GMSIM_L2_GROUP * percent / 100u, 1u);
}

/* Bytes of sets and of groups, each from a line of the host's cache on. */
typedef struct room_sizes {
    size_t sets, groups, parts, full, written;
} room_sizes;

static size_t round_up(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static room_sizes room_of(const gmsim_gpu *gpu)
{
    const size_t ways = (size_t)gmsim_l2_sets(gpu) * width_of(gpu);
    return (room_sizes){
        .sets = ways * (sizeof(gmsim_l2_set) / GMSIM_L2_NARROW),
        .groups = round_up((size_t)groups_of(gpu)
                           << gmsim_l2_group_shift(most_of(gpu->l2_dirty_percent))),
        .parts = round_up((size_t)parts_of(gpu)
                          << gmsim_l2_group_shift(most_of(gpu->l2_partial_percent))),
        .full = round_up(parts_of(gpu) / 8u + sizeof(uint64_t)),
        .written = ways * 2u * sizeof(uint64_t),
    };
}

size_t gmsim_l2_size(const gmsim_gpu *gpu)
{
    const room_sizes room = room_of(gpu);
    return room.sets + room.groups + room.parts + room.full + room.written;
}

void gmsim_l2_init(gmsim_l2 *l2, gmsim_l2_set *set, const gmsim_gpu *gpu)
{
    const room_sizes room = room_of(gpu);
    memset(l2, 0, sizeof *l2);
    l2->set = set;
    l2->group = (uint8_t *)(void *)set + room.sets;
    l2->part = l2->group + room.groups;
    l2->full = (uint64_t *)(void *)(l2->part + room.parts);
    l2->written = (uint64_t(*)[2])(void *)(l2->part + room.parts + room.full);
    l2->width = width_of(gpu);
    l2->sides = gpu->l2_partitions > 1u ? GMSIM_L2_SIDES : 1u;
    l2->sets = gmsim_sets_of(gmsim_l2_sets(gpu) / l2->sides);
    l2->set_bytes = sizeof *set * (l2->width / GMSIM_L2_NARROW);
    l2->side_bytes = l2->set_bytes * l2->sets.count;
    l2->ways = MIN(gpu->l2_ways, GMSIM_L2_WAYS);
    l2->all = UINT32_MAX >> (GMSIM_L2_WAYS - l2->ways);
    l2->groups = groups_of(gpu);
    l2->parts = parts_of(gpu);
    l2->dirty_lines = most_of(gpu->l2_dirty_percent);
    l2->partial_lines = most_of(gpu->l2_partial_percent);
    l2->group_shift = gmsim_l2_group_shift(l2->dirty_lines);
    l2->part_shift = gmsim_l2_group_shift(l2->partial_lines);
    l2->fill_sectors = gpu->l2_fill_sectors;
    l2->home_shift = (uint32_t)__builtin_ctz(gpu->l2_partition_lines);
    l2->foreign = gpu->l2_flush_dirty;
    l2->replacer = gmsim_replacer_of(gpu->l2_replacement);
    l2->hash = gpu->l2_hash;
    l2->write = gpu->l2_write;
    l2->lasting = gpu->l2_replacement == GMSIM_REPLACEMENT_lasting;
    l2->usual = (l2->lasting || gpu->l2_replacement == GMSIM_REPLACEMENT_lru) &&
                l2->hash == GMSIM_HASH_even && l2->write == GMSIM_WRITE_back;
    l2->simple = l2->usual && l2->ways == GMSIM_L2_NARROW;
    gmsim_l2_flush(l2);
}

void gmsim_l2_plug(gmsim_l2 *l2, const gmsim_plugin_replacement *plugged, void *state)
{
    gmsim_replacer_plug(&l2->replacer, plugged, state, l2->sets.count * l2->sides, GMSIM_L2_WAYS);
    gmsim_l2_flush(l2);
}

/* One dirty line more in the set, if it has room. */
static void leave_foreign(gmsim_l2 *l2, l2_set set)
{
    const uint32_t empty = l2_ways_of(l2, set, 0) & l2->all;
    if (!empty)
        return;
    const uint32_t way = gmsim_lowest(empty);
    uint32_t group =
        (uint32_t)((uint64_t)gmsim_l2_chance(set.number * GMSIM_L2_WAYS + way) * l2->groups >> 32);
    while (l2_group_at(l2, group)->lines == l2->dirty_lines)
        group = group + 1u < l2->groups ? group + 1u : 0;
    l2_tags(set)[way] = L2_FOREIGN;
    l2_states(set)[way] = 0xff;
    l2_soil(l2, set, way, group);
    gmsim_replacer_fill(&l2->replacer, l2_replaced(l2, set, L2_FOREIGN), way);
}

void gmsim_l2_flush(gmsim_l2 *l2)
{
    uint32_t sets = l2->sets.count * l2->sides;
    memset(l2->set, 0, sets * sizeof *l2->set * (l2->width / GMSIM_L2_NARROW));
    gmsim_replacer_clear(&l2->replacer);
    memset(l2->group, 0, (size_t)((uint8_t *)(void *)l2->written - l2->group));
    l2->crowded = 0;
    l2->sorted = false;
    l2->plain = l2->simple;
    /* Whole lines, in heaps spread evenly over the sets, their groups by chance (l2_spread.cu:
     * passes_runs), of any that has room. */
    uint32_t left = MIN(l2->foreign / 4u, l2->groups * l2->dirty_lines);
    const uint32_t heaps = (left + FOREIGN_HEAP - 1u) / FOREIGN_HEAP;
    for (uint32_t i = 0; left; i++) {
        l2_set set = l2_set_of(l2, (uint32_t)((uint64_t)(i % heaps) * sets / heaps), l2->width);
        const uint32_t heap = 1u + (uint32_t)__builtin_ctz(gmsim_l2_chance(i + 1u) | 1u << 7);
        for (uint32_t k = MIN(heap, left); k > 0; k--, left--)
            leave_foreign(l2, set);
    }
    l2->counts.dirty_sectors = 0;
}

void gmsim_l2_reset_counts(gmsim_l2 *l2)
{
    l2->counts = (gmsim_l2_counts){.dirty_sectors = l2->counts.dirty_sectors};
}
