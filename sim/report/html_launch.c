/* SPDX-License-Identifier: MIT
 *
 * html_launch.c - one launch as the page's script wants it: sentences, metrics, waits, the memory
 * pipe, occupancy with its curves, lines. Parts that an earlier launch has alike are its; where
 * lines of many launches become too many bytes, later ones go without.
 */
#include <math.h>
#include <string.h>

#include "sim/analysis/curves.h"
#include "sim/analysis/pipe.h"
#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/formats.h"
#include "sim/report/html.h"
#include "sim/report/notes.h"
#include "sim/report/words.h"

#define FEW_LAUNCHES 4u         /* that have all of ... */
#define MOST_LINES   100u       /* ... so many lines */
#define SOME_LINES   8u         /* of each of more */
#define DETAIL_BYTES (5u << 19) /* of different lines and curves in a page */

/* A field that is left out where it has no text; frees the text. */
static void put_words(gmsim_json *json, const char *key, char *words)
{
    if (words != NULL)
        gmsim_html_text(json, key, words);
    g_free(words);
}

static void put_note(const char *label, const char *text, gpointer data)
{
    gmsim_json *json = data;

    gmsim_json_array(json, NULL, true);
    gmsim_json_string(json, NULL, label);
    gmsim_html_text(json, NULL, text);
    gmsim_json_close(json);
}

static void put_verdict(gmsim_json *json, const gmsim_report *report, const gmsim_gpu *gpu,
                        const gmsim_result *result)
{
    gmsim_verdict verdict;

    gmsim_verdict_make(gpu, result, &verdict);
    gmsim_json_array(json, "findings", true);
    for (unsigned i = 0; i < verdict.count; i++) {
        const gmsim_finding *finding = &verdict.finding[i];

        gmsim_json_object(json, NULL, true);
        gmsim_json_string(json, "kind", gmsim_finding_name(finding->kind));
        put_words(json, "what",
                  i == 0 ? gmsim_finding_what(gpu, result, finding)
                         : gmsim_finding_aside(result, finding));
        put_words(json, "fix", gmsim_finding_fix(gpu, result, finding));
        if (i == 0)
            put_words(json, "bound", gmsim_finding_bound(result, finding));
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
    gmsim_json_array(json, "notes", true);
    gmsim_notes(report->capture, result, &verdict, put_note, json);
    gmsim_json_close(json);
}

static void put_time(gmsim_json *json, const gmsim_result *result)
{
    const gmsim_timing *timing = &result->timing;

    if (!result->timed)
        return;
    gmsim_json_object(json, "time", true);
    gmsim_json_uint(json, "cycles", timing->cycles);
    gmsim_json_uint(json, "launch", timing->launch_cycles);
    gmsim_json_uint(json, "mhz", timing->clock_mhz);
    gmsim_json_array(json, "waits", true);
    for (unsigned i = 0; i < GMSIM_STALLS; i++)
        gmsim_html_percent(json, NULL, timing->stall[i], timing->warp_active);
    gmsim_json_close(json);
    gmsim_json_close(json);
}

/* [metric, value, how far the prediction is off: per cent, of percentages points] of what was. */
static void put_measured(gmsim_json *json, const gmsim_result *result, const double *measured)
{
    if (measured == NULL)
        return;
    gmsim_json_array(json, "measured", true);
    for (unsigned i = 0; i < gmsim_metric_all; i++) {
        double value = (double)NAN, off = (double)NAN;

        if (isnan(measured[i]))
            continue;
        if (gmsim_metric_value(result, i, &value))
            off = gmsim_metrics[i].unit == GMSIM_UNIT_PERCENT
                      ? value - measured[i]
                      : 100 * (value - measured[i]) / measured[i];
        gmsim_json_array(json, NULL, true);
        gmsim_json_uint(json, NULL, i);
        gmsim_html_number(json, NULL, measured[i]);
        gmsim_html_number(json, NULL,
                          !(value < measured[i]) && !(value > measured[i]) && !isnan(value) ? 0
                                                                                            : off);
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
}

/* Least clocks of each resource; null where they are not known. */
static void put_least(gmsim_json *json, const gmsim_gpu *gpu, const gmsim_result *result)
{
    const bool unseen = (result->unseen & GMSIM_UNSEEN_TRAFFIC) != 0;

    gmsim_json_array(json, "least", true);
    for (unsigned i = 0; i < GMSIM_RESOURCES; i++) {
        if (unseen || (i == GMSIM_RESOURCE_L2 && gpu->l2_bytes_per_clock == 0) ||
            (i == GMSIM_RESOURCE_DRAM && gpu->dram_bytes_per_clock == 0))
            gmsim_json_null(json, NULL);
        else
            gmsim_json_uint(json, NULL, result->min_cycles[i]);
    }
    gmsim_json_close(json);
    if (result->min_cycles[result->bound] > 0 && !unseen)
        gmsim_json_uint(json, "bound", result->bound);
}

static void put_known(gmsim_json *json, const char *key, uint64_t value)
{
    if (value != GMSIM_PIPE_UNKNOWN)
        gmsim_json_uint(json, key, value);
}

static void put_quotient(gmsim_json *json, const char *key, uint64_t part, uint64_t whole)
{
    if (part != GMSIM_PIPE_UNKNOWN && whole != GMSIM_PIPE_UNKNOWN && whole > 0)
        gmsim_html_number(json, key, (double)part / (double)whole);
}

static void put_pipe(gmsim_json *json, const gmsim_result *result)
{
    gmsim_pipe_line line[GMSIM_PIPE_LINES];
    const unsigned count = gmsim_pipe_lines(result, line);

    gmsim_json_array(json, "pipe", true);
    for (unsigned i = 0; i < count; i++) {
        gmsim_json_object(json, NULL, true);
        gmsim_json_string(json, "unit", line[i].unit);
        gmsim_json_string(json, "access", line[i].access);
        if (line[i].row >= 0)
            gmsim_json_string(json, "row", gmsim_row_name((gmsim_row)line[i].row));
        gmsim_json_string(json, "work_name",
                          line[i].row >= 0 ? gmsim_work_name((gmsim_row)line[i].row) : "sectors");
        put_known(json, "requests", line[i].requests);
        put_known(json, "work", line[i].work);
        put_quotient(json, "per", line[i].work, line[i].requests);
        put_quotient(json, "ideal", line[i].ideal, line[i].requests);
        if (line[i].looked_up > 0)
            gmsim_html_percent(json, "hit", line[i].hits, line[i].looked_up);
        put_known(json, "bytes", line[i].bytes);
        if (line[i].resource >= 0)
            gmsim_json_int(json, "resource", line[i].resource);
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
}

/* What crosses between the sides of L2, and what stays there. */
static void put_sides(gmsim_json *json, const gmsim_result *result)
{
    const gmsim_l2_counts *l2 = &result->l2;

    if (result->unseen & GMSIM_UNSEEN_TRAFFIC)
        return;
    gmsim_json_object(json, "l2", true);
    gmsim_json_uint(json, "far_read", l2->fabric_read_sectors * GMSIM_SECTOR_BYTES);
    gmsim_json_uint(json, "far_write", l2->fabric_write_sectors * GMSIM_SECTOR_BYTES);
    if (l2->fabric_read_sectors > 0)
        gmsim_html_percent(json, "far_hit", l2->fabric_read_hit_sectors, l2->fabric_read_sectors);
    gmsim_json_uint(json, "dirty", l2->dirty_sectors * GMSIM_SECTOR_BYTES);
    gmsim_json_close(json);
}

static void put_occupancy(gmsim_json *json, const gmsim_gpu *gpu, const gmsim_result *result)
{
    const gmsim_occupancy *occupancy = &result->occupancy;

    gmsim_json_object(json, "occupancy", true);
    gmsim_json_uint(json, "warps", occupancy->warps);
    gmsim_json_uint(json, "most", gpu->occupancy_warps_per_sm);
    gmsim_json_uint(json, "blocks", occupancy->blocks);
    gmsim_json_array(json, "limiters", true);
    for (unsigned bit = 0; gmsim_limiter_table[bit].name != NULL; bit++) {
        if (occupancy->limiters >> bit & 1u)
            gmsim_json_string(json, NULL, gmsim_limiter_table[bit].name);
    }
    gmsim_json_close(json);
    gmsim_html_number(json, "waves", result->waves);
    gmsim_json_uint(json, "carveout", occupancy->shared_config);
    gmsim_json_uint(json, "l1", occupancy->l1_bytes);
    gmsim_json_close(json);
}

/* Shared requests by wavefronts a request. */
static void put_degrees(gmsim_json *json, const gmsim_result *result)
{
    unsigned last = 0;

    for (unsigned i = 0; i < GMSIM_DEGREE_BINS; i++) {
        if (result->degree[i] > 0)
            last = i;
    }
    if (last == 0)
        return;
    gmsim_json_array(json, "degrees", true);
    for (unsigned i = 0; i <= last; i++)
        gmsim_json_uint(json, NULL, result->degree[i]);
    gmsim_json_close(json);
    gmsim_json_bool(json, "wider", gmsim_wider_degrees(result));
}

static char *curves_of(const gmsim_gpu *gpu, const gmsim_result *result)
{
    static const char *const names[GMSIM_CURVES] = {
        [GMSIM_CURVE_REGISTERS] = "registers",
        [GMSIM_CURVE_SHARED] = "shared",
        [GMSIM_CURVE_THREADS] = "threads",
    };
    GString *text = g_string_new("{");

    for (unsigned kind = 0; kind < GMSIM_CURVES; kind++) {
        gmsim_curve curve;

        gmsim_curve_make(gpu, result, (gmsim_curve_kind)kind, &curve);
        g_string_append_printf(text, "%s\"%s\":{\"last\":%u,", kind > 0 ? "," : "", names[kind],
                               curve.last);
        if (curve.at != UINT32_MAX)
            g_string_append_printf(text, "\"at\":%u,", curve.at);
        g_string_append(text, "\"steps\":[");
        for (unsigned i = 0; i < curve.steps; i++)
            g_string_append_printf(text, "%s%u,%u", i > 0 ? "," : "", curve.step[i].from,
                                   curve.step[i].warps);
        g_string_append(text, "]}");
    }
    g_string_append_c(text, '}');
    return g_string_free(text, FALSE);
}

static char *arrays_of(const gmsim_report *report, const gmsim_result *result)
{
    GString *text = g_string_new(NULL);
    gmsim_json json;

    gmsim_json_init_text(&json, text);
    json.page = true;
    gmsim_json_object(&json, NULL, true);
    gmsim_json_arrays(&json, report, result);
    gmsim_json_close(&json);
    return g_string_free(text, FALSE);
}

/* A part that is JSON: in full where it is new, else the number that it got then; from 0. Nothing
 * where the page has grown too long for it. Frees the text. */
static void put_shared(gmsim_report *report, const char *key, char *text)
{
    gpointer number;

    if (g_hash_table_lookup_extended(report->known, text, NULL, &number)) {
        gmsim_json_uint(&report->json, key, GPOINTER_TO_UINT(number));
        g_free(text);
    } else if (report->detail + strlen(text) > DETAIL_BYTES && report->written >= FEW_LAUNCHES) {
        g_free(text);
    } else {
        report->detail += strlen(text);
        gmsim_json_raw(&report->json, key, text);
        g_hash_table_insert(report->known, text,
                            GUINT_TO_POINTER(g_hash_table_size(report->known)));
    }
}

void gmsim_html_launch(gmsim_report *report, const gmsim_gpu *gpu, const char *key, uint32_t index,
                       const gmsim_result *result)
{
    const gmtrace_kernel *kernel = result->kernel;
    const gmtrace_launch *launch = result->launch;
    gmsim_json *json = &report->json;
    unsigned most = report->selected > FEW_LAUNCHES ? SOME_LINES : MOST_LINES;

    gmsim_json_object(json, key, true);
    gmsim_json_uint(json, "n", index);
    gmsim_html_text(json, "kernel", kernel->name);
    gmsim_json_uint3(json, "grid", launch->grid);
    gmsim_json_uint3(json, "block", launch->block);
    if (launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1)
        gmsim_json_uint3(json, "cluster", launch->cluster);
    gmsim_json_string(json, "start", gmsim_start_table[result->start].name);
    gmsim_json_uint(json, "clocks", gmsim_launch_clocks(result));
    gmsim_html_metrics(json, result);
    put_verdict(json, report, gpu, result);
    put_time(json, result);
    put_least(json, gpu, result);
    put_pipe(json, result);
    put_sides(json, result);
    put_occupancy(json, gpu, result);
    put_degrees(json, result);
    put_measured(json, result, report->measured);
    put_shared(report, "curves", curves_of(gpu, result));
    if (report->arrays && report->array_count > 0)
        put_shared(report, "arrays", arrays_of(report, result));
    put_shared(report, "lines",
               gmsim_html_lines(report, gpu, result, report->verbose ? UINT32_MAX : most));
    gmsim_json_close(json);
}
