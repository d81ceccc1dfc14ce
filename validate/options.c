/* SPDX-License-Identifier: MIT
 *
 * options.c - gmvalidate's command line, and reading the files it names.
 */
#include "validate/validation.h"

#include <string.h>

#define MOST_WORST 1000

static bool usage(GError **error, const char *what)
{
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "%s; see gmvalidate --help", what);
    return false;
}

bool gmsim_validate_options_read(gmsim_validate_options *o, int *argc, char ***argv, GError **error)
{
    gboolean help = FALSE;
    const GOptionEntry entries[] = {
        {"measured", 'm', 0, G_OPTION_ARG_FILENAME_ARRAY, &o->measured,
         "what ncu --csv --page raw --print-units base wrote; may be given several times", "FILE"},
        {"gpu", 'g', 0, G_OPTION_ARG_STRING, &o->gpu, "GPU to predict for (default h200)",
         "NAME|FILE.ini"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &o->set, "change one number of the GPU",
         "KEY=VALUE"},
        {"caches", 0, 0, G_OPTION_ARG_STRING, &o->caches,
         "state of the caches when a launch begins (default cold, as ncu flushes them)",
         "cold|warm"},
        {"limit", 'l', 0, G_OPTION_ARG_STRING_ARRAY, &o->limit,
         "largest mean (or single) error allowed, exit 3 past it; or the smallest measurement that "
         "counts",
         "METRIC[:max|:min]=VALUE"},
        {"limits", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->limits,
         "such limits from a file, groups [mean], [max] and [minimum]", "FILE.ini"},
        {"exceptions", 'x', 0, G_OPTION_ARG_FILENAME_ARRAY, &o->exceptions,
         "values of the exact family known to differ: trace, metric, reason a line", "FILE"},
        {"exact", 'e', 0, G_OPTION_ARG_NONE, &o->exact,
         "exit 3 if a metric of the exact family differs anywhere", NULL},
        {"complete", 'c', 0, G_OPTION_ARG_NONE, &o->complete,
         "exit 3 if a launch of a trace was not compared", NULL},
        {"errors", 0, 0, G_OPTION_ARG_NONE, &o->errors,
         "print the errors of the modelled family instead, one line a metric", NULL},
        {"worst", 0, 0, G_OPTION_ARG_INT, &o->worst,
         "print the N launches farthest off for each metric of it instead, or behind --errors",
         "N"},
        {"spread", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->spread,
         "with these: how far the hardware's own runs lie apart, by validate/measure --repeat",
         "FILE.csv"},
        {"reasons", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->reasons,
         "with --worst: why, one pattern for traces, one for metrics and a sentence a line",
         "FILE"},
        {"pairs", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->pairs,
         "print predicted and measured speed-ups instead: BASE VARIANT CLAIMED TITLE a line",
         "FILE"},
        {"within", 0, 0, G_OPTION_ARG_DOUBLE, &o->within,
         "error up to which a pair counts as within (default 10)", "PERCENT"},
        {"pairs-limit", 0, 0, G_OPTION_ARG_DOUBLE, &o->share,
         "exit 3 if fewer of the pairs are within, or one is in the wrong direction", "PERCENT"},
        {"show", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->show,
         "print these metrics launch by launch instead (predicted / measured)", "METRIC,..."},
        {"format", 'f', 0, G_OPTION_ARG_STRING, &o->format, "default text", "text|markdown|csv"},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &o->verbose,
         "every launch and metric; with csv in place of the summary", NULL},
        {"list", 0, 0, G_OPTION_ARG_NONE, &o->list, "list the metrics gmsim predicts", NULL},
        {"version", 0, 0, G_OPTION_ARG_NONE, &o->version, "print the version", NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &help, "print this help and exit", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->trace, NULL, "TRACE..."},
        {NULL, 0, 0, 0, NULL, NULL, NULL},
    };
    GOptionContext *context = g_option_context_new(NULL);
    bool done;

    o->within = 10;
    g_option_context_set_summary(
        context, "Compares what gmsim predicts for traces with what Nsight Compute measured.");
    g_option_context_set_description(
        context, "Exit status: 0 done, 1 failed or corrupt input, 2 usage, 3 a limit was passed.");
    g_option_context_add_main_entries(context, entries, NULL);
    /* GLib's own help would not see that a disk is full. */
    g_option_context_set_help_enabled(context, FALSE);
    done = g_option_context_parse(context, argc, argv, error);
    if (done && help)
        o->help = g_option_context_get_help(context, TRUE, NULL);
    g_option_context_free(context);
    if (!done) {
        char *said = *error != NULL ? (*error)->message : NULL;

        if (said != NULL)
            (*error)->message = g_strconcat(said, "; 'gmvalidate --help' lists the options", NULL);
        g_free(said);
        return false;
    }
    if (o->list || o->version || o->help != NULL)
        return true;
    if (o->measured == NULL)
        return usage(error, "no --measured FILE was given");
    if (o->trace == NULL)
        return usage(error, "no TRACE was given");
    if (o->share > 0 && o->pairs == NULL)
        return usage(error, "--pairs-limit needs --pairs FILE");
    return true;
}

void gmsim_validate_options_free(gmsim_validate_options *o)
{
    g_strfreev(o->measured);
    g_strfreev(o->set);
    g_strfreev(o->limit);
    g_strfreev(o->limits);
    g_strfreev(o->exceptions);
    g_strfreev(o->show);
    g_strfreev(o->reasons);
    g_strfreev(o->spread);
    g_strfreev(o->pairs);
    g_strfreev(o->trace);
    g_free(o->help);
    g_free(o->gpu);
    g_free(o->format);
    g_free(o->caches);
}

static bool read_show(gmsim_validation *v, GError **error)
{
    for (char **list = v->options->show; list != NULL && *list != NULL; list++) {
        char **names = g_strsplit(*list, ",", -1);

        for (char **name = names; *name != NULL; name++) {
            int index = gmsim_quantity_find(*name);
            unsigned metric = (unsigned)index;

            if (index < 0) {
                g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                            "--show: no metric is called '%s'; gmvalidate --list shows those "
                            "there are",
                            *name);
                g_strfreev(names);
                return false;
            }
            g_array_append_val(v->show, metric);
        }
        g_strfreev(names);
    }
    return true;
}

static bool read_words(gmsim_validation *v, GError **error)
{
    const gmsim_validate_options *o = v->options;

    if (o->format == NULL || strcmp(o->format, "text") == 0)
        v->format = GMSIM_VALIDATE_TEXT;
    else if (strcmp(o->format, "markdown") == 0)
        v->format = GMSIM_VALIDATE_MARKDOWN;
    else if (strcmp(o->format, "csv") == 0)
        v->format = GMSIM_VALIDATE_CSV;
    else
        return usage(error, "--format is text, markdown or csv");
    if (o->caches == NULL || strcmp(o->caches, "cold") == 0)
        v->caches = GMSIM_CACHES_COLD;
    else if (strcmp(o->caches, "warm") == 0)
        v->caches = GMSIM_CACHES_WARM;
    else
        return usage(error, "--caches is cold or warm");
    if (o->worst < 0 || o->worst > MOST_WORST)
        return usage(error, "--worst is 1 to 1000");
    if ((o->errors || o->worst > 0) && (o->show != NULL || o->verbose))
        return usage(error, "--errors and --worst go with neither --show nor --verbose");
    if (o->errors && o->worst > 0 && v->format == GMSIM_VALIDATE_CSV)
        return usage(error, "--errors and --worst are two tables, and --format csv is one");
    return true;
}

bool gmsim_validation_prepare(gmsim_validation *v, GError **error)
{
    const gmsim_validate_options *o = v->options;
    const struct {
        char **given;
        GArray *list;
        bool (*add)(GArray *list, const char *given, GError **error);
    } lists[] = {
        {o->limits, v->limits, gmsim_limits_load},
        {o->limit, v->limits, gmsim_limit_parse},
        {o->exceptions, v->exceptions, gmsim_exceptions_load},
        {o->reasons, v->reasons, gmsim_reasons_load},
        {o->pairs, v->pairs, gmsim_pairs_read},
    };

    if (!read_words(v, error) || !read_show(v, error))
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++) {
        for (char **given = lists[i].given; given != NULL && *given != NULL; given++) {
            if (!lists[i].add(lists[i].list, *given, error))
                return false;
        }
    }
    for (char **file = o->spread; file != NULL && *file != NULL; file++) {
        if (!gmsim_spreads_load(v->spreads, *file, error))
            return false;
    }
    gmsim_limits_apply(v->limits, &v->all);
    if (!gmsim_gpu_load(&v->gpu, o->gpu != NULL ? o->gpu : "h200", error))
        return false;
    if (!gmsim_gpu_set_all(&v->gpu, o->set, error))
        return false;
    for (char **file = o->measured; *file != NULL; file++) {
        if (!gmsim_measured_read(v->measured, *file, error))
            return false;
    }
    return true;
}
