/* SPDX-License-Identifier: MIT
 *
 * spread.c - reads the lists of spread.h.
 */
#include "validate/spread.h"

#include "sim/device/gpu.h"
#include "sim/measured/csv.h"
#include "validate/lines.h"

#include <math.h>
#include <string.h>

typedef struct gmsim_range {
    double low, median, high;
} gmsim_range;

enum { CASE, KERNEL, LAUNCH, METRIC, LOW, MEDIAN, HIGH, COLUMNS };

static const char *const names[COLUMNS] = {"Case", "Kernel Name", "launch", "metric",
                                           "min",  "median",      "max"};

gmsim_spreads *gmsim_spreads_new(void)
{
    gmsim_spreads *spreads = g_new(gmsim_spreads, 1);

    spreads->launch = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    spreads->range = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return spreads;
}

void gmsim_spreads_free(gmsim_spreads *spreads)
{
    g_hash_table_destroy(spreads->launch);
    g_hash_table_destroy(spreads->range);
    g_free(spreads);
}

static char *key_of(const char *label, const char *kernel, const char *number, const char *metric)
{
    return g_strjoin("\n", label, kernel, number, metric, NULL);
}

static bool corrupt(const gmsim_csv *csv, const char *what, GError **error)
{
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT, "%s:%" G_GUINT64_FORMAT ": %s", csv->path,
                csv->began, what);
    return false;
}

static bool read_header(gmsim_csv *csv, unsigned column[COLUMNS], GError **error)
{
    if (csv->at == csv->size)
        return corrupt(csv, "is empty; validate/measure --repeat writes such a file", error);
    if (!gmsim_csv_read(csv, error))
        return false;
    for (unsigned i = 0; i < COLUMNS; i++) {
        unsigned c = 0;

        while (c < gmsim_csv_fields(csv) && strcmp(gmsim_csv_field(csv, c), names[i]) != 0)
            c++;
        if (c == gmsim_csv_fields(csv))
            return corrupt(csv, "lacks a column of validate/spread.awk; is this a spread?", error);
        column[i] = c;
    }
    return true;
}

static bool read_number(const char *text, double *value)
{
    char *end;

    *value = g_ascii_strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static bool read_row(gmsim_spreads *spreads, gmsim_csv *csv, const unsigned column[COLUMNS],
                     GError **error)
{
    const char *field[COLUMNS];
    gmsim_range range, *old;
    char *key;

    if (!gmsim_csv_read(csv, error))
        return false;
    for (unsigned i = 0; i < COLUMNS; i++) {
        if (column[i] >= gmsim_csv_fields(csv))
            return corrupt(csv, "has fewer fields than the header", error);
        field[i] = gmsim_csv_field(csv, column[i]);
    }
    if (!read_number(field[LOW], &range.low) || !read_number(field[MEDIAN], &range.median) ||
        !read_number(field[HIGH], &range.high) || range.low > range.high)
        return corrupt(csv, "min, median and max should be numbers in this order", error);
    g_hash_table_add(spreads->launch, key_of(field[CASE], field[KERNEL], field[LAUNCH], NULL));
    key = key_of(field[CASE], field[KERNEL], field[LAUNCH], field[METRIC]);
    old = g_hash_table_lookup(spreads->range, key);
    if (old != NULL && old->high - old->low > range.high - range.low)
        range = *old;
    g_hash_table_insert(spreads->range, key, g_memdup2(&range, sizeof range));
    return true;
}

bool gmsim_spreads_load(gmsim_spreads *spreads, const char *path, GError **error)
{
    unsigned column[COLUMNS];
    gmsim_csv csv;
    size_t size;
    char *text = gmsim_text_read(path, "spreads", &size, error);
    bool done;

    if (text == NULL)
        return false;
    gmsim_csv_init(&csv, path, text, size);
    done = read_header(&csv, column, error);
    while (done && csv.at < csv.size)
        done = read_row(spreads, &csv, column, error);
    gmsim_csv_clear(&csv);
    g_free(text);
    return done;
}

/* "launch" of the list: place of a row among those with its case, kernel and shape. */
static unsigned number_of(const gmsim_measured *measured, unsigned row)
{
    const gmsim_measured_row *self = measured->rows->pdata[row];
    unsigned number = 0;

    for (unsigned i = 0; i < row; i++) {
        const gmsim_measured_row *other = measured->rows->pdata[i];

        number += g_strcmp0(other->label, self->label) == 0 &&
                  strcmp(other->kernel, self->kernel) == 0 &&
                  memcmp(other->grid, self->grid, sizeof self->grid) == 0 &&
                  memcmp(other->block, self->block, sizeof self->block) == 0;
    }
    return number;
}

static bool range_of(const gmsim_spreads *spreads, const gmsim_measured_row *row,
                     const char *number, const char *metric, gmsim_range *range)
{
    const char *label = row->label != NULL ? row->label : "";
    char *key = key_of(label, row->kernel, number, NULL);
    bool listed = g_hash_table_contains(spreads->launch, key);
    const gmsim_range *found;

    g_free(key);
    if (!listed)
        return false;
    key = key_of(label, row->kernel, number, metric);
    found = g_hash_table_lookup(spreads->range, key);
    *range = found != NULL ? *found : (gmsim_range){0};
    g_free(key);
    return true;
}

bool gmsim_spread_of(const gmsim_spreads *spreads, const gmsim_measured *measured, unsigned row,
                     unsigned quantity, double *spread)
{
    const gmsim_measured_row *self = measured->rows->pdata[row];
    const gmsim_metric *metric = &gmsim_metrics[quantity];
    char *number = g_strdup_printf("%u", number_of(measured, row));
    gmsim_range range = {0};
    bool known;

    if (metric->whole == NULL) {
        known = range_of(spreads, self, number, metric->name, &range);
        *spread = range.high - range.low;
        if (metric->unit != GMSIM_UNIT_PERCENT && *spread > 0) {
            known = known && range.median > 0;
            *spread *= 100 / range.median;
        }
    } else {
        gmsim_cell whole =
            gmsim_measured_cell(self, gmsim_measured_column(measured, metric->whole));

        known = whole.state == GMSIM_CELL_NUMBER && whole.value > 0;
        *spread = 0;
        for (unsigned i = 0; known && i < 2 && metric->part[i] != NULL; i++) {
            int column = gmsim_measured_column(measured, metric->part[i]);
            gmsim_cell part = gmsim_measured_cell(self, column);

            /* Relative to the part: the runs may have been made at another size. */
            known = column >= 0 && part.state == GMSIM_CELL_NUMBER &&
                    range_of(spreads, self, number, metric->part[i], &range);
            if (known && range.median > 0)
                *spread += 100 * (range.high - range.low) / range.median * part.value / whole.value;
        }
    }
    g_free(number);
    return known;
}
