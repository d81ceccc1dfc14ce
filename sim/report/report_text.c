/* SPDX-License-Identifier: MIT
 *
 * report_text.c - the report people read: few launches in full one after the other, many on one
 * screen. Leaves out host times, so that the same trace prints the same bytes.
 */
#include "sim/report/formats.h"
#include "sim/report/text.h"

static void text_begin(gmsim_report *report)
{
    report->written = 0;
    gmsim_text_names(report);
    if (report->summary)
        gmsim_text_application_begin(report);
}

static void text_launch(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    GString *out = g_string_new(NULL);

    if (report->summary) {
        gmsim_text_application_launch(report, index, result);
    } else if (report->quiet) {
        if (report->selected > 1) {
            char *kernel = gmsim_text_name(report, result->kernel->name);

            g_string_append_printf(out, "%slaunch %u  %s\n", report->written > 0 ? "\n" : "", index,
                                   kernel);
            g_free(kernel);
        }
        gmsim_text_verdict(out, report, result);
    } else {
        if (report->written > 0)
            g_string_append(out, GMSIM_TEXT_BETWEEN);
        gmsim_text_full(out, report, index, result);
    }
    report->written++;
    fputs(out->str, report->out);
    g_string_free(out, TRUE);
}

static void text_end(gmsim_report *report, bool complete)
{
    if (report->summary)
        gmsim_text_application_end(report);
    g_hash_table_unref(report->names);
    if (!complete && report->written < report->selected)
        fprintf(report->out, "\nIncomplete: %u of %u launches could be reported.\n",
                report->written, report->selected);
}

const gmsim_format gmsim_format_text = {.name = "text",
                                        .meaning = "for people: verdict, tables, lanes",
                                        .begin = text_begin,
                                        .launch = text_launch,
                                        .end = text_end,
                                        .pair = gmsim_text_pair,
                                        .sweep = gmsim_text_sweep,
                                        .advise = gmsim_text_advice,
                                        .limits = gmsim_text_limits};
