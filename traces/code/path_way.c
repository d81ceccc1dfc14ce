/* SPDX-License-Identifier: MIT
 *
 * path_way.c - the way of a part of a warp, as if it were alone, from a place in the code to a
 * record: by what its lanes have where that decides a branch (path_walk.h), else the one that the
 * search takes, its loops as often as they turn (path_loop.h).
 */
#include "traces/code/path_loop.h"
#include "traces/code/path_private.h"
#include "traces/format/grow.h"

#define MAX_TURNS 4096u /* of a loop, that what lanes have is carried through */

const gmtrace_path_piece *path_pieces(const gmtrace_paths *p, uint32_t list, uint32_t *count)
{
    size_t size;
    const gmtrace_path_piece *found = path_set_get(&p->lists, list, &size);
    *count = (uint32_t)(size / sizeof *found);
    return found;
}

uint32_t path_put_place(gmtrace_paths *p, path_place place)
{
    path_place clean;
    memset(&clean, 0, sizeof clean);
    clean.block = place.block;
    clean.stack = place.stack;
    clean.facts = place.facts;
    return path_set_put(&p->places, &clean, sizeof clean);
}

path_place path_get_place(const gmtrace_paths *p, uint32_t number)
{
    size_t size;
    return *(const path_place *)path_set_get(&p->places, number, &size);
}

static void run_pieces(const gmtrace_paths *p, path_lanes *lanes, uint32_t mask, uint32_t list)
{
    uint32_t count;
    const gmtrace_path_piece *piece = path_pieces(p, list, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t t = 0; t < piece[i].times && t < MAX_TURNS; t++)
            path_values_run(p->values, lanes, piece[i].first, piece[i].count, mask);
}

/* What the lanes have behind the record's instruction. */
static uint32_t keep_values(gmtrace_paths *p, const path_way_key *key, path_lanes *lanes)
{
    if (key->to != PATH_END)
        path_values_run(p->values, lanes, p->graph.flow.block[key->to].first, 1, key->mask);
    return path_values_keep(p->values, lanes);
}

/* Finds the way that lanes go by what they have. False where that says nothing. */
static bool walk_way(gmtrace_paths *p, const path_way_key *key, path_found *made)
{
    path_lanes lanes;
    path_walked walked;
    path_values_open(p->values, key->values, &lanes);
    lanes.mask = key->mask;
    p->whole.count = 0;
    if (!path_walk_find(p->walk, path_get_place(p, key->place), key->to, key->all, key->mask,
                        &lanes, &p->whole, &walked) ||
        !walked.decided)
        return false;
    *made = (path_found){.found = true, .ambiguous = walked.ambiguous};
    made->values = keep_values(p, key, &lanes);
    made->list = path_set_put(&p->lists, p->whole.piece, p->whole.count * sizeof *p->whole.piece);
    made->end = path_put_place(p, walked.end);
    return true;
}

static void search_way(gmtrace_paths *p, const path_way_key *key, path_found *made)
{
    const path_place from = path_get_place(p, key->place);
    const path_way found = path_search_find(p->search, from, key->to, key->all);
    const path_place end = found.found ? found.end : (path_place){.block = key->to};
    *made = (path_found){.found = found.found, .ambiguous = found.ambiguous, .lost = found.lost};
    p->whole.count = 0;
    if (found.found)
        made->estimated = path_unroll(&p->graph, p->search, from, &found, &p->whole, &p->loop_work);
    made->values = PATH_NO_VALUES;
    made->list = path_set_put(&p->lists, p->whole.piece, p->whole.count * sizeof *p->whole.piece);
    made->end = path_put_place(p, end);
}

/* One part's way, as if it were alone. NULL without memory. */
const path_found *path_find_way(gmtrace_paths *p, const path_way_key *key)
{
    if (p->failed)
        return NULL;
    const uint32_t known = p->way_keys.count;
    const uint32_t number = path_set_put(&p->way_keys, key, sizeof *key);
    if (number == UINT32_MAX || number < known)
        return number == UINT32_MAX ? NULL : &p->way[number];
    if (!GMT_GROW(p->way, number)) {
        p->failed = true;
        return NULL;
    }
    path_found made;
    if (key->values == PATH_NO_VALUES) {
        search_way(p, key, &made);
    } else if (!walk_way(p, key, &made)) {
        const path_way_key any = {key->place, key->to, key->all, PATH_NO_VALUES, 0};
        const path_found *plain = path_find_way(p, &any);
        if (!plain)
            return NULL;
        path_lanes lanes;
        made = *plain;
        path_values_open(p->values, key->values, &lanes);
        lanes.mask = key->mask;
        run_pieces(p, &lanes, key->mask, made.list);
        made.values = keep_values(p, key, &lanes);
    }
    p->failed |= p->whole.failed;
    p->way[number] = made;
    return made.list == UINT32_MAX || made.end == UINT32_MAX ? NULL : &p->way[number];
}
