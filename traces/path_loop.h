/* SPDX-License-Identifier: MIT
 *
 * path_loop.h - loops in which nothing is recorded. Private to path*.c.
 */
#ifndef GMTRACE_PATH_LOOP_H
#define GMTRACE_PATH_LOOP_H

#include "traces/path_list.h"
#include "traces/path_search.h"

/* Appends a way's blocks to the list. True where it crosses such loops. */
bool path_unroll(const path_graph *graph, path_place from, const path_way *way, path_list *list);

#endif
