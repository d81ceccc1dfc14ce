/* SPDX-License-Identifier: MIT
 *
 * advise.c - what changes would save, in every format: a table for people, the largest saving
 * first; a document of JSON; a page for a browser; a row of CSV for each change of each launch.
 */
#include "sim/report/format.h"
#include "sim/report/formats.h"
#include "sim/report/html.h"

#define BAR_COLUMNS 10u

/* Those with a key are of JSON and CSV, those with a title of text. */
static const gmsim_column columns[] = {
    {.key = "launch", .outer = true},
    {.key = "kernel", .outer = true},
    {.title = "What if", .width = 40, .left = true},
    {.key = "change"},
    {.key = "kind", .title = "", .width = 5, .left = true},
    {.key = "cycles", .title = "cycles", .width = 13},
    {.key = "saved_cycles", .title = "saved", .width = 13},
    {.key = "saved_pct", .title = "", .width = 7},
    {.key = "speedup", .title = "speed-up", .width = 9},
    {.title = "", .gap = 2, .left = true},
};

static void fill(gmsim_field field[G_N_ELEMENTS(columns)], gmsim_change change, uint64_t before,
                 uint64_t after)
{
    const gmsim_change_names *names = &gmsim_change_table[change];
    const double saved = (double)before - (double)after;
    unsigned k = 2;

    field[k++] = gmsim_words(names->name);
    field[k++] = gmsim_words(names->key);
    field[k++] = gmsim_words(names->fix ? "fix" : "ideal");
    field[k++] = gmsim_number_of(GMSIM_UNIT_COUNT, (double)after);
    field[k++] = gmsim_number_of(GMSIM_UNIT_COUNT, saved);
    field[k++] = gmsim_number_of(GMSIM_UNIT_PERCENT, 100 * saved / (double)MAX(before, 1));
    field[k++] = gmsim_quotient(GMSIM_UNIT_RATIO, before, after);
    field[k++] = gmsim_words("");
}

/* ----------------------------------------------------------------------------------------- text */

static void put_head(GString *out, const gmsim_report *report, const gmsim_advice *advice)
{
    char *trace = gmsim_clean(report->trace, 50);

    g_string_append_printf(out, "gmsim %s   trace %s   GPU %s\n", report->version, trace,
                           report->gpu->name);
    g_free(trace);
    if (advice->launch->len == 1) {
        char *kernel =
            gmsim_clean(g_array_index(advice->launch, gmsim_advice_launch, 0).kernel, 93);

        g_string_append_printf(out, "kernel %s\n", kernel);
        g_free(kernel);
    } else {
        g_string_append_printf(out, "%u launches\n", advice->launch->len);
    }
    if (advice->untimed > 0)
        g_string_append_printf(out,
                               "%u of them cannot be timed: the capture could not see all of "
                               "their memory traffic\n",
                               advice->untimed);
    g_string_append_printf(out, "%s cycles as it is\n\n", gmsim_count(advice->cycles).text);
}

static void put_rows(GString *out, const gmsim_report *report, const gmsim_advice *advice)
{
    gmsim_field field[G_N_ELEMENTS(columns)] = {0};
    gmsim_table table;

    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, columns, G_N_ELEMENTS(columns), out, report->color);
    for (unsigned i = 0; i < advice->count; i++) {
        const uint64_t after = advice->changed[advice->order[i]];
        GString *bar = g_string_new(NULL), *name = g_string_new("  ");

        fill(field, advice->order[i], advice->cycles, after);
        g_string_append(name, field[2].words);
        if (advice->launch->len > 1 && advice->applies[advice->order[i]] < advice->launch->len)
            g_string_append_printf(name, " (%u)", advice->applies[advice->order[i]]);
        gmsim_bar(bar, advice->cycles - MIN(after, advice->cycles), advice->cycles, BAR_COLUMNS);
        field[2] = gmsim_words(name->str);
        field[G_N_ELEMENTS(columns) - 1] = gmsim_words(bar->str);
        gmsim_table_row(&table, field);
        g_string_free(bar, TRUE);
        g_string_free(name, TRUE);
    }
    gmsim_table_end(&table);
}

static const char model[] =
    "each line is a replay of its own. An ideal is a bound: what those accesses or waits cost is "
    "gone, whatever the code would look like. A fix moves the accesses to where they would go. "
    "Instructions stay in either case; savings do not add up.";

static void put_rest(GString *out, const gmsim_advice *advice)
{
    GString *rest = g_string_new(NULL);

    for (unsigned change = 0; change < GMSIM_CHANGES; change++)
        if (advice->applies[change] == 0 && (advice->wanted >> change & 1u))
            g_string_append_printf(rest, "%s%s (%s)", rest->len > 0 ? ", " : "",
                                   gmsim_change_table[change].name,
                                   gmsim_change_table[change].absent);
    if (rest->len > 0) {
        g_string_append(out, "\nNot here  ");
        gmsim_wrap(out, rest->str, 10, 10, GMSIM_REPORT_WIDTH);
        g_string_append_c(out, '\n');
    }
    g_string_free(rest, TRUE);
    g_string_append(out, "\nModel     ");
    gmsim_wrap(out, model, 10, 10, GMSIM_REPORT_WIDTH);
    g_string_append_c(out, '\n');
}

void gmsim_text_advice(gmsim_report *report, const gmsim_advice *advice)
{
    GString *out = g_string_new(NULL);

    put_head(out, report, advice);
    put_rows(out, report, advice);
    put_rest(out, advice);
    fputs(out->str, report->out);
    g_string_free(out, TRUE);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void put_changes(gmsim_json *json, const gmsim_advice *advice, uint32_t applies,
                        uint64_t before, const uint64_t after[GMSIM_CHANGES])
{
    gmsim_field field[G_N_ELEMENTS(columns)] = {0};

    gmsim_json_uint(json, "cycles", before);
    gmsim_json_array(json, "changes", false);
    for (unsigned i = 0; i < advice->count; i++) {
        const gmsim_change change = advice->order[i];

        if (!(applies >> change & 1u))
            continue;
        fill(field, change, before, after[change]);
        gmsim_json_object(json, NULL, true);
        gmsim_table_members(json, columns, G_N_ELEMENTS(columns), field);
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
}

void gmsim_json_advice(gmsim_report *report, const gmsim_advice *advice)
{
    gmsim_json *json = &report->json;

    gmsim_json_head(report, "gmsim-advice/1");
    gmsim_json_string(json, "trace", report->trace);
    gmsim_json_gpu(json, report->gpu);
    put_changes(json, advice, UINT32_MAX, advice->cycles, advice->changed);
    gmsim_json_array(json, "launches", false);
    for (unsigned i = 0; i < advice->launch->len; i++) {
        const gmsim_advice_launch *launch = &g_array_index(advice->launch, gmsim_advice_launch, i);

        gmsim_json_object(json, NULL, false);
        gmsim_json_uint(json, "launch", launch->index);
        gmsim_json_string(json, "kernel", launch->kernel);
        gmsim_json_bool(json, "timed", launch->timed);
        if (launch->timed)
            put_changes(json, advice, launch->facts.applies, launch->cycles, launch->changed);
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
    gmsim_json_close(json);
    gmsim_json_finish(json);
}

/* ----------------------------------------------------------------------------------------- HTML */

/* Which words stand for the changes, and why some do not apply. */
static void put_words(gmsim_json *json, const gmsim_advice *advice)
{
    gmsim_json_object(json, "words", true);
    for (unsigned i = 0; i < advice->count; i++)
        gmsim_json_string(json, gmsim_change_table[advice->order[i]].key,
                          gmsim_change_table[advice->order[i]].name);
    gmsim_json_close(json);
    gmsim_json_array(json, "absent", true);
    for (unsigned change = 0; change < GMSIM_CHANGES; change++)
        if (advice->applies[change] == 0 && (advice->wanted >> change & 1u)) {
            g_autofree char *text = g_strdup_printf("%s (%s)", gmsim_change_table[change].name,
                                                    gmsim_change_table[change].absent);
            gmsim_json_string(json, NULL, text);
        }
    gmsim_json_close(json);
}

void gmsim_html_advice(gmsim_report *report, const gmsim_advice *advice)
{
    gmsim_json *json = &report->json;

    gmsim_html_begin(report, "advise", report->trace);
    gmsim_html_text(json, "trace", report->trace);
    gmsim_html_gpu(json, report->gpu);
    gmsim_json_string(json, "model", model);
    gmsim_json_uint(json, "untimed", advice->untimed);
    put_words(json, advice);
    put_changes(json, advice, UINT32_MAX, advice->cycles, advice->changed);
    gmsim_json_array(json, "launches", true);
    for (unsigned i = 0; i < advice->launch->len; i++) {
        const gmsim_advice_launch *launch = &g_array_index(advice->launch, gmsim_advice_launch, i);

        gmsim_json_object(json, NULL, true);
        gmsim_json_uint(json, "n", launch->index);
        gmsim_html_text(json, "kernel", launch->kernel);
        if (launch->timed)
            put_changes(json, advice, launch->facts.applies, launch->cycles, launch->changed);
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
    gmsim_html_finish(report, true);
}

/* ------------------------------------------------------------------------------------------ CSV */

void gmsim_csv_advice(gmsim_report *report, const gmsim_advice *advice)
{
    gmsim_field field[G_N_ELEMENTS(columns)] = {0};
    GString *out = g_string_new(NULL);
    gmsim_table table;

    gmsim_table_begin(&table, GMSIM_TABLE_CSV, columns, G_N_ELEMENTS(columns), out, false);
    for (unsigned i = 0; i < advice->launch->len; i++) {
        const gmsim_advice_launch *launch = &g_array_index(advice->launch, gmsim_advice_launch, i);

        field[0] = gmsim_number_of(GMSIM_UNIT_COUNT, launch->index);
        field[1] = gmsim_words(launch->kernel);
        for (unsigned k = 0; k < advice->count; k++) {
            const gmsim_change change = advice->order[k];

            if (!(launch->facts.applies >> change & 1u))
                continue;
            fill(field, change, launch->cycles, launch->changed[change]);
            gmsim_table_row(&table, field);
        }
    }
    fputs(out->str, report->out);
    g_string_free(out, TRUE);
}
