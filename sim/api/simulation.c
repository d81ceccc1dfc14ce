/* SPDX-License-Identifier: MIT
 *
 * simulation.c - one simulation from its options to its report, launch by launch. Leaves files,
 * terminals and messages to the command and to the library's entry points.
 */
#include "config.h"

#include "sim/api/simulation.h"

#include <string.h>

#include "sim/api/samples.h"
#include "sim/model/trace_error.h"
#include "traces/synthetic/synthetic.h"

/* Of more launches than this, text is a summary. */
#define FULL_REPORTS 4u

static bool fail_usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool fail_usage(GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (error != NULL)
        *error = g_error_new_valist(GMSIM_ERROR, GMSIM_ERROR_USAGE, format, arguments);
    va_end(arguments);
    return false;
}

static bool fail_trace(GError **error, const char *trace, const gmtrace_error *reason)
{
    gmsim_trace_error(error, trace, reason);
    return false;
}

static bool matches(const gmsim_simulation *s, uint32_t launch)
{
    const gmtrace_kernel *kernel;

    if (s->kernel == NULL)
        return true;
    kernel = gmtrace_get_kernel(s->reader, gmtrace_get_launch(s->reader, launch)->kernel);
    return g_regex_match(s->kernel, kernel->name, 0, NULL) ||
           g_regex_match(s->kernel, kernel->mangled, 0, NULL);
}

/* Leaves next on the first launch that is to be replayed, or on the end. What comes before a launch
 * leaves something in L2 for it, but for a flush. */
static void find_next(gmsim_simulation *s)
{
    while (s->options.flush && s->next < s->end && !s->picked[s->next])
        s->next++;
}

static bool pick_range(gmsim_simulation *s, guint64 first, guint64 last)
{
    for (guint64 i = first; i <= last && i < s->report.launch_count; i++)
        s->picked[i] = 1;
    return first <= last && first < s->report.launch_count &&
           (last < s->report.launch_count || last == G_MAXUINT64);
}

/* "3", "0-7", "2,5-8,100-". */
static bool pick_list(gmsim_simulation *s, const char *option, const char *list, const char *dashes,
                      GError **error)
{
    g_auto(GStrv) part = g_strsplit(list, ",", -1);
    bool good = *part != NULL;

    for (char **p = part; good && *p != NULL; p++) {
        char *dash = strchr(*p, '-');
        guint64 first, last = G_MAXUINT64;

        if (dash != NULL)
            *dash = 0;
        good = g_ascii_string_to_unsigned(*p, 10, 0, G_MAXUINT32, &first, NULL) &&
               (dash == NULL || dash[1] == 0 ||
                g_ascii_string_to_unsigned(dash + 1, 10, 0, G_MAXUINT32, &last, NULL));
        if (good && !pick_range(s, first, dash == NULL ? first : last))
            return fail_usage(error, "%s%s %s: %s holds %u launch%s, numbered from 0", dashes,
                              option, list, s->trace, s->report.launch_count,
                              s->report.launch_count == 1 ? "" : "es");
    }
    return good || fail_usage(error, "%s%s %s: must be numbers and ranges: 3, 0-7 or 2,5-8,100-",
                              dashes, option, list);
}

static bool pick_launches(gmsim_simulation *s, const gmsim_job *job, const char *dashes,
                          GError **error)
{
    guint64 number;

    s->picked = g_malloc0(s->report.launch_count);
    if (job->launch != NULL && job->launches != NULL)
        return fail_usage(error, "%slaunch and %slaunches exclude each other", dashes, dashes);
    if (job->launches != NULL)
        return pick_list(s, "launches", job->launches, dashes, error);
    if (job->launch == NULL) {
        (void)pick_range(s, 0, G_MAXUINT64);
        return true;
    }
    if (!g_ascii_string_to_unsigned(job->launch, 10, 0, G_MAXUINT32, &number, NULL))
        return fail_usage(error, "%slaunch %s: must be a whole number", dashes, job->launch);
    return pick_list(s, "launch", job->launch, dashes, error);
}

static bool select_launches(gmsim_simulation *s, const gmsim_job *job, const char *dashes,
                            GError **error)
{
    uint32_t count = gmtrace_launch_count(s->reader);

    s->report.launch_count = count;
    if (job->launch == NULL && job->launches == NULL && job->kernel == NULL)
        s->report.reader = s->reader;
    if (count == 0) {
        const gmtrace_error *damage = gmtrace_damage(s->reader);

        if (damage != NULL)
            return fail_trace(error, s->trace, damage);
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT,
                    "%s: holds no launches; was the kernel filter of gmcapture too narrow?",
                    s->trace);
        return false;
    }
    if (!pick_launches(s, job, dashes, error))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        s->picked[i] = s->picked[i] && matches(s, i);
        if (!s->picked[i])
            continue;
        s->report.selected++;
        s->end = i + 1;
    }
    if (s->report.selected == 0)
        return fail_usage(error,
                          "%skernel %s: matches none of the launches asked for in %s; `gmtrace "
                          "info` names its kernels",
                          dashes, job->kernel, s->trace);
    for (uint32_t i = 0; i < s->end; i++) {
        if (s->options.flush && !s->picked[i])
            continue;
        s->replays++;
        s->expected += gmtrace_get_launch(s->reader, i)->records;
    }
    find_next(s);
    return true;
}

/* "512M", "4G"; bytes without a letter. */
static bool read_limit(gmsim_simulation *s, const char *text, const char *dashes, GError **error)
{
    if (strcmp(text, "none") == 0)
        s->memory_limit = UINT64_MAX;
    else if (!gmtrace_read_size(text, &s->memory_limit) || s->memory_limit == 0)
        return fail_usage(error, "%slimit-memory %s: must be a size such as 512M or 4G, or none",
                          dashes, text);
    return true;
}

static bool check_claims(const gmsim_simulation *s, GError **error)
{
    gmtrace_error reason;

    if (gmtrace_check_claims(s->reader, s->next, &reason))
        return true;
    g_set_error_literal(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT, reason.text);
    return false;
}

static bool read_options(gmsim_simulation *s, const gmsim_job *job, const char *dashes,
                         GError **error)
{
    GError *why = NULL;

    if (job->caches != NULL && strcmp(job->caches, "cold") != 0 && strcmp(job->caches, "warm") != 0)
        return fail_usage(error, "%scaches %s: must be one of cold, warm", dashes, job->caches);
    s->format = gmsim_format_find(job->format != NULL ? job->format : "json");
    if (s->format == NULL || s->format->launch == NULL) {
        char *names = gmsim_format_names();

        (void)fail_usage(error, "%sformat %s: must be one of %s", dashes, job->format, names);
        g_free(names);
        return false;
    }
    if (s->format->over_time && job->functional)
        return fail_usage(error, "%sformat %s: shows times, which %sfunctional leaves out", dashes,
                          s->format->name, dashes);
    s->timeline = s->format->over_time;
    if (job->measured != NULL && !s->format->measured)
        return fail_usage(error,
                          "%smeasured: format %s shows no measurements; html does, and gmvalidate "
                          "compares them",
                          dashes, s->format->name);
    if (job->limit_memory != NULL && !read_limit(s, job->limit_memory, dashes, error))
        return false;
    s->options.caches = g_strcmp0(job->caches, "warm") == 0 ? GMSIM_CACHES_WARM : GMSIM_CACHES_COLD;
    if (!gmsim_sort_key(job->sort, &s->report.sort))
        return fail_usage(
            error,
            "%ssort %s: must be cycles, launches or a metric that gmsim(1) lists, such "
            "as dram.read",
            dashes, job->sort);
    s->report.top = job->top;
    s->options.flush = job->flush;
    s->options.functional = job->functional;
    s->options.stop = job->stop;
    s->options.threads = job->threads != 0 ? job->threads : MIN(g_get_num_processors(), 8u);
    if (!gmsim_gpu_load(&s->gpu, job->gpu != NULL ? job->gpu : "h200", error) ||
        (s->plugins = gmsim_plugins_open(job->plugin, &s->gpu, error)) == NULL ||
        !gmsim_gpu_set_all(&s->gpu, (char *const *)job->set, error))
        return false;
    if (job->kernel != NULL) {
        s->kernel = g_regex_new(job->kernel, G_REGEX_OPTIMIZE | G_REGEX_RAW, 0, &why);
        if (s->kernel == NULL) {
            (void)fail_usage(error, "%skernel: %s", dashes, why->message);
            g_error_free(why);
            return false;
        }
    }
    return true;
}

static bool open_trace(gmsim_simulation *s, const gmsim_job *job, const char *dashes,
                       GError **error)
{
    gmtrace_error reason;
    char *option;

    if (job->synthetic == NULL) {
        const gmtrace_reader_options options = {.memory_limit = s->memory_limit};

        s->reader = gmtrace_open_with(s->trace, &options, &reason);
        return s->reader != NULL || fail_trace(error, s->trace, &reason);
    }
    s->reader = gmtrace_synthetic_open(job->synthetic, &reason);
    if (s->reader != NULL)
        return true;
    if (reason.status == GMTRACE_USAGE)
        return fail_usage(error, "%ssynthetic: %s", dashes, reason.text);
    option = g_strconcat(dashes, "synthetic", NULL);
    (void)fail_trace(error, option, &reason);
    g_free(option);
    return false;
}

/* A bare name that is no file here may be a sample's. */
static char *trace_file(const char *name)
{
    char *sample = strcmp(name, "-") == 0 || g_file_test(name, G_FILE_TEST_EXISTS)
                       ? NULL
                       : gmsim_sample_find(name);

    return sample != NULL ? sample : g_strdup(name);
}

/* GLib makes its C locale for the first number that it reads, and whoever waits for it meanwhile in
 * another thread may find errno set, by which g_ascii_string_to_unsigned() takes a number for none.
 * Here nobody asks for errno. */
void gmsim_make_locale(void)
{
    (void)g_ascii_strtoull("0", NULL, 10);
}

bool gmsim_simulation_open(gmsim_simulation *s, const gmsim_job *job, const char *dashes,
                           GError **error)
{
    gmsim_make_locale();
    memset(s, 0, sizeof *s);
    if (job->trace == NULL && job->synthetic == NULL)
        return fail_usage(error, "no trace given");
    if (job->trace != NULL && job->synthetic != NULL)
        return fail_usage(error, "%s: %ssynthetic takes the place of a trace; give one of them",
                          job->trace, dashes);
    s->trace = job->synthetic != NULL ? g_strdup(job->synthetic) : trace_file(job->trace);
    if (!read_options(s, job, dashes, error))
        return false;
    if (!open_trace(s, job, dashes, error))
        return false;
    if (!select_launches(s, job, dashes, error))
        return false;
    if (job->measured != NULL) {
        s->measuring = gmsim_measuring_open(job->measured, dashes, s->trace, s->reader, error);
        if (s->measuring == NULL)
            return false;
    }
    s->report.version = PACKAGE_VERSION;
    s->report.trace = s->trace;
    s->report.gpu = &s->gpu;
    s->report.source = job->source;
    s->report.capture = gmtrace_get_capture(s->reader);
    s->report.kernels = gmtrace_kernel_count(s->reader);
    s->kernels = g_new(const char *, s->report.kernels + 1);
    for (uint32_t i = 0; i < s->report.kernels; i++)
        s->kernels[i] = gmtrace_get_kernel(s->reader, i)->name;
    s->report.kernel = s->kernels;
    s->report.caches = s->options.caches;
    s->report.flush = s->options.flush;
    s->report.verbose = job->verbose;
    s->report.arrays = job->arrays || s->format->arrays;
    if (s->report.arrays) {
        s->arrays = gmsim_arrays_new();
        s->options.watch = gmsim_arrays_watch(s->arrays);
    }
    return true;
}

void gmsim_simulation_begin(gmsim_simulation *s)
{
    s->report.summary = (s->report.selected > FULL_REPORTS ||
                         (s->report.reader && gmtrace_repeat_count(s->reader))) &&
                        !s->report.quiet;
    s->format->begin(&s->report);
}

bool gmsim_simulation_pending(const gmsim_simulation *s)
{
    return s->next < s->end;
}

/* Progress of a launch as that of all. */
typedef struct progress_of_all {
    const gmsim_simulation *simulation;
    gmsim_progress progress;
    gpointer data;
} progress_of_all;

static void tell_progress(uint64_t done, uint64_t total, gpointer data)
{
    const progress_of_all *all = (const progress_of_all *)data;

    (void)total;
    all->progress(all->simulation->passed + done, all->simulation->expected, all->data);
}

/* One launch. A launch that is not reported and cannot run on this GPU leaves nothing in L2. */
static bool run_launch(gmsim_simulation *s, bool picked, const gmsim_result **result,
                       progress_of_all *all, GError **error)
{
    GError *why = NULL;

    if (s->arrays != NULL)
        gmsim_arrays_begin(s->arrays, gmtrace_get_launch(s->reader, s->next));
    *result = gmsim_model_run(s->model, s->reader, s->next,
                              all->progress != NULL ? tell_progress : NULL, all, &why);
    if (*result != NULL || (!picked && g_error_matches(why, GMSIM_ERROR, GMSIM_ERROR_USAGE))) {
        g_clear_error(&why);
        return true;
    }
    g_propagate_error(error, why);
    return false;
}

bool gmsim_simulation_replay(gmsim_simulation *s, const gmsim_result **result, uint32_t *index,
                             gmsim_progress progress, gpointer data, GError **error)
{
    progress_of_all all = {.simulation = s, .progress = progress, .data = data};
    const bool picked = s->picked[s->next];

    *result = NULL;
    s->options.timeline = s->timeline;
    if (s->model == NULL)
        s->model = gmsim_model_new(&s->gpu, &s->options, error);
    if (s->model == NULL)
        return false;
    s->begun++;
    if (!check_claims(s, error) || !run_launch(s, picked, result, &all, error)) {
        g_prefix_error(error, "%s: ", s->trace);
        return false;
    }
    s->passed += gmtrace_get_launch(s->reader, s->next)->records;
    if (*result != NULL)
        s->records += (*result)->records;
    if (!picked)
        *result = NULL;
    if (*result != NULL && (*result)->truncated && s->cut == NULL) {
        s->cut =
            (*result)->launch->lost != NULL ? (*result)->launch->lost : "its warps end too early";
        s->cut_launch = s->next;
    }
    *index = s->next++;
    find_next(s);
    return true;
}

bool gmsim_simulation_step(gmsim_simulation *s, const gmsim_result **result, uint32_t *index,
                           gmsim_progress progress, gpointer data, GError **error)
{
    if (!gmsim_simulation_replay(s, result, index, progress, data, error))
        return false;
    if (*result != NULL && s->arrays != NULL)
        s->report.array =
            gmsim_arrays_read(s->arrays, &s->report.array_count, &s->report.array_sum);
    if (*result != NULL && s->measuring != NULL)
        s->report.measured = gmsim_measuring_of(s->measuring, *index);
    if (*result != NULL)
        s->format->launch(&s->report, *index, *result);
    return true;
}

bool gmsim_simulation_damage(const gmsim_simulation *s, GError **error)
{
    const gmtrace_error *damage = gmtrace_damage(s->reader);

    if (damage != NULL)
        return fail_trace(error, s->trace, damage);
    if (s->cut != NULL)
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT,
                    "%s: records of launch %u are missing: %s", s->trace, s->cut_launch, s->cut);
    return s->cut == NULL;
}

bool gmsim_simulation_end(gmsim_simulation *s, bool complete, GError **error)
{
    const bool whole = gmsim_simulation_damage(s, complete ? error : NULL);

    s->format->end(&s->report, complete && whole);
    return !complete || whole;
}

void gmsim_simulation_restart(gmsim_simulation *s, const gmsim_gpu *gpu, gmsim_whatif *whatif)
{
    if (s->model != NULL)
        gmsim_model_free(s->model);
    s->model = NULL;
    s->gpu = *gpu;
    s->options.whatif = whatif;
    s->next = s->begun = 0;
    s->passed = 0;
    find_next(s);
}

void gmsim_simulation_close(gmsim_simulation *s)
{
    if (s->model != NULL)
        gmsim_model_free(s->model);
    gmsim_arrays_free(s->arrays);
    gmsim_plugins_close(s->plugins);
    gmsim_measuring_free(s->measuring);
    gmtrace_close(s->reader);
    if (s->kernel != NULL)
        g_regex_unref(s->kernel);
    g_free(s->picked);
    g_free(s->kernels);
    g_free(s->trace);
    memset(s, 0, sizeof *s);
}
