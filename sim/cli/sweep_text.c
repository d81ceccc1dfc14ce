/* SPDX-License-Identifier: MIT
 *
 * sweep_text.c - the results of a sweep as a table for people: what varies, then the metrics, one
 * line a point and launch, and last which point takes the fewest cycles. Metrics shown by default
 * are left out where they are 0 or absent in every line.
 */
#include "config.h"

#include "sim/cli/sweep.h"

#include <math.h>
#include <string.h>

#include "sim/analysis/metrics.h"
#include "sim/report/format.h"
#include "sim/report/report.h"

#define KERNEL_WIDTH 32u

typedef struct table {
    GPtrArray *lines; /* char ** of each, the headings first */
    unsigned left;    /* columns of words, which stand at the left; numbers at the right */
} table;

static char *number(const gmsim_metric *metric, double value)
{
    if (!isfinite(value))
        return g_strdup("-");
    if (metric->is_percent)
        return g_strdup_printf("%.1f%%", value);
    if (value == floor(value) && value >= 0)
        return g_strdup(gmsim_count((uint64_t)value).text);
    return g_strdup_printf("%.2f", value);
}

static bool is_shown(const sweep_study *sweep, unsigned metric)
{
    if (sweep->chosen)
        return true;
    for (uint64_t i = sweep->first; i < sweep->plan.count; i += sweep->step) {
        const sweep_result *result = &sweep->result[i];

        for (unsigned k = 0; result->failure == NULL && k < result->rows->len; k++) {
            double value = ((const sweep_row *)result->rows->pdata[k])->value[metric];

            if (isfinite(value) && value != 0)
                return true;
        }
    }
    return false;
}

static bool any_point_has_launches(const sweep_study *sweep)
{
    for (uint64_t i = sweep->first; i < sweep->plan.count; i += sweep->step) {
        const sweep_result *result = &sweep->result[i];

        if (result->failure == NULL && result->rows->len > 1)
            return true;
    }
    return false;
}

static char **make_line(const sweep_study *sweep, uint64_t point, const GArray *columns,
                        const GArray *shown, bool launches, const sweep_row *row)
{
    GPtrArray *cells = g_ptr_array_new();

    for (unsigned i = 0; i < columns->len; i++) {
        const sweep_column *column = &g_array_index(columns, sweep_column, i);

        if (column->varies)
            g_ptr_array_add(cells,
                            gmsim_clean(row == NULL ? column->name
                                                    : sweep_plan_value(&sweep->plan, point, column),
                                        0));
    }
    if (launches) {
        g_ptr_array_add(cells,
                        row == NULL ? g_strdup("launch") : g_strdup_printf("%u", row->launch));
        g_ptr_array_add(cells,
                        row == NULL ? g_strdup("kernel") : gmsim_clean(row->kernel, KERNEL_WIDTH));
    }
    for (unsigned i = 0; i < shown->len; i++) {
        unsigned at = g_array_index(shown, unsigned, i);
        const gmsim_metric *metric = &gmsim_metrics[g_array_index(sweep->metrics, unsigned, at)];
        const char *name = sweep_short_name(metric->name);

        g_ptr_array_add(cells, row != NULL ? number(metric, row->value[at])
                                           : g_strdup(name != NULL ? name : metric->name));
    }
    g_ptr_array_add(cells, NULL);
    return (char **)g_ptr_array_free(cells, FALSE);
}

static void put_table(const table *t, FILE *out)
{
    unsigned count = t->lines->len > 0 ? g_strv_length(t->lines->pdata[0]) : 0;
    glong *width = g_new0(glong, count + 1);

    for (unsigned i = 0; i < t->lines->len; i++) {
        for (unsigned k = 0; k < count; k++)
            width[k] = MAX(width[k], g_utf8_strlen(((char **)t->lines->pdata[i])[k], -1));
    }
    for (unsigned i = 0; i < t->lines->len; i++) {
        for (unsigned k = 0; k < count; k++) {
            const char *cell = ((char **)t->lines->pdata[i])[k];
            int padding = (int)(width[k] - g_utf8_strlen(cell, -1));

            if (k >= t->left)
                fprintf(out, "%s%*s%s", k > 0 ? "  " : "", padding, "", cell);
            else if (k + 1 < count)
                fprintf(out, "%s%s%*s", k > 0 ? "  " : "", cell, padding, "");
            else
                fprintf(out, "%s%s", k > 0 ? "  " : "", cell);
        }
        fputc('\n', out);
    }
    g_free(width);
}

static void put_head(const sweep_study *sweep, const GArray *columns, FILE *out)
{
    fprintf(out, "gmsim %s   sweep of %" G_GUINT64_FORMAT " points", PACKAGE_VERSION,
            sweep->plan.count);
    if (sweep->step > 1)
        fprintf(out, ", every %" G_GUINT64_FORMAT ". from point %" G_GUINT64_FORMAT, sweep->step,
                sweep->first);
    fputc('\n', out);
    for (unsigned i = 0; i < columns->len; i++) {
        const sweep_column *column = &g_array_index(columns, sweep_column, i);
        char *value;

        if (column->varies || column->kind == SWEEP_BRACES ||
            (column->kind == SWEEP_TRACE && sweep->plan.names->len > 0))
            continue;
        value = gmsim_clean(sweep_plan_value(&sweep->plan, 0, column), 0);
        fprintf(out, "%s %s\n", column->name, value);
        g_free(value);
    }
    fputc('\n', out);
}

/* The points of fewest and most cycles, where a point is one launch. */
static void put_best(const sweep_study *sweep, FILE *out)
{
    int cycles = gmsim_metric_find("gpc__cycles_elapsed.max");
    uint64_t least = 0, most = 0;
    double low = HUGE_VAL, high = 0;
    unsigned at = 0;

    while (at < sweep->metrics->len &&
           g_array_index(sweep->metrics, unsigned, at) != (unsigned)cycles)
        at++;
    if (cycles < 0 || at == sweep->metrics->len)
        return;
    for (uint64_t i = sweep->first; i < sweep->plan.count; i += sweep->step) {
        double value;

        if (sweep->result[i].failure != NULL)
            continue;
        value = ((const sweep_row *)sweep->result[i].rows->pdata[0])->value[at];
        if (value < low) {
            low = value;
            least = i;
        }
        if (value > high) {
            high = value;
            most = i;
        }
    }
    if (low > 0 && low < high) {
        char *first = sweep_plan_describe(&sweep->plan, least, false);
        char *last = sweep_plan_describe(&sweep->plan, most, false);

        fprintf(out, "\nFewest cycles at %s: %s. Most at %s: %.2f times as many.\n", first,
                gmsim_count((uint64_t)low).text, last, high / low);
        g_free(first);
        g_free(last);
    }
}

static void put_legend(const sweep_study *sweep, const GArray *shown, FILE *out)
{
    GString *text = g_string_new(NULL), *wrapped = g_string_new(NULL);

    for (unsigned i = 0; i < shown->len; i++) {
        const char *metric = gmsim_metrics[g_array_index(sweep->metrics, unsigned,
                                                         g_array_index(shown, unsigned, i))]
                                 .name;
        const char *name = sweep_short_name(metric);

        if (name != NULL)
            g_string_append_printf(text, "%s%s %s", text->len > 0 ? ", " : "", name, metric);
    }
    if (text->len > 0) {
        gmsim_wrap(wrapped, text->str, 0, 0, GMSIM_REPORT_WIDTH);
        fprintf(out, "\n%s\n", g_strchomp(wrapped->str));
    }
    g_string_free(text, TRUE);
    g_string_free(wrapped, TRUE);
}

void sweep_write_text(const sweep_study *sweep, FILE *out)
{
    GArray *columns = sweep_plan_columns(&sweep->plan);
    GArray *shown = g_array_new(FALSE, FALSE, sizeof(unsigned));
    bool launches = any_point_has_launches(sweep);
    table t = {.lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev),
               .left = launches ? 2 : 0};

    for (unsigned i = 0; i < columns->len; i++)
        t.left += g_array_index(columns, sweep_column, i).varies;
    for (unsigned i = 0; i < sweep->metrics->len; i++) {
        if (is_shown(sweep, i))
            g_array_append_val(shown, i);
    }
    g_ptr_array_add(t.lines, make_line(sweep, 0, columns, shown, launches, NULL));
    for (uint64_t i = sweep->first; i < sweep->plan.count; i += sweep->step) {
        const sweep_result *result = &sweep->result[i];

        for (unsigned k = 0; result->failure == NULL && k < result->rows->len; k++)
            g_ptr_array_add(t.lines,
                            make_line(sweep, i, columns, shown, launches, result->rows->pdata[k]));
    }
    put_head(sweep, columns, out);
    put_table(&t, out);
    if (!launches)
        put_best(sweep, out);
    put_legend(sweep, shown, out);
    g_ptr_array_unref(t.lines);
    g_array_unref(shown);
    g_array_unref(columns);
}
