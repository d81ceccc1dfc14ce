/* SPDX-License-Identifier: MIT
 *
 * unseen.c - follows each lane of a warp from record to record along the shortest path.
 *
 * A lane stands at a node of the graph: what comes next there is not known yet. When a record
 * arrives its lanes walk to its node, those with the longest way first, so that lanes that meet on
 * the way go on together and an access of theirs is made once. Where there is one way to go, all
 * lanes that stand there go, whether this record is theirs or not: they execute the same code.
 * After its record a lane goes on as far as there is no doubt.
 *
 * Left out: what a predicate decides (a guarded access is taken as executed by all); code between
 * two branches, without a record, after the second of which a warp divides (made once for each
 * part); stack pointers that move in the kernel (alloca, and frames of called functions: their
 * slots are counted from the same base and may share addresses with the caller's).
 */
#include "traces/code/unseen.h"

#include <stdlib.h>
#include <string.h>

#include "traces/code/unseen_graph.h"

#define MAX_ROUTES 65536u /* remembered; a power of two */

/* The first edge of the shortest way between two nodes. */
typedef struct route {
    uint32_t from, to; /* from UNSEEN_NO_NODE: an empty slot */
    uint32_t edge;     /* UNSEEN_NO_NODE where there is no way */
    uint32_t distance;
    bool ambiguous;
} route;

/* A node during the search. */
typedef struct mark {
    uint32_t search; /* which search wrote it */
    uint32_t distance, from, edge;
    uint64_t accesses; /* hash of the accesses on the way */
    bool settled, ambiguous;
} mark;

struct gmtrace_unseen {
    const gmtrace_instr *instr;
    uint32_t instr_count;
    unseen_graph graph;
    bool *is_seen; /* by instruction: the capture reported it after all */
    route *route;
    uint32_t route_count;
    mark *mark;
    uint32_t *open; /* nodes reached and not settled */
    uint32_t search;
    gmtrace_unseen_access *list;
    size_t list_count, list_room;
    gmtrace_unseen_counts counts;
};

bool gmtrace_unseen_create(const gmtrace_instr *instr, uint32_t count, gmtrace_unseen **unseen)
{
    uint32_t slots = 0;
    int64_t offset;
    *unseen = NULL;
    for (uint32_t i = 0; i < count; i++)
        slots += unseen_is_stack_slot(&instr[i], &offset);
    if (slots == 0)
        return true;
    gmtrace_unseen *made = calloc(1, sizeof *made);
    if (!made)
        return false;
    made->instr = instr;
    made->instr_count = count;
    if (unseen_graph_build(&made->graph, instr, count)) {
        made->is_seen = calloc(count, sizeof *made->is_seen);
        made->route = malloc(MAX_ROUTES * sizeof *made->route);
        made->mark = calloc(made->graph.node_count, sizeof *made->mark);
        made->open = calloc(made->graph.node_count, sizeof *made->open);
    }
    if (!made->is_seen || !made->route || !made->mark || !made->open) {
        gmtrace_unseen_free(made);
        return false;
    }
    memset(made->route, 0xff, MAX_ROUTES * sizeof *made->route);
    *unseen = made;
    return true;
}

void gmtrace_unseen_free(gmtrace_unseen *unseen)
{
    if (!unseen)
        return;
    unseen_graph_free(&unseen->graph);
    free(unseen->is_seen);
    free(unseen->route);
    free(unseen->mark);
    free(unseen->open);
    free(unseen->list);
    free(unseen);
}

/* -------------------------------------------------------------------------------------- routes */

static void reach(gmtrace_unseen *u, uint32_t *open_count, uint32_t from, uint32_t number)
{
    const unseen_edge *edge = &u->graph.edge[number];
    mark *start = &u->mark[from], *end = &u->mark[edge->to];
    uint64_t accesses = start->accesses;
    for (uint32_t i = 0; i < edge->count; i++)
        accesses = (accesses ^ u->graph.access[edge->first + i]) * 0x9e3779b97f4a7c15u + 1;
    if (end->search != u->search) {
        *end = (mark){.search = u->search, .distance = UINT32_MAX, .accesses = accesses};
        u->open[(*open_count)++] = edge->to;
    }
    end->ambiguous |= end->accesses != accesses;
    if (!end->settled && start->distance + edge->steps < end->distance) {
        end->distance = start->distance + edge->steps;
        end->from = from;
        end->edge = number;
        end->accesses = accesses;
    }
}

/* Dijkstra's algorithm. The search goes on behind `to`'s rivals until all is settled, to learn
 * whether there are other ways; recorded instructions bound it. */
static route search(gmtrace_unseen *u, uint32_t from, uint32_t to, bool through_records)
{
    uint32_t open_count = 1;
    u->search++;
    u->mark[from] = (mark){.search = u->search};
    u->open[0] = from;
    while (open_count) {
        uint32_t nearest = 0;
        for (uint32_t i = 1; i < open_count; i++)
            if (u->mark[u->open[i]].distance < u->mark[u->open[nearest]].distance)
                nearest = i;
        const uint32_t n = u->open[nearest];
        u->open[nearest] = u->open[--open_count];
        u->mark[n].settled = true;
        const unseen_node *node = &u->graph.node[n];
        if (n == to || (node->kind == UNSEEN_RECORDED && !through_records))
            continue;
        for (uint32_t e = 0; e < node->count; e++)
            reach(u, &open_count, n, node->first + e);
    }
    route found = {.from = from, .to = to, .edge = UNSEEN_NO_NODE};
    if (u->mark[to].search != u->search)
        return found;
    found.distance = u->mark[to].distance;
    found.ambiguous = through_records;
    for (uint32_t n = to; n != from; n = u->mark[n].from) {
        found.ambiguous |= u->mark[n].ambiguous;
        found.edge = u->mark[n].edge;
    }
    return found;
}

static const route *find_route(gmtrace_unseen *u, uint32_t from, uint32_t to)
{
    uint32_t slot = (from * 0x9e3779b1u ^ to * 0x85ebca6bu) >> 8 & (MAX_ROUTES - 1);
    for (; u->route[slot].from != UNSEEN_NO_NODE; slot = (slot + 1) & (MAX_ROUTES - 1))
        if (u->route[slot].from == from && u->route[slot].to == to)
            return &u->route[slot];
    route found = search(u, from, to, false);
    if (found.edge == UNSEEN_NO_NODE) /* some instruction was not recorded that should have been */
        found = search(u, from, to, true);
    if (u->route_count >= MAX_ROUTES / 2) {
        memset(u->route, 0xff, MAX_ROUTES * sizeof *u->route);
        u->route_count = 0;
        slot = 0;
    }
    u->route_count++;
    u->route[slot] = found;
    return &u->route[slot];
}

/* --------------------------------------------------------------------------------------- lanes */

static uint32_t lanes_at(const gmtrace_unseen_warp *warp, uint32_t among, uint32_t node)
{
    uint32_t lanes = 0;
    for (uint32_t rest = among; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        lanes |= (uint32_t)(warp->at[lane] == node) << lane;
    }
    return lanes;
}

static void put(gmtrace_unseen_warp *warp, uint32_t lanes, uint32_t node)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        warp->at[__builtin_ctz(rest)] = node;
}

static void add_access(gmtrace_unseen *u, uint32_t instr, uint32_t mask)
{
    if (u->is_seen[instr])
        return;
    if (u->list_count == u->list_room) {
        size_t room = u->list_room ? u->list_room * 2 : 256;
        gmtrace_unseen_access *grown = realloc(u->list, room * sizeof *grown);
        if (!grown) {
            u->counts.lost++;
            return;
        }
        u->list = grown;
        u->list_room = room;
    }
    u->list[u->list_count++] = (gmtrace_unseen_access){.instr = instr, .mask = mask};
    u->counts.accesses++;
    u->counts.predicated += u->instr[instr].predicate != GMTRACE_NO_REGISTER;
}

static void cross(gmtrace_unseen *u, gmtrace_unseen_warp *warp, uint32_t number, uint32_t lanes)
{
    const unseen_edge *edge = &u->graph.edge[number];
    for (uint32_t i = 0; i < edge->count; i++)
        add_access(u, u->graph.access[edge->first + i], lanes);
    put(warp, lanes, edge->to);
}

/* From a node that has been dealt with over its only edge, and over branch targets. */
static void go_on(gmtrace_unseen *u, gmtrace_unseen_warp *warp, uint32_t node, uint32_t lanes)
{
    uint32_t limit = u->graph.node_count; /* an endless loop without records ends the warp's way */
    do {
        const unseen_node *here = &u->graph.node[node];
        if (here->count != 1)
            return;
        cross(u, warp, here->first, lanes);
        node = u->graph.edge[here->first].to;
    } while (u->graph.node[node].kind == UNSEEN_PASS && limit--);
}

/* Brings `lanes` to the node. `guarded`: the record there has the lanes of its predicate alone. */
static void bring(gmtrace_unseen *u, gmtrace_unseen_warp *warp, uint32_t lanes, uint32_t to,
                  bool guarded)
{
    for (;;) {
        const route *longest = NULL;
        for (uint32_t rest = lanes; rest;) {
            const uint32_t from = warp->at[__builtin_ctz(rest)];
            rest &= ~lanes_at(warp, rest, from);
            if (from == to)
                continue;
            const route *r = find_route(u, from, to);
            if (r->edge == UNSEEN_NO_NODE) {
                u->counts.lost++;
                put(warp, lanes_at(warp, lanes, from), to);
            } else if (!longest || r->distance > longest->distance) {
                longest = r;
            }
        }
        if (!longest)
            return;
        const uint32_t from = longest->from;
        const unseen_node *node = &u->graph.node[from];
        const bool together = node->kind != UNSEEN_CAN_LEAVE && (node->count == 1 || guarded);
        u->counts.ambiguous += longest->ambiguous && node->count > 1;
        cross(u, warp, longest->edge, lanes_at(warp, together ? warp->live : lanes, from));
    }
}

size_t gmtrace_unseen_enter(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t live)
{
    unseen->list_count = 0;
    warp->live = live;
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++)
        warp->at[lane] = UNSEEN_ENTRY;
    go_on(unseen, warp, UNSEEN_ENTRY, live);
    return unseen->list_count;
}

size_t gmtrace_unseen_step(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t instr,
                           uint32_t mask, size_t *before)
{
    int64_t offset;
    unseen->list_count = 0;
    *before = 0;
    mask &= warp->live;
    if (instr >= unseen->instr_count || !mask)
        return 0;
    const uint32_t number = unseen->graph.node_of[instr];
    if (number == UNSEEN_NO_NODE || unseen->graph.node[number].kind == UNSEEN_PASS) {
        if (unseen_is_stack_slot(&unseen->instr[instr], &offset))
            unseen->is_seen[instr] = true;
        return 0;
    }
    const bool guarded = unseen->graph.node[number].kind == UNSEEN_GUARDED;
    bring(unseen, warp, mask, number, guarded);
    *before = unseen->list_count;
    go_on(unseen, warp, number, guarded ? mask | lanes_at(warp, warp->live, number) : mask);
    return unseen->list_count;
}

size_t gmtrace_unseen_end(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t mask)
{
    unseen->list_count = 0;
    mask &= warp->live;
    bring(unseen, warp, mask, UNSEEN_END, false);
    warp->live &= ~mask;
    return unseen->list_count;
}

const gmtrace_unseen_access *gmtrace_unseen_list(const gmtrace_unseen *unseen)
{
    return unseen->list;
}

bool gmtrace_unseen_is_slot(const gmtrace_unseen *unseen, uint32_t instr)
{
    int64_t offset;
    return instr < unseen->instr_count && unseen_is_stack_slot(&unseen->instr[instr], &offset);
}

bool gmtrace_unseen_retract(gmtrace_unseen *unseen, const gmtrace_unseen_access *access)
{
    if (!unseen->is_seen[access->instr])
        return false;
    unseen->counts.accesses--;
    unseen->counts.predicated -= unseen->instr[access->instr].predicate != GMTRACE_NO_REGISTER;
    return true;
}

/* Slots are counted from the frame's lower end, where the stack pointer stays after the prologue.
 * Its place in the window is not known and does not matter: the compiler makes a frame a multiple
 * of its widest slot (16 bytes at most), so that a slot at a multiple of its width from the frame's
 * end is at one in the window, too. */
void gmtrace_unseen_record(const gmtrace_unseen *unseen, const gmtrace_unseen_access *access,
                           gmtrace_record *record)
{
    const gmtrace_instr *instr = &unseen->instr[access->instr];
    int64_t offset = 0;
    unseen_is_stack_slot(instr, &offset);
    *record = (gmtrace_record){
        .address = (uint64_t)offset,
        .instr = access->instr,
        .mask = access->mask,
        .kind = GMTRACE_ACCESS,
        .op = instr->op_class == GMTRACE_CLASS_STORE ? GMTRACE_OP_STORE : GMTRACE_OP_LOAD,
        .space = GMTRACE_SPACE_LOCAL,
        .shape = GMTRACE_AFFINE,
        .size = instr->width,
    };
}

gmtrace_unseen_counts gmtrace_unseen_take_counts(gmtrace_unseen *unseen)
{
    const gmtrace_unseen_counts counts = unseen->counts;
    unseen->counts = (gmtrace_unseen_counts){0};
    return counts;
}
