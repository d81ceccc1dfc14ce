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

/* Begins as zeros. Clocks are of any one beginning, and never go back. */
typedef struct gmsim_operands {
    uint64_t bank[2];                /* clock when it gives the next register */
    uint64_t written[GMSIM_RESULTS]; /* clocks when instructions issued that have a result, */
    uint8_t result[GMSIM_RESULTS];   /* and its register; in turn */
    uint32_t results;                /* so far, since they were forgotten */
} gmsim_operands;

/* The clock from which an instruction that could issue at `now` does, and takes note of it. */
uint64_t gmsim_operands_read(gmsim_operands *o, const gmtrace_decoded *decoded, uint64_t now);

/* Results are fresh no longer: other warps issued in between. */
static inline void gmsim_operands_forget(gmsim_operands *o)
{
    o->results = 0;
}

/* All that was said happened `clocks` later. */
static inline void gmsim_operands_later(gmsim_operands *o, uint64_t clocks)
{
    o->bank[0] += clocks;
    o->bank[1] += clocks;
    for (uint32_t i = 0; i < GMSIM_RESULTS; i++)
        o->written[i] += clocks;
}

#pragma GCC visibility pop

#endif
