/* SPDX-License-Identifier: MIT
 *
 * fuzz_simulate.c - any bytes as a trace, through the simulation into whatever shows it: every
 * format of report, with times and without, every format of a comparison of two GPUs, and gnuplot's
 * script. Nothing in them acts on a terminal or runs a command. Kernels too large for a moment are
 * left out by what they claim; the GPUs are small, so that a run is short.
 */
#include "config.h"

#include "sim/cli/plot.h"
#include "sim/gmsim.h"
#include "sim/report/report.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

void cli_say(const char *format, ...) G_GNUC_PRINTF(1, 2);
void cli_say(const char *format, ...)
{
    NEED(!format); /* what plot.c says when gnuplot fails, which is not run here */
}

/* Would it be over in a moment? */
static bool is_small(const gmtrace_reader *reader)
{
    for (uint32_t i = 0; i < gmtrace_launch_count(reader); i++) {
        const gmtrace_launch *launch = gmtrace_get_launch(reader, i);
        uint64_t ctas = 1;
        for (unsigned k = 0; k < 3; k++)
            ctas = ctas < 4096 ? ctas * launch->grid[k] : ctas;
        if (i >= 8 || ctas >= 4096)
            return false;
    }
    return true;
}

static void need_harmless(const char *text)
{
    NEED(text && g_utf8_validate(text, -1, NULL));
    for (; *text; text++)
        NEED(*text == '\n' || (*text == '\r' && text[1] == '\n') ||
             ((unsigned char)*text >= ' ' && *text != 0x7f));
}

/* Blank lines aside, what a line begins with is a command of gnuplot's. */
static void need_no_command(const char *script)
{
    NEED(!strchr(script, '`') && !strstr(script, "system"));
    for (const char *line = script; line; line = strchr(line, '\n')) {
        line += strspn(line, " \n");
        NEED(*line != '!');
    }
}

static void load(gmsim_gpu *gpu, const char *name)
{
    char *small[] = {(char[]){"gpu.sm_count=2"}, (char[]){"launch.groups=unknown"},
                     (char[]){"l2.size=256K"}, NULL};
    NEED(gmsim_gpu_load(gpu, name, NULL) && gmsim_gpu_set_all(gpu, small, NULL));
}

/* The launches on the first GPU, or those of both side by side, in one format. */
static void report(gmtrace_reader *reader, const gmsim_gpu gpu[2], const gmsim_format *format,
                   bool pairs, bool functional, bool verbose)
{
    const gmsim_options options = {.functional = functional};
    gmsim_model *model[2] = {gmsim_model_new(&gpu[0], &options, NULL),
                             gmsim_model_new(&gpu[1], &options, NULL)};
    char *text = NULL;
    size_t length;
    gmsim_report r = {.out = open_memstream(&text, &length),
                      .version = PACKAGE_VERSION,
                      .verbose = verbose,
                      .trace = "fuzz",
                      .gpu = &gpu[0],
                      .capture = gmtrace_get_capture(reader),
                      .launch_count = gmtrace_launch_count(reader),
                      .selected = gmtrace_launch_count(reader)};
    bool complete = true;
    NEED(model[0] && model[1] && r.out);
    if (pairs && format->begin_pairs)
        format->begin_pairs(&r);
    else if (!pairs)
        format->begin(&r);
    for (uint32_t i = 0; i < r.selected && complete; i++) {
        GError *error = NULL;
        gmsim_side side[2] = {{"A", &gpu[0], NULL, i}, {"B", &gpu[1], NULL, i}};
        for (unsigned k = 0; k <= pairs && !error; k++)
            side[k].result = gmsim_model_run(model[k], reader, i, NULL, NULL, &error);
        complete = !error;
        if (error) {
            NEED(*error->message);
            g_error_free(error);
        } else if (pairs) {
            gmsim_comparison_of_two compare;
            gmsim_compare_make(&compare, &side[0], &side[1]);
            format->pair(&r, &compare);
            gmsim_compare_clear(&compare);
        } else {
            char *script = cli_plot_script("name", side[0].result);
            need_no_command(script);
            g_free(script);
            format->launch(&r, i, side[0].result);
        }
    }
    if (pairs && format->end_pairs)
        format->end_pairs(&r, complete);
    else if (!pairs)
        format->end(&r, complete);
    fclose(r.out);
    need_harmless(text);
    free(text);
    gmsim_model_free(model[0]);
    gmsim_model_free(model[1]);
}

/* What programs use. */
static void simulate(const char *path)
{
    const gmsim_job job = {.size = sizeof job, .trace = path, .gpu = "v100"};
    char *text, *error;
    const gmsim_status status = gmsim_simulate(&job, &text, &error);
    NEED(status == GMSIM_DONE ? text && !error : error != NULL);
    if (error)
        fuzz_need_line(error);
    else
        need_harmless(text);
    gmsim_free(text);
    gmsim_free(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static gmsim_gpu gpu[2];
    static unsigned formats;
    if (!formats) {
        load(&gpu[0], "v100");
        load(&gpu[1], "h200");
        while (gmsim_formats[formats])
            formats++;
    }
    const char *path = fuzz_file(data, size);
    gmtrace_error problem;
    gmtrace_reader *reader = gmtrace_open(path, &problem);
    if (reader && is_small(reader)) {
        /* Each format four times: with times, without, in full, as pairs; then the library. */
        const unsigned cases = 4 * formats + 1;
        for (unsigned i = 0; i < cases - 1; i++)
            if (fuzz_tries(data, size, i, cases) && (i % 4 != 3 || gmsim_formats[i / 4]->pair))
                report(reader, gpu, gmsim_formats[i / 4], i % 4 == 3, i % 4 == 1, i % 4 == 2);
        if (fuzz_tries(data, size, cases - 1, cases))
            simulate(path);
    }
    gmtrace_close(reader);
    return 0;
}
