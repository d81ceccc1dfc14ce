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
 * No limit was found to how many lines wait at once, with 2,000 of a GPC (micro/tma_merge.cu,
 * others) or 14,000 (micro/merge_shape.cu, others32).
 *
 * Left out: an entry here gives way to the next line that falls on it; reads of one step come SM by
 * SM, so that one may end what on an H200 came before it.
 */
#ifndef GMSIM_LRC_H
#define GMSIM_LRC_H

#include <stdint.h>

#include "sim/model/cache/message.h"
#include "sim/model/time/queue.h"

#define GMSIM_LRC_ENTRIES 8192u /* a GPC; a power of two */

typedef struct gmsim_lrc_entry {
    uint64_t line;
    uint64_t done;            /* when the data are back at the LRC */
    uint32_t late;            /* what comes there in the last so many clocks does not join */
    uint32_t under;           /* clocks before those that it came there */
    uint8_t sectors, readers; /* none: other sectors came since */
} gmsim_lrc_entry;

static inline gmsim_lrc_entry *gmsim_lrc_at(gmsim_lrc_entry *table, uint64_t line)
{
    return &table[gmsim_hash32(line) / (UINT32_MAX / GMSIM_LRC_ENTRIES + 1u)];
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
    /* SMs do not come in the order of time: this read may be long before that one. */
    const uint64_t until = entry->done - entry->late;
    if (entry->line != line || now >= until || now + GMSIM_STEP + entry->under < until ||
        !entry->readers)
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

#endif
