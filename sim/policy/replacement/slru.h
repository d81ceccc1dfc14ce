/* SPDX-License-Identifier: MIT
 *
 * slru.h - segmented LRU (Karedla et al., Computer 27(3), 1994): lines that were wanted again after
 * they came are protected, up to half of those the set holds, or two of four; the least recently
 * used of the others leaves first. One protected line too many makes the least recently used of
 * them an ordinary one, as if it had just come. An H200's L1 keeps twice as many lines wanted twice
 * as lines wanted once (micro/l1_replace.cu: hot, pair). A way's byte is the time of its last use
 * by the set's clock, 0 where it is empty, and in its highest bit whether it is protected; less
 * than all times is GMSIM_SLRU_FIRST, of lines that are to leave before others.
 */
#ifndef GMSIM_SLRU_H
#define GMSIM_SLRU_H

#include "sim/policy/replacement/lru.h"

#include <stdbool.h>
#include <string.h>

#define GMSIM_SLRU_PROTECTED 0x80u
#define GMSIM_SLRU_FIRST     1u

/* The set's clock no longer fits seven bits: times become ranks. Seldom, and out of the way. */
static __attribute__((noinline, unused)) void gmsim_slru_rank(gmsim_lines lines)
{
    uint8_t rank[32];
    for (uint32_t i = 0; i < lines.room; i++) {
        uint8_t time = lines.way[i] & 0x7fu;
        rank[i] = (uint8_t)((time != 0) + (time > GMSIM_SLRU_FIRST));
        for (uint32_t k = 0; k < lines.room; k++) {
            uint8_t other = lines.way[k] & 0x7fu;
            rank[i] = (uint8_t)(rank[i] + (other && other < time));
        }
    }
    for (uint32_t i = 0; i < lines.room; i++)
        lines.way[i] = (uint8_t)((lines.way[i] & GMSIM_SLRU_PROTECTED) | rank[i]);
    *lines.set = lines.ways;
}

/* The set's clock, a step on. */
static inline uint8_t gmsim_slru_now(gmsim_lines lines)
{
    if (*lines.set == GMSIM_SLRU_PROTECTED - 1u - GMSIM_SLRU_FIRST)
        gmsim_slru_rank(lines);
    return (uint8_t)(++*lines.set + GMSIM_SLRU_FIRST);
}

static inline void gmsim_slru_fill(gmsim_lines lines, uint32_t way)
{
    lines.way[way] = gmsim_slru_now(lines);
}

/* How many of eight bytes have their highest bit; the others are clear. */
static inline uint32_t gmsim_slru_count(uint64_t highest)
{
    return (uint32_t)((highest >> 7) * UINT64_C(0x0101010101010101) >> 56);
}

/* Are more than half of the lines protected? */
static inline bool gmsim_slru_is_over(gmsim_lines lines)
{
    uint32_t held = 0, protects = 0;
    if (lines.ways == 4u) {
        uint32_t way;
        memcpy(&way, lines.way, sizeof way);
        way &= UINT32_C(0x80808080);
        way &= way - 1u;
        return (way & (way - 1u)) != 0;
    }
    if (lines.ways == 8u) {
        uint64_t way, low = UINT64_C(0x7f7f7f7f7f7f7f7f);
        memcpy(&way, lines.way, sizeof way);
        protects = gmsim_slru_count(way & ~low);
        held = gmsim_slru_count((((way & low) + low) | way) & ~low);
    } else {
        for (uint32_t i = 0; i < lines.room; i++) {
            held += lines.way[i] != 0;
            protects += lines.way[i] >> 7;
        }
    }
    return protects > (held + 1u) / 2u;
}

/* The protected line that was used longest ago. */
static inline uint32_t gmsim_slru_oldest(gmsim_lines lines)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < lines.room; i++)
        if ((lines.way[i] ^ GMSIM_SLRU_PROTECTED) < (lines.way[oldest] ^ GMSIM_SLRU_PROTECTED))
            oldest = i;
    return oldest;
}

static inline void gmsim_slru_use(gmsim_lines lines, uint32_t way)
{
    const uint8_t before = lines.way[way];
    lines.way[way] = (uint8_t)(gmsim_slru_now(lines) | GMSIM_SLRU_PROTECTED);
    if (before & GMSIM_SLRU_PROTECTED || !gmsim_slru_is_over(lines))
        return;
    uint32_t oldest = gmsim_slru_oldest(lines);
    lines.way[oldest] = gmsim_slru_now(lines);
}

/* The highest bit makes a protected line younger than any other. */
static inline uint32_t gmsim_slru_victim(gmsim_lines lines, uint32_t candidates)
{
    return gmsim_lru_victim(lines, candidates);
}

#endif
