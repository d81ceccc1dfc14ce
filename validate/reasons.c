/* SPDX-License-Identifier: MIT
 *
 * reasons.c - reads the list of reasons.h.
 */
#include "validate/reasons.h"

#include "sim/device/gpu.h"

#include <string.h>

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
    GRegex *regex = g_regex_new(whole, G_REGEX_DOLLAR_ENDONLY, (GRegexMatchFlags)0, &cause);

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
    char *word[3];
    char *rest = line;

    for (unsigned i = 0; i < 3; i++) {
        rest += strspn(rest, " \t");
        word[i] = rest;
        if (i == 2)
            break;
        rest += strcspn(rest, " \t");
        if (*rest != '\0')
            *rest++ = '\0';
    }
    if (word[2][0] == '\0') {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                    "%s:%u: should hold a pattern for traces, one for metrics and a sentence", path,
                    number);
        return false;
    }
    reason.label = pattern(word[0], path, number, error);
    if (reason.label == NULL)
        return false;
    reason.metric = pattern(word[1], path, number, error);
    if (reason.metric == NULL) {
        g_regex_unref(reason.label);
        return false;
    }
    reason.text = g_strdup(word[2]);
    g_array_append_val(reasons, reason);
    return true;
}

bool gmsim_reasons_load(GArray *reasons, const char *path, GError **error)
{
    GError *cause = NULL;
    char *text, **lines;
    bool done = true;

    if (!g_file_get_contents(path, &text, NULL, &cause)) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_IO, "%s: cannot be read as reasons: %s", path,
                    cause->message);
        g_error_free(cause);
        return false;
    }
    lines = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; done && lines[i] != NULL; i++) {
        char *line = g_strstrip(lines[i]);

        if (line[0] != '\0' && line[0] != '#')
            done = add_line(reasons, path, i + 1, line, error);
    }
    g_strfreev(lines);
    g_free(text);
    return done;
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
