/* SPDX-License-Identifier: MIT
 *
 * pending.h - sectors on their way to L1, line by line. A load that finds its sectors there waits
 * for them (micro/merge.cu). A store to any sector of a line of which some are on their way makes
 * L1 lose the line: what comes serves the load alone, and is not kept, for it may be older than the
 * store; who loads it next asks anew, and is not merged with the load before
 * (micro/store_awaited.cu).
 *
 * Left out: lines whose places in this table are taken by others.
 */
#ifndef GMSIM_PENDING_H
#define GMSIM_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/model/cache/message.h"

typedef struct gmsim_pending {
    uint64_t line; /* shifted left by 4, and the sectors: none where a store has come to them */
    uint64_t done; /* when they are there, or GMSIM_UNDER_WAY and the number of a message */
} gmsim_pending;

#define GMSIM_PENDING   512u /* a power of two */
#define GMSIM_UNDER_WAY (UINT64_C(1) << 63)

/* The line's place among GMSIM_PENDING, by a hash. */
static inline gmsim_pending *gmsim_pending_at(gmsim_pending *pending, uint64_t line)
{
    return &pending[gmsim_hash32(line) % GMSIM_PENDING];
}

/* A store comes to the line at `now`. Does L1 lose the line? */
static inline bool gmsim_pending_meets(gmsim_pending *pending, uint64_t line, uint64_t now)
{
    gmsim_pending *own = gmsim_pending_at(pending, line);
    if (own->line >> 4 != line || !(own->line & 15u) || own->done <= now)
        return false;
    own->line = line << 4;
    return true;
}

/* Is what was on its way lost so, and not there yet? */
static inline bool gmsim_pending_lost(const gmsim_pending *own, uint64_t line, uint64_t now)
{
    return own->line == line << 4 && own->done > now;
}

#endif
