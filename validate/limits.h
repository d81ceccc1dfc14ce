/* SPDX-License-Identifier: MIT
 *
 * limits.h - the errors a user allows, metric by metric: "METRIC=2" bounds the mean absolute error
 * (percent of the measured value for counts, points for percentages), "METRIC:max=5" the largest.
 * "METRIC:min=10000" bounds nothing: it leaves launches that measure no more than this out of the
 * metric's statistics. A limits file has the same in the groups [mean], [max] and [minimum].
 */
#ifndef GMSIM_VALIDATE_LIMITS_H
#define GMSIM_VALIDATE_LIMITS_H

#include "validate/compare.h"

typedef enum gmsim_limit_kind {
    GMSIM_LIMIT_MEAN,
    GMSIM_LIMIT_MAX,     /* the largest error */
    GMSIM_LIMIT_MINIMUM, /* the measured value above which a launch counts */
} gmsim_limit_kind;

typedef struct gmsim_limit {
    unsigned metric;
    gmsim_limit_kind kind;
    double bound;
} gmsim_limit;

/* Both append gmsim_limit to limits; a later limit on the same thing replaces the earlier. */
bool gmsim_limit_parse(GArray *limits, const char *assignment, GError **error);
bool gmsim_limits_load(GArray *limits, const char *path, GError **error);

/* Puts the minimums into the comparisons. To be called before statistics are asked for. */
void gmsim_limits_apply(const GArray *limits, gmsim_comparisons *all);

/* NULL if the limit holds; otherwise what is wrong, to be freed. A limit on something that was
 * never compared does not hold. */
char *gmsim_limit_broken(const gmsim_limit *limit, const gmsim_statistics *statistics);

#endif
