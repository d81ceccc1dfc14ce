/* SPDX-License-Identifier: MIT
 *
 * text_application.c - a program of many launches on one screen: what all of it does, the kernel
 * that takes most and why, its kernels, the launches that lead. With --verbose, these launches in
 * full. Leaves out every other launch: JSON and CSV have them all.
 */
#include <math.h>
#include <string.h>

#include "sim/analysis/rows.h"
#include "sim/report/application_words.h"
#include "sim/report/format.h"
#include "sim/report/text.h"
#include "sim/report/words.h"

#define KERNELS_SHOWN  15u /* unless --top says how many */
#define LAUNCHES_SHOWN 10u
#define NAME_WIDTH     23u

/* Launches of one kernel and shape that began alike. */
typedef struct likes {
    uint32_t grid[3], block[3], dynamic_shared, start;
    unsigned kernel, launches;
} likes;

/* The launch that leads those like it. */
typedef struct leader {
    const likes *like;
    uint32_t index;
    double value; /* of what launches are ordered by */
    gmsim_finding_kind finding;
    gmsim_result result; /* without instructions */
    char *full;          /* its report, or NULL */
} leader;

/* What a kernel's longest launch suffers from. */
typedef struct verdict_text {
    char *what, *fix;
} verdict_text;

static void free_leader(gpointer data)
{
    leader *l = data;

    g_free(l->full);
    g_free(l);
}

static void free_verdict(gpointer data)
{
    verdict_text *v = data;

    g_free(v->what);
    g_free(v->fix);
    g_free(v);
}

#define SHAPE_WORDS 9u /* of likes, by which they are told apart */

static guint hash_likes(gconstpointer key)
{
    const uint32_t *word = ((const likes *)key)->grid;
    guint hash = 0;

    for (unsigned i = 0; i < SHAPE_WORDS; i++)
        hash = hash * 31u + word[i];
    return hash;
}

static gboolean same_likes(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, SHAPE_WORDS * sizeof(uint32_t)) == 0;
}

G_STATIC_ASSERT(offsetof(likes, launches) == SHAPE_WORDS * sizeof(uint32_t));

static likes *likes_of(gmsim_report *report, unsigned kernel, const gmsim_result *result)
{
    const gmtrace_launch *launch = result->launch;
    likes wanted = {
        .dynamic_shared = launch->dynamic_shared, .start = result->start, .kernel = kernel};
    likes *known;

    memcpy(wanted.grid, launch->grid, sizeof wanted.grid);
    memcpy(wanted.block, launch->block, sizeof wanted.block);
    known = g_hash_table_lookup(report->likes, &wanted);
    if (known == NULL) {
        known = g_new(likes, 1);
        *known = wanted;
        g_hash_table_add(report->likes, known);
    }
    known->launches += (unsigned)MAX(launch->stands_for, 1);
    return known;
}

void gmsim_text_application_begin(gmsim_report *report)
{
    report->application = gmsim_application_new(report->gpu);
    report->leading = g_ptr_array_new_with_free_func(free_leader);
    report->verdict = g_ptr_array_new_with_free_func(free_verdict);
    report->likes = g_hash_table_new_full(hash_likes, same_likes, g_free, NULL);
}

/* ----------------------------------------------------------------------------------- each launch
 */

/* Takes the place of the launch like it that leads, unless that is no less. */
static bool leads_likes(gmsim_report *report, const likes *like, double value)
{
    for (unsigned i = 0; i < report->leading->len; i++) {
        const leader *l = report->leading->pdata[i];

        if (l->like != like)
            continue;
        if (l->value >= value)
            return false;
        g_ptr_array_remove_index(report->leading, i);
    }
    return true;
}

static void lead(gmsim_report *report, uint32_t index, const likes *like,
                 const gmsim_result *result, gmsim_finding_kind finding)
{
    const unsigned most = report->top > 0 ? report->top : LAUNCHES_SHOWN;
    const double value = gmsim_sort_value(report->sort, result);
    unsigned at;
    leader *l;

    if (!leads_likes(report, like, value))
        return;
    at = report->leading->len;
    while (at > 0 && ((const leader *)report->leading->pdata[at - 1])->value < value)
        at--;
    if (at >= most)
        return;
    l = g_new0(leader, 1);
    *l = (leader){
        .like = like, .index = index, .value = value, .finding = finding, .result = *result};
    l->result.instr = NULL;
    l->result.instr_count = 0;
    l->result.unsteady = 0;
    l->result.unsteady_instr = NULL;
    if (report->verbose) {
        GString *full = g_string_new(NULL);

        gmsim_text_full(full, report, index, result);
        l->full = g_string_free(full, FALSE);
    }
    g_ptr_array_insert(report->leading, (gint)at, l);
    if (report->leading->len > most)
        g_ptr_array_remove_index(report->leading, most);
}

void gmsim_text_application_launch(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    const gmsim_kernel_total *kernel = gmsim_application_add(report->application, index, result);
    gmsim_verdict verdict;

    gmsim_verdict_make(report->gpu, result, &verdict);
    lead(report, index, likes_of(report, kernel->number, result), result, verdict.finding[0].kind);
    if (kernel->number == report->verdict->len)
        g_ptr_array_add(report->verdict, g_new0(verdict_text, 1));
    if (kernel->longest == index) {
        verdict_text *text = report->verdict->pdata[kernel->number];

        g_free(text->what);
        g_free(text->fix);
        text->what = gmsim_finding_what(report->gpu, result, &verdict.finding[0]);
        text->fix = gmsim_finding_fix(report->gpu, result, &verdict.finding[0]);
    }
}

/* --------------------------------------------------------------------------------------- the head
 */

static void put_starts(GString *out, const gmsim_kernel_total *total)
{
    const char *lead = "   L2 at their start: ";

    for (unsigned i = 0; i < GMSIM_STARTS; i++) {
        if (total->starts[i] == 0)
            continue;
        g_string_append_printf(out, "%s%s %s", lead, gmsim_count(total->starts[i]).text,
                               gmsim_start_table[i].name);
        lead = ", ";
    }
    g_string_append_c(out, '\n');
}

static void put_head(GString *out, const gmsim_report *report)
{
    const gmsim_kernel_total *total = gmsim_application_total(report->application);
    const unsigned kernels = gmsim_application_kernels(report->application);
    const gmsim_gpu *gpu = report->gpu;
    char *trace = gmsim_clean(report->trace, 50);

    g_string_append_printf(out, "gmsim %s   trace %s   GPU %s (%u SMs, L2 %s)\n", report->version,
                           trace, gpu->name, gpu->gpu_sm_count, gmsim_bytes(gpu->l2_size).text);
    if (report->capture != NULL && report->capture->gpu[0] != 0) {
        char *captured = gmsim_clean(report->capture->gpu, 40);

        g_string_append_printf(out, "captured on %s   ", captured);
        g_free(captured);
    }
    g_string_append_printf(out, "%s", gmsim_count(total->launches).text);
    if (total->captured != report->launch_count && total->captured == total->launches)
        g_string_append_printf(out, " of %s", gmsim_count(report->launch_count).text);
    g_string_append_printf(out, " launches of %u kernel%s", kernels, kernels == 1 ? "" : "s");
    put_starts(out, total);
    g_free(trace);
}

/* The kernel that takes most, and what its longest launch suffers from. */
static void put_verdict(GString *out, const gmsim_report *report, char *const *name)
{
    unsigned *order = gmsim_application_order(report->application, GMSIM_BY_CLOCKS);
    const verdict_text *text = report->verdict->pdata[order[0]];
    char *what = gmsim_application_verdict(report->application, name, text->what);

    gmsim_heading(out, report->color, "VERDICT");
    g_string_append(out, "  ");
    gmsim_wrap(out, what, GMSIM_TEXT_INDENT, GMSIM_TEXT_INDENT, GMSIM_REPORT_WIDTH);
    g_string_append_c(out, '\n');
    if (text->fix != NULL) {
        g_string_append_printf(out, "%*sFix: ", (int)GMSIM_TEXT_INDENT, "");
        gmsim_wrap(out, text->fix, GMSIM_TEXT_INDENT + 5, GMSIM_TEXT_INDENT, GMSIM_REPORT_WIDTH);
        g_string_append_c(out, '\n');
    }
    g_string_append_c(out, '\n');
    g_free(what);
    g_free(order);
}

/* A paragraph under its heading; `text`, NULL where there is none, is freed. */
static void put_paragraph(GString *out, const gmsim_report *report, const char *heading, char *text)
{
    if (text == NULL)
        return;
    gmsim_heading(out, report->color, heading);
    g_string_append(out, "  ");
    gmsim_wrap(out, text, GMSIM_TEXT_INDENT, GMSIM_TEXT_INDENT, GMSIM_REPORT_WIDTH);
    g_string_append(out, "\n\n");
    g_free(text);
}

static void put_time(GString *out, const gmsim_report *report)
{
    const gmsim_result *sum = &gmsim_application_total(report->application)->sum;
    char *time;

    if (!sum->timed)
        return;
    time = gmsim_time_words(&sum->timing);
    gmsim_heading(out, report->color, "Time");
    g_string_append_printf(out, "  %s cycles, %s at %u MHz, without what lies between launches\n",
                           gmsim_count(sum->timing.cycles).text, time, sum->timing.clock_mhz);
    gmsim_text_rates(out, sum);
    g_string_append_c(out, '\n');
    g_free(time);
}

/* -------------------------------------------------------------------------------------- the tables
 */

static gmsim_field bytes_of(const gmsim_result *result, const char *read, const char *written)
{
    double in, out;

    if (!gmsim_metric_named(result, read, &in) || !gmsim_metric_named(result, written, &out))
        return gmsim_words(NULL);
    return gmsim_number_of(GMSIM_UNIT_BYTES, in + out);
}

static gmsim_field share_of(const gmsim_report *report, uint64_t clocks)
{
    if (clocks == 0)
        return gmsim_words("-");
    return gmsim_quotient(GMSIM_UNIT_PERCENT, clocks,
                          gmsim_application_total(report->application)->clocks);
}

static gmsim_field clocks_of(uint64_t clocks)
{
    return clocks > 0 ? gmsim_number_of(GMSIM_UNIT_COUNT, (double)clocks) : gmsim_words("-");
}

static const char *clocks_title(const gmsim_report *report)
{
    return gmsim_application_total(report->application)->sum.timed ? "cycles" : "min cycles";
}

/* "Kernels  by cycles, 15 of 40 shown (--top N: more)" */
static void put_title(GString *out, const gmsim_report *report, const char *title, uint32_t shown,
                      uint32_t all)
{
    gmsim_heading(out, report->color, title);
    g_string_append_printf(out, "  by %s",
                           report->sort == GMSIM_BY_LAUNCHES ? "launches"
                           : report->sort < 0                ? clocks_title(report)
                                                             : gmsim_metrics[report->sort].name);
    if (shown < all)
        g_string_append_printf(out, ", %s of %s shown (--top N: more)", gmsim_count(shown).text,
                               gmsim_count(all).text);
    g_string_append_c(out, '\n');
}

static void put_kernel(gmsim_table *table, const gmsim_report *report, const char *name,
                       const gmsim_kernel_total *kernel)
{
    char *bound = gmsim_bound_words(&kernel->sum);

    gmsim_table_row(table, (gmsim_field[]){
                               gmsim_words(name),
                               gmsim_number_of(GMSIM_UNIT_COUNT, kernel->launches),
                               clocks_of(kernel->clocks),
                               share_of(report, kernel->clocks),
                               bytes_of(&kernel->sum, "dram.read", "dram.written"),
                               bytes_of(&kernel->sum, "l2.read", "l2.written"),
                               gmsim_words(bound),
                               gmsim_words(gmsim_finding_name(gmsim_kernel_finding(kernel))),
                           });
    g_free(bound);
}

static void put_kernels(GString *out, const gmsim_report *report, char *const *name)
{
    const gmsim_column columns[] = {
        {.title = "kernel", .width = NAME_WIDTH, .left = true},
        {.title = "launches", .width = 8, .gap = 1},
        {.title = clocks_title(report), .width = 12, .gap = 1},
        {.title = "share", .width = 6, .gap = 1},
        {.title = "DRAM", .width = 9, .gap = 1},
        {.title = "L2", .width = 9, .gap = 1},
        {.title = "bound", .width = 10, .gap = 2, .left = true},
        {.title = "finding", .gap = 1, .left = true},
    };
    const unsigned all = gmsim_application_kernels(report->application);
    const unsigned shown = MIN(all, report->top > 0 ? report->top : KERNELS_SHOWN);
    unsigned *order = gmsim_application_order(report->application, report->sort);
    gmsim_table table;

    put_title(out, report, "Kernels", shown, all);
    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, columns, G_N_ELEMENTS(columns), out, false);
    for (unsigned i = 0; i < shown; i++)
        put_kernel(&table, report, name[order[i]],
                   gmsim_application_kernel(report->application, order[i]));
    g_string_append_c(out, '\n');
    g_free(order);
}

static void put_launch(gmsim_table *table, const char *name, const leader *l)
{
    char index[16], *bound = gmsim_bound_words(&l->result);

    g_snprintf(index, sizeof index, "%u", l->index);
    gmsim_table_row(
        table, (gmsim_field[]){
                   gmsim_words(index),
                   gmsim_words(name),
                   gmsim_metric_field(&l->result, (unsigned)gmsim_metric_find("launch__grid_size")),
                   gmsim_number_of(GMSIM_UNIT_COUNT, l->like->launches),
                   clocks_of(gmsim_launch_clocks(&l->result)),
                   gmsim_words(gmsim_start_table[l->result.start].name),
                   gmsim_words(bound),
                   gmsim_words(gmsim_finding_name(l->finding)),
               });
    g_free(bound);
}

static void put_launches(GString *out, const gmsim_report *report, char *const *name)
{
    const gmsim_column columns[] = {
        {.title = "launch", .width = 6},
        {.title = "kernel", .width = NAME_WIDTH, .gap = 2, .left = true},
        {.title = "blocks", .width = 9, .gap = 1},
        {.title = "alike", .width = 6, .gap = 1},
        {.title = clocks_title(report), .width = 12, .gap = 1},
        {.title = "L2 was", .width = 7, .gap = 2, .left = true},
        {.title = "bound", .width = 10, .gap = 1, .left = true},
        {.title = "finding", .gap = 1, .left = true},
    };
    gmsim_table table;

    put_title(out, report, "Launches", report->leading->len, g_hash_table_size(report->likes));
    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, columns, G_N_ELEMENTS(columns), out, false);
    for (unsigned i = 0; i < report->leading->len; i++) {
        const leader *l = report->leading->pdata[i];

        put_launch(&table, name[l->like->kernel], l);
    }
    g_string_append_c(out, '\n');
}

/* What no launch's traffic told is said as well. */
static void put_footer(GString *out, const gmsim_report *report)
{
    gmsim_result sum = gmsim_application_total(report->application)->sum;

    for (unsigned i = 0; i < gmsim_application_kernels(report->application); i++)
        sum.unseen |= gmsim_application_kernel(report->application, i)->sum.unseen;
    gmsim_text_footer(out, report, &sum);
}

static void put_all(GString *out, const gmsim_report *report)
{
    char **name = gmsim_application_names(report->application, NAME_WIDTH);
    char **longer = gmsim_application_names(report->application, GMSIM_REPORT_WIDTH / 2);

    put_head(out, report);
    g_string_append_c(out, '\n');
    if (gmsim_application_total(report->application)->clocks > 0)
        put_verdict(out, report, longer);
    put_paragraph(out, report, "SAMPLED", gmsim_application_sampled_words(report->application));
    put_paragraph(out, report, "UNKNOWN", gmsim_application_unknown(report->application, longer));
    put_time(out, report);
    put_kernels(out, report, name);
    put_launches(out, report, name);
    g_string_append(out, "--launch N reports one in full, --kernel REGEX and --launches LIST look "
                         "at some, --sort KEY at\nanother order; JSON and CSV hold them all.\n\n");
    put_footer(out, report);
    for (unsigned i = 0; report->verbose && i < report->leading->len; i++)
        g_string_append_printf(out, "%s%s", GMSIM_TEXT_BETWEEN,
                               ((const leader *)report->leading->pdata[i])->full);
    g_strfreev(name);
    g_strfreev(longer);
}

void gmsim_text_application_end(gmsim_report *report)
{
    GString *out = g_string_new(NULL);

    if (report->written > 0)
        put_all(out, report);
    fputs(out->str, report->out);
    g_string_free(out, TRUE);
    gmsim_application_free(report->application);
    g_ptr_array_unref(report->leading);
    g_hash_table_unref(report->likes);
    g_ptr_array_unref(report->verdict);
    report->application = NULL;
}
