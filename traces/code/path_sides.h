/* SPDX-License-Identifier: MIT
 *
 * path_sides.h - ways that hold both sides of branches whose lanes part. Private to path*.c.
 */
#ifndef GMTRACE_PATH_SIDES_H
#define GMTRACE_PATH_SIDES_H

#include "traces/code/path_search.h"

typedef struct path_sides path_sides;

/* NULL without memory. The graph and the search stay the caller's. */
path_sides *path_sides_create(const path_graph *graph, path_search *search);
void path_sides_free(path_sides *sides);

/* The search's way (path_search_find()) and, where lanes part on it, what the others execute. Valid
 * until the next one. */
path_way path_sides_find(path_sides *sides, path_place from, uint32_t to, bool all);

#endif
