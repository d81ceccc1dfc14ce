/* SPDX-License-Identifier: MIT
 *
 * cfg.c - basic blocks, and the immediate post-dominator of every branch: the place where the
 * lanes that part there meet again.
 *
 * Paths that leave the kernel early do not count, because lanes that are gone need not be waited
 * for (hardware does the same: EXIT takes lanes out of every convergence barrier). So blocks are
 * divided into regions: those from which the last `ret` can be reached, then those of the rest
 * from which the one before can, and so on, at last endless loops. A block's post-dominator is
 * looked for in its own region alone. Algorithm: Cooper, Harvey, Kennedy, "A Simple, Fast
 * Dominance Algorithm", on the reversed graph.
 */
#include "traces/ptx/image.h"

#include <stdlib.h>

static bool leaves(const ptx_op *op)
{
    return (op->control == CONTROL_RETURN || op->control == CONTROL_EXIT ||
            op->control == CONTROL_TRAP || op->control == CONTROL_CALL_ASSERT) &&
           op->guard == REF_NONE;
}

static bool ends_block(const ptx_op *op)
{
    return leaves(op) || op->control == CONTROL_BRANCH || op->control == CONTROL_BRANCH_RETURN ||
           op->control == CONTROL_BRANCH_INDEX;
}

void gmptx_free_blocks(ptx_blocks *b)
{
    free(b->start);
    free(b->block_of);
    free(b->edge_first);
    free(b->edge);
    *b = (ptx_blocks){0};
}

/* Successors of the block whose last operation is `op`, number `at`. NULL edge: only counts. */
static uint32_t successors(const ptx_kernel *kernel, const ptx_blocks *b, uint32_t first,
                           uint32_t at, uint32_t count, uint32_t *edge)
{
    const ptx_op *op = &kernel->op[first + at];
    uint32_t n = 0;
    if (op->control == CONTROL_BRANCH_INDEX)
        for (uint32_t i = 0; i < op->count; i++, n++)
            if (edge)
                edge[n] = b->block_of[kernel->target[op->first + i] - first];
    if (op->control == CONTROL_BRANCH) {
        if (edge)
            edge[n] = b->block_of[op->target - first];
        n++;
    }
    const bool falls = !leaves(op) && at + 1 < count &&
                       !((op->control == CONTROL_BRANCH || op->control == CONTROL_BRANCH_INDEX) &&
                         op->guard == REF_NONE);
    if (falls) {
        if (edge)
            edge[n] = b->block_of[at + 1];
        n++;
    }
    return n;
}

bool gmptx_find_blocks(const ptx_kernel *kernel, uint32_t first, uint32_t count, ptx_blocks *b)
{
    *b = (ptx_blocks){0};
    uint8_t *leader = calloc((size_t)count + 1, 1);
    b->block_of = calloc((size_t)count + 1, sizeof *b->block_of);
    if (!leader || !b->block_of) {
        free(leader);
        return false;
    }
    leader[0] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const ptx_op *op = &kernel->op[first + i];
        if (ends_block(op))
            leader[i + 1] = 1;
        if (op->control == CONTROL_BRANCH || op->control == CONTROL_BRANCH_RETURN)
            leader[op->target - first] = 1;
        for (uint32_t t = 0; op->control == CONTROL_BRANCH_INDEX && t < op->count; t++)
            leader[kernel->target[op->first + t] - first] = 1;
    }
    for (uint32_t i = 0; i < count; i++)
        b->count += leader[i];
    b->start = calloc((size_t)b->count + 1, sizeof *b->start);
    b->edge_first = calloc((size_t)b->count + 1, sizeof *b->edge_first);
    if (b->start && b->edge_first) {
        uint32_t block = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (leader[i])
                b->start[block++] = i;
            b->block_of[i] = block - 1;
        }
        b->start[b->count] = count;
        for (uint32_t i = 0; i < b->count; i++)
            b->edge_first[i + 1] =
                b->edge_first[i] + successors(kernel, b, first, b->start[i + 1] - 1, count, NULL);
        b->edge = calloc((size_t)b->edge_first[b->count] + 1, sizeof *b->edge);
        for (uint32_t i = 0; b->edge && i < b->count; i++)
            successors(kernel, b, first, b->start[i + 1] - 1, count, b->edge + b->edge_first[i]);
    }
    free(leader);
    return b->edge != NULL;
}

/* --------------------------------------------------------------------------------- post-dominance
 */

typedef struct search {
    const ptx_blocks *b;
    uint32_t *pred_first, *pred;
    uint32_t *region; /* its exit block, PTX_UNKNOWN: none yet */
    uint32_t *order;  /* place in the postorder of its region's reversed graph */
    uint32_t *list;   /* the region's blocks in that order */
    uint32_t *stack, *next;
    uint32_t *idom;
} search;

static bool find_predecessors(search *s)
{
    const ptx_blocks *b = s->b;
    for (uint32_t i = 0; i < b->edge_first[b->count]; i++)
        s->pred_first[b->edge[i] + 1]++;
    for (uint32_t i = 0; i < b->count; i++)
        s->pred_first[i + 1] += s->pred_first[i];
    for (uint32_t i = 0; i < b->count; i++)
        s->next[i] = s->pred_first[i];
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t e = b->edge_first[i]; e < b->edge_first[i + 1]; e++)
            s->pred[s->next[b->edge[e]]++] = i;
    return true;
}

/* Depth first over predecessors from `exit`: its region, numbered in postorder. */
static uint32_t collect(search *s, uint32_t exit)
{
    uint32_t depth = 0, count = 0;
    s->region[exit] = exit;
    s->next[exit] = s->pred_first[exit];
    s->stack[depth++] = exit;
    while (depth) {
        const uint32_t block = s->stack[depth - 1];
        if (s->next[block] < s->pred_first[block + 1]) {
            const uint32_t before = s->pred[s->next[block]++];
            if (s->region[before] == PTX_UNKNOWN) {
                s->region[before] = exit;
                s->next[before] = s->pred_first[before];
                s->stack[depth++] = before;
            }
        } else {
            s->order[block] = count;
            s->list[count++] = block;
            depth--;
        }
    }
    return count;
}

static uint32_t intersect(const search *s, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (s->order[a] < s->order[b])
            a = s->idom[a];
        while (s->order[b] < s->order[a])
            b = s->idom[b];
    }
    return a;
}

static void solve_region(search *s, uint32_t exit)
{
    const uint32_t count = collect(s, exit);
    s->idom[exit] = exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = count - 1; i-- > 0;) { /* reverse postorder; the exit is the last */
            const uint32_t block = s->list[i];
            uint32_t best = PTX_UNKNOWN;
            for (uint32_t e = s->b->edge_first[block]; e < s->b->edge_first[block + 1]; e++) {
                const uint32_t after = s->b->edge[e];
                if (s->region[after] != exit || s->idom[after] == PTX_UNKNOWN)
                    continue;
                best = best == PTX_UNKNOWN ? after : intersect(s, after, best);
            }
            if (s->idom[block] != best) {
                s->idom[block] = best;
                changed = true;
            }
        }
    }
}

static void solve(search *s, const ptx_kernel *kernel, uint32_t first)
{
    const ptx_blocks *b = s->b;
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = b->count; i-- > 0;) {
            const ptx_op *last = &kernel->op[first + b->start[i + 1] - 1];
            const bool traps =
                last->control == CONTROL_TRAP || last->control == CONTROL_CALL_ASSERT;
            const bool root = pass == 2 || (leaves(last) && traps == (pass == 1));
            if (s->region[i] == PTX_UNKNOWN && root)
                solve_region(s, i);
        }
}

bool gmptx_find_reconvergence(ptx_kernel *kernel, uint32_t first, const ptx_blocks *b)
{
    const size_t n = (size_t)b->count + 1, edges = (size_t)b->edge_first[b->count] + 1;
    uint32_t *memory = calloc(7 * n + edges, sizeof *memory);
    if (!memory)
        return false;
    search s = {.b = b,
                .pred_first = memory,
                .region = memory + n,
                .order = memory + 2 * n,
                .list = memory + 3 * n,
                .stack = memory + 4 * n,
                .next = memory + 5 * n,
                .idom = memory + 6 * n,
                .pred = memory + 7 * n};
    memset(s.region, 0xff, n * sizeof *s.region);
    memset(s.idom, 0xff, n * sizeof *s.idom);
    find_predecessors(&s);
    solve(&s, kernel, first);
    for (uint32_t i = 0; i < b->count; i++) {
        ptx_op *last = &kernel->op[first + b->start[i + 1] - 1];
        const uint32_t meet = s.idom[i];
        last->reconverge = meet == PTX_UNKNOWN || meet == i ? PTX_UNKNOWN : first + b->start[meet];
    }
    free(memory);
    return true;
}
