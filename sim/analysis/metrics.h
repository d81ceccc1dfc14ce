/* SPDX-License-Identifier: MIT
 *
 * metrics.h - a result under Nsight Compute's own metric names and units, so that a prediction and
 * a measurement are compared by name.
 */
#ifndef GMSIM_METRICS_H
#define GMSIM_METRICS_H

#include "sim/model/model.h"

G_BEGIN_DECLS

typedef enum gmsim_family {
    GMSIM_FAMILY_EXACT,    /* depends on addresses and launch alone: equal to hardware */
    GMSIM_FAMILY_MODELLED, /* depends on cache state, order or time */
} gmsim_family;

typedef struct gmsim_metric {
    const char *name; /* "smsp__sass_sectors_mem_global.sum" */
    gmsim_family family;
    bool is_percent;     /* value is 0 to 100 and real; otherwise it is a whole count */
    const char *meaning; /* one line for the manual */
} gmsim_metric;

/* The table, in report order. */
extern const gmsim_metric gmsim_metrics[];
extern const unsigned gmsim_metric_count;

/* Index by name, or -1. */
int gmsim_metric_find(const char *name);

/* Value of a metric. false where this result has none (an occupancy limit that is not used, a hit
 * rate of nothing looked up): then it is absent from reports, not 0. */
bool gmsim_metric_value(const gmsim_result *result, unsigned metric, double *value);

G_END_DECLS

#endif
