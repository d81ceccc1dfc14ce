/* SPDX-License-Identifier: MIT
 *
 * meet.c - an open-addressed table of words and who read them first; nothing ever leaves it.
 */
#include "sim/model/count/meet.h"

#include <string.h>

#define PROBES 8u
#define SHARED ((uint64_t)1 << 63)

void gmsim_meet_reset(gmsim_meet *meet)
{
    memset(meet, 0, sizeof *meet);
}

/* Has another warp read the word before? */
static bool met(gmsim_meet *meet, uint64_t key, uint64_t who)
{
    const uint32_t size = 1u << GMSIM_MEET_BITS;
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> (64u - GMSIM_MEET_BITS));
    for (uint32_t probe = 0; probe < PROBES; probe++, at = (at + 1u) % size) {
        if (meet->slot[at].who == 0) {
            meet->slot[at].key = key;
            meet->slot[at].who = who;
            return false;
        }
        if (meet->slot[at].key == key)
            return meet->slot[at].who != who;
    }
    return false;
}

void gmsim_meet_note(gmsim_meet *meet, uint32_t kind, uint64_t cta, uint32_t warp,
                     const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    uint64_t address[GMTRACE_WARP_LANES], who = cta * 64u + warp + 1u;
    if (meet->kinds >> kind & 1u)
        return;
    gmsim_lane_addresses(chunk, record, address);
    for (uint32_t left = record->mask; left; left &= left - 1u) {
        uint64_t key = address[gmsim_lowest(left)] >> 2;
        if (record->space == GMTRACE_SPACE_SHARED)
            key |= SHARED | cta << 24;
        if (met(meet, key, who))
            meet->kinds |= 1u << kind;
    }
}
