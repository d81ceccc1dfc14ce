/* SPDX-License-Identifier: MIT
 *
 * recent.h - how many different places a slice of L2 has worked on lately: of its atomics' sectors,
 * and of the lines that both sides store to.
 */
#ifndef GMSIM_RECENT_H
#define GMSIM_RECENT_H

#include <stdint.h>

#define GMSIM_RECENT 8u /* of the last so many it is known, at most */

/* All zero at first. */
typedef struct gmsim_recent {
    uint64_t place[GMSIM_RECENT]; /* the latest of each of some, in no order; 0: none */
    uint32_t at[GMSIM_RECENT];    /* which turn that was */
    uint32_t turn;                /* how many there have been */
} gmsim_recent;

/* The place has its turn, which is not 0; returns of how many different ones the last so many were,
 * this among them. */
static inline uint32_t gmsim_recent_among(gmsim_recent *recent, uint64_t place, uint32_t last)
{
    const uint32_t turn = ++recent->turn;
    uint32_t own = 0, others = 0;
    for (uint32_t i = 0; i < GMSIM_RECENT; i++) {
        if (recent->place[i] == place)
            own = i;
        else if (recent->place[i] && turn - recent->at[i] < last)
            others++;
        if (recent->place[own] != place && recent->at[i] < recent->at[own])
            own = i; /* the one longest ago */
    }
    recent->place[own] = place;
    recent->at[own] = turn;
    return 1u + others;
}

#endif
