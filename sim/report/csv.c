/* SPDX-License-Identifier: MIT
 *
 * csv.c - CSV: one row a launch, named as in `ncu --csv --page raw`, gmsim's own metrics after
 * ncu's, or one an array that it touched; one a quantity of a comparison, one a point and launch of
 * a sweep. A metric that a launch does not have is an empty
 * field. Leaves out ncu's second row of units: every count is in base units.
 */
#include <math.h>

#include "sim/analysis/rows.h"
#include "sim/analysis/unsteady.h"
#include "sim/report/formats.h"

static void write_out(gmsim_report *report, GString *text)
{
    fwrite(text->str, 1, text->len, report->out);
    g_string_free(text, TRUE);
}

static void begin(gmsim_report *report, const gmsim_column *columns, unsigned count)
{
    GString *out = g_string_new(NULL);

    gmsim_table_begin(&report->table, GMSIM_TABLE_CSV, columns, count, out, false);
    write_out(report, out);
}

static void put_row(gmsim_report *report, const gmsim_field *field)
{
    GString *out = report->table.out = g_string_new(NULL);

    gmsim_table_row(&report->table, field);
    write_out(report, out);
}

/* ------------------------------------------------------------------------------------- launches */

#define LAUNCH_COLUMNS 9u

static void csv_begin(gmsim_report *report)
{
    static const char *const names[LAUNCH_COLUMNS] = {"ID",        "Kernel Name", "Block Size",
                                                      "Grid Size", "Device",      "CC",
                                                      "Complete",  "L2 At Start", "Unsteady"};
    gmsim_column *columns;

    if (report->arrays) {
        GString *out = g_string_new(NULL);

        gmsim_csv_arrays_begin(report, out);
        write_out(report, out);
        return;
    }
    columns = g_new0(gmsim_column, LAUNCH_COLUMNS + gmsim_metric_all);
    for (unsigned i = 0; i < LAUNCH_COLUMNS; i++)
        columns[i].key = names[i];
    columns[5].bare = true;
    for (unsigned i = 0; i < gmsim_metric_all; i++)
        columns[LAUNCH_COLUMNS + i].key = gmsim_metrics[i].name;
    begin(report, columns, LAUNCH_COLUMNS + gmsim_metric_all);
}

static char *dimensions(const uint32_t size[3])
{
    return g_strdup_printf("(%u, %u, %u)", size[0], size[1], size[2]);
}

/* "spin order"; empty where nothing shows that counts differ from run to run. */
static char *unsteady_keys(const gmsim_result *result)
{
    const gmsim_unsteady unsteady = gmsim_unsteady_find(result);
    GString *keys = g_string_new(NULL);

    for (unsigned kind = 1; kind < GMSIM_UNSTEADY_KINDS; kind++)
        if (unsteady.kinds >> kind & 1u)
            g_string_append_printf(keys, "%s%s", keys->len > 0 ? " " : "",
                                   gmsim_unsteady_table[kind].key);
    return g_string_free(keys, FALSE);
}

static void csv_metrics(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    const gmsim_gpu *gpu = report->gpu;
    gmsim_field *field = g_new0(gmsim_field, LAUNCH_COLUMNS + gmsim_metric_all);
    char *block = dimensions(result->launch->block), *grid = dimensions(result->launch->grid);
    char *cc = g_strdup_printf("%u.%u", gpu->gpu_cc_major, gpu->gpu_cc_minor);
    char *unsteady = unsteady_keys(result);

    field[0] = gmsim_number_of(GMSIM_UNIT_COUNT, index);
    field[1] = gmsim_words(result->kernel->name);
    field[2] = gmsim_words(block);
    field[3] = gmsim_words(grid);
    field[4] = gmsim_words(gpu->title);
    field[5] = gmsim_words(cc);
    field[6] = gmsim_words(result->truncated                       ? "no"
                           : result->unseen & GMSIM_UNSEEN_TRAFFIC ? "no: memory traffic not seen"
                                                                   : "yes");
    field[7] = gmsim_words(gmsim_start_table[result->start].key);
    field[8] = gmsim_words(unsteady);
    for (unsigned i = 0; i < gmsim_metric_all; i++)
        field[LAUNCH_COLUMNS + i] = gmsim_metric_field(result, i);
    put_row(report, field);
    g_free(block);
    g_free(unsteady);
    g_free(grid);
    g_free(cc);
    g_free(field);
}

static void csv_launch(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    if (!report->arrays) {
        csv_metrics(report, index, result);
        return;
    }
    report->table.out = g_string_new(NULL);
    gmsim_csv_arrays(report, index, result);
    write_out(report, report->table.out);
}

static void csv_end(gmsim_report *report, bool complete)
{
    (void)complete;
    if (report->table.column != gmsim_pair_columns && !report->arrays)
        g_free((gpointer)report->table.column);
}

/* -------------------------------------------------------------------------------------- studies */

static void csv_begin_pairs(gmsim_report *report)
{
    begin(report, gmsim_pair_columns, GMSIM_PAIR_COLUMNS);
}

static void csv_pair(gmsim_report *report, const gmsim_comparison_of_two *compare)
{
    gmsim_field field[GMSIM_PAIR_COLUMNS];

    for (unsigned i = 0; i < compare->quantity->len; i++) {
        gmsim_pair_row(compare, &g_array_index(compare->quantity, gmsim_quantity_pair, i), field);
        put_row(report, field);
    }
    if (isnan(compare->speedup))
        return;
    for (unsigned i = GMSIM_PAIR_QUANTITY; i < GMSIM_PAIR_COMPLETE; i++)
        field[i] = gmsim_words(NULL);
    field[GMSIM_PAIR_QUANTITY] = gmsim_words("speedup");
    field[GMSIM_PAIR_B] = gmsim_number_of(GMSIM_UNIT_RATIO, compare->speedup);
    put_row(report, field);
}

static void csv_sweep(gmsim_report *report, const gmsim_sweep *sweep)
{
    unsigned varied = sweep->columns->len, fixed = varied + 3, k;
    gmsim_column *columns = g_new0(gmsim_column, fixed + sweep->metrics->len);
    gmsim_field *field = g_new0(gmsim_field, fixed + sweep->metrics->len);

    columns[0].key = "point";
    for (k = 0; k < varied; k++)
        columns[1 + k].key = g_array_index(sweep->columns, gmsim_sweep_column, k).name;
    columns[fixed - 2].key = "launch";
    columns[fixed - 1].key = "kernel";
    for (k = 0; k < sweep->metrics->len; k++)
        columns[fixed + k].key = gmsim_metrics[g_array_index(sweep->metrics, unsigned, k)].name;
    begin(report, columns, fixed + sweep->metrics->len);
    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        const gmsim_sweep_point *point = &sweep->point[i];

        field[0] = gmsim_number_of(GMSIM_UNIT_COUNT, (double)i);
        for (k = 0; k < varied; k++)
            field[1 + k] = gmsim_words(sweep->value(
                sweep->plan, i, &g_array_index(sweep->columns, gmsim_sweep_column, k)));
        for (unsigned r = 0; point->failure == NULL && r < point->rows->len; r++) {
            const gmsim_sweep_row *row = point->rows->pdata[r];

            field[fixed - 2] = gmsim_number_of(GMSIM_UNIT_COUNT, row->launch);
            field[fixed - 1] = gmsim_words(row->kernel);
            for (k = 0; k < sweep->metrics->len; k++)
                field[fixed + k] = gmsim_number_of(GMSIM_UNIT_COUNT, row->value[k]);
            put_row(report, field);
        }
    }
    g_free(columns);
    g_free(field);
}

const gmsim_format gmsim_format_csv = {
    .name = "csv",
    .meaning = "one row a launch, quantity or point, one column a metric",
    .begin = csv_begin,
    .launch = csv_launch,
    .end = csv_end,
    .begin_pairs = csv_begin_pairs,
    .pair = csv_pair,
    .end_pairs = csv_end,
    .sweep = csv_sweep,
    .advise = gmsim_csv_advice,
    .limits = gmsim_csv_limits};
