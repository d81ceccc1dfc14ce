/* SPDX-License-Identifier: MIT
 *
 * spread.h - how far several measurements of one launch lie apart, as spread.awk lists it: one line
 * a launch and metric whose runs differ. What is not listed did not differ, if its launch is listed
 * with another metric; else nothing is known. Where launches of one case and kernel differ by grid
 * alone, the list does not tell them apart, and the widest counts for all.
 */
#ifndef GMSIM_VALIDATE_SPREAD_H
#define GMSIM_VALIDATE_SPREAD_H

#include "validate/quantity.h"

typedef struct gmsim_spreads {
    GHashTable *launch; /* "case, kernel, number": the launches that are listed */
    GHashTable *range;  /* the same and a metric: gmsim_range */
} gmsim_spreads;

gmsim_spreads *gmsim_spreads_new(void);
void gmsim_spreads_free(gmsim_spreads *spreads);
bool gmsim_spreads_load(gmsim_spreads *spreads, const char *path, GError **error);

/* Largest minus smallest value of the quantity in this measured row: in points for percentages, in
 * percent of the median for counts. false where it is not known. */
bool gmsim_spread_of(const gmsim_spreads *spreads, const gmsim_measured *measured, unsigned row,
                     unsigned quantity, double *spread);

#endif
