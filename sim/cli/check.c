/* SPDX-License-Identifier: MIT
 *
 * check.c - `gmsim check LIMITS.ini TRACE...`: holds launches to a project's limits, for its
 * continuous integration: exit code 3 where one is not kept, a table, and JUnit's XML.
 */
#include "config.h"

#include "sim/cli/cli.h"

#include <string.h>

#include "sim/analysis/limits.h"
#include "sim/api/simulation.h"
#include "sim/report/junit.h"

/* Lives as long as the process. */
static struct {
    char *program, *synthetic, *gpu, *kernel, *launches, *caches, *limit_memory, *format, *output,
        *junit;
    char **set, **plugins, **rest;
    gboolean flush, quiet;
} given;

static const GOptionEntry entries[] = {
    {"run", 'r', 0, G_OPTION_ARG_FILENAME, &given.program,
     "In place of traces, run a program built with gmcc, with your rights; its arguments follow --",
     "PROGRAM"},
    {"synthetic", 's', 0, G_OPTION_ARG_FILENAME, &given.synthetic,
     "In place of traces, a pattern of accesses, as gmsim takes it", "PATTERN[:KEY=VALUE,...]"},
    {"gpu", 'g', 0, G_OPTION_ARG_FILENAME, &given.gpu, "GPU to replay on (default h200)",
     "NAME|FILE.ini"},
    {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.set,
     "Change one number of the GPU; repeatable", "KEY=VALUE"},
    {"plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.plugins,
     "Shared object with a policy, which --set then names; repeatable", "FILE.so"},
    {"kernel", 'k', 0, G_OPTION_ARG_FILENAME, &given.kernel,
     "Only launches whose kernel name matches", "REGEX"},
    {"launches", 'l', 0, G_OPTION_ARG_FILENAME, &given.launches,
     "Only these launches: 3, 0-7 or 2,5-8,100-", "LIST"},
    {"limit-memory", 0, 0, G_OPTION_ARG_FILENAME, &given.limit_memory,
     "what a trace may make the reader take (default 1G)", "SIZE"},
    {"caches", 0, 0, G_OPTION_ARG_FILENAME, &given.caches,
     "cold (default) or warm, as for a report", "cold|warm"},
    {"flush", 0, 0, G_OPTION_ARG_NONE, &given.flush, "Empty L2 before every launch, as ncu does",
     NULL},
    {"junit", 'j', 0, G_OPTION_ARG_FILENAME, &given.junit,
     "Write the answers there as JUnit's XML, too", "FILE.xml"},
    {"format", 'f', 0, G_OPTION_ARG_FILENAME, &given.format,
     "One of text json csv (default: by --output's ending, else text)", "FORMAT"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &given.output, "Write there, not to standard output",
     "FILE"},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet, "Text: only what is not kept; no progress",
     NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.rest, NULL,
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
    const gmsim_job job = {.size = sizeof job,
                           .trace = trace,
                           .synthetic = trace == NULL ? given.synthetic : NULL,
                           .gpu = given.gpu,
                           .set = (const char *const *)given.set,
                           .plugin = (const char *const *)given.plugins,
                           .kernel = given.kernel,
                           .launches = given.launches,
                           .caches = given.caches,
                           .limit_memory = given.limit_memory,
                           .flush = given.flush};
    gmsim_simulation simulation;
    cli_progress progress;
    GError *error = NULL;

    cli_progress_init(&progress, !given.quiet);
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

    if (!cli_output_open(&output, given.output))
        return CLI_FAILED;
    report->out = output.file;
    format->limits(report, limits);
    if (!cli_output_close(&output, true))
        code = CLI_FAILED;
    if (given.junit != NULL && cli_output_open(&output, given.junit)) {
        gmsim_junit_write(output.file, limits);
        if (!cli_output_close(&output, true))
            code = CLI_FAILED;
    } else if (given.junit != NULL) {
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
    gmsim_report report = {.version = PACKAGE_VERSION, .quiet = given.quiet};
    const char *synthetic = given.synthetic;
    gmsim_limits limits;
    GError *error = NULL;
    gmsim_gpu gpu;
    int code = CLI_DONE;

    if (!gmsim_limits_read(&limits, given.rest[0], &error))
        code = cli_fail(NULL, error);
    else if (program != NULL)
        code = ask_trace(&limits, &gpu, program, report.trace = given.program);
    else if (synthetic != NULL)
        code = ask_trace(&limits, &gpu, NULL, report.trace = synthetic);
    else
        for (char **trace = given.rest + 1; code == CLI_DONE && *trace != NULL; trace++)
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
    const unsigned named = given.rest != NULL ? g_strv_length(given.rest) : 0;
    const bool other = given.program != NULL || given.synthetic != NULL;

    if (!cli_one_of("caches", given.caches, cli_caches))
        return false;
    if (given.program != NULL && given.synthetic != NULL) {
        cli_say("--run and --synthetic exclude each other");
        return false;
    }
    if (named == 0 || (named == 1 && !other)) {
        cli_say("check: no %s given; try 'gmsim check LIMITS.ini TRACE'",
                named == 0 ? "limits" : "trace");
        return false;
    }
    if (given.synthetic != NULL && named > 1) {
        cli_say("%s: --synthetic takes the place of a trace; give one of them", given.rest[1]);
        return false;
    }
    for (char **input = given.rest; *input != NULL; input++) {
        if (cli_output_is(given.output, *input) || cli_output_is(given.junit, *input)) {
            cli_say("%s: is what is read; name another file for %s", *input,
                    cli_output_is(given.junit, *input) ? "--junit" : "--output");
            return false;
        }
    }
    if (given.junit != NULL &&
        strcmp(given.junit, given.output != NULL ? given.output : "-") == 0) {
        cli_say("--junit %s: the table goes there; name another file", given.junit);
        return false;
    }
    return true;
}

int cli_check(int argc, char **argv)
{
    GOptionContext *context = g_option_context_new(NULL);
    const gmsim_format *format;
    int code = CLI_USAGE;

    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, description);
    g_option_context_add_main_entries(context, entries, NULL);
    if (cli_parse(context, entries, &argc, &argv) && check_options() &&
        (format = cli_format(given.format, given.output)) != NULL &&
        (format->limits != NULL || !cli_say_lacks(format, "limits")))
        code = given.program != NULL ? cli_program_follow(given.program, given.rest + 1, NULL,
                                                          check, (gpointer)format)
                                     : check(NULL, (gpointer)format);
    g_option_context_free(context);
    return code;
}
