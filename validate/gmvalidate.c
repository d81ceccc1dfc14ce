/* SPDX-License-Identifier: MIT
 *
 * gmvalidate.c - the command: predicted against measured, metric by metric.
 *
 * Reads what Nsight Compute measured, replays the launches of traces that have a partner there, and
 * prints how far apart they are. Leaves out running ncu and capturing traces; the script
 * validate/measure does both.
 */
#include "config.h"

#include "sim/measured/csv.h"
#include "validate/validation.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void complain(const char *text)
{
    char *clean = gmsim_cell_clean(g_strdup(text));

    fprintf(stderr, "gmvalidate: %s\n", clean);
    g_free(clean);
}

static int exit_code(const GError *error)
{
    return g_error_matches(error, GMSIM_ERROR, GMSIM_ERROR_USAGE) || error->domain == G_OPTION_ERROR
               ? EXIT_USAGE
               : EXIT_FAILED;
}

static bool from_trace(GError **error, const char *path, const gmtrace_error *cause)
{
    GString *text = g_string_new(NULL);

    g_string_printf(text, "%s: %s", path, cause->text);
    if (cause->offset != UINT64_MAX && strstr(cause->text, "offset") == NULL &&
        strstr(cause->text, "byte") == NULL)
        g_string_append_printf(text, " (at byte %" G_GUINT64_FORMAT ")", cause->offset);
    g_set_error_literal(error, GMSIM_ERROR,
                        cause->status == GMTRACE_IO ? GMSIM_ERROR_IO : GMSIM_ERROR_CORRUPT,
                        text->str);
    g_string_free(text, TRUE);
    return false;
}

/* -------------------------------------------------------------------------------------- traces */

static char *label_of(const char *path)
{
    char *name = g_path_get_basename(path);

    if (g_str_has_suffix(name, ".trc"))
        name[strlen(name) - strlen(".trc")] = '\0';
    return gmsim_cell_clean(name);
}

/* The same name again and again: the kernel's, as it may be shown. */
static const char *name_of(gmsim_validation *v, const char *name)
{
    char *clean = gmsim_cell_clean(g_strdup(name));
    const char *known = g_string_chunk_insert_const(v->names, clean);

    g_free(clean);
    return known;
}

static bool open_traces(gmsim_validation *v, GError **error)
{
    for (char **path = v->options->trace; *path != NULL; path++) {
        gmsim_trace_file trace = {.path = name_of(v, *path)};
        gmtrace_error cause = {0};
        uint32_t launches;

        trace.reader = gmtrace_open(*path, &cause);
        if (trace.reader == NULL)
            return from_trace(error, *path, &cause);
        trace.label = label_of(*path);
        g_array_append_val(v->traces, trace);
        launches = gmtrace_launch_count(trace.reader);
        for (uint32_t i = 0; i < launches; i++) {
            const gmtrace_launch *launch = gmtrace_get_launch(trace.reader, i);
            const gmtrace_kernel *kernel = gmtrace_get_kernel(trace.reader, launch->kernel);
            gmsim_launch_place place = {.trace = v->traces->len - 1, .launch = i};
            gmsim_match match = {.label = trace.label,
                                 .name = name_of(v, kernel->name),
                                 .mangled = name_of(v, kernel->mangled),
                                 .row = -1};

            memcpy(match.grid, launch->grid, sizeof match.grid);
            memcpy(match.block, launch->block, sizeof match.block);
            g_array_append_val(v->launches, match);
            g_array_append_val(v->where, place);
        }
    }
    return true;
}

static void progress(gmsim_validation *v, unsigned launch)
{
    const gmsim_launch_place *place = &g_array_index(v->where, gmsim_launch_place, launch);

    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kgmvalidate: %u/%u %s", launch + 1, v->launches->len,
                g_array_index(v->traces, gmsim_trace_file, place->trace).label);
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* Replays one launch and compares it. A damaged trace is said and counted, not fatal: the others
 * still tell something. */
static bool run_launch(gmsim_validation *v, gmsim_model *model, unsigned index, GError **error)
{
    const gmsim_launch_place *place = &g_array_index(v->where, gmsim_launch_place, index);
    const gmsim_match *match = &g_array_index(v->launches, gmsim_match, index);
    gmsim_trace_file *trace = &g_array_index(v->traces, gmsim_trace_file, place->trace);
    gmsim_compared_launch compared = {
        .label = trace->label, .path = trace->path, .launch = place->launch, .kernel = match->name};
    const gmsim_result *result;

    result = gmsim_model_run(model, trace->reader, place->launch, NULL, NULL, error);
    if (result == NULL) {
        g_prefix_error(error, "%s: launch %u: ", trace->path, place->launch);
        return false;
    }
    if (result->truncated) {
        end_progress();
        fprintf(stderr,
                "gmvalidate: %s: launch %u (%s) ends early and was not compared; capture it "
                "again\n",
                trace->path, place->launch, match->name);
        v->damaged++;
        trace->told = true;
        return true;
    }
    compared.row = (unsigned)match->row;
    memcpy(compared.grid, match->grid, sizeof compared.grid);
    memcpy(compared.block, match->block, sizeof compared.block);
    gmsim_comparisons_add(&v->all, result, v->measured, v->measured->rows->pdata[match->row]);
    g_array_append_val(v->compared, compared);
    return true;
}

/* Damage that no launch showed: those behind it are not in the file at all. */
static void tell_damage(gmsim_validation *v)
{
    for (unsigned i = 0; i < v->traces->len; i++) {
        const gmsim_trace_file *trace = &g_array_index(v->traces, gmsim_trace_file, i);
        const gmtrace_error *damage = gmtrace_damage(trace->reader);

        if (damage == NULL || trace->told)
            continue;
        fprintf(stderr, "gmvalidate: %s: %s\n", trace->path, damage->text);
        v->damaged++;
    }
}

static bool run_all(gmsim_validation *v, GError **error)
{
    const gmsim_options model_options = {.caches = v->caches, .flush = true};
    gmsim_model *model = gmsim_model_new(&v->gpu, &model_options, error);
    bool done = model != NULL;

    for (unsigned i = 0; done && i < v->launches->len; i++) {
        if (g_array_index(v->launches, gmsim_match, i).row < 0) {
            v->unpaired++;
            continue;
        }
        progress(v, i);
        done = run_launch(v, model, i, error);
    }
    end_progress();
    tell_damage(v);
    gmsim_model_free(model);
    for (unsigned i = 0; i < v->compared->len; i++) {
        gmsim_compared_launch *launch = &g_array_index(v->compared, gmsim_compared_launch, i);
        const gmsim_compared_launch *before = i > 0 ? launch - 1 : NULL;
        const gmsim_compared_launch *after = i + 1 < v->compared->len ? launch + 1 : NULL;

        launch->alone = (before == NULL || before->path != launch->path) &&
                        (after == NULL || after->path != launch->path);
    }
    return done;
}

/* ---------------------------------------------------------------------------------------- main */

static void list_metrics(void)
{
    for (unsigned i = 0; i < gmsim_quantity_count(); i++) {
        const gmsim_metric *metric = &gmsim_metrics[i];

        printf("%-10s%-72s %s\n", metric->family == GMSIM_FAMILY_EXACT ? "exact" : "modelled",
               metric->name, metric->meaning);
    }
}

static int validate(const gmsim_validate_options *o)
{
    gmsim_validation v = {.options = o};
    GError *error = NULL;
    int code = EXIT_FAILED;

    v.limits = g_array_new(FALSE, FALSE, sizeof(gmsim_limit));
    v.exceptions = gmsim_exceptions_new();
    v.reasons = gmsim_reasons_new();
    v.spreads = o->spread != NULL ? gmsim_spreads_new() : NULL;
    v.show = g_array_new(FALSE, FALSE, sizeof(unsigned));
    v.pairs = gmsim_pairs_new();
    v.names = g_string_chunk_new(4096);
    v.traces = g_array_new(FALSE, TRUE, sizeof(gmsim_trace_file));
    v.launches = g_array_new(FALSE, TRUE, sizeof(gmsim_match));
    v.where = g_array_new(FALSE, TRUE, sizeof(gmsim_launch_place));
    v.compared = g_array_new(FALSE, TRUE, sizeof(gmsim_compared_launch));
    v.measured = gmsim_measured_new();
    gmsim_comparisons_init(&v.all);
    if (gmsim_validation_prepare(&v, &error) && open_traces(&v, &error)) {
        v.row_used = g_new0(uint8_t, v.measured->rows->len);
        gmsim_match_launches(v.measured, (gmsim_match *)v.launches->data, v.launches->len,
                             v.row_used);
        if (run_all(&v, &error)) {
            gmsim_validation_print(&v);
            code = gmsim_validation_verdict(&v);
        }
    }
    if (error != NULL) {
        complain(error->message);
        code = exit_code(error);
        g_error_free(error);
    }
    for (unsigned i = 0; i < v.traces->len; i++) {
        gmtrace_close(g_array_index(v.traces, gmsim_trace_file, i).reader);
        g_free(g_array_index(v.traces, gmsim_trace_file, i).label);
    }
    g_free(v.row_used);
    gmsim_comparisons_clear(&v.all);
    gmsim_measured_free(v.measured);
    g_array_free(v.compared, TRUE);
    g_array_free(v.where, TRUE);
    g_array_free(v.launches, TRUE);
    g_array_free(v.traces, TRUE);
    g_string_chunk_free(v.names);
    g_array_free(v.show, TRUE);
    g_array_free(v.pairs, TRUE);
    g_array_free(v.exceptions, TRUE);
    g_array_free(v.reasons, TRUE);
    if (v.spreads != NULL)
        gmsim_spreads_free(v.spreads);
    g_array_free(v.limits, TRUE);
    return code;
}

int main(int argc, char **argv)
{
    gmsim_validate_options o = {0};
    GError *error = NULL;
    int code = EXIT_DONE;

    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C"); /* tables are read by programs */
    if (!gmsim_validate_options_read(&o, &argc, &argv, &error)) {
        complain(error->message);
        code = EXIT_USAGE;
        g_error_free(error);
    } else if (o.help != NULL) {
        fputs(o.help, stdout);
    } else if (o.version) {
        printf("gmvalidate (%s) %s\n", PACKAGE_NAME, PACKAGE_VERSION);
    } else if (o.list) {
        list_metrics();
    } else {
        code = validate(&o);
    }
    gmsim_validate_options_free(&o);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output cannot be written");
        return EXIT_FAILED;
    }
    return code;
}
