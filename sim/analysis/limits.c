/* SPDX-License-Identifier: MIT
 *
 * limits.c - reads limits and asks launches. Keeps an answer a limit and kernel, nothing a launch.
 * Leaves out limits on sums over launches, and on single instructions.
 */
#include "sim/analysis/limits.h"

#include <math.h>
#include <string.h>

#include "sim/device/ini.h"

const char *const gmsim_answer_words[GMSIM_ANSWERS] = {
    [GMSIM_ANSWER_HOLDS] = "holds",   [GMSIM_ANSWER_NONE] = "nothing",
    [GMSIM_ANSWER_FAILS] = "fails",   [GMSIM_ANSWER_UNKNOWN] = "unknown",
    [GMSIM_ANSWER_NOBODY] = "nobody",
};

/* -------------------------------------------------------------------------------------- reading */

typedef struct reading {
    gmsim_limits *limits;
    GRegex *kernel; /* of the present group */
} reading;

static void free_limit(gpointer data)
{
    gmsim_limit *limit = data;

    if (limit->kernel != NULL)
        g_regex_unref(limit->kernel);
    g_free(limit->pattern);
    g_free(limit->text);
    g_free(limit);
}

/* "1.1", "64M" */
static bool read_bound(const char *text, double *bound)
{
    static const char units[] = "KMG";
    char *end;
    const char *unit;

    *bound = g_ascii_strtod(text, &end);
    if (end == text || !isfinite(*bound))
        return false;
    unit = *end != 0 ? strchr(units, g_ascii_toupper(*end)) : NULL;
    if (unit != NULL) {
        *bound *= (double)(1ull << 10 * (unit - units + 1));
        end++;
    }
    return *end == 0;
}

static bool begin_group(reading *r, unsigned line, const char *pattern, GError **error)
{
    GError *why = NULL;
    bool good;

    if (r->kernel != NULL)
        g_regex_unref(r->kernel);
    r->kernel = strcmp(pattern, "*") == 0
                    ? NULL
                    : g_regex_new(pattern, G_REGEX_OPTIMIZE | G_REGEX_RAW, 0, &why);
    good = why == NULL || gmsim_ini_fail(error, r->limits->path, line, "%s", why->message);
    g_clear_error(&why);
    return good;
}

/* "shared.per_request <" and "1.1": what stands at the sides of the sign '='. */
static bool visit(unsigned line, const char *group, const char *key, const char *value,
                  const char *comment, gpointer data, GError **error)
{
    static const char *const signs[] = {
        [GMSIM_AT_MOST] = "<=", [GMSIM_AT_LEAST] = ">=", [GMSIM_EQUAL] = "="};
    reading *r = data;
    gmsim_limit *limit;

    (void)comment;
    if (key == NULL)
        return begin_group(r, line, group, error);
    g_autofree char *name = g_strdup(key);
    size_t length = strlen(name);
    gmsim_relation relation = length > 0 && name[length - 1] == '<'   ? GMSIM_AT_MOST
                              : length > 0 && name[length - 1] == '>' ? GMSIM_AT_LEAST
                                                                      : GMSIM_EQUAL;
    double bound;
    int metric;

    if (relation != GMSIM_EQUAL)
        name[length - 1] = 0;
    g_strchomp(name);
    metric = gmsim_metric_find(name);
    if (metric < 0)
        return gmsim_ini_fail(error, r->limits->path, line,
                              "no metric is called '%s'; gmsim(1) lists them", name);
    if (!read_bound(value, &bound))
        return gmsim_ini_fail(error, r->limits->path, line,
                              "'%s' is no number such as 1.1 or 64M; write METRIC <= NUMBER, "
                              "METRIC >= NUMBER or METRIC = NUMBER",
                              value);
    limit = g_new(gmsim_limit, 1);
    *limit = (gmsim_limit){.line = line,
                           .pattern = g_strdup(group),
                           .kernel = r->kernel != NULL ? g_regex_ref(r->kernel) : NULL,
                           .metric = (unsigned)metric,
                           .relation = relation,
                           .bound = bound,
                           .text = g_strdup_printf("%s %s %s", name, signs[relation], value)};
    g_ptr_array_add(r->limits->limit, limit);
    return true;
}

static void free_answer(gpointer data)
{
    gmsim_limit_answer *answer = data;

    g_free(answer->trace);
    g_free(answer->kernel);
    g_free(answer);
}

bool gmsim_limits_read(gmsim_limits *limits, const char *path, GError **error)
{
    reading r = {.limits = limits};
    bool good;

    *limits = (gmsim_limits){.path = g_strdup(path),
                             .limit = g_ptr_array_new_with_free_func(free_limit),
                             .answer = g_ptr_array_new_with_free_func(free_answer),
                             .find = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    good = gmsim_ini_read(path, visit, &r, error);
    if (r.kernel != NULL)
        g_regex_unref(r.kernel);
    if (good && limits->limit->len == 0)
        good = gmsim_ini_fail(error, path, 0,
                              "holds no limits; write [KERNEL] and below it METRIC <= NUMBER");
    return good;
}

void gmsim_limits_clear(gmsim_limits *limits)
{
    if (limits->path == NULL)
        return;
    g_hash_table_unref(limits->find);
    g_ptr_array_unref(limits->answer);
    g_ptr_array_unref(limits->limit);
    g_free(limits->path);
    *limits = (gmsim_limits){0};
}

/* --------------------------------------------------------------------------------------- asking */

static bool matches(const gmsim_limit *limit, const gmtrace_kernel *kernel)
{
    return limit->kernel == NULL || g_regex_match(limit->kernel, kernel->name, 0, NULL) ||
           g_regex_match(limit->kernel, kernel->mangled, 0, NULL);
}

/* How far the value is on the wrong side; at most 0 where the limit holds. */
static double beyond(const gmsim_limit *limit, double value)
{
    switch (limit->relation) {
    case GMSIM_AT_MOST:
        return value - limit->bound;
    case GMSIM_AT_LEAST:
        return limit->bound - value;
    case GMSIM_EQUAL:
    default:
        return fabs(value - limit->bound);
    }
}

static gmsim_limit_answer *answer_of(gmsim_limits *limits, unsigned number, const char *trace,
                                     const char *kernel)
{
    char *key = g_strdup_printf("%u\n%s\n%s", number, trace, kernel);
    gmsim_limit_answer *answer = g_hash_table_lookup(limits->find, key);

    if (answer != NULL) {
        g_free(key);
        return answer;
    }
    answer = g_new(gmsim_limit_answer, 1);
    *answer = (gmsim_limit_answer){.limit = limits->limit->pdata[number],
                                   .trace = g_strdup(trace),
                                   .kernel = g_strdup(kernel),
                                   .worst = (double)NAN,
                                   .order = limits->answer->len};
    g_ptr_array_add(limits->answer, answer);
    g_hash_table_insert(limits->find, key, answer);
    return answer;
}

void gmsim_limits_ask(gmsim_limits *limits, const char *trace, uint32_t index,
                      const gmsim_result *result)
{
    for (unsigned i = 0; i < limits->limit->len; i++) {
        gmsim_limit *limit = limits->limit->pdata[i];
        gmsim_limit_answer *answer;
        double value;

        if (!matches(limit, result->kernel))
            continue;
        limit->asked = true;
        answer = answer_of(limits, i, trace, result->kernel->name);
        answer->launches++;
        if (gmsim_metric_value(result, limit->metric, &value) && isfinite(value)) {
            answer->beyond += beyond(limit, value) > 0;
            if (answer->valued++ == 0 || beyond(limit, value) > beyond(limit, answer->worst)) {
                answer->worst = value;
                answer->worst_launch = index;
            }
        } else {
            answer->unknown += gmsim_metric_unseen(result, limit->metric);
        }
    }
}

/* Those of one trace by their limit; traces and kernels as they came. Who was never asked is last.
 */
static gint by_limit(gconstpointer left, gconstpointer right)
{
    const gmsim_limit_answer *a = *(gmsim_limit_answer *const *)left;
    const gmsim_limit_answer *b = *(gmsim_limit_answer *const *)right;

    if (a->limit != b->limit && g_strcmp0(a->trace, b->trace) == 0)
        return a->limit->line < b->limit->line ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void gmsim_limits_finish(gmsim_limits *limits)
{
    for (unsigned i = 0; i < limits->limit->len; i++) {
        gmsim_limit_answer *answer;

        if (((gmsim_limit *)limits->limit->pdata[i])->asked)
            continue;
        answer = g_new(gmsim_limit_answer, 1);
        *answer = (gmsim_limit_answer){
            .limit = limits->limit->pdata[i], .worst = (double)NAN, .order = limits->answer->len};
        g_ptr_array_add(limits->answer, answer);
    }
    g_ptr_array_sort(limits->answer, by_limit);
}

gmsim_answer_kind gmsim_limit_answer_kind(const gmsim_limit_answer *answer)
{
    return answer->launches == 0 ? GMSIM_ANSWER_NOBODY
           : answer->beyond > 0  ? GMSIM_ANSWER_FAILS
           : answer->unknown > 0 ? GMSIM_ANSWER_UNKNOWN
           : answer->valued == 0 ? GMSIM_ANSWER_NONE
                                 : GMSIM_ANSWER_HOLDS;
}

bool gmsim_limit_kept(const gmsim_limit_answer *answer)
{
    const gmsim_answer_kind kind = gmsim_limit_answer_kind(answer);

    return kind == GMSIM_ANSWER_HOLDS || kind == GMSIM_ANSWER_NONE;
}
