/* SPDX-License-Identifier: MIT
 *
 * compare.h - predictions against measurements, metric by metric.
 *
 * A comparison is one metric of one launch. Its error is predicted minus measured: in points for
 * percentages and other ratios, in percent of the measured value for counts. Statistics are over
 * all launches where both sides have a value; the other cases are counted, each under its reason.
 * Where both sides count 0 nothing was predicted that could be wrong: such launches do not enter
 * the mean of a count.
 */
#ifndef GMSIM_VALIDATE_COMPARE_H
#define GMSIM_VALIDATE_COMPARE_H

#include "validate/quantity.h"

typedef enum gmsim_outcome {
    GMSIM_OUTCOME_NONE = 0,    /* neither side has a value */
    GMSIM_OUTCOME_EQUAL,       /* the same number, as far as ncu printed it */
    GMSIM_OUTCOME_DIFFERENT,   /* error holds the difference */
    GMSIM_OUTCOME_FROM_ZERO,   /* measured 0, predicted something: no relative error */
    GMSIM_OUTCOME_UNPREDICTED, /* measured, but the model has no value */
    GMSIM_OUTCOME_UNMEASURED,  /* predicted, but ncu has no value */
    GMSIM_OUTCOME_RESCALED,    /* ncu printed Kbyte, us ...: too few digits for the exact family */
} gmsim_outcome;

typedef struct gmsim_comparison {
    double predicted, measured, error;
    gmsim_outcome outcome;
} gmsim_comparison;

typedef struct gmsim_statistics {
    unsigned compared; /* EQUAL + DIFFERENT + FROM_ZERO */
    unsigned equal, nonzero, from_zero, unpredicted, unmeasured, rescaled;
    unsigned small;    /* left out everywhere: measured value not above the minimum */
    unsigned errors;   /* launches in the mean */
    double mean_error; /* absolute, over EQUAL and DIFFERENT */
    double max_error;  /* likewise; worst is its launch */
    int worst;         /* index of the launch farthest off, FROM_ZERO first; -1 if all are equal */
    bool has_correlation;
    double correlation; /* Pearson's r */
    bool has_nrmse;
    double nrmse; /* root of the mean squared difference, divided by the measured mean */
} gmsim_statistics;

/* A table of launches x quantities, launch by launch. */
typedef struct gmsim_comparisons {
    GArray *cells; /* gmsim_comparison: launch * gmsim_quantity_count() + metric */
    unsigned launches;
    double *minimum; /* by quantity: statistics are over launches that measure more than this */
} gmsim_comparisons;

void gmsim_comparisons_init(gmsim_comparisons *all);
void gmsim_comparisons_clear(gmsim_comparisons *all);

/* Adds a launch: what the model says beside what the row holds. */
void gmsim_comparisons_add(gmsim_comparisons *all, const gmsim_result *result,
                           const gmsim_measured *measured, const gmsim_measured_row *row);

/* One comparison alone; `has` tells whether the model has a value. */
gmsim_comparison gmsim_compare(const gmsim_metric *metric, bool has, double predicted,
                               gmsim_cell cell);

const gmsim_comparison *gmsim_comparison_at(const gmsim_comparisons *all, unsigned launch,
                                            unsigned metric);
/* Whether this launch is in the statistics of that metric: both sides have a value, and the
 * measured one is above the minimum. */
bool gmsim_comparison_counts(const gmsim_comparisons *all, unsigned launch, unsigned metric);
gmsim_statistics gmsim_statistics_of(const gmsim_comparisons *all, unsigned metric);

/* Whether an exact-family metric misses anywhere: different, from zero, or not predicted while
 * something other than 0 was measured, or too few digits. */
bool gmsim_comparison_breaks_exact(const gmsim_comparison *comparison);

#endif
