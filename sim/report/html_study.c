/* SPDX-License-Identifier: MIT
 *
 * html_study.c - comparisons and sweeps for the page's script. A comparison has both launches in
 * full, too.
 */
#include <math.h>

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/formats.h"
#include "sim/report/html.h"
#include "sim/report/pair_words.h"
#include "sim/report/words.h"

void gmsim_html_begin_pairs(gmsim_report *report)
{
    gmsim_html_begin(report, "compare", "comparison");
    gmsim_json_array(&report->json, "pairs", true);
}

static void put_side(gmsim_report *report, const char *key, const gmsim_side *side)
{
    gmsim_json_object(&report->json, key, true);
    gmsim_html_text(&report->json, "trace", side->trace);
    gmsim_html_gpu(&report->json, side->gpu);
    gmsim_json_string(&report->json, "bound", gmsim_resource_name(side->result->bound));
    gmsim_json_string(&report->json, "wait", gmsim_compare_wait(side->result));
    gmsim_html_launch(report, side->gpu, "launch", side->index, side->result);
    gmsim_json_close(&report->json);
    report->written++;
}

static void put_quantity(gmsim_json *json, const gmsim_quantity_pair *q)
{
    gmsim_json_object(json, NULL, true);
    gmsim_json_uint(json, "metric", (uint64_t)(q->metric - gmsim_metrics));
    gmsim_json_string(json, "label", q->metric->label);
    gmsim_html_number(json, "a", q->value[0]);
    gmsim_html_number(json, "b", q->value[1]);
    gmsim_html_number(json, "delta", q->delta);
    if (q->metric->unit != GMSIM_UNIT_PERCENT)
        gmsim_html_number(json, "ratio", q->ratio);
    gmsim_json_string(json, "word", gmsim_compare_word(q));
    gmsim_json_close(json);
}

static void put_per_request(gmsim_json *json, const char *key, const gmsim_instr_counts *instr)
{
    if (instr != NULL && instr->counts.requests > 0)
        gmsim_html_number(json, key,
                          (double)gmsim_work(instr->row, &instr->counts) /
                              (double)instr->counts.requests);
}

static void put_instruction(gmsim_json *json, const gmsim_comparison_of_two *c,
                            const gmsim_instr_pair *pair)
{
    const gmsim_instr_counts *one = pair->side[0] != NULL ? pair->side[0] : pair->side[1];
    g_autofree char *place = gmsim_pair_place(c, pair);

    gmsim_json_object(json, NULL, true);
    gmsim_html_text(json, "place", place);
    gmsim_json_string(json, "access", gmsim_row_name(one->row));
    gmsim_json_string(json, "work_name", gmsim_work_name(one->row));
    put_per_request(json, "a", pair->side[0]);
    put_per_request(json, "b", pair->side[1]);
    gmsim_json_int(json, "delta", pair->delta);
    gmsim_json_close(json);
}

static void put_note(const char *label, const char *text, gpointer data)
{
    (void)label;
    gmsim_html_text(data, NULL, text);
}

void gmsim_html_pair(gmsim_report *report, const gmsim_comparison_of_two *c)
{
    gmsim_json *json = &report->json;
    g_autofree char *sentence = gmsim_pair_sentence(c);

    gmsim_json_object(json, NULL, true);
    gmsim_html_text(json, "what", sentence);
    gmsim_html_number(json, "speedup", c->speedup);
    gmsim_json_array(json, "notes", true);
    gmsim_pair_notes(c, put_note, json);
    gmsim_json_close(json);
    gmsim_json_array(json, "quantities", true);
    for (unsigned i = 0; i < c->quantity->len; i++)
        put_quantity(json, &g_array_index(c->quantity, gmsim_quantity_pair, i));
    gmsim_json_close(json);
    gmsim_json_array(json, "instructions", true);
    for (unsigned i = 0; i < c->instr->len; i++)
        put_instruction(json, c, &g_array_index(c->instr, gmsim_instr_pair, i));
    gmsim_json_close(json);
    put_side(report, "a", &c->side[0]);
    put_side(report, "b", &c->side[1]);
    gmsim_json_close(json);
}

/* --------------------------------------------------------------------------------------- sweeps */

static void put_columns(gmsim_json *json, const gmsim_sweep *sweep)
{
    gmsim_json_array(json, "columns", true);
    for (unsigned i = 0; i < sweep->columns->len; i++) {
        const gmsim_sweep_column *column = &g_array_index(sweep->columns, gmsim_sweep_column, i);

        if (!column->varies && !gmsim_sweep_fixes(sweep, i))
            continue;
        gmsim_json_object(json, NULL, true);
        gmsim_html_text(json, "name", column->name);
        gmsim_json_bool(json, "varies", column->varies);
        if (!column->varies)
            gmsim_html_text(json, "value", sweep->value(sweep->plan, sweep->first, column));
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
    gmsim_json_array(json, "shown", true);
    for (unsigned i = 0; i < sweep->metrics->len; i++) {
        if (gmsim_sweep_shows(sweep, i))
            gmsim_json_uint(json, NULL, g_array_index(sweep->metrics, unsigned, i));
    }
    gmsim_json_close(json);
}

/* A line of a point and launch: the values of what varies, the launch, the shown metrics. */
static void put_row(gmsim_json *json, const gmsim_sweep *sweep, uint64_t point,
                    const gmsim_sweep_row *row)
{
    gmsim_json_object(json, NULL, true);
    gmsim_json_uint(json, "point", point);
    gmsim_json_array(json, "at", true);
    for (unsigned i = 0; i < sweep->columns->len; i++) {
        const gmsim_sweep_column *column = &g_array_index(sweep->columns, gmsim_sweep_column, i);

        if (column->varies)
            gmsim_html_text(json, NULL, sweep->value(sweep->plan, point, column));
    }
    gmsim_json_close(json);
    gmsim_json_uint(json, "launch", row->launch);
    gmsim_html_text(json, "kernel", row->kernel);
    gmsim_json_array(json, "m", true);
    for (unsigned i = 0; i < sweep->metrics->len; i++) {
        if (gmsim_sweep_shows(sweep, i))
            gmsim_html_number(json, NULL, row->value[i]);
    }
    gmsim_json_close(json);
    gmsim_json_close(json);
}

void gmsim_html_sweep(gmsim_report *report, const gmsim_sweep *sweep)
{
    gmsim_json *json = &report->json;
    g_autofree char *best = gmsim_sweep_best(sweep);

    gmsim_html_begin(report, "sweep", "sweep");
    gmsim_json_uint(json, "count", sweep->count);
    gmsim_html_text(json, "what", best);
    gmsim_json_bool(json, "launches", gmsim_sweep_has_launches(sweep));
    put_columns(json, sweep);
    gmsim_json_array(json, "rows", true);
    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        const gmsim_sweep_point *point = &sweep->point[i];

        for (unsigned k = 0; point->failure == NULL && k < point->rows->len; k++)
            put_row(json, sweep, i, point->rows->pdata[k]);
    }
    gmsim_json_close(json);
    gmsim_html_finish(report, true);
}
