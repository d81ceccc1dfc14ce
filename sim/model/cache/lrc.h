/* SPDX-License-Identifier: MIT
 *
 * lrc.h - the request coalescer between the SMs of a GPC and L2 (LRC). Rules, as measured on an
 * H200 by micro/merge.cu (sms) and micro/merge_shape.cu: reads of the same sectors of a line by SMs
 * of one GPC that are under way together become one; at most gpu.lrc_merge of them; a read from
 * another GPC never joins. Which words of the sectors, which lanes, what other lines the request
 * has, and whether another SM asks or the same again, is all one. A read is under way from the LRC
 * until its data are back there: shorter than its latency seen by the SM, by the way between SM and
 * LRC, and by the wait for its slice of L2, which comes before (micro/hot_table.cu).
 *
 * A read of other sectors of the line goes on alone, and none joins the one before it any more: the
 * next, of whatever sectors, is the next to be joined.
 *
 * It does so for all GPCs of its side of L2, whichever of them it comes from (micro/merge_side.cu).
 * SMs that run in step ask about the same time, in any order on an H200, SM by SM here. So reads of
 * several sectors of a line that come within GMSIM_LRC_TOGETHER clocks go on as often as they would
 * in any order: those that had joined before that was known go on now (micro/merge_load.cu,
 * beside).
 *
 * A slice takes longer for a read that goes on while another of its line is under way
 * (micro/line_crowd.cu).
 *
 * SMs are served one after the other, each for a step of the schedule and for what waits for its
 * way out besides, so that reads do not come in the order of time. A line has two entries, of reads
 * of two times; and a read of an earlier time than that of an entry joins it where that would have
 * joined the read.
 *
 * An atomic of an SM of the GPC ends the merging, too: of the reads of its line that follow three
 * go on alone, before one is joined again (micro/hot_line.cu).
 *
 * No limit was found to how many lines wait at once, with 2,000 of a GPC (micro/tma_merge.cu,
 * others) or 14,000 (micro/merge_shape.cu, others32).
 *
 * Left out: an entry here gives way to the next line that falls on it; that SMs which wait long for
 * L2 are no longer in step, so that fewer reads of the same sectors become one
 * (micro/merge_load.cu, 64 warps).
 */
#ifndef GMSIM_LRC_H
#define GMSIM_LRC_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/model/cache/message.h"
#include "sim/model/time/queue.h"

#define GMSIM_LRC_ENTRIES  8192u /* a GPC; a power of two */
#define GMSIM_LRC_CROWDS   4096u /* a side; a power of two */
#define GMSIM_LRC_TOGETHER 300u  /* clocks from the first in which reads come in any order */
#define GMSIM_LRC_UNDER    40u   /* clocks that a slice is at a line, for the next read of it */
#define GMSIM_LRC_ALONES   3u    /* reads behind an atomic that go on alone */

typedef struct gmsim_lrc_entry {
    uint64_t line;
    uint64_t done;            /* when the data are back at the LRC */
    uint32_t late;            /* what comes there in the last so many clocks does not join */
    uint32_t under;           /* clocks before those that it came there */
    uint8_t sectors, readers; /* none: other sectors came since */
    uint8_t alone;            /* of the line's next reads so many join nothing, and lead nothing */
} gmsim_lrc_entry;

/* Reads of a line by SMs of one side that come together. Clocks are the lower halves of those. */
typedef struct gmsim_lrc_crowd {
    uint64_t line;
    uint32_t first, last;         /* of the first; of the last that went on */
    uint16_t kinds;               /* bit S: sectors S were asked for */
    uint16_t reads, gone, joined; /* all; that went on; that did not, and still may */
    uint16_t sm;                  /* of the first */
    bool sms;                     /* others asked, too */
} gmsim_lrc_crowd;

static inline gmsim_lrc_crowd *gmsim_lrc_crowd_at(gmsim_lrc_crowd *table, uint64_t line)
{
    return &table[gmsim_hash_slot(line, GMSIM_LRC_CROWDS)];
}

/* The two entries that a line's reads may be in. */
static inline gmsim_lrc_entry *gmsim_lrc_at(gmsim_lrc_entry *table, uint64_t line)
{
    return &table[2u * gmsim_hash_slot(line, GMSIM_LRC_ENTRIES / 2u)];
}

/* When the read in the entry came. */
static inline uint64_t gmsim_lrc_since(const gmsim_lrc_entry *entry)
{
    return entry->done - entry->late - entry->under;
}

/* Whether a read at that time is under way with the one in the entry. SMs do not come in the order
 * of time: this read may be before that one, which then joins it. */
static inline bool gmsim_lrc_covers(const gmsim_lrc_entry *entry, uint64_t line, uint64_t now)
{
    const uint32_t ahead = entry->under > GMSIM_STEP ? entry->under : GMSIM_STEP;
    return entry->line == line && now < entry->done - entry->late &&
           now + ahead >= gmsim_lrc_since(entry);
}

/* When the data of a read at that time are back at the LRC, which is under way with that one. */
static inline uint64_t gmsim_lrc_back(const gmsim_lrc_entry *entry, uint64_t now)
{
    const uint64_t own = now + entry->late + entry->under;
    return own < entry->done ? own : entry->done;
}

/* Of two entries the one that the read meets, or takes: what an SM asks for later than another SM
 * asks for it must not hide what it asked for at the same time. */
static inline gmsim_lrc_entry *gmsim_lrc_find(gmsim_lrc_entry *two, uint64_t line, uint64_t now)
{
    if (gmsim_lrc_covers(&two[0], line, now))
        return &two[0];
    if (gmsim_lrc_covers(&two[1], line, now))
        return &two[1];
    return &two[two[1].done < two[0].done];
}

/* How a read meets the one in the entry. */
typedef enum gmsim_lrc_role {
    GMSIM_LRC_LEADS, /* goes to L2, and takes the entry */
    GMSIM_LRC_ALONE, /* goes to L2 */
    GMSIM_LRC_JOINS,
} gmsim_lrc_role;

static inline gmsim_lrc_role gmsim_lrc_meet(gmsim_lrc_entry *entry, uint64_t line, uint32_t sectors,
                                            uint64_t now, uint32_t most)
{
    if (entry->line != line)
        return GMSIM_LRC_LEADS;
    if (entry->alone) {
        entry->alone--;
        return GMSIM_LRC_ALONE;
    }
    if (!gmsim_lrc_covers(entry, line, now) || !entry->readers)
        return GMSIM_LRC_LEADS;
    if (entry->sectors != sectors) {
        entry->readers = 0;
        return GMSIM_LRC_ALONE;
    }
    if (entry->readers >= most)
        return GMSIM_LRC_LEADS;
    entry->readers++;
    return GMSIM_LRC_JOINS;
}

/* An atomic passes. Of a line that nobody has read lately nothing is kept. */
static inline void gmsim_lrc_update(gmsim_lrc_entry *entry, uint64_t line)
{
    if (entry->line != line)
        return;
    entry->readers = 0;
    entry->alone = GMSIM_LRC_ALONES;
}

/* Whether two clocks, lower halves, are fewer than so many apart. */
static inline bool gmsim_lrc_near(uint32_t one, uint32_t other, uint32_t clocks)
{
    return one - other + clocks - 1u < 2u * clocks - 1u;
}

/* Whether a read of the line comes with that crowd. */
static inline bool gmsim_lrc_is_with(const gmsim_lrc_crowd *crowd, uint64_t line, uint64_t now)
{
    return crowd->line == line && gmsim_lrc_near((uint32_t)now, crowd->first, GMSIM_LRC_TOGETHER);
}

/* The read is one of its crowd, or the first of another. */
static inline void gmsim_lrc_enter(gmsim_lrc_crowd *crowd, uint64_t line, uint32_t sectors,
                                   uint32_t sm, uint64_t now)
{
    const uint16_t kind = (uint16_t)(1u << (sectors & 0xfu));
    if (!gmsim_lrc_is_with(crowd, line, now) || crowd->reads == UINT16_MAX) {
        *crowd = (gmsim_lrc_crowd){
            .line = line, .first = (uint32_t)now, .kinds = kind, .reads = 1u, .sm = (uint16_t)sm};
        return;
    }
    crowd->kinds |= kind;
    crowd->sms |= crowd->sm != sm;
    crowd->reads++;
}

/* Whether nobody but one SM has asked for the line lately: what a request of its asks for again, of
 * the same sectors, comes right behind (micro/copy_async.cu: of 32 lanes that copy the same past
 * L1, in which L2 sees 8). */
static inline bool gmsim_lrc_is_own(const gmsim_lrc_crowd *crowd, uint64_t line, uint64_t now)
{
    return !crowd->sms && gmsim_lrc_is_with(crowd, line, now);
}

/* Of a crowd that asks for sectors of several kinds: how many go on to L2, if they come in any
 * order. One joins the one before if that leads and is of its kind, and so do two more: with a
 * chance q of its kind each, of 2 + q + q^2 + q^3 reads two go on. */
static inline uint32_t gmsim_lrc_go_on(const gmsim_lrc_crowd *crowd)
{
    static const uint8_t of_100[] = {0, 0, 70, 81, 86, 89, 91, 92, 93};
    const uint32_t kinds = (uint32_t)__builtin_popcount(crowd->kinds);
    return (uint32_t)crowd->reads * of_100[kinds < 8u ? kinds : 8u] / 100u;
}

/* What becomes of a read that entered, where it would have that role. *late: reads before it that
 * joined, and go on now. */
static inline gmsim_lrc_role gmsim_lrc_among(gmsim_lrc_crowd *crowd, gmsim_lrc_entry *entry,
                                             gmsim_lrc_role role, uint32_t *late)
{
    const uint32_t go_on = crowd->kinds & (crowd->kinds - 1u) ? gmsim_lrc_go_on(crowd) : 0;
    if (role == GMSIM_LRC_JOINS && crowd->gone < go_on) {
        entry->readers--;
        role = GMSIM_LRC_ALONE;
    }
    if (role == GMSIM_LRC_JOINS)
        crowd->joined++;
    else
        crowd->gone++;
    *late = crowd->gone < go_on ? go_on - crowd->gone : 0;
    if (*late > crowd->joined)
        *late = crowd->joined;
    crowd->joined = (uint16_t)(crowd->joined - *late);
    crowd->gone = (uint16_t)(crowd->gone + *late);
    return role;
}

/* Whether a read that goes on meets another of its line at the slice. */
static inline bool gmsim_lrc_crowded(gmsim_lrc_crowd *crowd, uint64_t now)
{
    const bool crowded =
        crowd->gone > 1u && gmsim_lrc_near((uint32_t)now, crowd->last, GMSIM_LRC_UNDER);
    crowd->last = (uint32_t)now;
    return crowded;
}

#endif
