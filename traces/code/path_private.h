/* SPDX-License-Identifier: MIT
 *
 * path_private.h - what the files path.c, path_way.c and path_move.c share: the states of warps,
 * the ways of their parts and the moves between states, each found once and kept in a table.
 */
#ifndef GMTRACE_PATH_PRIVATE_H
#define GMTRACE_PATH_PRIVATE_H

#include "traces/code/path.h"
#include "traces/code/path_graph.h"
#include "traces/code/path_list.h"
#include "traces/code/path_search.h"
#include "traces/code/path_values.h"
#include "traces/code/path_walk.h"

#define PATH_TAKEN 4u /* ways of others that a part remembers: of those who left it ... */
#define PATH_MET   2u /* ... and of those who went on from places where they waited for it */

/* A part of a warp, but for its lanes. */
typedef struct path_part {
    uint32_t place;             /* in places */
    uint32_t values;            /* PATH_NO_VALUES: not known */
    uint32_t taken[PATH_TAKEN]; /* in lists; UINT32_MAX: none */
    uint32_t met[PATH_MET];
} path_part;

typedef struct path_way_key {
    uint32_t place, to, all;
    uint32_t values, mask; /* what the lanes have that go; which those are */
} path_way_key;

typedef struct path_found {
    uint32_t list, end; /* in lists, in places */
    uint32_t values;    /* what the lanes have then */
    bool found, ambiguous, estimated, lost;
    bool against; /* what the lanes have leads elsewhere */
    bool missing; /* it is not known what some had loaded */
    bool sampled; /* others went so */
} path_found;

/* Ways that lanes went by what they have, by where from and to, those that were in doubt apart: for
 * lanes of which too little is known. */
typedef struct path_samples {
    path_set keys; /* place, to, all, ambiguous */
    struct path_sample {
        uint64_t length, ways; /* of all instructions on them; how many */
        path_found found;      /* the one that is nearest to the mean */
        uint64_t nearest;      /* its length */
    } * sample;
    bool asked; /* some went by them, or would have, had there been any */
} path_samples;

typedef struct path_move {
    const gmtrace_path *path;
    uint64_t code;  /* two bits a part: 0 none, 1 some, 2 all of its lanes */
    uint64_t taken; /* how often */
    uint32_t state, to, next, next_parts;
    uint32_t mask; /* of the record, where it matters which lanes of a part are there */
} path_move;

/* A block, whether its instruction is guarded and, added later, loads or stores what is to be
 * known. */
#define PATH_TARGET(BLOCK, GUARDED) (4u * (BLOCK) + (GUARDED))
#define PATH_TARGET_ACCESSES        2u

struct gmtrace_paths {
    const gmtrace_kernel *kernel;
    path_graph graph;
    path_search *search;
    path_values *values; /* NULL: no branch is decided by what lanes have */
    path_walk *walk;
    path_set places, lists, states, way_keys, path_keys;
    const gmtrace_path **path; /* by path_keys */
    uint64_t *taken;           /* of each, while they are counted */
    uint32_t made_paths;
    path_found *way;
    path_samples samples;
    path_move *move; /* the first is none */
    uint32_t move_count, move_slots, moves_found;
    uint32_t *first_move; /* of each state: most have no other ... */
    uint32_t *move_slot;  /* ... the others are found here; 0: an empty slot */
    uint32_t state_rooms;
    uint32_t *state_of; /* of values: that of a whole warp which has them */
    uint32_t values_rooms;
    path_arena arena;
    path_list made, whole, alone;
    path_found once; /* of path_find_way_once() */
    gmtrace_path empty;
    uint64_t unplaced;  /* records whose instruction is no block */
    uint32_t start;     /* the state at the entry */
    uint32_t *target;   /* by instruction, where it is a block of its own: PATH_TARGET(); else
                         * PATH_NONE */
    uint32_t loop_work; /* of path_unroll() */
    path_local **local; /* of warps that have stored to local memory; NULL: a free place */
    uint32_t locals, first_local; /* places; none before that one is free */
    bool failed;
};

enum { PATH_NONE_GO = 0, PATH_SOME_GO = 1, PATH_ALL_GO = 2 };

/* path_way.c */

/* The pieces of a list. */
const gmtrace_path_piece *path_pieces(const gmtrace_paths *p, uint32_t list, uint32_t *count);
uint32_t path_put_place(gmtrace_paths *p, path_place place);
path_place path_get_place(const gmtrace_paths *p, uint32_t number);
/* One part's way, as if it were alone. NULL without memory; good until the next call. */
const path_found *path_find_way(gmtrace_paths *p, const path_way_key *key);
/* The same, not to be asked for again. */
const path_found *path_find_way_once(gmtrace_paths *p, const path_way_key *key);

/* path_move.c */

/* The parts of a state. */
const path_part *path_parts(const gmtrace_paths *p, uint32_t state, uint32_t *count);
/* The state of such parts. UINT32_MAX without memory. */
uint32_t path_put_state(gmtrace_paths *p, const path_part *part, uint32_t count);
/* What is executed and the state that comes of it: state, to, code and mask are set. False without
 * memory. */
bool path_move_make(gmtrace_paths *p, path_move *move);

#endif
