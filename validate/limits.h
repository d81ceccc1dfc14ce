/* SPDX-License-Identifier: MIT
 *
 * limits.h - the errors a user allows, metric by metric: "METRIC=2" bounds the mean absolute error
 * (percent of the measured value for counts, points for percentages), "METRIC:max=5" the largest.
 * A limits file has the same in two groups, [mean] and [max].
 */
#ifndef GMSIM_VALIDATE_LIMITS_H
#define GMSIM_VALIDATE_LIMITS_H

#include "validate/compare.h"

typedef struct gmsim_limit {
    unsigned metric;
    bool is_max; /* bounds the largest error, not the mean */
    double bound;
} gmsim_limit;

/* Both append gmsim_limit to limits; a later limit on the same thing replaces the earlier. */
bool gmsim_limit_parse(GArray *limits, const char *assignment, GError **error);
bool gmsim_limits_load(GArray *limits, const char *path, GError **error);

/* NULL if the limit holds; otherwise what is wrong, to be freed. A limit on something that was
 * never compared does not hold. */
char *gmsim_limit_broken(const gmsim_limit *limit, const gmsim_statistics *statistics);

#endif
