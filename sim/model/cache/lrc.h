/* SPDX-License-Identifier: MIT
 *
 * lrc.h - the request coalescer between the SMs of a GPC and L2 (LRC). Rules, as measured on an
 * H200 by micro/merge.cu (experiment sms): reads of the same sectors of a line by SMs of one GPC
 * that are under way together become one; at most gpu.lrc_merge of them; a read from another GPC
 * never joins. A read is under way from the LRC until its data are back there: shorter than its
 * latency seen by the SM, by the way between SM and LRC.
 *
 * No limit was found to how many lines wait at once, with 2,000 of a GPC (micro/tma_merge.cu,
 * others).
 *
 * Left out: an entry here gives way to the next line that falls on it.
 */
#ifndef GMSIM_LRC_H
#define GMSIM_LRC_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/model/cache/message.h"
#include "sim/model/time/queue.h"

#define GMSIM_LRC_ENTRIES 2048u /* a GPC; a power of two */

typedef struct gmsim_lrc_entry {
    uint64_t line;
    uint64_t done;  /* when the data are back at the LRC */
    uint32_t under; /* clocks before that it came there */
    uint8_t sectors, readers;
} gmsim_lrc_entry;

static inline gmsim_lrc_entry *gmsim_lrc_at(gmsim_lrc_entry *table, uint64_t line)
{
    return &table[gmsim_hash32(line) / (UINT32_MAX / GMSIM_LRC_ENTRIES + 1u)];
}

/* Whether the read joins the one in the entry. */
static inline bool gmsim_lrc_join(gmsim_lrc_entry *entry, uint64_t line, uint32_t sectors,
                                  uint64_t now, uint32_t most)
{
    /* SMs do not come in the order of time: this read may be long before that one. */
    if (entry->line != line || entry->sectors != sectors || now >= entry->done ||
        now + GMSIM_STEP + entry->under < entry->done || entry->readers >= most)
        return false;
    entry->readers++;
    return true;
}

#endif
