/* SPDX-License-Identifier: MIT
 *
 * table.c - the writer of table.h. Lines of text never end in blanks. Leaves out locales, colour
 * but for the first heading, and pages.
 */
#include "sim/report/table.h"

#include <math.h>

#include "sim/report/format.h"

gmsim_field gmsim_words(const char *words)
{
    return (gmsim_field){.words = words, .number = (double)NAN};
}

gmsim_field gmsim_number_of(gmsim_unit unit, double number)
{
    return (gmsim_field){.number = number, .unit = unit};
}

gmsim_field gmsim_quotient(gmsim_unit unit, uint64_t part, uint64_t whole)
{
    double scale = unit == GMSIM_UNIT_PERCENT ? 100 : 1;

    return gmsim_number_of(unit, whole > 0 ? scale * (double)part / (double)whole : (double)NAN);
}

gmsim_field gmsim_metric_field(const gmsim_result *result, unsigned metric)
{
    double value;

    return gmsim_number_of(gmsim_metrics[metric].unit,
                           gmsim_metric_value(result, metric, &value) ? value : (double)NAN);
}

/* ----------------------------------------------------------------------------------------- text */

static char *cell_text(const gmsim_column *column, const gmsim_field *field)
{
    if (field->words != NULL)
        return g_strdup(field->words);
    if (!isfinite(field->number))
        return g_strdup("-");
    return g_strdup(gmsim_shown(field->unit, field->number, column->delta).text);
}

/* A line of cells; width has those of columns that give none. */
static void put_line(const gmsim_table *t, char *const *cell, const unsigned *width, bool heading)
{
    for (unsigned i = 0; i < t->columns; i++) {
        const gmsim_column *column = &t->column[i];
        unsigned least = column->width > 0 ? column->width : width != NULL ? width[i] : 0;
        unsigned length;
        int pad;

        if (column->title == NULL)
            continue;
        length = (unsigned)g_utf8_strlen(cell[i], -1);
        pad = (int)(least > length ? least - length : 0);
        g_string_append_printf(t->out, "%*s", (int)column->gap + (column->left ? 0 : pad), "");
        if (heading && t->bold && i == 0)
            gmsim_heading(t->out, true, cell[i]);
        else
            g_string_append(t->out, cell[i]);
        g_string_append_printf(t->out, "%*s", column->left ? pad : 0, "");
    }
    while (t->out->len > 0 && t->out->str[t->out->len - 1] == ' ')
        g_string_truncate(t->out, t->out->len - 1);
    g_string_append_c(t->out, '\n');
}

static void put_text_heading(gmsim_table *t)
{
    char **title = g_new0(char *, t->columns + 1);
    bool any = false, unknown = false;

    for (unsigned i = 0; i < t->columns; i++) {
        const gmsim_column *column = &t->column[i];

        title[i] = g_strdup(column->title != NULL ? column->title : "");
        any = any || *title[i] != 0;
        /* The last column needs no width at the left. */
        unknown = unknown || (column->title != NULL && column->width == 0 &&
                              !(column->left && i + 1 == t->columns));
    }
    if (unknown) {
        t->held = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
        g_ptr_array_add(t->held, title);
        return;
    }
    if (any)
        put_line(t, title, NULL, true);
    g_strfreev(title);
}

/* ------------------------------------------------------------------------------------------ CSV */

/* A spreadsheet takes words that begin so for a formula, and runs it; behind an apostrophe they
 * are words to it. One character alone is none. */
static void put_quoted(GString *out, const char *text)
{
    char *clean = gmsim_clean(text, 0);

    g_string_append_c(out, '"');
    if (clean[0] != 0 && clean[1] != 0 && strchr("=+-@", clean[0]) != NULL)
        g_string_append_c(out, '\'');
    for (const char *p = clean; *p != 0; p++) {
        if (*p == '"')
            g_string_append_c(out, '"');
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
    g_free(clean);
}

/* A field, or with NULL the headings. */
static void put_csv(gmsim_table *t, const gmsim_field *field)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    const char *comma = "";

    for (unsigned i = 0; i < t->columns; i++) {
        const char *words = field == NULL ? t->column[i].key : field[i].words;

        if (t->column[i].key == NULL)
            continue;
        g_string_append(t->out, comma);
        comma = ",";
        if (words != NULL && field != NULL && t->column[i].bare)
            g_string_append(t->out, words);
        else if (words != NULL && *words != 0)
            put_quoted(t->out, words);
        else if (words == NULL && isfinite(field[i].number))
            g_string_append(
                t->out, g_ascii_formatd(text, sizeof text,
                                        field[i].number == floor(field[i].number) ? "%.0f" : "%.6f",
                                        field[i].number));
    }
    g_string_append(t->out, "\r\n");
}

/* --------------------------------------------------------------------------------------- tables */

void gmsim_table_begin(gmsim_table *table, gmsim_table_form form, const gmsim_column *column,
                       unsigned columns, GString *out, bool bold)
{
    *table =
        (gmsim_table){.form = form, .column = column, .columns = columns, .out = out, .bold = bold};
    if (form == GMSIM_TABLE_TEXT)
        put_text_heading(table);
    else
        put_csv(table, NULL);
}

void gmsim_table_row(gmsim_table *table, const gmsim_field *field)
{
    char **cell;

    if (table->form == GMSIM_TABLE_CSV) {
        put_csv(table, field);
        return;
    }
    cell = g_new0(char *, table->columns + 1);
    for (unsigned i = 0; i < table->columns; i++)
        cell[i] = cell_text(&table->column[i], &field[i]);
    if (table->held != NULL) {
        g_ptr_array_add(table->held, cell);
        return;
    }
    put_line(table, cell, NULL, false);
    g_strfreev(cell);
}

void gmsim_table_end(gmsim_table *table)
{
    unsigned *width;

    if (table->held == NULL)
        return;
    width = g_new0(unsigned, table->columns);
    for (unsigned i = 0; i < table->held->len; i++) {
        for (unsigned k = 0; k < table->columns; k++)
            width[k] =
                MAX(width[k], (unsigned)g_utf8_strlen(((char **)table->held->pdata[i])[k], -1));
    }
    for (unsigned i = 0; i < table->held->len; i++)
        put_line(table, table->held->pdata[i], width, i == 0);
    g_ptr_array_unref(table->held);
    g_free(width);
}

void gmsim_table_members(gmsim_json *json, const gmsim_column *column, unsigned columns,
                         const gmsim_field *field)
{
    for (unsigned i = 0; i < columns; i++) {
        if (column[i].key == NULL || column[i].outer)
            continue;
        if (field[i].words != NULL)
            gmsim_json_string(json, column[i].key, field[i].words);
        else if (isfinite(field[i].number))
            gmsim_json_number(json, column[i].key, field[i].number);
    }
}
