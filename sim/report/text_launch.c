/* SPDX-License-Identifier: MIT
 *
 * text_launch.c - one launch for people: worst thing first, every count beside its ideal, one
 * screen, plain ASCII.
 */
#include <string.h>

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/formats.h"
#include "sim/report/names.h"
#include "sim/report/notes.h"
#include "sim/report/origin.h"
#include "sim/report/text.h"
#include "sim/report/words.h"

#define INDENT     GMSIM_TEXT_INDENT
#define NAME_WIDTH (GMSIM_REPORT_WIDTH - 7u) /* beside "kernel " */

static void put_part(GString *out, const char *label, char *text)
{
    if (text == NULL)
        return;
    g_string_append_printf(out, "%*s%s", (int)INDENT, "", label);
    gmsim_wrap(out, text, INDENT + (unsigned)strlen(label), INDENT, GMSIM_REPORT_WIDTH);
    g_string_append_c(out, '\n');
    g_free(text);
}

static void put_note(const char *label, const char *text, gpointer data)
{
    g_autofree char *before = label[0] != 0 ? g_strconcat(label, ": ", NULL) : g_strdup("");

    put_part(data, before, g_strdup(text));
}

void gmsim_text_verdict(GString *out, const gmsim_report *report, const gmsim_result *result)
{
    gmsim_verdict verdict;
    char *what;

    gmsim_verdict_make(report->gpu, result, &verdict);
    what = gmsim_finding_what(report->gpu, result, &verdict.finding[0]);
    gmsim_heading(out, report->color, "VERDICT");
    g_string_append(out, "  ");
    gmsim_wrap(out, what, INDENT, INDENT, GMSIM_REPORT_WIDTH);
    g_string_append_c(out, '\n');
    g_free(what);
    put_part(out, "Fix: ", gmsim_finding_fix(report->gpu, result, &verdict.finding[0]));
    put_part(out, "Bound: ", gmsim_finding_bound(result, &verdict.finding[0]));
    for (unsigned i = 1; i < verdict.count; i++)
        put_part(out, "Also: ", gmsim_finding_aside(result, &verdict.finding[i]));
    gmsim_notes(report->capture, result, &verdict, put_note, out);
}

static void put_dimensions(GString *out, const char *label, const uint32_t size[3])
{
    g_string_append_printf(out, "%s %u", label, size[0]);
    if (size[1] > 1 || size[2] > 1)
        g_string_append_printf(out, "x%u", size[1]);
    if (size[2] > 1)
        g_string_append_printf(out, "x%u", size[2]);
}

void gmsim_text_names(gmsim_report *report)
{
    char **text = gmsim_short_names(report->kernel, report->kernels, NAME_WIDTH);

    report->names = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    for (unsigned i = 0; i < report->kernels; i++)
        g_hash_table_insert(report->names, (gpointer)report->kernel[i], text[i]);
    g_free(text);
}

char *gmsim_text_name(const gmsim_report *report, const char *name)
{
    const char *text = g_hash_table_lookup(report->names, name);

    return text != NULL ? g_strdup(text) : gmsim_clean(name, NAME_WIDTH);
}

static void put_header(GString *out, const gmsim_report *report, uint32_t index,
                       const gmsim_result *result)
{
    const gmtrace_launch *launch = result->launch;
    const gmsim_gpu *gpu = report->gpu;
    char *trace = gmsim_clean(report->trace, 50);
    char *kernel = report->verbose ? gmsim_clean(result->kernel->name, 0)
                                   : gmsim_text_name(report, result->kernel->name);
    uint64_t warps = (uint64_t)result->occupancy.warps_per_block * launch->grid[0] *
                     launch->grid[1] * launch->grid[2];
    double instructions = 0, threads;

    (void)gmsim_metric_named(result, "instructions", &instructions);
    g_string_append_printf(out, "gmsim %s   trace %s", report->version, trace);
    if (report->launch_count > 1)
        g_string_append_printf(out, "   launch %u of %u, from 0", index, report->launch_count);

    g_string_append_printf(out, "\nkernel %s\n", kernel);
    g_string_append_printf(out, "GPU %s (%u SMs, L1+shared %s, L2 %s)", gpu->name,
                           gpu->gpu_sm_count, gmsim_bytes(gpu->l1_size).text,
                           gmsim_bytes(gpu->l2_size).text);
    if (report->capture != NULL && report->capture->gpu[0] != 0) {
        char *captured = gmsim_clean(report->capture->gpu, 40);

        g_string_append_printf(out, "   captured on %s", captured);
        g_free(captured);
    }
    g_autofree char *origin = gmsim_origin_of(report->capture);
    if (origin != NULL)
        g_string_append_printf(out, "   PTX of %s", origin);
    put_dimensions(out, "\ngrid", launch->grid);
    put_dimensions(out, "  block", launch->block);
    g_string_append_printf(out, "  %s warps  %s memory instructions", gmsim_count(warps).text,
                           gmsim_count((uint64_t)instructions).text);
    if (gmsim_metric_named(result, "threads.active", &threads))
        g_string_append_printf(out, " of %s threads",
                               gmsim_shown(GMSIM_UNIT_RATIO, threads, false).text);
    g_string_append_printf(out, "  %s L2\n\n", gmsim_start_table[result->start].name);
    g_free(trace);
    g_free(kernel);
}

void gmsim_text_footer(GString *out, const gmsim_report *report, const gmsim_result *result)
{
    char *text = gmsim_model_words(report->capture, result);

    gmsim_heading(out, report->color, "Model");
    g_string_append(out, "  ");
    gmsim_wrap(out, text, 7, 7, GMSIM_REPORT_WIDTH);
    g_string_append_c(out, '\n');
    g_free(text);
}

void gmsim_text_full(GString *out, const gmsim_report *report, uint32_t index,
                     const gmsim_result *result)
{
    put_header(out, report, index, result);
    gmsim_text_verdict(out, report, result);
    g_string_append_c(out, '\n');
    gmsim_text_time(out, report, result);
    gmsim_text_pipe(out, report, result);
    gmsim_text_occupancy(out, report, result);
    gmsim_text_hot(out, report, result);
    gmsim_text_lanes(out, report, result);
    gmsim_text_arrays(out, report, result);
    if (report->verbose)
        gmsim_text_allocations(out, report, result);
    gmsim_text_footer(out, report, result);
}
