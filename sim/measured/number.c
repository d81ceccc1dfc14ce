/* SPDX-License-Identifier: MIT
 *
 * number.c - reads numbers as Nsight Compute prints them: thousands separators, instance values in
 * brackets, and units that ncu rescales to its taste unless it was given --print-units base. Leaves
 * out locales that write a comma before the decimals: such a field is text, not a guess.
 */
#include "sim/measured/number.h"

#include <math.h>
#include <string.h>

/* Removes separators that stand before groups of three digits. False where one stands elsewhere. */
static bool strip_thousands(const char *text, size_t length, GString *plain)
{
    size_t whole = 0;
    bool grouped = false;

    while (whole < length && text[whole] != '.' && text[whole] != 'e' && text[whole] != 'E')
        whole++;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != ',') {
            g_string_append_c(plain, text[i]);
            continue;
        }
        if (i == 0 || i >= whole || (whole - i) % 4 != 0 || !g_ascii_isdigit(text[i - 1]))
            return false;
        grouped = true;
    }
    if (grouped) { /* every group behind the first comma has three digits */
        const char *comma = memchr(text, ',', length);

        for (size_t i = (size_t)(comma - text); i < whole; i += 4) {
            if (text[i] != ',')
                return false;
        }
    }
    return true;
}

static double unit_factor(const char *unit)
{
    static const struct {
        const char *unit;
        double factor;
    } scaled[] = {
        {"us", 1e3},     {"usecond", 1e3}, {"ms", 1e6},    {"msecond", 1e6}, {"s", 1e9},
        {"second", 1e9}, {"Kbyte", 1e3},   {"Mbyte", 1e6}, {"Gbyte", 1e9},   {"Tbyte", 1e12},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(scaled); i++) {
        if (strcmp(unit, scaled[i].unit) == 0)
            return scaled[i].factor;
    }
    /* Kcycle, Msector, Kbyte/block: a factor and a unit that begins with a small letter. */
    if (g_ascii_islower(unit[0]) || unit[0] == '\0')
        return 1;
    if (!g_ascii_islower(unit[1]))
        return 1;
    switch (unit[0]) {
    case 'K':
        return 1e3;
    case 'M':
        return 1e6;
    case 'G':
        return 1e9;
    case 'T':
        return 1e12;
    default:
        return 1;
    }
}

static bool is_missing(const char *text, size_t length)
{
    static const char *const words[] = {"n/a", "nan", "-nan", "inf", "-inf", "N/A", "no data"};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strlen(words[i]) == length && strncmp(words[i], text, length) == 0)
            return true;
    }
    return false;
}

gmsim_cell gmsim_number_read(const char *text, const char *unit)
{
    gmsim_cell cell = {.state = GMSIM_CELL_ABSENT};
    const char *bracket;
    const char *point;
    char *end;
    size_t length;
    GString *plain;

    while (g_ascii_isspace(*text))
        text++;
    bracket = strstr(text, " (");
    length = bracket != NULL ? (size_t)(bracket - text) : strlen(text);
    while (length > 0 && g_ascii_isspace(text[length - 1]))
        length--;
    if (length == 0)
        return cell;
    if (is_missing(text, length)) {
        cell.state = GMSIM_CELL_NOT_AVAILABLE;
        return cell;
    }
    cell.state = GMSIM_CELL_TEXT;
    plain = g_string_new(NULL);
    if (strip_thousands(text, length, plain) &&
        strspn(plain->str, "0123456789.+-eE") == plain->len) {
        cell.value = g_ascii_strtod(plain->str, &end);
        if (*end == '\0' && isfinite(cell.value)) {
            double factor = unit_factor(unit);

            cell.state = GMSIM_CELL_NUMBER;
            point = strchr(plain->str, '.');
            if (point != NULL)
                cell.half_unit = 0.5 * pow(10, -(double)strspn(point + 1, "0123456789"));
            cell.value *= factor;
            cell.half_unit *= factor;
            cell.rescaled = factor > 1;
        }
    }
    g_string_free(plain, TRUE);
    return cell;
}

bool gmsim_shape_read(const char *text, uint32_t shape[3])
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t number;
        char *end;

        text += strspn(text, i == 0 ? " (" : " ");
        if (!g_ascii_isdigit(*text))
            return false;
        number = g_ascii_strtoull(text, &end, 10);
        if (number > UINT32_MAX)
            return false;
        shape[i] = (uint32_t)number;
        text = end + strspn(end, " ");
        if (i < 2) {
            if (*text != ',' && *text != 'x')
                return false;
            text++;
        }
    }
    if (*text == ')')
        text++;
    return *text == '\0';
}
