/* SPDX-License-Identifier: MIT
 *
 * limits.c - reads and checks the limits of limits.h.
 */
#include "validate/limits.h"

#include <math.h>
#include <string.h>

static bool usage(GError **error, const char *where, const char *what)
{
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "%s: %s", where, what);
    return false;
}

static bool add(GArray *limits, const char *metric, gmsim_limit_kind kind, const char *value,
                const char *where, GError **error)
{
    gmsim_limit limit = {.kind = kind};
    int index = gmsim_quantity_find(metric);
    char *end;

    if (index < 0) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                    "%s: no metric is called '%s'; gmvalidate --list shows those there are", where,
                    metric);
        return false;
    }
    limit.metric = (unsigned)index;
    limit.bound = g_ascii_strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(limit.bound) || limit.bound < 0)
        return usage(error, where, "a limit must be a number not below 0");
    for (unsigned i = 0; i < limits->len; i++) {
        gmsim_limit *old = &g_array_index(limits, gmsim_limit, i);

        if (old->metric == limit.metric && old->kind == limit.kind) {
            old->bound = limit.bound;
            return true;
        }
    }
    g_array_append_val(limits, limit);
    return true;
}

bool gmsim_limit_parse(GArray *limits, const char *assignment, GError **error)
{
    char *where = g_strdup_printf("--limit %s", assignment);
    const char *equals = strchr(assignment, '=');
    char *metric;
    gmsim_limit_kind kind;
    bool done;

    if (equals == NULL) {
        usage(error, where, "should read METRIC=VALUE, METRIC:max=VALUE or METRIC:min=VALUE");
        g_free(where);
        return false;
    }
    metric = g_strndup(assignment, (size_t)(equals - assignment));
    kind = g_str_has_suffix(metric, ":max")   ? GMSIM_LIMIT_MAX
           : g_str_has_suffix(metric, ":min") ? GMSIM_LIMIT_MINIMUM
                                              : GMSIM_LIMIT_MEAN;
    if (kind != GMSIM_LIMIT_MEAN)
        metric[strlen(metric) - strlen(":max")] = '\0';
    done = add(limits, metric, kind, equals + 1, where, error);
    g_free(metric);
    g_free(where);
    return done;
}

static bool load_group(GArray *limits, GKeyFile *file, const char *path, const char *group,
                       gmsim_limit_kind kind, GError **error)
{
    char **keys = g_key_file_get_keys(file, group, NULL, error);
    bool done = keys != NULL;

    for (size_t i = 0; done && keys[i] != NULL; i++) {
        GError *cause = NULL;
        char *value = g_key_file_get_string(file, group, keys[i], &cause);
        char *where = g_strdup_printf("%s: [%s] %s", path, group, keys[i]);

        if (cause != NULL) { /* which some values come with */
            g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "%s: %s", where, cause->message);
            g_error_free(cause);
            done = false;
        } else {
            done = add(limits, keys[i], kind, value, where, error);
        }
        g_free(where);
        g_free(value);
    }
    g_strfreev(keys);
    return done;
}

bool gmsim_limits_load(GArray *limits, const char *path, GError **error)
{
    static const char *const names[] = {"mean", "max", "minimum"}; /* by gmsim_limit_kind */
    GKeyFile *file = g_key_file_new();
    GError *cause = NULL;
    char **groups = NULL;
    bool done = true;

    if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, &cause)) {
        g_set_error(error, GMSIM_ERROR,
                    cause->domain == G_KEY_FILE_ERROR ? GMSIM_ERROR_CORRUPT : GMSIM_ERROR_IO,
                    "%s: cannot be read as limits: %s", path, cause->message);
        g_error_free(cause);
        g_key_file_free(file);
        return false;
    }
    groups = g_key_file_get_groups(file, NULL);
    for (size_t i = 0; done && groups[i] != NULL; i++) {
        unsigned kind = 0;

        while (kind < G_N_ELEMENTS(names) && strcmp(groups[i], names[kind]) != 0)
            kind++;
        if (kind == G_N_ELEMENTS(names)) {
            g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                        "%s: [%s]: limits stand in the groups [mean], [max] and [minimum]", path,
                        groups[i]);
            done = false;
        } else {
            done = load_group(limits, file, path, groups[i], (gmsim_limit_kind)kind, error);
        }
    }
    g_strfreev(groups);
    g_key_file_free(file);
    return done;
}

void gmsim_limits_apply(const GArray *limits, gmsim_comparisons *all)
{
    for (unsigned i = 0; i < limits->len; i++) {
        const gmsim_limit *limit = &g_array_index(limits, gmsim_limit, i);

        if (limit->kind == GMSIM_LIMIT_MINIMUM)
            all->minimum[limit->metric] = limit->bound;
    }
}

char *gmsim_limit_broken(const gmsim_limit *limit, const gmsim_statistics *statistics)
{
    const gmsim_metric *metric = &gmsim_metrics[limit->metric];
    const char *unit = metric->unit == GMSIM_UNIT_PERCENT ? "points" : "%";
    bool is_max = limit->kind == GMSIM_LIMIT_MAX;
    double error = is_max ? statistics->max_error : statistics->mean_error;

    if (limit->kind == GMSIM_LIMIT_MINIMUM)
        return NULL;
    if (statistics->compared == 0)
        return g_strdup_printf("%s: has a limit, but was compared nowhere", metric->name);
    if (statistics->from_zero > 0)
        return g_strdup_printf("%s: measured 0 in %u launches where something was predicted",
                               metric->name, statistics->from_zero);
    if (error <= limit->bound)
        return NULL;
    return g_strdup_printf("%s: %s error %.3g %s, allowed %.3g", metric->name,
                           is_max ? "largest" : "mean", error, unit, limit->bound);
}
