/* SPDX-License-Identifier: MIT
 *
 * sweep.c - `gmsim sweep`: one simulation for every combination of traces, GPUs and settings, and a
 * table of what comes of it. Options here; points, processes and tables in files of their own.
 */
#include "config.h"

#include "sim/cli/job.h"
#include "sim/cli/plot.h"
#include "sim/cli/sweep.h"

#include <string.h>

#include "sim/analysis/metrics.h"
#include "sim/report/report.h"

/* Shown where none is chosen. */
static const char *const default_metrics[] = {"cycles",     "sectors",  "wavefronts", "l1-hit",
                                              "l2-read",    "l2-write", "l2-hit",     "dram-read",
                                              "dram-write", "occupancy"};

/* Lives as long as the process. */
static struct {
    char **traces, **synthetic, **programs, **gpus, **sets, **metrics;
    char *jobs, *plot, *task_id, *task_count;
    gboolean plan, keep_going;
} given;

static const GOptionEntry entries[] = {
    {"trace", 't', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.traces, "Trace to replay; repeatable",
     "FILE"},
    {"synthetic", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.synthetic,
     "Pattern in place of a trace, with values in braces: 'banks:stride={1..32*2}'; repeatable",
     "PATTERN"},
    {"run", 'r', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.programs,
     "Run a program built with gmcc, natively and with your rights; its arguments follow --, with "
     "values in braces: -- {256..4096*2}; repeatable",
     "PROGRAM"},
    {"gpu", 'g', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.gpus, "GPUs (default h200)", "NAME,..."},
    {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.sets,
     "Values of one number of the GPU: l1.size=256K,512K or l2.size=20M..60M:10M; repeatable",
     "KEY=VALUE,..."},
    {"metric", 'm', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.metrics,
     "Show this one: ncu's name or a short one; repeatable; 'all' for all", "NAME,..."},
    {"functional", 0, 0, G_OPTION_ARG_NONE, &cli_given.functional, "Count without timing: faster",
     NULL},
    {"jobs", 'j', 0, G_OPTION_ARG_FILENAME, &given.jobs,
     "Points simulated at once (default: one a processor)", "N"},
    {"plot", 0, 0, G_OPTION_ARG_FILENAME, &given.plot,
     "Draw the sweep into that folder, by running gnuplot: a panel a metric", "DIR"},
    {"plan", 0, 0, G_OPTION_ARG_NONE, &given.plan, "Print the points and simulate nothing", NULL},
    {"keep-going", 0, 0, G_OPTION_ARG_NONE, &given.keep_going,
     "Leave out points that fail, and go on", NULL},
    {"task-id", 0, 0, G_OPTION_ARG_FILENAME, &given.task_id,
     "With --task-count, only every N-th point, from this one on, counted from 0", "I"},
    {"task-count", 0, 0, G_OPTION_ARG_FILENAME, &given.task_count, "How many tasks share the sweep",
     "N"},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &cli_given.quiet, "No progress", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &cli_given.rest, NULL, "[TRACE...]"},
    G_OPTION_ENTRY_NULL,
};

static const char summary[] =
    "Simulates every combination of traces, GPUs and settings, and prints one line for each.";

static const char description[] =
    "Examples:\n"
    "  gmsim sweep --trace F --set l1.size=256K..1M*2 --set l2.size=25M,50M\n"
    "  gmsim sweep --synthetic 'banks:stride={1,2,4,8,16,32}' --metric cycles,wavefronts\n"
    "  gmsim sweep --run ./saxpy --set l2.size=20M,60M -- {64K..1M*4}\n"
    "  gmsim sweep --trace F --gpu h200,a100 -j 4 -o sweep.csv\n";

static void say_unknown(const char *name)
{
    GPtrArray *names = g_ptr_array_new();
    const char *guess;

    for (unsigned i = 0; i < gmsim_metric_all; i++) {
        const gmsim_metric *m = &gmsim_metrics[i];
        const char *const of[] = {m->word, m->key, m->name};

        for (unsigned k = 0; k < G_N_ELEMENTS(of); k++) {
            if (of[k] != NULL)
                g_ptr_array_add(names, (gpointer)of[k]);
        }
    }
    g_ptr_array_add(names, NULL);
    guess = cli_nearest(name, (const char *const *)names->pdata);
    if (guess != NULL)
        cli_say("--metric %s: did you mean %s?", name, guess);
    else
        cli_say("--metric %s: no such metric; gmsim(1) lists them", name);
    g_ptr_array_unref(names);
}

static bool add_metric(GArray *metrics, const char *name)
{
    int index = gmsim_metric_find(name);
    bool all = strcmp(name, "all") == 0;

    for (unsigned i = 0; all && i < gmsim_metric_count; i++)
        g_array_append_val(metrics, i);
    if (!all && index >= 0)
        g_array_append_val(metrics, index);
    if (!all && index < 0)
        say_unknown(name);
    return all || index >= 0;
}

static bool choose_metrics(gmsim_sweep *sweep)
{
    sweep->metrics = g_array_new(FALSE, FALSE, sizeof(unsigned));
    sweep->chosen = given.metrics != NULL;
    for (char **list = given.metrics; list != NULL && *list != NULL; list++) {
        char **names = g_strsplit(*list, ",", -1);
        bool good = true;

        for (char **name = names; good && *name != NULL; name++)
            good = add_metric(sweep->metrics, *name);
        g_strfreev(names);
        if (!good)
            return false;
    }
    for (unsigned i = 0; !sweep->chosen && i < G_N_ELEMENTS(default_metrics); i++)
        (void)add_metric(sweep->metrics, default_metrics[i]);
    return true;
}

static bool choose_share(sweep_study *study)
{
    guint64 id = 0, count = 1, jobs = g_get_num_processors();

    if ((given.task_id == NULL) != (given.task_count == NULL)) {
        cli_say("--task-id and --task-count belong together");
        return false;
    }
    if (!cli_count("task-count", given.task_count, 1, G_MAXUINT32, &count) ||
        !cli_count("task-id", given.task_id, 0, count - 1, &id) ||
        !cli_count("jobs", given.jobs, 1, 1024, &jobs))
        return false;
    study->sweep.first = id;
    study->sweep.step = count;
    study->processes = (unsigned)jobs;
    return true;
}

/* Whether --output is no trace, program or GPU of the sweep's; says which it is. */
static bool is_spared(const sweep_plan *plan)
{
    GPtrArray *read = g_ptr_array_new();
    bool spared = true;

    for (unsigned i = 0; i < plan->synthetic; i++)
        g_ptr_array_add(read, plan->traces->pdata[i]);
    for (unsigned i = 0; i < plan->commands->len; i++)
        g_ptr_array_add(read, ((char **)plan->commands->pdata[i])[0]);
    g_ptr_array_extend(read, plan->gpus, NULL, NULL);
    for (unsigned i = 0; spared && i < read->len; i++)
        spared = cli_job_spares("--output", cli_given.output, read->pdata[i]);
    g_ptr_array_unref(read);
    return spared;
}

static bool prepare(sweep_study *study)
{
    char **lone = given.programs != NULL ? NULL : cli_given.rest;
    const sweep_texts texts = {.traces = lone != NULL ? lone : given.traces,
                               .lines = given.synthetic,
                               .programs = given.programs,
                               .arguments = given.programs != NULL ? cli_given.rest : NULL,
                               .gpus = given.gpus,
                               .sets = given.sets};

    if (lone != NULL && given.traces != NULL) {
        cli_say("%s: write --trace before every trace, or before none", *lone);
        return false;
    }
    if (!cli_job_threads())
        return false;
    study->job = cli_job();
    study->quiet = cli_given.quiet;
    study->keep_going = given.keep_going;
    if (!cli_one_of("caches", cli_given.caches, cli_caches) || !choose_metrics(&study->sweep) ||
        !choose_share(study) || !sweep_plan_make(&study->plan, &texts) ||
        !(given.keep_going || sweep_plan_check(&study->plan, study->job.plugin)))
        return false;
    study->sweep.columns = sweep_plan_columns(&study->plan);
    study->sweep.count = study->plan.count;
    if (study->job.threads == 0) /* what the processes leave over */
        study->job.threads = (unsigned)MAX(1, g_get_num_processors() /
                                                  MAX(1, MIN(study->processes, study->plan.count)));
    study->sweep.value = sweep_plan_value;
    study->sweep.plan = &study->plan;
    if (!is_spared(&study->plan))
        return false;
    return given.plot == NULL || given.plan || sweep_plot_able(&study->sweep);
}

/* With a line's braces filled in its own text. */
static void write_plan(const gmsim_sweep *sweep, FILE *out)
{
    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        fprintf(out, "%" G_GUINT64_FORMAT, i);
        for (unsigned k = 0; k < sweep->columns->len; k++) {
            const gmsim_sweep_column *column =
                &g_array_index(sweep->columns, gmsim_sweep_column, k);

            if (column->kind != GMSIM_SWEEP_BRACES)
                fprintf(out, " %s=%s", column->name, sweep->value(sweep->plan, i, column));
        }
        fputc('\n', out);
    }
}

static int run(void)
{
    const gmsim_format *format = cli_format(cli_given.format, cli_given.output);
    gmsim_report report = {.version = PACKAGE_VERSION};
    sweep_study study = {0};
    cli_output output = {0};
    int code = CLI_USAGE;

    if (format != NULL && (format->sweep != NULL || !cli_say_lacks(format, "sweeps")) &&
        prepare(&study)) {
        const char *plot = given.plan ? NULL : given.plot;
        bool whole = given.plan, able = plot == NULL || cli_plot_folder(plot);

        code = able ? CLI_DONE : CLI_FAILED;
        if (able && !whole)
            whole = sweep_run(&study, &code) || study.keep_going;
        if (whole && !cli_output_open(&output, cli_given.output)) {
            code = CLI_FAILED;
        } else if (whole) {
            report.out = output.file;
            if (given.plan)
                write_plan(&study.sweep, output.file);
            else
                format->sweep(&report, &study.sweep);
            if (!cli_output_close(&output, true))
                code = CLI_FAILED;
            if (plot != NULL && !sweep_plot(&study.sweep, plot))
                code = CLI_FAILED;
        }
    }
    sweep_results_free(&study);
    if (study.sweep.columns != NULL)
        g_array_unref(study.sweep.columns);
    sweep_plan_clear(&study.plan);
    if (study.sweep.metrics != NULL)
        g_array_unref(study.sweep.metrics);
    return code;
}

int cli_sweep(int argc, char **argv)
{
    static const GOptionEntry *const tables[] = {entries, cli_replay_entries, cli_output_entries,
                                                 NULL};
    char *jobs = NULL;
    int code = CLI_USAGE;

    for (int i = 1; i < argc && jobs == NULL && strcmp(argv[i], "--") != 0; i++) {
        /* -j4, which GOption would not take */
        if (g_str_has_prefix(argv[i], "-j") && g_ascii_isdigit(argv[i][2]))
            argv[i] = jobs = g_strdup_printf("--jobs=%s", argv[i] + 2);
    }
    if (cli_parse(summary, description, tables, &argc, &argv))
        code = run();
    g_free(jobs);
    return code;
}
