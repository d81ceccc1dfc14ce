/* SPDX-License-Identifier: MIT
 *
 * tally.h - counts by instruction, and what the model needs to know of each instruction.
 */
#ifndef GMSIM_TALLY_H
#define GMSIM_TALLY_H

#include "sim/model/cache/l1.h"
#include "sim/model/count/meet.h"
#include "sim/model/model.h"
#include "traces/code/decoded.h"

#pragma GCC visibility push(hidden)

/* One instruction of the kernel's table, as the replay sees it. */
typedef struct gmsim_site {
    uint32_t first;         /* its entries in gmsim_tally.entry */
    uint8_t entries;        /* how many rows its class can fall into; 0: not a memory instruction */
    uint8_t matrices;       /* LDSM, STSM */
    uint8_t load;           /* gmsim_l1_load */
    uint8_t atomic;         /* gmsim_bank_use of a shared atomic */
    bool is_float, is_swap; /* of an atomic: it adds floats, it compares and swaps */
    bool copy_bypass;       /* LDGSTS.BYPASS */
    bool copy_zeros;        /* LDGSTS.ZFILL */
    bool whole_lines;       /* LTC128B */
    uint8_t unsteady;       /* gmtrace_unsteady */
    bool polls, signals;    /* a load whose loop waits for others; it may be what they wait for
                             * (time/polls.h) */
    bool arrive_only;       /* BAR.ARV: does not wait */
    bool closes_group;      /* of a warpgroup MMA */
    uint8_t stall;          /* clocks until the warp's next instruction, at least 1 */
    uint8_t wait_mask;      /* scoreboards that it waits for */
    uint8_t scoreboard;     /* that its result sets free; GMSIM_SCOREBOARDS and more: none */
    uint8_t read_scoreboard; /* that the reading of its operands sets free */
} gmsim_site;

typedef struct gmsim_tally {
    const gmtrace_kernel *kernel;
    gmsim_site *site;         /* one an instruction, and one more for records without instruction */
    uint32_t none;            /* number of that */
    gmtrace_decoded *decoded; /* one an instruction */
    uint8_t *unsteady;        /* gmtrace_unsteady of one */
    gmsim_meet *meet;         /* NULL: nothing is unsteady */
    uint32_t sites_allocated;
    gmsim_instr_counts *entry;
    uint32_t entries, entries_allocated;
} gmsim_tally;

/* Makes room for a kernel and zeroes the counts. Grows the arrays where needed; free them with
 * gmsim_tally_clear(). `lanes`: of a warp. False where there is no memory. */
bool gmsim_tally_begin(gmsim_tally *tally, const gmtrace_kernel *kernel, uint32_t lanes);
/* Makes of the kernel what is asked: its loads find their data in L1, its barriers hold nobody. */
void gmsim_tally_change(gmsim_tally *tally, const gmsim_whatif *whatif);
/* Zeroes the counts alone. */
void gmsim_tally_reset(gmsim_tally *tally);
void gmsim_tally_clear(gmsim_tally *tally);

/* Makes of a zeroed tally, or one that shares another's already, one that counts apart: the kernel,
 * its sites and what is known of them are `from`'s. Free with gmsim_tally_clear_shared(). False
 * where there is no memory. */
bool gmsim_tally_share(gmsim_tally *tally, const gmsim_tally *from);
void gmsim_tally_clear_shared(gmsim_tally *tally);
/* Adds what such a one has counted. */
void gmsim_tally_add(gmsim_tally *tally, const gmsim_tally *shared);

/* Adds everything up by row, and moves the entries that counted something to the front, by pc, of
 * one by row, those without instruction last. Returns their number. Counting is over after this. */
uint32_t gmsim_tally_finish(gmsim_tally *tally, gmsim_counts row[GMSIM_ROWS]);

static inline const gmsim_site *gmsim_tally_site(const gmsim_tally *tally, uint32_t instr)
{
    return &tally->site[MIN(instr, tally->none)];
}

gmsim_instr_counts *gmsim_tally_claim(gmsim_tally *tally, const gmsim_site *site, uint32_t instr,
                                      gmsim_row row);

/* Where a record of this instruction and row is counted. */
static inline gmsim_instr_counts *gmsim_tally_entry(gmsim_tally *tally, const gmsim_site *site,
                                                    uint32_t instr, gmsim_row row)
{
    gmsim_instr_counts *entry = &tally->entry[site->first];
    if (site->entries && entry->row == row && entry->counts.instructions)
        return entry;
    return gmsim_tally_claim(tally, site, instr, row);
}

#pragma GCC visibility pop

#endif
