/* SPDX-License-Identifier: MIT
 *
 * advise.c - `gmsim advise TRACE`: what each cost, and each fix, is worth.
 */
#include "config.h"

#include "sim/cli/job.h"

#include "sim/api/advise.h"

/* Lives as long as the process. */
static char *only;

static const GOptionEntry entries[] = {
    {"only", 0, 0, G_OPTION_ARG_FILENAME, &only, "Try only these changes, by their keys (below)",
     "KEY,..."},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &cli_given.quiet, "No progress", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &cli_given.rest, NULL, "[TRACE]"},
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

typedef struct study {
    const gmsim_format *format;
    uint32_t wanted; /* changes, a bit each */
} study;

static int advise(gmsim_simulation *simulation, gpointer data)
{
    const study *s = data;
    gmsim_advice advice;
    replays r = {.what = NULL};
    GError *error = NULL;

    cli_progress_init(&r.progress, !cli_given.quiet);
    gmsim_advice_init(&advice, s->wanted);
    if (gmsim_advise_run(simulation, &advice, begin, cli_progress_update, &r, &error) &&
        gmsim_simulation_damage(simulation, &error))
        s->format->advise(&simulation->report, &advice);
    cli_progress_end(&r.progress);
    g_free(r.what);
    gmsim_advice_clear(&advice);
    return error != NULL ? cli_fail(NULL, error) : CLI_DONE;
}

static bool check_options(study *s)
{
    g_autofree char *wrong = NULL;

    s->wanted = GMSIM_CHANGES_ALL;
    if (only != NULL && !gmsim_advice_read(only, &s->wanted, &wrong)) {
        cli_say("--only %s: '%s' is no change; 'gmsim advise --help' lists them", only, wrong);
        return false;
    }
    s->format = cli_format(cli_given.format, cli_given.output);
    return cli_job_input("advise") && s->format != NULL &&
           (s->format->advise != NULL || !cli_say_lacks(s->format, "advice"));
}

int cli_advise(int argc, char **argv)
{
    static const GOptionEntry *const tables[] = {
        cli_input_entries, cli_gpu_entries, cli_replay_entries, cli_output_entries, entries, NULL};
    g_autofree char *changes = description();
    gmsim_job job;
    study s;

    if (!cli_parse(summary, changes, tables, &argc, &argv) || !check_options(&s))
        return CLI_USAGE;
    job = cli_job();
    return cli_job_run(&job, advise, &s);
}
