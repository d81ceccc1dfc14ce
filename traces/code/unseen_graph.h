/* SPDX-License-Identifier: MIT
 *
 * unseen_graph.h - a kernel's control flow, reduced to the places where a lane may stand between
 * two records. Private to unseen*.c.
 */
#ifndef GMTRACE_UNSEEN_GRAPH_H
#define GMTRACE_UNSEEN_GRAPH_H

#include "traces/gmtrace.h"

enum { UNSEEN_ENTRY = 0, UNSEEN_END = 1, UNSEEN_NO_NODE = UINT32_MAX };

typedef enum unseen_kind {
    UNSEEN_PASS,      /* entry, end, branch targets: nothing happens there */
    UNSEEN_WAIT,      /* lanes may meet, or a record may be made: barriers, BSYNC ... */
    UNSEEN_RECORDED,  /* a memory instruction that is always recorded */
    UNSEEN_GUARDED,   /* the same under a predicate: recorded for some lanes or none */
    UNSEEN_SPLIT,     /* several ways to go on */
    UNSEEN_CAN_LEAVE, /* EXIT, under a predicate or not */
    UNSEEN_KINDS,     /* none of these: not a node */
} unseen_kind;

/* From a node to the next, by way of the unseen accesses between them. */
typedef struct unseen_edge {
    uint32_t to;
    uint32_t first, count; /* accesses, in `access` */
    uint32_t steps;        /* instructions */
} unseen_edge;

typedef struct unseen_node {
    unseen_kind kind;
    uint32_t instr; /* GMTRACE_NO_INSTR for entry and end */
    uint32_t first, count;
} unseen_node;

typedef struct unseen_graph {
    unseen_node *node;
    unseen_edge *edge;
    uint32_t *access;  /* instructions */
    uint32_t *node_of; /* by instruction; UNSEEN_NO_NODE for most */
    uint32_t node_count, edge_count, access_count;
    uint32_t edge_room, access_room;
} unseen_graph;

/* Is it a local access at a constant distance from the stack pointer? *offset is the distance. */
bool unseen_is_stack_slot(const gmtrace_instr *instr, int64_t *offset);

/* False without memory. */
bool unseen_graph_build(unseen_graph *graph, const gmtrace_instr *instr, uint32_t count);
void unseen_graph_free(unseen_graph *graph);

#endif
