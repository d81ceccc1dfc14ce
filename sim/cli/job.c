/* SPDX-License-Identifier: MIT
 *
 * job.c - the options that commands share: what is replayed, on what, and where the answer goes.
 */
#include "config.h"

#include "sim/cli/job.h"

#include <string.h>

cli_job_options cli_given;

const GOptionEntry cli_input_entries[] = {
    {"trace", 't', 0, G_OPTION_ARG_FILENAME, &cli_given.trace,
     "Trace to replay; - is standard input", "FILE"},
    {"run", 'r', 0, G_OPTION_ARG_FILENAME, &cli_given.program,
     "Run a program built with gmcc, natively and with your rights, and replay what it launches; "
     "its arguments follow --",
     "PROGRAM"},
    {"synthetic", 's', 0, G_OPTION_ARG_FILENAME, &cli_given.synthetic,
     "In place of a trace, a pattern of accesses; `gmsim --synthetic help` lists them",
     "PATTERN[:KEY=VALUE,...]"},
    G_OPTION_ENTRY_NULL,
};

const GOptionEntry cli_gpu_entries[] = {
    {"gpu", 'g', 0, G_OPTION_ARG_FILENAME, &cli_given.gpu,
     "GPU to replay on (default h200; `gmsim gpus` lists them)", "NAME|FILE.ini"},
    {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &cli_given.set,
     "Change one number of the GPU: l1.size=192K; repeatable", "KEY=VALUE"},
    G_OPTION_ENTRY_NULL,
};

const GOptionEntry cli_replay_entries[] = {
    {"plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &cli_given.plugins,
     "Shared object with a policy of yours, which --set then names; repeatable", "FILE.so"},
    {"kernel", 'k', 0, G_OPTION_ARG_FILENAME, &cli_given.kernel,
     "Only launches whose kernel name matches", "REGEX"},
    {"launch", 'n', 0, G_OPTION_ARG_FILENAME, &cli_given.launch,
     "Only launch number N of the trace, from 0", "N"},
    {"launches", 'l', 0, G_OPTION_ARG_FILENAME, &cli_given.launches,
     "Only these launches: 3, 0-7 or 2,5-8,100-", "LIST"},
    {"caches", 0, 0, G_OPTION_ARG_FILENAME, &cli_given.caches,
     "cold (default: empty before the first launch) or warm (each replayed once before counting)",
     "cold|warm"},
    {"flush", 0, 0, G_OPTION_ARG_NONE, &cli_given.flush,
     "Empty L2 before every launch, as ncu does; else it keeps what the launch before left", NULL},
    {"limit-memory", 0, 0, G_OPTION_ARG_FILENAME, &cli_given.limit_memory,
     "What a trace may make the reader take (default 1G)", "SIZE"},
    {"threads", 0, 0, G_OPTION_ARG_FILENAME, &cli_given.threads,
     "Threads that replay a launch; the result is the same (default: one a processor, 8 at most)",
     "N"},
    G_OPTION_ENTRY_NULL,
};

const GOptionEntry cli_output_entries[] = {
    {"format", 'f', 0, G_OPTION_ARG_FILENAME, &cli_given.format,
     "One of" GMSIM_FORMAT_WORDS " (default: by --output's ending, else text)", "FORMAT"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &cli_given.output,
     "Write there instead of standard output", "FILE"},
    G_OPTION_ENTRY_NULL,
};

static guint64 threads; /* 0: not given */

bool cli_job_threads(void)
{
    return cli_count("threads", cli_given.threads, 1, GMSIM_MOST_THREADS, &threads);
}

bool cli_job_input(const char *command)
{
    const unsigned named = cli_given.rest != NULL ? g_strv_length(cli_given.rest) : 0;

    if (!cli_one_of("caches", cli_given.caches, cli_caches) || !cli_job_threads())
        return false;
    if (cli_given.program != NULL && cli_given.synthetic != NULL) {
        cli_say("--run and --synthetic exclude each other");
        return false;
    }
    if (cli_given.program != NULL) /* what is left over is the program's */
        return cli_job_spares("--trace", cli_given.trace, NULL) &&
               cli_job_spares("--output", cli_given.output, NULL);
    if (named > 1 || (named == 1 && cli_given.trace != NULL)) {
        cli_say("%s: one trace at a time", cli_given.rest[named - 1]);
        return false;
    }
    if (named == 1)
        cli_given.trace = g_strdup(cli_given.rest[0]);
    if (cli_given.synthetic != NULL && cli_given.trace != NULL) {
        cli_say("%s: --synthetic takes the place of a trace; give one of them", cli_given.trace);
        return false;
    }
    if (cli_given.synthetic == NULL && cli_given.trace == NULL) {
        if (command != NULL)
            cli_say("%s: no trace given; try 'gmsim %s FILE'", command, command);
        else
            cli_say("no trace given; try 'gmsim --trace FILE' or 'gmsim --help'");
        return false;
    }
    return cli_job_spares("--output", cli_given.output, NULL);
}

/* A program's trace is yet to come: no file tells that it is the output. */
static bool will_be(const char *path)
{
    char *output, *trace;
    bool same;

    if (cli_given.program == NULL || cli_given.trace == NULL || path == NULL)
        return false;
    output = g_canonicalize_filename(path, NULL);
    trace = g_canonicalize_filename(cli_given.trace, NULL);
    same = strcmp(path, "-") != 0 && strcmp(output, trace) == 0;
    g_free(output);
    g_free(trace);
    return same;
}

static bool is_other(const char *option, const char *path, const char *input)
{
    if (!cli_output_is(path, input) && !(input == cli_given.trace && will_be(path)))
        return true;
    cli_say("%s: is what is read; name another file for %s", input, option);
    return false;
}

bool cli_job_spares(const char *option, const char *path, const char *more)
{
    char **const lists[] = {cli_given.plugins, cli_given.rest};
    bool spared = is_other(option, path, cli_given.program) &&
                  is_other(option, path, cli_given.gpu) && is_other(option, path, more);

    if (spared && path != cli_given.trace) /* a program's is --trace itself */
        spared = is_other(option, path, cli_given.trace);
    for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++) {
        for (char **file = lists[i]; spared && file != NULL && *file != NULL; file++)
            spared = is_other(option, path, *file);
    }
    return spared;
}

gmsim_job cli_job(void)
{
    return (gmsim_job){.size = sizeof(gmsim_job),
                       .trace = cli_given.trace,
                       .synthetic = cli_given.synthetic,
                       .gpu = cli_given.gpu,
                       .set = (const char *const *)cli_given.set,
                       .plugin = (const char *const *)cli_given.plugins,
                       .kernel = cli_given.kernel,
                       .launch = cli_given.launch,
                       .launches = cli_given.launches,
                       .caches = cli_given.caches,
                       .limit_memory = cli_given.limit_memory,
                       .flush = cli_given.flush,
                       .functional = cli_given.functional,
                       .threads = (unsigned)threads};
}

typedef struct run {
    gmsim_job job;
    int (*use)(gmsim_simulation *simulation, gpointer data);
    gpointer data;
} run;

/* trace: NULL for a synthetic one */
static int replay(const char *trace, gpointer data)
{
    const run *r = data;
    gmsim_job job = r->job;
    gmsim_simulation simulation;
    cli_output output = {0};
    GError *error = NULL;
    int code = CLI_FAILED;

    job.trace = trace;
    if (!gmsim_simulation_open(&simulation, &job, "--", &error)) {
        code = cli_fail(NULL, error);
    } else if (cli_output_open(&output, cli_given.output)) {
        simulation.report.out = output.file;
        simulation.report.quiet = cli_given.quiet;
        if (cli_given.program != NULL)
            simulation.report.trace = cli_given.program;
        code = r->use(&simulation, r->data);
        if (!cli_output_close(&output, code == CLI_DONE) && code == CLI_DONE)
            code = CLI_FAILED;
    }
    gmsim_simulation_close(&simulation);
    return code;
}

int cli_job_run(const gmsim_job *job, int (*use)(gmsim_simulation *simulation, gpointer data),
                gpointer data)
{
    run r = {*job, use, data};

    if (cli_given.program != NULL)
        return cli_program_follow(cli_given.program, cli_given.rest, cli_given.trace, replay, &r);
    return replay(cli_given.trace, &r);
}
