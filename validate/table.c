/* SPDX-License-Identifier: MIT
 *
 * table.c - prints the tables of table.h: text pads cells, Markdown and CSV put their own marks
 * between them.
 */
#include "validate/table.h"

#include "sim/measured/csv.h"
#include "validate/quantity.h"

#include <string.h>

void gmsim_table_init(gmsim_table *t, uint64_t left)
{
    t->cells = g_ptr_array_new_with_free_func(g_free);
    t->columns = 0;
    t->left = left;
}

void gmsim_table_put(gmsim_table *t, const char *text)
{
    g_ptr_array_add(t->cells, gmsim_cell_clean(g_strdup(text)));
}

void gmsim_table_take(gmsim_table *t, char *text)
{
    g_ptr_array_add(t->cells, gmsim_cell_clean(text));
}

void gmsim_table_end_header(gmsim_table *t)
{
    t->columns = t->cells->len;
}

static bool is_left(const gmsim_table *t, unsigned column)
{
    return column < 64 && (t->left >> column & 1) != 0;
}

static void print_padded(const gmsim_table *t, FILE *out)
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
    if (gmsim_quantity_find(text) >= 0) {
        fprintf(out, "`%s`", text);
        return;
    }
    for (; *text != '\0'; text++) {
        if (strchr("|<>*_\\`[]&", *text) != NULL)
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void print_markdown(const gmsim_table *t, FILE *out)
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

static void print_csv(const gmsim_table *t, FILE *out)
{
    for (unsigned i = 0; i < t->cells->len; i++) {
        const char *text = t->cells->pdata[i];
        /* What a spreadsheet would take for a formula is text behind an apostrophe. */
        bool formula = is_left(t, i % t->columns) && text[0] != 0 && text[1] != 0 &&
                       strchr("=+-@", text[0]) != NULL;

        if (!formula && strpbrk(text, ",\"\r\n") == NULL) {
            fputs(text, out);
        } else {
            fputs(formula ? "\"'" : "\"", out);
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

void gmsim_table_drop(gmsim_table *t, unsigned column, const char *filler)
{
    GPtrArray *kept;

    for (unsigned i = column + t->columns; i < t->cells->len; i += t->columns) {
        if (strcmp(t->cells->pdata[i], filler) != 0)
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

void gmsim_table_print(gmsim_table *t, gmsim_validate_format format, FILE *out)
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
