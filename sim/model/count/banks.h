/* SPDX-License-Identifier: MIT
 *
 * banks.h - passes ("wavefronts") that one warp access makes through the shared-memory banks.
 */
#ifndef GMSIM_BANKS_H
#define GMSIM_BANKS_H

#include "sim/device/gpu.h"
#include "traces/gmtrace.h"

#pragma GCC visibility push(hidden)

typedef enum gmsim_bank_use {
    GMSIM_BANK_LOAD,
    GMSIM_BANK_STORE,
    GMSIM_BANK_ATOMIC,
    GMSIM_BANK_CAS,    /* ATOMS.CAS */
    GMSIM_BANK_CAST,   /* ATOMS.CAST.SPIN, the compare-and-swap of a retry loop */
    GMSIM_BANK_MATRIX, /* LDSM and STSM: each lane names a row of 16 bytes, 8 rows a matrix */
} gmsim_bank_use;

typedef struct gmsim_wavefronts {
    uint32_t actual;
    uint32_t ideal; /* had every phase taken one pass */
} gmsim_wavefronts;

/* Any shape, mask and size of 1 to 32 bytes. matrices (1, 2 or 4) matters to GMSIM_BANK_MATRIX
 * alone: rows are read from the first 8 lanes, 16 lanes or all. */
gmsim_wavefronts gmsim_banks(const gmtrace_chunk *chunk, const gmtrace_record *record,
                             gmsim_bank_use use, uint32_t matrices);

/* Patterns met lately, each with what it takes. Zeroed: none. */
#define GMSIM_BANK_MEMO_BITS 8u

typedef struct gmsim_bank_pattern {
    uint32_t mask; /* 0: none */
    int32_t stride, stride2;
    uint32_t at; /* in the 128 bytes of all banks */
    uint8_t shape, columns, size, use, matrices;
} gmsim_bank_pattern;

typedef struct gmsim_bank_known {
    gmsim_bank_pattern pattern;
    gmsim_wavefronts wavefronts;
    uint32_t offset[GMTRACE_WARP_LANES]; /* of GMTRACE_OFFSETS */
} gmsim_bank_known;

typedef struct gmsim_bank_memo {
    gmsim_bank_known known[1u << GMSIM_BANK_MEMO_BITS];
} gmsim_bank_memo;

/* The same as gmsim_banks(), looked up where the access is like one met lately. */
gmsim_wavefronts gmsim_banks_again(gmsim_bank_memo *memo, const gmtrace_chunk *chunk,
                                   const gmtrace_record *record, gmsim_bank_use use,
                                   uint32_t matrices);

/* Where each lane's data of an asynchronous copy come from: the number of its 128-byte source line
 * among the access's lines, in order of lanes, and the byte there. */
typedef struct gmsim_copy_source {
    uint8_t line[GMTRACE_WARP_LANES], at[GMTRACE_WARP_LANES];
    uint32_t mask;    /* lanes that read; others write zeros */
    uint64_t address; /* of lane 0, if ... */
    int32_t stride;   /* ... they are a run: bytes from one to the next; else 0 */
    uint64_t number[GMTRACE_WARP_LANES]; /* of each line: address / 128 */
} gmsim_copy_source;

void gmsim_copy_lines(gmsim_copy_source *source, const gmtrace_chunk *chunk,
                      const gmtrace_record *read);

/* Sectors that L1 counts of LDGSTS.BYPASS, whose source has `sectors`: each source line's data
 * leave in the sectors of their target, so that a target shifted by 16 bytes costs more; of lanes
 * that write the same place the last counts. micro/copy_async.cu: 216 of 217 patterns. */
uint32_t gmsim_copy_sectors(const gmtrace_chunk *chunk, const gmtrace_record *write,
                            const gmsim_copy_source *source, uint32_t sectors);

/* Clocks that the write of LDGSTS.BYPASS takes, some of them of the load-store unit (access.h),
 * less than `wavefronts` and no less than one. With the read's one they are one a line of the
 * source, three quarters of one where two or three of its sectors are taken; a line that is taken
 * in part and shifted by 16 bytes is one for each sector of the target (micro/copy_rows.cu). */
uint32_t gmsim_copy_clocks(const gmtrace_chunk *chunk, const gmtrace_record *write,
                           const gmsim_copy_source *source, uint32_t wavefronts);

/* What LDGSTS.BYPASS reads of L2: a source sector once for each sector of the target that its data
 * go to, and once more where some keep their half there and some change it.
 * Lanes that write zeros, or what another lane writes over, read nothing. micro/copy_async.cu: all
 * of 217 patterns. A request takes sectors of a line to one row of the target, all as many sectors
 * further, whole or all the same half to the same half; of those of a line that come one after the
 * other for the same sectors LRC makes one of up to four: 189 of 217. */
typedef struct gmsim_copy_moves {
    uint32_t sectors;  /* that come from L2 */
    uint32_t requests; /* for what comes more than once: */
    uint8_t line[GMTRACE_WARP_LANES], touched[GMTRACE_WARP_LANES]; /* of the source; its sectors */
} gmsim_copy_moves;

/* `sectors` are the source's. */
void gmsim_copy_past(gmsim_copy_moves *moves, const gmtrace_chunk *chunk,
                     const gmtrace_record *write, const gmsim_copy_source *source,
                     uint32_t sectors);

/* The shared write of LDGSTS, through L1 or past it (LDGSTS.BYPASS, 16 bytes a lane).
 * micro/shared_patterns.cu: 351 of 360 patterns; past L1 micro/copy_async.cu: 177 of 181. A lane
 * that writes zeros past L1 counts there with the address that it would have read, which no capture
 * sees; here it does not lengthen anything. */
gmsim_wavefronts gmsim_banks_copy(const gmtrace_chunk *chunk, const gmtrace_record *write,
                                  const gmsim_copy_source *source, bool bypass);

#pragma GCC visibility pop

#endif
