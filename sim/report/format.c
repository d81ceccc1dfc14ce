/* SPDX-License-Identifier: MIT
 *
 * format.c - numbers and names as people read them. Leaves out locales on purpose: the same result
 * prints the same bytes everywhere.
 */
#include "sim/report/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

gmsim_number gmsim_count(uint64_t count)
{
    char digits[24];
    gmsim_number number;
    int length = g_snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *to = number.text;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return number;
}

static void put_fixed(gmsim_number *number, const char *format, double value, const char *unit)
{
    g_ascii_formatd(number->text, sizeof number->text, format, value);
    g_strlcat(number->text, unit, sizeof number->text);
}

gmsim_number gmsim_bytes(uint64_t bytes)
{
    static const char *const units[] = {" KiB", " MiB", " GiB", " TiB"};
    gmsim_number number;
    double value = (double)bytes / 1024;
    unsigned unit = 0;

    if (bytes < 1024) {
        g_snprintf(number.text, sizeof number.text, "%u B", (unsigned)bytes);
        return number;
    }
    while (value >= 1023.95 && unit + 1 < G_N_ELEMENTS(units)) {
        value /= 1024;
        unit++;
    }
    put_fixed(&number, "%.1f", value, units[unit]);
    return number;
}

gmsim_number gmsim_ratio(uint64_t part, uint64_t whole)
{
    gmsim_number number = {"-"};

    if (whole > 0)
        put_fixed(&number, "%.2f", (double)part / (double)whole, "");
    return number;
}

gmsim_number gmsim_percentage(uint64_t part, uint64_t whole)
{
    gmsim_number number = {"-"};

    if (whole > 0)
        put_fixed(&number, "%.1f", 100.0 * (double)part / (double)whole, "%");
    return number;
}

gmsim_number gmsim_shown(gmsim_unit unit, double value, bool delta)
{
    gmsim_number number = {""}, text;
    double size = fabs(value);

    switch (unit) {
    case GMSIM_UNIT_BYTES:
        number = gmsim_bytes((uint64_t)(size + 0.5));
        break;
    case GMSIM_UNIT_PERCENT:
        put_fixed(&number, "%.1f", size, delta ? " pt" : "%");
        break;
    case GMSIM_UNIT_BYTES_PER_SECOND:
        put_fixed(&number, "%.1f", size / 1e9, " GB/s");
        break;
    case GMSIM_UNIT_NANOSECONDS:
        put_fixed(&number, "%.2f", size / 1000, " us");
        break;
    case GMSIM_UNIT_COUNT:
        if (size == floor(size)) {
            number = gmsim_count((uint64_t)size);
            break;
        }
        /* a mean */
        G_GNUC_FALLTHROUGH;
    case GMSIM_UNIT_RATIO:
    default:
        put_fixed(&number, "%.2f", size, "");
    }
    g_snprintf(text.text, sizeof text.text, "%s%s",
               value < 0            ? "-"
               : delta && value > 0 ? "+"
                                    : "",
               number.text);
    return text;
}

char *gmsim_clean(const char *name, unsigned width)
{
    char *valid = g_utf8_make_valid(name != NULL ? name : "", -1), *shorter;
    glong length;
    unsigned head, tail;

    for (char *p = valid; *p != 0; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);

        /* C1 controls and direction marks take two or three bytes; blank all of them. */
        if (g_unichar_iscntrl(c) || g_unichar_type(c) == G_UNICODE_FORMAT)
            memset(p, '?', (size_t)(g_utf8_next_char(p) - p));
    }
    length = g_utf8_strlen(valid, -1);
    if (width < 8 || length <= (glong)width)
        return valid;
    tail = (width - 3) / 3;
    head = width - 3 - tail;
    shorter = g_strdup_printf("%.*s...%s", (int)(g_utf8_offset_to_pointer(valid, head) - valid),
                              valid, g_utf8_offset_to_pointer(valid, length - (glong)tail));
    g_free(valid);
    return shorter;
}

void gmsim_wrap(GString *out, const char *text, unsigned column, unsigned indent, unsigned width)
{
    gboolean first = TRUE;

    while (*text != 0) {
        size_t bytes = strcspn(text, " ");
        unsigned length = (unsigned)g_utf8_strlen(text, (gssize)bytes);

        if (!first && column + 1 + length > width) {
            g_string_append_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            g_string_append_c(out, ' ');
            column++;
        }
        g_string_append_len(out, text, (gssize)bytes);
        column += length;
        first = FALSE;
        text += bytes;
        text += strspn(text, " ");
    }
}

void gmsim_heading(GString *out, bool bold, const char *heading)
{
    g_string_append_printf(out, bold ? "\033[1m%s\033[0m" : "%s", heading);
}

void gmsim_bar(GString *out, uint64_t part, uint64_t whole, unsigned columns)
{
    double share = whole > 0 ? (double)part / (double)whole : 0;
    unsigned marks = (unsigned)(share * columns + 0.5);

    if (marks == 0 && part > 0) {
        g_string_append_c(out, '.');
        return;
    }
    for (unsigned i = 0; i < MIN(marks, columns); i++)
        g_string_append_c(out, '#');
}
