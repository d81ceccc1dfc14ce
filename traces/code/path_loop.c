/* SPDX-License-Identifier: MIT
 *
 * path_loop.c - how often loops run in which nothing is recorded. The constants that are known
 * before the loop are carried through it, round by round, until the branch at its end falls
 * through. What is known: what the way itself sets, and of registers that it does not write the
 * nearest constant above it in the code, unless a loop around both writes them. A loop may be left
 * from its middle: the way then has only what leads there, and the rest, from there back to the
 * loop's head, is looked for. Left out: loops whose end depends on anything else; they run once.
 */
#include "traces/code/path_loop.h"

#include "traces/code/path_const.h"
#include "traces/format/grow.h"

#include <stdlib.h>
#include <string.h>

/* Instructions interpreted for the loops of one kernel. What a few bytes of code can ask for is
 * bounded so; kernels of programs need some hundreds. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define MAX_WORK (1u << 12)
#else
#define MAX_WORK (1u << 22)
#endif

/* Of that, what may go into loops that are left from their middle; what looking for the rest of one
 * counts as; and blocks of a way with them. */
#define LEFT_WORK   (MAX_WORK / 2u)
#define SEARCH_WORK 1024u
#define MAX_BLOCKS  (1u << 15)

/* A loop on a way: from block to block, as indices of the way. */
typedef struct crossed {
    uint32_t first, last, times;
    bool jumps_out; /* the branch at its end, where taken, leads out of it, not back */
} crossed;

/* A way as it is unrolled: with what the rounds of loops execute that are left from their middle.
 */
typedef struct unrolled {
    uint32_t *block;
    uint32_t count;
    crossed *loop;
    uint32_t loops;
} unrolled;

/* A way crosses a loop where it leaves a block that could have led back to one before it on the
 * way, having entered there from outside. Returns where on the way the loop begins, PATH_NONE
 * where the block ends no loop. */
static uint32_t loop_start(const path_graph *graph, path_place from, const uint32_t *way,
                           uint32_t last)
{
    const gmt_block *block = &graph->flow.block[way[last]];
    for (uint32_t e = 0; e < block->edge_count; e++) {
        const gmt_edge *edge = &graph->flow.edge[block->edge + e];
        if (edge->kind != GMT_JUMPS || edge->to > way[last])
            continue;
        for (uint32_t i = last + 1; i-- > 0;) {
            if (way[i] != edge->to)
                continue;
            const uint32_t before = i ? way[i - 1] : from.block;
            const bool inside = before >= edge->to && before <= way[last];
            return inside ? PATH_NONE : i;
        }
    }
    return PATH_NONE;
}

static void forget_all(path_const *state, const gmtrace_instr *instr, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        path_const_forget(state, &instr[i]);
}

/* Constants above the way in the code. `bottom`, `top`: instructions of the loop. */
static void look_above(const path_graph *graph, path_const *state, uint32_t above, uint32_t top,
                       uint32_t bottom)
{
    const gmtrace_instr *instr = graph->instr;
    uint32_t outer = UINT32_MAX; /* the outermost loop around begins and ends here */
    uint32_t outer_end = 0;
    for (uint32_t b = 0; b < graph->flow.block_count; b++)
        for (uint32_t e = 0; e < graph->flow.block[b].edge_count; e++) {
            const gmt_edge *edge = &graph->flow.edge[graph->flow.block[b].edge + e];
            const uint32_t end = graph->flow.block[b].first + graph->flow.block[b].count;
            if (edge->kind != GMT_JUMPS || edge->to > b || end <= bottom + 1 ||
                graph->flow.block[edge->to].first > top)
                continue;
            outer = graph->flow.block[edge->to].first < outer ? graph->flow.block[edge->to].first
                                                              : outer;
            outer_end = end > outer_end ? end : outer_end;
        }
    for (uint32_t i = 0; i < above; i++) {
        if (i == outer) { /* nothing from before it that is written in it, but by the loop itself */
            forget_all(state, instr, outer, top);
            forget_all(state, instr, bottom + 1, outer_end);
        }
        if (path_const_is_move(&instr[i]))
            path_const_run(state, NULL, &instr[i]);
        else
            path_const_forget(state, &instr[i]);
    }
}

/* How often the last of the way's loops runs. The branch at its end was there on the way before
 * where it jumps out: what it did then counts, too. */
static uint32_t rounds(const path_graph *graph, path_place from, const unrolled *way,
                       const crossed *loop, uint32_t *work)
{
    struct {
        path_const state;
        path_kept_steps kept;
    } *run = calloc(1, sizeof *run);
    if (!run)
        return 1;
    path_const *state = &run->state;
    const gmt_block *last = &graph->flow.block[way->block[loop->last]];
    const uint32_t bottom = last->first + last->count - 1;
    const gmtrace_instr *branch = &graph->instr[bottom];
    const uint32_t above = from.block == PATH_NONE ? 0
                                                   : graph->flow.block[from.block].first +
                                                         graph->flow.block[from.block].count;
    look_above(graph, state, above, graph->flow.block[way->block[loop->first]].first, bottom);
    uint32_t result = loop->jumps_out ? 0 : 1, count = 0;
    *work += above / 16; /* less is done with those */
    for (uint32_t i = 0; i <= loop->last; i++) {
        const gmt_block *b = &graph->flow.block[way->block[i]];
        for (uint32_t n = 0; n < b->count; n++)
            path_const_run(state, &run->kept, &graph->instr[b->first + n]);
        *work += b->count;
        for (uint32_t k = 0; k < way->loops; k++)
            if (way->loop[k].last == i && way->loop[k].times > 1)
                forget_all(state, graph->instr,
                           graph->flow.block[way->block[way->loop[k].first]].first,
                           b->first + b->count);
        if (i < loop->last && !(loop->jumps_out && i + 1 == loop->first))
            continue;
        count += i == loop->last;
        const int taken = path_const_guard(state, branch);
        if (taken == loop->jumps_out)
            result = count;
        if (taken != !loop->jumps_out || *work >= MAX_WORK)
            break;
        i = loop->first - 1;
    }
    free(run);
    return result;
}

static bool append(unrolled *way, uint32_t block)
{
    if (!GMT_GROW(way->block, way->count))
        return false;
    way->block[way->count++] = block;
    return true;
}

static bool append_loop(unrolled *way, crossed loop)
{
    if (!GMT_GROW(way->loop, way->loops))
        return false;
    way->loop[way->loops++] = loop;
    return true;
}

/* Could the way, which goes on from its last block to `next`, have gone round a loop instead that
 * it is in and leaves so? Returns where on the way that loop begins, PATH_NONE if there is none;
 * *tail is its last block. */
static uint32_t left_loop(const path_graph *graph, path_place from, const unrolled *way,
                          uint32_t next, uint32_t *tail, uint32_t *work)
{
    const uint32_t at = way->block[way->count - 1];
    const path_block *own = &graph->block[at];
    if (own->predicate >= 7 || own->falls_anyway || own->unlikely)
        return PATH_NONE;
    for (uint32_t t = at + 1; t < graph->flow.block_count && (next <= at || t < next); t++) {
        const gmt_block *block = &graph->flow.block[t];
        *work += t % 16 == 0;
        if (*work >= LEFT_WORK)
            return PATH_NONE;
        for (uint32_t e = 0; e < block->edge_count; e++) {
            const gmt_edge *edge = &graph->flow.edge[block->edge + e];
            if (edge->kind != GMT_JUMPS || edge->to > at || (next >= edge->to && next <= t))
                continue;
            for (uint32_t i = way->count;
                 i-- > 0 && way->block[i] >= edge->to && way->block[i] <= t;) {
                const uint32_t before = i ? way->block[i - 1] : from.block;
                *work += i % 16 == 0;
                *tail = t;
                if (way->block[i] == edge->to && !(before >= edge->to && before <= t))
                    return i;
            }
        }
    }
    return PATH_NONE;
}

/* The way has just left a loop from its middle, at its last block, for `next`: appends what the
 * rounds before execute, the rest of the loop and again what leads to this block. */
static bool add_rounds(const path_graph *graph, path_search *search, path_place from, unrolled *way,
                       uint32_t next, uint32_t *work)
{
    uint32_t tail;
    const uint32_t exit = way->count - 1, loops = way->loops;
    const uint32_t head = left_loop(graph, from, way, next, &tail, work);
    if (head == PATH_NONE)
        return true;
    const path_block *own = &graph->block[way->block[exit]];
    const bool jumps_out = next != way->block[exit] + 1u;
    path_place stays = {.block = way->block[exit]};
    stays.facts.known = (uint8_t)(1u << own->predicate);
    stays.facts.value = own->value != jumps_out ? stays.facts.known : 0;
    *work += SEARCH_WORK;
    const path_way rest = path_search_find(search, stays, way->block[head], false);
    bool done = true,
         inside = rest.found && !rest.lost && way->count + rest.count + (exit - head) < MAX_BLOCKS;
    for (uint32_t i = 0; i < rest.count && inside; i++)
        inside = rest.block[i] > way->block[head] && rest.block[i] <= tail;
    if (!inside)
        return true;
    for (uint32_t i = 0; i < rest.count && done; i++)
        done = append(way, rest.block[i]);
    const uint32_t again = way->count;
    for (uint32_t i = head; i <= exit && done; i++)
        done = append(way, way->block[i]);
    for (uint32_t k = 0; k < loops && done; k++)
        if (way->loop[k].first >= head)
            done = append_loop(way, (crossed){.first = way->loop[k].first - head + again,
                                              .last = way->loop[k].last - head + again,
                                              .times = way->loop[k].times});
    if (!done)
        return false;
    crossed loop = {.first = exit + 1u, .last = way->count - 1u, .jumps_out = jumps_out};
    loop.times = rounds(graph, from, way, &loop, work);
    if (loop.times)
        return append_loop(way, loop);
    way->count = exit + 1u;
    way->loops = loops;
    return true;
}

static bool follow(const path_graph *graph, path_search *search, path_place from,
                   const path_way *way, const uint32_t *block, unrolled *made, uint32_t *work)
{
    for (uint32_t i = 0; i < way->count; i++) {
        if (!append(made, block[i]))
            return false;
        const uint32_t last = made->count - 1;
        crossed loop = {.first = loop_start(graph, from, made->block, last), .last = last};
        if (loop.first != PATH_NONE) {
            loop.times = *work < MAX_WORK ? rounds(graph, from, made, &loop, work) : 1;
            if (!append_loop(made, loop))
                return false;
        } else if (!add_rounds(graph, search, from, made,
                               i + 1 < way->count ? block[i + 1] : way->end.block, work)) {
            return false;
        }
    }
    return true;
}

bool path_unroll(const path_graph *graph, path_search *search, path_place from, const path_way *way,
                 path_list *list, uint32_t *work)
{
    unrolled made = {0};
    uint32_t *block = malloc((way->count + (size_t)1) * sizeof *block); /* searches reuse theirs */
    if (block && way->count)
        memcpy(block, way->block, way->count * sizeof *block);
    if (!block || !follow(graph, search, from, way, block, &made, work))
        list->failed = true;
    free(block);
    /* Blocks that follow each other in the same loops make one piece. */
    gmtrace_path_piece piece = {0, 0, 1};
    uint32_t innermost = PATH_NONE;
    for (uint32_t i = 0; i < made.count; i++) {
        const gmt_block *b = &graph->flow.block[made.block[i]];
        uint64_t times = 1;
        uint32_t in = PATH_NONE;
        for (uint32_t k = made.loops; k-- > 0;)
            if (i >= made.loop[k].first && i <= made.loop[k].last) {
                times *= made.loop[k].times;
                in = k;
            }
        times = times < UINT32_MAX ? times : UINT32_MAX;
        if (in == innermost && piece.times == times && piece.first + piece.count == b->first) {
            piece.count += b->count;
            continue;
        }
        path_list_add(list, piece);
        piece = (gmtrace_path_piece){b->first, b->count, (uint32_t)times};
        innermost = in;
    }
    path_list_add(list, piece);
    free(made.block);
    free(made.loop);
    return made.loops != 0;
}

uint32_t path_unroll_part(uint32_t work)
{
    return (uint32_t)(work * UINT64_C(1000) / LEFT_WORK);
}
