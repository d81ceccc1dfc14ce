/* SPDX-License-Identifier: MIT
 *
 * path_loop.c - loops in which nothing is recorded.
 */
#include "traces/path_loop.h"

/* A way crosses a loop where it leaves a block that could have led back to one before it on the
 * way. Returns where on the way the loop begins, PATH_NONE where the block ends no loop. */
static uint32_t loop_start(const path_graph *graph, const path_way *way, uint32_t last)
{
    const path_block *block = &graph->block[way->block[last]];
    for (uint32_t e = 0; e < block->edge_count; e++) {
        const path_edge *edge = &graph->edge[block->edge + e];
        if (edge->kind != PATH_PLAIN || edge->to > way->block[last])
            continue;
        for (uint32_t i = last + 1; i-- > 0;)
            if (way->block[i] == edge->to)
                return i;
    }
    return PATH_NONE;
}

bool path_unroll(const path_graph *graph, path_place from, const path_way *way, path_list *list)
{
    bool loops = false;
    (void)from;
    for (uint32_t i = 0; i < way->count; i++) {
        const path_block *b = &graph->block[way->block[i]];
        path_list_add(list, (gmtrace_path_piece){b->first, b->count, 1});
        loops |= loop_start(graph, way, i) != PATH_NONE;
    }
    return loops;
}
