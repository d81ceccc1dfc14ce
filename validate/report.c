/* SPDX-License-Identifier: MIT
 *
 * report.c - the tables of report.h: the summary, every launch, and some metrics side by side.
 */
#include "validate/report.h"

#include <math.h>

/* ------------------------------------------------------------------------------------ numbers */

char *gmsim_value_text(double value)
{
    if (fabs(value) > 1e15)
        return g_strdup_printf("%.6g", value);
    return g_strdup_printf(value == floor(value) ? "%.0f" : "%.2f", value);
}

char *gmsim_error_text(double error, const gmsim_metric *metric, gmsim_validate_format format)
{
    const char *unit = metric->unit == GMSIM_UNIT_PERCENT ? " pt" : " %";

    if (format == GMSIM_VALIDATE_CSV)
        return g_strdup_printf("%.6g", error);
    if (error == 0)
        return g_strdup("0");
    return g_strdup_printf(fabs(error) < 999.5 ? "%.3g%s" : "%.0f%s", error, unit);
}

static const char *family_name(const gmsim_metric *metric)
{
    return metric->family == GMSIM_FAMILY_EXACT ? "exact" : "modelled";
}

static char *shape_text(const uint32_t shape[3])
{
    return g_strdup_printf("%ux%ux%u", shape[0], shape[1], shape[2]);
}

char *gmsim_launch_text(const gmsim_validate_report *report, unsigned index)
{
    const gmsim_compared_launch *launch = &report->launch[index];

    if (launch->alone)
        return g_strdup(launch->label);
    return g_strdup_printf("%s:%u", launch->label, launch->launch);
}

/* ------------------------------------------------------------------------------------- tables */

static void metric_row(const gmsim_validate_report *report, unsigned metric, gmsim_table *t)
{
    const gmsim_metric *m = &gmsim_metrics[metric];
    gmsim_statistics s = gmsim_statistics_of(report->all, metric);
    bool csv = report->format == GMSIM_VALIDATE_CSV;

    gmsim_table_put(t, m->name);
    gmsim_table_put(t, family_name(m));
    gmsim_table_take(t, g_strdup_printf("%u", s.compared));
    gmsim_table_take(t, g_strdup_printf("%u", s.nonzero));
    gmsim_table_take(t, g_strdup_printf("%u", s.equal));
    gmsim_table_take(t, gmsim_error_text(s.mean_error, m, report->format));
    gmsim_table_take(t, gmsim_error_text(s.max_error, m, report->format));
    gmsim_table_take(t, g_strdup_printf("%u", s.from_zero));
    gmsim_table_take(t, g_strdup_printf("%u", s.unpredicted));
    gmsim_table_take(t, g_strdup_printf("%u", s.unmeasured));
    gmsim_table_take(t, g_strdup_printf("%u", s.small));
    gmsim_table_take(t, s.has_correlation ? g_strdup_printf("%.4f", s.correlation)
                                          : g_strdup(csv ? "" : "-"));
    gmsim_table_take(t, s.worst >= 0 ? gmsim_launch_text(report, (unsigned)s.worst)
                                     : g_strdup(csv ? "" : "-"));
}

void gmsim_print_metrics(const gmsim_validate_report *report, FILE *out)
{
    bool csv = report->format == GMSIM_VALIDATE_CSV;
    unsigned silent = 0, unmeasured = 0;
    gmsim_table t;

    gmsim_table_init(&t, 1u << 0 | 1u << 1 | 1u << 12);
    gmsim_table_put(&t, "metric");
    gmsim_table_put(&t, "family");
    gmsim_table_put(&t, "launches");
    gmsim_table_put(&t, csv ? "nonzero" : "not 0");
    gmsim_table_put(&t, "equal");
    gmsim_table_put(&t, csv ? "mean_error" : "mean error");
    gmsim_table_put(&t, csv ? "max_error" : "max error");
    gmsim_table_put(&t, csv ? "from_zero" : "from 0");
    gmsim_table_put(&t, csv ? "unpredicted" : "no prediction");
    gmsim_table_put(&t, csv ? "unmeasured" : "no measurement");
    gmsim_table_put(&t, csv ? "too_small" : "too small");
    gmsim_table_put(&t, csv ? "correlation" : "r");
    gmsim_table_put(&t, "worst");
    gmsim_table_end_header(&t);
    for (unsigned i = 0; i < gmsim_quantity_count(); i++) {
        gmsim_statistics s = gmsim_statistics_of(report->all, i);

        if (!csv && s.compared + s.small == 0 && s.unpredicted == 0 && s.rescaled == 0) {
            unmeasured++;
            continue;
        }
        if (!csv && s.nonzero + s.small == 0 && s.unpredicted == 0 && s.rescaled == 0) {
            silent++;
            continue;
        }
        metric_row(report, i, &t);
    }
    for (unsigned column = 11; !csv && column-- > 7;)
        gmsim_table_drop(&t, column, "0");
    gmsim_table_print(&t, report->format, out);
    if (silent > 0)
        fprintf(out, "\n%u metrics are 0 on both sides in every launch.\n", silent);
    if (unmeasured > 0)
        fprintf(out, "%s%u metrics that gmsim predicts were not measured.\n",
                silent > 0 ? "" : "\n", unmeasured);
}

static const char *const outcome_text[] = {
    [GMSIM_OUTCOME_NONE] = "none",
    [GMSIM_OUTCOME_EQUAL] = "equal",
    [GMSIM_OUTCOME_DIFFERENT] = "different",
    [GMSIM_OUTCOME_FROM_ZERO] = "measured 0",
    [GMSIM_OUTCOME_UNPREDICTED] = "not predicted",
    [GMSIM_OUTCOME_UNMEASURED] = "not measured",
    [GMSIM_OUTCOME_RESCALED] = "too few digits",
};

static void put_pair(gmsim_table *t, const gmsim_comparison *c, const gmsim_metric *metric,
                     gmsim_validate_format format)
{
    bool predicted = c->outcome != GMSIM_OUTCOME_UNPREDICTED && c->outcome != GMSIM_OUTCOME_NONE;
    bool measured = c->outcome != GMSIM_OUTCOME_UNMEASURED && c->outcome != GMSIM_OUTCOME_NONE;
    bool different = c->outcome == GMSIM_OUTCOME_DIFFERENT;

    gmsim_table_take(t, predicted ? gmsim_value_text(c->predicted) : g_strdup(""));
    gmsim_table_take(t, measured ? gmsim_value_text(c->measured) : g_strdup(""));
    gmsim_table_take(t, different || c->outcome == GMSIM_OUTCOME_EQUAL
                            ? gmsim_error_text(different ? c->error : 0, metric, format)
                            : g_strdup(""));
    gmsim_table_put(t, outcome_text[c->outcome]);
}

void gmsim_print_every(const gmsim_validate_report *report, FILE *out)
{
    static const char *const head[] = {"trace",  "kernel",    "grid",     "block", "metric",
                                       "family", "predicted", "measured", "error", "outcome"};
    gmsim_table t;

    gmsim_table_init(&t, 1u << 0 | 1u << 1 | 1u << 4 | 1u << 5 | 1u << 9);
    for (unsigned i = 0; i < G_N_ELEMENTS(head); i++)
        gmsim_table_put(&t, head[i]);
    gmsim_table_end_header(&t);
    for (unsigned i = 0; i < report->all->launches; i++) {
        const gmsim_compared_launch *launch = &report->launch[i];

        for (unsigned m = 0; m < gmsim_quantity_count(); m++) {
            const gmsim_comparison *c = gmsim_comparison_at(report->all, i, m);

            if (c->outcome == GMSIM_OUTCOME_NONE)
                continue;
            gmsim_table_take(&t, gmsim_launch_text(report, i));
            gmsim_table_put(&t, launch->kernel);
            gmsim_table_take(&t, shape_text(launch->grid));
            gmsim_table_take(&t, shape_text(launch->block));
            gmsim_table_put(&t, gmsim_metrics[m].name);
            gmsim_table_put(&t, family_name(&gmsim_metrics[m]));
            put_pair(&t, c, &gmsim_metrics[m], report->format);
        }
    }
    gmsim_table_print(&t, report->format, out);
}

void gmsim_print_launches(const gmsim_validate_report *report, const unsigned *metric,
                          unsigned metrics, FILE *out)
{
    bool csv = report->format == GMSIM_VALIDATE_CSV;
    gmsim_table t;

    gmsim_table_init(&t, 1u << 0);
    gmsim_table_put(&t, "trace");
    for (unsigned m = 0; m < metrics; m++) {
        if (csv) {
            gmsim_table_take(&t, g_strdup_printf("predicted %s", gmsim_metrics[metric[m]].name));
            gmsim_table_take(&t, g_strdup_printf("measured %s", gmsim_metrics[metric[m]].name));
        } else {
            gmsim_table_put(&t, gmsim_metrics[metric[m]].name);
        }
    }
    gmsim_table_end_header(&t);
    for (unsigned i = 0; i < report->all->launches; i++) {
        gmsim_table_take(&t, gmsim_launch_text(report, i));
        for (unsigned m = 0; m < metrics; m++) {
            const gmsim_comparison *c = gmsim_comparison_at(report->all, i, metric[m]);
            bool has_p =
                c->outcome != GMSIM_OUTCOME_UNPREDICTED && c->outcome != GMSIM_OUTCOME_NONE;
            bool has_m = c->outcome != GMSIM_OUTCOME_UNMEASURED && c->outcome != GMSIM_OUTCOME_NONE;
            char *p = has_p ? gmsim_value_text(c->predicted) : g_strdup(csv ? "" : "-");
            char *q = has_m ? gmsim_value_text(c->measured) : g_strdup(csv ? "" : "-");

            if (csv) {
                gmsim_table_put(&t, p);
                gmsim_table_put(&t, q);
            } else {
                gmsim_table_take(&t, g_strdup_printf("%s / %s", p, q));
            }
            g_free(p);
            g_free(q);
        }
    }
    gmsim_table_print(&t, report->format, out);
}
