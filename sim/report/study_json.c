/* SPDX-License-Identifier: MIT
 *
 * study_json.c - comparisons and sweeps for programs: schemas "gmsim-compare/1", both launches in
 * full as in gmsim-report/1, and "gmsim-sweep/1". Leaves out ratios to nothing, and points of a
 * sweep that failed.
 */
#include <math.h>

#include "sim/analysis/rows.h"
#include "sim/report/formats.h"
#include "sim/report/words.h"

static void put_side(gmsim_json *json, const char *key, const gmsim_side *side)
{
    gmsim_json_object(json, key, false);
    gmsim_json_string(json, "trace", side->trace);
    gmsim_json_gpu(json, side->gpu);
    gmsim_json_result(json, "launch", side->gpu, side->index, side->result, NULL);
    gmsim_json_close(json);
}

static void put_quantity(gmsim_json *json, const gmsim_comparison_of_two *c,
                         const gmsim_quantity_pair *q)
{
    gmsim_field field[GMSIM_PAIR_COLUMNS];

    gmsim_pair_row(c, q, field);
    if (q->metric->better == 0 || isnan(q->delta))
        field[GMSIM_PAIR_WORD] = gmsim_words(NULL);
    gmsim_json_object(json, q->metric->key, true);
    gmsim_table_members(json, gmsim_pair_columns, GMSIM_PAIR_COLUMNS, field);
    gmsim_json_close(json);
}

static void put_instruction(gmsim_json *json, const gmsim_comparison_of_two *c,
                            const gmsim_instr_pair *pair)
{
    static const char *const keys[2] = {"a", "b"};
    const gmsim_instr_counts *one = pair->side[0] != NULL ? pair->side[0] : pair->side[1];

    gmsim_json_object(json, NULL, true);
    gmsim_json_string(json, "access", gmsim_row_name(one->row));
    for (unsigned s = 0; s < 2; s++) {
        const gmsim_instr_counts *instr = pair->side[s];
        char *place;

        if (instr == NULL) {
            gmsim_json_null(json, keys[s]);
            continue;
        }
        place = gmsim_instr_place(c->side[s].result, instr);
        gmsim_json_object(json, keys[s], true);
        gmsim_json_string(json, "place", place);
        gmsim_json_uint(json, "requests", instr->counts.requests);
        gmsim_json_uint(json, gmsim_work_name(one->row), gmsim_work(instr->row, &instr->counts));
        gmsim_json_close(json);
        g_free(place);
    }
    gmsim_json_int(json, "delta", pair->delta);
    gmsim_json_close(json);
}

static void json_begin_pairs(gmsim_report *report)
{
    gmsim_json_head(report, "gmsim-compare/1");
    gmsim_json_array(&report->json, "pairs", false);
}

static void json_pair(gmsim_report *report, const gmsim_comparison_of_two *c)
{
    gmsim_json *json = &report->json;

    gmsim_json_object(json, NULL, false);
    if (!isnan(c->speedup)) {
        gmsim_json_real(json, "speedup", c->speedup);
        gmsim_json_string(json, "speedup_of", c->by_time ? "time" : "cycles");
    }
    gmsim_json_object(json, "quantities", false);
    for (unsigned i = 0; i < c->quantity->len; i++)
        put_quantity(json, c, &g_array_index(c->quantity, gmsim_quantity_pair, i));
    gmsim_json_close(json);
    gmsim_json_array(json, "instructions", false);
    for (unsigned i = 0; i < c->instr->len; i++)
        put_instruction(json, c, &g_array_index(c->instr, gmsim_instr_pair, i));
    gmsim_json_close(json);
    put_side(json, "a", &c->side[0]);
    put_side(json, "b", &c->side[1]);
    gmsim_json_close(json);
}

/* --------------------------------------------------------------------------------------- sweeps */

static void put_values(gmsim_json *json, const gmsim_sweep *sweep, uint64_t point,
                       gmsim_sweep_kind first, gmsim_sweep_kind last)
{
    for (unsigned i = 0; i < sweep->columns->len; i++) {
        const gmsim_sweep_column *column = &g_array_index(sweep->columns, gmsim_sweep_column, i);

        if (column->kind >= first && column->kind <= last)
            gmsim_json_string(json, column->name, sweep->value(sweep->plan, point, column));
    }
}

static void put_row(gmsim_json *json, const gmsim_sweep *sweep, const gmsim_sweep_row *row)
{
    gmsim_json_object(json, NULL, false);
    gmsim_json_uint(json, "launch", row->launch);
    gmsim_json_string(json, "kernel", row->kernel);
    gmsim_json_object(json, "metrics", false);
    for (unsigned i = 0; i < sweep->metrics->len; i++) {
        if (isfinite(row->value[i]))
            gmsim_json_number(json, gmsim_metrics[g_array_index(sweep->metrics, unsigned, i)].name,
                              row->value[i]);
    }
    gmsim_json_close(json);
    gmsim_json_close(json);
}

static void put_point(gmsim_json *json, const gmsim_sweep *sweep, uint64_t point)
{
    const GPtrArray *rows = sweep->point[point].rows;

    gmsim_json_object(json, NULL, false);
    gmsim_json_uint(json, "point", point);
    put_values(json, sweep, point, GMSIM_SWEEP_TRACE, GMSIM_SWEEP_GPU);
    gmsim_json_object(json, "pattern", true);
    put_values(json, sweep, point, GMSIM_SWEEP_BRACES, GMSIM_SWEEP_BRACES);
    gmsim_json_close(json);
    gmsim_json_object(json, "set", true);
    put_values(json, sweep, point, GMSIM_SWEEP_KEY, GMSIM_SWEEP_KEY);
    gmsim_json_close(json);
    gmsim_json_array(json, "launches", false);
    for (unsigned k = 0; k < rows->len; k++)
        put_row(json, sweep, rows->pdata[k]);
    gmsim_json_close(json);
    gmsim_json_close(json);
}

static void json_sweep(gmsim_report *report, const gmsim_sweep *sweep)
{
    gmsim_json *json = &report->json;

    gmsim_json_head(report, "gmsim-sweep/1");
    gmsim_json_array(json, "varies", true);
    for (unsigned i = 0; i < sweep->columns->len; i++) {
        if (g_array_index(sweep->columns, gmsim_sweep_column, i).varies)
            gmsim_json_string(json, NULL,
                              g_array_index(sweep->columns, gmsim_sweep_column, i).name);
    }
    gmsim_json_close(json);
    gmsim_json_uint(json, "count", sweep->count);
    gmsim_json_array(json, "points", false);
    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        if (sweep->point[i].failure == NULL)
            put_point(json, sweep, i);
    }
    gmsim_json_close(json);
    gmsim_json_close(json);
    gmsim_json_finish(json);
}

const gmsim_format gmsim_format_json = {
    .name = "json",
    .meaning = "schemas gmsim-report/1, gmsim-compare/1, gmsim-sweep/1, gmsim-check/1; streamed",
    .begin = gmsim_json_begin,
    .launch = gmsim_json_launch,
    .end = gmsim_json_end,
    .begin_pairs = json_begin_pairs,
    .pair = json_pair,
    .end_pairs = gmsim_json_end,
    .sweep = json_sweep,
    .limits = gmsim_json_limits,
    .advise = gmsim_json_advice};
