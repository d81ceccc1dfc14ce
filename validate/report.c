/* SPDX-License-Identifier: MIT
 *
 * report.c - the tables of report.h. A table is built as rows of strings first; text pads them,
 * Markdown and CSV put their own marks between. Leaves out colour and pages.
 */
#include "validate/report.h"

#include <math.h>
#include <string.h>

/* Cells row by row; the first row is the header. */
typedef struct table {
    GPtrArray *cells;
    unsigned columns;
    uint64_t left; /* bit set of columns that are words, not numbers */
} table;

static void table_init(table *t, uint64_t left)
{
    t->cells = g_ptr_array_new_with_free_func(g_free);
    t->columns = 0;
    t->left = left;
}

static void put(table *t, const char *text)
{
    g_ptr_array_add(t->cells, g_strdup(text));
}

static void put_owned(table *t, char *text)
{
    g_ptr_array_add(t->cells, text);
}

static void end_header(table *t)
{
    t->columns = t->cells->len;
}

static bool is_left(const table *t, unsigned column)
{
    return column < 64 && (t->left >> column & 1) != 0;
}

static void print_padded(const table *t, FILE *out)
{
    unsigned *width = g_new0(unsigned, t->columns);

    for (unsigned i = 0; i < t->cells->len; i++) {
        unsigned length = (unsigned)g_utf8_strlen(t->cells->pdata[i], -1);

        if (length > width[i % t->columns])
            width[i % t->columns] = length;
    }
    for (unsigned i = 0; i < t->cells->len; i++) {
        unsigned column = i % t->columns;
        const char *text = t->cells->pdata[i];
        int pad = (int)(width[column] - (unsigned)g_utf8_strlen(text, -1));
        bool last = column + 1 == t->columns;

        if (is_left(t, column))
            fprintf(out, "%s%*s", text, last ? 0 : pad, "");
        else
            fprintf(out, "%*s%s", pad, "", text);
        fputs(last ? "\n" : "  ", out);
    }
    g_free(width);
}

/* A metric's name is set as code. A kernel's may hold '|', '<' and '*', which Markdown would read.
 */
static void print_markdown_cell(const char *text, FILE *out)
{
    if (gmsim_metric_find(text) >= 0) {
        fprintf(out, "`%s`", text);
        return;
    }
    for (; *text != '\0'; text++) {
        if (strchr("|<>*_\\", *text) != NULL)
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void print_markdown(const table *t, FILE *out)
{
    for (unsigned i = 0; i < t->cells->len; i++) {
        unsigned column = i % t->columns;

        fputs(column == 0 ? "| " : " | ", out);
        print_markdown_cell(t->cells->pdata[i], out);
        if (column + 1 < t->columns)
            continue;
        fputs(" |\n", out);
        if (i + 1 > t->columns)
            continue;
        for (unsigned c = 0; c < t->columns; c++)
            fputs(is_left(t, c) ? "|---" : "|---:", out);
        fputs("|\n", out);
    }
}

static void print_csv(const table *t, FILE *out)
{
    for (unsigned i = 0; i < t->cells->len; i++) {
        const char *text = t->cells->pdata[i];

        if (strpbrk(text, ",\"\r\n") == NULL) {
            fputs(text, out);
        } else {
            fputc('"', out);
            for (; *text != '\0'; text++) {
                if (*text == '"')
                    fputc('"', out);
                fputc(*text, out);
            }
            fputc('"', out);
        }
        fputc((i + 1) % t->columns == 0 ? '\n' : ',', out);
    }
}

/* Takes out a column that holds nothing but "0" under its header. */
static void drop_if_zero(table *t, unsigned column)
{
    GPtrArray *kept;

    for (unsigned i = column + t->columns; i < t->cells->len; i += t->columns) {
        if (strcmp(t->cells->pdata[i], "0") != 0)
            return;
    }
    kept = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < t->cells->len; i++) {
        if (i % t->columns == column)
            g_free(t->cells->pdata[i]);
        else
            g_ptr_array_add(kept, t->cells->pdata[i]);
    }
    g_ptr_array_set_free_func(t->cells, NULL);
    g_ptr_array_free(t->cells, TRUE);
    t->cells = kept;
    t->columns--;
    t->left = (t->left & ((1u << column) - 1)) | (t->left >> (column + 1) << column);
}

static void print_table(table *t, gmsim_validate_format format, FILE *out)
{
    switch (format) {
    case GMSIM_VALIDATE_TEXT:
        print_padded(t, out);
        break;
    case GMSIM_VALIDATE_MARKDOWN:
        print_markdown(t, out);
        break;
    case GMSIM_VALIDATE_CSV:
        print_csv(t, out);
        break;
    }
    g_ptr_array_free(t->cells, TRUE);
}

/* ------------------------------------------------------------------------------------ numbers */

static char *value_text(double value)
{
    if (fabs(value) > 1e15)
        return g_strdup_printf("%.6g", value);
    return g_strdup_printf(value == floor(value) ? "%.0f" : "%.2f", value);
}

static char *error_text(double error, const gmsim_metric *metric, gmsim_validate_format format)
{
    const char *unit = metric->is_percent ? " pt" : " %";

    if (format == GMSIM_VALIDATE_CSV)
        return g_strdup_printf("%.6g", error);
    if (error == 0)
        return g_strdup("0");
    return g_strdup_printf("%.3g%s", error, unit);
}

static const char *family_name(const gmsim_metric *metric)
{
    return metric->family == GMSIM_FAMILY_EXACT ? "exact" : "modelled";
}

static char *shape_text(const uint32_t shape[3])
{
    return g_strdup_printf("%ux%ux%u", shape[0], shape[1], shape[2]);
}

/* The trace's name, with the launch's number where a trace has several. */
static char *launch_text(const gmsim_validate_report *report, unsigned index)
{
    const gmsim_compared_launch *launch = &report->launch[index];

    if (launch->alone)
        return g_strdup(launch->label);
    return g_strdup_printf("%s:%u", launch->label, launch->launch);
}

/* ------------------------------------------------------------------------------------- tables */

static void metric_row(const gmsim_validate_report *report, unsigned metric, table *t)
{
    const gmsim_metric *m = &gmsim_metrics[metric];
    gmsim_statistics s = gmsim_statistics_of(report->all, metric);
    bool csv = report->format == GMSIM_VALIDATE_CSV;

    put(t, m->name);
    put(t, family_name(m));
    put_owned(t, g_strdup_printf("%u", s.compared));
    put_owned(t, g_strdup_printf("%u", s.nonzero));
    put_owned(t, g_strdup_printf("%u", s.equal));
    put_owned(t, error_text(s.mean_error, m, report->format));
    put_owned(t, error_text(s.max_error, m, report->format));
    put_owned(t, g_strdup_printf("%u", s.from_zero));
    put_owned(t, g_strdup_printf("%u", s.unpredicted));
    put_owned(t, g_strdup_printf("%u", s.unmeasured));
    put_owned(t, s.has_correlation ? g_strdup_printf("%.4f", s.correlation)
                                   : g_strdup(csv ? "" : "-"));
    put_owned(t, s.worst >= 0 ? launch_text(report, (unsigned)s.worst) : g_strdup(csv ? "" : "-"));
}

void gmsim_print_metrics(const gmsim_validate_report *report, FILE *out)
{
    bool csv = report->format == GMSIM_VALIDATE_CSV;
    unsigned silent = 0, unmeasured = 0;
    table t;

    table_init(&t, 1u << 0 | 1u << 1 | 1u << 11);
    put(&t, "metric");
    put(&t, "family");
    put(&t, "launches");
    put(&t, csv ? "nonzero" : "not 0");
    put(&t, "equal");
    put(&t, csv ? "mean_error" : "mean error");
    put(&t, csv ? "max_error" : "max error");
    put(&t, csv ? "from_zero" : "from 0");
    put(&t, csv ? "unpredicted" : "no prediction");
    put(&t, csv ? "unmeasured" : "no measurement");
    put(&t, csv ? "correlation" : "r");
    put(&t, "worst");
    end_header(&t);
    for (unsigned i = 0; i < gmsim_metric_count; i++) {
        gmsim_statistics s = gmsim_statistics_of(report->all, i);

        if (!csv && s.compared == 0 && s.unpredicted == 0 && s.rescaled == 0) {
            unmeasured++;
            continue;
        }
        if (!csv && s.nonzero == 0 && s.unpredicted == 0 && s.rescaled == 0) {
            silent++;
            continue;
        }
        metric_row(report, i, &t);
    }
    for (unsigned column = 10; !csv && column-- > 7;)
        drop_if_zero(&t, column);
    print_table(&t, report->format, out);
    if (silent > 0)
        fprintf(out, "\n%u metrics are 0 on both sides in every launch.\n", silent);
    if (unmeasured > 0)
        fprintf(out, "%s%u metrics that gmsim predicts were not measured.\n",
                silent > 0 ? "" : "\n", unmeasured);
}

static const char *outcome_text(gmsim_outcome outcome)
{
    switch (outcome) {
    case GMSIM_OUTCOME_EQUAL:
        return "equal";
    case GMSIM_OUTCOME_DIFFERENT:
        return "different";
    case GMSIM_OUTCOME_FROM_ZERO:
        return "measured 0";
    case GMSIM_OUTCOME_UNPREDICTED:
        return "not predicted";
    case GMSIM_OUTCOME_UNMEASURED:
        return "not measured";
    case GMSIM_OUTCOME_RESCALED:
        return "too few digits";
    case GMSIM_OUTCOME_NONE:
        break;
    }
    return "none";
}

static void put_pair(table *t, const gmsim_comparison *c, const gmsim_metric *metric,
                     gmsim_validate_format format)
{
    bool predicted = c->outcome != GMSIM_OUTCOME_UNPREDICTED && c->outcome != GMSIM_OUTCOME_NONE;
    bool measured = c->outcome != GMSIM_OUTCOME_UNMEASURED && c->outcome != GMSIM_OUTCOME_NONE;
    bool different = c->outcome == GMSIM_OUTCOME_DIFFERENT;

    put_owned(t, predicted ? value_text(c->predicted) : g_strdup(""));
    put_owned(t, measured ? value_text(c->measured) : g_strdup(""));
    put_owned(t, different || c->outcome == GMSIM_OUTCOME_EQUAL
                     ? error_text(different ? c->error : 0, metric, format)
                     : g_strdup(""));
    put(t, outcome_text(c->outcome));
}

void gmsim_print_every(const gmsim_validate_report *report, FILE *out)
{
    table t;

    table_init(&t, 1u << 0 | 1u << 1 | 1u << 4 | 1u << 5 | 1u << 9);
    put(&t, "trace");
    put(&t, "kernel");
    put(&t, "grid");
    put(&t, "block");
    put(&t, "metric");
    put(&t, "family");
    put(&t, "predicted");
    put(&t, "measured");
    put(&t, "error");
    put(&t, "outcome");
    end_header(&t);
    for (unsigned i = 0; i < report->all->launches; i++) {
        const gmsim_compared_launch *launch = &report->launch[i];

        for (unsigned m = 0; m < gmsim_metric_count; m++) {
            const gmsim_comparison *c = gmsim_comparison_at(report->all, i, m);

            if (c->outcome == GMSIM_OUTCOME_NONE)
                continue;
            put_owned(&t, launch_text(report, i));
            put(&t, launch->kernel);
            put_owned(&t, shape_text(launch->grid));
            put_owned(&t, shape_text(launch->block));
            put(&t, gmsim_metrics[m].name);
            put(&t, family_name(&gmsim_metrics[m]));
            put_pair(&t, c, &gmsim_metrics[m], report->format);
        }
    }
    print_table(&t, report->format, out);
}

void gmsim_print_launches(const gmsim_validate_report *report, const unsigned *metric,
                          unsigned metrics, FILE *out)
{
    bool csv = report->format == GMSIM_VALIDATE_CSV;
    table t;

    table_init(&t, 1u << 0);
    put(&t, "trace");
    for (unsigned m = 0; m < metrics; m++) {
        if (csv) {
            put_owned(&t, g_strdup_printf("predicted %s", gmsim_metrics[metric[m]].name));
            put_owned(&t, g_strdup_printf("measured %s", gmsim_metrics[metric[m]].name));
        } else {
            put(&t, gmsim_metrics[metric[m]].name);
        }
    }
    end_header(&t);
    for (unsigned i = 0; i < report->all->launches; i++) {
        put_owned(&t, launch_text(report, i));
        for (unsigned m = 0; m < metrics; m++) {
            const gmsim_comparison *c = gmsim_comparison_at(report->all, i, metric[m]);
            bool has_p =
                c->outcome != GMSIM_OUTCOME_UNPREDICTED && c->outcome != GMSIM_OUTCOME_NONE;
            bool has_m = c->outcome != GMSIM_OUTCOME_UNMEASURED && c->outcome != GMSIM_OUTCOME_NONE;
            char *p = has_p ? value_text(c->predicted) : g_strdup(csv ? "" : "-");
            char *q = has_m ? value_text(c->measured) : g_strdup(csv ? "" : "-");

            if (csv) {
                put(&t, p);
                put(&t, q);
            } else {
                put_owned(&t, g_strdup_printf("%s / %s", p, q));
            }
            g_free(p);
            g_free(q);
        }
    }
    print_table(&t, report->format, out);
}
