/* SPDX-License-Identifier: MIT
 *
 * verdict.c - what gmvalidate prints besides tables, and whether what the user demanded holds.
 */
#include "validate/validation.h"

#define MOST_UNUSED 5u

/* Every launch that one side has alone. */
static void list_unpaired(gmsim_validation *v, FILE *out)
{
    for (unsigned i = 0; i < v->launches->len; i++) {
        const gmsim_match *m = &g_array_index(v->launches, gmsim_match, i);
        const gmsim_launch_place *place = &g_array_index(v->where, gmsim_launch_place, i);

        if (m->row < 0)
            fprintf(out, "not measured: %s, launch %u: %s grid %u,%u,%u block %u,%u,%u\n",
                    g_array_index(v->traces, gmsim_trace_file, place->trace).path, place->launch,
                    m->name, m->grid[0], m->grid[1], m->grid[2], m->block[0], m->block[1],
                    m->block[2]);
    }
    unsigned unused = 0;

    for (unsigned i = 0; i < v->measured->rows->len; i++) {
        const gmsim_measured_row *row = v->measured->rows->pdata[i];

        if (v->row_used[i])
            continue;
        /* Few traces against a large table is the ordinary case: name some, count the rest. */
        if (++unused <= MOST_UNUSED)
            fprintf(out,
                    "not in a trace: %s:%" G_GUINT64_FORMAT ": %s%s%s grid %u,%u,%u block "
                    "%u,%u,%u\n",
                    row->path, row->line, row->label != NULL ? row->label : "",
                    row->label != NULL ? ": " : "", row->kernel, row->grid[0], row->grid[1],
                    row->grid[2], row->block[0], row->block[1], row->block[2]);
    }
    if (unused > MOST_UNUSED)
        fprintf(out, "not in a trace: %u more measured launches\n", unused - MOST_UNUSED);
}

/* Goes through the exact family once: what differs, and what of it is excused. */
static void tally_exact(gmsim_validation *v)
{
    for (unsigned i = 0; i < v->all.launches; i++) {
        const gmsim_compared_launch *launch = &g_array_index(v->compared, gmsim_compared_launch, i);

        for (unsigned m = 0; m < gmsim_metric_count; m++) {
            const gmsim_comparison *c = gmsim_comparison_at(&v->all, i, m);
            bool broken = gmsim_comparison_breaks_exact(c);
            gmsim_exception *exception;

            if (gmsim_metrics[m].family != GMSIM_FAMILY_EXACT ||
                (!broken && c->outcome != GMSIM_OUTCOME_EQUAL))
                continue;
            exception = gmsim_exceptions_find(v->exceptions, launch->label, m);
            if (exception != NULL) {
                exception->seen++;
                exception->used += broken;
            }
            v->exact_compared++;
            v->exact_broken += broken;
            v->exact_excused += broken && exception != NULL;
        }
    }
}

static void list_value(const gmsim_compared_launch *launch, unsigned metric,
                       const gmsim_comparison *c, const gmsim_exception *exception, FILE *out)
{
    fprintf(out, "%s: %s:%u: %s: ", exception != NULL ? "known to differ" : "differs",
            launch->label, launch->launch, gmsim_metrics[metric].name);
    if (c->outcome == GMSIM_OUTCOME_UNPREDICTED)
        fprintf(out, "no prediction, measured %.12g", c->measured);
    else
        fprintf(out, "predicted %.12g, measured %.12g", c->predicted, c->measured);
    if (c->outcome == GMSIM_OUTCOME_RESCALED)
        fputs(" (rounded; measure with --print-units base)", out);
    if (exception != NULL)
        fprintf(out, " (%s)", exception->reason);
    fputc('\n', out);
}

/* Where the exact family misses: the lines to look at first. */
static void list_broken(gmsim_validation *v, FILE *out)
{
    unsigned listed = 0, most = v->options->verbose ? UINT32_MAX : 20;

    for (unsigned i = 0; i < v->all.launches; i++) {
        const gmsim_compared_launch *launch = &g_array_index(v->compared, gmsim_compared_launch, i);

        for (unsigned m = 0; m < gmsim_metric_count; m++) {
            const gmsim_comparison *c = gmsim_comparison_at(&v->all, i, m);

            if (gmsim_metrics[m].family != GMSIM_FAMILY_EXACT || !gmsim_comparison_breaks_exact(c))
                continue;
            if (listed++ < most)
                list_value(launch, m, c, gmsim_exceptions_find(v->exceptions, launch->label, m),
                           out);
        }
    }
    if (listed > most)
        fprintf(out, "and %u more; --verbose lists them\n", listed - most);
}

static void print_errors(gmsim_validation *v, const gmsim_validate_report *base)
{
    const gmsim_error_report report = {
        .base = base, .measured = v->measured, .spreads = v->spreads, .reasons = v->reasons};

    if (v->options->errors)
        gmsim_print_errors(&report, stdout);
    if (v->options->errors && v->options->worst > 0)
        putchar('\n');
    if (v->options->worst > 0)
        gmsim_print_worst(&report, (unsigned)v->options->worst, stdout);
    if (v->format == GMSIM_VALIDATE_TEXT)
        putchar('\n');
}

static void print_report(gmsim_validation *v)
{
    const gmsim_validate_report report = {
        .format = v->format, .all = &v->all, .launch = (gmsim_compared_launch *)v->compared->data};
    bool text = v->format == GMSIM_VALIDATE_TEXT;

    if (v->options->pairs != NULL) {
        gmsim_pairs_compute(v->pairs, &report);
        gmsim_print_pairs(v->pairs, v->options->within, v->format, stdout);
        return;
    }
    if (v->show->len > 0) {
        gmsim_print_launches(&report, (unsigned *)v->show->data, v->show->len, stdout);
        return;
    }
    if (v->format != GMSIM_VALIDATE_CSV)
        printf("%u launches of %u traces, predicted for %s, against %u measured launches. "
               "Exact family: %u of %u values equal.\n\n",
               v->all.launches, v->traces->len, v->gpu.name, v->measured->rows->len,
               v->exact_compared - v->exact_broken, v->exact_compared);
    if (v->options->errors || v->options->worst > 0) {
        print_errors(v, &report);
        return;
    }
    if (v->format != GMSIM_VALIDATE_CSV || !v->options->verbose)
        gmsim_print_metrics(&report, stdout);
    if (v->options->verbose) {
        if (v->format != GMSIM_VALIDATE_CSV)
            putchar('\n');
        gmsim_print_every(&report, stdout);
    }
    if (text)
        putchar('\n');
}

/* What a reader of the tables must know besides. Where the table is for a program, or goes into a
 * page, it stands on stderr. */
static void print_notes(gmsim_validation *v)
{
    bool text = v->format == GMSIM_VALIDATE_TEXT && v->show->len == 0 && v->options->pairs == NULL;
    FILE *out = text ? stdout : stderr;

    list_broken(v, out);
    list_unpaired(v, out);
    if (v->measured->conflicts > 0)
        fprintf(out,
                "measured twice with different values, the first counts: %s (%" G_GUINT64_FORMAT
                " such)\n",
                v->measured->conflict, v->measured->conflicts);
}

void gmsim_validation_print(gmsim_validation *v)
{
    tally_exact(v);
    if (v->all.launches > 0) {
        print_report(v);
        print_notes(v);
    }
}

static bool limits_hold(gmsim_validation *v)
{
    bool hold = true;

    for (unsigned i = 0; i < v->limits->len; i++) {
        const gmsim_limit *limit = &g_array_index(v->limits, gmsim_limit, i);
        gmsim_statistics statistics = gmsim_statistics_of(&v->all, limit->metric);
        char *text = gmsim_limit_broken(limit, &statistics);

        if (text != NULL) {
            fprintf(stderr, "gmvalidate: %s\n", text);
            hold = false;
        }
        g_free(text);
    }
    return hold;
}

/* A pair that was not compared is not within. */
static bool pairs_hold(const gmsim_validation *v)
{
    gmsim_pairs_summary s = gmsim_pairs_summarize(v->pairs, v->options->within);
    bool hold = s.within * 100.0 >= v->options->share * s.pairs && s.wrong == 0 && s.pairs > 0;

    if (!hold)
        fprintf(stderr,
                "gmvalidate: %u of %u pairs within %g %% (at least %g %% wanted), %u in the wrong "
                "direction (none wanted), %u not compared\n",
                s.within, s.pairs, v->options->within, v->options->share, s.wrong,
                s.pairs - s.compared);
    return hold;
}

static bool exact_holds(gmsim_validation *v)
{
    unsigned differ = v->exact_broken - v->exact_excused;
    bool hold = differ == 0;

    if (differ > 0)
        fprintf(stderr, "gmvalidate: %u of %u values of the exact family differ\n", differ,
                v->exact_compared);
    for (unsigned i = 0; i < v->exceptions->len; i++) {
        const gmsim_exception *e = &g_array_index(v->exceptions, gmsim_exception, i);

        if (e->seen == 0 || e->used > 0)
            continue;
        fprintf(stderr, "gmvalidate: %s: %s is listed as an exception, but no longer differs\n",
                e->label, gmsim_metrics[e->metric].name);
        hold = false;
    }
    return hold;
}

int gmsim_validation_verdict(gmsim_validation *v)
{
    bool hold = limits_hold(v);

    if (v->all.launches == 0) {
        fputs("gmvalidate: no launch of the traces was compared\n", stderr);
        list_unpaired(v, stderr);
        return EXIT_FAILED;
    }
    if (v->options->exact && v->exact_compared == 0) {
        fputs("gmvalidate: no metric of the exact family was measured\n", stderr);
        return EXIT_FAILED;
    }
    if (v->options->exact && !exact_holds(v))
        hold = false;
    if (v->options->share > 0 && !pairs_hold(v))
        hold = false;
    if (v->options->complete && v->unpaired > 0) {
        fprintf(stderr, "gmvalidate: %u launches of the traces were not measured\n", v->unpaired);
        hold = false;
    }
    if (v->damaged > 0)
        return EXIT_FAILED;
    return hold ? EXIT_DONE : EXIT_LIMIT;
}
