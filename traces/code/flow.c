/* SPDX-License-Identifier: MIT
 *
 * flow.c - what the instructions of a table of SASS do with control.
 */
#include "traces/code/graph.h"

#include "traces/code/jump_table.h"

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
    if (gmt_has_prefix(branch->opcode, "BRX")) /* commas part the places in its table */
        return false;
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

/* The table's targets: places that only an indirect jump can lead to, places behind calls, at
 * 2 * count + i the own target of instruction i, and at 3 * count those of tables. */
typedef struct targets {
    uint32_t *list, orphans, calls;
    gmt_jump_tables tables;
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

/* False without memory. */
static bool add_tables(targets *t, const gmtrace_instr *instr, uint32_t count)
{
    if (!gmt_jump_tables_find(&t->tables, instr, count, t->list, t->orphans))
        return false;
    const size_t own = 3 * (size_t)count, more = t->tables.first[count];
    if (own + more > UINT32_MAX)
        return false;
    uint32_t *list = realloc(t->list, (own + more + 1u) * sizeof *list);
    if (!list)
        return false;
    t->list = list;
    if (more)
        memcpy(list + own, t->tables.target, more * sizeof *list);
    return true;
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
    const uint32_t in_table = t->tables.first[i + 1u] - t->tables.first[i];
    if (!known && in_table && flow.transfer == GMT_JUMPS) {
        flow.first = 3 * count + t->tables.first[i];
        flow.count = in_table;
        return flow;
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
    targets t = {.list = calloc(3 * (size_t)count + 1, sizeof *t.list)};
    gmt_flow *flow = malloc((count + (size_t)1) * sizeof *flow);
    bool *is_target = calloc(count + (size_t)1, sizeof *is_target);
    bool good = t.list && flow && is_target;
    if (good) {
        find_targets(&t, instr, count, is_target);
        good = add_tables(&t, instr, count);
    }
    for (uint32_t i = 0; good && i < count; i++) {
        flow[i] = flow_of(instr, i, count, &t);
        flow[i].alone = alone[i];
    }
    good = good && gmt_graph_build(graph, flow, count, t.list);
    gmt_jump_tables_free(&t.tables);
    free(t.list);
    free(flow);
    free(is_target);
    return good;
}
