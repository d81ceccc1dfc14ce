/* SPDX-License-Identifier: MIT
 *
 * compare_data.c - comparisons for programs: JSON (schema "gmsim-compare/1", both launches in full
 * as in gmsim-report/1) and CSV (one row a quantity). Leaves out ratios to nothing.
 */
#include <math.h>

#include "sim/analysis/compare.h"
#include "sim/analysis/pattern.h"
#include "sim/analysis/verdict.h"

static void put_number(gmsim_json *json, const char *key, double value)
{
    if (value >= 0 && value < 9007199254740992.0 && value == floor(value))
        gmsim_json_uint(json, key, (uint64_t)value);
    else
        gmsim_json_real(json, key, value);
}

static void put_side(gmsim_json *json, const char *key, const gmsim_side *side)
{
    gmsim_json_object(json, key, false);
    gmsim_json_string(json, "trace", side->trace);
    gmsim_report_json_gpu(json, side->gpu);
    gmsim_report_json_launch(json, "launch", side->gpu, side->index, side->result);
    gmsim_json_close(json);
}

static void put_quantity(gmsim_json *json, const gmsim_quantity_pair *q)
{
    gmsim_json_object(json, q->key, true);
    if (q->has[0])
        put_number(json, "a", q->value[0]);
    if (q->has[1])
        put_number(json, "b", q->value[1]);
    if (q->has[0] && q->has[1]) {
        put_number(json, "delta", q->value[1] - q->value[0]);
        if (q->value[0] > 0)
            gmsim_json_real(json, "ratio", q->value[1] / q->value[0]);
    }
    if (q->better != 0 && q->has[0] && q->has[1])
        gmsim_json_string(json, "verdict", gmsim_compare_word(q));
    gmsim_json_close(json);
}

static void put_instruction(gmsim_json *json, const gmsim_comparison_of_two *c,
                            const gmsim_instr_pair *pair)
{
    static const char *const keys[2] = {"a", "b"};
    const gmsim_instr_counts *one = pair->side[0] != NULL ? pair->side[0] : pair->side[1];
    bool shared = gmsim_row_is_shared(one->row);

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
        gmsim_json_uint(json, shared ? "wavefronts" : "sectors",
                        gmsim_work(instr->row, &instr->counts));
        gmsim_json_close(json);
        g_free(place);
    }
    gmsim_json_int(json, "delta", pair->delta);
    gmsim_json_close(json);
}

static void json_begin(gmsim_compare_report *report)
{
    gmsim_json_init(&report->json, report->out);
    gmsim_json_object(&report->json, NULL, false);
    gmsim_json_string(&report->json, "schema", "gmsim-compare/1");
    gmsim_json_string(&report->json, "gmsim", report->version);
    gmsim_json_array(&report->json, "pairs", false);
}

static void json_pair(gmsim_compare_report *report, const gmsim_comparison_of_two *c)
{
    gmsim_json *json = &report->json;

    gmsim_json_object(json, NULL, false);
    if (c->has_speedup) {
        gmsim_json_real(json, "speedup", c->speedup);
        gmsim_json_string(json, "speedup_of", c->by_time ? "time" : "cycles");
    }
    gmsim_json_object(json, "quantities", false);
    for (unsigned i = 0; i < c->count; i++)
        put_quantity(json, &c->quantity[i]);
    gmsim_json_close(json);
    gmsim_json_array(json, "instructions", false);
    for (unsigned i = 0; i < c->instr->len; i++)
        put_instruction(json, c, &g_array_index(c->instr, gmsim_instr_pair, i));
    gmsim_json_close(json);
    put_side(json, "a", &c->side[0]);
    put_side(json, "b", &c->side[1]);
    gmsim_json_close(json);
}

static void json_end(gmsim_compare_report *report, bool complete)
{
    gmsim_json_close(&report->json);
    gmsim_json_bool(&report->json, "complete", complete);
    gmsim_json_close(&report->json);
    gmsim_json_finish(&report->json);
}

static void csv_begin(gmsim_compare_report *report)
{
    fputs("launch_a,launch_b,quantity,a,b,delta,ratio,verdict\r\n", report->out);
}

static void csv_number(FILE *out, bool has, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    fputc(',', out);
    if (has && isfinite(value))
        fputs(g_ascii_formatd(text, sizeof text, "%.12g", value), out);
}

static void csv_pair(gmsim_compare_report *report, const gmsim_comparison_of_two *c)
{
    FILE *out = report->out;

    for (unsigned i = 0; i < c->count; i++) {
        const gmsim_quantity_pair *q = &c->quantity[i];
        bool both = q->has[0] && q->has[1];

        fprintf(out, "%u,%u,%s", c->side[0].index, c->side[1].index, q->key);
        csv_number(out, q->has[0], q->value[0]);
        csv_number(out, q->has[1], q->value[1]);
        csv_number(out, both, q->value[1] - q->value[0]);
        csv_number(out, both && q->value[0] > 0, q->value[1] / q->value[0]);
        fprintf(out, ",%s\r\n", gmsim_compare_word(q));
    }
    if (c->has_speedup) {
        fprintf(out, "%u,%u,speedup,", c->side[0].index, c->side[1].index);
        csv_number(out, true, c->speedup);
        fputs(",,,\r\n", out);
    }
}

static void csv_end(gmsim_compare_report *report, bool complete)
{
    (void)report;
    (void)complete;
}

const gmsim_compare_format gmsim_compare_json = {
    .name = "json", .begin = json_begin, .pair = json_pair, .end = json_end};
const gmsim_compare_format gmsim_compare_csv = {
    .name = "csv", .begin = csv_begin, .pair = csv_pair, .end = csv_end};
