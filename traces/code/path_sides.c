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
 * values that all lanes have loaded, equal floats, very large and very small numbers: one side is
 * executed there.
 */
#include "traces/code/path_sides.h"

#include "traces/code/decoded_private.h"
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
    bool any;
    uint32_t *block; /* the way that is made */
    path_place *place;
    uint32_t count, searches;
};

/* Where lanes meet that part behind a block: at the post-dominator, but no later than the innermost
 * BSSY around lets them. What returns from functions may lead behind any call. */
static void find_meetings(path_sides *s)
{
    const gmt_graph *flow = &s->graph->flow;
    const gmtrace_instr *instr = s->graph->instr;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const uint32_t at = flow->block[b].first + flow->block[b].count - 1u;
        for (uint32_t n = at; n-- > 0 && instr[at].op_class == GMTRACE_CLASS_BRANCH;) {
            if (!gmt_has_prefix(instr[n].opcode, "BSSY") || instr[n].target <= at ||
                instr[n].target >= s->graph->instr_count)
                continue;
            const uint32_t before = instr[n].target - 1u;
            const uint32_t meet =
                flow->block_of[path_is_meeting(&instr[before]) ? before : before + 1u];
            if (meet < s->meet[b])
                s->meet[b] = meet;
            break;
        }
    }
}

/* May the integers that a branch compares be a float's? Its exponent is looked at then. */
static bool looks_at_exponent(const gmtrace_instr *decider)
{
    const char *value = strstr(decider->operands, ", 0x");
    const unsigned long number = value ? strtoul(value + 2, NULL, 16) : 0;
    return number > 0xffffffu && number < 0xff000000u;
}

static bool parts(const path_sides *s, const gmtrace_kernel *kernel, const gmtrace_decoded *decoded,
                  uint32_t b)
{
    const gmt_block *block = &s->graph->flow.block[b];
    const gmtrace_instr *branch = &kernel->instr[block->first + block->count - 1u];
    if (branch->op_class != GMTRACE_CLASS_BRANCH || block->edge_count < 2 ||
        s->meet[b] == GMT_NO_BLOCK || s->graph->block[b].unlikely ||
        s->graph->block[b].falls_anyway)
        return false;
    for (uint32_t e = 0; e < block->edge_count; e++) {
        const gmt_edge *edge = &s->graph->flow.edge[block->edge + e];
        if ((edge->kind != GMT_GOES_ON && edge->kind != GMT_JUMPS) || edge->to == GMT_OUT ||
            edge->to <= b)
            return false;
    }
    const gmtrace_instr *decider = gmt_table_size(branch) ? branch : path_decider(kernel, branch);
    return decider && !looks_at_exponent(decider) &&
           gmt_varies_by_loads(kernel, decoded, (uint32_t)(decider - kernel->instr));
}

path_sides *path_sides_create(const path_graph *graph, const gmtrace_kernel *kernel,
                              path_search *search)
{
    const size_t blocks = graph->flow.block_count;
    path_sides *s = calloc(1, sizeof *s);
    gmtrace_decoded *decoded = malloc((kernel->instr_count + (size_t)1) * sizeof *decoded);
    bool good = s && decoded;
    if (good) {
        s->graph = graph;
        s->search = search;
        s->meet = malloc((blocks + 1u) * sizeof *s->meet);
        s->parts = calloc(blocks + 1u, sizeof *s->parts);
        good = s->meet && s->parts && gmt_graph_meets(&graph->flow, s->meet);
    }
    if (good) {
        find_meetings(s);
        gmtrace_decode_kernel(kernel, GMTRACE_WARP_LANES, decoded);
    }
    for (uint32_t b = 0; b < blocks && good; b++) {
        s->parts[b] = parts(s, kernel, decoded, b);
        s->any |= s->parts[b];
    }
    free(decoded);
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
        place.facts.known |= bit;
        place.facts.value = (uint8_t)((place.facts.value & ~bit) | (value ? bit : 0));
    }
    place.block = edge->to;
    return place;
}

static bool add(path_sides *s, const path_place *way, uint32_t count, uint32_t behind,
                uint32_t depth);

/* The other sides of the branch at a place, from which the way goes on to block `taken`. False
 * without memory, or beyond a limit. */
static bool add_others(path_sides *s, path_place at, uint32_t taken, uint32_t depth)
{
    const gmt_block *block = &s->graph->flow.block[at.block];
    const uint32_t meet = s->meet[at.block];
    for (uint32_t e = 0; e < block->edge_count; e++) {
        const gmt_edge *edge = &s->graph->flow.edge[block->edge + e];
        const path_rare side_of = edge->kind == GMT_GOES_ON ? PATH_RARE_FALLS : PATH_RARE_JUMPS;
        bool known =
            edge->to == taken || edge->to == meet || s->graph->block[at.block].rare == side_of;
        for (uint32_t k = 0; k < e && !known; k++)
            known = s->graph->flow.edge[block->edge + k].to == edge->to;
        if (known || s->searches == MAX_SIDES)
            continue;
        s->searches++;
        const path_way side = path_search_side(s->search, before(s, at, edge), meet);
        if (!side.found || side.rare)
            continue;
        path_place *kept = keep(&side);
        const bool good = kept && add(s, kept, side.count, meet, depth + 1u);
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
        if (!s->parts[b] || way[i].stack || depth == MAX_DEPTH)
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
        any = s->parts[plain.block[i]];
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
