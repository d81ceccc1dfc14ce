/* SPDX-License-Identifier: MIT
 *
 * path.h - the instructions that warps executed between the records of a trace. Part of libgmtrace.
 *
 * A trace of memory instructions has the kernel's whole code. Between two records of a warp lies a
 * way through that code on which nothing was recorded; what stands on the way was executed. Give
 * every record of a warp in order to gmtrace_path_step(): it returns the way to it, made once and
 * looked up from then on, with all sums that a timing model needs.
 *
 * How doubt is resolved. A way never crosses an unguarded memory instruction, which would have been
 * recorded; crossing one whose predicate is false for all lanes is free. Of the ways left the one
 * with the fewest instructions is taken that its own predicates allow: branches on the same
 * predicate go the same way as long as it is not written. A branch that lanes decide one by one
 * (its predicate is made of thread numbers or of what was loaded) counts twice what it skips: the
 * warp executes that if a single lane needs it. Where both sides have something of their own it
 * executes both (path_sides.c). Calls are rare cases, and so are large numbers. A
 * loop in which nothing is recorded is run as often as the constants in its code say (a counter
 * from a constant, by a constant, up to a constant), whether it is left at its end or from its
 * middle, and once where they say nothing. A warp is divided where its records' masks show it: each
 * part's way is executed apart, from the branch where they part to the BSYNC where they meet. Lanes
 * missing from the mask of a guarded instruction are taken to have come along.
 *
 * Where the code itself says what lanes do (gmtrace_paths_know()), ways follow from that: each
 * group of lanes goes its own, up to the BSYNC where they meet, and loops run as often as they do.
 * Lanes of which too little is known, as there are too many to follow all, go as others went there:
 * short ways and long ones so often that they come to the others' mean.
 *
 * Left out: how many lanes take a side of a branch without any record, where nothing tells (if one
 * could, the side is counted); indirect branches whose targets the code does not show; replays of
 * instructions by the hardware.
 *
 * Threads: a gmtrace_paths and the warps stepped with it belong to one thread at a time. Results do
 * not depend on the order in which warps are stepped, short of GMTRACE_PATH_LIMIT states.
 */
#ifndef GMTRACE_PATH_H
#define GMTRACE_PATH_H

#include "traces/gmtrace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GMTRACE_PATH_BARRIERS 6u         /* scoreboards of a warp */
#define GMTRACE_PATH_NEVER    UINT32_MAX /* a place on the way that there is not */
#define GMTRACE_PATH_LIMIT    (1u << 20) /* states remembered; beyond, warps are taken as whole */

/* Consecutive instructions of the table, executed `times` times over. A loop whose body is not one
 * run of code has several pieces with the same `times`, which take turns. */
typedef struct gmtrace_path_piece {
    uint32_t first, count, times;
} gmtrace_path_piece;

/* What a warp executed after a record and before the next, both excluded. The order of the pieces
 * is that of execution; of a divided warp, one part's comes after the other's. */
typedef struct gmtrace_path {
    uint64_t instructions; /* warp instructions, those predicated off included */
    uint64_t slots;        /* issue cycles: the sum of stall counts, at least 1 each; the record
                            * before the way has its own in the table */
    uint64_t by_class[GMTRACE_CLASS_COUNT]; /* gmtrace_class; LOADs here: constants, and those
                                             * whose predicate was false */
    /* For each scoreboard: `slots` before the first instruction on the way that waits for it, or
     * GMTRACE_PATH_NEVER; and the last instruction on the way that sets it, or GMTRACE_NO_INSTR. A
     * scoreboard set by a record's own instruction is waited for at wait_at of the way after it.
     * Of what lies in the way's own middle the pieces tell. */
    uint32_t wait_at[GMTRACE_PATH_BARRIERS];
    uint32_t set_by[GMTRACE_PATH_BARRIERS];
    uint8_t wait_mask; /* all scoreboards waited for on the way, not those of the record after it */
    bool ambiguous;    /* a branch on the way could have gone another way as well */
    bool estimated;    /* a loop on the way was run as often as constants say, or once */
    bool lost;         /* the code has no such way: some records are missing here */
    uint32_t number;   /* from 0 on, in the order in which ways were made */
    uint32_t piece_count;
    const gmtrace_path_piece *piece;
} gmtrace_path;

typedef struct gmtrace_paths gmtrace_paths;

/* Where a warp's lanes stand. Copy it freely. */
typedef struct gmtrace_path_warp {
    uint32_t state, place, values, parts, copied, local, mask[GMTRACE_WARP_LANES]; /* private */
} gmtrace_path_warp;

typedef struct gmtrace_path_counts {
    uint64_t steps, instructions; /* recorded ones; all, those of the ways and the recorded */
    uint64_t by_class[GMTRACE_CLASS_COUNT];
    uint64_t ambiguous, estimated, lost; /* ways of those kinds, each time they were taken */
} gmtrace_path_counts;

/* NULL without memory. The kernel must outlive it. */
gmtrace_paths *gmtrace_paths_create(const gmtrace_kernel *kernel, gmtrace_detail detail);
void gmtrace_paths_free(gmtrace_paths *paths); /* NULL is allowed */
/* Before the first warp: where the launch's size, its parameters, memory that it knows and threads'
 * numbers decide a branch, those warps whose number is told go the way that their lanes go. Of more
 * warps than can be followed (256 MiB of what their lanes have, 2^27 instructions) the others go as
 * those did in the mean. The launch must outlive `paths`. */
void gmtrace_paths_know(gmtrace_paths *paths, const gmtrace_launch *launch);

/* The warp begins, `live` being its threads, not 0. */
void gmtrace_path_enter(gmtrace_paths *paths, gmtrace_path_warp *warp, uint32_t live);
/* The same, of warp `number` of a CTA. */
void gmtrace_path_enter_as(gmtrace_paths *paths, gmtrace_path_warp *warp, uint32_t live,
                           uint64_t cta, uint32_t number);
/* The way to the warp's next record. Never NULL; valid until gmtrace_paths_free(). The second
 * record of an asynchronous copy belongs to the same instruction: its way is empty. */
const gmtrace_path *gmtrace_path_step(gmtrace_paths *paths, gmtrace_path_warp *warp,
                                      const gmtrace_record *record);
/* The same, of a record in a chunk: where it loads what the launch knows, branches on that are
 * decided. */
const gmtrace_path *gmtrace_path_step_in(gmtrace_paths *paths, gmtrace_path_warp *warp,
                                         const gmtrace_record *record, const gmtrace_chunk *chunk);
/* The way to the warp's end, EXIT included. */
const gmtrace_path *gmtrace_path_end(gmtrace_paths *paths, gmtrace_path_warp *warp);

/* Of everything stepped since creation. */
gmtrace_path_counts gmtrace_path_get_counts(const gmtrace_paths *paths);
/* What is remembered and gone through, each in thousandths of what that may be before ways come to
 * depend on the order in which warps are stepped: they do where one is GMTRACE_PATHS_ORDERED or
 * more. Warps that are stepped with several `paths` of one launch go the same ways as with one, as
 * long as no sum over them is. Added to what `order` has. */
#define GMTRACE_PATHS_ORDERED 1000u
typedef struct gmtrace_path_order {
    uint64_t states, loops, kept, ran, vain, searched, found, sampled;
} gmtrace_path_order;
void gmtrace_paths_add_order(const gmtrace_paths *paths, gmtrace_path_order *order);
bool gmtrace_paths_ordered(const gmtrace_path_order *order);
/* True where memory ran out: ways since then are empty. */
bool gmtrace_paths_failed(const gmtrace_paths *paths);

#ifdef __cplusplus
}
#endif

#endif
