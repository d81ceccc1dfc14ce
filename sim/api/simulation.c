/* SPDX-License-Identifier: MIT
 *
 * simulation.c - one simulation from its options to its report, launch by launch. Leaves files,
 * terminals and messages to the command and to the library's entry points.
 */
#include "config.h"

#include "sim/api/simulation.h"

#include <string.h>

#include "sim/model/trace_error.h"
#include "traces/synthetic/synthetic.h"

/* With more launches than this, and none picked out, text is one line a launch. */
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

static bool is_selected(const gmsim_simulation *s, uint32_t launch)
{
    const gmtrace_kernel *kernel;

    if (s->kernel == NULL)
        return true;
    kernel = gmtrace_get_kernel(s->reader, gmtrace_get_launch(s->reader, launch)->kernel);
    return g_regex_match(s->kernel, kernel->name, 0, NULL) ||
           g_regex_match(s->kernel, kernel->mangled, 0, NULL);
}

/* Leaves next on the first launch that is asked for, or on the end. */
static void find_next(gmsim_simulation *s)
{
    while (s->next < s->end && !is_selected(s, s->next))
        s->next++;
}

static bool select_launches(gmsim_simulation *s, const gmsim_job *job, const char *dashes,
                            GError **error)
{
    uint32_t count = gmtrace_launch_count(s->reader);
    guint64 number;

    s->report.launch_count = count;
    s->end = count;
    if (count == 0) {
        const gmtrace_error *damage = gmtrace_damage(s->reader);

        if (damage != NULL)
            return fail_trace(error, s->trace, damage);
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT,
                    "%s: holds no launches; was the kernel filter of gmcapture too narrow?",
                    s->trace);
        return false;
    }
    if (job->launch != NULL) {
        if (!g_ascii_string_to_unsigned(job->launch, 10, 0, G_MAXUINT32, &number, NULL))
            return fail_usage(error, "%slaunch %s: must be a whole number", dashes, job->launch);
        if (number >= count)
            return fail_usage(error, "%slaunch %s: %s holds %u launch%s, numbered from 0", dashes,
                              job->launch, s->trace, count, count == 1 ? "" : "es");
        s->next = (uint32_t)number;
        s->end = s->next + 1;
    }
    for (uint32_t i = s->next; i < s->end; i++)
        s->report.selected += is_selected(s, i);
    if (s->report.selected == 0)
        return fail_usage(error,
                          "%skernel %s: matches none of the launches asked for in %s; `gmtrace "
                          "info` names its kernels",
                          dashes, job->kernel, s->trace);
    find_next(s);
    return true;
}

/* "512M", "4G"; bytes without a letter. */
static bool read_limit(gmsim_simulation *s, const char *text, const char *dashes, GError **error)
{
    static const char units[] = "KMG";
    const char *unit = text[0] != 0 ? strchr(units, text[strlen(text) - 1]) : NULL;
    char *digits = g_strndup(text, strlen(text) - (unit != NULL));
    const unsigned shift = unit != NULL ? 10u * (unsigned)(unit - units + 1) : 0;
    guint64 number = 0;
    bool good;

    s->trusted = strcmp(text, "none") == 0;
    good =
        s->trusted || g_ascii_string_to_unsigned(digits, 10, 1, G_MAXINT64 >> shift, &number, NULL);
    g_free(digits);
    s->memory_limit = s->trusted ? UINT64_MAX : number << shift;
    return good ||
           fail_usage(error, "%slimit-memory %s: must be a size such as 512M or 4G, or none",
                      dashes, text);
}

/* A warp without records costs time though it costs the file nothing. */
static bool check_idle(const gmsim_simulation *s, GError **error)
{
    const gmtrace_launch *launch = gmtrace_get_launch(s->reader, s->next);
    const double most = 0x1p24 + 4.0 * (double)gmtrace_file_size(s->reader);
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    const double warps = (double)launch->grid[0] * launch->grid[1] * launch->grid[2] *
                         (double)((threads + GMTRACE_WARP_LANES - 1) / GMTRACE_WARP_LANES);

    if (s->trusted || warps - (double)launch->warps <= most)
        return true;
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT,
                "launch %u claims %.0f warps without records, and a file of this size may claim "
                "%.0f; if you trust it, give --limit-memory none",
                s->next, warps - (double)launch->warps, most);
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
    if (job->limit_memory != NULL && !read_limit(s, job->limit_memory, dashes, error))
        return false;
    s->options.caches = g_strcmp0(job->caches, "warm") == 0 ? GMSIM_CACHES_WARM : GMSIM_CACHES_COLD;
    s->options.flush = job->flush;
    s->options.functional = job->functional;
    if (!gmsim_gpu_load(&s->gpu, job->gpu != NULL ? job->gpu : "h200", error) ||
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

bool gmsim_simulation_open(gmsim_simulation *s, const gmsim_job *job, const char *dashes,
                           GError **error)
{
    memset(s, 0, sizeof *s);
    if (job->trace == NULL && job->synthetic == NULL)
        return fail_usage(error, "no trace given");
    if (job->trace != NULL && job->synthetic != NULL)
        return fail_usage(error, "%s: %ssynthetic takes the place of a trace; give one of them",
                          job->trace, dashes);
    s->trace = g_strdup(job->synthetic != NULL ? job->synthetic : job->trace);
    if (!read_options(s, job, dashes, error))
        return false;
    if (!open_trace(s, job, dashes, error))
        return false;
    if (!select_launches(s, job, dashes, error))
        return false;
    s->picked = job->kernel != NULL || job->launch != NULL;
    s->report.version = PACKAGE_VERSION;
    s->report.trace = s->trace;
    s->report.gpu = &s->gpu;
    s->report.source = job->source;
    s->report.capture = gmtrace_get_capture(s->reader);
    s->report.caches = s->options.caches;
    s->report.flush = s->options.flush;
    s->report.verbose = job->verbose;
    return true;
}

void gmsim_simulation_begin(gmsim_simulation *s)
{
    s->report.summary =
        s->report.selected > FULL_REPORTS && !s->picked && !s->report.verbose && !s->report.quiet;
    s->format->begin(&s->report);
}

bool gmsim_simulation_pending(const gmsim_simulation *s)
{
    return s->next < s->end;
}

const gmsim_result *gmsim_simulation_replay(gmsim_simulation *s, uint32_t *index,
                                            gmsim_progress progress, gpointer data, GError **error)
{
    const gmsim_result *result;

    if (s->model == NULL)
        s->model = gmsim_model_new(&s->gpu, &s->options, error);
    if (s->model == NULL)
        return NULL;
    s->started++;
    result = check_idle(s, error)
                 ? gmsim_model_run(s->model, s->reader, s->next, progress, data, error)
                 : NULL;
    if (result == NULL) {
        g_prefix_error(error, "%s: ", s->trace);
        return NULL;
    }
    s->records += result->records;
    if (result->truncated && s->cut == NULL) {
        s->cut = result->launch->lost != NULL ? result->launch->lost : "its warps end too early";
        s->cut_launch = s->next;
    }
    *index = s->next++;
    find_next(s);
    return result;
}

const gmsim_result *gmsim_simulation_step(gmsim_simulation *s, uint32_t *index,
                                          gmsim_progress progress, gpointer data, GError **error)
{
    const gmsim_result *result = gmsim_simulation_replay(s, index, progress, data, error);

    if (result != NULL)
        s->format->launch(&s->report, *index, result);
    return result;
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

void gmsim_simulation_close(gmsim_simulation *s)
{
    if (s->model != NULL)
        gmsim_model_free(s->model);
    gmtrace_close(s->reader);
    if (s->kernel != NULL)
        g_regex_unref(s->kernel);
    g_free(s->trace);
    memset(s, 0, sizeof *s);
}
