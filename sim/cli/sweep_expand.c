/* SPDX-License-Identifier: MIT
 *
 * sweep_expand.c - "stride={1,2,8..64*2}" to all that it stands for: lists in braces, ranges with a
 * step or a factor. Braces do not nest, and ranges are of whole numbers.
 */
#include "sim/cli/sweep.h"

#include <string.h>

/* The number of "64K" and its unit; -1 where it is none. */
static gint64 read_number(const char *text, char *unit)
{
    static const char units[] = "KMG";
    size_t length = strlen(text);
    const char *at = length > 0 ? strchr(units, text[length - 1]) : NULL;
    char *digits = g_strndup(text, at != NULL ? length - 1 : length);
    guint64 number;
    bool good = g_ascii_string_to_unsigned(digits, 10, 0, G_MAXINT64 >> 30, &number, NULL);

    g_free(digits);
    if (!good || number > (guint64)(G_MAXINT64 >> 30))
        return -1;
    *unit = at != NULL ? *at : 0;
    return (gint64)number << (at != NULL ? 10 * (at - units + 1) : 0);
}

static char *write_number(gint64 number, bool units)
{
    unsigned power = 0;

    while (units && power < 3 && number != 0 && number % 1024 == 0) {
        number /= 1024;
        power++;
    }
    return g_strdup_printf("%" G_GINT64_FORMAT "%s", number,
                           (const char *const[]){"", "K", "M", "G"}[power]);
}

static bool bad_range(const char *option, const char *text)
{
    cli_say("--%s: '%s' is no range; write FIRST..LAST, FIRST..LAST:STEP or FIRST..LAST*FACTOR "
            "with whole numbers, FIRST at most LAST",
            option, text);
    return false;
}

/* "1..32*2" */
static bool add_range(const char *option, const char *text, const char *dots, GPtrArray *values)
{
    char *first = g_strndup(text, (gsize)(dots - text));
    char *last = g_strndup(dots + 2, strcspn(dots + 2, ":*"));
    const char *how = dots + 2 + strlen(last);
    char first_unit = 0, last_unit = 0, step_unit = 0;
    gint64 from = read_number(first, &first_unit), to = read_number(last, &last_unit), step = 1;
    bool factor = *how == '*', units;

    if (*how != 0)
        step = read_number(how + 1, &step_unit);
    g_free(first);
    g_free(last);
    if (from < 0 || to < from || step < 1 || (factor && (step < 2 || from < 1)))
        return bad_range(option, text);
    if (!factor && (to - from) / step >= SWEEP_MOST_POINTS) {
        cli_say("--%s: '%s' has more than %u values", option, text, SWEEP_MOST_POINTS);
        return false;
    }
    units = first_unit != 0 || last_unit != 0;
    while (from <= to) {
        g_ptr_array_add(values, write_number(from, units));
        if (factor ? from > to / step : from > to - step)
            break;
        from = factor ? from * step : from + step;
    }
    return true;
}

/* "1,2,8..64*2" */
static bool add_list(const char *option, const char *text, GPtrArray *values)
{
    char **parts = g_strsplit(text, ",", -1);
    bool good = true;

    for (char **part = parts; good && *part != NULL; part++) {
        const char *value = g_strstrip(*part), *dots = strstr(value, "..");

        if (*value == 0) {
            cli_say("--%s: '{%s}' holds an empty value", option, text);
            good = false;
        } else if (dots != NULL && g_ascii_isdigit(*value) && g_ascii_isdigit(dots[2])) {
            good = add_range(option, value, dots, values);
        } else {
            g_ptr_array_add(values, g_strdup(value));
        }
    }
    if (good && *parts == NULL) {
        cli_say("--%s: '{}' holds no value", option);
        good = false;
    }
    g_strfreev(parts);
    return good;
}

/* A pattern in pieces: text[0] {values[0]} text[1] ... text[n]. */
typedef struct pieces {
    GPtrArray *text, *values;
} pieces;

/* What stands before "={", or all of "stride" in "a:b=1,stride={". */
static char *name_before(const char *pattern, const char *brace)
{
    const char *end = brace, *begin;

    if (end > pattern && end[-1] == '=')
        end--;
    for (begin = end; begin > pattern && strchr(":,={}", begin[-1]) == NULL;)
        begin--;
    return begin < end ? g_strndup(begin, (gsize)(end - begin)) : g_strdup("value");
}

static bool cut(const char *option, const char *pattern, pieces *p, GPtrArray *names)
{
    const char *at = pattern;

    for (;;) {
        size_t length = strcspn(at, "{}");
        const char *open = at + length, *close;
        GPtrArray *values;
        char *inner;
        bool good;

        g_ptr_array_add(p->text, g_strndup(at, length));
        if (*open == 0)
            return true;
        close = *open == '{' ? strpbrk(open + 1, "{}") : NULL;
        if (close == NULL || *close != '}') {
            cli_say("--%s: the braces of '%s' do not match", option, pattern);
            return false;
        }
        values = g_ptr_array_new_with_free_func(g_free);
        g_ptr_array_add(p->values, values);
        inner = g_strndup(open + 1, (gsize)(close - open - 1));
        good = add_list(option, inner, values);
        g_free(inner);
        if (!good)
            return false;
        if (names != NULL)
            g_ptr_array_add(names, name_before(pattern, open));
        at = close + 1;
    }
}

static void put_all(const pieces *p, uint64_t count, GPtrArray *texts, GPtrArray *values)
{
    for (uint64_t i = 0; i < count; i++) {
        GString *text = g_string_new(p->text->pdata[0]);
        char **chosen = g_new0(char *, p->values->len + 1);
        uint64_t rest = i, below = count;

        for (unsigned k = 0; k < p->values->len; k++) {
            const GPtrArray *list = p->values->pdata[k];

            below /= list->len;
            chosen[k] = g_strdup(list->pdata[rest / below]);
            rest %= below;
            g_string_append(text, chosen[k]);
            g_string_append(text, p->text->pdata[k + 1]);
        }
        g_ptr_array_add(texts, g_string_free(text, FALSE));
        if (values != NULL)
            g_ptr_array_add(values, chosen);
        else
            g_strfreev(chosen);
    }
}

bool sweep_expand(const char *option, const char *pattern, GPtrArray *texts, GPtrArray *values,
                  GPtrArray *names)
{
    pieces p = {g_ptr_array_new_with_free_func(g_free),
                g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref)};
    uint64_t count = 1;
    bool good = cut(option, pattern, &p, names);

    for (unsigned k = 0; good && k < p.values->len; k++) {
        count *= ((const GPtrArray *)p.values->pdata[k])->len;
        if (count > SWEEP_MOST_POINTS) {
            cli_say("--%s: '%s' is more than %u points", option, pattern, SWEEP_MOST_POINTS);
            good = false;
        }
    }
    if (good)
        put_all(&p, count, texts, values);
    g_ptr_array_unref(p.text);
    g_ptr_array_unref(p.values);
    return good;
}
