/* SPDX-License-Identifier: MIT
 *
 * application_words.c - the texts of application_words.h.
 */
#include "sim/report/application_words.h"

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/names.h"

char **gmsim_application_names(const gmsim_application *application, unsigned width)
{
    const unsigned count = gmsim_application_kernels(application);
    char **name = g_new0(char *, count + 1), **text;
    GHashTable *times = g_hash_table_new(g_str_hash, g_str_equal);

    for (unsigned i = 0; i < count; i++) {
        const char *own = gmsim_application_kernel(application, i)->sum.kernel->name;
        const unsigned before = GPOINTER_TO_UINT(g_hash_table_lookup(times, own));

        name[i] = before > 0 ? g_strdup_printf("%s #%u", own, before + 1) : g_strdup(own);
        g_hash_table_insert(times, (gpointer)own, GUINT_TO_POINTER(before + 1));
    }
    text = gmsim_short_names((const char *const *)name, count, width);
    g_hash_table_unref(times);
    g_strfreev(name);
    return text;
}

char *gmsim_application_verdict(const gmsim_application *application, char *const *name,
                                const char *what)
{
    const gmsim_kernel_total *total = gmsim_application_total(application), *kernel;
    unsigned *order = gmsim_application_order(application, GMSIM_BY_CLOCKS);
    GString *text = g_string_new(NULL);

    kernel = gmsim_application_kernel(application, order[0]);
    if (kernel->launches > 1)
        g_string_append_printf(text, "%s takes %s of the cycles in %s launches. Its longest, %u: ",
                               name[order[0]], gmsim_percentage(kernel->clocks, total->clocks).text,
                               gmsim_count(kernel->launches).text, kernel->longest);
    else
        g_string_append_printf(text, "%s takes %s of the cycles in launch %u. ", name[order[0]],
                               gmsim_percentage(kernel->clocks, total->clocks).text,
                               kernel->longest);
    g_string_append(text, what);
    g_free(order);
    return g_string_free(text, FALSE);
}

char *gmsim_application_sampled_words(const gmsim_application *application)
{
    const gmsim_kernel_total *total = gmsim_application_total(application);
    const gmsim_sampled sampled = gmsim_application_sampled(application, NULL);
    GString *text;

    if (sampled.launches == 0)
        return NULL;
    text = g_string_new(NULL);
    g_string_append_printf(
        text,
        "%s of %s launches were captured. The others have kernel, shape and parameters of one of "
        "these and count as those of their kind do: %s cycles, ",
        gmsim_count(total->captured).text, gmsim_count(total->launches).text,
        gmsim_count(sampled.clocks).text);
    if (sampled.alone < sampled.launches)
        g_string_append_printf(text, "%s were all as their kind's shortest, %s as its longest. ",
                               gmsim_count(sampled.least).text, gmsim_count(sampled.most).text);
    if (sampled.alone > 0)
        g_string_append_printf(
            text, "%s of them are of %s kind%s captured once, whose spread is not known. ",
            sampled.alone == sampled.launches ? "All" : gmsim_count(sampled.alone).text,
            gmsim_count(sampled.alone_kinds).text, sampled.alone_kinds == 1 ? "" : "s");
    g_string_append(text, "What they did to L2 is not known.");
    return g_string_free(text, FALSE);
}

char *gmsim_application_unknown(const gmsim_application *application, char *const *name)
{
    const uint32_t launches = gmsim_application_total(application)->unknown;
    const unsigned kernels = gmsim_application_kernels(application);
    unsigned first = kernels, others = 0;
    GString *text;

    for (unsigned i = kernels; i > 0; i--) {
        if (gmsim_application_kernel(application, i - 1)->unknown > 0) {
            others += first < kernels;
            first = i - 1;
        }
    }
    if (launches == 0)
        return NULL;
    text = g_string_new(NULL);
    g_string_append_printf(text, "%s launch%s of %s", gmsim_count(launches).text,
                           launches == 1 ? "" : "es", name[first]);
    if (others > 0)
        g_string_append_printf(text, " and %u more kernel%s", others, others == 1 ? "" : "s");
    g_string_append(text,
                    " moved data that the capture could not see (see Model): they have no times "
                    "and are in no sum of all.");
    return g_string_free(text, FALSE);
}

char *gmsim_bound_words(const gmsim_result *result)
{
    const uint64_t least = result->min_cycles[result->bound];

    if (least == 0 || (result->unseen & GMSIM_UNSEEN_TRAFFIC))
        return g_strdup("-");
    if (!result->timed || result->timing.cycles == 0)
        return g_strdup(gmsim_resource_name(result->bound));
    return g_strdup_printf("%s %.0f%%", gmsim_resource_name(result->bound),
                           100.0 * (double)least / (double)result->timing.cycles);
}

char *gmsim_time_words(const gmsim_timing *timing)
{
    static const struct {
        double least;
        const char *unit;
    } scale[] = {{1e6, "s"}, {1e3, "ms"}, {1, "us"}};
    const double us = (double)timing->cycles / MAX(timing->clock_mhz, 1);
    unsigned at = 0;
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    while (at + 1 < G_N_ELEMENTS(scale) && us < scale[at].least)
        at++;
    g_ascii_formatd(number, sizeof number, "%.2f", us / scale[at].least);
    return g_strdup_printf("%s %s", number, scale[at].unit);
}
