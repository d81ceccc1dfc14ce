/* SPDX-License-Identifier: MIT
 *
 * unseen_graph.c - control flow from the instruction table. Calls are followed to static targets
 * and a return may lead behind any call. Left out: indirect branches, which lead nowhere here.
 */
#include "traces/code/unseen_graph.h"

#include <stdlib.h>
#include <string.h>

#define NONE GMTRACE_NO_INSTR

bool unseen_is_stack_slot(const gmtrace_instr *instr, int64_t *offset)
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

static bool is_guarded(const gmtrace_instr *instr)
{
    return instr->predicate != GMTRACE_NO_REGISTER;
}

static bool has_prefix(const gmtrace_instr *instr, const char *prefix)
{
    return strncmp(instr->opcode, prefix, strlen(prefix)) == 0;
}

/* BRA's plain form has the target as its only operand; others add a predicate or a mask. */
static bool is_jump(const gmtrace_instr *instr)
{
    return instr->op_class == GMTRACE_CLASS_BRANCH && !is_guarded(instr) && instr->target != NONE &&
           !strchr(instr->operands, ',') && !has_prefix(instr, "BRA.DIV");
}

static bool is_plain_call(const gmtrace_instr *instr)
{
    return instr->op_class == GMTRACE_CLASS_CALL && !is_guarded(instr) && instr->target != NONE;
}

static unseen_kind kind_of(const gmtrace_instr *instr, bool is_target)
{
    int64_t offset;
    switch (instr->op_class) {
    case GMTRACE_CLASS_LOAD:
    case GMTRACE_CLASS_STORE:
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_REDUCTION:
    case GMTRACE_CLASS_COPY_ASYNC:
        if (instr->space == GMTRACE_SPACE_CONSTANT || instr->space == GMTRACE_SPACE_NONE ||
            unseen_is_stack_slot(instr, &offset))
            break;
        return is_guarded(instr) ? UNSEEN_GUARDED : UNSEEN_RECORDED;
    case GMTRACE_CLASS_BULK:
    case GMTRACE_CLASS_BARRIER:
    case GMTRACE_CLASS_FENCE:
        return UNSEEN_WAIT;
    case GMTRACE_CLASS_RECONVERGE:
        if (has_prefix(instr, "BSYNC") || has_prefix(instr, "WARPSYNC"))
            return UNSEEN_WAIT;
        break;
    case GMTRACE_CLASS_BRANCH:
        if (!is_jump(instr))
            return UNSEEN_SPLIT;
        break;
    case GMTRACE_CLASS_CALL:
        if (!is_plain_call(instr))
            return UNSEEN_SPLIT;
        break;
    case GMTRACE_CLASS_RETURN:
        return UNSEEN_SPLIT;
    case GMTRACE_CLASS_EXIT:
        return UNSEEN_CAN_LEAVE;
    default:
        if (has_prefix(instr, "SYNCS") || strstr(instr->opcode, "GMMA"))
            return UNSEEN_WAIT;
    }
    return is_target ? UNSEEN_PASS : UNSEEN_KINDS;
}

static bool grow(void *array, uint32_t *room, uint32_t count, size_t size)
{
    if (count < *room)
        return true;
    uint32_t larger = *room ? *room * 2 : 256;
    void *grown = realloc(*(void **)array, larger * size);
    if (!grown)
        return false;
    *(void **)array = grown;
    *room = larger;
    return true;
}

/* Adds the edge that goes on at instruction `at`, up to the next node. A node where nothing
 * happens begins at its own instruction. */
static bool add_edge(unseen_graph *graph, uint32_t node, const gmtrace_instr *instr, uint32_t count,
                     uint32_t at)
{
    unseen_edge edge = {.to = UNSEEN_NO_NODE, .first = graph->access_count};
    const bool own = graph->node[node].kind == UNSEEN_PASS && node > UNSEEN_END;
    for (; at < count && edge.steps < count; edge.steps++) {
        int64_t offset;
        if (graph->node_of[at] != UNSEEN_NO_NODE && !(own && edge.steps == 0)) {
            edge.to = graph->node_of[at];
            break;
        }
        if (unseen_is_stack_slot(&instr[at], &offset)) {
            if (!grow(&graph->access, &graph->access_room, graph->access_count,
                      sizeof *graph->access))
                return false;
            graph->access[graph->access_count++] = at;
            edge.count++;
        }
        at = is_jump(&instr[at]) || is_plain_call(&instr[at]) ? instr[at].target : at + 1;
    }
    if (edge.to == UNSEEN_NO_NODE) {
        graph->access_count = edge.first;
        return true;
    }
    if (!grow(&graph->edge, &graph->edge_room, graph->edge_count, sizeof *graph->edge))
        return false;
    edge.steps++;
    graph->edge[graph->edge_count++] = edge;
    graph->node[node].count++;
    return true;
}

static bool add_returns(unseen_graph *graph, uint32_t node, const gmtrace_instr *instr,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (instr[i].op_class == GMTRACE_CLASS_CALL && !add_edge(graph, node, instr, count, i + 1))
            return false;
    return true;
}

static bool add_edges(unseen_graph *graph, uint32_t number, const gmtrace_instr *instr,
                      uint32_t count)
{
    unseen_node *node = &graph->node[number];
    node->first = graph->edge_count;
    if (number == UNSEEN_END)
        return true;
    if (number == UNSEEN_ENTRY)
        return add_edge(graph, number, instr, count, 0);
    const gmtrace_instr *self = &instr[node->instr];
    if (node->kind == UNSEEN_CAN_LEAVE) {
        if (!grow(&graph->edge, &graph->edge_room, graph->edge_count, sizeof *graph->edge))
            return false;
        graph->edge[graph->edge_count++] = (unseen_edge){.to = UNSEEN_END, .steps = 1};
        node->count++;
        return !is_guarded(self) || add_edge(graph, number, instr, count, node->instr + 1);
    }
    if (node->kind == UNSEEN_PASS)
        return add_edge(graph, number, instr, count, node->instr);
    if (node->kind == UNSEEN_SPLIT) {
        if (self->target != NONE && self->target < count &&
            !add_edge(graph, number, instr, count, self->target))
            return false;
        if (self->op_class == GMTRACE_CLASS_RETURN && !add_returns(graph, number, instr, count))
            return false;
        bool can_fall =
            is_guarded(self) || strchr(self->operands, ',') || has_prefix(self, "BRA.DIV");
        if (self->op_class == GMTRACE_CLASS_CALL) /* an unknown callee is stepped over */
            can_fall = is_guarded(self) || self->target == NONE;
        if (self->op_class == GMTRACE_CLASS_RETURN)
            can_fall = is_guarded(self);
        return !can_fall || add_edge(graph, number, instr, count, node->instr + 1);
    }
    return add_edge(graph, number, instr, count, node->instr + 1);
}

bool unseen_graph_build(unseen_graph *graph, const gmtrace_instr *instr, uint32_t count)
{
    memset(graph, 0, sizeof *graph);
    bool *is_target = calloc(count + (size_t)1, sizeof *is_target);
    graph->node_of = malloc((count + (size_t)1) * sizeof *graph->node_of);
    graph->node = calloc(count + (size_t)2, sizeof *graph->node);
    bool good = is_target && graph->node_of && graph->node;
    for (uint32_t i = 0; good && i < count; i++) {
        if (instr[i].target != NONE && instr[i].target < count)
            is_target[instr[i].target] = true;
        if (instr[i].op_class == GMTRACE_CLASS_CALL)
            is_target[i + 1] = true;
    }
    graph->node_count = 2;
    for (uint32_t i = 0; good && i < count; i++) {
        const unseen_kind kind = kind_of(&instr[i], is_target[i]);
        graph->node_of[i] = kind == UNSEEN_KINDS ? UNSEEN_NO_NODE : graph->node_count;
        if (kind != UNSEEN_KINDS)
            graph->node[graph->node_count++] = (unseen_node){.kind = kind, .instr = i};
    }
    if (good)
        graph->node[UNSEEN_ENTRY].instr = graph->node[UNSEEN_END].instr = NONE;
    for (uint32_t n = 0; good && n < graph->node_count; n++)
        good = add_edges(graph, n, instr, count);
    free(is_target);
    return good;
}

void unseen_graph_free(unseen_graph *graph)
{
    free(graph->node);
    free(graph->edge);
    free(graph->access);
    free(graph->node_of);
    memset(graph, 0, sizeof *graph);
}
