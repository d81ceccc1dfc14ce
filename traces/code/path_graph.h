/* SPDX-License-Identifier: MIT
 *
 * path_graph.h - a kernel's code as blocks and the ways between them. Private to path*.c.
 */
#ifndef GMTRACE_PATH_GRAPH_H
#define GMTRACE_PATH_GRAPH_H

#include "traces/code/graph.h"

enum { PATH_END = GMT_OUT, PATH_NONE = GMT_NO_BLOCK };

/* What a trace holds of an instruction. */
typedef enum path_seen {
    PATH_UNSEEN, /* never recorded */
    PATH_MAYBE,  /* recorded by some captures, or under a predicate that may be false */
    PATH_SEEN,   /* always recorded when executed */
} path_seen;

/* The side of a branch that is for rare cases. */
typedef enum path_rare { PATH_RARE_NEITHER, PATH_RARE_JUMPS, PATH_RARE_FALLS } path_rare;

/* What the blocks of the graph are to a path. A recorded instruction is a block by itself, and so
 * is one where lanes meet. */
typedef struct path_block {
    uint8_t seen;             /* path_seen */
    uint8_t predicate, value; /* condition of its transfer; GMTRACE_NO_REGISTER: none */
    bool falls_anyway;        /* the condition says nothing of the way to the next block */
    bool unlikely;            /* transfers only warps that diverge (BRA.DIV), or to guesses */
    uint8_t rare;             /* path_rare */
    bool parts;               /* what each lane has loaded decides its branch */
    uint32_t skips;           /* price of its branch, by what a single lane would have executed */
} path_block;

typedef struct path_graph {
    const gmtrace_instr *instr;
    uint32_t instr_count;
    gmt_graph flow;
    path_block *block; /* as those of the graph */
} path_graph;

/* False without memory. */
bool path_graph_build(path_graph *graph, const gmtrace_kernel *kernel, gmtrace_detail detail);
void path_graph_free(path_graph *graph);

/* Does the instruction make lanes wait for others? Such a one is a block by itself. */
bool path_is_meeting(const gmtrace_instr *instr);
/* Where the innermost BSSY around the end of a block lets lanes meet; GMT_NO_BLOCK: there is none.
 */
uint32_t path_bssy_meeting(const path_graph *graph, uint32_t b);

/* path_rare.c: of a branch by the instruction that decides it, which may be NULL. */
path_rare path_rare_side(const gmtrace_instr *decider, const gmtrace_instr *branch);

/* Predicates whose values are known, as bits 0-6, and the values. Behind a block with a branch of
 * two predicates bit 7: whether it jumps. */
typedef struct path_facts {
    uint8_t known, value;
} path_facts;

#define PATH_JUMPS 0x80u

static inline void path_facts_set(path_facts *facts, uint8_t bit, bool value)
{
    facts->known |= bit;
    facts->value = (uint8_t)((facts->value & ~bit) | (value ? bit : 0));
}

/* Runs an instruction over what is known. */
void path_facts_apply(path_facts *facts, const gmtrace_instr *instr);
/* Is the instruction's guard known to be true (1), false (0), or unknown (-1)? */
int path_facts_guard(path_facts facts, uint8_t predicate, uint8_t negated);

#endif
