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
#include "traces/code/path_sides.h"
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
    bool alike;   /* all warps go so, whatever they have */
    uint32_t blocks;
} path_found;

/* Ways that lanes went by what they have, by where from and to, those that were in doubt apart: for
 * lanes of which too little is known. */
typedef struct path_samples {
    path_set keys; /* place, to, all, ambiguous */
    struct path_sample {
        struct path_kind {
            uint64_t length, ways; /* of all instructions on them; how many */
            path_found found;      /* the one that is nearest to their mean */
            uint64_t nearest;      /* its length */
        } all, side[2];            /* short ones and, where there are other lengths, long ones */
    } * sample;
    int64_t owed; /* instructions: means, less what those went who were given a way for them */
    bool asked;   /* some went by them, or would have, had there been any */
} path_samples;

/* Numbers below that, as a mask. */
#define PATH_FEW 128u
typedef uint64_t path_few[PATH_FEW / 64u];

static inline bool path_few_have(const path_few few, uint32_t number)
{
    return few[number / 64u] >> number % 64u & 1u;
}

static inline void path_few_add(path_few few, uint32_t number)
{
    few[number / 64u] |= UINT64_C(1) << number % 64u;
}

/* A way of whole warps that all go alike (path_plain.c). */
typedef struct path_plain {
    path_places places; /* it changes nothing if lanes have nothing here, */
    path_effect effect; /* and this is PATH_LEAVES */
    uint32_t place, to;
    path_found found; /* but for the values */
    const gmtrace_path *path;
    bool all;
    uint32_t sample; /* its number, plus one; 0: not known yet */
    uint32_t next;   /* another from the same place, plus one; 0: none */
    uint64_t taken;  /* how often, by warps without a state */
} path_plain;

/* Of what lanes have, by its number. */
typedef struct path_had {
    path_places places; /* where something is known */
    path_few gone;      /* plain ways that whole warps have gone with it, and kept it */
    path_few stood;     /* places where a whole warp had it */
    uint32_t state;     /* that of a whole warp which has it; UINT32_MAX: none */
    uint32_t mask;      /* the lanes */
    bool missing;       /* it is not known what some had loaded */
    bool is_set;
} path_had;

typedef struct path_move {
    const gmtrace_path *path;
    uint64_t code;  /* two bits a part: 0 none, 1 some, 2 all of its lanes */
    uint64_t taken; /* how often */
    uint32_t state, to, next, next_parts;
    uint32_t mask;          /* of the record, where it matters which lanes of a part are there */
    uint32_t place, values; /* of the next state, if it is a whole warp's; else PATH_NO_VALUES */
} path_move;

/* A block, whether its instruction is guarded and, added later, loads or stores what is to be
 * known. */
#define PATH_TARGET(BLOCK, GUARDED) (4u * (BLOCK) + (GUARDED))
#define PATH_TARGET_ACCESSES        2u

/* A way to a BSYNC that the others' way crosses with a piece, and how much of it is done. */
typedef struct path_wait {
    uint32_t list, crossed;
    uint64_t done;
} path_wait;

#define PATH_WAITS 64u

struct gmtrace_paths {
    const gmtrace_kernel *kernel;
    path_graph graph;
    path_search *search;
    path_sides *sides;
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
    uint32_t state_count; /* those of warps that need none counted: see path_stand() */
    path_had *had;        /* by values */
    uint32_t values_rooms;
    path_plain *plain;
    uint32_t plain_count;
    uint8_t first_plain[PATH_FEW]; /* from each place, plus one; 0: none */
    path_arena arena;
    path_list made, whole, alone;
    path_wait wait[PATH_WAITS]; /* of the move that is made: those in `alone` */
    uint32_t waits;
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

/* path_plain.c */

/* NULL without memory. */
path_had *path_had_of(gmtrace_paths *p, uint32_t values);
/* The way of a whole warp that has afterwards what it has: it goes it. NULL: it is no such. */
const path_plain *path_plain_go(gmtrace_paths *p, uint32_t place, uint32_t to, bool all,
                                uint32_t values);
/* That of one which may have something else then, as path_find_way_once() would find it. NULL: it
 * is not known. */
const path_plain *path_plain_run(gmtrace_paths *p, const path_way_key *key, path_found *way);
/* That a whole warp went so. */
void path_plain_note(gmtrace_paths *p, const path_way_key *key, const path_found *way,
                     const gmtrace_path *path);

/* path_way.c */

/* The number, plus one, of what is known of ways there that are not in doubt. 0 without memory. */
uint32_t path_sample_of(gmtrace_paths *p, uint32_t place, uint32_t to, bool all);
void path_sample_add(struct path_sample *sample, const path_found *way, uint64_t length);
/* What the lanes have behind the record's instruction. */
uint32_t path_keep_values(gmtrace_paths *p, const path_way_key *key, path_lanes *lanes);
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
/* A whole warp, no part of which went elsewhere, stands there and has that. It gets a state when it
 * needs one, from the place and the values. */
void path_stand(gmtrace_paths *p, gmtrace_path_warp *warp, uint32_t place, uint32_t values);
bool path_stand_still(gmtrace_paths *p, gmtrace_path_warp *warp); /* False without memory. */
/* What is executed and the state that comes of it: state, to, code and mask are set. False without
 * memory. */
bool path_move_make(gmtrace_paths *p, path_move *move);

#endif
