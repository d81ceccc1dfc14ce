/* SPDX-License-Identifier: MIT
 *
 * path_graph.c - blocks and edges from the instruction table, and what predicates are known to be.
 * Indirect branches lead to those places behind a jump that nothing else leads to.
 */
#include "traces/code/path_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE GMTRACE_NO_INSTR

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_guarded(const gmtrace_instr *instr)
{
    return instr->predicate != GMTRACE_NO_REGISTER;
}

/* @!PT: never executed. */
static bool is_never(const gmtrace_instr *instr)
{
    return instr->predicate == 7 && instr->predicate_negated;
}

/* Spilled registers, which the Sanitizer does not report and gmtrace complete adds. */
static bool is_stack_slot(const gmtrace_instr *instr)
{
    return instr->space == GMTRACE_SPACE_LOCAL && strstr(instr->operands, "[R1") != NULL;
}

static path_seen seen_of(const gmtrace_instr *instr, gmtrace_detail detail)
{
    if (is_never(instr))
        return PATH_UNSEEN;
    if (detail == GMTRACE_DETAIL_FULL)
        return is_guarded(instr) ? PATH_MAYBE : PATH_SEEN;
    switch (instr->op_class) {
    case GMTRACE_CLASS_LOAD:
    case GMTRACE_CLASS_STORE:
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_REDUCTION:
    case GMTRACE_CLASS_COPY_ASYNC:
        if (instr->space == GMTRACE_SPACE_CONSTANT || instr->space == GMTRACE_SPACE_NONE)
            return PATH_UNSEEN;
        return is_guarded(instr) || is_stack_slot(instr) ? PATH_MAYBE : PATH_SEEN;
    case GMTRACE_CLASS_BARRIER:
        return has_prefix(instr->opcode, "BAR.") && !is_guarded(instr) ? PATH_SEEN : PATH_MAYBE;
    case GMTRACE_CLASS_BULK:
        return PATH_MAYBE;
    case GMTRACE_CLASS_FENCE:
        return has_prefix(instr->opcode, "LDGDEPBAR") || has_prefix(instr->opcode, "DEPBAR") ||
                       has_prefix(instr->opcode, "WARPGROUP")
                   ? PATH_MAYBE
                   : PATH_UNSEEN;
    case GMTRACE_CLASS_RECONVERGE:
        return has_prefix(instr->opcode, "WARPSYNC") ? PATH_MAYBE : PATH_UNSEEN;
    default:
        return strstr(instr->opcode, "GMMA") ? PATH_MAYBE : PATH_UNSEEN;
    }
}

bool path_is_meeting(const gmtrace_instr *instr)
{
    return has_prefix(instr->opcode, "BSYNC") || has_prefix(instr->opcode, "WARPSYNC");
}

/* ------------------------------------------------------------------------------- control flow */

static bool ends_block(const gmtrace_instr *instr)
{
    return instr->op_class == GMTRACE_CLASS_BRANCH || instr->op_class == GMTRACE_CLASS_CALL ||
           instr->op_class == GMTRACE_CLASS_RETURN || instr->op_class == GMTRACE_CLASS_EXIT;
}

/* A branch's other condition: "BRA P0, `(L)" and "BRA.U UP0, `(L)". */
static bool has_condition(const gmtrace_instr *instr)
{
    return strchr(instr->operands, ',') != NULL || has_prefix(instr->opcode, "BRA.DIV") ||
           has_prefix(instr->opcode, "BRA.CONV");
}

static bool falls_through(const gmtrace_instr *instr)
{
    if (is_guarded(instr))
        return true;
    if (instr->op_class == GMTRACE_CLASS_BRANCH)
        return instr->target != NONE && has_condition(instr);
    if (instr->op_class == GMTRACE_CLASS_CALL)
        return instr->target == NONE; /* an unknown callee is stepped over */
    return instr->op_class != GMTRACE_CLASS_RETURN && instr->op_class != GMTRACE_CLASS_EXIT;
}

static bool add_edge(path_graph *graph, path_block *block, path_edge edge)
{
    if (graph->edge_count == graph->edge_room) {
        const uint32_t room = graph->edge_room ? graph->edge_room * 2 : 256;
        path_edge *grown = realloc(graph->edge, room * sizeof *grown);
        if (!grown)
            return false;
        graph->edge = grown;
        graph->edge_room = room;
    }
    graph->edge[graph->edge_count++] = edge;
    block->edge_count++;
    return true;
}

static bool add_indirect(path_graph *graph, path_block *block, const bool *orphan, path_edge edge)
{
    edge.unlikely = true;
    for (uint32_t i = 0; i < graph->instr_count; i++) {
        if (!orphan[i])
            continue;
        edge.to = graph->block_of[i];
        if (!add_edge(graph, block, edge))
            return false;
    }
    return true;
}

static bool add_returns(path_graph *graph, path_block *block, path_edge edge)
{
    edge.kind = PATH_RETURN;
    bool any = false;
    for (uint32_t i = 0; i + 1 < graph->instr_count; i++) {
        if (graph->instr[i].op_class != GMTRACE_CLASS_CALL)
            continue;
        edge.to = graph->block_of[i + 1];
        any = true;
        if (!add_edge(graph, block, edge))
            return false;
    }
    edge.to = PATH_END; /* a kernel that is called returns to nowhere */
    return any || add_edge(graph, block, edge);
}

static bool add_edges(path_graph *graph, uint32_t number, const bool *orphan)
{
    path_block *block = &graph->block[number];
    const uint32_t next = block->first + block->count;
    const gmtrace_instr *last = &graph->instr[next - 1];
    path_edge edge = {.to = PATH_END, .back = PATH_NONE, .predicate = GMTRACE_NO_REGISTER};
    bool good = true;
    block->edge = graph->edge_count;
    if (ends_block(last) && is_guarded(last) && last->predicate < 7) {
        edge.predicate = last->predicate;
        edge.value = !last->predicate_negated;
    }
    const uint32_t target =
        last->target < graph->instr_count ? graph->block_of[last->target] : PATH_NONE;
    edge.unlikely = has_prefix(last->opcode, "BRA.DIV");
    if (is_never(last)) {
        good = true;
    } else if (last->op_class == GMTRACE_CLASS_EXIT) {
        good = add_edge(graph, block, edge);
    } else if (last->op_class == GMTRACE_CLASS_BRANCH) {
        edge.to = target;
        good = target != PATH_NONE ? add_edge(graph, block, edge)
                                   : add_indirect(graph, block, orphan, edge);
    } else if (last->op_class == GMTRACE_CLASS_CALL && target != PATH_NONE) {
        edge.to = target;
        edge.kind = PATH_CALL;
        edge.back = next < graph->instr_count ? graph->block_of[next] : PATH_NONE;
        good = add_edge(graph, block, edge);
    } else if (last->op_class == GMTRACE_CLASS_RETURN) {
        good = add_returns(graph, block, edge);
    }
    if (!good || next >= graph->instr_count || (ends_block(last) && !falls_through(last)))
        return good;
    edge.to = graph->block_of[next];
    edge.kind = PATH_PLAIN;
    edge.value = !edge.value;
    if (last->op_class == GMTRACE_CLASS_BRANCH && has_condition(last))
        edge.predicate = GMTRACE_NO_REGISTER; /* the other condition may have failed */
    edge.unlikely = false;
    return add_edge(graph, block, edge);
}

/* Places behind a jump that no static target names, where there is an indirect branch. */
static void find_orphans(const path_graph *graph, const bool *is_target, bool *orphan)
{
    for (uint32_t i = 1; i < graph->instr_count; i++) {
        const gmtrace_instr *before = &graph->instr[i - 1];
        orphan[i] = !is_target[i] && ends_block(before) && !falls_through(before) &&
                    before->op_class != GMTRACE_CLASS_CALL &&
                    strcmp(graph->instr[i].opcode, "NOP") != 0;
    }
}

bool path_graph_build(path_graph *graph, const gmtrace_kernel *kernel, gmtrace_detail detail)
{
    const gmtrace_instr *instr = kernel->instr;
    const uint32_t count = kernel->instr_count;
    memset(graph, 0, sizeof *graph);
    graph->instr = instr;
    graph->instr_count = count;
    if (!count)
        return true;
    bool *is_target = calloc(count + (size_t)1, sizeof *is_target);
    bool *orphan = calloc(count, sizeof *orphan);
    graph->block = calloc(count, sizeof *graph->block);
    graph->block_of = malloc(count * sizeof *graph->block_of);
    bool good = is_target && orphan && graph->block && graph->block_of;
    for (uint32_t i = 0; good && i < count; i++)
        if (instr[i].target < count)
            is_target[instr[i].target] = true;
    if (good)
        find_orphans(graph, is_target, orphan);
    bool begins = true;
    for (uint32_t i = 0; good && i < count; i++) {
        const path_seen seen = seen_of(&instr[i], detail);
        const bool alone = seen != PATH_UNSEEN || path_is_meeting(&instr[i]);
        if (begins || is_target[i] || alone)
            graph->block[graph->block_count++] = (path_block){.first = i, .seen = (uint8_t)seen};
        graph->block_of[i] = graph->block_count - 1;
        graph->block[graph->block_count - 1].count++;
        begins = alone || ends_block(&instr[i]);
    }
    for (uint32_t b = 0; good && b < graph->block_count; b++)
        good = add_edges(graph, b, orphan);
    free(is_target);
    free(orphan);
    return good;
}

void path_graph_free(path_graph *graph)
{
    free(graph->block);
    free(graph->block_of);
    free(graph->edge);
    memset(graph, 0, sizeof *graph);
}

/* ---------------------------------------------------------------------------------- predicates */

int path_facts_guard(path_facts facts, uint8_t predicate, uint8_t negated)
{
    if (predicate == GMTRACE_NO_REGISTER)
        return 1;
    if (predicate >= 7)
        return !negated;
    if (!(facts.known >> predicate & 1))
        return -1;
    return (facts.value >> predicate & 1) != negated;
}

/* "PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x8": how a constant predicate is made. The result is the
 * table's bit for three true inputs; -1: not of that form. */
static int constant_predicate(const gmtrace_instr *instr)
{
    unsigned first, second;
    unsigned target;
    if (!has_prefix(instr->opcode, "PLOP3") ||
        sscanf(instr->operands, "P%u, PT, PT, PT, PT, %x, %x", &target, &first, &second) != 3)
        return -1;
    return (int)(first >> 7 & 1);
}

void path_facts_apply(path_facts *facts, const gmtrace_instr *instr)
{
    const int guard = path_facts_guard(*facts, instr->predicate, instr->predicate_negated);
    if (guard == 0)
        return;
    const int constant = constant_predicate(instr);
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *o = &instr->operand[i];
        if (o->file != GMTRACE_REG_PREDICATE || !o->write)
            continue;
        for (unsigned p = o->first; p < o->first + (unsigned)o->count && p < 7; p++) {
            const uint8_t bit = (uint8_t)(1u << p);
            facts->known &= (uint8_t)~bit;
            facts->value &= (uint8_t)~bit;
            if (constant >= 0 && guard == 1) {
                facts->known |= bit;
                facts->value |= constant ? bit : 0;
            }
        }
    }
    /* R2P R0, 0x7f and the like write predicates that the operands do not name. */
    if (has_prefix(instr->opcode, "R2P"))
        *facts = (path_facts){0, 0};
}
