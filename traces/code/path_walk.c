/* SPDX-License-Identifier: MIT
 *
 * path_walk.c - goes the search's way block by block while running the code that decides branches.
 * Where all lanes go the other side, the search begins anew from there. Where they part, each side
 * is gone by its lanes up to the place where the code lets them meet (the BSYNC of the BSSY around,
 * else the block that all ways lead through), or to the end where that comes before. Each group of
 * lanes that comes to a BSYNC executes it. Turns of a loop that are alike become one piece that is
 * executed so many times. Lanes that have what they cannot have may turn for ever: where much was
 * gone through in vain a way has to come to its end sooner.
 */
#include "traces/code/path_walk.h"

#include "traces/format/grow.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS (1u << 18) /* of one way */
#define MAX_VAIN   (1u << 18) /* blocks gone through on ways that came to nothing; after that ... */
#define PATIENCE   4u         /* ... a way may be so many times as long as one that did, ... */
#define LEAST      256u       /* ... and has so many blocks at least */
#define MAX_WORK   (1u << 28) /* instructions for one kernel */
#define MAX_FOUND  (1u << 24) /* blocks of ways that are kept */
#define PER_SEARCH 1024u      /* what a search counts as */
#define MAX_DEPTH  40u        /* of parted lanes */

struct path_walk {
    const path_graph *graph;
    path_sides *sides;
    path_values *values;
    uint32_t *meet;  /* of each block: where lanes that part behind it meet */
    uint32_t *block; /* gone through so far */
    uint32_t count, work;
    uint32_t limit, vain, longest; /* blocks: of this way, at most; in vain so far; of a good one */
    path_set asked;                /* of the search */
    path_arena arena;
    path_way *found;
    uint32_t kept;
    path_lanes *lanes;
    path_walked *walked;
    uint32_t detours; /* on this way; and what lanes had, and where, at one of them */
    uint32_t at;
    path_lanes had;
};

/* The innermost BSSY around a branch says where lanes meet. */
static void find_meetings(path_walk *w)
{
    for (uint32_t b = 0; b < w->graph->flow.block_count; b++) {
        if (!path_values_decide(w->values, b))
            continue;
        const uint32_t meet = path_bssy_meeting(w->graph, b);
        w->meet[b] = meet == GMT_NO_BLOCK ? w->meet[b] : meet;
    }
}

path_walk *path_walk_create(const path_graph *graph, path_sides *sides, path_values *values)
{
    path_walk *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->graph = graph;
    w->sides = sides;
    w->values = values;
    w->meet = malloc((graph->flow.block_count + (size_t)1) * sizeof *w->meet);
    w->block = malloc(MAX_BLOCKS * sizeof *w->block);
    if (w->meet && w->block && gmt_graph_meets(&graph->flow, w->meet)) {
        find_meetings(w);
        return w;
    }
    path_walk_free(w);
    return NULL;
}

void path_walk_free(path_walk *w)
{
    if (!w)
        return;
    path_set_free(&w->asked);
    path_arena_free(&w->arena);
    free(w->found);
    free(w->meet);
    free(w->block);
    free(w);
}

bool path_walk_is_over(const path_walk *w)
{
    return w->work > MAX_WORK;
}

void path_walk_add_order(const path_walk *w, gmtrace_path_order *order)
{
    order->vain += w->vain * UINT64_C(1000) / MAX_VAIN;
    order->searched += w->work * UINT64_C(1000) / MAX_WORK;
    order->found += w->kept * UINT64_C(1000) / MAX_FOUND;
}

/* The search's answer, kept: lanes with other values ask the same. */
static bool find(path_walk *w, path_place from, uint32_t to, bool all, path_way *way)
{
    struct {
        path_place from;
        uint32_t to, all;
    } key;
    memset(&key, 0, sizeof key);
    key.from.block = from.block;
    key.from.stack = from.stack;
    key.from.facts = from.facts;
    key.to = to;
    key.all = all;
    const uint32_t known = w->asked.count, number = path_set_put(&w->asked, &key, sizeof key);
    if (number < known) {
        *way = w->found[number];
        return way->found && !way->lost && !way->against;
    }
    *way = path_sides_find(w->sides, from, to, all);
    w->work += PER_SEARCH;
    w->kept += way->count;
    path_place *place = path_arena_take(&w->arena, (way->count + 1u) * sizeof *place);
    if (number == UINT32_MAX || !GMT_GROW(w->found, number) || !place || w->kept > MAX_FOUND) {
        w->work = MAX_WORK + 1u; /* that is the end of it */
        return false;
    }
    memcpy(place, way->place, way->count * sizeof *place);
    way->place = place;
    way->block = NULL;
    w->found[number] = *way;
    return way->found && !way->lost && !way->against;
}

static bool go_through(path_walk *w, uint32_t b, uint32_t mask)
{
    const gmt_block *block = &w->graph->flow.block[b];
    w->work += block->count;
    if (w->count == w->limit || w->work > MAX_WORK)
        return false;
    w->block[w->count++] = b;
    if (path_is_meeting(&w->graph->instr[block->first]))
        w->lanes->unsure = false;
    path_values_run(w->values, w->lanes, block->first, block->count, mask);
    return true;
}

/* Behind a block, the branch at its end being taken, or not. */
static path_place behind(const path_walk *w, path_place place, bool jumps)
{
    const gmt_block *block = &w->graph->flow.block[place.block];
    const path_block *own = &w->graph->block[place.block];
    const uint8_t bit = (uint8_t)(own->falls_anyway ? PATH_JUMPS : 1u << own->predicate);
    const bool value = own->falls_anyway ? jumps : jumps == own->value;
    for (uint32_t i = 0; i < block->count; i++)
        path_facts_apply(&place.facts, &w->graph->instr[block->first + i]);
    path_facts_set(&place.facts, bit, value);
    return place;
}

static bool walk(path_walk *w, path_place *at, uint32_t to, bool all, uint32_t mask, uint32_t bar,
                 uint32_t depth);

/* Both sides of a branch. True where they met, at `*at`, or at the end, which it then is; where the
 * end is `inside`, before the place where they would meet, both have to come there. */
static bool part(path_walk *w, path_place branch, path_place *at, uint32_t to, bool all,
                 uint32_t mask, uint32_t jump, bool inside, uint32_t depth)
{
    const uint32_t meet = w->meet[branch.block], side[] = {mask & ~jump, jump};
    const uint32_t count = w->count;
    path_lanes before;
    path_place end = *at;
    if (depth == MAX_DEPTH)
        return false;
    path_lanes_copy(&before, w->lanes);
    for (unsigned attempt = inside || meet == to || meet == GMT_NO_BLOCK; attempt < 2; attempt++) {
        bool good = true;
        for (unsigned i = 0; i < 2 && good; i++) {
            end = behind(w, branch, i);
            good = walk(w, &end, attempt ? to : meet, attempt && all, side[i],
                        attempt ? meet : GMT_NO_BLOCK, depth + 1u);
        }
        if (good) {
            *at = end;
            at->facts = (path_facts){0, 0};
            at->block = attempt ? to : meet;
            return true;
        }
        w->vain += w->count - count;
        w->count = count;
        path_lanes_copy(w->lanes, &before);
    }
    return false;
}

static uint32_t target_of(const path_walk *w, uint32_t b, bool jumps)
{
    const gmt_block *block = &w->graph->flow.block[b];
    for (uint32_t e = 0; e < block->edge_count; e++) {
        const gmt_edge *edge = &w->graph->flow.edge[block->edge + e];
        if ((edge->kind == GMT_GOES_ON) != jumps)
            return edge->to;
    }
    return GMT_NO_BLOCK;
}

static bool leaves(const path_walk *w, uint32_t b)
{
    const gmt_block *block = &w->graph->flow.block[b];
    return w->graph->instr[block->first + block->count - 1u].op_class == GMTRACE_CLASS_EXIT;
}

static bool waits_at(const path_walk *w, uint32_t b)
{
    return b != PATH_END && path_is_meeting(&w->graph->instr[w->graph->flow.block[b].first]);
}

/* Of a branch it is not known which way lanes go. */
static void be_unsure(path_walk *w, uint32_t b)
{
    const gmt_block *block = &w->graph->flow.block[b];
    const gmtrace_instr *last = &w->graph->instr[block->first + block->count - 1u];
    w->lanes->unsure |= block->edge_count > 1 && last->op_class == GMTRACE_CLASS_BRANCH;
    if (path_values_decide(w->values, b))
        w->walked->ambiguous |= path_values_doubt(w->values, b);
    else
        w->walked->open |= path_values_doubt(w->values, b);
}

/* Lanes turn away from the search's way. Where they had the same when they did so there before they
 * will for ever, and what they have is wrong: that is looked for now and then. */
static bool goes_round(path_walk *w, uint32_t b)
{
    const uint32_t n = ++w->detours;
    if (n >= 16 && w->at == b && memcmp(w->had.known, w->lanes->known, sizeof w->had.known) == 0 &&
        memcmp(w->had.value, w->lanes->value, w->lanes->places * sizeof w->had.value[0]) == 0)
        return true;
    if (n >= 16 && (n & (n - 1u)) == 0) {
        path_lanes_copy(&w->had, w->lanes);
        w->at = b;
    }
    return false;
}

/* `bar`: a block that is not on the way. */
static bool walk(path_walk *w, path_place *at, uint32_t to, bool all, uint32_t mask, uint32_t bar,
                 uint32_t depth)
{
    for (bool arrived = false; !arrived;) {
        path_way way;
        if (w->work > MAX_WORK || !find(w, *at, to, all, &way))
            return false;
        arrived = true;
        const path_place end = way.end;
        for (uint32_t i = 0; i < way.count && arrived; i++) {
            const path_place here = way.place[i];
            const uint32_t next = i + 1u < way.count ? way.place[i + 1u].block : end.block;
            uint32_t jump;
            if (here.block == bar || !go_through(w, here.block, mask))
                return false;
            if (!path_values_decide(w->values, here.block)) {
                be_unsure(w, here.block);
                continue;
            }
            w->walked->alike = false;
            if (!path_values_jump(w->values, w->lanes, here.block, mask, &jump)) {
                be_unsure(w, here.block);
                continue;
            }
            w->walked->decided = true;
            if (leaves(w, here.block) && jump != mask) { /* some, the others go on */
                mask &= ~jump;
                jump = 0;
            }
            if (!jump || jump == mask) {
                if (target_of(w, here.block, jump != 0) == next)
                    continue;
                if (goes_round(w, here.block))
                    return false;
                *at = behind(w, here, jump != 0);
            } else {
                bool inside = true;
                for (uint32_t k = i + 1u; k < way.count && inside; k++)
                    inside = way.place[k].block != w->meet[here.block];
                if (!part(w, here, at, to, all, mask, jump, inside, depth))
                    return false;
                if (at->block == to)
                    return true;
                if (!waits_at(w, at->block) && !go_through(w, at->block, mask))
                    return false;
            }
            arrived = false;
        }
        if (arrived)
            *at = end;
    }
    return !depth || !waits_at(w, to) || go_through(w, to, mask);
}

/* ------------------------------------------------------------------------------------------ pieces
 */

static bool same_blocks(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* The blocks from `first` to `end`, `times` over. */
static void add_blocks(const path_walk *w, path_list *list, uint32_t first, uint32_t end,
                       uint32_t times)
{
    gmtrace_path_piece piece = {0, 0, times};
    for (uint32_t i = first; i < end; i++) {
        const gmt_block *b = &w->graph->flow.block[w->block[i]];
        if (piece.count && piece.first + piece.count == b->first) {
            piece.count += b->count;
            continue;
        }
        path_list_add(list, piece);
        piece = (gmtrace_path_piece){b->first, b->count, times};
    }
    path_list_add(list, piece);
}

/* Where a block comes that is at or before the last, it may begin the next turn of a loop. */
static void list_blocks(const path_walk *w, path_list *list)
{
    uint32_t done = 0; /* listed so far */
    for (uint32_t i = 1; i < w->count; i++) {
        if (w->block[i] > w->block[i - 1u])
            continue;
        uint32_t start = i; /* the turn before began with the same block */
        while (start > done && w->block[start - 1u] != w->block[i])
            start--;
        if (start == done)
            continue;
        start--;
        const uint32_t size = i - start;
        uint32_t times = 1;
        while (i + size <= w->count && same_blocks(w->block + start, w->block + i, size)) {
            i += size;
            times++;
        }
        if (times == 1)
            continue;
        add_blocks(w, list, done, start, 1);
        add_blocks(w, list, start, start + size, times);
        done = i;
    }
    add_blocks(w, list, done, w->count, 1);
}

bool path_walk_again(path_walk *w, uint32_t blocks, uint64_t instructions)
{
    if (w->vain >= MAX_VAIN || w->work > MAX_WORK || instructions > MAX_WORK - w->work)
        return false;
    w->work += (uint32_t)instructions;
    w->longest = blocks > w->longest ? blocks : w->longest;
    return true;
}

bool path_walk_find(path_walk *w, path_place from, uint32_t to, bool all, uint32_t mask,
                    path_lanes *lanes, path_list *list, path_walked *walked)
{
    memset(walked, 0, sizeof *walked);
    walked->alike = true;
    w->count = 0;
    w->limit = MAX_BLOCKS;
    if (w->vain >= MAX_VAIN && w->longest < MAX_BLOCKS / PATIENCE)
        w->limit = w->longest > LEAST / PATIENCE ? PATIENCE * w->longest : LEAST;
    w->lanes = lanes;
    w->walked = walked;
    w->detours = 0;
    w->at = PATH_NONE;
    walked->end = from;
    if (!walk(w, &walked->end, to, all, mask, GMT_NO_BLOCK, 0)) {
        w->vain += w->count;
        return false;
    }
    w->longest = w->count > w->longest ? w->count : w->longest;
    const int recorded = to == PATH_END ? 1 : path_values_recorded(w->values, lanes, to, mask);
    walked->open |= recorded < 0;
    walked->alike &= !path_values_guard(w->values, to);
    walked->blocks = w->count;
    list_blocks(w, list);
    return true;
}
