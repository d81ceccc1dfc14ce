/* SPDX-License-Identifier: MIT
 *
 * watch.h - an onlooker of a replay: told of every access to memory outside the SM and of what each
 * of its lines costs L1, L2 and DRAM, so that traffic can be told apart by what it belongs to.
 * Changes nothing. Where nobody looks on, a replay does not pay for it.
 *
 * What it is told adds up to the launch's gmsim_result: bytes, requests and sectors of its rows,
 * gmsim_l2_counts but for dirty_sectors. All calls come from the thread that replays.
 */
#ifndef GMSIM_WATCH_H
#define GMSIM_WATCH_H

#include "sim/model/count/coalesce.h"
#include "sim/model/model.h"

struct gmsim_watch {
    /* What was told so far does not count: a launch begins, or begins anew after it has been
     * replayed for what it leaves in the caches. */
    void (*begin)(struct gmsim_watch *watch);
    /* An access of a row of global or local memory, or a bulk copy: `requests` of them, or 0 of a
     * bulk copy; `record` is NULL for what one instruction goes on with. Lines of local memory lie
     * at GMSIM_LOCAL_WINDOWS and above. */
    void (*access)(struct gmsim_watch *watch, gmsim_row row, const gmtrace_chunk *chunk,
                   const gmtrace_record *record, const gmsim_footprint *footprint);
    /* Sectors of a line, as a mask, that a load did not find in L1. */
    void (*missed)(struct gmsim_watch *watch, uint64_t line, uint32_t sectors);
    /* A line came out of L2 for another's sake: sectors that DRAM read to complete it, and that
     * were written there. GMSIM_NO_LINE: it is nobody's, ncu left it there (l2.flush_dirty). */
    void (*cleaned)(struct gmsim_watch *watch, uint64_t line, uint32_t read, uint32_t written);
    /* What L2 counted for a line that it was asked for, what was cleaned meanwhile included. */
    void (*served)(struct gmsim_watch *watch, uint64_t line, const gmsim_l2_counts *counts);
};

#define GMSIM_NO_LINE       UINT64_MAX
#define GMSIM_LOCAL_WINDOWS (UINT64_C(1) << 50) /* no global address is as large */

#endif
