/* SPDX-License-Identifier: MIT
 *
 * compare.h - two launches side by side: A is the base, B what is asked about.
 *
 * Quantities are those of metrics.h that have a key, in the order of a report. Instructions are
 * paired by kind of access and source line, then by opcode in order of pc; what has no partner is
 * listed alone.
 */
#ifndef GMSIM_COMPARE_H
#define GMSIM_COMPARE_H

#include "sim/analysis/metrics.h"

G_BEGIN_DECLS

typedef struct gmsim_side {
    const char *trace; /* as the user named it */
    const gmsim_gpu *gpu;
    const gmsim_result *result;
    uint32_t index; /* the launch's number in its trace */
} gmsim_side;

typedef struct gmsim_quantity_pair {
    const gmsim_metric *metric;
    double value[2]; /* of A and B; NaN where the side has none */
    double delta;    /* B minus A; NaN where one is missing */
    double ratio;    /* B over A; NaN where one is missing or A is 0 */
} gmsim_quantity_pair;

typedef struct gmsim_instr_pair {
    const gmsim_instr_counts *side[2]; /* NULL: not there */
    int64_t delta;                     /* of wavefronts or sectors, B minus A */
} gmsim_instr_pair;

typedef struct gmsim_comparison_of_two {
    gmsim_side side[2];
    GArray *quantity; /* gmsim_quantity_pair: what either side has */
    bool by_time;     /* the speed-up is of times, as the clocks differ; else of cycles */
    double speedup;   /* A's over B's: above 1, B is faster; NaN where a side has no times */
    GArray *instr;    /* gmsim_instr_pair, the largest change first */
} gmsim_comparison_of_two;

void gmsim_compare_make(gmsim_comparison_of_two *compare, const gmsim_side *a, const gmsim_side *b);
void gmsim_compare_clear(gmsim_comparison_of_two *compare);

/* A metric by name or key, or "speedup". side: 0 or 1. */
bool gmsim_compare_value(const gmsim_comparison_of_two *compare, unsigned side, const char *key,
                         double *value);

/* One of the quantities by key; NULL where neither side has it. */
const gmsim_quantity_pair *gmsim_compare_find(const gmsim_comparison_of_two *compare,
                                              const char *key);

/* "better", "worse", "=" or "" where there is no direction. */
const char *gmsim_compare_word(const gmsim_quantity_pair *quantity);

/* What a warp waits for most, as a word; NULL where there was no time. */
const char *gmsim_compare_wait(const gmsim_result *result);

G_END_DECLS

#endif
