/* SPDX-License-Identifier: MIT
 *
 * touched.h - the set of 32-byte sectors that a launch touches: a bit each, in pages of 64 lines
 * that are found by hashing, so that an array costs some 50 bytes for each 8 KiB touched of it.
 * Private to sim/analysis.
 */
#ifndef GMSIM_TOUCHED_H
#define GMSIM_TOUCHED_H

#include <stdint.h>

typedef struct gmsim_touched_page {
    uint64_t number; /* line / 64, plus one; 0: free */
    uint64_t sectors[4];
} gmsim_touched_page;

typedef struct gmsim_touched {
    gmsim_touched_page *page;
    uint32_t room, used; /* room is a power of two, or 0 */
} gmsim_touched;

/* Adds the sectors of a line, as a mask; returns how many of them are new. */
uint32_t gmsim_touched_add(gmsim_touched *touched, uint64_t line, uint32_t sectors);
/* Empties the set. */
void gmsim_touched_reset(gmsim_touched *touched);
/* Frees what it holds. */
void gmsim_touched_clear(gmsim_touched *touched);

#endif
