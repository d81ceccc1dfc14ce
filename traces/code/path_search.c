/* SPDX-License-Identifier: MIT
 *
 * path_search.c - Dijkstra's algorithm over (block, known predicates, return stack). Unguarded
 * recorded instructions end the search's ways; only if the end is not reached without crossing
 * them, records are missing, and a second search crosses them at a high price.
 */
#include "traces/code/path_search.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NODES  16384u /* of one search */
#define TABLE_SIZE (4u * MAX_NODES)
#define MAX_FRAMES 4096u

/* Prices beside an instruction's, which is 1. */
#define PRICE_RARE     (1ull << 12)
#define PRICE_CALL     PRICE_RARE   /* what divisions and roots have for rare cases */
#define PRICE_MAYBE    (1ull << 16) /* crossing what many captures record */
#define PRICE_UNLIKELY (1ull << 24)
#define PRICE_SEEN     (1ull << 36) /* crossing what every capture records */

typedef struct search_node {
    path_place place;
    uint64_t price;
    uint32_t from; /* node */
    uint32_t heap; /* its index there; PATH_NONE: settled */
    bool ambiguous;
} search_node;

typedef struct frame {
    uint32_t parent, back, depth;
} frame;

struct path_search {
    const path_graph *graph;
    search_node *node;
    uint32_t node_count;
    uint32_t *table, *stamp, turn;
    uint32_t *heap, heap_count;
    uint32_t *way;
    path_place *way_place;
    frame *frame;
    uint32_t frame_count;
    uint32_t *frame_at; /* hash table of frames by what they hold; 0: none */
};

path_search *path_search_create(const path_graph *graph)
{
    path_search *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->graph = graph;
    s->node = malloc(MAX_NODES * sizeof *s->node);
    s->table = malloc(TABLE_SIZE * sizeof *s->table);
    s->stamp = calloc(TABLE_SIZE, sizeof *s->stamp);
    s->heap = malloc(MAX_NODES * sizeof *s->heap);
    s->way = malloc(MAX_NODES * sizeof *s->way);
    s->way_place = malloc(MAX_NODES * sizeof *s->way_place);
    s->frame = calloc(MAX_FRAMES, sizeof *s->frame);
    s->frame_at = calloc(2 * MAX_FRAMES, sizeof *s->frame_at);
    s->frame_count = 1;
    if (s->frame_at && s->node && s->table && s->stamp && s->heap && s->way && s->way_place &&
        s->frame)
        return s;
    path_search_free(s);
    return NULL;
}

void path_search_free(path_search *s)
{
    if (!s)
        return;
    free(s->node);
    free(s->table);
    free(s->stamp);
    free(s->heap);
    free(s->way);
    free(s->way_place);
    free(s->frame);
    free(s->frame_at);
    free(s);
}

/* ---------------------------------------------------------------------------------------- heap */

static bool is_before(const path_search *s, uint32_t a, uint32_t b)
{
    return s->node[a].price != s->node[b].price ? s->node[a].price < s->node[b].price : a < b;
}

static void put(path_search *s, uint32_t index, uint32_t node)
{
    s->heap[index] = node;
    s->node[node].heap = index;
}

static void sift_up(path_search *s, uint32_t index)
{
    const uint32_t node = s->heap[index];
    for (; index && is_before(s, node, s->heap[(index - 1) / 2]); index = (index - 1) / 2)
        put(s, index, s->heap[(index - 1) / 2]);
    put(s, index, node);
}

static uint32_t take_first(path_search *s)
{
    const uint32_t first = s->heap[0], node = s->heap[--s->heap_count];
    uint32_t index = 0;
    for (uint32_t child; (child = 2 * index + 1) < s->heap_count; index = child) {
        child += child + 1 < s->heap_count && is_before(s, s->heap[child + 1], s->heap[child]);
        if (!is_before(s, s->heap[child], node))
            break;
        put(s, index, s->heap[child]);
    }
    if (s->heap_count)
        put(s, index, node);
    s->node[first].heap = PATH_NONE;
    return first;
}

/* --------------------------------------------------------------------------------------- nodes */

static bool same_place(const path_place *a, const path_place *b)
{
    return a->block == b->block && a->stack == b->stack && a->facts.known == b->facts.known &&
           a->facts.value == b->facts.value;
}

static void reach(path_search *s, uint32_t from, path_place place, uint64_t price)
{
    uint32_t slot = (place.block * 0x9e3779b1u ^ place.stack * 0x85ebca6bu ^
                     (place.facts.known * 256u + place.facts.value) * 0xc2b2ae35u) >>
                        7 &
                    (TABLE_SIZE - 1);
    for (; s->stamp[slot] == s->turn; slot = (slot + 1) & (TABLE_SIZE - 1)) {
        search_node *n = &s->node[s->table[slot]];
        if (!same_place(&n->place, &place))
            continue;
        n->ambiguous |= n->from != from;
        if (n->heap != PATH_NONE && price < n->price) {
            n->price = price;
            n->from = from;
            sift_up(s, n->heap);
        }
        return;
    }
    if (s->node_count == MAX_NODES)
        return;
    s->stamp[slot] = s->turn;
    s->table[slot] = s->node_count;
    s->node[s->node_count] = (search_node){place, price, from, s->heap_count, false};
    s->heap[s->heap_count] = s->node_count++;
    sift_up(s, s->heap_count++);
}

static uint32_t push(path_search *s, uint32_t parent, uint32_t back)
{
    if (s->frame[parent].depth >= PATH_MAX_DEPTH)
        return parent;
    uint32_t slot = (parent * 0x9e3779b1u ^ back * 0x85ebca6bu) >> 7 & (2 * MAX_FRAMES - 1);
    for (; s->frame_at[slot]; slot = (slot + 1) & (2 * MAX_FRAMES - 1)) {
        const uint32_t at = s->frame_at[slot];
        if (s->frame[at].parent == parent && s->frame[at].back == back)
            return at;
    }
    if (s->frame_count == MAX_FRAMES)
        return 0;
    s->frame_at[slot] = s->frame_count;
    s->frame[s->frame_count] = (frame){parent, back, s->frame[parent].depth + 1};
    return s->frame_count++;
}

/* Over all edges that lead out of a block whose instructions have been run. */
static void leave(path_search *s, uint32_t from, path_place place, uint64_t price)
{
    const gmt_block *block = &s->graph->flow.block[place.block];
    const path_block *own = &s->graph->block[place.block];
    const bool decided = place.facts.known & PATH_JUMPS, jumps = place.facts.value & PATH_JUMPS;
    bool returned = false;
    place.facts.known &= (uint8_t)~PATH_JUMPS;
    place.facts.value &= (uint8_t)~PATH_JUMPS;
    for (uint32_t i = 0; i < block->edge_count; i++) {
        const gmt_edge *edge = &s->graph->flow.edge[block->edge + i];
        const bool falls = edge->kind == GMT_GOES_ON;
        if (decided && falls == jumps)
            continue;
        path_place next = {edge->to, place.stack, place.facts};
        if (edge->kind == GMT_RETURNS && place.stack) {
            if (returned)
                continue;
            returned = true;
            next.block = s->frame[place.stack].back;
            next.stack = s->frame[place.stack].parent;
        }
        if (edge->kind == GMT_CALLS && place.block + 1 < s->graph->flow.block_count)
            next.stack = push(s, place.stack, place.block + 1);
        if (own->predicate < 7 && !(falls && own->falls_anyway)) {
            const uint8_t bit = (uint8_t)(1u << own->predicate);
            const bool value = own->value != falls;
            if ((next.facts.known & bit) && !(next.facts.value & bit) == value)
                continue;
            path_facts_set(&next.facts, bit, value);
        }
        if (next.block == PATH_END)
            next = (path_place){.block = PATH_END};
        const bool rare = own->rare == (falls ? PATH_RARE_FALLS : PATH_RARE_JUMPS);
        const uint64_t more = rare                      ? PRICE_RARE
                              : falls                   ? 0
                              : own->unlikely           ? PRICE_UNLIKELY
                              : edge->kind == GMT_CALLS ? PRICE_CALL
                                                        : own->skips;
        reach(s, from, next, price + more);
    }
}

/* Runs a block over the facts. The price of crossing it; UINT64_MAX where it cannot be. */
static uint64_t cross(const path_search *s, path_place *place, bool through_records)
{
    const gmt_block *block = &s->graph->flow.block[place->block];
    const uint8_t seen = s->graph->block[place->block].seen;
    const gmtrace_instr *instr = &s->graph->instr[block->first];
    uint64_t price = block->count;
    if (seen != PATH_UNSEEN) {
        const int guard =
            path_facts_guard(place->facts, instr->predicate, instr->predicate_negated);
        if (seen == PATH_SEEN || (guard == 1 && instr->predicate < 7)) {
            if (!through_records)
                return UINT64_MAX;
            price += PRICE_SEEN;
        } else if (guard == 1) {
            price += PRICE_MAYBE;
        } else if (guard < 0) { /* not recorded, so it was false */
            const uint8_t bit = (uint8_t)(1u << instr->predicate);
            path_facts_set(&place->facts, bit, instr->predicate_negated);
        }
    }
    for (uint32_t i = 0; i < block->count; i++)
        path_facts_apply(&place->facts, &instr[i]);
    return price;
}

/* The end's place: what is known behind the instruction there. */
static path_place behind(const path_search *s, path_place place, bool all)
{
    if (place.block == PATH_END)
        return place;
    const gmtrace_instr *instr = &s->graph->instr[s->graph->flow.block[place.block].first];
    if (instr->predicate < 7) {
        const uint8_t bit = (uint8_t)(1u << instr->predicate);
        place.facts.known = (uint8_t)(all ? place.facts.known | bit : place.facts.known & ~bit);
        place.facts.value &= (uint8_t)~bit;
        place.facts.value |= all && !instr->predicate_negated ? bit : 0;
    }
    path_facts_apply(&place.facts, instr);
    return place;
}

/* Is this the end, and can its instruction be executed by the lanes that come? */
static bool is_end(const path_search *s, const path_place *place, uint32_t to, bool all)
{
    if (place->block != to || to == PATH_END)
        return place->block == to;
    const gmtrace_instr *instr = &s->graph->instr[s->graph->flow.block[to].first];
    return !all || path_facts_guard(place->facts, instr->predicate, instr->predicate_negated) != 0;
}

static void begin(path_search *s)
{
    s->turn++;
    s->node_count = s->heap_count = 0;
}

/* The node at the end, of those that the search reaches from where it has begun. */
static uint32_t run(path_search *s, uint32_t to, bool all, bool through_records)
{
    uint32_t end = PATH_NONE;
    while (s->heap_count) {
        const uint32_t n = take_first(s);
        if (is_end(s, &s->node[n].place, to, all)) {
            /* Others may reach the end with other knowledge: that is another way, too. */
            if (end != PATH_NONE)
                s->node[end].ambiguous = true;
            else
                end = n;
            continue;
        }
        path_place place = s->node[n].place;
        if (place.block == PATH_END)
            continue;
        const uint64_t price = cross(s, &place, through_records);
        if (price != UINT64_MAX && (end == PATH_NONE || !through_records))
            leave(s, n, place, s->node[n].price + price);
    }
    return end;
}

static uint32_t run_from(path_search *s, path_place from, uint32_t to, bool all,
                         bool through_records)
{
    begin(s);
    if (from.block == PATH_NONE)
        reach(s, PATH_NONE, (path_place){.block = 0}, 0);
    else
        leave(s, PATH_NONE, from, 0);
    return run(s, to, all, through_records);
}

static path_way way_to(path_search *s, uint32_t end, path_way way)
{
    way.block = s->way;
    way.place = s->way_place;
    if (end == PATH_NONE)
        return way;
    way.found = true;
    way.rare = s->node[end].price >= PRICE_RARE;
    for (uint32_t n = end; n != PATH_NONE; n = s->node[n].from) {
        way.ambiguous |= s->node[n].ambiguous;
        if (n != end)
            way.count++;
    }
    uint32_t at = way.count;
    for (uint32_t n = s->node[end].from; n != PATH_NONE; n = s->node[n].from) {
        s->way_place[--at] = s->node[n].place;
        s->way[at] = s->node[n].place.block;
    }
    return way;
}

path_way path_search_find(path_search *s, path_place from, uint32_t to, bool all)
{
    path_way way = {0};
    uint32_t end = run_from(s, from, to, all, false);
    if (end == PATH_NONE) { /* perhaps lanes that differ in a predicate were taken as one */
        from.facts = (path_facts){0, 0};
        way.against = true;
        end = run_from(s, from, to, all, false);
    }
    if (end == PATH_NONE) {
        way.lost = true;
        end = run_from(s, from, to, all, true);
    }
    if (end != PATH_NONE)
        way.end = behind(s, s->node[end].place, all);
    return way_to(s, end, way);
}

path_way path_search_side(path_search *s, path_place before, uint32_t to)
{
    begin(s);
    reach(s, PATH_NONE, before, 0);
    const uint32_t end = run(s, to, false, false);
    return way_to(s, end, (path_way){.end = {.block = to}});
}
