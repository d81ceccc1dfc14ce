/* SPDX-License-Identifier: MIT
 *
 * path_list.h - lists of pieces of code, and sets of equal things. Private to path*.c.
 */
#ifndef GMTRACE_PATH_LIST_H
#define GMTRACE_PATH_LIST_H

#include "traces/code/path.h"

/* Memory that is freed all at once; what it hands out stays in place and is zeroed. */
typedef struct path_arena {
    struct path_arena_part *part;
    size_t used, room;
} path_arena;

void *path_arena_take(path_arena *arena, size_t size); /* NULL without memory */
void path_arena_free(path_arena *arena);

/* Numbers for equal strings of bytes, from 0. Padding must be zeroed. */
typedef struct path_set {
    struct path_set_entry {
        const void *bytes;
        size_t size;
    } * entry;
    struct path_set_slot { /* a part of the hash is here: what is not the same is not looked at */
        uint32_t hash, number;
    } * slot;
    uint32_t count, found, slots; /* those that can be found: in slots */
    path_arena arena;
} path_set;

/* UINT32_MAX without memory. */
uint32_t path_set_put(path_set *set, const void *bytes, size_t size);
/* The same of what is known to be new, and not to be asked for again. */
uint32_t path_set_add(path_set *set, const void *bytes, size_t size);
static inline const void *path_set_get(const path_set *set, uint32_t number, size_t *size)
{
    *size = set->entry[number].size;
    return set->entry[number].bytes;
}
void path_set_free(path_set *set);

/* A list of pieces that grows. */
typedef struct path_list {
    gmtrace_path_piece *piece;
    uint32_t count, room;
    bool failed;
} path_list;

/* Appends, joining pieces that follow each other. */
void path_list_add(path_list *list, gmtrace_path_piece piece);
void path_list_free(path_list *list);

uint64_t path_pieces_length(const gmtrace_path_piece *piece, uint32_t count);
/* How many instructions two lists begin with in common. */
uint64_t path_pieces_prefix(const gmtrace_path_piece *a, uint32_t a_count,
                            const gmtrace_path_piece *b, uint32_t b_count);
/* Where a part went on with others: so many of its instructions, from `at` on. */
typedef struct path_join {
    uint64_t at, count;
    bool whole; /* as far as those others went */
} path_join;

#define PATH_JOINS 2u

/* A part's way, and what of it others executed for it: its first `done` instructions, and what it
 * joined, one after the other. */
typedef struct path_view {
    const gmtrace_path_piece *piece;
    uint32_t count, joins;
    uint64_t done;
    path_join join[PATH_JOINS];
} path_view;

/* Adds a join: the part waited in the middle of its way for others that went on along the other
 * list, and went on with them as long as both ways are the same. */
void path_view_join(const gmtrace_instr *instr, path_view *view, const gmtrace_path_piece *other,
                    uint32_t other_count);
/* Appends what is left of the view, without its last `drop` instructions. */
void path_list_add_view(path_list *list, const path_view *view, uint64_t drop);

/* How many instructions at the end of `a` two parts of a warp execute together: those behind the
 * first place in the common end where lanes wait for each other; or all that is left, where both
 * have met already in what was done and part from the rest of the warp together, or where one of
 * them joined the other, which has stood on that way since. */
uint64_t path_views_together(const gmtrace_instr *instr, const path_view *a, const path_view *b);

/* Fills everything but the flags and the list itself from the list. */
void path_sum(gmtrace_path *path, const gmtrace_instr *instr);

#endif
