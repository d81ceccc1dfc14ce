/* SPDX-License-Identifier: MIT
 *
 * l2_clean.c - how lines of L2 become dirty, or partly written, and clean again. Rules, as measured
 * on an H200 (experiments in brackets):
 *
 * - Lines that are dirty are bounded, whatever they hold (write: 28 MB of whole lines remain
 *   dirty, 7 MB of a sector a line, however much is written). Both bounds are of groups of lines
 *   (l2_groups.h): of a group eight lines may be dirty. One more, and the two oldest are written to
 *   DRAM, and stay as clean lines; those that DRAM would have to complete come last
 *   (micro/l2_dirty.cu: half_writes).
 * - Where three lines of a group are partly written, the next access to the group, a read, a hit
 *   or a rewrite as well, has the two oldest of them completed and written to DRAM (l2_partly.cu:
 *   reads, hits, writes and same). An access to a copy counts for the group that it would be of at
 *   home there: a line read over the fabric relieves half as many groups again, and what hits on
 *   the reader's side as many as it has lines (micro/l2_relief.cu: reads and near). Of such a line
 *   only the partly written sectors are: what else is dirty of it stays so (mix).
 * - Chance fills groups unevenly: of lines anywhere in memory 6 % are written back where 24 MB were
 *   written, though 28 MB of neighbouring lines may stay (micro/l2_spread.cu: random and any_words
 *   as the Poisson distribution has it, runs in between).
 *
 * Left out: how the hardware makes groups of addresses (l2_groups.h).
 */
#include "sim/model/cache/l2_private.h"
#include "sim/model/watch.h"

#define CLEANED 2u /* lines of a group that are written back together */

/* A dirty line, of that group, is clean. */
static void unsoil(l2_set set, uint32_t way, gmsim_l2_group *group)
{
    gmsim_l2_group_leave(group, set.number * GMSIM_L2_WAYS + way);
    --*l2_dirty(set);
}

/* The part has as many lines as may be, or did before. */
static void count_crowded(gmsim_l2 *l2, uint32_t number, bool was, bool is)
{
    const uint64_t bit = UINT64_C(1) << number % 64u;
    uint64_t *full = &l2->full[number / 64u];
    *full = is ? *full | bit : *full & ~bit;
    l2->crowded += is;
    l2->crowded -= was;
    l2->plain = l2->simple && !l2->crowded;
}

void gmsim_l2_join_part(gmsim_l2 *l2, l2_set set, uint32_t way, uint64_t line)
{
    const uint32_t number = gmsim_l2_group_of(l2->parts, GMSIM_L2_PARTIAL_KINDS, line);
    gmsim_l2_group *part = l2_part_at(l2, number);
    l2_parts(set)[way] = (uint16_t)number;
    gmsim_l2_group_join(part, set.number * GMSIM_L2_WAYS + way);
    count_crowded(l2, number, part->lines > l2->partial_lines, part->lines >= l2->partial_lines);
}

void gmsim_l2_leave_part(gmsim_l2 *l2, l2_set set, uint32_t way)
{
    const uint32_t number = l2_parts(set)[way];
    gmsim_l2_group *part = l2_part_at(l2, number);
    gmsim_l2_group_leave(part, set.number * GMSIM_L2_WAYS + way);
    count_crowded(l2, number, part->lines + 1u >= l2->partial_lines,
                  part->lines >= l2->partial_lines);
}

gmsim_l2_cost gmsim_l2_clean(gmsim_l2 *l2, l2_set set, uint32_t way, uint32_t sectors,
                             gmsim_l2_group *group)
{
    gmsim_l2_cost cost = {0};
    uint32_t state = l2_states(set)[way], dirty = L2_DIRTY(state) & sectors;
    if (L2_PARTIAL(state))
        l2_complete(l2, &cost, set, way, L2_PARTIAL(state));
    cost.written = (uint8_t)gmsim_sector_count(dirty);
    if (l2->watch)
        l2->watch->cleaned(l2->watch,
                           l2_tags(set)[way] == L2_FOREIGN
                               ? GMSIM_NO_LINE
                               : l2->dirty_line[(size_t)set.number * GMSIM_L2_WAYS + way],
                           cost.read, cost.written);
    if (l2_tags(set)[way] != L2_FOREIGN)
        l2->counts.dirty_sectors -= gmsim_sector_count(dirty);
    l2_states(set)[way] &= (uint16_t) ~(dirty << 4);
    if (!L2_DIRTY(l2_states(set)[way]))
        unsoil(set, way, group ? group : l2_group_at(l2, l2_groups(set)[way]));
    return cost;
}

gmsim_l2_cost gmsim_l2_clean_next(gmsim_l2 *l2, l2_set set)
{
    gmsim_l2_cost cost = {0};
    l2_write_back(l2, &cost, set, gmsim_lru_oldest(l2_lines_of(l2, set), l2->ways));
    return cost;
}

gmsim_l2_cost gmsim_l2_clean_group(gmsim_l2 *l2, gmsim_l2_group *group, bool partial)
{
    gmsim_l2_cost cost = {0}, first = {0};
    for (uint32_t k = 0; k < CLEANED && group->lines; k++) {
        uint32_t at = group->at[0];
        first = cost;
        for (uint32_t i = 0; i < group->lines && !partial; i++) {
            l2_set set = l2_set_of(l2, group->at[i] / GMSIM_L2_WAYS, l2->width);
            if (!L2_PARTIAL(l2_states(set)[group->at[i] % GMSIM_L2_WAYS])) {
                at = group->at[i];
                break;
            }
        }
        l2_set set = l2_set_of(l2, at / GMSIM_L2_WAYS, l2->width);
        uint32_t way = at % GMSIM_L2_WAYS;
        const gmsim_l2_cost more =
            partial ? gmsim_l2_clean(l2, set, way, L2_PARTIAL(l2_states(set)[way]), NULL)
                    : gmsim_l2_clean(l2, set, way, L2_ALL_SECTORS, group);
        l2_add_cost(&cost, &more);
    }
    cost.also_read = (uint8_t)(first.read ? cost.read - first.read : 0);
    cost.also_written = (uint8_t)(first.written ? cost.written - first.written : 0);
    return cost;
}

void gmsim_l2_relieve(gmsim_l2 *l2, gmsim_l2_cost *cost, uint64_t line, bool copy)
{
    if (!l2->crowded)
        return;
    const uint64_t there = copy ? line ^ (uint64_t)1 << l2->home_shift : line;
    const uint32_t number = gmsim_l2_group_of(l2->parts, GMSIM_L2_PARTIAL_KINDS, there);
    if (l2->full[number / 64u] >> number % 64u & 1u)
        l2_clean_oldest(l2, cost, l2_part_at(l2, number), true);
}
