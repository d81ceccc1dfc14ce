/* SPDX-License-Identifier: MIT
 *
 * path_values.h - which way lanes go at branches that the code itself decides. Private to path*.c.
 */
#ifndef GMTRACE_PATH_VALUES_H
#define GMTRACE_PATH_VALUES_H

#include "traces/code/path.h"
#include "traces/code/path_graph.h"
#include "traces/code/path_lanes.h"
#include "traces/code/path_local.h"

#define PATH_NO_VALUES UINT32_MAX

typedef struct path_values path_values;

/* NULL where no doubtful branch is decided so, or without memory. */
path_values *path_values_create(const path_graph *graph, const gmtrace_launch *launch);
void path_values_free(path_values *values); /* NULL is allowed */

/* What lanes have is a number, PATH_NO_VALUES where it is not known. */
uint32_t path_values_enter(path_values *values, uint32_t cta, uint32_t warp, uint32_t live);
/* One at a time: good until the next, or until they are kept. */
path_lanes *path_values_open(path_values *values, uint32_t number);
uint32_t path_values_keep(path_values *values, path_lanes *lanes);
/* The same, but only what is asked for behind the first instruction of a block. */
uint32_t path_values_keep_behind(path_values *values, path_lanes *lanes, uint32_t block);
/* Is there too much to know? Then nothing more is. */
bool path_values_full(const path_values *values);
void path_values_give_up(path_values *values);
/* As gmtrace_paths_add_order(): what is known, before not every warp is followed by itself. */
void path_values_add_order(const path_values *values, gmtrace_path_order *order);
void path_values_spend(path_values *values); /* a move more that knows which lanes go */
uint32_t path_values_mask(const path_values *values, uint32_t number);
/* Those of other lanes, added. */
void path_values_join(const path_values *values, uint32_t number, path_lanes *lanes);

/* The lanes execute a block, or instructions. */
void path_values_run(path_values *values, path_lanes *lanes, uint32_t first, uint32_t count,
                     uint32_t mask);
/* Counts so many as run. */
void path_values_count(path_values *values, uint64_t instructions);
/* What such instructions do to lanes that have nothing in the places that are added. */
typedef enum path_effect { PATH_LEAVES, PATH_RUNS, PATH_VOTES } path_effect;
path_effect path_values_effect(const path_values *values, uint32_t first, uint32_t count,
                               path_places *places);
/* Those of which nothing is asked for behind the first instruction of a block. */
path_places path_values_over(const path_values *values, uint32_t block);
/* Places of which something is known, and whether something that it had loaded is not. */
path_places path_values_places(const path_values *values, uint32_t number, bool *missing);
/* Does it load what is asked for, from memory that the launch knows? */
bool path_values_loads(const path_values *values, uint32_t instr);
/* The same, or does it load that from local memory, or store anything there? Then the lanes of its
 * record do, whose warp has `local`; what they have then is a number, as above. */
bool path_values_accesses(const path_values *values, uint32_t instr);
uint32_t path_values_access(path_values *values, uint32_t number, const gmtrace_record *record,
                            const uint64_t address[GMTRACE_WARP_LANES],
                            path_local *local); /* NULL is allowed */
/* Does a record load what is not known, and change nothing that its lanes have? Then it counts as
 * followed. They are told of those that have just come to it, and had loaded such before: which
 * they are, and where they have something. */
bool path_values_misses(path_values *values, const gmtrace_record *record,
                        const uint64_t address[GMTRACE_WARP_LANES], uint32_t mask,
                        path_places places);
/* Is it a branch of which both sides lead to the same record? */
bool path_values_doubt(const path_values *values, uint32_t block);
/* Lanes come to a block that is recorded: is any of them in the record? 1, 0, or -1: unknown. */
int path_values_recorded(const path_values *values, const path_lanes *lanes, uint32_t block,
                         uint32_t mask);
/* Does what lanes have say whether they are in that record? */
bool path_values_guard(const path_values *values, uint32_t block);
/* Is it a branch that lanes' values may decide? */
bool path_values_decide(const path_values *values, uint32_t block);
/* Those of the lanes that jump there; false where that is not known. */
bool path_values_jump(const path_values *values, const path_lanes *lanes, uint32_t block,
                      uint32_t mask, uint32_t *jump);

#endif
