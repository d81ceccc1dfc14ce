/* SPDX-License-Identifier: MIT
 *
 * errors.h - gmvalidate's error tables of the modelled family.
 */
#ifndef GMSIM_VALIDATE_ERRORS_H
#define GMSIM_VALIDATE_ERRORS_H

#include "validate/reasons.h"
#include "validate/report.h"
#include "validate/spread.h"

typedef struct gmsim_error_report {
    const gmsim_validate_report *base;
    const gmsim_measured *measured;
    const gmsim_spreads *spreads; /* NULL where none was given */
    const GArray *reasons;
} gmsim_error_report;

/* One line a metric. */
void gmsim_print_errors(const gmsim_error_report *report, FILE *out);
/* For each metric, up to `most` launches that are not equal, the farthest off first. */
void gmsim_print_worst(const gmsim_error_report *report, unsigned most, FILE *out);

/* Those launches of one metric; `worst` has room for `most`. Returns how many there are. */
unsigned gmsim_worst_launches(const gmsim_comparisons *all, unsigned metric, unsigned *worst,
                              unsigned most);

#endif
