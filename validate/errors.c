/* SPDX-License-Identifier: MIT
 *
 * errors.c - how far the modelled family is off: one line a metric, beside the spread of the
 * hardware's own runs and what other simulators published; and the launches farthest off.
 *
 * Published figures are for other parts and other kernels; they tell the size to expect of an
 * error, not more.
 */
#include "validate/errors.h"

#include <math.h>
#include <string.h>

#define KHAIRY "Accel-Sim on a V100; Khairy et al., ISCA 2020"

static const struct {
    const char *metric, *figure;
} published[] = {
    {"gmsim__l1_global_load_hit_rate.pct", "NRMSE 0.76 (" KHAIRY ")"},
    {"lts__t_sectors_srcunit_tex_op_read.sum", "NRMSE 0.03 (" KHAIRY ")"},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "NRMSE 0.47 (" KHAIRY ")"},
    {"dram__sectors_read.sum", "NRMSE 0.92 (" KHAIRY ")"},
    {"gpc__cycles_elapsed.max", "mean 13.4 % (Accel-Sim 2.0 on an H100, its README), 13.45 % "
                                "(Huerta et al. on an A6000, MICRO 2025)"},
};

static const char *published_for(const char *metric)
{
    for (size_t i = 0; i < G_N_ELEMENTS(published); i++) {
        if (strcmp(published[i].metric, metric) == 0)
            return published[i].figure;
    }
    return "";
}

static bool is_shown(const gmsim_error_report *report, unsigned metric)
{
    return gmsim_metrics[metric].family == GMSIM_FAMILY_MODELLED &&
           gmsim_statistics_of(report->base->all, metric).nonzero > 0;
}

static bool spread_of(const gmsim_error_report *report, unsigned launch, unsigned metric,
                      double *spread)
{
    return report->spreads != NULL &&
           gmsim_spread_of(report->spreads, report->measured, report->base->launch[launch].row,
                           metric, spread);
}

/* The mean over the launches in the mean error whose spread is known. */
static char *mean_spread(const gmsim_error_report *report, unsigned metric)
{
    const gmsim_comparisons *all = report->base->all;
    const gmsim_metric *m = &gmsim_metrics[metric];
    double sum = 0, spread;
    unsigned known = 0;

    for (unsigned i = 0; i < all->launches; i++) {
        const gmsim_comparison *c = gmsim_comparison_at(all, i, metric);

        if (!gmsim_comparison_counts(all, i, metric) || c->outcome == GMSIM_OUTCOME_FROM_ZERO ||
            (m->unit != GMSIM_UNIT_PERCENT && c->measured == 0) ||
            !spread_of(report, i, metric, &spread))
            continue;
        sum += spread;
        known++;
    }
    return known > 0 ? gmsim_error_text(sum / known, m, report->base->format) : g_strdup("");
}

static void error_row(const gmsim_error_report *report, unsigned metric, gmsim_table *t)
{
    const gmsim_metric *m = &gmsim_metrics[metric];
    gmsim_statistics s = gmsim_statistics_of(report->base->all, metric);
    gmsim_validate_format format = report->base->format;

    gmsim_table_put(t, m->name);
    gmsim_table_take(t, g_strdup_printf("%u", s.errors));
    gmsim_table_take(t, g_strdup_printf("%u", s.equal - (s.compared - s.from_zero - s.errors)));
    gmsim_table_take(t, g_strdup_printf("%u", s.from_zero));
    gmsim_table_take(t, g_strdup_printf("%u", s.small));
    gmsim_table_take(t, gmsim_error_text(s.mean_error, m, format));
    gmsim_table_take(t, gmsim_error_text(s.max_error, m, format));
    gmsim_table_take(t, s.has_correlation ? g_strdup_printf("%.4f", s.correlation) : g_strdup(""));
    gmsim_table_take(t, s.has_nrmse ? g_strdup_printf("%.3f", s.nrmse) : g_strdup(""));
    gmsim_table_take(t, mean_spread(report, metric));
    gmsim_table_put(t, published_for(m->name));
}

void gmsim_print_errors(const gmsim_error_report *report, FILE *out)
{
    static const char *const head[] = {"metric",    "launches",   "equal",     "from 0",
                                       "too small", "mean error", "max error", "r",
                                       "NRMSE",     "run to run", "published"};
    static const char *const csv_head[] = {"metric",    "launches",   "equal",     "from_zero",
                                           "too_small", "mean_error", "max_error", "correlation",
                                           "nrmse",     "spread",     "published"};
    bool csv = report->base->format == GMSIM_VALIDATE_CSV;
    gmsim_table t;

    gmsim_table_init(&t, 1u << 0 | 1u << 10);
    for (size_t i = 0; i < G_N_ELEMENTS(head); i++)
        gmsim_table_put(&t, csv ? csv_head[i] : head[i]);
    gmsim_table_end_header(&t);
    for (unsigned i = 0; i < gmsim_quantity_count(); i++) {
        if (is_shown(report, i))
            error_row(report, i, &t);
    }
    if (!csv) {
        gmsim_table_drop(&t, 9, "");
        gmsim_table_drop(&t, 4, "0");
        gmsim_table_drop(&t, 3, "0");
    }
    gmsim_table_print(&t, report->base->format, out);
}

/* ------------------------------------------------------------------------------------- worst */

typedef struct order {
    const gmsim_comparisons *all;
    unsigned metric;
} order;

/* What was predicted where nothing was measured comes first; then the larger error. */
static int farther(gconstpointer a, gconstpointer b, gpointer data)
{
    const order *by = data;
    unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;
    const gmsim_comparison *x = gmsim_comparison_at(by->all, left, by->metric);
    const gmsim_comparison *y = gmsim_comparison_at(by->all, right, by->metric);
    bool x_zero = x->outcome == GMSIM_OUTCOME_FROM_ZERO;
    bool y_zero = y->outcome == GMSIM_OUTCOME_FROM_ZERO;
    double x_size = x_zero ? x->predicted : fabs(x->error);
    double y_size = y_zero ? y->predicted : fabs(y->error);

    if (x_zero != y_zero)
        return x_zero ? -1 : 1;
    if (x_size != y_size)
        return x_size > y_size ? -1 : 1;
    return left < right ? -1 : left > right;
}

unsigned gmsim_worst_launches(const gmsim_comparisons *all, unsigned metric, unsigned *worst,
                              unsigned most)
{
    GArray *launches = g_array_new(FALSE, FALSE, sizeof(unsigned));
    order by = {all, metric};
    unsigned count;

    for (unsigned i = 0; i < all->launches; i++) {
        const gmsim_comparison *c = gmsim_comparison_at(all, i, metric);

        if (gmsim_comparison_counts(all, i, metric) && c->outcome != GMSIM_OUTCOME_EQUAL)
            g_array_append_val(launches, i);
    }
    g_array_sort_with_data(launches, farther, &by);
    count = MIN(launches->len, most);
    for (unsigned i = 0; i < count; i++)
        worst[i] = g_array_index(launches, unsigned, i);
    g_array_free(launches, TRUE);
    return count;
}

/* A reader sees the metric's name once, a program in every row. */
static void worst_row(const gmsim_error_report *report, unsigned launch, unsigned metric,
                      bool is_first, gmsim_table *t)
{
    const gmsim_comparison *c = gmsim_comparison_at(report->base->all, launch, metric);
    const gmsim_metric *m = &gmsim_metrics[metric];
    gmsim_validate_format format = report->base->format;
    double spread;

    gmsim_table_put(t, is_first || format == GMSIM_VALIDATE_CSV ? m->name : "");
    gmsim_table_take(t, gmsim_launch_text(report->base, launch));
    gmsim_table_take(t, gmsim_value_text(c->predicted));
    gmsim_table_take(t, gmsim_value_text(c->measured));
    gmsim_table_take(t, c->outcome == GMSIM_OUTCOME_FROM_ZERO
                            ? g_strdup("")
                            : gmsim_error_text(c->error, m, format));
    gmsim_table_take(t, spread_of(report, launch, metric, &spread)
                            ? gmsim_error_text(spread, m, format)
                            : g_strdup(""));
    gmsim_table_put(t,
                    gmsim_reason_for(report->reasons, report->base->launch[launch].label, m->name));
}

void gmsim_print_worst(const gmsim_error_report *report, unsigned most, FILE *out)
{
    static const char *const head[] = {"metric", "kernel",     "predicted", "measured",
                                       "error",  "run to run", "reason"};
    bool csv = report->base->format == GMSIM_VALIDATE_CSV;
    unsigned *worst = g_new(unsigned, most);
    gmsim_table t;

    gmsim_table_init(&t, 1u << 0 | 1u << 1 | 1u << 6);
    for (size_t i = 0; i < G_N_ELEMENTS(head); i++)
        gmsim_table_put(&t, csv && i == 5 ? "spread" : head[i]);
    gmsim_table_end_header(&t);
    for (unsigned i = 0; i < gmsim_quantity_count(); i++) {
        unsigned count = 0;

        if (is_shown(report, i))
            count = gmsim_worst_launches(report->base->all, i, worst, most);
        for (unsigned k = 0; k < count; k++)
            worst_row(report, worst[k], i, k == 0, &t);
    }
    if (!csv) {
        gmsim_table_drop(&t, 6, "");
        gmsim_table_drop(&t, 5, "");
    }
    gmsim_table_print(&t, report->base->format, out);
    g_free(worst);
}
