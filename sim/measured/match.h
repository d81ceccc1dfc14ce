/* SPDX-License-Identifier: MIT
 *
 * match.h - which measured launch is which launch of a trace.
 *
 * Both must have the same grid, block and kernel name. Among several such the order decides: the
 * first launch of a trace is the first measured one. Where the measured file names cases and a
 * trace bears the name of one, its launches look among that case's rows alone. A name that agrees
 * but for its template arguments counts only if one side was printed without them, or if there is
 * just one candidate on either side. Nothing is dropped: what has no partner stays at -1.
 */
#ifndef GMSIM_MATCH_H
#define GMSIM_MATCH_H

#include "sim/measured/measured.h"

typedef struct gmsim_match {
    const char *label;   /* the trace's name: "transpose_pad" for traces/transpose_pad.trc */
    const char *name;    /* the kernel, readable */
    const char *mangled; /* its symbol; "" where unknown */
    uint32_t grid[3], block[3];
    int row; /* out: index into measured->rows, -1 without partner */
} gmsim_match;

/* Fills `row` of each launch. row_used has one byte a measured row: 1 = somebody's partner. */
void gmsim_match_launches(const gmsim_measured *measured, gmsim_match *launch, size_t count,
                          uint8_t *row_used);

#endif
