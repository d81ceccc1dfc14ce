/* SPDX-License-Identifier: MIT
 *
 * path_graph.h - a kernel's code as blocks and the ways between them. Private to path*.c.
 */
#ifndef GMTRACE_PATH_GRAPH_H
#define GMTRACE_PATH_GRAPH_H

#include "traces/gmtrace.h"

enum { PATH_END = UINT32_MAX - 1, PATH_NONE = UINT32_MAX };

/* What a trace holds of an instruction. */
typedef enum path_seen {
    PATH_UNSEEN, /* never recorded */
    PATH_MAYBE,  /* recorded by some captures, or under a predicate that may be false */
    PATH_SEEN,   /* always recorded when executed */
} path_seen;

typedef enum path_edge_kind {
    PATH_PLAIN,
    PATH_CALL,   /* pushes `back` */
    PATH_RETURN, /* to the place pushed last; `to` is set where none is known */
} path_edge_kind;

typedef struct path_edge {
    uint32_t to;              /* block or PATH_END */
    uint32_t back;            /* PATH_CALL: the block returned to */
    uint8_t kind;             /* path_edge_kind */
    uint8_t predicate, value; /* condition; predicate GMTRACE_NO_REGISTER: none */
    bool unlikely;            /* taken only by warps that diverge (BRA.DIV), or guessed */
} path_edge;

/* Instructions without a branch in or out. A recorded one is a block by itself,
 * and so is one where lanes meet. */
typedef struct path_block {
    uint32_t first, count;
    uint32_t edge, edge_count;
    uint8_t seen; /* path_seen */
} path_block;

typedef struct path_graph {
    const gmtrace_instr *instr;
    uint32_t instr_count;
    path_block *block;
    uint32_t block_count;
    path_edge *edge;
    uint32_t edge_count, edge_room;
    uint32_t *block_of; /* by instruction */
} path_graph;

/* False without memory. */
bool path_graph_build(path_graph *graph, const gmtrace_kernel *kernel, gmtrace_detail detail);
void path_graph_free(path_graph *graph);

/* Does the instruction make lanes wait for others? Such a one is a block by itself. */
bool path_is_meeting(const gmtrace_instr *instr);

/* Predicates whose values are known, as bits 0-6, and the values. */
typedef struct path_facts {
    uint8_t known, value;
} path_facts;

/* Runs an instruction over what is known. */
void path_facts_apply(path_facts *facts, const gmtrace_instr *instr);
/* Is the instruction's guard known to be true (1), false (0), or unknown (-1)? */
int path_facts_guard(path_facts facts, uint8_t predicate, uint8_t negated);

#endif
