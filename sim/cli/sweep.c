/* SPDX-License-Identifier: MIT
 *
 * sweep.c - `gmsim sweep`: one simulation for every combination of traces, GPUs and settings, and a
 * table of what comes of it. Options here; points, processes and tables in files of their own.
 */
#include "config.h"

#include "sim/cli/sweep.h"

#include <string.h>

#include "sim/analysis/metrics.h"

static struct {
    char **traces, **synthetic, **gpus, **sets, **metrics, **rest;
    char *kernel, *launch, *caches, *format, *output, *jobs, *task_id, *task_count;
    gboolean flush, functional, plan, keep_going, quiet;
} given;

static const GOptionEntry entries[] = {
    {"trace", 't', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.traces, "Trace to replay; repeatable",
     "FILE"},
    {"synthetic", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.synthetic,
     "Pattern in place of a trace, with values in braces: 'banks:stride={1..32*2}'; repeatable",
     "PATTERN"},
    {"gpu", 'g', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.gpus, "GPUs (default h200)", "NAME,..."},
    {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.sets,
     "Values of one number of the GPU: l1.size=256K,512K or l2.size=20M..60M:10M; repeatable",
     "KEY=VALUE,..."},
    {"metric", 'm', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.metrics,
     "Show this one: ncu's name or a short one; repeatable; 'all' for all", "NAME,..."},
    {"kernel", 'k', 0, G_OPTION_ARG_FILENAME, &given.kernel,
     "Only launches whose kernel name matches", "REGEX"},
    {"launch", 'n', 0, G_OPTION_ARG_FILENAME, &given.launch,
     "Only launch number N of each trace, from 0", "N"},
    {"caches", 0, 0, G_OPTION_ARG_FILENAME, &given.caches,
     "cold (default: empty before the first launch) or warm (each replayed once before counting)",
     "cold|warm"},
    {"flush", 0, 0, G_OPTION_ARG_NONE, &given.flush, "Empty L2 before every launch, as ncu does",
     NULL},
    {"functional", 0, 0, G_OPTION_ARG_NONE, &given.functional, "Count without timing", NULL},
    {"jobs", 'j', 0, G_OPTION_ARG_FILENAME, &given.jobs,
     "Points simulated at once (default: one a processor)", "N"},
    {"format", 'f', 0, G_OPTION_ARG_FILENAME, &given.format,
     "text, json or csv (default: by --output's ending, else text)", "FORMAT"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &given.output,
     "Write the table there instead of standard output", "FILE"},
    {"plan", 0, 0, G_OPTION_ARG_NONE, &given.plan, "Print the points and simulate nothing", NULL},
    {"keep-going", 0, 0, G_OPTION_ARG_NONE, &given.keep_going,
     "Leave out points that fail, and go on", NULL},
    {"task-id", 0, 0, G_OPTION_ARG_FILENAME, &given.task_id,
     "With --task-count, only every N-th point, from this one on, counted from 0", "I"},
    {"task-count", 0, 0, G_OPTION_ARG_FILENAME, &given.task_count, "How many tasks share the sweep",
     "N"},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet, "No progress", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.rest, NULL, "[TRACE...]"},
    G_OPTION_ENTRY_NULL,
};

static const char summary[] =
    "Simulates every combination of traces, GPUs and settings, and prints one line for each.";

static const char description[] =
    "Examples:\n"
    "  gmsim sweep --trace F --set l1.size=256K..1M*2 --set l2.size=25M,50M\n"
    "  gmsim sweep --synthetic 'banks:stride={1,2,4,8,16,32}' --metric cycles,wavefronts\n"
    "  gmsim sweep --trace F --gpu h200,a100 -j 4 -o sweep.csv\n";

/* A whole number in bounds; *number stays where the option is not given. */
static bool read_count(const char *option, const char *text, guint64 least, guint64 most,
                       guint64 *number)
{
    if (text == NULL || g_ascii_string_to_unsigned(text, 10, least, most, number, NULL))
        return true;
    cli_say("--%s %s: must be a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
            option, text, least, most);
    return false;
}

static bool add_metric(GArray *metrics, const char *name)
{
    int index = sweep_find_metric(name);

    if (strcmp(name, "all") == 0) {
        for (unsigned i = 0; i < gmsim_metric_count; i++)
            g_array_append_val(metrics, i);
        return true;
    }
    if (index < 0) {
        const char **names = sweep_metric_names();
        const char *guess = cli_nearest(name, names);

        if (guess != NULL)
            cli_say("--metric %s: did you mean %s?", name, guess);
        else
            cli_say("--metric %s: no such metric; gmsim(1) lists them", name);
        g_free(names);
        return false;
    }
    g_array_append_val(metrics, index);
    return true;
}

static bool choose_metrics(sweep_study *sweep)
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
    for (const char *const *name = sweep_default_metrics; !sweep->chosen && *name != NULL; name++) {
        int index = sweep_find_metric(*name);

        if (index >= 0)
            g_array_append_val(sweep->metrics, index);
    }
    return true;
}

static bool choose_share(sweep_study *sweep)
{
    guint64 id = 0, count = 1, jobs = g_get_num_processors();

    if ((given.task_id == NULL) != (given.task_count == NULL)) {
        cli_say("--task-id and --task-count belong together");
        return false;
    }
    if (!read_count("task-count", given.task_count, 1, G_MAXUINT32, &count) ||
        !read_count("task-id", given.task_id, 0, count - 1, &id) ||
        !read_count("jobs", given.jobs, 1, 1024, &jobs))
        return false;
    sweep->first = id;
    sweep->step = count;
    sweep->processes = (unsigned)jobs;
    return true;
}

typedef void (*writer)(const sweep_study *sweep, FILE *out);

static writer choose_writer(void)
{
    static const char *const names[] = {"text", "json", "csv", NULL};
    static const writer writers[] = {sweep_write_text, sweep_write_json, sweep_write_csv};
    const char *dot = given.output != NULL ? strrchr(given.output, '.') : NULL;
    const char *wanted = given.format;

    if (wanted == NULL)
        wanted = dot != NULL && strcmp(dot, ".csv") == 0    ? "csv"
                 : dot != NULL && strcmp(dot, ".json") == 0 ? "json"
                                                            : "text";
    for (unsigned i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], wanted) == 0)
            return writers[i];
    }
    cli_say("--format %s: must be one of text, json, csv", wanted);
    return NULL;
}

static bool prepare(sweep_study *sweep)
{
    char **lone = given.rest;

    if (given.caches != NULL && strcmp(given.caches, "cold") != 0 &&
        strcmp(given.caches, "warm") != 0) {
        cli_say("--caches %s: must be one of cold, warm", given.caches);
        return false;
    }
    if (lone != NULL && given.traces != NULL) {
        cli_say("%s: write --trace before every trace, or before none", *lone);
        return false;
    }
    sweep->job = (gmsim_job){.size = sizeof sweep->job,
                             .kernel = given.kernel,
                             .launch = given.launch,
                             .caches = given.caches,
                             .flush = given.flush,
                             .functional = given.functional};
    sweep->quiet = given.quiet;
    sweep->keep_going = given.keep_going;
    return choose_metrics(sweep) && choose_share(sweep) &&
           sweep_plan_make(&sweep->plan, lone != NULL ? lone : given.traces, given.synthetic,
                           given.gpus, given.sets) &&
           (given.keep_going || sweep_plan_check(&sweep->plan));
}

static void write_plan(const sweep_study *sweep, FILE *out)
{
    for (uint64_t i = sweep->first; i < sweep->plan.count; i += sweep->step) {
        char *point = sweep_plan_describe(&sweep->plan, i, true);

        fprintf(out, "%" G_GUINT64_FORMAT " %s\n", i, point);
        g_free(point);
    }
}

static int run(void)
{
    sweep_study sweep = {0};
    cli_output output = {0};
    int code = CLI_USAGE;
    writer write = choose_writer();

    if (write != NULL && prepare(&sweep)) {
        bool whole = given.plan;

        code = CLI_DONE;
        if (!whole)
            whole = sweep_run(&sweep, &code) || sweep.keep_going;
        if (whole && !cli_output_open(&output, given.output)) {
            code = CLI_FAILED;
        } else if (whole) {
            (given.plan ? write_plan : write)(&sweep, output.file);
            if (!cli_output_close(&output, true))
                code = CLI_FAILED;
        }
    }
    sweep_results_free(&sweep);
    sweep_plan_clear(&sweep.plan);
    if (sweep.metrics != NULL)
        g_array_unref(sweep.metrics);
    return code;
}

int cli_sweep(int argc, char **argv)
{
    GOptionContext *context = g_option_context_new(NULL);
    char *jobs = NULL;
    int code = CLI_USAGE;

    for (int i = 1; i < argc && jobs == NULL && strcmp(argv[i], "--") != 0; i++) {
        /* -j4, which GOption would not take */
        if (g_str_has_prefix(argv[i], "-j") && g_ascii_isdigit(argv[i][2]))
            argv[i] = jobs = g_strdup_printf("--jobs=%s", argv[i] + 2);
    }
    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, description);
    g_option_context_add_main_entries(context, entries, NULL);
    if (cli_parse(context, entries, &argc, &argv))
        code = run();
    g_option_context_free(context);
    g_free(jobs);
    g_strfreev(given.traces);
    g_strfreev(given.synthetic);
    g_strfreev(given.gpus);
    g_strfreev(given.sets);
    g_strfreev(given.metrics);
    g_strfreev(given.rest);
    g_free(given.kernel);
    g_free(given.launch);
    g_free(given.caches);
    g_free(given.format);
    g_free(given.output);
    g_free(given.jobs);
    g_free(given.task_id);
    g_free(given.task_count);
    return code;
}
