/* SPDX-License-Identifier: MIT
 *
 * meet.c - an open-addressed table of words and who read them first; nothing ever leaves it.
 */
#include "sim/model/count/meet.h"

#include <string.h>

#define PROBES 8u
#define SHARED ((uint64_t)1 << 63)

/* In a key: addresses have no more than 57 bits. */
#define KIND_AT 60u
#define KIND    ((uint64_t)7 << KIND_AT)

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
    meet->lost = true;
    return false;
}

static bool has_met(const gmsim_meet *meet, uint32_t kind)
{
    return meet->kinds >> kind & 1u;
}

static void note(gmsim_meet *meet, uint32_t kind, uint64_t key, uint64_t who)
{
    if (!has_met(meet, kind) && met(meet, key, who))
        meet->kinds |= 1u << kind;
}

void gmsim_meet_note(gmsim_meet *meet, uint32_t kind, uint64_t cta, uint32_t warp,
                     const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    uint64_t address[GMTRACE_WARP_LANES], who = cta * 64u + warp + 1u;
    if (has_met(meet, kind))
        return;
    gmsim_lane_addresses(chunk, record, address);
    for (uint32_t left = record->mask; left; left &= left - 1u) {
        uint64_t key = address[gmsim_lowest(left)] >> 2;
        if (record->space == GMTRACE_SPACE_SHARED)
            key = SHARED | cta << 24 | (key & 0xffffffu);
        note(meet, kind, (key & ~KIND) | (uint64_t)kind << KIND_AT, who);
    }
}

void gmsim_meet_add(gmsim_meet *meet, const gmsim_meet *other)
{
    meet->kinds |= other->kinds;
    meet->lost |= other->lost;
    for (uint32_t at = 0; at < 1u << GMSIM_MEET_BITS; at++) {
        const uint64_t key = other->slot[at].key;
        if (other->slot[at].who)
            note(meet, (uint32_t)((key & KIND) >> KIND_AT), key, other->slot[at].who);
    }
}
