/* SPDX-License-Identifier: MIT
 *
 * path_search.h - the best way from one place in the code to the next recorded instruction.
 * Private to path*.c.
 */
#ifndef GMTRACE_PATH_SEARCH_H
#define GMTRACE_PATH_SEARCH_H

#include "traces/code/path_graph.h"

#define PATH_MAX_DEPTH 15u /* of calls that are kept apart */

/* Where lanes stand: behind a block, or before the first (PATH_NONE). */
typedef struct path_place {
    uint32_t block;
    uint32_t stack; /* where they return to; 0: not known */
    path_facts facts;
} path_place;

typedef struct path_search path_search;

/* A way, valid until the next search. The block at its end is not on it. */
typedef struct path_way {
    const uint32_t *block;   /* in order */
    const path_place *place; /* before each; its block is that one */
    uint32_t count;
    path_place end;
    bool found, ambiguous, lost;
    bool against; /* what is known of predicates */
    bool rare;    /* it calls what is there for rare cases, or the like */
} path_way;

path_search *path_search_create(const path_graph *graph); /* NULL without memory */
void path_search_free(path_search *search);

/* `all`: every lane that comes executes the instruction at the end. */
path_way path_search_find(path_search *search, path_place from, uint32_t to, bool all);
/* From before the block of the place, crossing nothing that is always recorded. */
path_way path_search_side(path_search *search, path_place before, uint32_t to);

#endif
