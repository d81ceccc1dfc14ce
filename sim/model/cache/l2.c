/* SPDX-License-Identifier: MIT
 *
 * l2.c - L2 and the DRAM traffic behind it. Rules, as measured on an H200 by micro/l2_policy.cu
 * (experiments in brackets) and micro/cache_probe.cu:
 *
 * - Two sides of half the capacity. Every line has a home side. A read is looked up on the reader's
 *   side; what is missing of a line whose home is the other side is asked for there, over the
 *   fabric, and a copy stays (private: half of the first reads cross, none of the second; all: half
 *   the capacity when both sides read everything).
 * - A miss at home brings gpu.l2_fill_sectors aligned sectors from DRAM, and the fabric carries as
 *   many (sector), be they at home already (micro/l2_cross.cu, cross); the whole line where a load
 *   asks for that, as ld.global.L2::128B does (micro/l2_promote.cu).
 * - A write goes to the home side; the writer's side keeps a copy, and a sector that it has of the
 *   line stays good though a part of it is written (MODEL.md names who showed it). A sector written
 *   whole needs nothing from DRAM. A sector written in part is not read from DRAM at once, but when
 *   it is read (wload), or when too many lines of its group are in that state, or when its line is
 *   evicted; never once all its bytes have been written.
 * - A write at home makes a copy on the other side useless. Its way is no longer found, and is
 *   taken once no other is empty: a line that both sides write by turns takes one way after another
 *   there, until the set is full. In a full set the oldest line is written to DRAM if it is dirty,
 *   and stays (micro/l2_again.cu: of dirty lines that nobody accesses any more, and of those that
 *   ncu leaves, about one in a set, be the others written 64 times or 512; none that are written
 *   again as well, none where one side alone writes, or reads, or time passes; nothing leaves).
 * - Atomics and reductions work at home, read what is missing there (red, atom), and drop the copy;
 *   those from the other side bring no sector more (micro/atomics_miss.cu, lines: half of all do
 *   not, which is taken to be these).
 * - Which line leaves, which set is whose and what a write leaves behind are policies (sim/policy).
 * - A write always counts as a hit, as the hardware's counters have it.
 *
 * Left out: slices (only the sum over them is modelled), compression, persistence controls, GPUs
 * whose DRAM has no ECC and so need no read for a partial write.
 */
#include "sim/model/cache/l2_private.h"

#include "sim/policy/write.h"

gmsim_l2_place gmsim_l2_find_any(const gmsim_l2 *l2, uint64_t line)
{
    return gmsim_l2_place_of(l2, line, gmsim_hashes[l2->hash].mix(line, &l2->sets));
}

/* Reads and writes are compiled twice: with the usual policies inlined while no group is crowded,
 * and for all else. */

/* Of a set that is full: the way of a useless copy, or else of the oldest line that leaves before
 * others, now the line's; or none. */
static __attribute__((noinline)) uint32_t take_sooner(gmsim_l2 *l2, gmsim_l2_cost *cost, l2_set set,
                                                      uint32_t tag)
{
    if (l2_ways_of(l2, set, 0) & l2->all)
        return GMSIM_L2_WAYS;
    uint32_t sooner = l2_ways_of(l2, set, L2_STALE);
    if (!sooner)
        for (uint32_t way = 0; way < l2->ways; way++)
            sooner |= (l2_states(set)[way] & L2_FIRST ? 1u : 0) << way;
    if (!sooner)
        return GMSIM_L2_WAYS;
    const uint32_t way = gmsim_lru_victim(l2_lines_of(l2, set), sooner);
    l2_write_back(l2, cost, set, way);
    l2_tags(set)[way] = tag;
    l2_states(set)[way] = 0;
    return way;
}

/* An access of a read or a write to the line, which is there; `first`: with a hint that it should
 * leave soon. */
static __attribute__((noinline)) void sort(gmsim_l2 *l2, l2_set set, uint32_t way, bool first)
{
    uint16_t *state = &l2_states(set)[way];
    if (!first)
        *state &= (uint16_t)~L2_FIRST;
    else if (!*state)
        *state = L2_FIRST;
    l2->sorted = true;
}

/* The line's way, used; allocated, empty, if it was absent. */
GMSIM_INLINE uint32_t bring(gmsim_l2 *l2, gmsim_l2_cost *cost, l2_set set, uint32_t tag, bool usual)
{
    gmsim_lines lines = l2_lines_of(l2, set);
    uint32_t way = l2_way_of(l2, set, tag), empty;
    if (way == GMSIM_L2_WAYS && usual && l2->sorted)
        way = take_sooner(l2, cost, set, tag);
    if (way == GMSIM_L2_WAYS) {
        if (usual)
            way = gmsim_lru_oldest(lines, l2->ways);
        else
            way = (empty = l2_ways_of(l2, set, 0) & l2->all)
                      ? gmsim_lowest(empty)
                      : gmsim_replacer_victim(&l2->replacer, l2_replaced(l2, set, tag), l2->all);
        l2_write_back(l2, cost, set, way);
        l2_tags(set)[way] = tag;
        l2_states(set)[way] = 0;
        if (!usual)
            gmsim_replacer_fill(&l2->replacer, l2_replaced(l2, set, tag), way);
    } else if (!usual) {
        gmsim_replacer_use(&l2->replacer, l2_replaced(l2, set, tag), way);
    } else if (*l2_dirty(set) && l2->lasting && l2_tags(set)[l2->ways - 1u]) {
        const gmsim_l2_cost more = gmsim_l2_clean_next(l2, set);
        l2_add_cost(cost, &more);
    }
    if (usual)
        gmsim_lru_use(lines, way);
    return way;
}

/* The same for a read, or a write at home: they say when the line is to leave. */
GMSIM_INLINE uint32_t bring_sorted(gmsim_l2 *l2, gmsim_l2_cost *cost, l2_set set, uint32_t tag,
                                   bool usual, bool first)
{
    const uint32_t way = bring(l2, cost, set, tag, usual);
    if (l2->sorted || first)
        sort(l2, set, way, first);
    return way;
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
GMSIM_INLINE uint32_t fetch(gmsim_l2 *l2, gmsim_l2_cost *cost, l2_set set, uint32_t way,
                            uint32_t sectors, uint32_t fill)
{
    uint32_t state = l2_states(set)[way], missing = sectors & ~L2_VALID(state);
    if (!missing)
        return 0;
    if (missing & L2_PARTIAL(state)) {
        l2_complete(l2, cost, set, way, missing & L2_PARTIAL(state));
        state = l2_states(set)[way];
    }
    uint32_t absent = widen(missing, fill) & ~L2_VALID(state) & ~L2_PARTIAL(state);
    cost->read = (uint8_t)(cost->read + gmsim_sector_count(absent));
    l2_states(set)[way] = (uint16_t)(state | absent);
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
                                        uint32_t touched, bool plain, uint32_t width, uint32_t fill,
                                        bool first)
{
    gmsim_l2_counts *counts = &l2->counts;
    gmsim_l2_cost cost = {0};
    const bool usual = plain || l2->usual;
    l2_set home = l2_set_at(l2, place, place->home, width);
    counts->read_sectors += gmsim_sector_count(touched);
    if (side == place->home || l2->sides == 1u) {
        uint32_t way = bring_sorted(l2, &cost, home, place->tag, usual, first);
        if (!plain)
            gmsim_l2_relieve(l2, &cost, place->line, false);
        uint32_t missing = fetch(l2, &cost, home, way, touched, fill);
        counts->read_hit_sectors += gmsim_sector_count(touched & ~missing);
        return counted(l2, cost, missing ? GMSIM_L2_DRAM : GMSIM_L2_NEAR);
    }
    l2_set near = l2_set_at(l2, place, side, width);
    uint32_t copy = bring_sorted(l2, &cost, near, place->tag, usual, first);
    if (!plain)
        gmsim_l2_relieve(l2, &cost, place->line, true);
    uint32_t missing = touched & ~L2_VALID(l2_states(near)[copy]);
    counts->read_hit_sectors += gmsim_sector_count(touched & ~missing);
    if (!missing)
        return counted(l2, cost, GMSIM_L2_NEAR);
    uint32_t way = bring_sorted(l2, &cost, home, place->tag, usual, first);
    if (!plain)
        gmsim_l2_relieve(l2, &cost, place->line, false);
    uint32_t crossing = widen(missing, fill) & ~L2_VALID(l2_states(near)[copy]);
    uint32_t absent = fetch(l2, &cost, home, way, missing, fill);
    crossing &= L2_VALID(l2_states(home)[way]);
    l2_states(home)[way] |= L2_COPIED;
    counts->fabric_read_sectors += gmsim_sector_count(crossing);
    counts->fabric_read_hit_sectors += gmsim_sector_count(missing & ~absent);
    l2_states(near)[copy] |= (uint16_t)crossing;
    return counted(l2, cost, absent ? GMSIM_L2_DRAM : GMSIM_L2_FAR);
}

static __attribute__((noinline)) gmsim_l2_cost read_any(gmsim_l2 *l2, const gmsim_l2_place *place,
                                                        uint32_t side, uint32_t touched,
                                                        uint32_t fill, bool first)
{
    return l2->width == GMSIM_L2_NARROW
               ? read_sectors(l2, place, side, touched, false, GMSIM_L2_NARROW, fill, first)
               : read_sectors(l2, place, side, touched, false, GMSIM_L2_WAYS, fill, first);
}

GMSIM_CLONES gmsim_l2_cost gmsim_l2_read(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                         uint32_t touched)
{
    return l2->plain ? read_sectors(l2, place, side, touched, true, GMSIM_L2_NARROW,
                                    l2->fill_sectors, false)
                     : read_any(l2, place, side, touched, l2->fill_sectors, false);
}

gmsim_l2_cost gmsim_l2_read_hinted(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                   uint32_t touched, bool whole, bool first)
{
    return read_any(l2, place, side, touched, whole ? 4u : l2->fill_sectors, first);
}

gmsim_l2_cost gmsim_l2_bring(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t touched)
{
    gmsim_l2_counts *counts = &l2->counts;
    const uint64_t read = counts->read_sectors, hit = counts->read_hit_sectors;
    const gmsim_l2_cost cost = gmsim_l2_read(l2, place, place->home, touched);
    counts->prefetch_sectors += counts->read_sectors - read;
    counts->prefetch_hit_sectors += counts->read_hit_sectors - hit;
    counts->read_sectors = read;
    counts->read_hit_sectors = hit;
    return cost;
}

/* A line is written at home: a copy on the other side is no good any more. Its way is not found
 * again, and is taken once no other of the set is empty. */
static __attribute__((noinline)) void retire_copy(gmsim_l2 *l2, const gmsim_l2_place *place,
                                                  l2_set home, uint32_t way)
{
    l2_set far = l2_set_at(l2, place, 1u - place->home, l2->width);
    uint32_t copy = l2_way_of(l2, far, place->tag);
    l2_states(home)[way] = (uint16_t)((l2_states(home)[way] & ~L2_COPIED) | L2_RETIRED);
    if (copy == GMSIM_L2_WAYS)
        return;
    l2_tags(far)[copy] = L2_STALE;
    l2_states(far)[copy] = 0;
    l2->sorted = true;
}

/* The writer's side holds no copy of the line any more. */
GMSIM_INLINE void drop_copy(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side)
{
    l2_set near = l2_set_at(l2, place, side, l2->width);
    uint32_t copy = l2_way_of(l2, near, place->tag);
    if (copy != GMSIM_L2_WAYS)
        l2_states(near)[copy] = 0;
}

/* A write that leaves nothing here: what it does not write whole DRAM reads first. */
static gmsim_l2_cost write_past(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                uint32_t touched, uint32_t full)
{
    gmsim_l2_counts *counts = &l2->counts;
    gmsim_l2_cost cost = {0};
    l2_set set = l2_set_at(l2, place, place->home, l2->width);
    uint32_t way = l2_way_of(l2, set, place->tag), sectors = gmsim_sector_count(touched);
    counts->write_sectors += sectors;
    cost.read = (uint8_t)gmsim_sector_count(touched & ~full);
    cost.written = (uint8_t)sectors;
    if (way != GMSIM_L2_WAYS) {
        counts->write_hit_sectors += sectors;
        l2_write_back(l2, &cost, set, way);
        l2_tags(set)[way] = l2_states(set)[way] = l2_ages(set)[way] = 0;
        gmsim_replacer_drop(&l2->replacer, set.number, way);
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
                                         bool plain, uint32_t width)
{
    gmsim_l2_counts *counts = &l2->counts;
    gmsim_l2_cost cost = {0};
    l2_set set = l2_set_at(l2, place, place->home, width);
    const bool usual = plain || l2->usual;
    bool on = false;
    if (!usual) {
        bool present = l2_way_of(l2, set, place->tag) != GMSIM_L2_WAYS;
        uint32_t action = gmsim_writes[l2->write].write(present, touched == full);
        if (!(action & GMSIM_WRITE_KEEP)) {
            return write_past(l2, place, side, touched, full);
        }
        on = action & GMSIM_WRITE_ON;
    }
    uint32_t way = bring_sorted(l2, &cost, set, place->tag, usual, false);
    if (!plain)
        gmsim_l2_relieve(l2, &cost, place->line, false);
    uint64_t *written = l2->written[(size_t)set.number * width + way];
    if (touched != full)
        __builtin_prefetch(written, 1);
    uint32_t sectors = gmsim_sector_count(touched), state = l2_states(set)[way];
    counts->write_sectors += sectors;
    counts->write_hit_sectors += sectors;
    counts->dirty_sectors += gmsim_sector_count(touched & ~L2_DIRTY(state));
    bool was_dirty = L2_DIRTY(state), was_partial = L2_PARTIAL(state);
    if (l2->lasting)
        gmsim_lasting_written(l2_lines_of(l2, set), way, l2_tags(set)[way]);
    uint32_t group = 0;
    if (!was_dirty) {
        group = gmsim_l2_group_of(l2->groups, GMSIM_L2_DIRTY_KINDS, place->line);
        l2_soil(l2, set, way, group);
    }
    if (touched != full)
        full |= add_bytes(written, bytes, L2_PARTIAL(state), touched & ~full & ~L2_VALID(state));
    state |= touched << 4 | full;
    state = (state & ~(full << 8)) | (touched & ~full & ~L2_VALID(state)) << 8;
    bool is_partial = L2_PARTIAL(state);
    l2_states(set)[way] = (uint16_t)state;
    if (is_partial != was_partial) {
        if (is_partial)
            gmsim_l2_join_part(l2, set, way, place->line);
        else
            gmsim_l2_leave_part(l2, set, way);
    }
    if (on)
        l2_write_back(l2, &cost, set, way);
    if (!was_dirty)
        l2_bound(l2, &cost, group);
    if (side == place->home || l2->sides == 1u) {
        if (l2_states(set)[way] & L2_COPIED)
            retire_copy(l2, place, set, way);
        return counted(l2, cost, state & L2_RETIRED ? GMSIM_L2_BOTH : GMSIM_L2_NEAR);
    }
    l2_states(set)[way] |= L2_COPIED;
    counts->fabric_write_sectors += sectors;
    l2_set near = l2_set_at(l2, place, side, width);
    if (!plain)
        gmsim_l2_relieve(l2, &cost, place->line, true);
    uint32_t copy = bring(l2, &cost, near, place->tag, usual);
    l2_states(near)[copy] |= (uint16_t)full; /* of what is there already a part stays good, too */
    return counted(l2, cost, state & L2_RETIRED ? GMSIM_L2_BOTH : GMSIM_L2_FAR);
}

static __attribute__((noinline)) gmsim_l2_cost write_any(gmsim_l2 *l2, const gmsim_l2_place *place,
                                                         uint32_t side, uint32_t touched,
                                                         uint32_t full, const uint64_t bytes[2])
{
    return write_sectors(l2, place, side, touched, full, bytes, false, l2->width);
}

GMSIM_CLONES gmsim_l2_cost gmsim_l2_write(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                          uint32_t touched, uint32_t full, const uint64_t bytes[2])
{
    return l2->plain ? write_sectors(l2, place, side, touched, full, bytes, true, GMSIM_L2_NARROW)
                     : write_any(l2, place, side, touched, full, bytes);
}

void gmsim_l2_copy_first(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side)
{
    l2_set near = l2_set_at(l2, place, side % l2->sides, l2->width);
    uint32_t copy = l2_way_of(l2, near, place->tag);
    if (side != place->home && copy != GMSIM_L2_WAYS && l2->usual) {
        l2_states(near)[copy] |= L2_FIRST;
        l2->sorted = true;
    }
}

GMSIM_CLONES gmsim_l2_cost gmsim_l2_atomic(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                           uint32_t touched)
{
    gmsim_l2_counts *counts = &l2->counts;
    gmsim_l2_cost cost = {0};
    l2_set set = l2_set_at(l2, place, place->home, l2->width);
    uint32_t way = bring(l2, &cost, set, place->tag, l2->usual);
    if (!l2->plain)
        gmsim_l2_relieve(l2, &cost, place->line, false);
    const bool near = side == place->home || l2->sides == 1u;
    const uint32_t missed = fetch(l2, &cost, set, way, touched, near ? l2->fill_sectors : 1u);
    counts->missed_update_sectors += gmsim_sector_count(missed);
    uint32_t state = l2_states(set)[way];
    counts->dirty_sectors += gmsim_sector_count(touched & ~L2_DIRTY(state));
    l2_states(set)[way] = (uint16_t)(state | touched << 4);
    if (!L2_DIRTY(state)) {
        const uint32_t group = gmsim_l2_group_of(l2->groups, GMSIM_L2_DIRTY_KINDS, place->line);
        l2_soil(l2, set, way, group);
        l2_bound(l2, &cost, group);
    }
    if (!near)
        drop_copy(l2, place, side);
    return counted(l2, cost,
                   missed                ? GMSIM_L2_DRAM
                   : side == place->home ? GMSIM_L2_NEAR
                                         : GMSIM_L2_FAR);
}

void gmsim_l2_note(gmsim_l2 *l2, const gmsim_l2_place *place, uint64_t line)
{
    const l2_set set = l2_set_at(l2, place, place->home, l2->width);
    uint32_t way = l2_way_of(l2, set, place->tag);
    if (way != GMSIM_L2_WAYS)
        l2->dirty_line[(size_t)set.number * GMSIM_L2_WAYS + way] = line;
}
