/* SPDX-License-Identifier: MIT
 *
 * csv.c - reads the records of csv.h. A field that is neither wholly quoted nor free of quotes is
 * refused: it means that lines of two programs ran into one another, and guessing would turn that
 * into numbers.
 */
#include "sim/measured/csv.h"

#include "sim/device/gpu.h"

#include <string.h>

char *gmsim_cell_clean(char *text)
{
    for (char *p = text; *p != 0;) {
        gunichar c = g_utf8_get_char_validated(p, -1);
        bool valid = c != (gunichar)-1 && c != (gunichar)-2;
        size_t bytes = valid ? (size_t)(g_utf8_next_char(p) - p) : 1;

        if (!valid || g_unichar_iscntrl(c) || g_unichar_type(c) == G_UNICODE_FORMAT)
            memset(p, '?', bytes);
        p += bytes;
    }
    return text;
}

void gmsim_csv_init(gmsim_csv *csv, const char *path, const char *text, size_t size)
{
    csv->path = path;
    csv->text = text;
    csv->size = size;
    csv->at = 0;
    csv->line = 1;
    csv->began = 1;
    csv->bytes = g_string_new(NULL);
    csv->offsets = g_array_new(FALSE, FALSE, sizeof(size_t));
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        csv->at = 3; /* byte order mark */
}

void gmsim_csv_clear(gmsim_csv *csv)
{
    g_string_free(csv->bytes, TRUE);
    g_array_free(csv->offsets, TRUE);
    csv->bytes = NULL;
    csv->offsets = NULL;
}

const char *gmsim_csv_peek(const gmsim_csv *csv, size_t *length)
{
    const char *begin = csv->text + csv->at;
    size_t rest = csv->size - csv->at;
    const char *end;

    if (rest == 0)
        return NULL;
    end = memchr(begin, '\n', rest);
    *length = end != NULL ? (size_t)(end - begin) : rest;
    if (*length > 0 && begin[*length - 1] == '\r')
        (*length)--;
    return begin;
}

void gmsim_csv_skip_line(gmsim_csv *csv)
{
    const char *end = memchr(csv->text + csv->at, '\n', csv->size - csv->at);

    csv->at = end != NULL ? (size_t)(end - csv->text) + 1 : csv->size;
    csv->line++;
}

static bool bad(const gmsim_csv *csv, uint64_t line, const char *what, GError **error)
{
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT, "%s:%" G_GUINT64_FORMAT ": %s", csv->path,
                line, what);
    return false;
}

/* Reads a quoted field; `at` stands behind the opening quote and ends behind the closing one. */
static bool read_quoted(gmsim_csv *csv, GError **error)
{
    uint64_t opened = csv->line;

    for (;;) {
        char c;

        if (csv->at == csv->size)
            return bad(csv, opened, "a quoted field is not closed; the file is cut short", error);
        c = csv->text[csv->at++];
        if (c == '"') {
            if (csv->at < csv->size && csv->text[csv->at] == '"')
                csv->at++;
            else
                return true;
        }
        if (c == '\0')
            return bad(csv, csv->line, "holds a zero byte; this is not a text file", error);
        if (c == '\n')
            csv->line++;
        g_string_append_c(csv->bytes, c);
    }
}

static bool read_plain(gmsim_csv *csv, GError **error)
{
    while (csv->at < csv->size) {
        char c = csv->text[csv->at];

        if (c == ',' || c == '\n' ||
            (c == '\r' && (csv->at + 1 == csv->size || csv->text[csv->at + 1] == '\n')))
            return true;
        if (c == '"')
            return bad(csv, csv->line, "a quote stands inside an unquoted field", error);
        if (c == '\0')
            return bad(csv, csv->line, "holds a zero byte; this is not a text file", error);
        g_string_append_c(csv->bytes, c);
        csv->at++;
    }
    return true;
}

/* Steps over what ends a field. Returns false and sets error where something else stands. */
static bool read_end(gmsim_csv *csv, bool *last, GError **error)
{
    *last = true;
    if (csv->at < csv->size && csv->text[csv->at] == ',') {
        csv->at++;
        *last = false;
        return true;
    }
    if (csv->at < csv->size && csv->text[csv->at] == '\r')
        csv->at++;
    if (csv->at == csv->size)
        return true;
    if (csv->text[csv->at] != '\n')
        return bad(csv, csv->line, "text stands behind a closing quote", error);
    csv->at++;
    csv->line++;
    return true;
}

bool gmsim_csv_read(gmsim_csv *csv, GError **error)
{
    bool last = false;

    g_string_truncate(csv->bytes, 0);
    g_array_set_size(csv->offsets, 0);
    csv->began = csv->line;
    while (!last) {
        size_t offset = csv->bytes->len;

        g_array_append_val(csv->offsets, offset);
        if (csv->at < csv->size && csv->text[csv->at] == '"') {
            csv->at++;
            if (!read_quoted(csv, error))
                return false;
        } else if (!read_plain(csv, error)) {
            return false;
        }
        g_string_append_c(csv->bytes, '\0');
        gmsim_cell_clean(csv->bytes->str + offset);
        if (!read_end(csv, &last, error))
            return false;
    }
    return true;
}

unsigned gmsim_csv_fields(const gmsim_csv *csv)
{
    return csv->offsets->len;
}

const char *gmsim_csv_field(const gmsim_csv *csv, unsigned index)
{
    return csv->bytes->str + g_array_index(csv->offsets, size_t, index);
}
