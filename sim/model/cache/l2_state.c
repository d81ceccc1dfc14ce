/* SPDX-License-Identifier: MIT
 *
 * l2_state.c - how large L2 is, how it is made of a GPU's numbers, and emptied.
 *
 * A flush by ncu leaves dirty lines of its own behind, some three to a set (private: kernels that
 * only read have 72,000 sectors written to DRAM, some from 28 MB on, most by 40 MB).
 *
 * Left out: that the hardware's flush takes time.
 */
#include "sim/model/cache/l2_private.h"
#include "sim/policy/write.h"

#include <string.h>

#define FOREIGN_HEAP 3u /* of them in a set */

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

size_t gmsim_l2_size(const gmsim_gpu *gpu)
{
    return gmsim_l2_sets(gpu) * (sizeof(gmsim_l2_set) + sizeof(gmsim_l2_written)) +
           (groups_of(gpu) + parts_of(gpu)) * sizeof(gmsim_l2_group);
}

void gmsim_l2_init(gmsim_l2 *l2, gmsim_l2_set *set, const gmsim_gpu *gpu)
{
    memset(l2, 0, sizeof *l2);
    l2->set = set;
    l2->written = (gmsim_l2_written *)(void *)(set + gmsim_l2_sets(gpu));
    l2->group = (gmsim_l2_group *)(void *)(l2->written + gmsim_l2_sets(gpu));
    l2->sides = gpu->l2_partitions > 1u ? GMSIM_L2_SIDES : 1u;
    l2->sets = gmsim_sets_of(gmsim_l2_sets(gpu) / l2->sides);
    l2->ways = MIN(gpu->l2_ways, GMSIM_L2_WAYS);
    l2->all = UINT32_MAX >> (GMSIM_L2_WAYS - l2->ways);
    l2->groups = groups_of(gpu);
    l2->parts = parts_of(gpu);
    l2->part = l2->group + l2->groups;
    l2->dirty_lines = MAX(GMSIM_L2_GROUP * gpu->l2_dirty_percent / 100u, 1u);
    l2->partial_lines = MAX(GMSIM_L2_GROUP * gpu->l2_partial_percent / 100u, 1u);
    l2->fill_sectors = gpu->l2_fill_sectors;
    l2->home_shift = (uint32_t)__builtin_ctz(gpu->l2_partition_lines);
    l2->foreign = gpu->l2_flush_dirty;
    l2->replacer = gmsim_replacer_of(gpu->l2_replacement);
    l2->hash = gpu->l2_hash;
    l2->write = gpu->l2_write;
    l2->lasting = gpu->l2_replacement == GMSIM_REPLACEMENT_lasting;
    l2->usual = l2->plain = (l2->lasting || gpu->l2_replacement == GMSIM_REPLACEMENT_lru) &&
                            l2->hash == GMSIM_HASH_even && l2->write == GMSIM_WRITE_back;
    gmsim_l2_flush(l2);
}

void gmsim_l2_plug(gmsim_l2 *l2, const gmsim_plugin_replacement *plugged, void *state)
{
    gmsim_replacer_plug(&l2->replacer, plugged, state, l2->sets.count * l2->sides, GMSIM_L2_WAYS);
    gmsim_l2_flush(l2);
}

void gmsim_l2_flush(gmsim_l2 *l2)
{
    uint32_t sets = l2->sets.count * l2->sides;
    memset(l2->set, 0, sets * sizeof *l2->set);
    gmsim_replacer_clear(&l2->replacer);
    memset(l2->group, 0, (l2->groups + l2->parts) * sizeof *l2->group);
    l2->crowded = 0;
    l2->plain = l2->usual;
    /* Whole lines, in heaps spread evenly over the sets, their groups by chance (l2_spread.cu:
     * passes_runs), of any that has room. */
    uint32_t most = l2->groups * l2->dirty_lines, heap = MIN(FOREIGN_HEAP, l2->ways);
    uint32_t lines = MIN(l2->foreign / 4u, most), heaps = (lines + heap - 1u) / heap;
    for (uint32_t i = 0; i < lines; i++) {
        gmsim_l2_set *set = &l2->set[(uint64_t)(i / heap) * sets / heaps];
        uint32_t group = (uint32_t)((uint64_t)gmsim_l2_chance(i) * l2->groups >> 32), way = 0;
        while (way < l2->ways && set->tag[way])
            way++;
        if (way == l2->ways)
            continue;
        while (l2->group[group].lines == l2->dirty_lines)
            group = group + 1u < l2->groups ? group + 1u : 0;
        set->tag[way] = L2_FOREIGN;
        set->state[way] = 0xff;
        gmsim_l2_soil(l2, set, way, group);
        gmsim_replacer_fill(&l2->replacer, l2_replaced(l2, set, L2_FOREIGN), way);
    }
    l2->counts.dirty_sectors = 0;
}

void gmsim_l2_reset_counts(gmsim_l2 *l2)
{
    l2->counts = (gmsim_l2_counts){.dirty_sectors = l2->counts.dirty_sectors};
}
