/* SPDX-License-Identifier: MIT
 *
 * simulate.c - `gmsim --trace F`: replays the launches asked for and reports each.
 */
#include "config.h"

#include "sim/cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/model/model.h"
#include "sim/report/report.h"

/* With more launches than this, and none picked out, text is one line a launch. */
#define FULL_REPORTS 4u

static struct {
    char *trace, *program, *gpu, *kernel, *launch, *format, *output, *caches, *color;
    char **set, **rest;
    gboolean flush, functional, verbose, quiet, version;
} given;

static const GOptionEntry entries[] = {
    {"trace", 't', 0, G_OPTION_ARG_FILENAME, &given.trace, "Trace to replay; - is standard input",
     "FILE"},
    {"run", 'r', 0, G_OPTION_ARG_FILENAME, &given.program,
     "Run a program built with gmcc and replay what it launches; its arguments follow --",
     "PROGRAM"},
    {"gpu", 'g', 0, G_OPTION_ARG_FILENAME, &given.gpu,
     "GPU to replay it on (default h200; `gmsim gpus` lists them)", "NAME|FILE.ini"},
    {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.set,
     "Change one number of the GPU: l1.size=192K; repeatable", "KEY=VALUE"},
    {"kernel", 'k', 0, G_OPTION_ARG_FILENAME, &given.kernel,
     "Only launches whose kernel name matches", "REGEX"},
    {"launch", 'n', 0, G_OPTION_ARG_FILENAME, &given.launch,
     "Only launch number N of the trace, from 0", "N"},
    {"format", 'f', 0, G_OPTION_ARG_FILENAME, &given.format,
     "text, json or csv (default: by --output's ending, else text)", "FORMAT"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &given.output,
     "Write the report there instead of standard output", "FILE"},
    {"caches", 0, 0, G_OPTION_ARG_FILENAME, &given.caches,
     "cold (default: empty before the first launch) or warm (each replayed once before counting)",
     "cold|warm"},
    {"flush", 0, 0, G_OPTION_ARG_NONE, &given.flush,
     "Empty L2 before every launch, as ncu does; else it keeps what the launch before left", NULL},
    {"functional", 0, 0, G_OPTION_ARG_NONE, &given.functional,
     "Count without timing: the only mode of this version", NULL},
    {"verbose", 'v', 0, G_OPTION_ARG_NONE, &given.verbose,
     "All instructions, allocations, full reports of many launches", NULL},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet, "Only the verdict", NULL},
    {"color", 0, 0, G_OPTION_ARG_FILENAME, &given.color, "auto (default), always or never", "WHEN"},
    {"version", 'V', 0, G_OPTION_ARG_NONE, &given.version, "Print the version", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.rest, NULL, "[TRACE]"},
    G_OPTION_ENTRY_NULL,
};

static const char summary[] =
    "Replays a trace of CUDA kernels on a model of a GPU's memory hierarchy and reports what\n"
    "Nsight Compute would count: requests, sectors, bank conflicts, hit rates, DRAM traffic.";

static const char description[] =
    "Commands:\n"
    "  gmsim gpus [NAME]         list the GPUs, or one GPU's numbers with their sources\n"
    "\n"
    "Examples:\n"
    "  gmsim --trace transpose.trc\n"
    "  gmsim transpose.trc --gpu a100 --set l2.size=20M\n"
    "  gmsim --trace app.trc --kernel 'gemm|softmax' --format json -o app.json\n"
    "\n"
    "Exit status: 0 done, 1 failed or damaged input, 2 usage. gmsim(1) has the rest.\n";

typedef struct job {
    gmtrace_reader *reader;
    gmsim_model *model;
    const gmsim_report_format *format;
    gmsim_report report;
    GRegex *kernel;
    uint32_t first, end; /* launches looked at */
    cli_progress progress;
} job;

static bool one_of(const char *option, const char *value, const char *const *words)
{
    const char *guess;

    if (value == NULL || g_strv_contains(words, value))
        return true;
    guess = cli_nearest(value, words);
    if (guess != NULL)
        cli_say("--%s %s: did you mean %s?", option, value, guess);
    else {
        char *all = g_strjoinv(", ", (char **)words);

        cli_say("--%s %s: must be one of %s", option, value, all);
        g_free(all);
    }
    return false;
}

static const gmsim_report_format *choose_format(void)
{
    const char *const *endings = (const char *const[]){"json", "csv", NULL};

    if (given.format != NULL)
        return gmsim_report_find(given.format);
    for (; given.output != NULL && *endings != NULL; endings++) {
        const char *dot = strrchr(given.output, '.');

        if (dot != NULL && strcmp(dot + 1, *endings) == 0)
            return gmsim_report_find(*endings);
    }
    return gmsim_report_formats[0];
}

static bool use_color(void)
{
    const char *no_color = g_getenv("NO_COLOR"), *term = g_getenv("TERM");

    if (given.color != NULL && strcmp(given.color, "auto") != 0)
        return strcmp(given.color, "always") == 0;
    return (given.output == NULL || strcmp(given.output, "-") == 0) && isatty(STDOUT_FILENO) &&
           (no_color == NULL || no_color[0] == 0) && term != NULL && strcmp(term, "dumb") != 0;
}

/* A lone word that is no file may be a mistyped command. */
static bool check_word(const char *word)
{
    static const char *const commands[] = {"gpus", NULL};
    const char *guess;

    if (strpbrk(word, "./-") != NULL || g_file_test(word, G_FILE_TEST_EXISTS))
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
    static const char *const formats[] = {"text", "json", "csv", NULL};
    static const char *const caches[] = {"cold", "warm", NULL};
    static const char *const colors[] = {"auto", "always", "never", NULL};
    unsigned named = given.rest != NULL ? g_strv_length(given.rest) : 0;

    if (!one_of("format", given.format, formats) || !one_of("caches", given.caches, caches) ||
        !one_of("color", given.color, colors))
        return false;
    if (given.quiet && given.verbose) {
        cli_say("--quiet and --verbose exclude each other");
        return false;
    }
    if (given.program != NULL)
        return true; /* what is left over is the program's */
    if (given.trace == NULL && named > 0 && !check_word(given.rest[0]))
        return false;
    if (named > 1 || (named == 1 && given.trace != NULL)) {
        cli_say("%s: one trace at a time", given.rest[named - 1]);
        return false;
    }
    if (named == 1)
        given.trace = g_strdup(given.rest[0]);
    if (given.trace == NULL) {
        cli_say("no trace given; try 'gmsim --trace FILE' or 'gmsim --help'");
        return false;
    }
    return true;
}

/* Writing the report over the trace it was made from is never meant. */
static bool output_is_trace(void)
{
    struct stat trace, output;

    return given.output != NULL && strcmp(given.output, "-") != 0 &&
           stat(given.trace, &trace) == 0 && stat(given.output, &output) == 0 &&
           S_ISREG(output.st_mode) && trace.st_dev == output.st_dev &&
           trace.st_ino == output.st_ino;
}

static bool is_selected(const job *work, uint32_t launch)
{
    const gmtrace_kernel *kernel;

    if (work->kernel == NULL)
        return true;
    kernel = gmtrace_get_kernel(work->reader, gmtrace_get_launch(work->reader, launch)->kernel);
    return g_regex_match(work->kernel, kernel->name, 0, NULL) ||
           g_regex_match(work->kernel, kernel->mangled, 0, NULL);
}

static int select_launches(job *work)
{
    uint32_t count = gmtrace_launch_count(work->reader);
    guint64 number;

    work->report.launch_count = count;
    work->end = count;
    if (count == 0) {
        const gmtrace_error *damage = gmtrace_damage(work->reader);

        if (damage != NULL)
            return cli_fail_trace(given.trace, damage);
        cli_say("%s: holds no launches; was the kernel filter of gmcapture too narrow?",
                given.trace);
        return CLI_FAILED;
    }
    if (given.launch != NULL) {
        if (!g_ascii_string_to_unsigned(given.launch, 10, 0, G_MAXUINT32, &number, NULL)) {
            cli_say("--launch %s: must be a whole number", given.launch);
            return CLI_USAGE;
        }
        if (number >= count) {
            cli_say("--launch %s: %s holds %u launch%s, numbered from 0", given.launch, given.trace,
                    count, count == 1 ? "" : "es");
            return CLI_USAGE;
        }
        work->first = (uint32_t)number;
        work->end = work->first + 1;
    }
    for (uint32_t i = work->first; i < work->end; i++)
        work->report.selected += is_selected(work, i);
    if (work->report.selected == 0) {
        cli_say("--kernel %s: matches none of the launches asked for in %s; `gmtrace info` names "
                "its kernels",
                given.kernel, given.trace);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

static int replay(job *work)
{
    gmsim_report *report = &work->report;
    GError *error = NULL;
    int code = CLI_DONE;
    uint64_t records = 0;
    gint64 begun = g_get_monotonic_time(), spent;

    work->format->begin(report);
    for (uint32_t i = work->first, done = 0; i < work->end && code == CLI_DONE; i++) {
        const gmsim_result *result;
        char *what;

        if (!is_selected(work, i))
            continue;
        what = g_strdup_printf("launch %u of %u", ++done, report->selected);
        cli_progress_begin(&work->progress, what);
        result = gmsim_model_run(work->model, work->reader, i, cli_progress_update, &work->progress,
                                 &error);
        cli_progress_end(&work->progress);
        g_free(what);
        if (result == NULL) {
            code = cli_fail(given.trace, error);
        } else {
            records += result->records;
            work->format->launch(report, i, result);
            if (ferror(report->out))
                code = CLI_FAILED; /* said when the output is closed */
        }
    }
    work->format->end(report, code == CLI_DONE && gmtrace_damage(work->reader) == NULL);
    spent = g_get_monotonic_time() - begun;
    if (given.verbose && code == CLI_DONE)
        cli_say("%" G_GUINT64_FORMAT " records in %.3f s (%.2f M/s)", records, (double)spent / 1e6,
                (double)records / (double)MAX(spent, 1));
    if (code == CLI_DONE && gmtrace_damage(work->reader) != NULL)
        code = cli_fail_trace(given.trace, gmtrace_damage(work->reader));
    return code;
}

static int run(void)
{
    gmsim_gpu gpu;
    gmsim_options options = {.caches = g_strcmp0(given.caches, "warm") == 0 ? GMSIM_CACHES_WARM
                                                                            : GMSIM_CACHES_COLD,
                             .flush = given.flush};
    job work = {.format = choose_format()};
    cli_output output = {0};
    GError *error = NULL;
    gmtrace_error trace_error;
    int code;

    if (!gmsim_gpu_load(&gpu, given.gpu != NULL ? given.gpu : "h200", &error))
        return cli_fail(NULL, error);
    if (!gmsim_gpu_set_all(&gpu, given.set, &error))
        return cli_fail(NULL, error);
    if (given.kernel != NULL) {
        work.kernel = g_regex_new(given.kernel, G_REGEX_OPTIMIZE | G_REGEX_RAW, 0, &error);
        if (work.kernel == NULL) {
            cli_say("--kernel: %s", error->message);
            g_error_free(error);
            return CLI_USAGE;
        }
    }
    if (output_is_trace()) {
        cli_say("%s: is the trace itself; name another file for --output", given.output);
        code = CLI_USAGE;
        goto done;
    }
    work.reader = gmtrace_open(given.trace, &trace_error);
    if (work.reader == NULL) {
        code = cli_fail_trace(given.trace, &trace_error);
        goto done;
    }
    code = select_launches(&work);
    if (code != CLI_DONE)
        goto done;
    if (!cli_output_open(&output, given.output)) {
        code = CLI_FAILED;
        goto done;
    }
    work.model = gmsim_model_new(&gpu, &options);
    work.report.out = output.file;
    work.report.version = PACKAGE_VERSION;
    work.report.trace = given.program != NULL ? given.program : given.trace;
    work.report.gpu = &gpu;
    work.report.capture = gmtrace_get_capture(work.reader);
    work.report.caches = options.caches;
    work.report.flush = options.flush;
    work.report.summary = work.report.selected > FULL_REPORTS && given.kernel == NULL &&
                          given.launch == NULL && !given.verbose && !given.quiet;
    work.report.verbose = given.verbose;
    work.report.quiet = given.quiet;
    work.report.color = use_color();
    cli_progress_init(&work.progress, !given.quiet);
    code = replay(&work);
    if (!cli_output_close(&output, code == CLI_DONE) && code == CLI_DONE)
        code = CLI_FAILED;
done:
    if (work.model != NULL)
        gmsim_model_free(work.model);
    gmtrace_close(work.reader);
    if (work.kernel != NULL)
        g_regex_unref(work.kernel);
    return code;
}

/* The trace stays only where --trace says so. */
static int run_program(void)
{
    bool temporary = given.trace == NULL;
    int code = CLI_FAILED;

    if (temporary)
        given.trace = cli_program_trace();
    if (given.trace != NULL && cli_program_run(given.program, given.rest, given.trace))
        code = run();
    if (temporary && given.trace != NULL)
        (void)unlink(given.trace);
    return code;
}

int cli_simulate(int argc, char **argv)
{
    GOptionContext *context = g_option_context_new(NULL);
    int code = CLI_USAGE;

    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, description);
    g_option_context_add_main_entries(context, entries, NULL);
    if (cli_parse(context, entries, &argc, &argv)) {
        if (given.version) {
            puts("gmsim " PACKAGE_VERSION);
            code = CLI_DONE;
        } else if (check_options()) {
            code = given.program != NULL ? run_program() : run();
        }
    }
    g_option_context_free(context);
    g_free(given.trace);
    g_free(given.program);
    g_free(given.gpu);
    g_free(given.kernel);
    g_free(given.launch);
    g_free(given.format);
    g_free(given.output);
    g_free(given.caches);
    g_free(given.color);
    g_strfreev(given.set);
    g_strfreev(given.rest);
    return code;
}
