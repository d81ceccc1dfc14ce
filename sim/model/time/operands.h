/* SPDX-License-Identifier: MIT
 *
 * operands.h - when arithmetic instructions of a warp that follow one another can read their
 * registers.
 */
#ifndef GMSIM_OPERANDS_H
#define GMSIM_OPERANDS_H

#include "traces/code/decoded.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* That are remembered: more than instructions issue while one is fresh. */
#define GMSIM_RESULTS 8u
/* A late result comes with those of what issues so many clocks behind it. */
#define GMSIM_LATER 2u

/* Begins as zeros. Clocks are of any one beginning, and never go back. */
typedef struct gmsim_operands {
    uint64_t bank[2];                /* clock when it gives the next register */
    uint64_t written[GMSIM_RESULTS]; /* clocks when instructions issued that have a result, */
    uint8_t result[GMSIM_RESULTS];   /* and its register; in turn */
    uint32_t results;                /* so far, since they were forgotten */
    uint64_t late[2]; /* a clock behind those of the last two that write late; 0: none */
} gmsim_operands;

/* The clock from which an instruction that could issue at `now` does, and takes note of it. */
uint64_t gmsim_operands_read(gmsim_operands *o, const gmtrace_decoded *decoded, uint64_t now);

/* Other warps issued in between: results are fresh no longer. Whether one may meet theirs, which
 * was to come `now` or later. */
static inline bool gmsim_operands_forget(gmsim_operands *o, uint64_t now)
{
    const bool open = o->late[0] && now < o->late[0] + GMSIM_LATER;
    o->results = 0;
    o->late[0] = o->late[1] = 0;
    return open;
}

/* All that was said happened `clocks` later. */
static inline void gmsim_operands_later(gmsim_operands *o, uint64_t clocks)
{
    for (uint32_t i = 0; i < 2; i++) {
        o->bank[i] += clocks;
        o->late[i] += o->late[i] ? clocks : 0;
    }
    for (uint32_t i = 0; i < GMSIM_RESULTS; i++)
        o->written[i] += clocks;
}

#pragma GCC visibility pop

#endif
