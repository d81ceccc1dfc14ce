/* SPDX-License-Identifier: MIT
 *
 * graph.h - control flow: code as blocks, the ways between them, and where ways that part meet
 * again. It knows no instruction set: whoever builds a graph says what each instruction does with
 * control. Private to the trace libraries.
 */
#ifndef GMTRACE_PRIVATE_GRAPH_H
#define GMTRACE_PRIVATE_GRAPH_H

#include "traces/gmtrace.h"

#include <string.h>

enum { GMT_OUT = UINT32_MAX - 1, GMT_NO_BLOCK = UINT32_MAX };

typedef enum gmt_transfer {
    GMT_GOES_ON, /* to the next instruction */
    GMT_JUMPS,   /* to one of its targets */
    GMT_CALLS,   /* to its target, from where a return leads behind it */
    GMT_RETURNS, /* to one of its targets; out of the code where it has none */
    GMT_LEAVES,  /* out of the code */
    GMT_TRAPS,   /* out of the code by mistake */
} gmt_transfer;

/* What an instruction does with control. */
typedef struct gmt_flow {
    uint32_t first, count; /* targets: where they are in the list that goes with the code */
    uint8_t transfer;      /* gmt_transfer */
    bool may_fall;         /* or it goes on to the next instruction instead */
    bool alone;            /* is to be a block by itself */
} gmt_flow;

typedef struct gmt_edge {
    uint32_t to;  /* block, or GMT_OUT */
    uint8_t kind; /* gmt_transfer */
} gmt_edge;

/* Instructions that are executed from the first to the last, and only so. */
typedef struct gmt_block {
    uint32_t first, count;
    uint32_t edge, edge_count; /* ways out: targets in the order given, the next block last */
} gmt_block;

typedef struct gmt_graph {
    gmt_block *block; /* in the order of the code; the first is entered */
    gmt_edge *edge;
    uint32_t *block_of; /* by instruction */
    uint32_t block_count, edge_count;
} gmt_graph;

/* Targets are instructions below `count`. False without memory; to be freed in any case. */
bool gmt_graph_build(gmt_graph *graph, const gmt_flow *flow, uint32_t count,
                     const uint32_t *target);
void gmt_graph_free(gmt_graph *graph);

/* flow.c: the graph of a table of SASS. Calls are followed to static targets, unknown callees are
 * stepped over, a return may lead behind any call, and a jump without a target to those places
 * behind a jump that nothing else leads to. `alone`: by instruction. False without memory. */
bool gmt_graph_of_code(gmt_graph *graph, const gmtrace_instr *instr, uint32_t count,
                       const bool *alone);
static inline bool gmt_has_prefix(const char *opcode, const char *prefix)
{
    return *opcode == *prefix && strncmp(opcode, prefix, strlen(prefix)) == 0; /* mostly not */
}
bool gmt_transfers(const gmtrace_instr *instr); /* control, other than to the next instruction */
/* Has a branch, or an exit, a condition beside its guard: "BRA P0, `(L)", "BRA.U UP0, `(L)",
 * BRA.DIV, "EXIT !P1"? */
bool gmt_has_condition(const gmtrace_instr *branch);
bool gmt_may_fall(const gmtrace_instr *instr); /* to the next instruction */

/* The nearest block, behind each block, where all that leave it meet again: its immediate
 * post-dominator; GMT_NO_BLOCK where there is none. Those who leave the code early are not waited
 * for (hardware does the same: EXIT takes lanes out of every convergence barrier). So of the ways
 * out of the code that a block has, one counts: the last unguarded GMT_LEAVES in the order of the
 * code, else the last guarded one, else the last trap; in a loop without any, its head.
 * `meet`: by block. False without memory. */
bool gmt_graph_meets(const gmt_graph *graph, uint32_t *meet);

#endif
