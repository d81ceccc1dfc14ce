/* SPDX-License-Identifier: MIT
 *
 * junit.c - JUnit's XML in the form that most readers of it share: testsuites, testsuite, testcase,
 * failure, skipped. Names of any bytes give well-formed XML 1.0. Leaves out times, hosts and
 * properties, so that the same traces give the same bytes.
 */
#include "sim/report/junit.h"

#include <string.h>

#include "sim/report/format.h"

/* Attributes' text. XML has no way to write control characters, nor U+FFFE and U+FFFF. */
static char *escape(const char *text)
{
    char *clean = gmsim_clean(text, 0), *escaped;

    for (char *p = clean; *p != 0; p = g_utf8_next_char(p))
        if (g_utf8_get_char(p) == 0xfffe || g_utf8_get_char(p) == 0xffff)
            memset(p, '?', 3);
    escaped = g_markup_escape_text(clean, -1);
    g_free(clean);
    return escaped;
}

static void put_attribute(FILE *out, const char *key, const char *text)
{
    char *escaped = escape(text);

    fprintf(out, " %s=\"%s\"", key, escaped);
    g_free(escaped);
}

static const gmsim_limit_answer *answer_at(const gmsim_limits *limits, unsigned i)
{
    return limits->answer->pdata[i];
}

/* Counts of the answers from `first` up to `end`. */
static void put_counts(FILE *out, const gmsim_limits *limits, unsigned first, unsigned end)
{
    unsigned failures = 0, skipped = 0;

    for (unsigned i = first; i < end; i++) {
        failures += !gmsim_limit_kept(answer_at(limits, i));
        skipped += gmsim_limit_answer_kind(answer_at(limits, i)) == GMSIM_ANSWER_NONE;
    }
    fprintf(out, " tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\"", end - first, failures,
            skipped);
}

/* Why it is not kept. */
static char *message_of(const gmsim_limit_answer *a)
{
    const gmsim_metric *metric = &gmsim_metrics[a->limit->metric];

    switch (gmsim_limit_answer_kind(a)) {
    case GMSIM_ANSWER_FAILS:
        return g_strdup_printf("%s is %s in launch %u; %u of %u launches do not keep to %s",
                               metric->name, gmsim_shown(metric->unit, a->worst, false).text,
                               a->worst_launch, a->beyond, a->launches, a->limit->text);
    case GMSIM_ANSWER_UNKNOWN:
        return g_strdup_printf("the trace does not tell all that %s counts, in %u of %u launches",
                               metric->name, a->unknown, a->launches);
    default:
        return g_strdup_printf("no kernel's name matches [%s]", a->limit->pattern);
    }
}

static void put_case(FILE *out, const gmsim_limits *limits, const gmsim_limit_answer *a)
{
    fputs("    <testcase", out);
    put_attribute(out, "classname", a->kernel != NULL ? a->kernel : a->limit->pattern);
    put_attribute(out, "name", a->limit->text);
    put_attribute(out, "file", limits->path);
    fprintf(out, " line=\"%u\"", a->limit->line);
    if (gmsim_limit_answer_kind(a) == GMSIM_ANSWER_HOLDS) {
        fputs("/>\n", out);
        return;
    }
    if (gmsim_limit_kept(a)) {
        fputs("><skipped message=\"no launch did what the limit counts\"/></testcase>\n", out);
        return;
    }
    char *message = message_of(a);

    fputs("><failure", out);
    put_attribute(out, "type", gmsim_answer_words[gmsim_limit_answer_kind(a)]);
    put_attribute(out, "message", message);
    fputs("/></testcase>\n", out);
    g_free(message);
}

void gmsim_junit_write(FILE *out, const gmsim_limits *limits)
{
    const unsigned count = limits->answer->len;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gmsim check\"", out);
    put_counts(out, limits, 0, count);
    fputs(">\n", out);
    for (unsigned first = 0, end; first < count; first = end) {
        const char *trace = answer_at(limits, first)->trace;

        for (end = first; end < count && g_strcmp0(answer_at(limits, end)->trace, trace) == 0;)
            end++;
        fputs("  <testsuite", out);
        put_attribute(out, "name", trace != NULL ? trace : limits->path);
        put_counts(out, limits, first, end);
        fputs(">\n", out);
        for (unsigned i = first; i < end; i++)
            put_case(out, limits, answer_at(limits, i));
        fputs("  </testsuite>\n", out);
    }
    fputs("</testsuites>\n", out);
}
