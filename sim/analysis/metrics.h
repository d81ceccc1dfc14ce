/* SPDX-License-Identifier: MIT
 *
 * metrics.h - the one table of metrics: every number of a launch that has a name, with its unit,
 * its meaning and its definition. Text, JSON, CSV, comparisons, sweeps and gmvalidate take names
 * and values from here. Nsight Compute's own names and units come first, so that a prediction and a
 * measurement are compared by name; those of gmsim's own begin with "gmsim__".
 */
#ifndef GMSIM_METRICS_H
#define GMSIM_METRICS_H

#include "sim/model/model.h"

G_BEGIN_DECLS

/* Of all ways between records, one in so many may leave open what was executed on it; with more
 * their sum was up to two thirds off (THIRD_PARTY.md), with fewer within 1.2 % of
 * launches that do not race. */
#define GMSIM_SURE_WAYS 20u

typedef enum gmsim_family {
    GMSIM_FAMILY_EXACT,    /* depends on addresses and launch alone: equal to hardware */
    GMSIM_FAMILY_MODELLED, /* depends on cache state, order or time */
} gmsim_family;

typedef enum gmsim_unit {
    GMSIM_UNIT_COUNT, /* whole, or a mean of whole numbers */
    GMSIM_UNIT_RATIO,
    GMSIM_UNIT_PERCENT, /* 0 to 100 */
    GMSIM_UNIT_BYTES,
    GMSIM_UNIT_NANOSECONDS,
    GMSIM_UNIT_BYTES_PER_SECOND,
} gmsim_unit;

typedef struct gmsim_metric {
    const char *name; /* "smsp__sass_sectors_mem_global.sum" */
    gmsim_family family;
    gmsim_unit unit;
    const char *meaning; /* one line for the manual */
    /* NULL, or other names: of a comparison's line and in conditions ("shared.excess"); over a
     * sweep's column ("wavefronts"); in a comparison's text ("shared wavefronts"). */
    const char *key, *word, *label;
    int better; /* -1: less is better, 1: more is, 0: no direction */
    /* The definition is one of: a function ... */
    bool (*call)(const gmsim_result *result, double *value);
    /* ... percent of one metric that the sum of others is ... */
    const char *part[2], *whole;
    /* ... 32 bits of gmsim_result, absent where all are set ... */
    size_t word_at;
    /* ... a counter of gmsim_counts summed over a set of rows, or, of no row, of gmsim_l2_counts;
     * times `times` where that is not 0. */
    uint32_t rows;
    size_t offset;
    uint32_t times;
} gmsim_metric;

/* Nsight Compute's, which reports list, are the first gmsim_metric_count; up to
 * gmsim_metric_measurable are ratios that a measurement can be formed of as well. */
extern const gmsim_metric gmsim_metrics[];
extern const unsigned gmsim_metric_count;
extern const unsigned gmsim_metric_measurable;
extern const unsigned gmsim_metric_all;

/* Index by name, key or word, or -1. */
int gmsim_metric_find(const char *name);

/* Value of a metric. false where this result has none (an occupancy limit that is not used, a hit
 * rate of nothing looked up): then it is absent from reports, not 0. */
bool gmsim_metric_value(const gmsim_result *result, unsigned metric, double *value);

/* It has none because the trace does not tell all that it counts: the capture could not see it, or
 * the code leaves open what was executed between its records. */
bool gmsim_metric_unseen(const gmsim_result *result, unsigned metric);

/* The same by name; false also where there is no such metric. */
bool gmsim_metric_named(const gmsim_result *result, const char *name, double *value);

G_END_DECLS

#endif
