/* SPDX-License-Identifier: MIT
 *
 * cfg.c - the control flow of a function's operations, and where the lanes that a branch parts meet
 * again.
 */
#include "traces/ptx/image.h"

#include <stdlib.h>

static gmt_transfer transfer_of(const ptx_op *op)
{
    switch ((ptx_control)op->control) {
    case CONTROL_BRANCH:
    case CONTROL_BRANCH_INDEX:
        return GMT_JUMPS;
    case CONTROL_BRANCH_RETURN:
    case CONTROL_RETURN:
    case CONTROL_EXIT:
        return GMT_LEAVES;
    case CONTROL_TRAP:
    case CONTROL_CALL_ASSERT:
        return GMT_TRAPS;
    default:
        return GMT_GOES_ON;
    }
}

static uint32_t target_count(const ptx_op *op)
{
    return op->control == CONTROL_BRANCH ? 1 : op->control == CONTROL_BRANCH_INDEX ? op->count : 0;
}

bool gmptx_build_graph(const ptx_kernel *kernel, uint32_t first, uint32_t count, gmt_graph *graph)
{
    const ptx_op *ops = &kernel->op[first];
    size_t targets = 0;
    for (uint32_t i = 0; i < count; i++)
        targets += target_count(&ops[i]);
    *graph = (gmt_graph){0};
    gmt_flow *flow = targets < UINT32_MAX ? calloc(count + (size_t)1, sizeof *flow) : NULL;
    uint32_t *target = malloc((targets + 1) * sizeof *target), used = 0;
    for (uint32_t i = 0; flow && target && i < count; i++) {
        const ptx_op *op = &ops[i];
        flow[i] = (gmt_flow){.first = used,
                             .count = target_count(op),
                             .transfer = (uint8_t)transfer_of(op),
                             .may_fall = op->guard != REF_NONE};
        for (uint32_t t = 0; t < flow[i].count; t++)
            target[used++] =
                (op->control == CONTROL_BRANCH ? op->target : kernel->target[op->first + t]) -
                first;
    }
    const bool good = flow && target && gmt_graph_build(graph, flow, count, target);
    free(flow);
    free(target);
    return good;
}

bool gmptx_find_reconvergence(ptx_kernel *kernel, uint32_t first, const gmt_graph *graph)
{
    uint32_t *meet = malloc((graph->block_count + (size_t)1) * sizeof *meet);
    const bool good = meet && gmt_graph_meets(graph, meet);
    for (uint32_t b = 0; good && b < graph->block_count; b++) {
        const gmt_block *block = &graph->block[b];
        kernel->op[first + block->first + block->count - 1].reconverge =
            meet[b] == GMT_NO_BLOCK ? PTX_UNKNOWN : first + graph->block[meet[b]].first;
    }
    free(meet);
    return good;
}
