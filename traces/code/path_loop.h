/* SPDX-License-Identifier: MIT
 *
 * path_loop.h - how often loops run in which nothing is recorded. Private to path*.c.
 */
#ifndef GMTRACE_PATH_LOOP_H
#define GMTRACE_PATH_LOOP_H

#include "traces/code/path_list.h"
#include "traces/code/path_search.h"

/* Appends a way's blocks to the list, those of loops on it as often as they run. True where there
 * are such loops. `work` adds up over all ways of a kernel: when it is large, loops run once.
 * `search`, of which the way may be, is used. */
bool path_unroll(const path_graph *graph, path_search *search, path_place from, const path_way *way,
                 path_list *list, uint32_t *work);
/* Thousandths of what it may be before that makes a difference. */
uint32_t path_unroll_part(uint32_t work);

#endif
