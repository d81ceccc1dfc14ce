/* SPDX-License-Identifier: MIT
 *
 * l2.c - L2 and the DRAM traffic behind it. Rules, as measured on an H200 by micro/l2_policy.cu
 * (experiments in brackets) and micro/cache_probe.cu:
 *
 * - Two sides of half the capacity. Every line has a home side. A read is looked up on the reader's
 *   side; what is missing of a line whose home is the other side is asked for there, over the
 *   fabric, and a copy stays (private: half of the first reads cross, none of the second; all: half
 *   the capacity when both sides read everything). A copy leaves sooner than a line at home: it
 *   comes in as if three eighths of the set had been used since (private, 30 to 44 MB; l2_dirty.cu,
 *   copy and reads).
 * - A miss at home brings gpu.l2_fill_sectors aligned sectors from DRAM, and the fabric carries as
 *   many (sector), be they at home already (micro/l2_cross.cu, cross).
 * - A write goes to the home side; the writer's side keeps a copy. A sector written whole needs
 *   nothing from DRAM. A sector written in part is not read from DRAM at once, but when it is read
 *   (wload), or when too many lines of its group are in that state, or when its line is evicted;
 *   never once all its bytes have been written.
 * - Lines that are dirty are bounded, too, whatever they hold (write: 28 MB of whole lines remain
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
 * - A write at home makes a copy on the other side useless. Its way is no longer found, nor taken
 *   first: a line that both sides write in turn takes one way after another there, until the set
 *   is full. Then it pushes out one older line, and from then on takes ways of useless copies
 *   (micro/l2_again.cu: of older dirty lines about half as many are written back as lines are
 *   written again, be it 64 times or 512, of few lines to a set as of many; none where one side
 *   alone writes, or reads, or time passes).
 * - Atomics and reductions work at home, read what is missing there (red, atom), and drop the copy.
 * - Which line leaves, which set is whose and what a write leaves behind are policies (sim/policy).
 * - A write always counts as a hit, as the hardware's counters have it.
 * - A flush by ncu leaves dirty lines of its own behind, some three to a set (private: kernels that
 *   only read have 72,000 sectors written to DRAM, some from 28 MB on, most by 40 MB).
 *
 * Left out: slices (only the sum over them is modelled), compression, persistence controls, GPUs
 * whose DRAM has no ECC and so need no read for a partial write.
 */
#include "sim/model/cache/l2.h"

#include "sim/model/hot.h"
#include "sim/model/watch.h"
#include "sim/model/count/lanes.h"
#include "sim/policy/write.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define FOREIGN UINT32_MAX        /* the tag of lines that a flush leaves: no line has it */
#define STALE   (UINT32_MAX - 1u) /* and of copies of lines that were written since */

#define FOREIGN_HEAP 3u /* of them in a set */
#define CLEANED      2u /* lines of a group that are written back together */
#define ALL_SECTORS  0xfu

#define VALID(state)   ((uint32_t)(state)&0xfu)
#define DIRTY(state)   ((uint32_t)(state) >> 4 & 0xfu)
#define PARTIAL(state) ((uint32_t)(state) >> 8 & 0xfu)
#define COPIED         0x1000u /* a line at home: the other side may have a copy */
#define RETIRED        0x2000u /* it had one that was written over */
#define PUSHED         0x4000u /* and later ones, for which an older line had to leave */

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

GMSIM_INLINE gmsim_l2_set *set_at(const gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side)
{
    return &l2->set[side * l2->sets.count + place->set];
}

GMSIM_INLINE gmsim_lines lines_of(gmsim_l2 *l2, gmsim_l2_set *set)
{
    return (gmsim_lines){set->age, &set->order, &l2->order, GMSIM_L2_WAYS};
}

GMSIM_INLINE gmsim_replaced replaced(gmsim_l2 *l2, gmsim_l2_set *set, uint32_t tag)
{
    return (gmsim_replaced){lines_of(l2, set), (uint32_t)(set - l2->set), tag};
}

/* A line that was clean is dirty. */
static __attribute__((noinline)) void soil(gmsim_l2 *l2, gmsim_l2_set *set, uint32_t way,
                                           uint32_t number)
{
    uint32_t at = (uint32_t)(set - l2->set);
    l2->written[at].group[way] = (uint16_t)number;
    gmsim_l2_group_join(&l2->group[number], at * GMSIM_L2_WAYS + way);
    set->dirty++;
}

/* A dirty line is clean. */
static void unsoil(gmsim_l2 *l2, gmsim_l2_set *set, uint32_t way)
{
    uint32_t at = (uint32_t)(set - l2->set);
    gmsim_l2_group_leave(&l2->group[l2->written[at].group[way]], at * GMSIM_L2_WAYS + way);
    set->dirty--;
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
        set->tag[way] = FOREIGN;
        set->state[way] = 0xff;
        soil(l2, set, way, group);
        gmsim_replacer_fill(&l2->replacer, replaced(l2, set, FOREIGN), way);
    }
    l2->counts.dirty_sectors = 0;
}

void gmsim_l2_reset_counts(gmsim_l2 *l2)
{
    l2->counts = (gmsim_l2_counts){.dirty_sectors = l2->counts.dirty_sectors};
}

gmsim_l2_place gmsim_l2_find_any(const gmsim_l2 *l2, uint64_t line)
{
    return gmsim_l2_place_of(l2, line, gmsim_hashes[l2->hash].mix(line, &l2->sets));
}

void gmsim_l2_prefetch(const gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side)
{
    const char *near = (const char *)set_at(l2, place, side % l2->sides);
    const char *home = (const char *)set_at(l2, place, place->home);
#pragma GCC unroll 4
    for (uint32_t i = 0; i < sizeof(gmsim_l2_set); i += i ? 64u : 128u) { /* but tags beyond 16 */
        __builtin_prefetch(near + i, 1);
        __builtin_prefetch(home + i, 1);
    }
}

/* Ways that hold a tag, as a mask; those beyond l2->ways hold none, but count as empty. */
GMSIM_INLINE uint32_t ways_of(const gmsim_l2 *l2, const gmsim_l2_set *set, uint32_t tag)
{
    uint32_t found = 0;
#ifdef __SSE2__
    __m128i want = _mm_set1_epi32((int)tag);
    const __m128i *four = (const __m128i *)(const void *)set->tag;
    for (uint32_t i = 0; i < GMSIM_L2_WAYS / 16u && (!i || l2->ways > 16u); i++) {
        __m128i a = _mm_cmpeq_epi32(_mm_loadu_si128(four + 4u * i), want);
        __m128i b = _mm_cmpeq_epi32(_mm_loadu_si128(four + 4u * i + 1), want);
        __m128i c = _mm_cmpeq_epi32(_mm_loadu_si128(four + 4u * i + 2), want);
        __m128i d = _mm_cmpeq_epi32(_mm_loadu_si128(four + 4u * i + 3), want);
        __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
        found |= (uint32_t)_mm_movemask_epi8(bytes) << 16u * i;
    }
#else
    for (uint32_t way = 0; way < l2->ways; way++)
        found |= (uint32_t)(set->tag[way] == tag) << way;
#endif
    return found;
}

/* Place of a tag in its set, or GMSIM_L2_WAYS. */
GMSIM_INLINE uint32_t way_of(const gmsim_l2 *l2, const gmsim_l2_set *set, uint32_t tag)
{
    uint32_t found = ways_of(l2, set, tag);
    return found ? gmsim_lowest(found) : GMSIM_L2_WAYS;
}

static void count_crowded(gmsim_l2 *l2, bool was, bool is)
{
    l2->crowded += is;
    l2->crowded -= was;
    l2->plain = l2->usual && !l2->crowded;
}

/* The line is partly written. */
static __attribute__((noinline)) void join_part(gmsim_l2 *l2, gmsim_l2_set *set, uint32_t way,
                                                uint64_t line)
{
    const uint32_t at = (uint32_t)(set - l2->set);
    const uint32_t number = gmsim_l2_group_of(l2->parts, GMSIM_L2_PARTIAL_KINDS, line);
    gmsim_l2_group *part = &l2->part[number];
    l2->written[at].part[way] = (uint16_t)number;
    gmsim_l2_group_join(part, at * GMSIM_L2_WAYS + way);
    count_crowded(l2, part->lines > l2->partial_lines, part->lines >= l2->partial_lines);
}

/* It is not any more. */
static __attribute__((noinline)) void leave_part(gmsim_l2 *l2, gmsim_l2_set *set, uint32_t way)
{
    const uint32_t at = (uint32_t)(set - l2->set);
    gmsim_l2_group *part = &l2->part[l2->written[at].part[way]];
    gmsim_l2_group_leave(part, at * GMSIM_L2_WAYS + way);
    count_crowded(l2, part->lines + 1u >= l2->partial_lines, part->lines >= l2->partial_lines);
}

/* Reads from DRAM what partly written sectors lack. */
GMSIM_INLINE void complete(gmsim_l2 *l2, gmsim_l2_cost *cost, gmsim_l2_set *set, uint32_t way,
                           uint32_t sectors)
{
    uint32_t state = set->state[way];
    cost->read = (uint8_t)(cost->read + gmsim_sector_count(sectors));
    state = (state | sectors) & ~(sectors << 8);
    if (!PARTIAL(state))
        leave_part(l2, set, way);
    set->state[way] = (uint16_t)state;
}

/* Those of `sectors` of a line that are dirty become clean; partly written ones are among them all.
 * Returns what that costs by value: a cost whose address left the access would live in memory. */
static __attribute__((noinline)) gmsim_l2_cost clean(gmsim_l2 *l2, gmsim_l2_set *set, uint32_t way,
                                                     uint32_t sectors)
{
    gmsim_l2_cost cost = {0};
    uint32_t state = set->state[way], dirty = DIRTY(state) & sectors;
    if (PARTIAL(state))
        complete(l2, &cost, set, way, PARTIAL(state));
    cost.written = (uint8_t)gmsim_sector_count(dirty);
    if (l2->watch)
        l2->watch->cleaned(l2->watch,
                           set->tag[way] == FOREIGN
                               ? GMSIM_NO_LINE
                               : l2->dirty_line[(size_t)(set - l2->set) * GMSIM_L2_WAYS + way],
                           cost.read, cost.written);
    if (set->tag[way] != FOREIGN)
        l2->counts.dirty_sectors -= gmsim_sector_count(dirty);
    set->state[way] &= (uint16_t) ~(dirty << 4);
    if (!DIRTY(set->state[way]))
        unsoil(l2, set, way);
    return cost;
}

GMSIM_INLINE void add_cost(gmsim_l2_cost *cost, const gmsim_l2_cost *more)
{
    cost->read = (uint8_t)(cost->read + more->read);
    cost->written = (uint8_t)(cost->written + more->written);
}

/* Writes a line's dirty sectors to DRAM; they stay, clean. */
GMSIM_INLINE void write_back(gmsim_l2 *l2, gmsim_l2_cost *cost, gmsim_l2_set *set, uint32_t way)
{
    if (!DIRTY(set->state[way]))
        return;
    const gmsim_l2_cost more = clean(l2, set, way, ALL_SECTORS);
    add_cost(cost, &more);
}

/* Reads and writes are compiled twice: with the usual policies inlined while no group is crowded,
 * and for all else. */

/* A line was found in a set that is full: the oldest, which leaves next, is written back. */
static __attribute__((noinline)) gmsim_l2_cost clean_next(gmsim_l2 *l2, gmsim_l2_set *set)
{
    gmsim_l2_cost cost = {0};
    write_back(l2, &cost, set, gmsim_lru_oldest(lines_of(l2, set), l2->ways));
    return cost;
}

/* The line's way, used; allocated, empty, if it was absent. */
GMSIM_INLINE uint32_t bring(gmsim_l2 *l2, gmsim_l2_cost *cost, gmsim_l2_set *set, uint32_t tag,
                            bool usual)
{
    gmsim_lines lines = lines_of(l2, set);
    uint32_t way = way_of(l2, set, tag), empty;
    if (way == GMSIM_L2_WAYS) {
        if (usual)
            way = gmsim_lru_oldest(lines, l2->ways);
        else
            way = (empty = ways_of(l2, set, 0) & l2->all)
                      ? gmsim_lowest(empty)
                      : gmsim_replacer_victim(&l2->replacer, replaced(l2, set, tag), l2->all);
        write_back(l2, cost, set, way);
        set->tag[way] = tag;
        set->state[way] = 0;
        if (!usual)
            gmsim_replacer_fill(&l2->replacer, replaced(l2, set, tag), way);
    } else if (!usual) {
        gmsim_replacer_use(&l2->replacer, replaced(l2, set, tag), way);
    } else if (set->dirty && l2->lasting && set->tag[l2->ways - 1u]) {
        const gmsim_l2_cost more = clean_next(l2, set);
        add_cost(cost, &more);
    }
    if (usual)
        gmsim_lru_use(lines, way);
    return way;
}

/* The two oldest lines of a group are written back: those that are partly written, of each its
 * sectors that are, or whole those that are dirty; of the latter those stay that DRAM would have to
 * complete, while there are others. */
static __attribute__((noinline)) gmsim_l2_cost clean_group(gmsim_l2 *l2, gmsim_l2_group *group,
                                                           bool partial)
{
    gmsim_l2_cost cost = {0}, first = {0};
    for (uint32_t k = 0; k < CLEANED && group->lines; k++) {
        uint32_t at = group->at[0];
        first = cost;
        for (uint32_t i = 0; i < group->lines && !partial; i++) {
            gmsim_l2_set *set = &l2->set[group->at[i] / GMSIM_L2_WAYS];
            if (!PARTIAL(set->state[group->at[i] % GMSIM_L2_WAYS])) {
                at = group->at[i];
                break;
            }
        }
        gmsim_l2_set *set = &l2->set[at / GMSIM_L2_WAYS];
        uint32_t way = at % GMSIM_L2_WAYS;
        const gmsim_l2_cost more =
            clean(l2, set, way, partial ? PARTIAL(set->state[way]) : ALL_SECTORS);
        add_cost(&cost, &more);
    }
    cost.also_read = (uint8_t)(first.read ? cost.read - first.read : 0);
    cost.also_written = (uint8_t)(first.written ? cost.written - first.written : 0);
    return cost;
}

GMSIM_INLINE void clean_oldest(gmsim_l2 *l2, gmsim_l2_cost *cost, gmsim_l2_group *group,
                               bool partial)
{
    const gmsim_l2_cost more = clean_group(l2, group, partial);
    add_cost(cost, &more);
    cost->also_read = (uint8_t)(cost->also_read + more.also_read);
    cost->also_written = (uint8_t)(cost->also_written + more.also_written);
}

/* The line is about to be accessed, at home or a copy of it, which lies where the line's neighbour
 * of the other side has its home. */
static __attribute__((noinline)) void relieve(gmsim_l2 *l2, gmsim_l2_cost *cost, uint64_t line,
                                              bool copy)
{
    const uint64_t there = copy ? line ^ (uint64_t)1 << l2->home_shift : line;
    gmsim_l2_group *part = &l2->part[gmsim_l2_group_of(l2->parts, GMSIM_L2_PARTIAL_KINDS, there)];
    if (part->lines >= l2->partial_lines)
        clean_oldest(l2, cost, part, true);
}

/* One more line of the way's group is dirty. */
GMSIM_INLINE void bound(gmsim_l2 *l2, gmsim_l2_cost *cost, const gmsim_l2_set *set, uint32_t way)
{
    gmsim_l2_group *group = &l2->group[l2->written[set - l2->set].group[way]];
    if (group->lines > l2->dirty_lines)
        clean_oldest(l2, cost, group, false);
}

/* Sectors that a fill of 1, 2 or 4 sectors brings for each missing one. */
GMSIM_INLINE uint32_t widen(uint32_t missing, uint32_t fill)
{
    if (fill == 1u)
        return missing;
    if (fill == 4u)
        return missing ? 0xfu : 0;
    return (missing & 3u ? 3u : 0) | (missing & 0xcu ? 0xcu : 0);
}

/* Makes the sectors valid at home; returns those that were missing. */
GMSIM_INLINE uint32_t fetch(gmsim_l2 *l2, gmsim_l2_cost *cost, gmsim_l2_set *set, uint32_t way,
                            uint32_t sectors)
{
    uint32_t state = set->state[way], missing = sectors & ~VALID(state);
    if (!missing)
        return 0;
    if (missing & PARTIAL(state)) {
        complete(l2, cost, set, way, missing & PARTIAL(state));
        state = set->state[way];
    }
    uint32_t absent = widen(missing, l2->fill_sectors) & ~VALID(state) & ~PARTIAL(state);
    cost->read = (uint8_t)(cost->read + gmsim_sector_count(absent));
    set->state[way] = (uint16_t)(state | absent);
    return missing;
}

/* What an access cost is counted once it is over. */
GMSIM_INLINE gmsim_l2_cost counted(gmsim_l2 *l2, gmsim_l2_cost cost, gmsim_l2_reach reach)
{
    l2->counts.dram_read_sectors += cost.read;
    l2->counts.dram_write_sectors += cost.written;
    cost.reach = (uint8_t)reach;
    return cost;
}

GMSIM_INLINE gmsim_l2_cost read_sectors(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                        uint32_t touched, bool plain)
{
    gmsim_l2_counts *counts = &l2->counts;
    gmsim_l2_cost cost = {0};
    const bool usual = plain || l2->usual;
    gmsim_l2_set *home = set_at(l2, place, place->home);
    counts->read_sectors += gmsim_sector_count(touched);
    if (side == place->home || l2->sides == 1u) {
        uint32_t way = bring(l2, &cost, home, place->tag, usual);
        if (!plain)
            relieve(l2, &cost, place->line, false);
        uint32_t missing = fetch(l2, &cost, home, way, touched);
        counts->read_hit_sectors += gmsim_sector_count(touched & ~missing);
        return counted(l2, cost, missing ? GMSIM_L2_DRAM : GMSIM_L2_NEAR);
    }
    gmsim_l2_set *near = set_at(l2, place, side);
    uint32_t copy = bring(l2, &cost, near, place->tag, usual);
    if (!plain)
        relieve(l2, &cost, place->line, true);
    uint32_t missing = touched & ~VALID(near->state[copy]);
    counts->read_hit_sectors += gmsim_sector_count(touched & ~missing);
    if (!missing)
        return counted(l2, cost, GMSIM_L2_NEAR);
    uint32_t way = bring(l2, &cost, home, place->tag, usual);
    if (!plain)
        relieve(l2, &cost, place->line, false);
    uint32_t crossing = widen(missing, l2->fill_sectors) & ~VALID(near->state[copy]);
    uint32_t absent = fetch(l2, &cost, home, way, missing);
    crossing &= VALID(home->state[way]);
    home->state[way] |= COPIED;
    counts->fabric_read_sectors += gmsim_sector_count(crossing);
    counts->fabric_read_hit_sectors += gmsim_sector_count(missing & ~absent);
    near->state[copy] |= (uint16_t)crossing;
    return counted(l2, cost, absent ? GMSIM_L2_DRAM : GMSIM_L2_FAR);
}

static __attribute__((noinline)) gmsim_l2_cost read_any(gmsim_l2 *l2, const gmsim_l2_place *place,
                                                        uint32_t side, uint32_t touched)
{
    return read_sectors(l2, place, side, touched, false);
}

GMSIM_CLONES gmsim_l2_cost gmsim_l2_read(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                         uint32_t touched)
{
    return l2->plain ? read_sectors(l2, place, side, touched, true)
                     : read_any(l2, place, side, touched);
}

/* A line is written at home: a copy on the other side is no good any more, and its way is not found
 * again, but leaves when its turn comes. */
static __attribute__((noinline)) void retire_copy(gmsim_l2 *l2, const gmsim_l2_place *place,
                                                  gmsim_l2_set *home, uint32_t way)
{
    gmsim_l2_set *far = set_at(l2, place, 1u - place->home);
    uint32_t copy = way_of(l2, far, place->tag);
    home->state[way] = (uint16_t)((home->state[way] & ~COPIED) | RETIRED);
    if (copy == GMSIM_L2_WAYS)
        return;
    far->tag[copy] = STALE;
    far->state[copy] = 0;
}

/* The other side writes such a line: its next copy takes an empty way; once the set is full the
 * line pushes out the oldest of it, once, and takes ways of useless copies from then on. */
static __attribute__((noinline)) gmsim_l2_cost copy_again(gmsim_l2 *l2, gmsim_l2_set *home,
                                                          uint32_t home_way, gmsim_l2_set *near,
                                                          uint32_t touched, uint32_t full)
{
    gmsim_l2_cost cost = {0};
    const uint32_t tag = home->tag[home_way];
    uint32_t copy = way_of(l2, near, tag), useless;
    if (copy == GMSIM_L2_WAYS) {
        if (home->state[home_way] & PUSHED && (useless = ways_of(l2, near, STALE)) != 0) {
            copy = gmsim_lowest(useless);
            near->tag[copy] = tag;
            if (!l2->usual)
                gmsim_replacer_fill(&l2->replacer, replaced(l2, near, tag), copy);
        } else {
            if (!(ways_of(l2, near, 0) & l2->all))
                home->state[home_way] |= PUSHED;
            copy = bring(l2, &cost, near, tag, l2->usual);
        }
    }
    near->state[copy] = (uint16_t)((near->state[copy] & ~(touched & ~full)) | full);
    return cost;
}

/* The writer's side holds no copy of the line any more. */
GMSIM_INLINE void drop_copy(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side)
{
    gmsim_l2_set *near = set_at(l2, place, side);
    uint32_t copy = way_of(l2, near, place->tag);
    if (copy != GMSIM_L2_WAYS)
        near->state[copy] = 0;
}

/* A write that leaves nothing here: what it does not write whole DRAM reads first. */
static gmsim_l2_cost write_past(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                uint32_t touched, uint32_t full)
{
    gmsim_l2_counts *counts = &l2->counts;
    gmsim_l2_cost cost = {0};
    gmsim_l2_set *set = set_at(l2, place, place->home);
    uint32_t way = way_of(l2, set, place->tag), sectors = gmsim_sector_count(touched);
    counts->write_sectors += sectors;
    cost.read = (uint8_t)gmsim_sector_count(touched & ~full);
    cost.written = (uint8_t)sectors;
    if (way != GMSIM_L2_WAYS) {
        counts->write_hit_sectors += sectors;
        write_back(l2, &cost, set, way);
        set->tag[way] = set->state[way] = set->age[way] = 0;
        gmsim_replacer_drop(&l2->replacer, (uint32_t)(set - l2->set), way);
    }
    if (side == place->home || l2->sides == 1u)
        return counted(l2, cost, GMSIM_L2_NEAR);
    counts->fabric_write_sectors += sectors;
    drop_copy(l2, place, side);
    return counted(l2, cost, GMSIM_L2_FAR);
}

/* Bytes of the sectors `part` are written, of which those in `had` are partly written before;
 * returns those that are complete now. */
GMSIM_INLINE uint32_t add_bytes(uint64_t *there, const uint64_t bytes[2], uint32_t had,
                                uint32_t part)
{
    uint32_t complete = 0;
    for (uint32_t s = 0; s < 4u; s++) {
        if (!(part >> s & 1u))
            continue;
        uint64_t sector = (uint64_t)UINT32_MAX << (s & 1u) * 32u, *word = &there[s / 2u];
        uint64_t kept = had >> s & 1u ? *word : *word & ~sector;
        *word = kept | (bytes[s / 2u] & sector);
        complete |= (uint32_t)((*word & sector) == sector) << s;
    }
    return complete;
}

GMSIM_INLINE gmsim_l2_cost write_sectors(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                         uint32_t touched, uint32_t full, const uint64_t bytes[2],
                                         bool plain)
{
    gmsim_l2_counts *counts = &l2->counts;
    gmsim_l2_cost cost = {0};
    gmsim_l2_set *set = set_at(l2, place, place->home);
    const bool usual = plain || l2->usual;
    bool on = false;
    if (!usual) {
        bool present = way_of(l2, set, place->tag) != GMSIM_L2_WAYS;
        uint32_t action = gmsim_writes[l2->write].write(present, touched == full);
        if (!(action & GMSIM_WRITE_KEEP)) {
            return write_past(l2, place, side, touched, full);
        }
        on = action & GMSIM_WRITE_ON;
    }
    uint32_t way = bring(l2, &cost, set, place->tag, usual);
    if (!plain)
        relieve(l2, &cost, place->line, false);
    uint32_t sectors = gmsim_sector_count(touched), state = set->state[way];
    counts->write_sectors += sectors;
    counts->write_hit_sectors += sectors;
    counts->dirty_sectors += gmsim_sector_count(touched & ~DIRTY(state));
    bool was_dirty = DIRTY(state), was_partial = PARTIAL(state);
    if (l2->lasting)
        gmsim_lasting_written(lines_of(l2, set), way, set->tag[way]);
    if (!was_dirty)
        soil(l2, set, way, gmsim_l2_group_of(l2->groups, GMSIM_L2_DIRTY_KINDS, place->line));
    if (touched != full)
        full |= add_bytes(l2->written[set - l2->set].way[way], bytes, PARTIAL(state),
                          touched & ~full & ~VALID(state));
    state |= touched << 4 | full;
    state = (state & ~(full << 8)) | (touched & ~full & ~VALID(state)) << 8;
    bool is_partial = PARTIAL(state);
    set->state[way] = (uint16_t)state;
    if (is_partial != was_partial) {
        if (is_partial)
            join_part(l2, set, way, place->line);
        else
            leave_part(l2, set, way);
    }
    if (on)
        write_back(l2, &cost, set, way);
    if (!was_dirty)
        bound(l2, &cost, set, way);
    if (side == place->home || l2->sides == 1u) {
        if (set->state[way] & COPIED)
            retire_copy(l2, place, set, way);
        return counted(l2, cost, state & RETIRED ? GMSIM_L2_BOTH : GMSIM_L2_NEAR);
    }
    set->state[way] |= COPIED;
    counts->fabric_write_sectors += sectors;
    gmsim_l2_set *near = set_at(l2, place, side);
    if (!plain)
        relieve(l2, &cost, place->line, true);
    if (set->state[way] & RETIRED) {
        const gmsim_l2_cost more = copy_again(l2, set, way, near, touched, full);
        add_cost(&cost, &more);
        return counted(l2, cost, GMSIM_L2_BOTH);
    }
    uint32_t copy = bring(l2, &cost, near, place->tag, usual);
    near->state[copy] = (uint16_t)((near->state[copy] & ~(touched & ~full)) | full);
    return counted(l2, cost, GMSIM_L2_FAR);
}

static __attribute__((noinline)) gmsim_l2_cost write_any(gmsim_l2 *l2, const gmsim_l2_place *place,
                                                         uint32_t side, uint32_t touched,
                                                         uint32_t full, const uint64_t bytes[2])
{
    return write_sectors(l2, place, side, touched, full, bytes, false);
}

GMSIM_CLONES gmsim_l2_cost gmsim_l2_write(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                          uint32_t touched, uint32_t full, const uint64_t bytes[2])
{
    return l2->plain ? write_sectors(l2, place, side, touched, full, bytes, true)
                     : write_any(l2, place, side, touched, full, bytes);
}

void gmsim_l2_copy_first(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side)
{
    gmsim_l2_set *near = set_at(l2, place, side % l2->sides);
    uint32_t copy = way_of(l2, near, place->tag);
    if (side != place->home && copy != GMSIM_L2_WAYS && l2->usual)
        near->age[copy] = 1; /* as old as the oldest under the usual policies */
}

GMSIM_CLONES gmsim_l2_cost gmsim_l2_atomic(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                           uint32_t touched)
{
    gmsim_l2_counts *counts = &l2->counts;
    gmsim_l2_cost cost = {0};
    gmsim_l2_set *set = set_at(l2, place, place->home);
    uint32_t way = bring(l2, &cost, set, place->tag, l2->usual);
    if (!l2->plain)
        relieve(l2, &cost, place->line, false);
    bool missed = fetch(l2, &cost, set, way, touched) != 0;
    uint32_t state = set->state[way];
    counts->dirty_sectors += gmsim_sector_count(touched & ~DIRTY(state));
    set->state[way] = (uint16_t)(state | touched << 4);
    if (!DIRTY(state)) {
        soil(l2, set, way, gmsim_l2_group_of(l2->groups, GMSIM_L2_DIRTY_KINDS, place->line));
        bound(l2, &cost, set, way);
    }
    if (side != place->home && l2->sides > 1u)
        drop_copy(l2, place, side);
    return counted(l2, cost,
                   missed                ? GMSIM_L2_DRAM
                   : side == place->home ? GMSIM_L2_NEAR
                                         : GMSIM_L2_FAR);
}

void gmsim_l2_note(gmsim_l2 *l2, const gmsim_l2_place *place, uint64_t line)
{
    const gmsim_l2_set *set = set_at(l2, place, place->home);
    uint32_t way = way_of(l2, set, place->tag);
    if (way != GMSIM_L2_WAYS)
        l2->dirty_line[(size_t)(set - l2->set) * GMSIM_L2_WAYS + way] = line;
}
