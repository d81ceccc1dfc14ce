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
#define NEAR      4u    /* to a mean: at most a part of so many of it away */

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

uint32_t path_keep_values(gmtrace_paths *p, const path_way_key *key, path_lanes *lanes)
{
    if (key->to != PATH_END)
        path_values_run(p->values, lanes, p->graph.flow.block[key->to].first, 1, key->mask);
    return path_values_keep_behind(p->values, lanes, key->to);
}

/* ----------------------------------------------------------------------------------------- samples
 */

static struct path_sample *find_sample(gmtrace_paths *p, const path_way_key *key, bool ambiguous)
{
    const uint32_t where[] = {key->place, key->to, key->all, ambiguous};
    const uint32_t known = p->samples.keys.count;
    const uint32_t number = path_set_put(&p->samples.keys, where, sizeof where);
    if (number == UINT32_MAX || (number >= known && !GMT_GROW(p->samples.sample, number)))
        return NULL;
    if (number >= known)
        memset(&p->samples.sample[number], 0, sizeof p->samples.sample[number]);
    return &p->samples.sample[number];
}

static uint64_t distance(uint64_t length, const struct path_kind *kind)
{
    const uint64_t all = kind->length, own = length * kind->ways;
    return all > own ? all - own : own - all;
}

uint32_t path_sample_of(gmtrace_paths *p, uint32_t place, uint32_t to, bool all)
{
    const path_way_key key = {.place = place, .to = to, .all = all};
    const struct path_sample *sample = find_sample(p, &key, false);
    return sample ? (uint32_t)(sample - p->samples.sample) + 1u : 0;
}

static uint64_t mean_of(const struct path_kind *kind)
{
    return kind->length / kind->ways;
}

static void add_way(struct path_kind *kind, const path_found *way, uint64_t length)
{
    kind->length += length;
    kind->ways++;
    if (kind->ways == 1 || distance(length, kind) < distance(kind->nearest, kind)) {
        kind->found = *way;
        kind->nearest = length;
    }
}

/* Where ways of that length belong: to those of nearer length. The first other length makes two
 * kinds of one. */
static struct path_kind *side_of(struct path_sample *sample, uint64_t length)
{
    struct path_kind *side = sample->side;
    if (!side[0].ways || (!side[1].ways && length == mean_of(side)))
        return side;
    if (!side[1].ways && length < mean_of(side)) {
        side[1] = side[0];
        side[0] = (struct path_kind){0};
        return side;
    }
    return !side[1].ways || 2u * length > mean_of(side) + mean_of(side + 1) ? side + 1 : side;
}

void path_sample_add(struct path_sample *sample, const path_found *way, uint64_t length)
{
    add_way(&sample->all, way, length);
    add_way(side_of(sample, length), way, length);
}

/* The way that is nearest to the mean, or, where none is near it, short ones and long ones so often
 * that they come to it, all over the kernel: that of most is not what all do. */
static const path_found *draw(gmtrace_paths *p, const struct path_sample *sample)
{
    const struct path_kind *all = &sample->all, *side = sample->side;
    if (!side[1].ways || distance(all->nearest, all) * NEAR <= all->length)
        return &all->found;
    const int64_t owed = p->samples.owed + (int64_t)mean_of(all);
    const bool longer = 2 * owed > (int64_t)(side[0].nearest + side[1].nearest);
    p->samples.owed = owed - (int64_t)side[longer].nearest;
    return &side[longer].found;
}

static void add_sample(gmtrace_paths *p, const path_way_key *key, const path_found *way)
{
    uint32_t count;
    const gmtrace_path_piece *piece = path_pieces(p, way->list, &count);
    struct path_sample *sample = find_sample(p, key, way->ambiguous);
    if (sample)
        path_sample_add(sample, way, path_pieces_length(piece, count));
}

/* Lanes of which too little is known go as others went, of whom more was: what they have then is
 * left as it is. */
static bool use_sample(gmtrace_paths *p, const path_way_key *key, path_found *made)
{
    if (!p->values)
        return false;
    p->samples.asked = true;
    const struct path_sample *sample = find_sample(p, key, false);
    if (path_values_full(p->values) && sample && !sample->all.ways)
        sample = find_sample(p, key, true);
    if (!sample || !sample->all.ways)
        return false;
    const path_found own = *made;
    *made = *draw(p, sample);
    made->values = own.values;
    made->missing = own.missing;
    made->ambiguous = made->sampled = true;
    made->alike = false;
    return true;
}

/* Finds the way that lanes go by what they have. False where that says nothing. */
static bool walk_way(gmtrace_paths *p, const path_way_key *key, path_found *made)
{
    path_walked walked;
    path_lanes *lanes = path_values_open(p->values, key->values);
    lanes->mask = key->mask;
    p->whole.count = 0;
    made->against = !path_walk_find(p->walk, path_get_place(p, key->place), key->to, key->all,
                                    key->mask, lanes, &p->whole, &walked);
    if (made->against || (!walked.decided && (walked.ambiguous || walked.open)))
        return false;
    *made = (path_found){.found = true, .ambiguous = walked.ambiguous, .missing = lanes->missing};
    made->alike = walked.alike;
    made->blocks = walked.blocks;
    made->values = path_keep_values(p, key, lanes);
    made->list = path_set_put(&p->lists, p->whole.piece, p->whole.count * sizeof *p->whole.piece);
    made->end = path_put_place(p, walked.end);
    return true;
}

static void search_way(gmtrace_paths *p, const path_way_key *key, path_found *made)
{
    const path_place from = path_get_place(p, key->place);
    const path_way found = path_sides_find(p->sides, from, key->to, key->all);
    const path_place end = found.found ? found.end : (path_place){.block = key->to};
    *made = (path_found){.found = found.found, .ambiguous = found.ambiguous, .lost = found.lost};
    p->whole.count = 0;
    if (found.found)
        made->estimated = path_unroll(&p->graph, p->search, from, &found, &p->whole, &p->loop_work);
    made->values = PATH_NO_VALUES;
    made->list = path_set_put(&p->lists, p->whole.piece, p->whole.count * sizeof *p->whole.piece);
    made->end = path_put_place(p, end);
}

/* The way of lanes whose values do not say it. False without memory. */
static bool guess_way(gmtrace_paths *p, const path_way_key *key, path_found *made)
{
    if (path_walk_is_over(p->walk))
        path_values_give_up(p->values);
    const path_way_key any = {key->place, key->to, key->all, PATH_NO_VALUES, 0};
    const path_found *plain = path_find_way(p, &any);
    if (!plain)
        return false;
    const bool against = made->against;
    path_lanes *lanes = path_values_open(p->values, key->values);
    if (!plain->ambiguous || !lanes->missing || !use_sample(p, key, made))
        *made = *plain;
    made->against = against;
    made->missing = lanes->missing;
    lanes->mask = key->mask;
    lanes->unsure = true;
    run_pieces(p, lanes, key->mask, made->list);
    made->values = path_keep_values(p, key, lanes);
    return true;
}

/* False without memory. */
static bool make_way(gmtrace_paths *p, const path_way_key *key, path_found *way)
{
    const bool full = p->values && path_values_full(p->values);
    path_found made = {.values = PATH_NO_VALUES};
    const bool walked = key->values != PATH_NO_VALUES && walk_way(p, key, &made);
    if (walked && made.ambiguous && made.missing) {
        use_sample(p, key, &made);
    } else if (key->values == PATH_NO_VALUES) {
        if (!full || !use_sample(p, key, &made))
            search_way(p, key, &made);
    } else if (!walked && !guess_way(p, key, &made)) {
        return false;
    }
    p->failed |= p->whole.failed;
    *way = made;
    if (walked && !made.sampled && !made.missing && made.list != UINT32_MAX)
        add_sample(p, key, &made);
    return made.list != UINT32_MAX && made.end != UINT32_MAX;
}

const path_found *path_find_way(gmtrace_paths *p, const path_way_key *asked)
{
    if (p->failed)
        return NULL;
    const bool full = p->values && path_values_full(p->values);
    path_way_key own = *asked, *key = &own;
    if (full && own.values == PATH_NO_VALUES)
        own.mask = UINT32_MAX; /* other than before, when nothing was known to go by */
    const uint32_t known = p->way_keys.count;
    const uint32_t number = path_set_put(&p->way_keys, key, sizeof *key);
    if (number == UINT32_MAX || number < known)
        return number == UINT32_MAX ? NULL : &p->way[number];
    if (!GMT_GROW(p->way, number)) {
        p->failed = true;
        return NULL;
    }
    path_found made = {.values = PATH_NO_VALUES};
    const bool good = make_way(p, key, &made);
    p->way[number] = made; /* ways are looked for on the way, too */
    return good ? &p->way[number] : NULL;
}

const path_found *path_find_way_once(gmtrace_paths *p, const path_way_key *key)
{
    return !p->failed && make_way(p, key, &p->once) ? &p->once : NULL;
}
