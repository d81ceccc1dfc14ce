/* SPDX-License-Identifier: MIT
 *
 * pattern.h - what the lanes of one request do: their stride, the banks, sectors and lines they
 * touch. For explaining the worst request of an instruction, not for counting.
 */
#ifndef GMSIM_PATTERN_H
#define GMSIM_PATTERN_H

#include "sim/model/model.h"

G_BEGIN_DECLS

typedef struct gmsim_pattern {
    unsigned lanes;              /* active */
    unsigned addresses;          /* distinct among them */
    bool strided;                /* lane i is at first + i * stride for every active lane */
    int64_t stride;              /* bytes; of no meaning unless strided and lanes > 1 */
    unsigned banks;              /* touched */
    unsigned worst_bank;         /* with the most distinct words, the lowest of equals */
    unsigned words[GMSIM_BANKS]; /* distinct 32-bit words a bank, whole request */
    unsigned sectors, lines;     /* distinct 32-byte sectors and 128-byte lines */
    unsigned misaligned;         /* bytes that the lowest address lies past a sector's start */
    /* For each lane: the bank of its first word; the ordinal of its first sector, counted from the
     * lowest one touched. 0xff for inactive lanes. */
    uint8_t lane_bank[GMTRACE_WARP_LANES];
    uint8_t lane_sector[GMTRACE_WARP_LANES];
} gmsim_pattern;

void gmsim_pattern_of(const gmsim_worst *worst, gmsim_pattern *pattern);

G_END_DECLS

#endif
