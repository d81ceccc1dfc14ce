/* SPDX-License-Identifier: MIT
 *
 * path.c - follows warps from record to record. A warp is a list of parts, each with its lanes and
 * the place where it stands; the places make a state, and a record moves a warp from one state to
 * another along a way that depends on the state, the instruction and on whether none, some or all
 * lanes of each part are in the record's mask. Ways are found once and kept in a table.
 *
 * A part that stays behind notes which ways those who left took: what it has in common with them
 * at its beginning was executed together, before they parted. It notes, too, which ways led across
 * a BSYNC that it can reach itself: those who went there waited for it and went on with it.
 *
 * Where the code itself decides branches that would be doubtful (path_values.h), what its lanes
 * have is part of a part, and ways follow from that, too (path_walk.h).
 */
#include "traces/code/path.h"

#include <stdlib.h>
#include <string.h>

#include "traces/code/path_graph.h"
#include "traces/code/path_list.h"
#include "traces/code/path_loop.h"
#include "traces/code/path_search.h"
#include "traces/code/path_values.h"
#include "traces/code/path_walk.h"

#define MAX_TAKEN 4u    /* ways of others that a part remembers: of those who left it ... */
#define MAX_TURNS 4096u /* of a loop, that what lanes have is carried through */
#define MAX_MET   2u    /* ... and of those who went on from places where they waited for it */

/* A part of a warp, but for its lanes. */
typedef struct part {
    uint32_t place;            /* in places */
    uint32_t values;           /* PATH_NO_VALUES: not known */
    uint32_t taken[MAX_TAKEN]; /* in lists; UINT32_MAX: none */
    uint32_t met[MAX_MET];
} part;

typedef struct way_key {
    uint32_t place, to, all;
    uint32_t values, mask; /* what the lanes have that go; which those are */
} way_key;

typedef struct way {
    uint32_t list, end; /* in lists, in places */
    uint32_t values;    /* what the lanes have then */
    bool found, ambiguous, estimated, lost;
} way;

typedef struct move {
    const gmtrace_path *path; /* NULL: an empty slot */
    uint64_t code;            /* two bits a part: 0 none, 1 some, 2 all of its lanes */
    uint64_t taken;           /* how often */
    uint32_t state, to, next, next_parts;
    uint32_t mask; /* of the record, where it matters which lanes of a part are there */
} move;

struct gmtrace_paths {
    const gmtrace_kernel *kernel;
    path_graph graph;
    path_search *search;
    path_values *values; /* NULL: no branch is decided by what lanes have */
    path_walk *walk;
    path_set places, lists, states, way_keys, path_keys;
    const gmtrace_path **path; /* by path_keys */
    uint32_t path_room;
    way *way;
    uint32_t way_room;
    move *move;
    uint32_t move_count, move_slots;
    path_arena arena;
    path_list made, whole, alone;
    gmtrace_path empty;
    uint64_t unplaced;  /* records whose instruction is no block */
    uint32_t start;     /* the state at the entry */
    uint32_t *target;   /* by instruction, where it is a block of its own: twice its number, and one
                         * more if it is guarded; else PATH_NONE */
    uint32_t loop_work; /* of path_unroll() */
    bool failed;
};

enum { NONE_MOVE = 0, SOME_MOVE = 1, ALL_MOVE = 2 };

static bool make_start(gmtrace_paths *p)
{
    path_place entry;
    part start;
    memset(&entry, 0, sizeof entry);
    memset(&start, 0xff, sizeof start);
    entry.block = PATH_NONE;
    start.place = path_set_put(&p->places, &entry, sizeof entry);
    start.values = PATH_NO_VALUES;
    p->start = path_set_put(&p->states, &start, sizeof start);
    return start.place != UINT32_MAX && p->start != UINT32_MAX;
}

static bool find_targets(gmtrace_paths *p)
{
    const gmt_graph *flow = &p->graph.flow;
    p->target = calloc(p->graph.instr_count + (size_t)1, sizeof *p->target);
    if (!p->target)
        return false;
    for (uint32_t i = 0; i < p->graph.instr_count; i++) {
        const uint32_t b = flow->block_of[i];
        const bool alone = flow->block[b].first == i && flow->block[b].count == 1;
        const bool guarded = p->kernel->instr[i].predicate != GMTRACE_NO_REGISTER;
        p->target[i] = alone ? 2 * b + guarded : PATH_NONE;
    }
    return true;
}

gmtrace_paths *gmtrace_paths_create(const gmtrace_kernel *kernel, gmtrace_detail detail)
{
    gmtrace_paths *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->kernel = kernel;
    path_sum(&made->empty, NULL);
    made->move_slots = 1024;
    made->move = calloc(made->move_slots, sizeof *made->move);
    if (made->move && path_graph_build(&made->graph, kernel, detail))
        made->search = path_search_create(&made->graph);
    if (made->search && make_start(made) && find_targets(made))
        return made;
    gmtrace_paths_free(made);
    return NULL;
}

void gmtrace_paths_know(gmtrace_paths *paths, const gmtrace_launch *launch)
{
    paths->values = path_values_create(&paths->graph, launch);
    if (paths->values)
        paths->walk = path_walk_create(&paths->graph, paths->search, paths->values);
    if (paths->walk)
        return;
    path_values_free(paths->values);
    paths->values = NULL;
}

void gmtrace_paths_free(gmtrace_paths *paths)
{
    if (!paths)
        return;
    path_walk_free(paths->walk);
    path_values_free(paths->values);
    path_set_free(&paths->path_keys);
    free(paths->path);
    path_graph_free(&paths->graph);
    path_search_free(paths->search);
    path_set_free(&paths->places);
    path_set_free(&paths->lists);
    path_set_free(&paths->states);
    path_set_free(&paths->way_keys);
    path_arena_free(&paths->arena);
    path_list_free(&paths->made);
    path_list_free(&paths->whole);
    path_list_free(&paths->alone);
    free(paths->way);
    free(paths->move);
    free(paths->target);
    free(paths);
}

gmtrace_path_counts gmtrace_path_get_counts(const gmtrace_paths *paths)
{
    gmtrace_path_counts c = {.steps = paths->unplaced, .instructions = paths->unplaced};
    for (uint32_t i = 0; i < paths->move_slots; i++) {
        const move *m = &paths->move[i];
        if (!m->path)
            continue;
        c.instructions += m->taken * m->path->instructions;
        for (unsigned k = 0; k < GMTRACE_CLASS_COUNT; k++)
            c.by_class[k] += m->taken * m->path->by_class[k];
        c.ambiguous += m->path->ambiguous ? m->taken : 0;
        c.estimated += m->path->estimated ? m->taken : 0;
        c.lost += m->path->lost ? m->taken : 0;
        if (m->to == PATH_END)
            continue;
        c.steps += m->taken;
        c.instructions += m->taken;
        c.by_class[paths->kernel->instr[paths->graph.flow.block[m->to].first].op_class] += m->taken;
    }
    return c;
}

bool gmtrace_paths_failed(const gmtrace_paths *paths)
{
    return paths->failed;
}

/* ---------------------------------------------------------------------------------------- ways */

static const gmtrace_path_piece *pieces(const gmtrace_paths *p, uint32_t list, uint32_t *count)
{
    size_t size;
    const gmtrace_path_piece *found = path_set_get(&p->lists, list, &size);
    *count = (uint32_t)(size / sizeof *found);
    return found;
}

static uint32_t put_place(gmtrace_paths *p, path_place place)
{
    path_place clean;
    memset(&clean, 0, sizeof clean);
    clean.block = place.block;
    clean.stack = place.stack;
    clean.facts = place.facts;
    return path_set_put(&p->places, &clean, sizeof clean);
}

static path_place get_place(const gmtrace_paths *p, uint32_t number)
{
    size_t size;
    return *(const path_place *)path_set_get(&p->places, number, &size);
}

static void run_pieces(const gmtrace_paths *p, path_lanes *lanes, uint32_t mask, uint32_t list)
{
    uint32_t count;
    const gmtrace_path_piece *piece = pieces(p, list, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t t = 0; t < piece[i].times && t < MAX_TURNS; t++)
            path_values_run(p->values, lanes, piece[i].first, piece[i].count, mask);
}

/* What the lanes have behind the record's instruction. */
static uint32_t keep_values(gmtrace_paths *p, const way_key *key, path_lanes *lanes)
{
    if (key->to != PATH_END)
        path_values_run(p->values, lanes, p->graph.flow.block[key->to].first, 1, key->mask);
    return path_values_keep(p->values, lanes);
}

/* Finds the way that lanes go by what they have. False where that says nothing. */
static bool walk_way(gmtrace_paths *p, const way_key *key, way *made)
{
    path_lanes lanes;
    path_walked walked;
    path_values_open(p->values, key->values, &lanes);
    lanes.mask = key->mask;
    p->whole.count = 0;
    if (!path_walk_find(p->walk, get_place(p, key->place), key->to, key->all, key->mask, &lanes,
                        &p->whole, &walked) ||
        !walked.decided)
        return false;
    *made = (way){.found = true, .ambiguous = walked.ambiguous};
    made->values = keep_values(p, key, &lanes);
    made->list = path_set_put(&p->lists, p->whole.piece, p->whole.count * sizeof *p->whole.piece);
    made->end = put_place(p, walked.end);
    return true;
}

static void search_way(gmtrace_paths *p, const way_key *key, way *made)
{
    const path_place from = get_place(p, key->place);
    const path_way found = path_search_find(p->search, from, key->to, key->all);
    const path_place end = found.found ? found.end : (path_place){.block = key->to};
    *made = (way){.found = found.found, .ambiguous = found.ambiguous, .lost = found.lost};
    p->whole.count = 0;
    if (found.found)
        made->estimated = path_unroll(&p->graph, p->search, from, &found, &p->whole, &p->loop_work);
    made->values = PATH_NO_VALUES;
    made->list = path_set_put(&p->lists, p->whole.piece, p->whole.count * sizeof *p->whole.piece);
    made->end = put_place(p, end);
}

/* One part's way, as if it were alone. NULL without memory. */
static const way *find_way(gmtrace_paths *p, const way_key *key)
{
    const uint32_t known = p->way_keys.count;
    const uint32_t number = path_set_put(&p->way_keys, key, sizeof *key);
    if (number == UINT32_MAX || number < known)
        return number == UINT32_MAX ? NULL : &p->way[number];
    if (number == p->way_room) {
        const uint32_t room = p->way_room ? p->way_room * 2 : 256;
        way *grown = realloc(p->way, room * sizeof *grown);
        if (!grown)
            return NULL;
        p->way = grown;
        p->way_room = room;
    }
    way made;
    if (key->values == PATH_NO_VALUES) {
        search_way(p, key, &made);
    } else if (!walk_way(p, key, &made)) {
        const way_key any = {key->place, key->to, key->all, PATH_NO_VALUES, 0};
        const way *plain = find_way(p, &any);
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

/* --------------------------------------------------------------------------------------- moves */

static const part *parts_of(const gmtrace_paths *p, uint32_t state, uint32_t *count)
{
    size_t size;
    const part *found = path_set_get(&p->states, state, &size);
    *count = (uint32_t)(size / sizeof *found);
    return found;
}

static uint64_t common_start(const gmtrace_paths *p, const part *from, const path_view *own)
{
    uint64_t longest = 0;
    uint32_t other_count;
    for (unsigned i = 0; i < MAX_TAKEN && from->taken[i] != UINT32_MAX; i++) {
        const gmtrace_path_piece *other = pieces(p, from->taken[i], &other_count);
        const uint64_t common = path_pieces_prefix(own->piece, own->count, other, other_count);
        longest = common > longest ? common : longest;
    }
    return longest;
}

static void note_taken(part *who, uint32_t list)
{
    for (unsigned i = 0; i < MAX_TAKEN; i++) {
        if (who->taken[i] == list)
            return;
        if (who->taken[i] == UINT32_MAX) {
            who->taken[i] = list;
            return;
        }
    }
    memmove(who->taken, who->taken + 1, (MAX_TAKEN - 1) * sizeof *who->taken);
    who->taken[MAX_TAKEN - 1] = list;
}

/* Can the part have waited where this way crosses a BSYNC? */
static bool can_meet(gmtrace_paths *p, const part *who, uint32_t list)
{
    uint32_t count;
    const gmtrace_path_piece *piece = pieces(p, list, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = piece[i].first; n < piece[i].first + piece[i].count; n++) {
            if (!path_is_meeting(&p->kernel->instr[n]))
                continue;
            const way_key key = {who->place, p->graph.flow.block_of[n], true, PATH_NO_VALUES, 0};
            const way *to = find_way(p, &key);
            if (to && to->found && !to->lost)
                return true;
            piece = pieces(p, list, &count);
        }
    return false;
}

static void note_met(gmtrace_paths *p, part *who, uint32_t list)
{
    for (unsigned i = 0; i < MAX_MET; i++) {
        if (who->met[i] == list)
            return;
        if (who->met[i] != UINT32_MAX)
            continue;
        if (can_meet(p, who, list))
            who->met[i] = list;
        return;
    }
}

/* Each group of lanes that comes to a BSYNC has a BSSY for it. */
static bool waits_for_none(const gmtrace_paths *p, const path_view *view)
{
    uint32_t begun = 0;
    for (uint32_t i = 0; i < view->count; i++)
        for (uint32_t n = view->piece[i].first; n < view->piece[i].first + view->piece[i].count;
             n++) {
            begun += gmt_has_prefix(p->kernel->instr[n].opcode, "BSSY");
            if (path_is_meeting(&p->kernel->instr[n]) && begun-- == 0)
                return false;
        }
    return true;
}

/* The rest of a way, from an instruction on. */
static uint32_t rest_of(gmtrace_paths *p, uint32_t list, uint32_t piece, uint32_t n)
{
    uint32_t count;
    const gmtrace_path_piece *from = pieces(p, list, &count);
    p->whole.count = 0;
    path_list_add(&p->whole, (gmtrace_path_piece){n, from[piece].first + from[piece].count - n, 1});
    for (uint32_t i = piece + 1u; i < count; i++)
        path_list_add(&p->whole, from[i]);
    return path_set_put(&p->lists, p->whole.piece, p->whole.count * sizeof *p->whole.piece);
}

/* The same place in the code, whatever is known of predicates. */
static bool same_spot(const gmtrace_paths *p, uint32_t a, uint32_t b)
{
    const path_place one = get_place(p, a), other = get_place(p, b);
    return one.block == other.block && one.stack == other.stack;
}

/* How much of a way was, or is, gone together with those who went along the list from `place`. */
static uint64_t together(const gmtrace_paths *p, const part *who, const path_view *own,
                         uint32_t place, uint32_t list)
{
    uint32_t count;
    const gmtrace_path_piece *piece = pieces(p, list, &count);
    const uint64_t before = common_start(p, who, own);
    const uint64_t now = same_spot(p, who->place, place)
                             ? path_pieces_prefix(own->piece, own->count, piece, count)
                             : 0;
    return before > now ? before : now;
}

static void put_at(part *who, const way *to, uint32_t taken)
{
    memset(who, 0xff, sizeof *who);
    who->place = to->end;
    who->values = to->values;
    who->taken[0] = taken;
}

/* A guarded record of others on the way that all go together: these have a predicate that is false.
 */
static void come_along(gmtrace_paths *p, part *who, uint32_t place, uint32_t to, uint32_t list)
{
    const way_key key = {who->place, to, false, who->values,
                         path_values_mask(p->values, who->values)};
    const way *found = find_way(p, &key);
    if (!found || !found->found || found->lost || found->ambiguous ||
        found->values == PATH_NO_VALUES)
        return;
    path_view own = {0};
    own.piece = pieces(p, found->list, &own.count);
    if (together(p, who, &own, place, list) == path_pieces_length(own.piece, own.count))
        put_at(who, found, UINT32_MAX);
}

/* Lanes that stayed behind wait at a BSYNC which the others' way crosses: from there they go on
 * together, until they part again. False where they do not meet. */
static bool advance(gmtrace_paths *p, part *who, uint32_t place, uint32_t list)
{
    uint32_t count;
    bool met = false;
    const gmtrace_path_piece *piece = pieces(p, list, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = piece[i].first; n < piece[i].first + piece[i].count; n++) {
            if (!path_is_meeting(&p->kernel->instr[n]))
                continue;
            const way_key key = {who->place, p->graph.flow.block_of[n], true, who->values,
                                 path_values_mask(p->values, who->values)};
            const way *to = find_way(p, &key);
            if (!to || !to->found || to->lost || to->ambiguous || to->values == PATH_NO_VALUES)
                continue;
            path_view own = {0};
            own.piece = pieces(p, to->list, &own.count);
            if (!waits_for_none(p, &own))
                continue;
            own.done = together(p, who, &own, place, list);
            path_list_add_view(&p->alone, &own, 0);
            path_list_add(&p->alone, (gmtrace_path_piece){n, 1, 1});
            put_at(who, to, rest_of(p, list, i, n + 1u));
            piece = pieces(p, list, &count);
            met = true;
        }
    return met;
}

static path_place meet(path_place a, path_place b)
{
    const uint8_t known =
        a.facts.known & b.facts.known & (uint8_t) ~(a.facts.value ^ b.facts.value);
    a.facts.known = known;
    a.facts.value &= known;
    if (a.stack != b.stack)
        a.stack = 0;
    return a;
}

static const gmtrace_path *keep_path(gmtrace_paths *p, const way *sum)
{
    const size_t size = p->made.count * sizeof *p->made.piece;
    const uint32_t key[] = {path_set_put(&p->lists, p->made.piece, size), sum->ambiguous,
                            sum->estimated, sum->lost};
    const uint32_t known = p->path_keys.count;
    const uint32_t number = path_set_put(&p->path_keys, key, sizeof key);
    if (key[0] == UINT32_MAX || number == UINT32_MAX)
        return NULL;
    if (number < known)
        return p->path[number];
    if (number == p->path_room) {
        const uint32_t room = p->path_room ? p->path_room * 2 : 256;
        const gmtrace_path **grown = realloc(p->path, room * sizeof *grown);
        if (!grown)
            return NULL;
        p->path = grown;
        p->path_room = room;
    }
    gmtrace_path *path = path_arena_take(&p->arena, sizeof *path);
    p->path[number] = path;
    if (!path)
        return NULL;
    path->piece = pieces(p, key[0], &path->piece_count);
    path->number = number + 1u; /* 0: the empty one */
    path->ambiguous = sum->ambiguous;
    path->estimated = sum->estimated;
    path->lost = sum->lost;
    path_sum(path, p->kernel->instr);
    return path;
}

/* What those of a part have that stay behind. */
static uint32_t values_left(gmtrace_paths *p, uint32_t values, uint32_t gone)
{
    path_lanes lanes;
    if (values == PATH_NO_VALUES)
        return values;
    path_values_open(p->values, values, &lanes);
    lanes.mask &= ~gone;
    return path_values_keep(p->values, &lanes);
}

static uint32_t values_together(gmtrace_paths *p, uint32_t a, uint32_t b)
{
    path_lanes lanes;
    if (a == PATH_NO_VALUES || b == PATH_NO_VALUES)
        return PATH_NO_VALUES;
    path_values_open(p->values, a, &lanes);
    path_values_join(p->values, b, &lanes);
    return path_values_keep(p->values, &lanes);
}

/* Those who move, with their ways; the list of what they execute is built from the last to the
 * first, so that what all have in common at the end comes last. */
static bool make_move(gmtrace_paths *p, move *made)
{
    uint32_t count, list[GMTRACE_WARP_LANES], movers = 0;
    const part *from = parts_of(p, made->state, &count);
    part next[GMTRACE_WARP_LANES + 1];
    uint32_t mover[GMTRACE_WARP_LANES];
    const bool guarded =
        made->to != PATH_END &&
        p->kernel->instr[p->graph.flow.block[made->to].first].predicate != GMTRACE_NO_REGISTER;
    path_place end = {.block = made->to};
    way sum = {0};
    uint32_t left = 1, stays[GMTRACE_WARP_LANES + 1], values = PATH_NO_VALUES;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned code = made->code >> 2 * i & 3;
        const bool parts = code == SOME_MOVE && !guarded;
        if (code == NONE_MOVE || parts) {
            stays[left] = i;
            next[left] = from[i];
            if (parts)
                next[left].values = values_left(p, from[i].values, made->mask);
            left++;
        }
        if (code == NONE_MOVE)
            continue;
        way_key key = {from[i].place, made->to, code == ALL_MOVE || !guarded, from[i].values, 0};
        if (key.values != PATH_NO_VALUES)
            key.mask = path_values_mask(p->values, key.values) & (parts ? made->mask : UINT32_MAX);
        const way *w = find_way(p, &key);
        if (!w)
            return false;
        values = movers ? values_together(p, values, w->values) : w->values;
        end = movers ? meet(end, get_place(p, w->end)) : get_place(p, w->end);
        sum.ambiguous |= w->ambiguous;
        sum.estimated |= w->estimated;
        sum.lost |= w->lost;
        mover[movers] = i;
        list[movers++] = w->list;
        if (code == SOME_MOVE && !guarded)
            note_taken(&next[left - 1], w->list);
    }
    path_view view[GMTRACE_WARP_LANES];
    for (uint32_t m = 0; m < movers; m++) {
        view[m].piece = pieces(p, list[m], &view[m].count);
        view[m].done = common_start(p, &from[mover[m]], &view[m]);
        for (uint32_t o = 0; o < m; o++)
            if (from[mover[m]].values != PATH_NO_VALUES &&
                same_spot(p, from[mover[m]].place, from[mover[o]].place)) {
                const uint64_t with =
                    path_pieces_prefix(view[m].piece, view[m].count, view[o].piece, view[o].count);
                view[m].done = with > view[m].done ? with : view[m].done;
            }
        view[m].join = view[m].joined = 0;
        for (unsigned i = 0; i < MAX_MET && from[mover[m]].met[i] != UINT32_MAX; i++) {
            uint32_t other_count;
            const gmtrace_path_piece *other = pieces(p, from[mover[m]].met[i], &other_count);
            path_view_join(p->kernel->instr, &view[m], other, other_count);
        }
    }
    p->alone.count = 0;
    for (uint32_t s = 1; s < left && s <= GMTRACE_WARP_LANES; s++) {
        bool met = next[s].values == PATH_NO_VALUES;
        for (uint32_t m = 0; m < movers && !met; m++) {
            const uint32_t place = from[mover[m]].place;
            if (mover[m] == stays[s])
                continue;
            met = advance(p, &next[s], place, list[m]);
            if (guarded && next[s].values != PATH_NO_VALUES)
                come_along(p, &next[s], place, made->to, list[m]);
            if (same_spot(p, next[s].place, place))
                note_taken(&next[s], list[m]);
        }
    }
    p->made.count = 0;
    for (uint32_t i = 0; i < p->alone.count; i++)
        path_list_add(&p->made, p->alone.piece[i]);
    for (uint32_t m = movers; m-- > 0;) {
        uint64_t shared = 0;
        for (uint32_t o = 0; o < m; o++) {
            const uint64_t with = path_views_together(p->kernel->instr, &view[m], &view[o]);
            shared = with > shared ? with : shared;
        }
        path_list_add_view(&p->made, &view[m], shared);
    }
    for (uint32_t s = 1; s < left && s <= GMTRACE_WARP_LANES; s++)
        for (uint32_t m = 0; m < movers; m++)
            if (next[s].values == PATH_NO_VALUES && mover[m] != stays[s])
                note_met(p, &next[s], list[m]);
    memset(&next[0], 0xff, sizeof next[0]);
    next[0].place = put_place(p, end);
    next[0].values = values;
    if (left > GMTRACE_WARP_LANES || p->states.count >= GMTRACE_PATH_LIMIT)
        left = 1;
    made->next = path_set_put(&p->states, next, left * sizeof *next);
    made->next_parts = left;
    made->path = keep_path(p, &sum);
    return made->path && next[0].place != UINT32_MAX && made->next != UINT32_MAX && !p->made.failed;
}

static inline uint32_t slot_of(const gmtrace_paths *p, uint32_t state, uint32_t to, uint64_t code)
{
    const uint64_t key = (((uint64_t)state << 32 | to) ^ code * 0xc2b2ae3d27d4eb4fu);
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (p->move_slots - 1);
}

static bool grow_moves(gmtrace_paths *p)
{
    if (p->move_slots > 2 * p->move_count)
        return true;
    move *old = p->move;
    const uint32_t slots = p->move_slots;
    p->move = calloc(slots * (size_t)4, sizeof *p->move);
    if (!p->move) {
        p->move = old;
        return false;
    }
    p->move_slots = slots * 4;
    for (uint32_t i = 0; i < slots; i++) {
        if (!old[i].path)
            continue;
        uint32_t at = slot_of(p, old[i].state, old[i].to, old[i].code);
        while (p->move[at].path)
            at = (at + 1) & (p->move_slots - 1);
        p->move[at] = old[i];
    }
    free(old);
    return true;
}

/* NULL without memory. */
static move *find_move(gmtrace_paths *p, uint32_t state, uint32_t to, uint64_t code, uint32_t mask)
{
    uint32_t at = slot_of(p, state, to, code);
    for (; p->move[at].path; at = (at + 1) & (p->move_slots - 1))
        if (p->move[at].state == state && p->move[at].to == to && p->move[at].code == code &&
            p->move[at].mask == mask)
            return &p->move[at];
    move made = {.state = state, .to = to, .code = code, .mask = mask};
    if (p->failed || !make_move(p, &made) || !grow_moves(p)) {
        p->failed = true;
        return NULL;
    }
    at = slot_of(p, state, to, code);
    while (p->move[at].path)
        at = (at + 1) & (p->move_slots - 1);
    p->move[at] = made;
    p->move_count++;
    return &p->move[at];
}

/* --------------------------------------------------------------------------------------- warps */

void gmtrace_path_enter(gmtrace_paths *paths, gmtrace_path_warp *warp, uint32_t live)
{
    warp->state = paths->start;
    warp->parts = 1;
    warp->copied = GMTRACE_NO_INSTR;
    warp->mask[0] = live;
}

void gmtrace_path_enter_as(gmtrace_paths *paths, gmtrace_path_warp *warp, uint32_t live,
                           uint64_t cta, uint32_t number)
{
    gmtrace_path_enter(paths, warp, live);
    if (!paths->values)
        return;
    uint32_t count;
    part start = *parts_of(paths, paths->start, &count);
    start.values = path_values_enter(paths->values, (uint32_t)cta, number, live);
    const uint32_t state = path_set_put(&paths->states, &start, sizeof start);
    if (start.values != PATH_NO_VALUES && state != UINT32_MAX)
        warp->state = state;
}

static __attribute__((noinline)) const gmtrace_path *
step_to(gmtrace_paths *p, gmtrace_path_warp *warp, uint32_t to, uint32_t mask, bool guarded)
{
    uint64_t code = 0;
    uint32_t seen = 0;
    bool parts = false; /* lanes of one part */
    for (uint32_t i = 0; i < warp->parts; i++) {
        const uint32_t moving = warp->mask[i] & mask;
        const uint64_t own = moving == warp->mask[i] ? ALL_MOVE : (moving ? SOME_MOVE : NONE_MOVE);
        code |= own << 2 * i;
        seen |= moving;
        parts |= own == SOME_MOVE && !guarded;
    }
    const uint32_t known = p->values && parts ? seen : 0;
    move *found = seen && !p->failed ? find_move(p, warp->state, to, code, known) : NULL;
    if (!found) {
        p->unplaced += to != PATH_END;
        return &p->empty;
    }
    found->taken++;
    warp->state = found->next;
    if (warp->parts == 1 && found->next_parts == 1)
        return found->path;
    uint32_t first = 0, left = 1, kept[GMTRACE_WARP_LANES + 1];
    for (uint32_t i = 0; i < warp->parts; i++) {
        const uint32_t own = warp->mask[i];
        const uint32_t goes = own & mask ? (guarded ? own : own & mask) : 0;
        first |= goes;
        if (own & ~goes)
            kept[left++] = own & ~goes;
    }
    for (; left > found->next_parts; left--) /* beyond the limit of states */
        first |= kept[left - 1];
    kept[0] = first;
    memcpy(warp->mask, kept, left * sizeof *kept);
    warp->parts = left;
    return found->path;
}

const gmtrace_path *gmtrace_path_step(gmtrace_paths *paths, gmtrace_path_warp *warp,
                                      const gmtrace_record *record)
{
    const uint32_t instr = record->instr;
    if (instr >= paths->graph.instr_count)
        return &paths->empty;
    if (record->op == GMTRACE_OP_COPY_WRITE && warp->copied == instr) {
        warp->copied = GMTRACE_NO_INSTR;
        return &paths->empty;
    }
    warp->copied = record->op == GMTRACE_OP_COPY_READ ? instr : GMTRACE_NO_INSTR;
    const uint32_t target = paths->target[instr];
    if (target == PATH_NONE) {
        paths->unplaced++; /* recorded, although no capture is known to do it */
        return &paths->empty;
    }
    /* Nearly always a whole warp goes where one went before. */
    if (warp->parts == 1 && !paths->failed) {
        const uint32_t moving = warp->mask[0] & record->mask;
        const uint64_t code = moving == warp->mask[0] ? ALL_MOVE : SOME_MOVE;
        move *m = &paths->move[slot_of(paths, warp->state, target / 2, code)];
        if (moving && m->path && m->next_parts == 1 && m->state == warp->state &&
            m->to == target / 2 && m->code == code) {
            m->taken++;
            warp->state = m->next;
            return m->path;
        }
    }
    return step_to(paths, warp, target / 2, record->mask, target & 1);
}

const gmtrace_path *gmtrace_path_end(gmtrace_paths *paths, gmtrace_path_warp *warp)
{
    if (!paths->graph.flow.block_count)
        return &paths->empty;
    return step_to(paths, warp, PATH_END, UINT32_MAX, false);
}
