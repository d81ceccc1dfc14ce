/* SPDX-License-Identifier: MIT
 *
 * compare_text.c - two launches side by side for people: one sentence, then every quantity with its
 * difference and ratio, then the instructions that changed.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/analysis/compare.h"
#include "sim/report/format.h"
#include "sim/analysis/pattern.h"
#include "sim/analysis/verdict.h"

#define CHANGED_SHOWN 8u

/* A quantity as text, with its sign where it is a difference. */
static gmsim_number number_of(gmsim_unit unit, double value, bool signed_)
{
    gmsim_number number, text = {""};
    const char *sign = value < 0 ? "-" : signed_ && value > 0 ? "+" : "";
    double size = fabs(value);

    switch (unit) {
    case GMSIM_UNIT_COUNT:
        number = gmsim_count((uint64_t)(size + 0.5));
        break;
    case GMSIM_UNIT_BYTES:
        number = gmsim_bytes((uint64_t)(size + 0.5));
        break;
    case GMSIM_UNIT_PERCENT:
        g_ascii_formatd(number.text, sizeof number.text, "%.1f", size);
        g_strlcat(number.text, signed_ ? " pt" : " %", sizeof number.text);
        break;
    case GMSIM_UNIT_NANOSECONDS:
        g_ascii_formatd(number.text, sizeof number.text, "%.2f", size / 1000);
        g_strlcat(number.text, " us", sizeof number.text);
        break;
    case GMSIM_UNIT_RATIO:
    default:
        g_ascii_formatd(number.text, sizeof number.text, "%.2f", size);
        break;
    }
    g_snprintf(text.text, sizeof text.text, "%s%s", sign, number.text);
    return text;
}

static void put_quantity(GString *out, const gmsim_quantity_pair *q)
{
    gmsim_number a = {"-"}, b = {"-"}, delta = {""}, ratio = {""};

    if (q->has[0])
        a = number_of(q->unit, q->value[0], false);
    if (q->has[1])
        b = number_of(q->unit, q->value[1], false);
    if (q->has[0] && q->has[1]) {
        delta = number_of(q->unit, q->value[1] - q->value[0], true);
        if (q->value[0] > 0 && q->unit != GMSIM_UNIT_PERCENT)
            g_ascii_formatd(ratio.text, sizeof ratio.text, "%.3f", q->value[1] / q->value[0]);
    }
    g_string_append_printf(out, "  %-24s%15s%15s%16s%9s", q->name, a.text, b.text, delta.text,
                           ratio.text);
    if (*gmsim_compare_word(q) != 0)
        g_string_append_printf(out, "  %s", gmsim_compare_word(q));
    g_string_append_c(out, '\n');
}

static void put_words(GString *out, const char *name, const char *a, const char *b)
{
    g_string_append_printf(out, "  %-24s%15s%15s\n", name, a, b);
}

static bool same_size(const uint32_t a[3], const uint32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static char *size_text(const uint32_t size[3])
{
    return g_strdup_printf("%ux%ux%u", size[0], size[1], size[2]);
}

static void put_sides(GString *out, const gmsim_compare_report *report,
                      const gmsim_comparison_of_two *c)
{
    const gmsim_side *a = &c->side[0], *b = &c->side[1];
    bool one_gpu = strcmp(a->gpu->name, b->gpu->name) == 0;

    g_string_append_printf(out, "gmsim compare %s", report->version);
    if (one_gpu)
        g_string_append_printf(out, "   GPU %s", a->gpu->name);
    g_string_append_c(out, '\n');
    for (unsigned s = 0; s < 2; s++) {
        char *trace = gmsim_clean(c->side[s].trace, 40);
        char *kernel = gmsim_clean(c->side[s].result->kernel->name, 36);
        char *grid = size_text(c->side[s].result->launch->grid);
        char *block = size_text(c->side[s].result->launch->block);

        g_string_append_printf(out, "%c  %s", s == 0 ? 'A' : 'B', trace);
        if (!one_gpu)
            g_string_append_printf(out, "  GPU %s", c->side[s].gpu->name);
        g_string_append_printf(out, "  launch %u  %s  grid %s  block %s\n", c->side[s].index,
                               kernel, grid, block);
        g_free(trace);
        g_free(kernel);
        g_free(grid);
        g_free(block);
    }
    g_string_append_c(out, '\n');
}

static const gmsim_quantity_pair *find(const gmsim_comparison_of_two *c, const char *key)
{
    for (unsigned i = 0; i < c->count; i++) {
        if (strcmp(c->quantity[i].key, key) == 0)
            return &c->quantity[i];
    }
    return NULL;
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
        const gmsim_quantity_pair *q = find(c, named[i].key);
        double change;

        if (q == NULL || !(q->value[0] > 0))
            continue;
        change = (q->value[1] - q->value[0]) / q->value[0];
        if ((change < 0) != faster || fabs(change) <= best)
            continue;
        best = fabs(change);
        g_free(text);
        text =
            g_strdup_printf("%.1f %% %s %s", 100 * best, faster ? "fewer" : "more", named[i].words);
    }
    return text;
}

static void put_sentence(GString *out, const gmsim_compare_report *report,
                         const gmsim_comparison_of_two *c)
{
    const gmsim_quantity_pair *q = find(c, c->by_time ? "time" : "cycles");
    const char *wait[2] = {gmsim_compare_wait(c->side[0].result),
                           gmsim_compare_wait(c->side[1].result)};
    GString *text = g_string_new(NULL);
    char *change;

    if (!c->has_speedup || q == NULL) {
        g_string_append(text, "No times: a side was counted without timing.");
    } else if (fabs(c->speedup - 1) < 0.01) {
        g_string_append_printf(
            text, "A and B take the same predicted time within 1 %% (%s and %s%s).",
            number_of(q->unit, q->value[0], false).text,
            number_of(q->unit, q->value[1], false).text, c->by_time ? "" : " cycles");
    } else {
        bool faster = c->speedup > 1;

        g_string_append_printf(
            text, "B is predicted %.2fx %s: %s -> %s%s", faster ? c->speedup : 1 / c->speedup,
            faster ? "faster" : "slower", number_of(q->unit, q->value[0], false).text,
            number_of(q->unit, q->value[1], false).text, c->by_time ? "" : " cycles");
        change = largest_change(c, faster);
        if (change != NULL)
            g_string_append_printf(text, ", with %s", change);
        g_string_append_c(text, '.');
        g_free(change);
    }
    if (c->has_speedup && wait[0] != NULL && wait[1] != NULL && strcmp(wait[0], wait[1]) != 0)
        g_string_append_printf(text, " Warps of A spend most clocks on %s, those of B on %s.",
                               wait[0], wait[1]);
    else if (c->has_speedup && wait[0] != NULL && wait[1] != NULL)
        g_string_append_printf(text, " Warps of both spend most clocks on %s.", wait[0]);
    if (report->color)
        g_string_append(out, "\033[1m");
    gmsim_wrap(out, text->str, 0, 0, GMSIM_REPORT_WIDTH);
    if (report->color)
        g_string_append(out, "\033[0m");
    g_string_append_c(out, '\n');
    g_string_free(text, TRUE);
}

static void put_warnings(GString *out, const gmsim_comparison_of_two *c)
{
    const gmsim_result *a = c->side[0].result, *b = c->side[1].result;
    const gmsim_quantity_pair *q = find(c, "instructions");

    if (!same_size(a->launch->grid, b->launch->grid) ||
        !same_size(a->launch->block, b->launch->block))
        g_string_append(out, "Note: the grids differ; check that both do the same work.\n");
    else if (q != NULL && fabs(q->value[0] - q->value[1]) > 0)
        g_string_append(out, "Note: the sides execute different numbers of memory instructions.\n");
    if (a->truncated || b->truncated)
        g_string_append(out, "Note: a trace is cut short; its side is of a part of the launch.\n");
}

static char *place_of(const gmsim_comparison_of_two *c, const gmsim_instr_pair *pair)
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

static const char *per_request(const gmsim_instr_counts *instr, gmsim_number *text)
{
    if (instr == NULL)
        return "none";
    *text = gmsim_ratio(gmsim_work(instr->row, &instr->counts), instr->counts.requests);
    return text->text;
}

static void put_instructions(GString *out, const gmsim_compare_report *report,
                             const gmsim_comparison_of_two *c)
{
    unsigned changed = 0, shown = 0;

    for (unsigned i = 0; i < c->instr->len; i++)
        changed += g_array_index(c->instr, gmsim_instr_pair, i).delta != 0;
    g_string_append_printf(out, "\n%s\n",
                           changed > 0 ? "Changed instructions" : "No instruction changed.");
    for (unsigned i = 0; i < c->instr->len; i++) {
        const gmsim_instr_pair *pair = &g_array_index(c->instr, gmsim_instr_pair, i);
        const gmsim_instr_counts *one = pair->side[0] != NULL ? pair->side[0] : pair->side[1];
        bool shared = gmsim_row_is_shared(one->row);
        gmsim_number a, b;
        char *place;

        if (!report->all && (pair->delta == 0 || shown == CHANGED_SHOWN))
            break;
        shown++;
        place = place_of(c, pair);
        g_string_append_printf(out, "  %-30s %-16s %6s -> %-6s %s/request %15s\n", place,
                               gmsim_row_name(one->row), per_request(pair->side[0], &a),
                               per_request(pair->side[1], &b), shared ? "wavefronts" : "sectors   ",
                               number_of(GMSIM_UNIT_COUNT, (double)pair->delta, true).text);
        g_free(place);
    }
    if (!report->all && shown < changed)
        g_string_append_printf(out, "  and %u more (--all)\n", changed - shown);
    if (!report->all && changed < c->instr->len)
        g_string_append_printf(out, "Unchanged: %u of %u instructions (--all)\n",
                               c->instr->len - changed, c->instr->len);
}

static void text_begin(gmsim_compare_report *report)
{
    report->written = 0;
}

static void text_pair(gmsim_compare_report *report, const gmsim_comparison_of_two *c)
{
    const gmsim_result *a = c->side[0].result, *b = c->side[1].result;
    const char *wait[2] = {gmsim_compare_wait(a), gmsim_compare_wait(b)};
    GString *out = g_string_new(NULL);

    if (report->written++ > 0)
        g_string_append(out, "\n----------------------------------------\n\n");
    if (!report->quiet)
        put_sides(out, report, c);
    put_sentence(out, report, c);
    if (!report->quiet) {
        put_warnings(out, c);
        g_string_append_printf(out, "\n  %-24s%15s%15s%16s%9s\n", "", "A", "B", "delta", "ratio");
        for (unsigned i = 0; i < c->count; i++)
            put_quantity(out, &c->quantity[i]);
        put_words(out, "binding resource", gmsim_resource_name(a->bound),
                  gmsim_resource_name(b->bound));
        if (wait[0] != NULL && wait[1] != NULL)
            put_words(out, "warps wait most for", wait[0], wait[1]);
        put_instructions(out, report, c);
    }
    fputs(out->str, report->out);
    g_string_free(out, TRUE);
}

static void text_end(gmsim_compare_report *report, bool complete)
{
    (void)report;
    (void)complete;
}

const gmsim_compare_format gmsim_compare_text = {
    .name = "text", .begin = text_begin, .pair = text_pair, .end = text_end};
