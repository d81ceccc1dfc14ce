/* SPDX-License-Identifier: MIT
 *
 * l2_groups.h - lines of L2 that share a bound on how many of them are dirty, or partly written,
 * and which lines do. As if sets of 16 ways, of which eight may be dirty; of groups for partly
 * written lines there are a fifth more (micro/l2_spread.cu, any_words: how many of 2 to 8 MB of
 * lines anywhere in memory are completed).
 *
 * Left out: how the hardware makes groups of addresses. Which areas fill them evenly, and how far,
 * is right in the mean (micro/l2_relief.cu, reads: areas of 8 MB at eleven places complete 6,500 to
 * 21,400 lines).
 */
#ifndef GMSIM_L2_GROUPS_H
#define GMSIM_L2_GROUPS_H

#include "sim/device/gpu.h"
#include "sim/model/watch.h"

#define GMSIM_L2_GROUP 16u /* lines of L2 for each group of dirty lines */

typedef struct gmsim_l2_group {
    uint32_t lines;
    uint32_t at[]; /* where they are (set and way), oldest first: one more than may be */
} gmsim_l2_group;

/* Bytes of a group that so many lines may be in, as a power of two: no group is in more lines of
 * the host's cache than it fills. */
static inline uint32_t gmsim_l2_group_shift(uint32_t lines)
{
    const uint32_t bytes = (uint32_t)sizeof(uint32_t) * (lines + 2u);
    return 32u - (uint32_t)__builtin_clz(bytes - 1u);
}

/* One more of the group: the youngest. */
static inline void gmsim_l2_group_join(gmsim_l2_group *group, uint32_t at)
{
    group->at[group->lines++] = at;
}

static inline void gmsim_l2_group_leave(gmsim_l2_group *group, uint32_t at)
{
    uint32_t i = 0;
    while (group->at[i] != at)
        i++;
    for (group->lines--; i < group->lines; i++)
        group->at[i] = group->at[i + 1u];
}

/* A number without a trace of the one it was made from. */
static inline uint32_t gmsim_l2_chance(uint64_t number)
{
    number = (number ^ number >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(number >> 32);
}

#define GMSIM_L2_BLOCK  64u /* neighbouring lines of one kind */
#define GMSIM_L2_EVENLY 5u  /* bits of where a turn begins: as the turns are numbered */

/* The kinds of blocks of dirty lines, and of partly written ones. */
#define GMSIM_L2_DIRTY_KINDS   3u
#define GMSIM_L2_PARTIAL_KINDS 5u

/* Of so many neighbouring blocks of lines one is of each kind, which by chance. Lines of a kind
 * fill the groups one after another, so that a dense area is spread evenly over them, each kind its
 * part of a turn after the one before. Two turns each begin in a quarter of the groups that is the
 * kind's, where is left to chance, but for two bits: every second line, and four of every eight,
 * are spread evenly, too. Then about as many groups are too full as were measured, of dense areas
 * (micro/l2_dirty.cu: write, 24 to 32 MB; l2_relief.cu: 4 to 14 MB) and of every so manieth line
 * (micro/l2_spread.cu: runs, words). Lines of local memory are spread by chance (l2_spread.cu:
 * local). */
static inline uint32_t gmsim_l2_group_of(uint32_t groups, uint32_t kinds, uint64_t line)
{
    if (line >= GMSIM_LOCAL_WINDOWS / GMSIM_LINE_BYTES)
        return (uint32_t)((uint64_t)gmsim_l2_chance(line) * groups >> 32);
    uint64_t block = line / GMSIM_L2_BLOCK, row = block / kinds;
    uint64_t kind = (block + gmsim_l2_chance(row)) % kinds, late = kind * (groups / kinds);
    uint64_t index = row * GMSIM_L2_BLOCK + line % GMSIM_L2_BLOCK + late;
    uint64_t turn = index / groups, quarter = groups / 4u;
    uint64_t begin = late + ((uint64_t)gmsim_l2_chance(turn / 2u * kinds + kind) * quarter >> 32);
    begin = (begin & ~(uint64_t)GMSIM_L2_EVENLY) | ((turn * kinds + kind) & GMSIM_L2_EVENLY);
    return (uint32_t)((index + begin) % groups);
}

#endif
