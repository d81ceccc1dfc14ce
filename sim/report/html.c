/* SPDX-License-Identifier: MIT
 *
 * html.c - the format: launches as they come, with a page each, and what they sum up to as a
 * program; comparisons and sweeps.
 */
#include "sim/report/application_words.h"
#include "sim/report/formats.h"
#include "sim/report/html.h"
#include "sim/report/notes.h"
#include "sim/report/words.h"

#define NAME_WIDTH 200u /* of a kernel in a sentence */

/* What a kernel's longest launch suffers from. */
typedef struct longest {
    char *what, *fix;
} longest;

static void free_longest(gpointer data)
{
    longest *of = data;

    g_free(of->what);
    g_free(of->fix);
    g_free(of);
}

static void html_begin(gmsim_report *report)
{
    gmsim_json *json = &report->json;

    gmsim_html_begin(report, "report", report->trace);
    gmsim_html_text(json, "trace", report->trace);
    gmsim_html_gpu(json, report->gpu);
    if (report->capture != NULL)
        gmsim_html_text(json, "captured", report->capture->gpu);
    gmsim_json_uint(json, "launch_count", report->launch_count);
    gmsim_json_string(json, "by",
                      report->sort == GMSIM_BY_LAUNCHES ? "launches"
                      : report->sort < 0                ? NULL
                                                        : gmsim_metrics[report->sort].name);
    report->application = gmsim_application_new(report->gpu);
    report->verdict = g_ptr_array_new_with_free_func(free_longest);
    gmsim_json_array(json, "launches", true);
}

static void html_launch(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    const gmsim_kernel_total *kernel = gmsim_application_add(report->application, index, result);

    if (kernel->number == report->verdict->len)
        g_ptr_array_add(report->verdict, g_new0(longest, 1));
    if (kernel->longest == index) {
        longest *of = report->verdict->pdata[kernel->number];
        gmsim_verdict verdict;

        g_free(of->what);
        g_free(of->fix);
        gmsim_verdict_make(report->gpu, result, &verdict);
        of->what = gmsim_finding_what(report->gpu, result, &verdict.finding[0]);
        of->fix = gmsim_finding_fix(report->gpu, result, &verdict.finding[0]);
    }
    gmsim_json_object(&report->json, NULL, true);
    gmsim_json_uint(&report->json, "of", kernel->number);
    gmsim_html_launch(report, report->gpu, "launch", index, result);
    gmsim_json_close(&report->json);
    report->written++;
}

static void put_kernel(gmsim_json *json, const gmsim_report *report, const char *name,
                       unsigned number)
{
    const gmsim_kernel_total *kernel = gmsim_application_kernel(report->application, number);
    const gmsim_kernel_total *total = gmsim_application_total(report->application);
    g_autofree char *bound = gmsim_bound_words(&kernel->sum);

    gmsim_json_object(json, NULL, true);
    gmsim_html_text(json, "name", name);
    gmsim_json_uint(json, "number", number);
    gmsim_json_uint(json, "launches", kernel->launches);
    gmsim_json_uint(json, "longest", kernel->longest);
    gmsim_json_uint(json, "clocks", kernel->clocks);
    gmsim_html_percent(json, "share", kernel->clocks, total->clocks);
    gmsim_json_string(json, "bound", bound);
    gmsim_json_string(json, "finding", gmsim_finding_name(gmsim_kernel_finding(kernel)));
    gmsim_html_metrics(json, &kernel->sum);
    gmsim_json_close(json);
}

/* Sums: of each kernel, the largest first, and of all. */
static void put_program(gmsim_report *report)
{
    const gmsim_kernel_total *total = gmsim_application_total(report->application);
    gmsim_result sum = total->sum;
    const unsigned kernels = gmsim_application_kernels(report->application);
    unsigned *order = gmsim_application_order(report->application, GMSIM_BY_CLOCKS);
    const longest *of = report->verdict->pdata[order[0]];
    char **name = gmsim_application_names(report->application, NAME_WIDTH);
    g_autofree char *what = gmsim_application_verdict(report->application, name, of->what);
    g_autofree char *unknown = gmsim_application_unknown(report->application, name);
    g_autofree char *sampled = gmsim_application_sampled_words(report->application);
    g_autofree char *time = sum.timed ? gmsim_time_words(&sum.timing) : NULL;
    gmsim_json *json = &report->json;

    gmsim_json_object(json, "program", true);
    if (total->clocks > 0) {
        gmsim_html_text(json, "what", what);
        gmsim_html_text(json, "fix", of->fix);
    }
    gmsim_html_text(json, "sampled", sampled);
    gmsim_html_text(json, "unknown", unknown);
    gmsim_json_string(json, "time", time);
    gmsim_json_bool(json, "timed", sum.timed);
    gmsim_json_uint(json, "clocks", total->clocks);
    gmsim_json_uint(json, "longest",
                    gmsim_application_kernel(report->application, order[0])->longest);
    gmsim_html_metrics(json, &sum);
    gmsim_json_array(json, "kernels", true);
    for (unsigned i = 0; i < kernels; i++) {
        sum.unseen |= gmsim_application_kernel(report->application, order[i])->sum.unseen;
        put_kernel(json, report, name[order[i]], order[i]);
    }
    gmsim_json_close(json);
    gmsim_json_close(json);
    g_autofree char *model = gmsim_model_words(report->capture, &sum);
    gmsim_html_text(json, "model", model);
    g_strfreev(name);
    g_free(order);
}

static void html_end(gmsim_report *report, bool complete)
{
    gmsim_json_close(&report->json);
    if (report->written > 0)
        put_program(report);
    gmsim_application_free(report->application);
    g_ptr_array_unref(report->verdict);
    report->application = NULL;
    gmsim_html_finish(report, complete);
}

/* ------------------------------------------------------------------------------------- pairs */

static void html_end_pairs(gmsim_report *report, bool complete)
{
    gmsim_json_close(&report->json);
    gmsim_html_finish(report, complete);
}

const gmsim_format gmsim_format_html = {
    .name = "html",
    .meaning = "one file for a browser: pictures, lists, a page for each launch",
    .arrays = true,
    .measured = true,
    .begin = html_begin,
    .launch = html_launch,
    .end = html_end,
    .begin_pairs = gmsim_html_begin_pairs,
    .pair = gmsim_html_pair,
    .end_pairs = html_end_pairs,
    .sweep = gmsim_html_sweep,
    .advise = gmsim_html_advice};
