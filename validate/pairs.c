/* SPDX-License-Identifier: MIT
 *
 * pairs.c - reads pairs of versions, computes their speed-ups, prints them. Leaves out the spread
 * of the measurements: a pair within 2 % of 1 on either side has no direction.
 */
#include "validate/pairs.h"

#include "validate/lines.h"

#include <math.h>
#include <string.h>

#define CYCLES "gpc__cycles_elapsed.max"

static void clear_pair(gpointer data)
{
    gmsim_pair *pair = data;

    g_free(pair->base);
    g_free(pair->variant);
    g_free(pair->title);
}

GArray *gmsim_pairs_new(void)
{
    GArray *pairs = g_array_new(FALSE, TRUE, sizeof(gmsim_pair));

    g_array_set_clear_func(pairs, clear_pair);
    return pairs;
}

static bool add_line(GArray *pairs, const char *path, unsigned number, char *line, GError **error)
{
    const char *base = gmsim_next_word(&line), *variant = gmsim_next_word(&line);
    const char *claimed = gmsim_next_word(&line);
    bool none = g_strcmp0(claimed, "-") == 0;
    gmsim_pair pair = {0};
    char *end;

    if (claimed != NULL && !none)
        pair.claimed = g_ascii_strtod(claimed, &end);
    if (claimed == NULL ||
        (!none && (end == claimed || *end != 0 || !isfinite(pair.claimed) || pair.claimed <= 0))) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT,
                    "%s:%u: should read BASE VARIANT CLAIMED TITLE, CLAIMED a number or -", path,
                    number);
        return false;
    }
    pair.base = g_strdup(base);
    pair.variant = g_strdup(variant);
    pair.title = g_strdup(g_strstrip(line));
    g_array_append_val(pairs, pair);
    return true;
}

bool gmsim_pairs_read(GArray *pairs, const char *path, GError **error)
{
    return gmsim_lines_read(pairs, path, "pairs", add_line, error);
}

/* Sums over the trace's launches; false if one of them has no value. */
static bool sum_cycles(const gmsim_validate_report *report, unsigned metric, const char *label,
                       double *predicted, double *measured)
{
    bool all = true, some = false;

    *predicted = *measured = 0;
    for (unsigned i = 0; i < report->all->launches; i++) {
        const gmsim_comparison *c;

        if (strcmp(report->launch[i].label, label) != 0)
            continue;
        c = gmsim_comparison_at(report->all, i, metric);
        some = true;
        all = all && (c->outcome == GMSIM_OUTCOME_EQUAL || c->outcome == GMSIM_OUTCOME_DIFFERENT);
        *predicted += c->predicted;
        *measured += c->measured;
    }
    return some && all && *predicted > 0 && *measured > 0;
}

void gmsim_pairs_compute(GArray *pairs, const gmsim_validate_report *report)
{
    int metric = gmsim_quantity_find(CYCLES);

    for (unsigned i = 0; metric >= 0 && i < pairs->len; i++) {
        gmsim_pair *pair = &g_array_index(pairs, gmsim_pair, i);
        double base[2], variant[2];

        pair->compared =
            sum_cycles(report, (unsigned)metric, pair->base, &base[0], &base[1]) &&
            sum_cycles(report, (unsigned)metric, pair->variant, &variant[0], &variant[1]);
        if (pair->compared) {
            pair->predicted = base[0] / variant[0];
            pair->measured = base[1] / variant[1];
        }
    }
}

double gmsim_pair_error(const gmsim_pair *pair)
{
    return 100 * (pair->predicted / pair->measured - 1);
}

static int direction(double speedup)
{
    if (fabs(speedup - 1) * 100 <= GMSIM_PAIR_SAME)
        return 0;
    return speedup > 1 ? 1 : -1;
}

bool gmsim_pair_is_wrong(const gmsim_pair *pair)
{
    return direction(pair->predicted) * direction(pair->measured) < 0;
}

gmsim_pairs_summary gmsim_pairs_summarize(const GArray *pairs, double within)
{
    gmsim_pairs_summary s = {.pairs = pairs->len};

    for (unsigned i = 0; i < pairs->len; i++) {
        const gmsim_pair *pair = &g_array_index(pairs, gmsim_pair, i);
        double error;

        if (!pair->compared)
            continue;
        error = fabs(gmsim_pair_error(pair));
        s.compared++;
        s.within += error <= within;
        s.wrong += gmsim_pair_is_wrong(pair);
        s.mean_error += error;
        s.worst_error = MAX(s.worst_error, error);
    }
    if (s.compared > 0)
        s.mean_error /= s.compared;
    return s;
}

static char *number(double value)
{
    return value > 0 ? g_strdup_printf(value >= 100 ? "%.0f" : "%.3g", value) : g_strdup("");
}

static void put_row(gmsim_table *t, const gmsim_pair *pair, double within, bool csv)
{
    gmsim_table_put(t, pair->base);
    gmsim_table_put(t, pair->variant);
    gmsim_table_take(t, number(pair->claimed));
    gmsim_table_take(t, csv && pair->compared ? g_strdup_printf("%.6g", pair->measured)
                                              : number(pair->measured));
    gmsim_table_take(t, csv && pair->compared ? g_strdup_printf("%.6g", pair->predicted)
                                              : number(pair->predicted));
    gmsim_table_take(t, pair->compared
                            ? g_strdup_printf("%+.1f%s", gmsim_pair_error(pair), csv ? "" : "%")
                            : g_strdup(""));
    gmsim_table_put(t, !pair->compared                          ? "not compared"
                       : gmsim_pair_is_wrong(pair)              ? "wrong direction"
                       : fabs(gmsim_pair_error(pair)) <= within ? "within"
                                                                : "outside");
    gmsim_table_put(t, pair->title);
}

void gmsim_print_pairs(const GArray *pairs, double within, gmsim_validate_format format, FILE *out)
{
    static const char *const head[] = {"base",      "variant", "claimed", "measured",
                                       "predicted", "error",   "outcome", "what"};
    gmsim_pairs_summary s = gmsim_pairs_summarize(pairs, within);
    gmsim_table t;

    gmsim_table_init(&t, 1u << 0 | 1u << 1 | 1u << 6 | 1u << 7);
    for (size_t i = 0; i < G_N_ELEMENTS(head); i++)
        gmsim_table_put(&t, head[i]);
    gmsim_table_end_header(&t);
    for (unsigned i = 0; i < pairs->len; i++)
        put_row(&t, &g_array_index(pairs, gmsim_pair, i), within, format == GMSIM_VALIDATE_CSV);
    gmsim_table_print(&t, format, out);
    if (format != GMSIM_VALIDATE_CSV)
        fprintf(out,
                "\n%u of %u pairs compared; predicted speed-ups of %u are within %g %% of the "
                "measured ones (mean error %.1f %%, worst %.1f %%), %u in the wrong direction.\n",
                s.compared, s.pairs, s.within, within, s.mean_error, s.worst_error, s.wrong);
}
