/* SPDX-License-Identifier: MIT
 *
 * sweep_write.c - the results of a sweep for programs: CSV, one row a point and launch, and JSON.
 * Both name the metrics as Nsight Compute does. Points that failed are left out.
 */
#include "config.h"

#include "sim/cli/sweep.h"

#include <math.h>
#include <string.h>

#include "sim/analysis/metrics.h"
#include "sim/report/json.h"

static const struct {
    const char *name, *metric;
} short_names[] = {
    {"cycles", "gpc__cycles_elapsed.max"},
    {"time", "gpu__time_duration.sum"},
    {"sectors", "smsp__sass_sectors_mem_global.sum"},
    {"tags", "smsp__sass_l1tex_tags_mem_global.sum"},
    {"wavefronts", "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"},
    {"l1-hit", "l1tex__t_sector_hit_rate.pct"},
    {"l2-read", "lts__t_sectors_srcunit_tex_op_read.sum"},
    {"l2-write", "lts__t_sectors_srcunit_tex_op_write.sum"},
    {"l2-hit", "lts__t_sector_hit_rate.pct"},
    {"dram-read", "dram__sectors_read.sum"},
    {"dram-write", "dram__sectors_write.sum"},
    {"occupancy", "sm__maximum_warps_per_active_cycle_pct"},
    {"warps", "sm__warps_active.avg.pct_of_peak_sustained_active"},
};

const char *const sweep_default_metrics[] = {"cycles",     "sectors",   "wavefronts", "l1-hit",
                                             "l2-read",    "l2-write",  "l2-hit",     "dram-read",
                                             "dram-write", "occupancy", NULL};

const char *sweep_short_name(const char *metric)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(short_names); i++) {
        if (strcmp(short_names[i].metric, metric) == 0)
            return short_names[i].name;
    }
    return NULL;
}

int sweep_find_metric(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(short_names); i++) {
        if (strcmp(short_names[i].name, name) == 0)
            return gmsim_metric_find(short_names[i].metric);
    }
    return gmsim_metric_find(name);
}

const char **sweep_metric_names(void)
{
    const char **names = g_new0(const char *, G_N_ELEMENTS(short_names) + gmsim_metric_count + 1);
    unsigned count = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(short_names); i++)
        names[count++] = short_names[i].name;
    for (unsigned i = 0; i < gmsim_metric_count; i++)
        names[count++] = gmsim_metrics[i].name;
    return names;
}

static const gmsim_metric *metric_of(const sweep_study *sweep, unsigned i)
{
    return &gmsim_metrics[g_array_index(sweep->metrics, unsigned, i)];
}

/* ------------------------------------------------------------------------------------------ CSV */

static void put_text(FILE *out, const char *text)
{
    char *valid = g_utf8_make_valid(text, -1);

    fputc('"', out);
    for (const char *p = valid; *p != 0; p++) {
        if (*p == '"')
            fputc('"', out);
        fputc(*p, out);
    }
    fputc('"', out);
    g_free(valid);
}

static void put_row(const sweep_study *sweep, uint64_t point, const GArray *columns,
                    const sweep_row *row, FILE *out)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    fprintf(out, "%" G_GUINT64_FORMAT, point);
    for (unsigned i = 0; i < columns->len; i++) {
        fputc(',', out);
        put_text(out,
                 sweep_plan_value(&sweep->plan, point, &g_array_index(columns, sweep_column, i)));
    }
    fprintf(out, ",%u,", row->launch);
    put_text(out, row->kernel);
    for (unsigned i = 0; i < sweep->metrics->len; i++) {
        fputc(',', out);
        if (!isfinite(row->value[i]))
            continue;
        g_ascii_formatd(text, sizeof text, row->value[i] == floor(row->value[i]) ? "%.0f" : "%.6f",
                        row->value[i]);
        fputs(text, out);
    }
    fputs("\r\n", out);
}

void sweep_write_csv(const sweep_study *sweep, FILE *out)
{
    GArray *columns = sweep_plan_columns(&sweep->plan);

    fputs("\"point\"", out);
    for (unsigned i = 0; i < columns->len; i++) {
        fputc(',', out);
        put_text(out, g_array_index(columns, sweep_column, i).name);
    }
    fputs(",\"launch\",\"kernel\"", out);
    for (unsigned i = 0; i < sweep->metrics->len; i++)
        fprintf(out, ",\"%s\"", metric_of(sweep, i)->name);
    fputs("\r\n", out);
    for (uint64_t i = sweep->first; i < sweep->plan.count; i += sweep->step) {
        const sweep_result *result = &sweep->result[i];

        for (unsigned k = 0; result->failure == NULL && k < result->rows->len; k++)
            put_row(sweep, i, columns, result->rows->pdata[k], out);
    }
    g_array_unref(columns);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void put_values(const sweep_study *sweep, uint64_t point, const GArray *columns,
                       sweep_kind kind, const char *key, gmsim_json *json)
{
    gmsim_json_object(json, key, true);
    for (unsigned i = 0; i < columns->len; i++) {
        const sweep_column *column = &g_array_index(columns, sweep_column, i);

        if (column->kind == kind)
            gmsim_json_string(json, column->name, sweep_plan_value(&sweep->plan, point, column));
    }
    gmsim_json_close(json);
}

static void put_launch(const sweep_study *sweep, const sweep_row *row, gmsim_json *json)
{
    gmsim_json_object(json, NULL, false);
    gmsim_json_uint(json, "launch", row->launch);
    gmsim_json_string(json, "kernel", row->kernel);
    gmsim_json_object(json, "metrics", false);
    for (unsigned i = 0; i < sweep->metrics->len; i++) {
        const char *name = metric_of(sweep, i)->name;
        double value = row->value[i];

        if (!isfinite(value))
            continue; /* absent, as in other reports */
        if (!metric_of(sweep, i)->is_percent && value == floor(value) && value >= 0)
            gmsim_json_uint(json, name, (uint64_t)value);
        else
            gmsim_json_real(json, name, value);
    }
    gmsim_json_close(json);
    gmsim_json_close(json);
}

void sweep_write_json(const sweep_study *sweep, FILE *out)
{
    GArray *columns = sweep_plan_columns(&sweep->plan);
    gmsim_json json;

    gmsim_json_init(&json, out);
    gmsim_json_object(&json, NULL, false);
    gmsim_json_string(&json, "schema", "gmsim-sweep/1");
    gmsim_json_string(&json, "gmsim", PACKAGE_VERSION);
    gmsim_json_array(&json, "varies", true);
    for (unsigned i = 0; i < columns->len; i++) {
        if (g_array_index(columns, sweep_column, i).varies)
            gmsim_json_string(&json, NULL, g_array_index(columns, sweep_column, i).name);
    }
    gmsim_json_close(&json);
    gmsim_json_uint(&json, "count", sweep->plan.count);
    gmsim_json_array(&json, "points", false);
    for (uint64_t i = sweep->first; i < sweep->plan.count; i += sweep->step) {
        const sweep_result *result = &sweep->result[i];

        if (result->failure != NULL)
            continue;
        gmsim_json_object(&json, NULL, false);
        gmsim_json_uint(&json, "point", i);
        for (unsigned k = 0; k < 2; k++) {
            const sweep_column *column = &g_array_index(columns, sweep_column, k);

            gmsim_json_string(&json, column->name, sweep_plan_value(&sweep->plan, i, column));
        }
        put_values(sweep, i, columns, SWEEP_BRACES, "pattern", &json);
        put_values(sweep, i, columns, SWEEP_KEY, "set", &json);
        gmsim_json_array(&json, "launches", false);
        for (unsigned k = 0; k < result->rows->len; k++)
            put_launch(sweep, result->rows->pdata[k], &json);
        gmsim_json_close(&json);
        gmsim_json_close(&json);
    }
    gmsim_json_close(&json);
    gmsim_json_close(&json);
    gmsim_json_finish(&json);
    g_array_unref(columns);
}
