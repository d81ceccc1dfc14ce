/* SPDX-License-Identifier: MIT
 *
 * pair_words.c - the texts of pair_words.h.
 */
#include "sim/report/pair_words.h"

#include <math.h>
#include <string.h>

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/words.h"

static bool same_size(const uint32_t a[3], const uint32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The count that changed most in the direction of the verdict, in words; NULL where none did. */
static char *largest_change(const gmsim_comparison_of_two *c, bool faster)
{
    static const struct {
        const char *key, *words;
    } named[] = {{"shared.wavefronts", "shared wavefronts"}, {"global.sectors", "global sectors"},
                 {"local.sectors", "local sectors"},         {"atomic.sectors", "updates in L2"},
                 {"l2.read", "bytes read from L2"},          {"dram.read", "bytes read from DRAM"}};
    double best = 0.05;
    char *text = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(named); i++) {
        const gmsim_quantity_pair *q = gmsim_compare_find(c, named[i].key);
        double change;

        if (q == NULL || !(q->value[0] > 0))
            continue;
        change = q->delta / q->value[0];
        if ((change < 0) != faster || fabs(change) <= best)
            continue;
        best = fabs(change);
        g_free(text);
        text =
            g_strdup_printf("%.1f %% %s %s", 100 * best, faster ? "fewer" : "more", named[i].words);
    }
    return text;
}

char *gmsim_pair_sentence(const gmsim_comparison_of_two *c)
{
    const gmsim_quantity_pair *q = gmsim_compare_find(c, c->by_time ? "time" : "cycles");
    const char *wait[2] = {gmsim_compare_wait(c->side[0].result),
                           gmsim_compare_wait(c->side[1].result)};
    GString *text = g_string_new(NULL);
    char *change;

    if (isnan(c->speedup) || q == NULL) {
        g_string_append(text, "No times: a side was counted without timing.");
    } else if (fabs(c->speedup - 1) < 0.01) {
        g_string_append_printf(
            text, "A and B take the same predicted time within 1 %% (%s and %s%s).",
            gmsim_shown(q->metric->unit, q->value[0], false).text,
            gmsim_shown(q->metric->unit, q->value[1], false).text, c->by_time ? "" : " cycles");
    } else {
        bool faster = c->speedup > 1;

        g_string_append_printf(
            text, "B is predicted %.2fx %s: %s -> %s%s", faster ? c->speedup : 1 / c->speedup,
            faster ? "faster" : "slower", gmsim_shown(q->metric->unit, q->value[0], false).text,
            gmsim_shown(q->metric->unit, q->value[1], false).text, c->by_time ? "" : " cycles");
        change = largest_change(c, faster);
        if (change != NULL)
            g_string_append_printf(text, ", with %s", change);
        g_string_append_c(text, '.');
        g_free(change);
    }
    if (!isnan(c->speedup) && wait[0] != NULL && wait[1] != NULL && strcmp(wait[0], wait[1]) != 0)
        g_string_append_printf(text, " Warps of A spend most clocks on %s, those of B on %s.",
                               wait[0], wait[1]);
    else if (!isnan(c->speedup) && wait[0] != NULL && wait[1] != NULL)
        g_string_append_printf(text, " Warps of both spend most clocks on %s.", wait[0]);
    return g_string_free(text, FALSE);
}

void gmsim_pair_notes(const gmsim_comparison_of_two *c, gmsim_note note, gpointer data)
{
    const gmsim_result *a = c->side[0].result, *b = c->side[1].result;
    const gmsim_quantity_pair *q = gmsim_compare_find(c, "instructions");

    if (!same_size(a->launch->grid, b->launch->grid) ||
        !same_size(a->launch->block, b->launch->block))
        note("Note", "the grids differ; check that both do the same work.", data);
    else if (q != NULL && fabs(q->delta) > 0)
        note("Note", "the sides execute different numbers of memory instructions.", data);
    if ((a->start == GMSIM_START_WARM) != (b->start == GMSIM_START_WARM)) {
        g_autofree char *text = g_strdup_printf(
            "A began with %s L2 and B with %s; --flush has both begin with an empty one.",
            gmsim_start_table[a->start].name, gmsim_start_table[b->start].name);

        note("Note", text, data);
    }
    if ((a->unseen | b->unseen) & GMSIM_UNSEEN_TRAFFIC)
        note("Note",
             "a capture could not see all memory traffic of its side; caches, DRAM and times are "
             "not compared.",
             data);
    if (a->truncated || b->truncated)
        note("Note", "a trace is cut short; its side is of a part of the launch.", data);
}

char *gmsim_pair_place(const gmsim_comparison_of_two *c, const gmsim_instr_pair *pair)
{
    char *a = NULL, *b = NULL, *both;

    if (pair->side[0] != NULL)
        a = gmsim_instr_place(c->side[0].result, pair->side[0]);
    if (pair->side[1] != NULL)
        b = gmsim_instr_place(c->side[1].result, pair->side[1]);
    if (a == NULL || b == NULL || strcmp(a, b) == 0)
        both = g_strdup(a != NULL ? a : b);
    else
        both = g_strdup_printf("%s | %s", a, b);
    g_free(a);
    g_free(b);
    return both;
}
