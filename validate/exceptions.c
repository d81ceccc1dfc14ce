/* SPDX-License-Identifier: MIT
 *
 * exceptions.c - reads the list of exceptions.h.
 */
#include "validate/exceptions.h"

#include "sim/analysis/metrics.h"
#include "validate/lines.h"

#include <string.h>

static void clear(gpointer data)
{
    gmsim_exception *exception = data;

    g_free(exception->label);
    g_free(exception->reason);
}

GArray *gmsim_exceptions_new(void)
{
    GArray *exceptions = g_array_new(FALSE, TRUE, sizeof(gmsim_exception));

    g_array_set_clear_func(exceptions, clear);
    return exceptions;
}

static bool add_line(GArray *exceptions, const char *path, unsigned number, char *line,
                     GError **error)
{
    gmsim_exception exception = {.used = 0};
    const char *label = gmsim_next_word(&line), *metric = gmsim_next_word(&line);
    const char *reason = g_strstrip(line);
    int index;

    if (metric == NULL || reason[0] == '\0') {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                    "%s:%u: should hold a trace's name, a metric and a reason", path, number);
        return false;
    }
    index = gmsim_metric_find(metric);
    if (index < 0 || gmsim_metrics[index].family != GMSIM_FAMILY_EXACT) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                    "%s:%u: '%s' is no metric of the exact family", path, number, metric);
        return false;
    }
    exception.label = g_strdup(label);
    exception.metric = (unsigned)index;
    exception.reason = g_strdup(reason);
    g_array_append_val(exceptions, exception);
    return true;
}

bool gmsim_exceptions_load(GArray *exceptions, const char *path, GError **error)
{
    return gmsim_lines_read(exceptions, path, "exceptions", add_line, error);
}

gmsim_exception *gmsim_exceptions_find(GArray *exceptions, const char *label, unsigned metric)
{
    for (unsigned i = 0; i < exceptions->len; i++) {
        gmsim_exception *exception = &g_array_index(exceptions, gmsim_exception, i);

        if (exception->metric == metric && strcmp(exception->label, label) == 0)
            return exception;
    }
    return NULL;
}
