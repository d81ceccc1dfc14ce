/* SPDX-License-Identifier: MIT
 *
 * limits.c - what launches keep to of a file of limits, one row an answer: as text, what does not
 * hold beside what it is; as CSV; as JSON of schema "gmsim-check/1". JUnit's XML is junit.c's.
 */
#include "sim/analysis/limits.h"

#include <math.h>

#include "sim/report/format.h"
#include "sim/report/formats.h"
#include "sim/report/names.h"

#define KERNEL_WIDTH 36u

enum {
    ANSWER,
    LIMIT,
    KERNEL,
    WORST,
    LAUNCH,
    LAUNCHES,
    BEYOND,
    UNKNOWN,
    TRACE,
    PATTERN,
    LINE,
    METRIC,
    COLUMNS
};

static const gmsim_column columns[COLUMNS] = {
    [ANSWER] = {.key = "answer", .title = "", .left = true},
    [LIMIT] = {.key = "limit", .title = "limit", .gap = 2, .left = true},
    [KERNEL] = {.key = "kernel", .title = "kernel", .gap = 2, .left = true},
    [WORST] = {.key = "worst", .title = "worst", .gap = 2},
    [LAUNCH] = {.key = "launch", .title = "launch", .gap = 2},
    [LAUNCHES] = {.key = "launches", .title = "launches", .gap = 2},
    [BEYOND] = {.key = "beyond", .title = "beyond", .gap = 2},
    [UNKNOWN] = {.key = "unknown"},
    [TRACE] = {.key = "trace", .title = "trace", .gap = 2, .left = true},
    [PATTERN] = {.key = "pattern"},
    [LINE] = {.key = "line"},
    [METRIC] = {.key = "metric"},
};

static void make_row(const gmsim_limit_answer *a, const char *kernel, const char *trace,
                     gmsim_field field[COLUMNS])
{
    const gmsim_metric *metric = &gmsim_metrics[a->limit->metric];
    const bool asked = a->launches > 0;

    field[ANSWER] = gmsim_words(gmsim_answer_words[gmsim_limit_answer_kind(a)]);
    field[LIMIT] = gmsim_words(a->limit->text);
    field[KERNEL] = gmsim_words(kernel);
    field[WORST] = gmsim_number_of(metric->unit, a->worst);
    field[LAUNCH] =
        gmsim_number_of(GMSIM_UNIT_COUNT, a->valued > 0 ? (double)a->worst_launch : (double)NAN);
    field[LAUNCHES] = gmsim_number_of(GMSIM_UNIT_COUNT, a->launches);
    field[BEYOND] = gmsim_number_of(GMSIM_UNIT_COUNT, asked ? a->beyond : (double)NAN);
    field[UNKNOWN] = gmsim_number_of(GMSIM_UNIT_COUNT, a->unknown);
    field[TRACE] = gmsim_words(trace);
    field[PATTERN] = gmsim_words(a->limit->pattern);
    field[LINE] = gmsim_number_of(GMSIM_UNIT_COUNT, a->limit->line);
    field[METRIC] = gmsim_words(metric->name);
}

static const gmsim_limit_answer *answer_at(const gmsim_limits *limits, unsigned i)
{
    return limits->answer->pdata[i];
}

static unsigned not_kept(const gmsim_limits *limits)
{
    unsigned count = 0;

    for (unsigned i = 0; i < limits->answer->len; i++)
        count += !gmsim_limit_kept(answer_at(limits, i));
    return count;
}

/* ----------------------------------------------------------------------------------------- text */

static void put_head(const gmsim_report *report, const gmsim_limits *limits, bool traces,
                     GString *out)
{
    char *path = gmsim_clean(limits->path, 0);

    g_string_append_printf(out, "gmsim %s   limits %s   GPU %s", report->version, path,
                           report->gpu->name);
    if (!traces && report->trace != NULL) {
        char *trace = gmsim_clean(report->trace, 0);

        g_string_append_printf(out, "   trace %s", trace);
        g_free(trace);
    }
    g_string_append(out, "\n\n");
    g_free(path);
}

/* What words in the first column ask to be told. */
static void put_legend(const gmsim_limits *limits, GString *out)
{
    static const char *const meaning[GMSIM_ANSWERS] = {
        [GMSIM_ANSWER_NONE] = "nothing: no launch did what the limit counts",
        [GMSIM_ANSWER_UNKNOWN] = "unknown: the trace does not tell all that the limit counts",
        [GMSIM_ANSWER_NOBODY] = "nobody: no kernel's name matches the group's pattern",
    };
    bool there[GMSIM_ANSWERS] = {false};

    for (unsigned i = 0; i < limits->answer->len; i++)
        there[gmsim_limit_answer_kind(answer_at(limits, i))] = true;
    for (unsigned i = 0; i < GMSIM_ANSWERS; i++)
        if (there[i] && meaning[i] != NULL)
            g_string_append_printf(out, "%s\n", meaning[i]);
}

void gmsim_text_limits(gmsim_report *report, const gmsim_limits *limits)
{
    const unsigned count = limits->answer->len, bad = not_kept(limits);
    const char **kernel = g_new0(const char *, count + 1), *first = NULL;
    GString *out = g_string_new(NULL);
    gmsim_column shown[COLUMNS];
    gmsim_table table;
    bool traces = false;
    char **name;

    for (unsigned i = 0; i < count; i++) {
        const gmsim_limit_answer *a = answer_at(limits, i);

        kernel[i] = a->kernel != NULL ? a->kernel : a->limit->pattern;
        if (a->trace != NULL && first == NULL)
            first = a->trace;
        traces = traces || (a->trace != NULL && strcmp(a->trace, first) != 0);
    }
    name = gmsim_short_names(kernel, count, KERNEL_WIDTH);
    memcpy(shown, columns, sizeof shown);
    if (!traces)
        shown[TRACE].title = NULL;
    put_head(report, limits, traces, out);
    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, shown, COLUMNS, out, false);
    for (unsigned i = 0; i < count; i++) {
        const gmsim_limit_answer *a = answer_at(limits, i);
        gmsim_field field[COLUMNS];
        char *trace, *text;

        if (report->quiet && gmsim_limit_kept(a))
            continue;
        trace = gmsim_clean(a->trace, 0);
        text = gmsim_clean(a->limit->text, 0);
        make_row(a, name[i], trace, field);
        field[LIMIT] = gmsim_words(text);
        gmsim_table_row(&table, field);
        g_free(trace);
        g_free(text);
    }
    gmsim_table_end(&table);
    g_string_append_printf(out, "\n%s%u of %u limit%s",
                           bad > 0 ? "" : "All kept: ", bad > 0 ? bad : count, count,
                           count == 1 ? "" : "s");
    g_string_append(out, bad == 0 ? "\n" : bad == 1 ? " is not kept\n" : " are not kept\n");
    put_legend(limits, out);
    if (!report->quiet || bad > 0)
        fputs(out->str, report->out);
    g_string_free(out, TRUE);
    g_strfreev(name);
    g_free(kernel);
}

/* ----------------------------------------------------------------------------------- CSV and JSON
 */

void gmsim_csv_limits(gmsim_report *report, const gmsim_limits *limits)
{
    GString *out = g_string_new(NULL);
    gmsim_table table;

    gmsim_table_begin(&table, GMSIM_TABLE_CSV, columns, COLUMNS, out, false);
    for (unsigned i = 0; i < limits->answer->len; i++) {
        const gmsim_limit_answer *a = answer_at(limits, i);
        gmsim_field field[COLUMNS];

        make_row(a, a->kernel, a->trace, field);
        gmsim_table_row(&table, field);
    }
    fwrite(out->str, 1, out->len, report->out);
    g_string_free(out, TRUE);
}

void gmsim_json_limits(gmsim_report *report, const gmsim_limits *limits)
{
    gmsim_json *json = &report->json;

    gmsim_json_head(report, "gmsim-check/1");
    gmsim_json_string(json, "limits", limits->path);
    gmsim_json_bool(json, "kept", not_kept(limits) == 0);
    gmsim_json_array(json, "answers", false);
    for (unsigned i = 0; i < limits->answer->len; i++) {
        const gmsim_limit_answer *a = answer_at(limits, i);
        gmsim_field field[COLUMNS];

        make_row(a, a->kernel, a->trace, field);
        gmsim_json_object(json, NULL, true);
        gmsim_table_members(json, columns, COLUMNS, field);
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
    gmsim_json_gpu(json, report->gpu);
    gmsim_json_close(json);
    gmsim_json_finish(json);
}
