/* SPDX-License-Identifier: MIT
 *
 * advise.c - `gmsim advise TRACE`: what each cost, and each fix, is worth.
 */
#include "config.h"

#include "sim/cli/cli.h"

#include <signal.h>

#include "sim/api/advise.h"

/* Lives as long as the process. */
static struct {
    char *trace, *program, *synthetic, *gpu, *kernel, *launch, *launches, *only, *format, *output,
        *caches, *limit_memory;
    char **set, **rest;
    gboolean flush, quiet;
} given;

static const GOptionEntry entries[] = {
    {"trace", 't', 0, G_OPTION_ARG_FILENAME, &given.trace, "Trace to replay; - is standard input",
     "FILE"},
    {"run", 'r', 0, G_OPTION_ARG_FILENAME, &given.program,
     "Run a program built with gmcc, natively and with your rights, and look at what it launches; "
     "its arguments follow --",
     "PROGRAM"},
    {"synthetic", 's', 0, G_OPTION_ARG_FILENAME, &given.synthetic,
     "In place of a trace, a pattern of accesses", "PATTERN[:KEY=VALUE,...]"},
    {"gpu", 'g', 0, G_OPTION_ARG_FILENAME, &given.gpu, "GPU to replay it on (default h200)",
     "NAME|FILE.ini"},
    {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.set,
     "Change one number of the GPU: l1.size=192K; repeatable", "KEY=VALUE"},
    {"kernel", 'k', 0, G_OPTION_ARG_FILENAME, &given.kernel,
     "Only launches whose kernel name matches", "REGEX"},
    {"launch", 'n', 0, G_OPTION_ARG_FILENAME, &given.launch,
     "Only launch number N of the trace, from 0", "N"},
    {"launches", 'l', 0, G_OPTION_ARG_FILENAME, &given.launches,
     "Only these launches: 3, 0-7 or 2,5-8,100-", "LIST"},
    {"only", 0, 0, G_OPTION_ARG_FILENAME, &given.only,
     "Try only these changes, by their keys (below)", "KEY,..."},
    {"format", 'f', 0, G_OPTION_ARG_FILENAME, &given.format,
     "One of" GMSIM_FORMAT_WORDS " (default: by --output's ending, else text)", "FORMAT"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &given.output, "Write there, not to standard output",
     "FILE"},
    {"limit-memory", 0, 0, G_OPTION_ARG_FILENAME, &given.limit_memory,
     "what a trace may make the reader take (default 1G)", "SIZE"},
    {"caches", 0, 0, G_OPTION_ARG_FILENAME, &given.caches,
     "cold (default) or warm, as for a report", "cold|warm"},
    {"flush", 0, 0, G_OPTION_ARG_NONE, &given.flush, "Empty L2 before every launch, as ncu does",
     NULL},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet, "No progress", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.rest, NULL, "[TRACE]"},
    G_OPTION_ENTRY_NULL,
};

static const char summary[] =
    "What would it be worth? Replays a trace with one cost gone at a time, and with each fix that\n"
    "applies, and says how many cycles that saves at most, the largest saving first.";

static char *description(void)
{
    GString *text = g_string_new("Changes:\n");

    for (unsigned i = 0; i < GMSIM_CHANGES; i++)
        g_string_append_printf(text, "  %-18s %-5s %s\n", gmsim_change_table[i].key,
                               gmsim_change_table[i].fix ? "fix" : "ideal",
                               gmsim_change_table[i].name);
    g_string_append(text, "\n"
                          "Examples:\n"
                          "  gmsim advise transpose_nopad.trc\n"
                          "  gmsim advise app.trc --kernel reduce --only pad,float4\n"
                          "\n"
                          "Exit status: 0 done, 1 failed or damaged input, 2 usage.\n");
    return g_string_free(text, FALSE);
}

typedef struct replays {
    cli_progress progress;
    char *what;
} replays;

static void begin(unsigned number, unsigned count, const char *change, gpointer data)
{
    replays *r = data;

    cli_progress_end(&r->progress);
    g_free(r->what);
    r->what = change == NULL ? g_strdup("as it is")
                             : g_strdup_printf("%s, replay %u of %u", change, number, count);
    cli_progress_begin(&r->progress, r->what, 0, 1);
}

static int advise(gmsim_simulation *simulation, const gmsim_format *format, uint32_t wanted)
{
    gmsim_advice advice;
    replays r = {.what = NULL};
    GError *error = NULL;
    int code = CLI_DONE;

    cli_progress_init(&r.progress, !given.quiet);
    gmsim_advice_init(&advice, wanted);
    if (gmsim_advise_run(simulation, &advice, begin, cli_progress_update, &r, &error) &&
        gmsim_simulation_damage(simulation, &error))
        format->advise(&simulation->report, &advice);
    cli_progress_end(&r.progress);
    g_free(r.what);
    gmsim_advice_clear(&advice);
    if (error != NULL)
        code = cli_fail(NULL, error);
    return code;
}

static int run(const gmsim_format *format, uint32_t wanted)
{
    const gmsim_job job = {.size = sizeof job,
                           .trace = given.trace,
                           .synthetic = given.synthetic,
                           .gpu = given.gpu,
                           .set = (const char *const *)given.set,
                           .kernel = given.kernel,
                           .launch = given.launch,
                           .launches = given.launches,
                           .caches = given.caches,
                           .limit_memory = given.limit_memory,
                           .flush = given.flush};
    gmsim_simulation simulation;
    cli_output output = {0};
    GError *error = NULL;
    int code = CLI_FAILED;

    if (!gmsim_simulation_open(&simulation, &job, "--", &error)) {
        code = cli_fail(NULL, error);
    } else if (cli_output_open(&output, given.output)) {
        simulation.report.out = output.file;
        if (given.program != NULL)
            simulation.report.trace = given.program;
        code = advise(&simulation, format, wanted);
        if (!cli_output_close(&output, code == CLI_DONE) && code == CLI_DONE)
            code = CLI_FAILED;
    }
    gmsim_simulation_close(&simulation);
    return code;
}

static int run_program(const gmsim_format *format, uint32_t wanted)
{
    const bool temporary = given.trace == NULL;
    int code = CLI_FAILED, ended = 0;

    if (temporary)
        given.trace = cli_program_trace();
    if (given.trace != NULL && cli_program_run(given.program, given.rest, given.trace, &ended))
        code = run(format, wanted);
    if (temporary && given.trace != NULL)
        cli_program_forget(given.trace);
    if (ended != 0) {
        signal(ended, SIG_DFL);
        raise(ended);
    }
    return code;
}

static bool check_options(uint32_t *wanted)
{
    unsigned named = given.rest != NULL ? g_strv_length(given.rest) : 0;
    g_autofree char *wrong = NULL;

    *wanted = GMSIM_CHANGES_ALL;
    if (given.only != NULL && !gmsim_advice_read(given.only, wanted, &wrong)) {
        cli_say("--only %s: '%s' is no change; 'gmsim advise --help' lists them", given.only,
                wrong);
        return false;
    }
    if (!cli_one_of("caches", given.caches, cli_caches))
        return false;
    if (given.program != NULL && given.synthetic != NULL) {
        cli_say("--run and --synthetic exclude each other");
        return false;
    }
    if (given.program != NULL)
        return true; /* what is left over is the program's */
    if (named + (given.trace != NULL) + (given.synthetic != NULL) > 1u) {
        cli_say("advise: one trace at a time");
        return false;
    }
    if (named == 1)
        given.trace = g_strdup(given.rest[0]);
    if (given.trace == NULL && given.synthetic == NULL) {
        cli_say("advise: no trace given; try 'gmsim advise FILE'");
        return false;
    }
    return true;
}

int cli_advise(int argc, char **argv)
{
    GOptionContext *context = g_option_context_new(NULL);
    char *changes = description();
    const gmsim_format *format;
    uint32_t wanted;
    int code = CLI_USAGE;

    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, changes);
    g_option_context_add_main_entries(context, entries, NULL);
    if (cli_parse(context, entries, &argc, &argv) && check_options(&wanted) &&
        (format = cli_format(given.format, given.output)) != NULL &&
        (format->advise != NULL || !cli_say_lacks(format, "advice")))
        code = given.program != NULL ? run_program(format, wanted) : run(format, wanted);
    g_option_context_free(context);
    g_free(changes);
    return code;
}
