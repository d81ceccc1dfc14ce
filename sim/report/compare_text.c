/* SPDX-License-Identifier: MIT
 *
 * compare_text.c - two launches side by side for people: one sentence, then every quantity with its
 * difference and ratio, then the instructions that changed.
 */
#include <math.h>
#include <string.h>

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/formats.h"
#include "sim/report/names.h"
#include "sim/report/pair_words.h"
#include "sim/report/words.h"

#define CHANGED_SHOWN 8u

const gmsim_column gmsim_pair_columns[GMSIM_PAIR_COLUMNS] = {
    [GMSIM_PAIR_LAUNCH_A] = {.key = "launch_a", .outer = true},
    [GMSIM_PAIR_LAUNCH_B] = {.key = "launch_b", .outer = true},
    [GMSIM_PAIR_QUANTITY] = {.key = "quantity", .outer = true},
    [GMSIM_PAIR_LABEL] = {.title = "", .gap = 2, .width = 24, .left = true},
    [GMSIM_PAIR_A] = {.key = "a", .title = "A", .width = 15},
    [GMSIM_PAIR_B] = {.key = "b", .title = "B", .width = 15},
    [GMSIM_PAIR_DELTA] = {.key = "delta", .title = "delta", .width = 16, .delta = true},
    [GMSIM_PAIR_RATIO] = {.key = "ratio", .title = "ratio", .width = 9},
    [GMSIM_PAIR_WORD] = {.key = "verdict", .title = "", .gap = 2, .left = true},
    [GMSIM_PAIR_COMPLETE] = {.key = "complete", .outer = true},
    [GMSIM_PAIR_START_A] = {.key = "l2_at_start_a", .outer = true},
    [GMSIM_PAIR_START_B] = {.key = "l2_at_start_b", .outer = true},
};

void gmsim_pair_row(const gmsim_comparison_of_two *compare, const gmsim_quantity_pair *quantity,
                    gmsim_field field[GMSIM_PAIR_COLUMNS])
{
    const gmsim_metric *metric = quantity->metric;

    for (unsigned s = 0; s < 2; s++) {
        field[GMSIM_PAIR_LAUNCH_A + s] = gmsim_number_of(GMSIM_UNIT_COUNT, compare->side[s].index);
        field[GMSIM_PAIR_A + s] = gmsim_number_of(metric->unit, quantity->value[s]);
        field[GMSIM_PAIR_START_A + s] =
            gmsim_words(gmsim_start_table[compare->side[s].result->start].key);
    }
    field[GMSIM_PAIR_QUANTITY] = gmsim_words(metric->key);
    field[GMSIM_PAIR_LABEL] = gmsim_words(metric->label);
    field[GMSIM_PAIR_DELTA] = gmsim_number_of(metric->unit, quantity->delta);
    field[GMSIM_PAIR_RATIO] = gmsim_number_of(GMSIM_UNIT_RATIO, quantity->ratio);
    field[GMSIM_PAIR_WORD] = gmsim_words(gmsim_compare_word(quantity));
    field[GMSIM_PAIR_COMPLETE] = gmsim_words(
        compare->side[0].result->truncated || compare->side[1].result->truncated ? "no" : "yes");
}

/* What the table shows: three digits of a ratio, none of percentages; no dash for what is missing
 * beside the values. */
static void put_quantities(GString *out, const gmsim_comparison_of_two *c)
{
    const char *wait[2] = {gmsim_compare_wait(c->side[0].result),
                           gmsim_compare_wait(c->side[1].result)};
    gmsim_field field[GMSIM_PAIR_COLUMNS];
    gmsim_table table;
    char ratio[32];

    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, gmsim_pair_columns, GMSIM_PAIR_COLUMNS, out, false);
    for (unsigned i = 0; i < c->quantity->len; i++) {
        const gmsim_quantity_pair *q = &g_array_index(c->quantity, gmsim_quantity_pair, i);
        bool shown = isfinite(q->ratio) && q->metric->unit != GMSIM_UNIT_PERCENT;

        gmsim_pair_row(c, q, field);
        if (isnan(q->delta))
            field[GMSIM_PAIR_DELTA] = gmsim_words("");
        g_ascii_formatd(ratio, sizeof ratio, "%.3f", q->ratio);
        field[GMSIM_PAIR_RATIO] = gmsim_words(shown ? ratio : "");
        gmsim_table_row(&table, field);
    }
    for (unsigned i = 0; i < GMSIM_PAIR_COLUMNS; i++)
        field[i] = gmsim_words("");
    field[GMSIM_PAIR_LABEL] = gmsim_words("binding resource");
    field[GMSIM_PAIR_A] = gmsim_words(gmsim_resource_name(c->side[0].result->bound));
    field[GMSIM_PAIR_B] = gmsim_words(gmsim_resource_name(c->side[1].result->bound));
    gmsim_table_row(&table, field);
    if (wait[0] != NULL && wait[1] != NULL) {
        field[GMSIM_PAIR_LABEL] = gmsim_words("warps wait most for");
        field[GMSIM_PAIR_A] = gmsim_words(wait[0]);
        field[GMSIM_PAIR_B] = gmsim_words(wait[1]);
        gmsim_table_row(&table, field);
    }
    gmsim_table_end(&table);
}

static char *size_text(const uint32_t size[3])
{
    return g_strdup_printf("%ux%ux%u", size[0], size[1], size[2]);
}

static void put_sides(GString *out, const gmsim_report *report, const gmsim_comparison_of_two *c)
{
    const gmsim_side *a = &c->side[0], *b = &c->side[1];
    bool one_gpu = strcmp(a->gpu->name, b->gpu->name) == 0;
    const char *const names[] = {a->result->kernel->name, b->result->kernel->name};
    char **kernel = gmsim_short_names(names, 2, 36);

    g_string_append_printf(out, "gmsim compare %s", report->version);
    if (one_gpu)
        g_string_append_printf(out, "   GPU %s", a->gpu->name);
    g_string_append_c(out, '\n');
    for (unsigned s = 0; s < 2; s++) {
        char *trace = gmsim_clean(c->side[s].trace, 40);
        char *grid = size_text(c->side[s].result->launch->grid);
        char *block = size_text(c->side[s].result->launch->block);

        g_string_append_printf(out, "%c  %s", s == 0 ? 'A' : 'B', trace);
        if (!one_gpu)
            g_string_append_printf(out, "  GPU %s", c->side[s].gpu->name);
        g_string_append_printf(out, "  launch %u  %s  grid %s  block %s  %s L2\n", c->side[s].index,
                               kernel[s], grid, block,
                               gmsim_start_table[c->side[s].result->start].name);
        g_free(trace);
        g_free(grid);
        g_free(block);
    }
    g_strfreev(kernel);
    g_string_append_c(out, '\n');
}

static void put_sentence(GString *out, const gmsim_comparison_of_two *c)
{
    char *text = gmsim_pair_sentence(c);

    gmsim_wrap(out, text, 0, 0, GMSIM_REPORT_WIDTH);
    g_string_append_c(out, '\n');
    g_free(text);
}

static void put_note(const char *label, const char *text, gpointer out)
{
    g_string_append_printf(out, "%s: %s\n", label, text);
}

static gmsim_field per_request(const gmsim_instr_counts *instr)
{
    if (instr == NULL)
        return gmsim_words("none");
    return gmsim_quotient(GMSIM_UNIT_RATIO, gmsim_work(instr->row, &instr->counts),
                          instr->counts.requests);
}

static void put_instructions(GString *out, const gmsim_report *report,
                             const gmsim_comparison_of_two *c)
{
    static const gmsim_column columns[] = {
        {.title = "", .gap = 2, .width = 30, .left = true}, /* place */
        {.title = "", .gap = 1, .width = 16, .left = true}, /* access */
        {.title = "", .gap = 1, .width = 6},                /* a request of A */
        {.title = "", .gap = 1, .width = 2},
        {.title = "", .gap = 1, .width = 6, .left = true}, /* ... of B */
        {.title = "", .gap = 1, .width = 18, .left = true},
        {.title = "", .gap = 1, .width = 15, .delta = true},
    };
    unsigned changed = 0, shown = 0;
    gmsim_table table;

    for (unsigned i = 0; i < c->instr->len; i++)
        changed += g_array_index(c->instr, gmsim_instr_pair, i).delta != 0;
    g_string_append_printf(out, "\n%s\n",
                           changed > 0 ? "Changed instructions" : "No instruction changed.");
    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, columns, G_N_ELEMENTS(columns), out, false);
    for (unsigned i = 0; i < c->instr->len; i++) {
        const gmsim_instr_pair *pair = &g_array_index(c->instr, gmsim_instr_pair, i);
        gmsim_row row = (pair->side[0] != NULL ? pair->side[0] : pair->side[1])->row;
        char *place;

        if (!report->verbose && (pair->delta == 0 || shown == CHANGED_SHOWN))
            break;
        shown++;
        place = gmsim_pair_place(c, pair);
        gmsim_table_row(
            &table,
            (gmsim_field[]){
                gmsim_words(place), gmsim_words(gmsim_row_name(row)), per_request(pair->side[0]),
                gmsim_words("->"), per_request(pair->side[1]),
                gmsim_words(gmsim_row_is_shared(row) ? "wavefronts/request" : "sectors   /request"),
                gmsim_number_of(GMSIM_UNIT_COUNT, (double)pair->delta)});
        g_free(place);
    }
    if (!report->verbose && shown < changed)
        g_string_append_printf(out, "  and %u more (--all)\n", changed - shown);
    if (!report->verbose && changed < c->instr->len)
        g_string_append_printf(out, "Unchanged: %u of %u instructions (--all)\n",
                               c->instr->len - changed, c->instr->len);
}

void gmsim_text_pair(gmsim_report *report, const gmsim_comparison_of_two *c)
{
    GString *out = g_string_new(NULL);

    if (report->written++ > 0)
        g_string_append(out, "\n----------------------------------------\n\n");
    if (!report->quiet)
        put_sides(out, report, c);
    put_sentence(out, c);
    if (!report->quiet) {
        gmsim_pair_notes(c, put_note, out);
        g_string_append_c(out, '\n');
        put_quantities(out, c);
        put_instructions(out, report, c);
    }
    fputs(out->str, report->out);
    g_string_free(out, TRUE);
}
