/* SPDX-License-Identifier: MIT
 *
 * l2_private.h - what l2.c, l2_clean.c and l2_state.c share: a set's ways and their state, and how
 * a line becomes clean.
 */
#ifndef GMSIM_L2_PRIVATE_H
#define GMSIM_L2_PRIVATE_H

#include "sim/model/cache/l2.h"
#include "sim/model/count/lanes.h"

#include <assert.h>
#include <stddef.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define L2_FOREIGN UINT32_MAX        /* the tag of lines that a flush leaves: no line has it */
#define L2_STALE   (UINT32_MAX - 1u) /* and of copies of lines that were written since */

#define L2_ALL_SECTORS 0xfu

#define L2_VALID(state)   ((uint32_t)(state)&0xfu)
#define L2_DIRTY(state)   ((uint32_t)(state) >> 4 & 0xfu)
#define L2_PARTIAL(state) ((uint32_t)(state) >> 8 & 0xfu)
#define L2_COPIED         0x1000u /* a line at home: the other side may have a copy */
#define L2_RETIRED        0x2000u /* it had one that was written over */
#define L2_FIRST          0x4000u /* leaves before those that are not */

/* A set, and where its arrays are: at the same multiples of the ways that there is room for,
 * whether those are 16 or 32. By value: where their number is known the compiler knows all places.
 */
typedef struct l2_set {
    uint8_t *at;
    uint32_t number, width;
} l2_set;

static_assert(offsetof(gmsim_l2_set, state) == 4u * GMSIM_L2_NARROW &&
                  offsetof(gmsim_l2_set, age) == 6u * GMSIM_L2_NARROW &&
                  offsetof(gmsim_l2_set, order) == 7u * GMSIM_L2_NARROW &&
                  offsetof(gmsim_l2_set, dirty) == 7u * GMSIM_L2_NARROW + 4u &&
                  offsetof(gmsim_l2_set, group) == 8u * GMSIM_L2_NARROW &&
                  offsetof(gmsim_l2_set, part) == 10u * GMSIM_L2_NARROW &&
                  sizeof(gmsim_l2_set) == 12u * GMSIM_L2_NARROW,
              "the arrays of a set lie at multiples of its ways");

GMSIM_INLINE l2_set l2_set_of(const gmsim_l2 *l2, uint32_t number, uint32_t width)
{
    uint8_t *first = (uint8_t *)(void *)l2->set;
    return (l2_set){first + (size_t)number * (12u * width), number, width};
}

/* `width` is the cache's, or 16 where that is known. */
GMSIM_INLINE l2_set l2_set_at(const gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                              uint32_t width)
{
    return l2_set_of(l2, side * l2->sets.count + place->set, width);
}

GMSIM_INLINE uint32_t *l2_tags(l2_set set)
{
    return (uint32_t *)(void *)set.at;
}

GMSIM_INLINE uint16_t *l2_states(l2_set set)
{
    return (uint16_t *)(void *)(set.at + 4u * set.width);
}

GMSIM_INLINE uint8_t *l2_ages(l2_set set)
{
    return set.at + 6u * set.width;
}

/* The set's order, and how many of its lines are dirty. */
GMSIM_INLINE uint32_t *l2_orders(l2_set set)
{
    return (uint32_t *)(void *)(set.at + 7u * set.width);
}

GMSIM_INLINE uint32_t *l2_dirty(l2_set set)
{
    return l2_orders(set) + 1;
}

GMSIM_INLINE uint16_t *l2_groups(l2_set set)
{
    return (uint16_t *)(void *)(set.at + 8u * set.width);
}

GMSIM_INLINE uint16_t *l2_parts(l2_set set)
{
    return (uint16_t *)(void *)(set.at + 10u * set.width);
}

GMSIM_INLINE gmsim_l2_group *l2_group_at(const gmsim_l2 *l2, uint32_t number)
{
    return (gmsim_l2_group *)(void *)(l2->group + ((size_t)number << l2->group_shift));
}

GMSIM_INLINE gmsim_l2_group *l2_part_at(const gmsim_l2 *l2, uint32_t number)
{
    return (gmsim_l2_group *)(void *)(l2->part + ((size_t)number << l2->part_shift));
}

GMSIM_INLINE gmsim_lines l2_lines_of(gmsim_l2 *l2, l2_set set)
{
    return (gmsim_lines){l2_ages(set), l2_orders(set), &l2->order, GMSIM_L2_WAYS, set.width};
}

GMSIM_INLINE gmsim_replaced l2_replaced(gmsim_l2 *l2, l2_set set, uint32_t tag)
{
    return (gmsim_replaced){l2_lines_of(l2, set), set.number, tag};
}

/* Ways that hold a tag, as a mask; those beyond l2->ways hold none, but count as empty. */
GMSIM_INLINE uint32_t l2_ways_of(const gmsim_l2 *l2, l2_set set, uint32_t tag)
{
    uint32_t found = 0;
#ifdef __SSE2__
    (void)l2;
    __m128i want = _mm_set1_epi32((int)tag);
    const __m128i *four = (const __m128i *)(const void *)set.at;
    for (uint32_t i = 0; i < set.width / 16u; i++) {
        __m128i a = _mm_cmpeq_epi32(_mm_loadu_si128(four + 4u * i), want);
        __m128i b = _mm_cmpeq_epi32(_mm_loadu_si128(four + 4u * i + 1), want);
        __m128i c = _mm_cmpeq_epi32(_mm_loadu_si128(four + 4u * i + 2), want);
        __m128i d = _mm_cmpeq_epi32(_mm_loadu_si128(four + 4u * i + 3), want);
        __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
        found |= (uint32_t)_mm_movemask_epi8(bytes) << 16u * i;
    }
#else
    for (uint32_t way = 0; way < l2->ways; way++)
        found |= (uint32_t)(l2_tags(set)[way] == tag) << way;
#endif
    return found;
}

/* Place of a tag in its set, or GMSIM_L2_WAYS. */
GMSIM_INLINE uint32_t l2_way_of(const gmsim_l2 *l2, l2_set set, uint32_t tag)
{
    uint32_t found = l2_ways_of(l2, set, tag);
    return found ? gmsim_lowest(found) : GMSIM_L2_WAYS;
}

#pragma GCC visibility push(hidden)

/* The line is partly written. */
void gmsim_l2_join_part(gmsim_l2 *l2, l2_set set, uint32_t way, uint64_t line);
/* It is not any more. */
void gmsim_l2_leave_part(gmsim_l2 *l2, l2_set set, uint32_t way);
/* Those of `sectors` of a line that are dirty become clean; partly written ones are among them all.
 * `group` is the line's, or NULL: then it is looked up. Returns what that costs by value: a cost
 * whose address left the access would live in memory. */
gmsim_l2_cost gmsim_l2_clean(gmsim_l2 *l2, l2_set set, uint32_t way, uint32_t sectors,
                             gmsim_l2_group *group);
/* A line was found in a set that is full: the oldest, which leaves next, is written back. */
gmsim_l2_cost gmsim_l2_clean_next(gmsim_l2 *l2, l2_set set);
/* The two oldest lines of a group are written back: those that are partly written, of each its
 * sectors that are, or whole those that are dirty; of the latter those stay that DRAM would have to
 * complete, while there are others. */
gmsim_l2_cost gmsim_l2_clean_group(gmsim_l2 *l2, gmsim_l2_group *group, bool partial);
/* The line is about to be accessed, at home or a copy of it, which lies where the line's neighbour
 * of the other side has its home. */
void gmsim_l2_relieve(gmsim_l2 *l2, gmsim_l2_cost *cost, uint64_t line, bool copy);

#pragma GCC visibility pop

/* Reads from DRAM what partly written sectors lack. */
GMSIM_INLINE void l2_complete(gmsim_l2 *l2, gmsim_l2_cost *cost, l2_set set, uint32_t way,
                              uint32_t sectors)
{
    uint32_t state = l2_states(set)[way];
    cost->read = (uint8_t)(cost->read + gmsim_sector_count(sectors));
    state = (state | sectors) & ~(sectors << 8);
    if (!L2_PARTIAL(state))
        gmsim_l2_leave_part(l2, set, way);
    l2_states(set)[way] = (uint16_t)state;
}

GMSIM_INLINE void l2_add_cost(gmsim_l2_cost *cost, const gmsim_l2_cost *more)
{
    cost->read = (uint8_t)(cost->read + more->read);
    cost->written = (uint8_t)(cost->written + more->written);
}

/* Writes a line's dirty sectors to DRAM; they stay, clean. */
GMSIM_INLINE void l2_write_back(gmsim_l2 *l2, gmsim_l2_cost *cost, l2_set set, uint32_t way)
{
    if (!L2_DIRTY(l2_states(set)[way]))
        return;
    const gmsim_l2_cost more = gmsim_l2_clean(l2, set, way, L2_ALL_SECTORS, NULL);
    l2_add_cost(cost, &more);
}

GMSIM_INLINE void l2_clean_oldest(gmsim_l2 *l2, gmsim_l2_cost *cost, gmsim_l2_group *group,
                                  bool partial)
{
    const gmsim_l2_cost more = gmsim_l2_clean_group(l2, group, partial);
    l2_add_cost(cost, &more);
    cost->also_read = (uint8_t)(cost->also_read + more.also_read);
    cost->also_written = (uint8_t)(cost->also_written + more.also_written);
}

/* A line that was clean is dirty. */
GMSIM_INLINE void l2_soil(gmsim_l2 *l2, l2_set set, uint32_t way, uint32_t number)
{
    l2_groups(set)[way] = (uint16_t)number;
    gmsim_l2_group_join(l2_group_at(l2, number), set.number * GMSIM_L2_WAYS + way);
    ++*l2_dirty(set);
}

/* One more line of that group is dirty. */
GMSIM_INLINE void l2_bound(gmsim_l2 *l2, gmsim_l2_cost *cost, uint32_t number)
{
    gmsim_l2_group *group = l2_group_at(l2, number);
    if (group->lines > l2->dirty_lines)
        l2_clean_oldest(l2, cost, group, false);
}

#endif
