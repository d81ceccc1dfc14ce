/* SPDX-License-Identifier: MIT
 *
 * sweep_expand.c - "stride={1,2,8..64*2}" to all that it stands for: lists in braces, ranges with a
 * step or a factor. Braces do not nest, and ranges are of whole numbers. A comma behind a backslash
 * belongs to its value.
 */
#include "sim/cli/sweep.h"

#include "traces/gmtrace.h"

#include <string.h>

/* The number of "64K", and whether it has a unit; -1 where it is none. */
static gint64 read_number(const char *text, bool *unit)
{
    uint64_t number;

    if (!gmtrace_read_size(text, &number) || number > G_MAXINT64)
        return -1;
    *unit |= text[strspn(text, "0123456789")] != 0;
    return (gint64)number;
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
    /* A pattern's or a setting's numbers may keep their unit, atoi("64K") of a program is 64. */
    const bool plain = strcmp(option, "run") == 0;
    bool factor = *how == '*', units = false, step_units = false;
    gint64 from = read_number(first, &units), to = read_number(last, &units), step = 1;

    if (*how != 0)
        step = read_number(how + 1, &step_units);
    g_free(first);
    g_free(last);
    if (from < 0 || to < from || step < 1 || (factor && (step < 2 || from < 1)))
        return bad_range(option, text);
    if (!factor && (to - from) / step >= SWEEP_MOST_POINTS) {
        cli_say("--%s: '%s' has more than %u values", option, text, SWEEP_MOST_POINTS);
        return false;
    }
    while (from <= to) {
        g_ptr_array_add(values, write_number(from, units && !plain));
        if (factor ? from > to / step : from > to - step)
            break;
        from = factor ? from * step : from + step;
    }
    return true;
}

/* At its commas, those behind a backslash aside, which stand for themselves. */
static char **split(const char *text)
{
    GPtrArray *parts = g_ptr_array_new();
    GString *part = g_string_new(NULL);

    for (; *text != 0; text++) {
        if (*text == ',') {
            g_ptr_array_add(parts, g_string_free(part, FALSE));
            part = g_string_new(NULL);
        } else {
            text += text[0] == '\\' && text[1] == ',';
            g_string_append_c(part, *text);
        }
    }
    if (parts->len > 0 || part->len > 0)
        g_ptr_array_add(parts, g_string_free(part, FALSE));
    else
        g_string_free(part, TRUE);
    g_ptr_array_add(parts, NULL);
    return (char **)g_ptr_array_free(parts, FALSE);
}

/* "1,2,8..64*2" */
static bool add_list(const char *option, const char *text, GPtrArray *values)
{
    char **parts = split(text);
    bool good = true;

    for (char **part = parts; good && *part != NULL; part++) {
        if (values->len > SWEEP_MOST_POINTS) {
            cli_say("--%s: '{%s}' has more than %u values", option, text, SWEEP_MOST_POINTS);
            good = false;
            break;
        }

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

/* The program, or the number of its argument, that the brace is in. */
static char *argument_at(const char *pattern, const char *brace)
{
    unsigned number = 0;

    for (const char *p = pattern; p < brace; p++)
        number += *p == SWEEP_ARGUMENT_CHAR;
    return number > 0 ? g_strdup_printf("arg%u", number) : g_strdup("program");
}

/* What stands before "={", or all of "stride" in "a:b=1,stride={". */
static char *name_before(const char *pattern, const char *brace)
{
    const bool program = strchr(pattern, SWEEP_ARGUMENT_CHAR) != NULL;
    const char *end = brace, *begin;

    if (end > pattern && end[-1] == '=')
        end--;
    else if (program)
        return argument_at(pattern, brace);
    for (begin = end; begin > pattern && strchr(":,={}" SWEEP_ARGUMENT, begin[-1]) == NULL;)
        begin--;
    while (program && begin < end && *begin == '-') /* "--size={...}" */
        begin++;
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
