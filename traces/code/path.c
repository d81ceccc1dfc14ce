/* SPDX-License-Identifier: MIT
 *
 * path.c - follows warps from record to record. A warp is a list of parts, each with its lanes and
 * the place where it stands; the places make a state, and a record moves a warp from one state to
 * another along a way that depends on the state, the instruction and on whether none, some or all
 * lanes of each part are in the record's mask. Moves are found once (path_move.c) and kept in a
 * table.
 *
 * Where the code itself decides branches that would be doubtful (path_values.h), what its lanes
 * have is part of a part, and ways follow from that, too (path_walk.h).
 */
#include "traces/code/path_private.h"

#include "traces/code/path_loop.h"
#include "traces/format/grow.h"

#include <stdlib.h>
#include <string.h>

static bool make_start(gmtrace_paths *p)
{
    path_place entry;
    path_part start;
    memset(&entry, 0, sizeof entry);
    memset(&start, 0xff, sizeof start);
    entry.block = PATH_NONE;
    start.place = path_set_put(&p->places, &entry, sizeof entry);
    start.values = PATH_NO_VALUES;
    p->start = path_put_state(p, &start, 1);
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
        p->target[i] = alone ? PATH_TARGET(b, guarded) : PATH_NONE;
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
    made->move_slot = calloc(made->move_slots, sizeof *made->move_slot);
    made->move_count = 1;
    made->move = calloc(made->move_count, sizeof *made->move);
    if (made->move && made->move_slot && path_graph_build(&made->graph, kernel, detail))
        made->search = path_search_create(&made->graph);
    if (made->search)
        made->sides = path_sides_create(&made->graph, made->search);
    if (made->sides && make_start(made) && find_targets(made))
        return made;
    gmtrace_paths_free(made);
    return NULL;
}

void gmtrace_paths_know(gmtrace_paths *paths, const gmtrace_launch *launch)
{
    paths->values = path_values_create(&paths->graph, launch);
    if (paths->values)
        paths->walk = path_walk_create(&paths->graph, paths->sides, paths->values);
    for (uint32_t i = 0; i < paths->graph.instr_count && paths->walk; i++)
        if (paths->target[i] != PATH_NONE && path_values_accesses(paths->values, i))
            paths->target[i] |= PATH_TARGET_ACCESSES;
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
    for (uint32_t i = 0; i < paths->locals; i++)
        path_local_free(paths->local[i]);
    free(paths->local);
    path_set_free(&paths->path_keys);
    free(paths->path);
    free(paths->taken);
    path_graph_free(&paths->graph);
    path_sides_free(paths->sides);
    path_search_free(paths->search);
    path_set_free(&paths->places);
    path_set_free(&paths->lists);
    path_set_free(&paths->states);
    path_set_free(&paths->way_keys);
    path_set_free(&paths->samples.keys);
    free(paths->samples.sample);
    path_arena_free(&paths->arena);
    path_list_free(&paths->made);
    path_list_free(&paths->whole);
    path_list_free(&paths->alone);
    free(paths->way);
    free(paths->move);
    free(paths->move_slot);
    free(paths->first_move);
    free(paths->had);
    free(paths->plain);
    free(paths->target);
    free(paths);
}

/* A way to an instruction was gone so often. */
static void count_taken(const gmtrace_paths *paths, gmtrace_path_counts *c,
                        const gmtrace_path *path, uint32_t to, uint64_t times)
{
    paths->taken[path->number - 1u] += times;
    if (to == PATH_END)
        return;
    c->steps += times;
    c->instructions += times;
    c->by_class[paths->kernel->instr[paths->graph.flow.block[to].first].op_class] += times;
}

gmtrace_path_counts gmtrace_path_get_counts(const gmtrace_paths *paths)
{
    gmtrace_path_counts c = {.steps = paths->unplaced, .instructions = paths->unplaced};
    uint64_t *taken = paths->taken; /* of each way */
    if (paths->made_paths)
        memset(taken, 0, paths->made_paths * sizeof *taken);
    for (uint32_t i = 1; i < paths->move_count; i++) {
        const path_move *m = &paths->move[i];
        count_taken(paths, &c, m->path, m->to, m->taken);
    }
    for (uint32_t i = 0; i < paths->plain_count; i++) {
        const path_plain *plain = &paths->plain[i];
        count_taken(paths, &c, plain->path, plain->to, plain->taken);
    }
    for (uint32_t i = 0; i < paths->made_paths; i++) {
        const gmtrace_path *path = paths->path[i];
        c.instructions += taken[i] * path->instructions;
        for (unsigned k = 0; k < GMTRACE_CLASS_COUNT; k++)
            c.by_class[k] += taken[i] * path->by_class[k];
        c.ambiguous += path->ambiguous ? taken[i] : 0;
        c.estimated += path->estimated ? taken[i] : 0;
        c.lost += path->lost ? taken[i] : 0;
    }
    return c;
}

void gmtrace_paths_add_order(const gmtrace_paths *paths, gmtrace_path_order *order)
{
    order->states += paths->state_count * UINT64_C(1000) / GMTRACE_PATH_LIMIT;
    order->loops += path_unroll_part(paths->loop_work);
    order->sampled += paths->samples.asked ? GMTRACE_PATHS_ORDERED : 0;
    if (!paths->values)
        return;
    path_values_add_order(paths->values, order);
    path_walk_add_order(paths->walk, order);
}

bool gmtrace_paths_ordered(const gmtrace_path_order *order)
{
    const uint64_t part[] = {order->states, order->loops,    order->kept,  order->ran,
                             order->vain,   order->searched, order->found, order->sampled};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i] >= GMTRACE_PATHS_ORDERED)
            return true;
    return false;
}

bool gmtrace_paths_failed(const gmtrace_paths *paths)
{
    return paths->failed;
}

/* --------------------------------------------------------------------------------------- moves */

static inline uint32_t slot_of(const gmtrace_paths *p, uint32_t state, uint32_t to, uint64_t code,
                               uint32_t mask)
{
    const uint64_t key =
        (((uint64_t)state << 32 | to) ^ code * 0xc2b2ae3d27d4eb4fu) + mask * 0xff51afd7ed558ccdu;
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (p->move_slots - 1);
}

static uint32_t free_slot(const gmtrace_paths *p, const path_move *move)
{
    uint32_t at = slot_of(p, move->state, move->to, move->code, move->mask);
    while (p->move_slot[at])
        at = (at + 1) & (p->move_slots - 1);
    return at;
}

static bool grow_slots(gmtrace_paths *p)
{
    if (p->move_slots > 2 * p->moves_found)
        return true;
    uint32_t *old = p->move_slot;
    const uint32_t slots = p->move_slots;
    p->move_slot = calloc(slots * (size_t)4, sizeof *p->move_slot);
    if (!p->move_slot) {
        p->move_slot = old;
        return false;
    }
    p->move_slots = slots * 4;
    for (uint32_t i = 0; i < slots; i++)
        if (old[i])
            p->move_slot[free_slot(p, &p->move[old[i]])] = old[i];
    free(old);
    return true;
}

static bool is_move(const path_move *m, uint32_t state, uint32_t to, uint64_t code, uint32_t mask)
{
    return m->state == state && m->to == to && m->code == code && m->mask == mask;
}

/* NULL without memory. */
static path_move *find_move(gmtrace_paths *p, uint32_t state, uint32_t to, uint64_t code,
                            uint32_t mask)
{
    const uint32_t first = p->first_move[state];
    if (first && is_move(&p->move[first], state, to, code, mask))
        return &p->move[first];
    uint32_t at = first ? slot_of(p, state, to, code, mask) : 0;
    for (; first && p->move_slot[at]; at = (at + 1) & (p->move_slots - 1))
        if (is_move(&p->move[p->move_slot[at]], state, to, code, mask))
            return &p->move[p->move_slot[at]];
    path_move made = {.state = state, .to = to, .code = code, .mask = mask};
    if (p->failed || !path_move_make(p, &made) || !grow_slots(p) ||
        !GMT_GROW(p->move, p->move_count)) {
        p->failed = true;
        return NULL;
    }
    const uint32_t number = p->move_count++;
    p->move[number] = made;
    if (first) {
        p->move_slot[free_slot(p, &made)] = number;
        p->moves_found++;
    } else {
        p->first_move[state] = number;
    }
    if (mask)
        path_values_spend(p->values);
    return &p->move[number];
}

/* --------------------------------------------------------------------------------------- warps */

void gmtrace_path_enter(gmtrace_paths *paths, gmtrace_path_warp *warp, uint32_t live)
{
    warp->state = paths->start;
    warp->place = 0;
    warp->values = PATH_NO_VALUES;
    warp->parts = 1;
    warp->copied = GMTRACE_NO_INSTR;
    warp->local = 0;
    warp->mask[0] = live;
}

void gmtrace_path_enter_as(gmtrace_paths *paths, gmtrace_path_warp *warp, uint32_t live,
                           uint64_t cta, uint32_t number)
{
    gmtrace_path_enter(paths, warp, live);
    if (!paths->values)
        return;
    uint32_t count;
    const uint32_t place = path_parts(paths, paths->start, &count)->place;
    const uint32_t values = path_values_enter(paths->values, (uint32_t)cta, number, live);
    if (values != PATH_NO_VALUES)
        path_stand(paths, warp, place, values);
}

static inline void take(gmtrace_path_warp *warp, path_move *move)
{
    move->taken++;
    warp->state = move->next;
    warp->place = move->place;
    warp->values = move->values;
}

static __attribute__((noinline)) const gmtrace_path *
step_from(gmtrace_paths *p, gmtrace_path_warp *warp, uint32_t to, uint32_t mask, bool guarded)
{
    uint64_t code = 0;
    uint32_t seen = 0;
    bool parts = false; /* lanes of one part */
    for (uint32_t i = 0; i < warp->parts; i++) {
        const uint32_t moving = warp->mask[i] & mask;
        const uint64_t own =
            moving == warp->mask[i] ? PATH_ALL_GO : (moving ? PATH_SOME_GO : PATH_NONE_GO);
        code |= own << 2 * i;
        seen |= moving;
        parts |= own == PATH_SOME_GO && !guarded;
    }
    const uint32_t known = parts && p->values && !path_values_full(p->values) ? seen : 0;
    path_move *found = seen && !p->failed ? find_move(p, warp->state, to, code, known) : NULL;
    if (!found) {
        p->unplaced += to != PATH_END;
        return &p->empty;
    }
    take(warp, found);
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

/* Nearly always a whole warp of which it is known what its lanes have keeps that. */
static __attribute__((noinline)) const gmtrace_path *
step_to(gmtrace_paths *p, gmtrace_path_warp *warp, uint32_t to, uint32_t mask, bool guarded)
{
    const uint32_t moving = warp->mask[0] & mask;
    if (warp->values != PATH_NO_VALUES && moving && !p->failed) {
        const bool all = moving == warp->mask[0];
        const path_plain *plain =
            all || guarded ? path_plain_go(p, warp->place, to, all, warp->values) : NULL;
        if (plain) {
            path_stand(p, warp, plain->found.end, warp->values);
            return plain->path;
        }
        p->failed |= !path_stand_still(p, warp);
    }
    return step_from(p, warp, to, mask, guarded);
}

/* What the warp keeps in local memory: NULL where it has stored nothing, or without memory. */
static path_local *local_of(gmtrace_paths *p, gmtrace_path_warp *warp, bool stores)
{
    if (warp->local || !stores)
        return warp->local ? p->local[warp->local - 1u] : NULL;
    uint32_t i = p->first_local;
    while (i < p->locals && p->local[i])
        i++;
    if (i == p->locals) {
        path_local **more = realloc(p->local, (i + (size_t)64) * sizeof(path_local *));
        if (!more)
            return NULL;
        p->local = more;
        p->locals += 64;
        for (uint32_t k = i; k < p->locals; k++)
            more[k] = NULL;
    }
    p->first_local = i;
    if (!(p->local[i] = path_local_create()))
        return NULL;
    warp->local = i + 1u;
    return p->local[i];
}

static void end_local(gmtrace_paths *p, gmtrace_path_warp *warp)
{
    const uint32_t i = warp->local - 1u;
    path_local_free(p->local[i]);
    p->local[i] = NULL;
    p->first_local = i < p->first_local ? i : p->first_local;
    warp->local = 0;
}

/* The lanes of the record, which are the state's first part, have what they loaded, and what they
 * stored to local memory is there. */
static void take_access(gmtrace_paths *p, gmtrace_path_warp *warp, const gmtrace_record *record,
                        const gmtrace_chunk *chunk)
{
    uint64_t address[GMTRACE_WARP_LANES];
    uint32_t count;
    path_part part[GMTRACE_WARP_LANES + 1];
    const bool whole = warp->values != PATH_NO_VALUES;
    if (whole) {
        part->values = warp->values;
    } else {
        const path_part *from = path_parts(p, warp->state, &count);
        memcpy(part, from, count * sizeof *part);
    }
    const uint32_t before = part->values;
    if (p->failed || before == PATH_NO_VALUES)
        return;
    gmtrace_expand(chunk, record, address);
    const path_had *had = whole ? path_had_of(p, before) : NULL;
    if (had && had->missing &&
        path_values_misses(p->values, record, address, had->mask, had->places))
        return;
    path_local *local = local_of(p, warp, record->op == GMTRACE_OP_STORE);
    part->values = path_values_access(p->values, before, record, address, local);
    if (part->values == before)
        return;
    if (whole && part->values != PATH_NO_VALUES) {
        path_stand(p, warp, warp->place, part->values);
        return;
    }
    if (whole) {
        memset(part, 0xff, sizeof *part);
        part->place = warp->place;
        warp->values = PATH_NO_VALUES;
        count = 1;
    }
    const uint32_t state = path_put_state(p, part, count);
    if (state != UINT32_MAX)
        warp->state = state;
}

/* A step to an instruction that loads what may be known, or stores it, or to none. Not inlined: its
 * arrays would cost every step a frame. */
static __attribute__((noinline)) const gmtrace_path *step_apart(gmtrace_paths *p,
                                                                gmtrace_path_warp *warp,
                                                                const gmtrace_record *record,
                                                                const gmtrace_chunk *chunk)
{
    const uint32_t target = p->target[record->instr];
    if (target == PATH_NONE) {
        p->unplaced++; /* recorded, although no capture is known to do it */
        return &p->empty;
    }
    const gmtrace_path *path =
        step_to(p, warp, target / PATH_TARGET(1, 0), record->mask, target & 1);
    if (chunk)
        take_access(p, warp, record, chunk);
    return path;
}

const gmtrace_path *gmtrace_path_step(gmtrace_paths *paths, gmtrace_path_warp *warp,
                                      const gmtrace_record *record)
{
    return gmtrace_path_step_in(paths, warp, record, NULL);
}

const gmtrace_path *gmtrace_path_step_in(gmtrace_paths *paths, gmtrace_path_warp *warp,
                                         const gmtrace_record *record, const gmtrace_chunk *chunk)
{
    const uint32_t instr = record->instr;
    if (instr >= paths->graph.instr_count)
        return &paths->empty;
    const uint32_t side = (uint32_t)record->op - GMTRACE_OP_COPY_READ;
    if (side <= 1u) { /* of a copy: both are of one instruction */
        const bool second = side && warp->copied == instr;
        warp->copied = side ? GMTRACE_NO_INSTR : instr;
        if (second)
            return &paths->empty;
    }
    const uint32_t target = paths->target[instr];
    if (target & PATH_TARGET_ACCESSES) /* as is PATH_NONE */
        return step_apart(paths, warp, record, chunk);
    const uint32_t to = target / PATH_TARGET(1, 0);
    /* Nearly always a whole warp goes where one went before. */
    if (warp->parts == 1 && warp->state != UINT32_MAX) {
        const uint32_t moving = warp->mask[0] & record->mask;
        const uint64_t code = moving == warp->mask[0] ? PATH_ALL_GO : PATH_SOME_GO;
        path_move *m = &paths->move[paths->first_move[warp->state]];
        if (moving && m->next_parts == 1 && m->to == to && m->code == code &&
            !m->mask) { /* one that is none has no next parts */
            take(warp, m);
            return m->path;
        }
    }
    return step_to(paths, warp, to, record->mask, target & 1);
}

const gmtrace_path *gmtrace_path_end(gmtrace_paths *paths, gmtrace_path_warp *warp)
{
    if (!paths->graph.flow.block_count)
        return &paths->empty;
    if (warp->local)
        end_local(paths, warp);
    return step_to(paths, warp, PATH_END, UINT32_MAX, false);
}
