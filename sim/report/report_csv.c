/* SPDX-License-Identifier: MIT
 *
 * report_csv.c - one row a launch, one column a metric, named as in `ncu --csv --page raw`.
 * Quoting is RFC 4180's; a metric that a launch does not have is an empty field. Leaves out ncu's
 * second row of units: every count is in base units.
 */
#include <math.h>

#include "sim/report/report.h"

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

static void put_dimensions(FILE *out, const uint32_t size[3])
{
    fprintf(out, "\"(%u, %u, %u)\"", size[0], size[1], size[2]);
}

static void csv_begin(gmsim_report *report)
{
    static const char *const names[] = {"ID",        "Kernel Name", "Block Size",
                                        "Grid Size", "Device",      "CC"};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        fprintf(report->out, "%s\"%s\"", i > 0 ? "," : "", names[i]);
    for (unsigned i = 0; i < gmsim_metric_count; i++)
        fprintf(report->out, ",\"%s\"", gmsim_metrics[i].name);
    fputs("\r\n", report->out);
}

static void csv_launch(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    FILE *out = report->out;
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    double value;

    fprintf(out, "%u,", index);
    put_text(out, result->kernel->name);
    fputc(',', out);
    put_dimensions(out, result->launch->block);
    fputc(',', out);
    put_dimensions(out, result->launch->grid);
    fputc(',', out);
    put_text(out, report->gpu->title);
    fprintf(out, ",%u.%u", report->gpu->gpu_cc_major, report->gpu->gpu_cc_minor);
    for (unsigned i = 0; i < gmsim_metric_count; i++) {
        fputc(',', out);
        if (!gmsim_metric_value(result, i, &value) || !isfinite(value))
            continue;
        g_ascii_formatd(text, sizeof text, value == floor(value) ? "%.0f" : "%.6f", value);
        fputs(text, out);
    }
    fputs("\r\n", out);
}

static void csv_end(gmsim_report *report, bool complete)
{
    (void)report;
    (void)complete;
}

const gmsim_report_format gmsim_report_csv = {
    .name = "csv",
    .meaning = "one row a launch, one column a metric",
    .begin = csv_begin,
    .launch = csv_launch,
    .end = csv_end,
};
