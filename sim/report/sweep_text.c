/* SPDX-License-Identifier: MIT
 *
 * sweep_text.c - the results of a sweep as a table for people: what varies, then the metrics, one
 * line a point and launch, and last which point takes the fewest cycles. Metrics shown by default
 * are left out where they are 0 or absent in every line.
 */
#include "sim/report/format.h"
#include "sim/report/formats.h"
#include "sim/report/names.h"

#define KERNEL_WIDTH 32u

static const gmsim_sweep_column *column_at(const gmsim_sweep *sweep, unsigned i)
{
    return &g_array_index(sweep->columns, gmsim_sweep_column, i);
}

static const gmsim_metric *metric_at(const gmsim_sweep *sweep, unsigned i)
{
    return &gmsim_metrics[g_array_index(sweep->metrics, unsigned, i)];
}

static void put_head(const gmsim_report *report, const gmsim_sweep *sweep, GString *out)
{
    g_string_append_printf(out, "gmsim %s   sweep of %" G_GUINT64_FORMAT " point%s",
                           report->version, sweep->count, sweep->count == 1 ? "" : "s");
    if (sweep->step > 1)
        g_string_append_printf(out, ", every %" G_GUINT64_FORMAT ". from point %" G_GUINT64_FORMAT,
                               sweep->step, sweep->first);
    g_string_append_c(out, '\n');
    for (unsigned i = 0; i < sweep->columns->len; i++) {
        const gmsim_sweep_column *column = column_at(sweep, i);
        char *value;

        if (!gmsim_sweep_fixes(sweep, i))
            continue;
        value = gmsim_clean(sweep->value(sweep->plan, 0, column), 0);
        g_string_append_printf(out, "%s %s\n", column->name, value);
        g_free(value);
    }
    g_string_append_c(out, '\n');
}

static void put_best(const gmsim_sweep *sweep, GString *out)
{
    char *text = gmsim_sweep_best(sweep);

    if (text != NULL)
        g_string_append_printf(out, "\n%s\n", text);
    g_free(text);
}

/* Which metric is meant by each short heading that is shown. */
static void put_legend(const gmsim_sweep *sweep, GString *out)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < sweep->metrics->len; i++) {
        const gmsim_metric *metric = metric_at(sweep, i);

        if (metric->word != NULL && gmsim_sweep_shows(sweep, i))
            g_string_append_printf(text, "%s%s %s", text->len > 0 ? ", " : "", metric->word,
                                   metric->name);
    }
    if (text->len > 0) {
        g_string_append_c(out, '\n');
        gmsim_wrap(out, text->str, 0, 0, GMSIM_REPORT_WIDTH);
        g_string_append_c(out, '\n');
    }
    g_string_free(text, TRUE);
}

/* Columns of words stand at the left; a title that is NULL leaves one out. */
static gmsim_column *make_columns(const gmsim_sweep *sweep, bool launches)
{
    unsigned count = sweep->columns->len, k = 0;
    gmsim_column *columns = g_new0(gmsim_column, count + 2 + sweep->metrics->len);

    for (unsigned i = 0; i < count; i++) {
        if (column_at(sweep, i)->varies)
            columns[k].title = column_at(sweep, i)->name;
        columns[k++].left = true;
    }
    columns[k].title = launches ? "launch" : NULL;
    columns[k++].left = true;
    columns[k].title = launches ? "kernel" : NULL;
    columns[k++].left = true;
    for (unsigned i = 0; i < sweep->metrics->len; i++) {
        const gmsim_metric *metric = metric_at(sweep, i);

        columns[k++].title = !gmsim_sweep_shows(sweep, i) ? NULL
                             : metric->word != NULL       ? metric->word
                                                          : metric->name;
    }
    for (unsigned i = 0, shown = 0; i < k; i++) {
        columns[i].gap = shown > 0 ? 2 : 0;
        shown += columns[i].title != NULL;
    }
    return columns;
}

/* Short names by kernel. */
static GHashTable *short_names(const gmsim_sweep *sweep)
{
    GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    GPtrArray *names = g_ptr_array_new();
    char **text;

    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        const gmsim_sweep_point *point = &sweep->point[i];

        for (unsigned k = 0; point->failure == NULL && k < point->rows->len; k++) {
            char *kernel = ((const gmsim_sweep_row *)point->rows->pdata[k])->kernel;

            if (g_hash_table_insert(table, kernel, NULL))
                g_ptr_array_add(names, kernel);
        }
    }
    text = gmsim_short_names((const char *const *)names->pdata, names->len, KERNEL_WIDTH);
    for (unsigned i = 0; i < names->len; i++)
        g_hash_table_insert(table, names->pdata[i], text[i]);
    g_ptr_array_unref(names);
    g_free(text);
    return table;
}

static void put_row(gmsim_table *table, const gmsim_sweep *sweep, uint64_t point,
                    const gmsim_sweep_row *row, GHashTable *names)
{
    unsigned count = sweep->columns->len, k = 0;
    gmsim_field *field = g_new0(gmsim_field, count + 2 + sweep->metrics->len);
    char **words = g_new0(char *, count + 2);

    for (unsigned i = 0; i < count; i++) {
        words[i] = gmsim_clean(sweep->value(sweep->plan, point, column_at(sweep, i)), 0);
        field[k++] = gmsim_words(words[i]);
    }
    words[count] = g_strdup_printf("%u", row->launch);
    field[k++] = gmsim_words(words[count]);
    field[k++] = gmsim_words(g_hash_table_lookup(names, row->kernel));
    for (unsigned i = 0; i < sweep->metrics->len; i++)
        field[k++] = gmsim_number_of(metric_at(sweep, i)->unit, row->value[i]);
    gmsim_table_row(table, field);
    g_strfreev(words);
    g_free(field);
}

void gmsim_text_sweep(gmsim_report *report, const gmsim_sweep *sweep)
{
    bool launches = gmsim_sweep_has_launches(sweep);
    gmsim_column *columns = make_columns(sweep, launches);
    GHashTable *names = short_names(sweep);
    GString *out = g_string_new(NULL);
    gmsim_table table;

    put_head(report, sweep, out);
    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, columns,
                      sweep->columns->len + 2 + sweep->metrics->len, out, false);
    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        const gmsim_sweep_point *point = &sweep->point[i];

        for (unsigned k = 0; point->failure == NULL && k < point->rows->len; k++)
            put_row(&table, sweep, i, point->rows->pdata[k], names);
    }
    gmsim_table_end(&table);
    put_best(sweep, out);
    put_legend(sweep, out);
    fputs(out->str, report->out);
    g_string_free(out, TRUE);
    g_hash_table_unref(names);
    g_free(columns);
}
