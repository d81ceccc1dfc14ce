/* SPDX-License-Identifier: MIT
 *
 * unseen.c - follows each lane of a warp from record to record along the shortest path.
 *
 * A lane stands before a block of the code: what comes next there is not known yet. When a record
 * arrives its lanes walk to its block, those with the longest way first, so that lanes that meet on
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

#include "traces/code/graph.h"

/* What a block is to a lane. All but those passed are one instruction. */
typedef enum unseen_kind {
    UNSEEN_PASS,      /* nothing to wait for happens there */
    UNSEEN_WAIT,      /* lanes may meet, or a record may be made: barriers, BSYNC ... */
    UNSEEN_RECORDED,  /* a memory instruction, or a call, that is always recorded */
    UNSEEN_GUARDED,   /* the same under a predicate: recorded for some lanes or none */
    UNSEEN_SPLIT,     /* several ways to go on */
    UNSEEN_CAN_LEAVE, /* EXIT, under a predicate or not */
} unseen_kind;

#define MAX_ROUTES 65536u /* remembered; a power of two */

/* The first edge of the shortest way between two blocks; number block_count stands for the end. */
typedef struct route {
    uint32_t from, to; /* from GMT_NO_BLOCK: an empty slot */
    uint32_t edge;     /* GMT_NO_BLOCK where there is no way */
    uint32_t distance;
    bool ambiguous;
} route;

/* A block during the search. */
typedef struct mark {
    uint32_t search; /* which search wrote it */
    uint32_t distance, from, edge;
    uint64_t accesses; /* hash of the accesses on the way */
    bool settled, ambiguous;
} mark;

struct gmtrace_unseen {
    const gmtrace_instr *instr;
    uint32_t instr_count;
    bool calls; /* are recorded */
    gmt_graph graph;
    uint8_t *kind; /* by block: unseen_kind */
    bool *is_slot; /* by instruction */
    bool *is_seen; /* by instruction: the capture reported it after all */
    route *route;
    uint32_t route_count;
    mark *mark;
    uint32_t *open; /* blocks reached and not settled */
    uint32_t search;
    gmtrace_unseen_access *list;
    size_t list_count, list_room;
    gmtrace_unseen_counts counts;
};

/* Is it a local access at a constant distance from the stack pointer? */
static bool is_stack_slot(const gmtrace_instr *instr, int64_t *offset)
{
    if (instr->space != GMTRACE_SPACE_LOCAL || instr->width == 0 ||
        (instr->op_class != GMTRACE_CLASS_LOAD && instr->op_class != GMTRACE_CLASS_STORE))
        return false;
    const char *text = strstr(instr->operands, "[R1");
    if (!text)
        return false;
    text += 3;
    char *end = (char *)(uintptr_t)text;
    *offset = 0;
    if (*text == '+' && (text[1] == '-' || text[1] == '0'))
        *offset = strtoll(text + 1, &end, 0);
    return *end == ']';
}

static unseen_kind kind_of(const gmtrace_instr *instr, bool is_slot, bool calls)
{
    const bool guarded = instr->predicate != GMTRACE_NO_REGISTER;
    switch (instr->op_class) {
    case GMTRACE_CLASS_LOAD:
    case GMTRACE_CLASS_STORE:
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_REDUCTION:
    case GMTRACE_CLASS_COPY_ASYNC:
        if (instr->space == GMTRACE_SPACE_CONSTANT || instr->space == GMTRACE_SPACE_NONE || is_slot)
            return UNSEEN_PASS;
        return guarded ? UNSEEN_GUARDED : UNSEEN_RECORDED;
    case GMTRACE_CLASS_BULK:
    case GMTRACE_CLASS_BARRIER:
    case GMTRACE_CLASS_FENCE:
        return UNSEEN_WAIT;
    case GMTRACE_CLASS_RECONVERGE:
        return gmt_has_prefix(instr->opcode, "BSYNC") || gmt_has_prefix(instr->opcode, "WARPSYNC")
                   ? UNSEEN_WAIT
                   : UNSEEN_PASS;
    case GMTRACE_CLASS_CALL:
        if (calls)
            return guarded ? UNSEEN_GUARDED : UNSEEN_RECORDED;
        /* fall through */
    case GMTRACE_CLASS_BRANCH:
        return instr->target != GMTRACE_NO_INSTR && !gmt_may_fall(instr) ? UNSEEN_PASS
                                                                         : UNSEEN_SPLIT;
    case GMTRACE_CLASS_RETURN:
        return UNSEEN_SPLIT;
    case GMTRACE_CLASS_EXIT:
        return UNSEEN_CAN_LEAVE;
    default:
        return gmt_has_prefix(instr->opcode, "SYNCS") || strstr(instr->opcode, "GMMA")
                   ? UNSEEN_WAIT
                   : UNSEEN_PASS;
    }
}

static bool make_graph(gmtrace_unseen *u)
{
    bool *alone = malloc(u->instr_count * sizeof *alone);
    for (uint32_t i = 0; alone && i < u->instr_count; i++)
        alone[i] = kind_of(&u->instr[i], u->is_slot[i], u->calls) != UNSEEN_PASS;
    const bool good = alone && gmt_graph_of_code(&u->graph, u->instr, u->instr_count, alone);
    free(alone);
    u->kind = good ? calloc(u->graph.block_count + (size_t)1, sizeof *u->kind) : NULL;
    for (uint32_t b = 0; u->kind && b < u->graph.block_count; b++) {
        const uint32_t first = u->graph.block[b].first;
        u->kind[b] = (uint8_t)kind_of(&u->instr[first], u->is_slot[first], u->calls);
        if (u->graph.block[b].count > 1)
            u->kind[b] = UNSEEN_PASS;
    }
    return u->kind != NULL;
}

bool gmtrace_unseen_create(const gmtrace_instr *instr, uint32_t count, gmtrace_detail detail,
                           gmtrace_unseen **unseen)
{
    uint32_t slots = 0;
    int64_t offset;
    *unseen = NULL;
    for (uint32_t i = 0; i < count; i++)
        slots += is_stack_slot(&instr[i], &offset);
    if (slots == 0)
        return true;
    gmtrace_unseen *made = calloc(1, sizeof *made);
    if (!made)
        return false;
    made->instr = instr;
    made->instr_count = count;
    made->calls = detail == GMTRACE_DETAIL_CALLS;
    made->is_slot = calloc(count, sizeof *made->is_slot);
    for (uint32_t i = 0; made->is_slot && i < count; i++)
        made->is_slot[i] = is_stack_slot(&instr[i], &offset);
    if (made->is_slot && make_graph(made)) {
        made->is_seen = calloc(count, sizeof *made->is_seen);
        made->route = malloc(MAX_ROUTES * sizeof *made->route);
        made->mark = calloc(made->graph.block_count + (size_t)1, sizeof *made->mark);
        made->open = calloc(made->graph.block_count + (size_t)1, sizeof *made->open);
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
    gmt_graph_free(&unseen->graph);
    free(unseen->kind);
    free(unseen->is_slot);
    free(unseen->is_seen);
    free(unseen->route);
    free(unseen->mark);
    free(unseen->open);
    free(unseen->list);
    free(unseen);
}

/* -------------------------------------------------------------------------------------- routes */

static uint32_t end_of(const gmtrace_unseen *u, uint32_t edge)
{
    const uint32_t to = u->graph.edge[edge].to;
    return to == GMT_OUT ? u->graph.block_count : to;
}

static void reach(gmtrace_unseen *u, uint32_t *open_count, uint32_t from, uint32_t edge)
{
    const gmt_block *block = &u->graph.block[from];
    const uint32_t to = end_of(u, edge);
    mark *start = &u->mark[from], *end = &u->mark[to];
    uint64_t accesses = start->accesses;
    for (uint32_t i = block->first; i < block->first + block->count; i++)
        if (u->is_slot[i])
            accesses = (accesses ^ i) * 0x9e3779b97f4a7c15u + 1;
    if (end->search != u->search) {
        *end = (mark){.search = u->search, .distance = UINT32_MAX, .accesses = accesses};
        u->open[(*open_count)++] = to;
    }
    end->ambiguous |= end->accesses != accesses;
    if (!end->settled && start->distance + block->count < end->distance) {
        end->distance = start->distance + block->count;
        end->from = from;
        end->edge = edge;
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
        if (n == to || n == u->graph.block_count ||
            (u->kind[n] == UNSEEN_RECORDED && !through_records))
            continue;
        for (uint32_t e = 0; e < u->graph.block[n].edge_count; e++)
            reach(u, &open_count, n, u->graph.block[n].edge + e);
    }
    route found = {.from = from, .to = to, .edge = GMT_NO_BLOCK};
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
    for (; u->route[slot].from != GMT_NO_BLOCK; slot = (slot + 1) & (MAX_ROUTES - 1))
        if (u->route[slot].from == from && u->route[slot].to == to)
            return &u->route[slot];
    route found = search(u, from, to, false);
    if (found.edge == GMT_NO_BLOCK) /* some instruction was not recorded that should have been */
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
    if (u->list_count == u->list_room) {
        size_t room = u->list_room ? u->list_room * 2 : 256;
        gmtrace_unseen_access *grown = realloc(u->list, room * sizeof *grown);
        if (!grown) {
            u->counts.dropped++;
            return;
        }
        u->list = grown;
        u->list_room = room;
    }
    u->list[u->list_count++] = (gmtrace_unseen_access){.instr = instr, .mask = mask};
    u->counts.accesses++;
    u->counts.predicated += u->instr[instr].predicate != GMTRACE_NO_REGISTER;
}

/* Over a block, out by that edge. */
static void cross(gmtrace_unseen *u, gmtrace_unseen_warp *warp, uint32_t number, uint32_t edge,
                  uint32_t lanes)
{
    const gmt_block *block = &u->graph.block[number];
    for (uint32_t i = block->first; i < block->first + block->count; i++)
        if (u->is_slot[i])
            add_access(u, i, lanes);
    put(warp, lanes, end_of(u, edge));
}

/* From a block that has been dealt with, as far as there is one way. */
static void go_on(gmtrace_unseen *u, gmtrace_unseen_warp *warp, uint32_t number, uint32_t lanes)
{
    uint32_t limit = u->graph.block_count; /* an endless loop without records ends the warp's way */
    do {
        const gmt_block *here = &u->graph.block[number];
        if (here->edge_count != 1)
            return;
        cross(u, warp, number, here->edge, lanes);
        number = end_of(u, here->edge);
    } while (number < u->graph.block_count && u->kind[number] == UNSEEN_PASS && limit--);
}

/* Brings `lanes` to the block. `guarded`: the record there has the lanes of its predicate alone. */
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
            if (r->edge == GMT_NO_BLOCK) {
                u->counts.lost++;
                put(warp, lanes_at(warp, lanes, from), to);
            } else if (!longest || r->distance > longest->distance) {
                longest = r;
            }
        }
        if (!longest)
            return;
        const uint32_t from = longest->from;
        const bool fork = u->graph.block[from].edge_count != 1;
        const bool together = u->kind[from] != UNSEEN_CAN_LEAVE && (!fork || guarded);
        u->counts.ambiguous += longest->ambiguous && fork;
        cross(u, warp, from, longest->edge, lanes_at(warp, together ? warp->live : lanes, from));
    }
}

size_t gmtrace_unseen_enter(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t live)
{
    unseen->list_count = 0;
    warp->live = live;
    memset(warp->at, 0, sizeof warp->at);
    if (unseen->kind[0] == UNSEEN_PASS)
        go_on(unseen, warp, 0, live);
    return unseen->list_count;
}

size_t gmtrace_unseen_step(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t instr,
                           uint32_t mask, size_t *before)
{
    unseen->list_count = 0;
    *before = 0;
    mask &= warp->live;
    if (instr >= unseen->instr_count || !mask)
        return 0;
    const uint32_t number = unseen->graph.block_of[instr];
    if (unseen->kind[number] == UNSEEN_PASS) {
        unseen->is_seen[instr] |= unseen->is_slot[instr];
        return 0;
    }
    const bool guarded = unseen->kind[number] == UNSEEN_GUARDED;
    bring(unseen, warp, mask, number, guarded);
    *before = unseen->list_count;
    go_on(unseen, warp, number, guarded ? mask | lanes_at(warp, warp->live, number) : mask);
    return unseen->list_count;
}

size_t gmtrace_unseen_reach(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t instr,
                            uint32_t mask)
{
    unseen->list_count = 0;
    mask &= warp->live;
    if (!gmtrace_unseen_is_slot(unseen, instr) || !mask)
        return 0;
    const uint32_t number = unseen->graph.block_of[instr];
    bring(unseen, warp, mask, number, false);
    go_on(unseen, warp, number, mask);
    return unseen->list_count;
}

size_t gmtrace_unseen_end(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t mask)
{
    unseen->list_count = 0;
    mask &= warp->live;
    bring(unseen, warp, mask, unseen->graph.block_count, false);
    warp->live &= ~mask;
    return unseen->list_count;
}

const gmtrace_unseen_access *gmtrace_unseen_list(const gmtrace_unseen *unseen)
{
    return unseen->list;
}

bool gmtrace_unseen_is_slot(const gmtrace_unseen *unseen, uint32_t instr)
{
    return instr < unseen->instr_count && unseen->is_slot[instr];
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
    is_stack_slot(instr, &offset);
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
