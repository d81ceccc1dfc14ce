/* SPDX-License-Identifier: MIT
 *
 * path_plain.c - ways of whole warps that no branch decides by what lanes have: all that go from
 * the one place to the other go the same, which is found once. Where the code on it changes nothing
 * that is known, either, a warp has afterwards what it had before: such moves are the most, and
 * the warp needs no state for them. What is counted is what would be if it had one: a move is one
 * of a state, a sample one of a move.
 */
#include "traces/code/path_private.h"
#include "traces/format/grow.h"

path_had *path_had_of(gmtrace_paths *p, uint32_t values)
{
    if (values >= p->values_rooms) {
        const uint32_t larger = values < 512 ? 1024 : 2 * values;
        path_had *grown = values < UINT32_MAX / 4 ? realloc(p->had, larger * sizeof *grown) : NULL;
        if (!grown)
            return NULL;
        memset(grown + p->values_rooms, 0, (larger - p->values_rooms) * sizeof *grown);
        p->had = grown;
        p->values_rooms = larger;
    }
    path_had *had = &p->had[values];
    if (!had->is_set) {
        had->places = path_values_places(p->values, values, &had->missing);
        had->mask = path_values_mask(p->values, values);
        had->state = UINT32_MAX;
        had->is_set = true;
    }
    return had;
}

static path_plain *find(const gmtrace_paths *p, uint32_t place, uint32_t to, bool all)
{
    if (place >= PATH_FEW)
        return NULL;
    for (uint32_t i = p->first_plain[place]; i; i = p->plain[i - 1u].next)
        if (p->plain[i - 1u].to == to && p->plain[i - 1u].all == all)
            return &p->plain[i - 1u];
    return NULL;
}

/* Is the way gone without a change of what the lanes have? */
static bool leaves(const path_plain *plain, const path_had *had)
{
    return plain->effect == PATH_LEAVES && !(plain->places & had->places);
}

/* One more that goes the way for the first time. False where too much is gone through to do so. */
static bool count_way(gmtrace_paths *p, path_plain *plain, bool missing)
{
    if (!path_walk_again(p->walk, plain->found.blocks, plain->path->instructions))
        return false;
    if (missing)
        return true;
    if (!plain->sample)
        plain->sample = path_sample_of(p, plain->place, plain->to, plain->all);
    if (plain->sample)
        path_sample_add(&p->samples.sample[plain->sample - 1u], &plain->found,
                        plain->path->instructions);
    return true;
}

const path_plain *path_plain_go(gmtrace_paths *p, uint32_t place, uint32_t to, bool all,
                                uint32_t values)
{
    path_plain *plain = find(p, place, to, all);
    path_had *had = plain ? path_had_of(p, values) : NULL;
    if (!had || !leaves(plain, had))
        return NULL;
    const uint32_t number = (uint32_t)(plain - p->plain);
    if (!path_few_have(had->gone, number)) {
        if (path_values_full(p->values) || !count_way(p, plain, had->missing))
            return NULL;
        path_values_count(p->values, plain->path->instructions + (to != PATH_END));
        path_few_add(had->gone, number);
    }
    plain->taken++;
    return plain;
}

const path_plain *path_plain_run(gmtrace_paths *p, const path_way_key *key, path_found *way)
{
    path_plain *plain = find(p, key->place, key->to, key->all);
    path_had *had = plain ? path_had_of(p, key->values) : NULL;
    if (!had || plain->effect == PATH_VOTES || !count_way(p, plain, had->missing))
        return NULL;
    uint32_t count;
    const gmtrace_path_piece *piece = path_pieces(p, plain->found.list, &count);
    path_lanes *lanes = path_values_open(p->values, key->values);
    lanes->mask = key->mask;
    for (uint32_t i = 0; i < count; i++)
        path_values_run(p->values, lanes, piece[i].first, piece[i].count, key->mask);
    *way = plain->found;
    way->values = path_keep_values(p, key, lanes);
    return plain;
}

/* What the code of a way, and the record's instruction behind it, does to what lanes have. */
static path_effect effect_of(const gmtrace_paths *p, const path_plain *plain, path_places *places)
{
    uint32_t count;
    const gmtrace_path_piece *piece = path_pieces(p, plain->found.list, &count);
    path_effect most = PATH_LEAVES;
    *places = path_values_over(p->values, plain->to);
    for (uint32_t i = 0; i <= count; i++) {
        path_effect own = PATH_LEAVES;
        if (i < count && piece[i].times > 1)
            own = PATH_VOTES; /* for a run it is one too rare */
        else if (i < count)
            own = path_values_effect(p->values, piece[i].first, piece[i].count, places);
        else if (plain->to != PATH_END)
            own = path_values_effect(p->values, p->graph.flow.block[plain->to].first, 1, places);
        most = own > most ? own : most;
    }
    return most;
}

void path_plain_note(gmtrace_paths *p, const path_way_key *key, const path_found *way,
                     const gmtrace_path *path)
{
    if (!way->alike || key->place >= PATH_FEW || way->values == PATH_NO_VALUES)
        return;
    path_plain *plain = find(p, key->place, key->to, key->all);
    if (!plain && p->plain_count < PATH_FEW && GMT_GROW(p->plain, p->plain_count)) {
        plain = &p->plain[p->plain_count++];
        *plain = (path_plain){.place = key->place, .to = key->to, .all = key->all, .found = *way};
        plain->path = path;
        plain->effect = effect_of(p, plain, &plain->places);
        plain->next = p->first_plain[key->place];
        p->first_plain[key->place] = (uint8_t)p->plain_count;
    }
    path_had *had = plain ? path_had_of(p, key->values) : NULL;
    if (had && leaves(plain, had) && way->values == key->values)
        path_few_add(had->gone, (uint32_t)(plain - p->plain));
}
