/* SPDX-License-Identifier: MIT
 *
 * path_plan.h - which instructions are run to know how lanes go, and which registers are kept for
 * it. Private to path_plan.c and path_values.c.
 */
#ifndef GMTRACE_PATH_PLAN_H
#define GMTRACE_PATH_PLAN_H

#include "traces/code/path_list.h"
#include "traces/code/path_values.h"

#define PATH_FILES 4u /* of registers */

/* Of an instruction: it cannot be run, or is. */
enum { PATH_BAD = 1, PATH_GOOD = 2 };
/* Of a branch at the block's end: both sides lead to the same record; its predicate may be known.
 * Of the block's only instruction, which is recorded where its predicate holds: that may be. */
enum { PATH_DOUBTFUL = 1, PATH_DECIDES = 2, PATH_GUARDS = 4 };

/* A predicate that a branch asks for. */
typedef struct path_condition {
    uint8_t predicate;
    bool value; /* for which it jumps */
} path_condition;

typedef struct path_conditions {
    path_condition list[2];
    uint32_t count; /* 0: it is no branch that depends on such alone */
} path_conditions;

struct path_values {
    const path_graph *graph;
    const gmtrace_launch *launch;
    path_memory memory;     /* what the launch knows of it */
    path_step *step;        /* of each instruction that is run */
    uint32_t *step_of;      /* of each instruction; UINT32_MAX: none */
    uint8_t *role;          /* of each instruction */
    path_places *forgotten; /* what each makes unknown: places that it writes, and is not run */
    uint8_t *branch;        /* of each block */
    uint8_t place[PATH_FILES][256];
    uint32_t places, steps;
    path_places *live; /* of each block: what is asked for at its beginning, before it is written */
    path_places *behind;      /* the same behind its first instruction */
    uint32_t *next;           /* the instruction at or behind each that is run, or makes unknown */
    path_conditions *decided; /* of each block: what its branch depends on */
    path_lanes lanes;         /* those that are open, or have been kept last ... */
    uint32_t holds;           /* ... under this number */
    uint32_t loads;           /* that could have been followed */
    path_set states, each;    /* what lanes have; what lanes have in a register, each its own */
    size_t kept;              /* bytes of states */
    uint64_t ran;             /* instructions */
    bool full;
    bool local; /* what is stored to local memory is followed, too, as some of it is asked for */
};

/* Makes the plan, whose tables are as large as the graph and zeroed. False where nothing is to be
 * known, or too much. */
bool path_plan_make(path_values *values);

#endif
