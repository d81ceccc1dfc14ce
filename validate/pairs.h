/* SPDX-License-Identifier: MIT
 *
 * pairs.h - speed-ups of one version of a kernel over another, predicted against measured.
 *
 * A file of pairs has one a line: BASE VARIANT CLAIMED TITLE. The first two are names of traces,
 * CLAIMED is the speed-up that somebody stated (- for none), the rest is a title. A speed-up is the
 * base's cycles over the variant's, summed over the launches of each trace.
 */
#ifndef GMSIM_VALIDATE_PAIRS_H
#define GMSIM_VALIDATE_PAIRS_H

#include "validate/report.h"

typedef struct gmsim_pair {
    char *base, *variant, *title;
    double claimed; /* 0: none */
    bool compared;  /* both sides were */
    double predicted, measured;
} gmsim_pair;

typedef struct gmsim_pairs_summary {
    unsigned pairs, compared, within, wrong; /* wrong: in the wrong direction */
    double mean_error, worst_error;          /* absolute, percent */
} gmsim_pairs_summary;

GArray *gmsim_pairs_new(void); /* of gmsim_pair; free with g_array_free() */
bool gmsim_pairs_read(GArray *pairs, const char *path, GError **error);
/* Fills in the speed-ups from the launches compared. */
void gmsim_pairs_compute(GArray *pairs, const gmsim_validate_report *report);

/* Percent that predicted lies above (below, negative) measured. */
double gmsim_pair_error(const gmsim_pair *pair);
/* One is faster, the other slower, both by more than GMSIM_PAIR_SAME percent. */
#define GMSIM_PAIR_SAME 2.0
bool gmsim_pair_is_wrong(const gmsim_pair *pair);
/* within: largest error, in percent, of a pair that counts as within. */
gmsim_pairs_summary gmsim_pairs_summarize(const GArray *pairs, double within);

void gmsim_print_pairs(const GArray *pairs, double within, gmsim_validate_format format, FILE *out);

#endif
