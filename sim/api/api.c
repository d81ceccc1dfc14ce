/* SPDX-License-Identifier: MIT
 *
 * api.c - the functions of gmsim.h: everything goes in and comes out as text in memory. Leaves out
 * progress.
 */
#include "config.h"

#include "sim/gmsim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/advise.h"
#include "sim/api/simulation.h"
#include "sim/report/format.h"

/* One line whatever it holds: names from files may contain line ends and escapes. malloc'ed, as
 * all that gmsim_free() takes. */
static gmsim_status fail(GError *error, char **message)
{
    gmsim_status status =
        g_error_matches(error, GMSIM_ERROR, GMSIM_ERROR_USAGE) ? GMSIM_USAGE : GMSIM_FAILED;

    if (message != NULL) {
        char *clean = gmsim_clean(error->message, 0);

        *message = strdup(clean);
        g_free(clean);
    }
    g_error_free(error);
    return status;
}

/* Ends a text that grew in memory; error is set where something had failed before. */
static gmsim_status finish(FILE *out, char **text, GError *error, char **result, char **message)
{
    bool whole = !ferror(out);

    if (fclose(out) != 0) /* which sets *text */
        whole = false;
    if (error == NULL && !whole)
        error = g_error_new(GMSIM_ERROR, GMSIM_ERROR_IO, "report: %s", g_strerror(ENOMEM));
    if (error == NULL && result != NULL) {
        *result = *text;
        return GMSIM_DONE;
    }
    free(*text);
    return error == NULL ? GMSIM_DONE : fail(error, message);
}

/* Opens what the job names, and has `write` write about it. */
static gmsim_status simulate(const gmsim_job *given, bool (*write)(gmsim_simulation *, GError **),
                             char **report, char **message)
{
    gmsim_job job = {.size = sizeof job};
    gmsim_simulation simulation;
    GError *error = NULL;
    gmsim_status status;
    char *text = NULL;
    size_t length = 0;

    if (report != NULL)
        *report = NULL;
    if (message != NULL)
        *message = NULL;
    memcpy(&job, given, MIN(given->size, sizeof job));
    if (!gmsim_simulation_open(&simulation, &job, "", &error)) {
        status = fail(error, message);
    } else if ((simulation.report.out = open_memstream(&text, &length)) == NULL) {
        status = fail(g_error_new(GMSIM_ERROR, GMSIM_ERROR_IO, "report: %s", g_strerror(errno)),
                      message);
    } else {
        (void)write(&simulation, &error);
        status = finish(simulation.report.out, &text, error, report, message);
    }
    gmsim_simulation_close(&simulation);
    return status;
}

static bool write_report(gmsim_simulation *simulation, GError **error)
{
    const gmsim_result *result;
    bool complete = true;
    uint32_t index;

    gmsim_simulation_begin(simulation);
    while (complete && gmsim_simulation_pending(simulation))
        complete = gmsim_simulation_step(simulation, &result, &index, NULL, NULL, error);
    return gmsim_simulation_end(simulation, complete, complete ? error : NULL);
}

gmsim_status gmsim_simulate(const gmsim_job *job, char **report, char **message)
{
    return simulate(job, write_report, report, message);
}

static bool write_advice(gmsim_simulation *simulation, GError **error)
{
    gmsim_advice advice;
    bool done;

    if (simulation->format->advise == NULL) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "format %s: cannot show advice",
                    simulation->format->name);
        return false;
    }
    gmsim_advice_init(&advice, GMSIM_CHANGES_ALL);
    done = gmsim_advise_run(simulation, &advice, NULL, NULL, NULL, error) &&
           gmsim_simulation_damage(simulation, error);
    if (done)
        simulation->format->advise(&simulation->report, &advice);
    gmsim_advice_clear(&advice);
    return done;
}

gmsim_status gmsim_advise(const gmsim_job *job, char **report, char **message)
{
    return simulate(job, write_advice, report, message);
}

static void put_parameter(const char *key, const char *value, const char *meaning,
                          const char *source, gpointer data)
{
    gmsim_json *json = data;
    guint64 number;

    gmsim_json_object(json, key, true);
    if (g_ascii_string_to_unsigned(value, 10, 0, G_MAXUINT64, &number, NULL))
        gmsim_json_uint(json, "value", number);
    else
        gmsim_json_string(json, "value", value);
    gmsim_json_string(json, "meaning", meaning);
    if (source != NULL && *source != '\0')
        gmsim_json_string(json, "source", source);
    gmsim_json_close(json);
}

static bool put_gpu(gmsim_json *json, const char *name, const char *const *set, bool parameters,
                    GError **error)
{
    gmsim_gpu gpu;

    if (!gmsim_gpu_load(&gpu, name, error) || !gmsim_gpu_set_all(&gpu, (char *const *)set, error))
        return false;
    gmsim_json_object(json, NULL, false);
    gmsim_json_string(json, "name", gpu.name);
    gmsim_json_string(json, "title", gpu.title);
    gmsim_json_array(json, "cc", true);
    gmsim_json_uint(json, NULL, gpu.gpu_cc_major);
    gmsim_json_uint(json, NULL, gpu.gpu_cc_minor);
    gmsim_json_close(json);
    gmsim_json_uint(json, "sm_count", gpu.gpu_sm_count);
    gmsim_json_string(json, "path", gpu.path);
    if (parameters) {
        gmsim_json_object(json, "parameters", false);
        gmsim_gpu_foreach(&gpu, put_parameter, json);
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
    return true;
}

static bool put_gpus(gmsim_json *json, const char *const *set, GError **error)
{
    char **names = gmsim_gpu_list();
    bool done = true;

    if (names[0] == NULL) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_IO,
                    "no GPU files found; set GMSIM_DEVICE_PATH to the folder that holds them");
        done = false;
    }
    gmsim_json_array(json, NULL, false);
    for (char **name = names; done && *name != NULL; name++)
        done = put_gpu(json, *name, set, false, error);
    gmsim_json_close(json);
    g_strfreev(names);
    return done;
}

gmsim_status gmsim_describe_gpus(const char *gpu, const char *const *set, char **description,
                                 char **message)
{
    GError *error = NULL;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    gmsim_json json;

    if (description != NULL)
        *description = NULL;
    if (message != NULL)
        *message = NULL;
    if (out == NULL)
        return fail(g_error_new(GMSIM_ERROR, GMSIM_ERROR_IO, "report: %s", g_strerror(errno)),
                    message);
    gmsim_make_locale();
    gmsim_json_init(&json, out);
    if (gpu != NULL ? put_gpu(&json, gpu, set, true, &error) : put_gpus(&json, set, &error))
        gmsim_json_finish(&json);
    return finish(out, &text, error, description, message);
}

const char *gmsim_version(void)
{
    return PACKAGE_VERSION;
}

void gmsim_free(char *text)
{
    free(text);
}
