/* SPDX-License-Identifier: MIT
 *
 * unseen.h - reconstructs local accesses that a capture does not see.
 *
 * The Compute Sanitizer reports no access whose address is the stack pointer plus a constant
 * (LDL.64 R2, [R1+0x60]), which is how the compiler spills registers. But the trace has the code,
 * and all lanes use the same slot of their windows, so that both which slot and who used it follow
 * from the records around it: between two recorded instructions of a lane lies a path through code
 * that is never recorded, and what stands on the path was executed.
 *
 * Needs nothing but gmtrace.h; private to the programs that make traces. One thread at a time.
 */
#ifndef GMTRACE_UNSEEN_H
#define GMTRACE_UNSEEN_H

#include "traces/gmtrace.h"

/* What is known of a kernel's code. */
typedef struct gmtrace_unseen gmtrace_unseen;

/* Where each lane of a warp stands. */
typedef struct gmtrace_unseen_warp {
    uint32_t at[GMTRACE_WARP_LANES]; /* private: the place its next record is looked for from */
    uint32_t live;                   /* lanes that are threads and have not ended */
} gmtrace_unseen_warp;

typedef struct gmtrace_unseen_access {
    uint32_t instr, mask;
} gmtrace_unseen_access;

typedef struct gmtrace_unseen_counts {
    uint64_t accesses;   /* reconstructed */
    uint64_t predicated; /* of those, taken as executed although a predicate guards them */
    uint64_t ambiguous;  /* moves for which several paths differ in what they access */
    uint64_t lost;       /* moves for which the code has no path: nothing is reconstructed */
    uint64_t dropped;    /* accesses that there was no memory for: the trace is not whole */
} gmtrace_unseen_counts;

/* detail: what is recorded. False without memory. *unseen is NULL where the code has no such access:
 * nothing to do then. */
bool gmtrace_unseen_create(const gmtrace_instr *instr, uint32_t count, gmtrace_detail detail,
                           gmtrace_unseen **unseen);
void gmtrace_unseen_free(gmtrace_unseen *unseen); /* NULL is allowed */

/* Each of these returns how many accesses were executed, listed in order in gmtrace_unseen_list()
 * until the next call. */

/* The warp begins, `live` being its threads. */
size_t gmtrace_unseen_enter(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t live);
/* A record of the warp: *before is how many of the accesses come before it, the rest follow it. */
size_t gmtrace_unseen_step(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t instr,
                           uint32_t mask, size_t *before);
/* A record of a stack slot that no list since the last record but those of slots has: the lanes went
 * on behind a fork of the code. All up to the next fork or record is listed, the slot's among it. */
size_t gmtrace_unseen_reach(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t instr,
                            uint32_t mask);
/* These lanes have ended. */
size_t gmtrace_unseen_end(gmtrace_unseen *unseen, gmtrace_unseen_warp *warp, uint32_t mask);

/* Is the instruction one of those whose accesses are reconstructed? */
bool gmtrace_unseen_is_slot(const gmtrace_unseen *unseen, uint32_t instr);
const gmtrace_unseen_access *gmtrace_unseen_list(const gmtrace_unseen *unseen);
/* Accesses of a list may be kept until their warp's next record that is no slot's: by then the
 * capture has reported what it does report. True, and not counted as reconstructed any more, where
 * the access's instruction was reported after all, now or before. */
bool gmtrace_unseen_retract(gmtrace_unseen *unseen, const gmtrace_unseen_access *access);
/* The access as a record of the trace. */
void gmtrace_unseen_record(const gmtrace_unseen *unseen, const gmtrace_unseen_access *access,
                           gmtrace_record *record);
/* What was counted since the last call. */
gmtrace_unseen_counts gmtrace_unseen_take_counts(gmtrace_unseen *unseen);

#endif
