/* SPDX-License-Identifier: MIT
 *
 * hot_lines.h - a launch's source lines by the work that they do beyond the ideal. Instructions of
 * one opcode and kind of access at one line are one of these: an unrolled loop's are one to its
 * reader. What has no line stands alone, by its place in the code.
 */
#ifndef GMSIM_HOT_LINES_H
#define GMSIM_HOT_LINES_H

#include "sim/model/model.h"

G_BEGIN_DECLS

typedef struct gmsim_hot_line {
    uint64_t excess; /* wavefronts or sectors beyond the ideal */
    /* Excess and work in a common unit: a wavefront takes a clock of one SM, a sector 32 bytes of
     * L2's rate. Lines are ordered by cost; work ranks equals. */
    uint64_t cost, work;
    const gmsim_instr_counts *instr; /* that with the worst request */
    unsigned instructions;
    gmsim_counts counts; /* of all of them: requests, sectors, wavefronts and their ideals */
} gmsim_hot_line;

/* The costliest first, *count of them. each: instructions stay apart. Free with g_free(). */
gmsim_hot_line *gmsim_hot_lines(const gmsim_gpu *gpu, const gmsim_result *result, bool each,
                                unsigned *count);

/* Excess of all instructions of shared memory, or of all others. */
uint64_t gmsim_hot_excess(const gmsim_result *result, bool shared);

G_END_DECLS

#endif
