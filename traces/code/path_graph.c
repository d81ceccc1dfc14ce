/* SPDX-License-Identifier: MIT
 *
 * path_graph.c - what the blocks of the code are to a path, and what predicates are known to be.
 */
#include "traces/code/path_graph.h"

#include "traces/code/decoded_private.h"
#include "traces/code/jump_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* __syncwarp() of a whole warp. That of groups of lanes (behind WARPSYNC.COLLECTIVE, up to
 * ENDCOLLECTIVE) is on the way of each of them. */
static bool is_syncwarp(const gmtrace_instr *code, uint32_t i)
{
    return strcmp(code[i].opcode, "NOP") == 0 &&
           (i == 0 || !gmt_has_prefix(code[i - 1u].opcode, "WARPSYNC"));
}

static path_seen seen_of(const gmtrace_instr *code, uint32_t i, gmtrace_detail detail)
{
    const gmtrace_instr *instr = &code[i];
    if (is_never(instr))
        return PATH_UNSEEN;
    if (detail == GMTRACE_DETAIL_FULL)
        return is_guarded(instr) ? PATH_MAYBE : PATH_SEEN;
    if (gmtrace_accesses_by_lane(instr))
        return is_guarded(instr) || is_stack_slot(instr) ? PATH_MAYBE : PATH_SEEN;
    switch (instr->op_class) {
    case GMTRACE_CLASS_CALL:
        return detail != GMTRACE_DETAIL_CALLS ? PATH_UNSEEN
               : is_guarded(instr)            ? PATH_MAYBE
                                              : PATH_SEEN;
    case GMTRACE_CLASS_BARRIER:
        return gmt_has_prefix(instr->opcode, "BAR.") && !is_guarded(instr) ? PATH_SEEN : PATH_MAYBE;
    case GMTRACE_CLASS_BULK:
        return PATH_MAYBE;
    case GMTRACE_CLASS_FENCE:
        return gmt_has_prefix(instr->opcode, "LDGDEPBAR") ||
                       gmt_has_prefix(instr->opcode, "DEPBAR") ||
                       gmt_has_prefix(instr->opcode, "WARPGROUP")
                   ? PATH_MAYBE
                   : PATH_UNSEEN;
    case GMTRACE_CLASS_RECONVERGE:
        return gmt_has_prefix(instr->opcode, "WARPSYNC") ? PATH_MAYBE : PATH_UNSEEN;
    default:
        return strstr(instr->opcode, "GMMA") || is_syncwarp(code, i) ? PATH_MAYBE : PATH_UNSEEN;
    }
}

bool path_is_meeting(const gmtrace_instr *instr)
{
    return gmt_has_prefix(instr->opcode, "BSYNC") || gmt_has_prefix(instr->opcode, "WARPSYNC");
}

/* ------------------------------------------------------------------------------- control flow */

static path_block block_of(const path_graph *graph, const gmt_block *block, const path_seen *seen)
{
    const gmtrace_instr *last = &graph->instr[block->first + block->count - 1];
    path_block own = {.seen = (uint8_t)seen[block->first], .predicate = GMTRACE_NO_REGISTER};
    if (!gmt_transfers(last))
        return own;
    if (last->predicate < 7) {
        own.predicate = last->predicate;
        own.value = !last->predicate_negated;
    }
    if (last->op_class == GMTRACE_CLASS_BRANCH || last->op_class == GMTRACE_CLASS_EXIT)
        own.falls_anyway = gmt_has_condition(last);
    if (last->op_class == GMTRACE_CLASS_BRANCH) {
        own.unlikely =
            gmt_has_prefix(last->opcode, "BRA.DIV") ||
            (last->target >= graph->instr_count && block->edge_count > gmt_table_size(last));
    }
    return own;
}

/* The nearest instruction above that writes the branch's predicate; the branch itself where that
 * jumps by a table. NULL: what decides it is not known. */
static const gmtrace_instr *decider_of(const gmtrace_kernel *kernel, const gmtrace_instr *branch)
{
    if (gmt_table_size(branch))
        return branch;
    for (const gmtrace_instr *n = branch; branch->predicate < 7 && n-- > kernel->instr;)
        for (unsigned k = 0; k < n->operand_count; k++)
            if (gmt_names(&n->operand[k], true, GMTRACE_REG_PREDICATE, branch->predicate))
                return n;
    return NULL;
}

/* May the integers that a branch compares be a float's? Its exponent is looked at then. */
static bool looks_at_exponent(const gmtrace_instr *decider)
{
    const char *value = strstr(decider->operands, ", 0x");
    const unsigned long number = value ? strtoul(value + 2, NULL, 16) : 0;
    return number > 0xffffffu && number < 0xff000000u;
}

/* A branch over code in which nothing would be recorded, by lanes that differ: the warp executes it
 * if a single lane needs it. So to skip it costs twice its length, and a way through it is the
 * shorter one unless it calls what divisions and roots have for rare cases. */
static uint32_t skips_of(const path_graph *graph, const gmtrace_kernel *kernel,
                         const gmtrace_decoded *decoded, const path_seen *seen, uint32_t at,
                         const gmtrace_instr *decider)
{
    const gmtrace_instr *branch = &graph->instr[at];
    if (branch->op_class != GMTRACE_CLASS_BRANCH || branch->predicate >= 7 ||
        branch->target <= at || branch->target >= graph->instr_count)
        return 0;
    if (!decider || !gmt_varies(kernel, decoded, (uint32_t)(decider - kernel->instr)) ||
        path_rare_side(decider, branch) == PATH_RARE_FALLS)
        return 0;
    for (uint32_t n = at + 1; n < branch->target; n++)
        if (seen[n] != PATH_UNSEEN && graph->instr[n].op_class != GMTRACE_CLASS_CALL)
            return 0;
    return 2u * (branch->target - at - 1u);
}

uint32_t path_bssy_meeting(const path_graph *graph, uint32_t b)
{
    const gmt_block *block = &graph->flow.block[b];
    const uint32_t at = block->first + block->count - 1u;
    for (uint32_t n = at; n-- > 0;) {
        const gmtrace_instr *instr = &graph->instr[n];
        if (!gmt_has_prefix(instr->opcode, "BSSY") || instr->target <= at ||
            instr->target >= graph->instr_count)
            continue;
        const uint32_t before = instr->target - 1u;
        const bool waits = path_is_meeting(&graph->instr[before]);
        return graph->flow.block_of[waits ? before : before + 1u];
    }
    return GMT_NO_BLOCK;
}

bool path_graph_build(path_graph *graph, const gmtrace_kernel *kernel, gmtrace_detail detail)
{
    const uint32_t count = kernel->instr_count;
    memset(graph, 0, sizeof *graph);
    graph->instr = kernel->instr;
    graph->instr_count = count;
    path_seen *seen = malloc((count + (size_t)1) * sizeof *seen);
    bool *alone = malloc(count + (size_t)1);
    gmtrace_decoded *decoded = malloc((count + (size_t)1) * sizeof *decoded);
    for (uint32_t i = 0; seen && alone && i < count; i++) {
        seen[i] = seen_of(kernel->instr, i, detail);
        alone[i] = seen[i] != PATH_UNSEEN || path_is_meeting(&kernel->instr[i]);
    }
    bool good =
        seen && alone && decoded && gmt_graph_of_code(&graph->flow, kernel->instr, count, alone);
    if (good) {
        graph->block = malloc((graph->flow.block_count + (size_t)1) * sizeof *graph->block);
        good = graph->block != NULL;
    }
    if (good)
        gmtrace_decode_kernel(kernel, GMTRACE_WARP_LANES, decoded);
    for (uint32_t b = 0; good && b < graph->flow.block_count; b++) {
        const gmt_block *block = &graph->flow.block[b];
        const uint32_t last = block->first + block->count - 1u;
        const gmtrace_instr *branch = &kernel->instr[last];
        path_block *own = &graph->block[b];
        *own = block_of(graph, block, seen);
        if (branch->op_class != GMTRACE_CLASS_BRANCH)
            continue;
        const gmtrace_instr *decider = decider_of(kernel, branch);
        own->skips = skips_of(graph, kernel, decoded, seen, last, decider);
        if (!decider || own->falls_anyway)
            continue;
        own->rare = (uint8_t)path_rare_side(decider, branch);
        own->parts = !looks_at_exponent(decider) &&
                     gmt_varies_by_loads(kernel, decoded, (uint32_t)(decider - kernel->instr));
    }
    free(decoded);
    free(seen);
    free(alone);
    return good;
}

void path_graph_free(path_graph *graph)
{
    gmt_graph_free(&graph->flow);
    free(graph->block);
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
    if (!gmt_has_prefix(instr->opcode, "PLOP3") ||
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
    if (gmt_has_prefix(instr->opcode, "R2P"))
        *facts = (path_facts){0, 0};
}
