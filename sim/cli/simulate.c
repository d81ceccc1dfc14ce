/* SPDX-License-Identifier: MIT
 *
 * simulate.c - `gmsim --trace F`: replays the launches asked for and reports each.
 */
#include "config.h"

#include "sim/cli/job.h"
#include "sim/cli/mistakes.h"
#include "sim/cli/plot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/api/samples.h"
#include "traces/synthetic/synthetic.h"

/* Lives as long as the process. */
static struct {
    char *plot, *timeline, *measured, *color, *source, *top, *sort, *checks;
    guint64 top_count;
    gboolean arrays, verbose, version;
} given;

/* --check, --check=LIST */
static gboolean take_checks(const char *name, const char *value, gpointer user, GError **error)
{
    (void)name, (void)user, (void)error;
    given.checks = g_strdup(value != NULL ? value : "all");
    return TRUE;
}

static const GOptionEntry entries[] = {
    {"check", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, (gpointer)take_checks,
     "With --run: do not simulate, look for mistakes in the program: memory, races, unwritten, "
     "barriers, leaks or all (default)",
     "LIST"},
    {"top", 0, 0, G_OPTION_ARG_FILENAME, &given.top,
     "Of many launches, show that many kernels and launches (default: one screen)", "N"},
    {"sort", 0, 0, G_OPTION_ARG_FILENAME, &given.sort,
     "Of many launches, order by: cycles (default), launches, dram.read or another metric", "KEY"},
    {"functional", 0, 0, G_OPTION_ARG_NONE, &cli_given.functional, "Count without timing: faster",
     NULL},
    {"arrays", 0, 0, G_OPTION_ARG_NONE, &given.arrays,
     "Traffic by allocation, too; with --format csv a row for each", NULL},
    {"measured", 'm', 0, G_OPTION_ARG_FILENAME, &given.measured,
     "With --format html: what Nsight Compute measured, beside what is predicted", "FILE.csv"},
    {"plot", 0, 0, G_OPTION_ARG_FILENAME, &given.plot,
     "Draw each launch into that folder, by running gnuplot: where its clocks go", "DIR"},
    {"timeline", 0, 0, G_OPTION_ARG_FILENAME, &given.timeline,
     "Write there, too, what happened when, for Perfetto: CTAs on SMs, waits, throughput, hit "
     "rates",
     "FILE.json"},
    {"source", 0, 0, G_OPTION_ARG_FILENAME, &given.source,
     "Show lines of source files below that folder, too, not only below the current one", "DIR"},
    {"verbose", 'v', 0, G_OPTION_ARG_NONE, &given.verbose,
     "All instructions, allocations, full reports of many launches", NULL},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &cli_given.quiet, "Only the verdict", NULL},
    {"color", 0, 0, G_OPTION_ARG_FILENAME, &given.color, "auto (default), always or never", "WHEN"},
    {"version", 'V', 0, G_OPTION_ARG_NONE, &given.version, "Print the version", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &cli_given.rest, NULL, "[TRACE]"},
    G_OPTION_ENTRY_NULL,
};

static const char summary[] =
    "Replays a trace of CUDA kernels on a model of a GPU's memory hierarchy and reports what\n"
    "Nsight Compute would count: requests, sectors, bank conflicts, hit rates, DRAM traffic.";

static const char description[] =
    "Commands:\n"
    "  gmsim gpus [NAME]         list the GPUs, or one GPU's numbers with their sources\n"
    "  gmsim sweep ...           vary sizes, GPUs, traces; one line for each combination\n"
    "  gmsim advise TRACE        what each cost, and each fix, is worth\n"
    "  gmsim compare A B         two traces, kernels or GPUs side by side\n"
    "  gmsim check LIMITS TRACE  hold launches to limits, for continuous integration\n"
    "  gmsim samples             list the traces that come with gmsim\n"
    "\n"
    "Examples:\n"
    "  gmsim --trace transpose.trc\n"
    "  gmsim transpose.trc --gpu a100 --set l2.size=20M\n"
    "  gmsim --synthetic transpose:n=1024,tile=32,pad=1\n"
    "  gmsim --run ./app --check\n"
    "  gmsim --trace app.trc --kernel 'gemm|softmax' --format json -o app.json\n"
    "\n"
    "Exit status: 0 done, 1 failed or damaged input, 2 usage, 3 mistakes found. gmsim(1) has the "
    "rest.\n";

static bool use_color(void)
{
    const char *no_color = g_getenv("NO_COLOR"), *term = g_getenv("TERM");

    if (given.color != NULL && strcmp(given.color, "auto") != 0)
        return strcmp(given.color, "always") == 0;
    return (cli_given.output == NULL || strcmp(cli_given.output, "-") == 0) &&
           isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == 0) && term != NULL &&
           strcmp(term, "dumb") != 0;
}

/* A lone word that is no file may be a mistyped command. */
static bool check_word(const char *word)
{
    static const char *const commands[] = {"advise", "gpus",    "compare", "sweep",
                                           "check",  "samples", NULL};
    const char *guess;

    char *sample = gmsim_sample_find(word);

    g_free(sample);
    if (sample != NULL || strpbrk(word, "./-") != NULL || g_file_test(word, G_FILE_TEST_EXISTS))
        return true;
    guess = cli_nearest(word, commands);
    if (guess != NULL)
        cli_say("%s: no such command or trace; did you mean '%s'?", word, guess);
    else
        cli_say("%s: no such command or trace; 'gmsim --help' shows what there is", word);
    return false;
}

static bool check_options(void)
{
    static const char *const colors[] = {"auto", "always", "never", NULL};

    if (cli_format(cli_given.format, cli_given.output) == NULL ||
        !cli_one_of("color", given.color, colors))
        return false;
    if (given.top != NULL &&
        !g_ascii_string_to_unsigned(given.top, 10, 1, G_MAXINT, &given.top_count, NULL)) {
        cli_say("--top %s: must be a whole number from 1", given.top);
        return false;
    }
    if (cli_given.quiet && given.verbose) {
        cli_say("--quiet and --verbose exclude each other");
        return false;
    }
    if (given.checks != NULL && cli_given.program == NULL) {
        cli_say("--check: looks for mistakes in a program; name it with --run PROGRAM");
        return false;
    }
    if (given.checks != NULL && !cli_check_words(given.checks))
        return false;
    if (cli_given.program == NULL && cli_given.trace == NULL && cli_given.rest != NULL &&
        !check_word(cli_given.rest[0]))
        return false;
    return cli_job_input(NULL);
}

/* timeline: a second report, or NULL. */
static int replay(gmsim_simulation *simulation, gmsim_report *timeline)
{
    const gmsim_format *over_time = gmsim_format_find("timeline");
    const gmsim_report *report = &simulation->report;
    cli_progress progress;
    GError *error = NULL;
    gint64 begun = g_get_monotonic_time(), spent;
    bool done = true, drawn = true;
    int code = CLI_DONE;

    cli_progress_init(&progress, !cli_given.quiet);
    gmsim_simulation_begin(simulation);
    if (timeline != NULL)
        over_time->begin(timeline);
    while (done && gmsim_simulation_pending(simulation) && !ferror(report->out)) {
        char *what = g_strdup_printf("launch %u of %u", simulation->begun + 1, simulation->replays);
        const gmsim_result *result;
        uint32_t index;

        cli_progress_begin(&progress, what, simulation->passed, simulation->expected);
        done = gmsim_simulation_step(simulation, &result, &index, cli_progress_update, &progress,
                                     &error);
        cli_progress_end(&progress);
        g_free(what);
        if (done && result != NULL && timeline != NULL)
            over_time->launch(timeline, index, result);
        if (done && drawn && result != NULL && given.plot != NULL)
            drawn = cli_plot_launch(given.plot, index, result);
    }
    /* A failed write is said when the output is closed. */
    if (!gmsim_simulation_end(simulation, done && !ferror(report->out), done ? &error : NULL))
        done = false;
    if (timeline != NULL)
        over_time->end(timeline, done);
    spent = g_get_monotonic_time() - begun;
    if (error != NULL)
        code = cli_fail(NULL, error);
    else if (ferror(report->out) || !drawn)
        code = CLI_FAILED;
    else if (given.verbose)
        cli_say("%" G_GUINT64_FORMAT " records in %.3f s (%.2f M/s)", simulation->records,
                (double)spent / 1e6, (double)simulation->records / (double)MAX(spent, 1));
    return code;
}

/* Replays, with a timeline in a file of its own where one is asked for. */
static int replay_all(gmsim_simulation *simulation, gpointer unused)
{
    gmsim_report timeline;
    cli_output output;
    int code;

    (void)unused;
    simulation->report.color = use_color();
    timeline = simulation->report;
    if (given.plot != NULL && !cli_plot_folder(given.plot))
        return CLI_FAILED;
    if (given.timeline == NULL)
        return replay(simulation, NULL);
    if (!cli_output_open(&output, given.timeline))
        return CLI_FAILED;
    timeline.out = output.file;
    simulation->timeline = true;
    code = replay(simulation, &timeline);
    if (!cli_output_close(&output, code == CLI_DONE) && code == CLI_DONE)
        code = CLI_FAILED;
    return code;
}

/* Whether --plot and --timeline can be had, and where. */
static bool check_extras(void)
{
    const char *times = given.timeline != NULL ? "--timeline: shows"
                        : given.plot != NULL   ? "--plot: draws"
                                               : NULL;
    const char *output = cli_given.output;

    if (times != NULL && cli_given.functional) {
        cli_say("%s times, which --functional leaves out", times);
        return false;
    }
    if (given.timeline != NULL && strcmp(given.timeline, output != NULL ? output : "-") == 0) {
        cli_say("--timeline %s: the report goes there; name another file", given.timeline);
        return false;
    }
    return cli_job_spares("--timeline", given.timeline, given.measured) &&
           cli_job_spares("--output", output, given.measured);
}

static int run(void)
{
    gmsim_job job = cli_job();

    if (!check_extras())
        return CLI_USAGE;
    job.format = cli_format(cli_given.format, cli_given.output)->name;
    job.verbose = given.verbose;
    job.source = given.source;
    job.top = (unsigned)given.top_count;
    job.sort = given.sort;
    job.arrays = given.arrays;
    job.measured = given.measured;
    return cli_job_run(&job, replay_all, NULL);
}

static int look_for_mistakes(void)
{
    const cli_mistakes_job job = {.program = cli_given.program,
                                  .arguments = cli_given.rest,
                                  .checks = given.checks,
                                  .format = cli_given.format,
                                  .output = cli_given.output,
                                  .source = given.source};

    return cli_mistakes(&job);
}

/* --synthetic help, and --synthetic PATTERN:help. */
static bool wants_patterns(void)
{
    return cli_given.synthetic != NULL && (strcmp(cli_given.synthetic, "help") == 0 ||
                                           g_str_has_suffix(cli_given.synthetic, ":help"));
}

static int print_patterns(void)
{
    char *colon = strchr(cli_given.synthetic, ':'), *text;

    if (colon != NULL)
        *colon = 0;
    text = gmtrace_synthetic_help(colon != NULL ? cli_given.synthetic : NULL);
    if (text == NULL) {
        cli_say("--synthetic %s: no such pattern; '--synthetic help' lists them",
                cli_given.synthetic);
        return CLI_USAGE;
    }
    fputs(text, stdout);
    free(text);
    return cli_flush(CLI_DONE);
}

int cli_simulate(int argc, char **argv)
{
    static const GOptionEntry *const tables[] = {
        cli_input_entries, cli_gpu_entries, cli_replay_entries, cli_output_entries, entries, NULL};

    if (!cli_parse(summary, description, tables, &argc, &argv))
        return CLI_USAGE;
    if (given.version) {
        puts("gmsim " PACKAGE_VERSION);
        return cli_flush(CLI_DONE);
    }
    if (wants_patterns())
        return print_patterns();
    if (!check_options())
        return CLI_USAGE;
    return given.checks != NULL ? look_for_mistakes() : run();
}
