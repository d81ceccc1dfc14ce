/* SPDX-License-Identifier: MIT
 *
 * compare.c - the arithmetic of compare.h. Sums run in launch order, so that the same input gives
 * the same digits.
 */
#include "validate/compare.h"

#include <math.h>

/* ncu prints ratios with two decimals, fewer where they are zeros. */
#define RATIO_HALF_UNIT 0.005

void gmsim_comparisons_init(gmsim_comparisons *all)
{
    all->cells = g_array_new(FALSE, TRUE, sizeof(gmsim_comparison));
    all->launches = 0;
    all->minimum = g_new(double, gmsim_quantity_count());
    for (unsigned i = 0; i < gmsim_quantity_count(); i++)
        all->minimum[i] = -INFINITY;
}

void gmsim_comparisons_clear(gmsim_comparisons *all)
{
    g_array_free(all->cells, TRUE);
    g_free(all->minimum);
    all->cells = NULL;
    all->minimum = NULL;
}

static bool is_equal(const gmsim_metric *metric, double predicted, gmsim_cell cell)
{
    double slack = cell.half_unit;

    if (metric->unit == GMSIM_UNIT_PERCENT || predicted != floor(predicted))
        slack = fmax(slack, RATIO_HALF_UNIT);
    /* The slack is a decimal fraction; allow for its being no binary one. */
    return fabs(predicted - cell.value) <= slack * (1 + 1e-9);
}

gmsim_comparison gmsim_compare(const gmsim_metric *metric, bool has, double predicted,
                               gmsim_cell cell)
{
    gmsim_comparison comparison = {.predicted = predicted, .measured = cell.value};

    if (cell.state != GMSIM_CELL_NUMBER) {
        comparison.outcome = has ? GMSIM_OUTCOME_UNMEASURED : GMSIM_OUTCOME_NONE;
    } else if (!has) {
        comparison.outcome = GMSIM_OUTCOME_UNPREDICTED;
    } else if (cell.rescaled && metric->family == GMSIM_FAMILY_EXACT) {
        comparison.outcome = GMSIM_OUTCOME_RESCALED;
    } else if (is_equal(metric, predicted, cell)) {
        comparison.outcome = GMSIM_OUTCOME_EQUAL;
    } else if (metric->unit == GMSIM_UNIT_PERCENT) {
        comparison.outcome = GMSIM_OUTCOME_DIFFERENT;
        comparison.error = predicted - cell.value;
    } else if (cell.value == 0) {
        comparison.outcome = GMSIM_OUTCOME_FROM_ZERO;
    } else {
        comparison.outcome = GMSIM_OUTCOME_DIFFERENT;
        comparison.error = 100 * (predicted - cell.value) / cell.value;
    }
    return comparison;
}

void gmsim_comparisons_add(gmsim_comparisons *all, const gmsim_result *result,
                           const gmsim_measured *measured, const gmsim_measured_row *row)
{
    for (unsigned i = 0; i < gmsim_quantity_count(); i++) {
        gmsim_cell cell = gmsim_quantity_measured(measured, row, i);
        double predicted = 0;
        bool has = gmsim_metric_value(result, i, &predicted);
        gmsim_comparison comparison = gmsim_compare(&gmsim_metrics[i], has, predicted, cell);

        g_array_append_val(all->cells, comparison);
    }
    all->launches++;
}

const gmsim_comparison *gmsim_comparison_at(const gmsim_comparisons *all, unsigned launch,
                                            unsigned metric)
{
    return &g_array_index(all->cells, gmsim_comparison, launch * gmsim_quantity_count() + metric);
}

static bool is_pair(const gmsim_comparison *comparison)
{
    return comparison->outcome == GMSIM_OUTCOME_EQUAL ||
           comparison->outcome == GMSIM_OUTCOME_DIFFERENT ||
           comparison->outcome == GMSIM_OUTCOME_FROM_ZERO;
}

bool gmsim_comparison_counts(const gmsim_comparisons *all, unsigned launch, unsigned metric)
{
    const gmsim_comparison *c = gmsim_comparison_at(all, launch, metric);

    return is_pair(c) && c->measured > all->minimum[metric];
}

/* Correlation and NRMSE: both need the means first. */
static void correlate(const gmsim_comparisons *all, unsigned metric, gmsim_statistics *statistics)
{
    double mean_p = 0, mean_m = 0, pp = 0, mm = 0, pm = 0, squares = 0;

    for (unsigned i = 0; i < all->launches; i++) {
        const gmsim_comparison *c = gmsim_comparison_at(all, i, metric);

        if (gmsim_comparison_counts(all, i, metric)) {
            mean_p += c->predicted / statistics->compared;
            mean_m += c->measured / statistics->compared;
        }
    }
    for (unsigned i = 0; i < all->launches; i++) {
        const gmsim_comparison *c = gmsim_comparison_at(all, i, metric);

        if (gmsim_comparison_counts(all, i, metric)) {
            pp += (c->predicted - mean_p) * (c->predicted - mean_p);
            mm += (c->measured - mean_m) * (c->measured - mean_m);
            pm += (c->predicted - mean_p) * (c->measured - mean_m);
            squares += (c->predicted - c->measured) * (c->predicted - c->measured);
        }
    }
    statistics->has_correlation = statistics->compared >= 3 && pp > 0 && mm > 0;
    if (statistics->has_correlation)
        statistics->correlation = fmin(1, pm / sqrt(pp) / sqrt(mm));
    statistics->has_nrmse = mean_m > 0;
    if (statistics->has_nrmse)
        statistics->nrmse = sqrt(squares / statistics->compared) / mean_m;
}

gmsim_statistics gmsim_statistics_of(const gmsim_comparisons *all, unsigned metric)
{
    gmsim_statistics s = {.worst = -1};
    double from_zero = 0;

    for (unsigned i = 0; i < all->launches; i++) {
        const gmsim_comparison *c = gmsim_comparison_at(all, i, metric);

        s.unpredicted += c->outcome == GMSIM_OUTCOME_UNPREDICTED;
        s.unmeasured += c->outcome == GMSIM_OUTCOME_UNMEASURED;
        s.rescaled += c->outcome == GMSIM_OUTCOME_RESCALED;
        if (!is_pair(c))
            continue;
        if (!gmsim_comparison_counts(all, i, metric)) {
            s.small++;
            continue;
        }
        s.compared++;
        s.nonzero += c->predicted != 0 || c->measured != 0;
        if (c->outcome == GMSIM_OUTCOME_FROM_ZERO) {
            s.from_zero++;
            if (c->predicted > from_zero) {
                from_zero = c->predicted;
                s.worst = (int)i;
            }
            continue;
        }
        s.equal += c->outcome == GMSIM_OUTCOME_EQUAL;
        s.errors += gmsim_metrics[metric].unit == GMSIM_UNIT_PERCENT || c->predicted != 0 ||
                    c->measured != 0;
        s.mean_error += fabs(c->error);
        if (fabs(c->error) > s.max_error) {
            s.max_error = fabs(c->error);
            if (s.from_zero == 0)
                s.worst = (int)i;
        }
    }
    if (s.errors > 0)
        s.mean_error /= s.errors;
    if (s.compared > 0)
        correlate(all, metric, &s);
    return s;
}

bool gmsim_comparison_breaks_exact(const gmsim_comparison *comparison)
{
    switch (comparison->outcome) {
    case GMSIM_OUTCOME_DIFFERENT:
    case GMSIM_OUTCOME_FROM_ZERO:
    case GMSIM_OUTCOME_RESCALED:
        return true;
    case GMSIM_OUTCOME_UNPREDICTED:
        return comparison->measured != 0;
    default:
        return false;
    }
}
