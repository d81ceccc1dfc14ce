/* SPDX-License-Identifier: MIT
 *
 * reasons.c - reads the list of reasons.h.
 */
#include "validate/reasons.h"

#include "sim/device/gpu.h"
#include "validate/lines.h"

typedef struct gmsim_reason {
    GRegex *label, *metric;
    char *text;
} gmsim_reason;

static void clear(gpointer data)
{
    gmsim_reason *reason = data;

    g_regex_unref(reason->label);
    g_regex_unref(reason->metric);
    g_free(reason->text);
}

GArray *gmsim_reasons_new(void)
{
    GArray *reasons = g_array_new(FALSE, TRUE, sizeof(gmsim_reason));

    g_array_set_clear_func(reasons, clear);
    return reasons;
}

static GRegex *pattern(const char *text, const char *path, unsigned number, GError **error)
{
    char *whole = g_strdup_printf("^(?:%s)$", text);
    GError *cause = NULL;
    GRegexCompileFlags flags = G_REGEX_DOLLAR_ENDONLY | G_REGEX_RAW; /* bytes of any kind */
    GRegex *regex = g_regex_new(whole, flags, (GRegexMatchFlags)0, &cause);

    g_free(whole);
    if (regex == NULL) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "%s:%u: '%s' is no pattern: %s", path,
                    number, text, cause->message);
        g_error_free(cause);
    }
    return regex;
}

static bool add_line(GArray *reasons, const char *path, unsigned number, char *line, GError **error)
{
    gmsim_reason reason = {.text = NULL};
    const char *label = gmsim_next_word(&line), *metric = gmsim_next_word(&line);
    const char *text = g_strstrip(line);

    if (text[0] == '\0') {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                    "%s:%u: should hold a pattern for traces, one for metrics and a sentence", path,
                    number);
        return false;
    }
    reason.label = pattern(label, path, number, error);
    if (reason.label == NULL)
        return false;
    reason.metric = pattern(metric, path, number, error);
    if (reason.metric == NULL) {
        g_regex_unref(reason.label);
        return false;
    }
    reason.text = g_strdup(text);
    g_array_append_val(reasons, reason);
    return true;
}

bool gmsim_reasons_load(GArray *reasons, const char *path, GError **error)
{
    return gmsim_lines_read(reasons, path, "reasons", add_line, error);
}

const char *gmsim_reason_for(const GArray *reasons, const char *label, const char *metric)
{
    for (unsigned i = 0; i < reasons->len; i++) {
        const gmsim_reason *reason = &g_array_index(reasons, gmsim_reason, i);

        if (g_regex_match(reason->label, label, (GRegexMatchFlags)0, NULL) &&
            g_regex_match(reason->metric, metric, (GRegexMatchFlags)0, NULL))
            return reason->text;
    }
    return "";
}
