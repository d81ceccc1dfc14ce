/* SPDX-License-Identifier: MIT
 *
 * path_sides.c - both sides of branches whose lanes part. The search (path_search.c) takes one side
 * of a branch; where what each lane has loaded decides it, a warp of 32 lanes mostly executes the
 * other side, too, up to the block where all ways meet again. That side is the search's from there,
 * with the sides of its own branches, and comes behind the first one, before the meeting. So are
 * all the targets of a jump by a table. validate/micro/loaded_sides.cu shows it.
 *
 * Left out: sides that always record something, of which the records tell; those that call what is
 * for rare cases, and branches in there, as in all functions; branches that thread numbers decide,
 * or values that all lanes have loaded (not floats made of both), equal floats, very large and very
 * small numbers: one side is executed there.
 */
#include "traces/code/path_sides.h"

#include "traces/code/jump_table.h"
#include "traces/format/grow.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH  12u        /* of branches in sides of branches */
#define MAX_BLOCKS (1u << 14) /* of one way */
#define MAX_SIDES  (1u << 16) /* searches for one kernel */

struct path_sides {
    const path_graph *graph;
    path_search *search;
    uint32_t *meet; /* of each block */
    bool *parts;    /* of each block: do its lanes go different ways? */
    bool *table;    /* of each block: do they jump by a table? */
    bool any;
    uint32_t *block; /* the way that is made */
    path_place *place;
    uint32_t count, searches;
};

static const gmtrace_instr *branch_of(const path_sides *s, uint32_t b)
{
    const gmt_block *block = &s->graph->flow.block[b];
    return &s->graph->instr[block->first + block->count - 1u];
}

/* Where lanes meet that part behind a block: at the post-dominator, but no later than the innermost
 * BSSY around lets them. What returns from functions may lead behind any call. */
static void find_meetings(path_sides *s)
{
    for (uint32_t b = 0; b < s->graph->flow.block_count; b++) {
        const uint32_t meet = branch_of(s, b)->op_class == GMTRACE_CLASS_BRANCH
                                  ? path_bssy_meeting(s->graph, b)
                                  : GMT_NO_BLOCK;
        s->meet[b] = meet < s->meet[b] ? meet : s->meet[b];
    }
}

/* Is it a branch with several ways forward, which meet? */
static bool may_part(const path_sides *s, uint32_t b)
{
    const gmt_block *block = &s->graph->flow.block[b];
    if (branch_of(s, b)->op_class != GMTRACE_CLASS_BRANCH || block->edge_count < 2 ||
        s->meet[b] >= s->graph->flow.block_count || s->graph->block[b].unlikely ||
        s->graph->block[b].falls_anyway)
        return false;
    for (uint32_t e = 0; e < block->edge_count; e++) {
        const gmt_edge *edge = &s->graph->flow.edge[block->edge + e];
        if ((edge->kind != GMT_GOES_ON && edge->kind != GMT_JUMPS) || edge->to == GMT_OUT ||
            edge->to <= b)
            return false;
    }
    return true;
}

path_sides *path_sides_create(const path_graph *graph, path_search *search)
{
    const size_t blocks = graph->flow.block_count;
    path_sides *s = calloc(1, sizeof *s);
    bool good = s != NULL;
    if (good) {
        s->graph = graph;
        s->search = search;
        s->meet = malloc((blocks + 1u) * sizeof *s->meet);
        s->parts = calloc(blocks + 1u, sizeof *s->parts);
        s->table = calloc(blocks + 1u, sizeof *s->table);
        good = s->meet && s->parts && s->table && gmt_graph_meets(&graph->flow, s->meet);
    }
    if (good)
        find_meetings(s);
    for (uint32_t b = 0; b < blocks && good; b++) {
        const bool meets = may_part(s, b);
        s->table[b] = meets && gmt_table_size(branch_of(s, b));
        s->parts[b] = meets && graph->block[b].parts;
        s->any |= s->parts[b] || s->table[b];
    }
    if (good)
        return s;
    path_sides_free(s);
    return NULL;
}

void path_sides_free(path_sides *s)
{
    if (!s)
        return;
    free(s->meet);
    free(s->parts);
    free(s->table);
    free(s->block);
    free(s->place);
    free(s);
}

/* ------------------------------------------------------------------------------------------- ways
 */

static bool append(path_sides *s, path_place place)
{
    if (s->count == MAX_BLOCKS || !GMT_GROW(s->block, s->count) || !GMT_GROW(s->place, s->count))
        return false;
    s->block[s->count] = place.block;
    s->place[s->count++] = place;
    return true;
}

/* Places of a way, kept while others are looked for. NULL without memory. */
static path_place *keep(const path_way *way)
{
    path_place *kept = malloc((way->count + (size_t)1) * sizeof *kept);
    if (kept && way->count)
        memcpy(kept, way->place, way->count * sizeof *kept);
    return kept;
}

/* Where lanes stand that leave a block at the place for another one. */
static path_place before(const path_sides *s, path_place place, const gmt_edge *edge)
{
    const gmt_block *block = &s->graph->flow.block[place.block];
    const path_block *own = &s->graph->block[place.block];
    for (uint32_t i = 0; i < block->count; i++)
        path_facts_apply(&place.facts, &s->graph->instr[block->first + i]);
    if (own->predicate < 7) {
        const uint8_t bit = (uint8_t)(1u << own->predicate);
        const bool value = own->value != (edge->kind == GMT_GOES_ON);
        path_facts_set(&place.facts, bit, value);
    }
    place.block = edge->to;
    return place;
}

static bool add(path_sides *s, const path_place *way, uint32_t count, uint32_t behind,
                uint32_t depth);

/* Each group of lanes that comes to a BSYNC executes it. */
static bool waits_at(const path_sides *s, uint32_t b)
{
    return path_is_meeting(&s->graph->instr[s->graph->flow.block[b].first]);
}

/* Whether lanes need not be taken to leave the branch at a place by an edge: because they go there
 * anyway, or do nothing there, or hardly ever come there. */
static bool is_needless(const path_sides *s, path_place at, uint32_t e, uint32_t taken)
{
    const gmt_edge *edge = &s->graph->flow.edge[s->graph->flow.block[at.block].edge];
    const path_rare side = edge[e].kind == GMT_GOES_ON ? PATH_RARE_FALLS : PATH_RARE_JUMPS;
    bool needless = edge[e].to == taken || edge[e].to == s->meet[at.block] ||
                    s->graph->block[at.block].rare == side || s->searches == MAX_SIDES;
    for (uint32_t k = 0; k < e && !needless; k++) /* a table may have a place twice */
        needless = edge[k].to == edge[e].to;
    return needless;
}

/* The other sides of the branch at a place, from which the way goes on to block `taken`: what comes
 * before them waits where they meet. Lanes that do not part jump by a table to one place, but there
 * is mostly something to do there. False without memory, or beyond a limit. */
static bool add_others(path_sides *s, path_place at, uint32_t taken, uint32_t depth)
{
    const gmt_block *block = &s->graph->flow.block[at.block];
    path_place meeting = at;
    meeting.block = s->meet[at.block];
    bool waits = taken != meeting.block;
    for (uint32_t e = 0; e < block->edge_count && (s->parts[at.block] || !waits); e++) {
        if (is_needless(s, at, e, taken))
            continue;
        s->searches++;
        const path_place start = before(s, at, &s->graph->flow.edge[block->edge + e]);
        const path_way side = path_search_side(s->search, start, meeting.block);
        if (!side.found || side.rare)
            continue;
        path_place *kept = keep(&side);
        const bool good = kept && (!waits || !waits_at(s, meeting.block) || append(s, meeting)) &&
                          add(s, kept, side.count, meeting.block, depth + 1u);
        waits = true;
        free(kept);
        if (!good)
            return false;
    }
    return true;
}

/* Appends a way to the block `behind`, with the sides that are not on it. */
static bool add(path_sides *s, const path_place *way, uint32_t count, uint32_t behind,
                uint32_t depth)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t b = way[i].block, meet = s->meet[b];
        if (!append(s, way[i]))
            return false;
        if ((!s->parts[b] && !s->table[b]) || way[i].stack || depth == MAX_DEPTH)
            continue;
        uint32_t end = i + 1u;
        while (end < count && way[end].block != meet)
            end++;
        if (end == count && behind != meet)
            continue; /* something is recorded before they meet */
        const uint32_t taken = i + 1u < count ? way[i + 1u].block : behind;
        if (!add(s, way + i + 1u, end - i - 1u, meet, depth + 1u) ||
            !add_others(s, way[i], taken, depth))
            return false;
        i = end - 1u;
    }
    return true;
}

path_way path_sides_find(path_sides *s, path_place from, uint32_t to, bool all)
{
    const path_way plain = path_search_find(s->search, from, to, all);
    bool any = false;
    for (uint32_t i = 0; i < plain.count && s->any && !any; i++)
        any = s->parts[plain.block[i]] || s->table[plain.block[i]];
    if (!any || plain.lost || plain.against)
        return plain;
    path_way way = plain;
    path_place *kept = keep(&plain);
    s->count = 0;
    if (kept && add(s, kept, plain.count, to, 0)) {
        way.block = s->block;
        way.place = s->place;
        way.count = s->count;
        free(kept);
        return way;
    }
    free(kept);
    return path_search_find(s->search, from, to, all);
}
