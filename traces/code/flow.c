/* SPDX-License-Identifier: MIT
 *
 * flow.c - what the instructions of a table of SASS do with control.
 */
#include "traces/code/graph.h"

#include <stdlib.h>
#include <string.h>

bool gmt_transfers(const gmtrace_instr *instr)
{
    const bool never = instr->predicate == 7 && instr->predicate_negated; /* @!PT */
    return !never &&
           (instr->op_class == GMTRACE_CLASS_BRANCH || instr->op_class == GMTRACE_CLASS_CALL ||
            instr->op_class == GMTRACE_CLASS_RETURN || instr->op_class == GMTRACE_CLASS_EXIT);
}

bool gmt_has_condition(const gmtrace_instr *branch)
{
    if (branch->op_class == GMTRACE_CLASS_EXIT) /* "EXIT !P1" */
        return branch->operands && branch->operands[0];
    return strchr(branch->operands, ',') != NULL || gmt_has_prefix(branch->opcode, "BRA.DIV") ||
           gmt_has_prefix(branch->opcode, "BRA.CONV");
}

bool gmt_may_fall(const gmtrace_instr *instr)
{
    if (!gmt_transfers(instr) || instr->predicate != GMTRACE_NO_REGISTER)
        return true;
    if (instr->op_class == GMTRACE_CLASS_EXIT)
        return gmt_has_condition(instr);
    if (instr->op_class == GMTRACE_CLASS_BRANCH)
        return instr->target != GMTRACE_NO_INSTR && gmt_has_condition(instr);
    return instr->op_class == GMTRACE_CLASS_CALL && instr->target == GMTRACE_NO_INSTR;
}

/* The table's targets: places that only an indirect jump can lead to, places behind calls, and at
 * 2 * count + i the own target of instruction i. */
typedef struct targets {
    uint32_t *list, orphans, calls;
} targets;

static void find_targets(targets *t, const gmtrace_instr *instr, uint32_t count, bool *is_target)
{
    for (uint32_t i = 0; i < count; i++)
        if (instr[i].target < count)
            is_target[instr[i].target] = true;
    for (uint32_t i = 0; i < count; i++) {
        t->list[2 * (size_t)count + i] = instr[i].target;
        if (i + 1 == count)
            break;
        const bool calls = instr[i].op_class == GMTRACE_CLASS_CALL;
        if (calls)
            t->list[count + t->calls++] = i + 1;
        else if (!is_target[i + 1] && !gmt_may_fall(&instr[i]) &&
                 strcmp(instr[i + 1].opcode, "NOP") != 0)
            t->list[t->orphans++] = i + 1;
    }
}

static gmt_flow flow_of(const gmtrace_instr *instr, uint32_t i, uint32_t count, const targets *t)
{
    const gmtrace_instr *self = &instr[i];
    const bool known = self->target < count;
    gmt_flow flow = {.may_fall = gmt_may_fall(self)};
    if (!gmt_transfers(self))
        return flow;
    switch (self->op_class) {
    case GMTRACE_CLASS_EXIT:
        flow.transfer = GMT_LEAVES;
        return flow;
    case GMTRACE_CLASS_RETURN:
        flow.transfer = GMT_RETURNS;
        flow.first = count;
        flow.count = t->calls;
        return flow;
    case GMTRACE_CLASS_CALL:
        flow.transfer = known ? GMT_CALLS : GMT_GOES_ON;
        break;
    default:
        flow.transfer = GMT_JUMPS;
    }
    flow.first = known ? 2 * count + i : 0;
    flow.count = known ? 1 : (flow.transfer == GMT_JUMPS ? t->orphans : 0);
    return flow;
}

bool gmt_graph_of_code(gmt_graph *graph, const gmtrace_instr *instr, uint32_t count,
                       const bool *alone)
{
    memset(graph, 0, sizeof *graph);
    if (count > UINT32_MAX / 3)
        return false;
    targets t = {.list = malloc((3 * (size_t)count + 1) * sizeof *t.list)};
    gmt_flow *flow = malloc((count + (size_t)1) * sizeof *flow);
    bool *is_target = calloc(count + (size_t)1, sizeof *is_target);
    bool good = t.list && flow && is_target;
    if (good)
        find_targets(&t, instr, count, is_target);
    for (uint32_t i = 0; good && i < count; i++) {
        flow[i] = flow_of(instr, i, count, &t);
        flow[i].alone = alone[i];
    }
    good = good && gmt_graph_build(graph, flow, count, t.list);
    free(t.list);
    free(flow);
    free(is_target);
    return good;
}
