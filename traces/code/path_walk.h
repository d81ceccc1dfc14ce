/* SPDX-License-Identifier: MIT
 *
 * path_walk.h - ways of lanes of which it is known what they have. Private to path*.c.
 */
#ifndef GMTRACE_PATH_WALK_H
#define GMTRACE_PATH_WALK_H

#include "traces/code/path_list.h"
#include "traces/code/path_sides.h"
#include "traces/code/path_values.h"

typedef struct path_walk path_walk;

path_walk *path_walk_create(const path_graph *graph, path_sides *sides,
                            path_values *values); /* NULL without memory */
void path_walk_free(path_walk *walk);             /* NULL is allowed */

/* Has it worked as much as may be? Then it finds no way any more. */
bool path_walk_is_over(const path_walk *walk);
/* As gmtrace_paths_add_order(): what it has gone through. */
void path_walk_add_order(const path_walk *walk, gmtrace_path_order *order);

typedef struct path_walked {
    path_place end;
    bool decided; /* a branch on the way went where the lanes' values say: else use the search's */
    bool ambiguous; /* one that they may decide did not */
    bool open;      /* others, or the record's predicate, may lead elsewhere */
    bool alike;     /* no branch on the way asks what lanes have: all go it */
    uint32_t blocks;
} path_walked;

/* The way of lanes that stand at a place to an instruction, all of `mask`; `lanes` then have what
 * they have there. False where the values contradict the trace, or take too long: `lanes` are of no
 * use then. The list's pieces are the way's. */
bool path_walk_find(path_walk *walk, path_place from, uint32_t to, bool all, uint32_t mask,
                    path_lanes *lanes, path_list *list, path_walked *walked);
/* The same of a way that all go, of so many blocks and instructions, which was found before: counts
 * it. False where that may be too much, then and ever after. */
bool path_walk_again(path_walk *walk, uint32_t blocks, uint64_t instructions);

#endif
