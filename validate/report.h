/* SPDX-License-Identifier: MIT
 *
 * report.h - gmvalidate's tables: text, Markdown, CSV.
 */
#ifndef GMSIM_VALIDATE_REPORT_H
#define GMSIM_VALIDATE_REPORT_H

#include "validate/compare.h"
#include "validate/table.h"

/* A launch that was compared; in the order of gmsim_comparisons. */
typedef struct gmsim_compared_launch {
    const char *label; /* the trace's name */
    const char *path;
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t launch; /* in its trace */
    unsigned row;    /* of gmsim_measured, its partner */
    bool alone;      /* no other launch of that trace was compared */
} gmsim_compared_launch;

typedef struct gmsim_validate_report {
    gmsim_validate_format format;
    const gmsim_comparisons *all;
    const gmsim_compared_launch *launch; /* all->launches of them */
} gmsim_validate_report;

/* One line a metric. */
void gmsim_print_metrics(const gmsim_validate_report *report, FILE *out);
/* One line a launch and metric. */
void gmsim_print_every(const gmsim_validate_report *report, FILE *out);
/* One line a launch, one column for each of the metrics: predicted / measured. */
void gmsim_print_launches(const gmsim_validate_report *report, const unsigned *metric,
                          unsigned metrics, FILE *out);

/* How the tables write things; to be freed. */
char *gmsim_value_text(double value);
char *gmsim_error_text(double error, const gmsim_metric *metric, gmsim_validate_format format);
/* The trace's name, with the launch's number where a trace has several. */
char *gmsim_launch_text(const gmsim_validate_report *report, unsigned index);

#endif
