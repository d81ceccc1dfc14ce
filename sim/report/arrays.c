/* SPDX-License-Identifier: MIT
 *
 * arrays.c - traffic by allocation: a table of the text report, an array of the JSON one, rows of
 * CSV. One list of columns says what each has. Bytes are those asked for by lanes ("useful") and
 * those of the sectors that move on each level.
 */
#include <inttypes.h>

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/formats.h"
#include "sim/report/text.h"

#define NAME_WIDTH     21u
#define LAUNCH_COLUMNS 2u /* of CSV, before those of an array */

/* Those with a key are of JSON and CSV, those with a title of text. */
static const gmsim_column columns[] = {
    {.key = "ID"},
    {.key = "Kernel Name"},
    {.title = "Arrays", .width = NAME_WIDTH, .left = true},
    {.key = "array"},
    {.key = "number"},
    {.key = "base"},
    {.key = "size_bytes", .title = "size", .width = 10},
    {.key = "requests", .title = "requests", .width = 12},
    {.key = "useful_bytes", .title = "useful", .width = 10},
    {.key = "useful_read_bytes"},
    {.key = "useful_written_bytes"},
    {.key = "useful_updated_bytes"},
    {.key = "l1_bytes", .title = "L1 moves", .width = 10},
    {.key = "l1_load_bytes"},
    {.key = "l1_missed_bytes"},
    {.title = "hit", .width = 7},
    {.title = "L2 moves", .width = 10},
    {.key = "l2_read_bytes"},
    {.key = "l2_read_hit_bytes"},
    {.key = "l2_written_bytes"},
    {.key = "l2_atomic_bytes"},
    {.title = "DRAM", .width = 10},
    {.key = "dram_read_bytes"},
    {.key = "dram_written_bytes"},
    {.key = "touched_bytes"},
    {.key = "reuse", .title = "reuse", .width = 7},
    {.key = "name"},
    {.key = "call"},
    {.key = "call_number"},
    {.key = "file"},
    {.key = "line"},
    {.key = "function"},
};

static gmsim_field bytes(uint64_t count)
{
    return gmsim_number_of(GMSIM_UNIT_BYTES, (double)count);
}

static gmsim_field sectors(uint64_t count)
{
    return bytes(count * GMSIM_SECTOR_BYTES);
}

/* What the lanes asked for, for each byte touched. */
static gmsim_field reuse(const gmsim_array *array)
{
    return gmsim_quotient(GMSIM_UNIT_RATIO, gmsim_array_useful(array),
                          array->touched * GMSIM_SECTOR_BYTES);
}

static gmsim_field words_of(const char *text)
{
    return gmsim_words(text != NULL && text[0] != 0 ? text : NULL);
}

static gmsim_field positive(uint64_t number)
{
    return number > 0 ? gmsim_number_of(GMSIM_UNIT_COUNT, (double)number) : gmsim_words(NULL);
}

/* name: of an allocation that the trace names, or of whatever text shows; the others come from the
 * array. sum: of all arrays; what only one has is absent. unseen: other traffic went through the
 * caches, too, so what they had is not known. */
static void fill(gmsim_field field[G_N_ELEMENTS(columns)], const gmsim_array *array,
                 const char *name, bool sum, bool unseen)
{
    const bool one = !sum && array->kind == GMSIM_ARRAY_ALLOCATION;
    const gmsim_field none = gmsim_words(NULL);
    const gmtrace_origin nothing = {0}, *origin = one && array->origin ? array->origin : &nothing;
    const bool inside = gmtrace_origin_is_function(origin);
    unsigned k = LAUNCH_COLUMNS;

    field[k++] = gmsim_words(name);
    field[k++] = gmsim_words(sum ? "all" : gmsim_array_key(array->kind));
    field[k++] = one ? gmsim_number_of(GMSIM_UNIT_COUNT, array->number) : none;
    field[k++] = one ? gmsim_number_of(GMSIM_UNIT_COUNT, (double)array->base) : none;
    field[k++] = one ? bytes(array->size) : none;
    field[k++] = gmsim_number_of(GMSIM_UNIT_COUNT, (double)array->requests);
    field[k++] = bytes(gmsim_array_useful(array));
    field[k++] = bytes(array->bytes_read);
    field[k++] = bytes(array->bytes_written);
    field[k++] = bytes(array->bytes_updated);
    field[k++] = sectors(array->sectors);
    field[k++] = sectors(array->l1_load_sectors);
    field[k++] = unseen ? none : sectors(array->l1_missed);
    field[k++] = gmsim_quotient(GMSIM_UNIT_PERCENT, array->l1_load_sectors - array->l1_missed,
                                unseen ? 0 : array->l1_load_sectors);
    field[k++] = unseen ? none : bytes(gmsim_array_l2(array));
    field[k++] = unseen ? none : sectors(array->l2_read);
    field[k++] = unseen ? none : sectors(array->l2_read_hit);
    field[k++] = unseen ? none : sectors(array->l2_written);
    field[k++] = unseen ? none : sectors(array->l2_atomics);
    field[k++] = unseen ? none : bytes(gmsim_array_dram(array));
    field[k++] = unseen ? none : sectors(array->dram_read);
    field[k++] = unseen ? none : sectors(array->dram_written);
    field[k++] = sectors(array->touched);
    field[k++] = reuse(array);
    field[k++] = words_of(one && array->origin ? name : NULL);
    field[k++] = words_of(origin->call);
    field[k++] = positive(origin->number);
    field[k++] = words_of(inside ? NULL : origin->file);
    field[k++] = positive(origin->line);
    field[k++] = words_of(inside ? origin->file : NULL);
    g_assert(k == G_N_ELEMENTS(columns));
}

static bool unseen_of(const gmsim_result *result)
{
    return (result->unseen & GMSIM_UNSEEN_TRAFFIC) != 0;
}

static char *shown_name(const gmsim_array *array)
{
    char *name = gmsim_array_name(array), *clean = gmsim_clean(name, NAME_WIDTH - 2);

    g_free(name);
    return clean;
}

/* "allocated at: d_x app.cu:31, ...": of those that the trace tells it of. */
static void put_places(GString *out, const gmsim_report *report)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < report->array_count; i++) {
        char *place = gmsim_origin_place(report->array[i].origin), *name, *clean;

        if (place == NULL)
            continue;
        name = shown_name(&report->array[i]);
        clean = gmsim_clean(place, GMSIM_REPORT_WIDTH / 2);
        g_string_append_printf(text, "%s%s %s", text->len > 0 ? ", " : "allocated at: ", name,
                               clean);
        g_free(clean);
        g_free(name);
        g_free(place);
    }
    if (text->len > 0) {
        g_string_append(out, "  ");
        gmsim_wrap(out, text->str, 2, 2, GMSIM_REPORT_WIDTH);
        g_string_append_c(out, '\n');
    }
    g_string_free(text, TRUE);
}

void gmsim_text_arrays(GString *out, const gmsim_report *report, const gmsim_result *result)
{
    gmsim_field field[G_N_ELEMENTS(columns)] = {0};
    gmsim_table table;

    if (!report->arrays || report->array_count == 0)
        return;
    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, columns, G_N_ELEMENTS(columns), out, report->color);
    for (unsigned i = 0; i < report->array_count; i++) {
        char *name = shown_name(&report->array[i]);
        char *indented = g_strdup_printf("  %s", name);

        fill(field, &report->array[i], indented, false, unseen_of(result));
        gmsim_table_row(&table, field);
        g_free(indented);
        g_free(name);
    }
    if (report->array_count > 1) {
        fill(field, &report->array_sum, "  all", true, unseen_of(result));
        gmsim_table_row(&table, field);
    }
    gmsim_table_end(&table);
    g_string_append(out, "  by address; useful: what lanes ask for; reuse: times each byte touched "
                         "is asked for\n");
    put_places(out, report);
    g_string_append_c(out, '\n');
}

void gmsim_json_arrays(gmsim_json *json, const gmsim_report *report, const gmsim_result *result)
{
    gmsim_field field[G_N_ELEMENTS(columns)] = {0};

    gmsim_json_array(json, "arrays", false);
    for (unsigned i = 0; i < report->array_count; i++) {
        char *name = gmsim_array_name(&report->array[i]);

        fill(field, &report->array[i], name, false, unseen_of(result));
        gmsim_json_object(json, NULL, true);
        gmsim_table_members(json, columns + LAUNCH_COLUMNS, G_N_ELEMENTS(columns) - LAUNCH_COLUMNS,
                            field + LAUNCH_COLUMNS);
        gmsim_json_close(json);
        g_free(name);
    }
    gmsim_json_close(json);
}

void gmsim_csv_arrays_begin(gmsim_report *report, GString *out)
{
    gmsim_table_begin(&report->table, GMSIM_TABLE_CSV, columns, G_N_ELEMENTS(columns), out, false);
}

void gmsim_csv_arrays(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    gmsim_field field[G_N_ELEMENTS(columns)] = {0};

    field[0] = gmsim_number_of(GMSIM_UNIT_COUNT, index);
    field[1] = gmsim_words(result->kernel->name);
    for (unsigned i = 0; i < report->array_count; i++) {
        char *name = gmsim_array_name(&report->array[i]);

        fill(field, &report->array[i], name, false, unseen_of(result));
        gmsim_table_row(&report->table, field);
        g_free(name);
    }
}
