/* SPDX-License-Identifier: MIT
 *
 * check.c - `gmsim check LIMITS.ini TRACE...`: holds launches to a project's limits, for its
 * continuous integration: exit code 3 where one is not kept, a table, and JUnit's XML.
 */
#include "config.h"

#include "sim/cli/job.h"

#include <string.h>

#include "sim/analysis/limits.h"
#include "sim/report/junit.h"

/* Lives as long as the process. */
static char *junit;

static const GOptionEntry entries[] = {
    {"junit", 'j', 0, G_OPTION_ARG_FILENAME, &junit, "Write the answers there as JUnit's XML, too",
     "FILE.xml"},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &cli_given.quiet,
     "Text: only what is not kept; no progress", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &cli_given.rest, NULL,
     "LIMITS.ini [TRACE...]"},
    G_OPTION_ENTRY_NULL,
};

static const char summary[] =
    "Replays traces and says whether their launches keep to the limits of a file. In the file\n"
    "[PATTERN] says whose limits follow, a line each: METRIC <= NUMBER, >= or =.";

static const char description[] =
    "Examples:\n"
    "  gmsim check limits.ini transpose_pad.trc --junit gmsim.xml\n"
    "  gmsim check limits.ini --run ./saxpy -- 1000000\n"
    "\n"
    "Exit status: 0 all kept, 1 failed or damaged input, 2 usage, 3 a limit is not kept.\n";

/* Asks all launches of a trace, or of the synthetic line where it is NULL; `name` is what the user
 * calls it. */
static int ask_trace(gmsim_limits *limits, gmsim_gpu *gpu, const char *trace, const char *name)
{
    gmsim_job job = cli_job();
    gmsim_simulation simulation;
    cli_progress progress;
    GError *error = NULL;

    job.trace = trace;
    cli_progress_init(&progress, !cli_given.quiet);
    if (gmsim_simulation_open(&simulation, &job, "--", &error)) {
        *gpu = *simulation.report.gpu;
        while (error == NULL && gmsim_simulation_pending(&simulation)) {
            char *what = g_strdup_printf("%s, launch %u of %u", name, simulation.begun + 1,
                                         simulation.replays);
            const gmsim_result *result;
            uint32_t index;

            cli_progress_begin(&progress, what, simulation.passed, simulation.expected);
            if (gmsim_simulation_replay(&simulation, &result, &index, cli_progress_update,
                                        &progress, &error) &&
                result != NULL)
                gmsim_limits_ask(limits, name, index, result);
            cli_progress_end(&progress);
            g_free(what);
        }
        if (error == NULL)
            (void)gmsim_simulation_damage(&simulation, &error);
    }
    gmsim_simulation_close(&simulation);
    return error != NULL ? cli_fail(NULL, error) : CLI_DONE;
}

static int write_answers(const gmsim_format *format, gmsim_report *report,
                         const gmsim_limits *limits)
{
    int code = CLI_DONE;
    cli_output output;

    if (!cli_output_open(&output, cli_given.output))
        return CLI_FAILED;
    report->out = output.file;
    format->limits(report, limits);
    if (!cli_output_close(&output, true))
        code = CLI_FAILED;
    if (junit != NULL && cli_output_open(&output, junit)) {
        gmsim_junit_write(output.file, limits);
        if (!cli_output_close(&output, true))
            code = CLI_FAILED;
    } else if (junit != NULL) {
        code = CLI_FAILED;
    }
    for (unsigned i = 0; code == CLI_DONE && i < limits->answer->len; i++)
        code = gmsim_limit_kept(limits->answer->pdata[i]) ? CLI_DONE : CLI_LIMIT;
    return code;
}

/* program: the trace that a program left, or NULL. */
static int check(const char *program, gpointer data)
{
    const gmsim_format *format = data;
    gmsim_report report = {.version = PACKAGE_VERSION, .quiet = cli_given.quiet};
    const char *synthetic = cli_given.synthetic;
    gmsim_limits limits;
    GError *error = NULL;
    gmsim_gpu gpu;
    int code = CLI_DONE;

    if (!gmsim_limits_read(&limits, cli_given.rest[0], &error))
        code = cli_fail(NULL, error);
    else if (program != NULL)
        code = ask_trace(&limits, &gpu, program, report.trace = cli_given.program);
    else if (synthetic != NULL)
        code = ask_trace(&limits, &gpu, NULL, report.trace = synthetic);
    else if (cli_given.trace != NULL)
        code = ask_trace(&limits, &gpu, cli_given.trace, report.trace = cli_given.trace);
    else
        for (char **trace = cli_given.rest + 1; code == CLI_DONE && *trace != NULL; trace++)
            code = ask_trace(&limits, &gpu, *trace, report.trace = *trace);
    if (code == CLI_DONE) {
        gmsim_limits_finish(&limits);
        report.gpu = &gpu;
        code = write_answers(format, &report, &limits);
    }
    gmsim_limits_clear(&limits);
    return code;
}

static bool check_options(void)
{
    const unsigned named = cli_given.rest != NULL ? g_strv_length(cli_given.rest) : 0;
    const bool other =
        cli_given.program != NULL || cli_given.synthetic != NULL || cli_given.trace != NULL;

    if (!cli_one_of("caches", cli_given.caches, cli_caches))
        return false;
    if (cli_given.synthetic != NULL && (cli_given.program != NULL || cli_given.trace != NULL)) {
        cli_say("--synthetic and --%s exclude each other",
                cli_given.program != NULL ? "run" : "trace");
        return false;
    }
    if (named == 0 || (named == 1 && !other)) {
        cli_say("check: no %s given; try 'gmsim check LIMITS.ini TRACE'",
                named == 0 ? "limits" : "trace");
        return false;
    }
    if (named > 1 && cli_given.program == NULL && other) {
        cli_say("%s: --%s takes the place of a trace; give one of them", cli_given.rest[1],
                cli_given.synthetic != NULL ? "synthetic" : "trace");
        return false;
    }
    if (!cli_job_spares("--junit", junit, NULL) ||
        !cli_job_spares("--output", cli_given.output, NULL) ||
        (cli_given.program != NULL && !cli_job_spares("--trace", cli_given.trace, NULL)))
        return false;
    if (junit != NULL && strcmp(junit, cli_given.output != NULL ? cli_given.output : "-") == 0) {
        cli_say("--junit %s: the table goes there; name another file", junit);
        return false;
    }
    return true;
}

int cli_check(int argc, char **argv)
{
    static const GOptionEntry *const tables[] = {
        cli_input_entries, cli_gpu_entries, cli_replay_entries, cli_output_entries, entries, NULL};
    const gmsim_format *format;

    if (!cli_parse(summary, description, tables, &argc, &argv) || !check_options() ||
        (format = cli_format(cli_given.format, cli_given.output)) == NULL ||
        (format->limits == NULL && cli_say_lacks(format, "limits")))
        return CLI_USAGE;
    if (cli_given.program != NULL)
        return cli_program_follow(cli_given.program, cli_given.rest + 1, cli_given.trace, check,
                                  (gpointer)format);
    return check(NULL, (gpointer)format);
}
