/* SPDX-License-Identifier: MIT
 *
 * path_loop.c - how often loops run in which nothing is recorded. The constants that are known
 * before the loop are carried through it, round by round, until the branch at its end falls
 * through. What is known: what the way itself sets, and of registers that it does not write the
 * nearest constant above it in the code, unless a loop around both writes them. Left out: loops
 * whose end depends on anything else; they run once.
 */
#include "traces/code/path_loop.h"

#include "traces/code/path_const.h"
#include "traces/format/grow.h"

/* Instructions interpreted for the loops of one kernel. What a few bytes of code can ask for is
 * bounded so; kernels of programs need some hundreds. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define MAX_WORK (1u << 12)
#else
#define MAX_WORK (1u << 22)
#endif

/* A loop on a way: from block to block, as indices of the way. */
typedef struct crossed {
    uint32_t first, last, times;
} crossed;

/* A way crosses a loop where it leaves a block that could have led back to one before it on the
 * way, having entered there from outside. Returns where on the way the loop begins, PATH_NONE
 * where the block ends no loop. */
static uint32_t loop_start(const path_graph *graph, path_place from, const path_way *way,
                           uint32_t last)
{
    const gmt_block *block = &graph->flow.block[way->block[last]];
    for (uint32_t e = 0; e < block->edge_count; e++) {
        const gmt_edge *edge = &graph->flow.edge[block->edge + e];
        if (edge->kind != GMT_JUMPS || edge->to > way->block[last])
            continue;
        for (uint32_t i = last + 1; i-- > 0;) {
            if (way->block[i] != edge->to)
                continue;
            const uint32_t before = i ? way->block[i - 1] : from.block;
            const bool inside = before >= edge->to && before <= way->block[last];
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
            path_const_run(state, &instr[i]);
        else
            path_const_forget(state, &instr[i]);
    }
}

static uint32_t rounds(const path_graph *graph, path_place from, const path_way *way,
                       const crossed *loop, const crossed *inner, uint32_t inner_count,
                       uint32_t *work)
{
    path_const *state = calloc(1, sizeof *state);
    if (!state)
        return 1;
    const gmt_block *last = &graph->flow.block[way->block[loop->last]];
    const uint32_t bottom = last->first + last->count - 1;
    const gmtrace_instr *branch = &graph->instr[bottom];
    const uint32_t above = from.block == PATH_NONE ? 0
                                                   : graph->flow.block[from.block].first +
                                                         graph->flow.block[from.block].count;
    look_above(graph, state, above, graph->flow.block[way->block[loop->first]].first, bottom);
    uint32_t result = 1, count = 0;
    *work += above / 16; /* less is done with those */
    for (uint32_t i = 0; i <= loop->last; i++) {
        const gmt_block *b = &graph->flow.block[way->block[i]];
        for (uint32_t n = 0; n < b->count; n++)
            path_const_run(state, &graph->instr[b->first + n]);
        *work += b->count;
        for (uint32_t k = 0; k < inner_count; k++)
            if (inner[k].last == i && inner[k].times > 1)
                forget_all(state, graph->instr, graph->flow.block[way->block[inner[k].first]].first,
                           b->first + b->count);
        if (i < loop->last)
            continue;
        count++;
        const int taken = path_const_guard(state, branch);
        if (taken == 0)
            result = count;
        if (taken != 1 || *work >= MAX_WORK)
            break;
        i = loop->first - 1;
    }
    free(state);
    return result;
}

bool path_unroll(const path_graph *graph, path_place from, const path_way *way, path_list *list,
                 uint32_t *work)
{
    crossed *loop = NULL;
    uint32_t loops = 0;
    for (uint32_t i = 0; i < way->count; i++) {
        const uint32_t first = loop_start(graph, from, way, i);
        if (first == PATH_NONE)
            continue;
        if (!GMT_GROW(loop, loops)) {
            list->failed = true;
            break;
        }
        loop[loops] = (crossed){.first = first, .last = i};
        loop[loops].times =
            *work < MAX_WORK ? rounds(graph, from, way, &loop[loops], loop, loops, work) : 1;
        loops++;
    }
    /* Blocks that follow each other in the same loops make one piece. */
    gmtrace_path_piece piece = {0, 0, 1};
    uint32_t innermost = PATH_NONE;
    for (uint32_t i = 0; i < way->count; i++) {
        const gmt_block *b = &graph->flow.block[way->block[i]];
        uint64_t times = 1;
        uint32_t in = PATH_NONE;
        for (uint32_t k = loops; k-- > 0;)
            if (i >= loop[k].first && i <= loop[k].last) {
                times *= loop[k].times;
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
    free(loop);
    return loops != 0;
}
