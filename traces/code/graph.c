/* SPDX-License-Identifier: MIT
 *
 * graph.c - blocks and edges from what each instruction does with control; post-dominators by
 * Lengauer and Tarjan's algorithm ("A Fast Algorithm for Finding Dominators in a Flowgraph", with
 * path compression: m log n) on the reversed graph.
 */
#include "traces/code/graph.h"

#include "traces/format/grow.h"

static bool add_edge(gmt_graph *graph, gmt_block *block, uint32_t to, gmt_transfer kind)
{
    if (!GMT_GROW(graph->edge, graph->edge_count))
        return false;
    graph->edge[graph->edge_count++] = (gmt_edge){.to = to, .kind = (uint8_t)kind};
    block->edge_count++;
    return true;
}

static bool add_edges(gmt_graph *graph, uint32_t number, const gmt_flow *last,
                      const uint32_t *target)
{
    gmt_block *block = &graph->block[number];
    const gmt_transfer kind = (gmt_transfer)last->transfer;
    bool good = true;
    block->edge = graph->edge_count;
    for (uint32_t i = 0; good && i < last->count; i++)
        good = add_edge(graph, block, graph->block_of[target[last->first + i]], kind);
    if (kind >= GMT_RETURNS && !last->count)
        good = add_edge(graph, block, GMT_OUT, kind);
    if (good && (kind == GMT_GOES_ON || last->may_fall) && number + 1 < graph->block_count)
        good = add_edge(graph, block, number + 1, GMT_GOES_ON);
    return good;
}

bool gmt_graph_build(gmt_graph *graph, const gmt_flow *flow, uint32_t count, const uint32_t *target)
{
    memset(graph, 0, sizeof *graph);
    bool *begins = calloc(count + (size_t)1, sizeof *begins);
    graph->block = calloc(count + (size_t)1, sizeof *graph->block);
    graph->block_of = calloc(count + (size_t)1, sizeof *graph->block_of);
    bool good = begins && graph->block && graph->block_of;
    for (uint32_t i = 0; good && i < count; i++) {
        begins[i] |= i == 0 || flow[i].alone;
        begins[i + 1] |= flow[i].alone || flow[i].transfer != GMT_GOES_ON;
        for (uint32_t t = 0; t < flow[i].count; t++)
            begins[target[flow[i].first + t]] = true;
    }
    for (uint32_t i = 0; good && i < count; i++) {
        if (begins[i])
            graph->block[graph->block_count++].first = i;
        graph->block_of[i] = graph->block_count - 1;
        graph->block[graph->block_count - 1].count++;
    }
    for (uint32_t b = 0; good && b < graph->block_count; b++) {
        const gmt_block *block = &graph->block[b];
        good = add_edges(graph, b, &flow[block->first + block->count - 1], target);
    }
    free(begins);
    return good;
}

void gmt_graph_free(gmt_graph *graph)
{
    free(graph->block);
    free(graph->block_of);
    free(graph->edge);
    memset(graph, 0, sizeof *graph);
}

/* ------------------------------------------------------------------------------ where ways meet */

/* Blocks are divided into regions: a root, and those that reach it and are in no region yet. Behind
 * the root lies a goal, number `block_count`, which is what post-dominance is counted from. An exit
 * leads to its goal; of an endless loop the goal is its head, entered anew. Within a region blocks
 * have numbers in the order of a search from the goal, against the edges; the goal has 0. Arrays
 * marked so are by number, the others by block. */
typedef struct search {
    const gmt_graph *graph;
    uint32_t root;
    bool is_exit;
    uint32_t *before_first, *before; /* edges the other way round */
    uint32_t *region;                /* root + 1; 0: none yet */
    uint32_t *number;
    uint32_t *stack, *next;  /* of a walk: its way, and where each block on it goes on */
    uint32_t *vertex;        /* by number: block */
    uint32_t *parent, *semi; /* by number */
    uint32_t *ancestor, *label, *bucket, *link, *dom; /* by number */
} search;

static void turn_edges(search *s)
{
    const gmt_graph *g = s->graph;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edge[e].to != GMT_OUT)
            s->before_first[g->edge[e].to + 1]++;
    for (uint32_t b = 0; b < g->block_count; b++) {
        s->before_first[b + 1] += s->before_first[b];
        s->next[b] = s->before_first[b];
    }
    for (uint32_t b = 0; b < g->block_count; b++)
        for (uint32_t e = 0; e < g->block[b].edge_count; e++) {
            const uint32_t to = g->edge[g->block[b].edge + e].to;
            if (to != GMT_OUT)
                s->before[s->next[to]++] = b;
        }
}

/* Numbers the region, depth first. Returns how many there are, the goal included. */
static uint32_t collect(search *s)
{
    uint32_t depth = 0, count = 1;
    const uint32_t root = s->root, goal = s->graph->block_count;
    s->vertex[0] = s->stack[depth++] = goal;
    s->number[goal] = 0;
    s->next[goal] = s->before_first[root];
    while (depth) {
        const uint32_t at = s->stack[depth - 1];
        uint32_t found = GMT_NO_BLOCK;
        if (at == goal && s->is_exit)
            found = s->region[root] ? GMT_NO_BLOCK : root;
        else if (at == goal || at != root || s->is_exit)
            for (uint32_t end = s->before_first[(at == goal ? root : at) + 1];
                 s->next[at] < end && found == GMT_NO_BLOCK; s->next[at]++)
                if (!s->region[s->before[s->next[at]]])
                    found = s->before[s->next[at]];
        if (found == GMT_NO_BLOCK) {
            depth--;
            continue;
        }
        s->region[found] = root + 1;
        s->next[found] = s->before_first[found];
        s->parent[count] = s->number[at];
        s->number[found] = count;
        s->vertex[count++] = found;
        s->stack[depth++] = found;
    }
    return count;
}

/* The number least in `semi` on the way up to the forest's root; shortens that way. */
static uint32_t least(search *s, uint32_t v)
{
    uint32_t depth = 0;
    if (s->ancestor[v] == GMT_NO_BLOCK)
        return v;
    for (uint32_t at = v; s->ancestor[s->ancestor[at]] != GMT_NO_BLOCK; at = s->ancestor[at])
        s->stack[depth++] = at;
    while (depth) {
        const uint32_t at = s->stack[--depth], up = s->ancestor[at];
        if (s->semi[s->label[up]] < s->semi[s->label[at]])
            s->label[at] = s->label[up];
        s->ancestor[at] = s->ancestor[up];
    }
    return s->label[v];
}

static void note_semi(search *s, uint32_t w)
{
    const gmt_block *block = &s->graph->block[s->vertex[w]];
    if (s->is_exit && s->vertex[w] == s->root)
        s->semi[w] = 0;
    for (uint32_t e = 0; e < block->edge_count; e++) {
        const uint32_t to = s->graph->edge[block->edge + e].to;
        if (to == GMT_OUT || s->region[to] != s->root + 1)
            continue;
        const bool ends = to == s->root && !s->is_exit;
        const uint32_t semi = ends ? 0 : s->semi[least(s, s->number[to])];
        s->semi[w] = semi < s->semi[w] ? semi : s->semi[w];
    }
}

static void solve(search *s, uint32_t *meet)
{
    const uint32_t count = collect(s);
    for (uint32_t i = 0; i < count; i++) {
        s->semi[i] = s->label[i] = i;
        s->ancestor[i] = s->bucket[i] = GMT_NO_BLOCK;
    }
    for (uint32_t w = count - 1; w > 0; w--) {
        const uint32_t up = s->parent[w];
        note_semi(s, w);
        s->link[w] = s->bucket[s->semi[w]];
        s->bucket[s->semi[w]] = w;
        s->ancestor[w] = up;
        for (uint32_t v = s->bucket[up]; v != GMT_NO_BLOCK; v = s->link[v]) {
            const uint32_t u = least(s, v);
            s->dom[v] = s->semi[u] < s->semi[v] ? u : up;
        }
        s->bucket[up] = GMT_NO_BLOCK;
    }
    for (uint32_t w = 1; w < count; w++) {
        if (s->dom[w] != s->semi[w])
            s->dom[w] = s->dom[s->dom[w]];
        const uint32_t goal = s->is_exit ? GMT_NO_BLOCK : s->root;
        meet[s->vertex[w]] = s->dom[w] ? s->vertex[s->dom[w]] : goal;
    }
}

/* How the block leaves the code, as a rank of those that count: 0 does not. */
static unsigned exit_rank(const gmt_graph *graph, uint32_t number)
{
    const gmt_block *block = &graph->block[number];
    if (!block->edge_count || graph->edge[block->edge].to != GMT_OUT)
        return 0;
    const bool traps = graph->edge[block->edge].kind == GMT_TRAPS;
    return traps ? 1 : (block->edge_count > 1 ? 2 : 3);
}

/* Loops without exit. The first block that a walk from the entry leaves for good among those in no
 * region has nothing but the way to it before itself; of that it reaches the block nearest the
 * entry, which is the loop's head. */
static void solve_endless(search *s, uint32_t *meet)
{
    const gmt_graph *g = s->graph;
    uint32_t *order = s->before + g->edge_count, *place = order + g->block_count, left = 0;
    memset(place, 0, g->block_count * sizeof *place); /* 1: on the way; then 2 + place in order */
    for (uint32_t start = 0; start < g->block_count; start++) {
        uint32_t depth = 0;
        if (place[start] || s->region[start])
            continue;
        s->stack[depth++] = start;
        place[start] = 1;
        s->next[start] = 0;
        while (depth) {
            const uint32_t at = s->stack[depth - 1];
            if (s->next[at] < g->block[at].edge_count) {
                const uint32_t to = g->edge[g->block[at].edge + s->next[at]++].to;
                if (place[to])
                    continue;
                place[to] = 1;
                s->next[to] = 0;
                s->stack[depth++] = to;
            } else {
                place[at] = left + 2;
                order[left++] = at;
                depth--;
            }
        }
    }
    for (uint32_t i = 0; i < left; i++) {
        const gmt_block *block = &g->block[order[i]];
        if (s->region[order[i]])
            continue;
        s->root = order[i];
        for (uint32_t e = 0; e < block->edge_count; e++)
            if (place[g->edge[block->edge + e].to] > place[s->root])
                s->root = g->edge[block->edge + e].to;
        s->is_exit = !block->edge_count; /* the code ends without an exit */
        solve(s, meet);
    }
}

bool gmt_graph_meets(const gmt_graph *graph, uint32_t *meet)
{
    if (!graph->block_count)
        return true;
    const size_t n = (size_t)graph->block_count + 1;
    uint32_t *memory = calloc(15 * n + graph->edge_count, sizeof *memory);
    if (!memory)
        return false;
    search s = {.graph = graph};
    uint32_t **const array[] = {&s.before_first, &s.region, &s.number, &s.stack,    &s.next,
                                &s.vertex,       &s.parent, &s.semi,   &s.ancestor, &s.label,
                                &s.bucket,       &s.link,   &s.dom,    &s.before};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        *array[i] = memory + i * n;
    memset(meet, 0xff, graph->block_count * sizeof *meet);
    turn_edges(&s);
    s.is_exit = true;
    for (unsigned rank = 3; rank > 0; rank--)
        for (s.root = graph->block_count; s.root-- > 0;)
            if (!s.region[s.root] && exit_rank(graph, s.root) == rank)
                solve(&s, meet);
    solve_endless(&s, meet);
    free(memory);
    return true;
}
