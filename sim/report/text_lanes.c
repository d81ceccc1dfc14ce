/* SPDX-License-Identifier: MIT
 *
 * text_lanes.c - which instructions do more work than they need, and what the lanes of the worst
 * request touch. The sum over all requests per bank is not shown: a conflict that moves from bank
 * to bank leaves it flat.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/text.h"
#include "sim/report/words.h"

#define SHOWN        4u  /* instructions, unless verbose */
#define LEFT_COLUMNS 44u /* of the histogram */

/* Instructions of one opcode and kind of access at one source line: an unrolled loop's are one to
 * its reader. Cost of their excess in a common unit: a wavefront takes a clock of one SM, a sector
 * 32 bytes of L2's rate. `work` is what ranks equals. */
typedef struct hot {
    uint64_t cost, work, excess;
    const gmsim_instr_counts *instr; /* that with the worst request */
    unsigned instructions;
    gmsim_counts counts; /* of all of them */
} hot;

static int by_cost(const void *left, const void *right)
{
    const hot *a = (const hot *)left, *b = (const hot *)right;

    if (a->cost != b->cost)
        return a->cost < b->cost ? 1 : -1;
    if (a->work != b->work)
        return a->work < b->work ? 1 : -1;
    return (a->instr > b->instr) - (a->instr < b->instr);
}

static const gmtrace_instr *code_of(const gmsim_result *result, const gmsim_instr_counts *instr)
{
    return instr->instr < result->kernel->instr_count ? &result->kernel->instr[instr->instr] : NULL;
}

/* By source line, access and opcode; what has no line stands alone, by its place in the code. */
static gint by_line(gconstpointer left, gconstpointer right, gpointer data)
{
    const hot *a = left, *b = right;
    const gmtrace_instr *ca = code_of(data, a->instr), *cb = code_of(data, b->instr);
    const bool lined_a = ca != NULL && ca->line > 0, lined_b = cb != NULL && cb->line > 0;
    int by = lined_b - lined_a;

    if (by == 0 && lined_a && lined_b) {
        by = (ca->file > cb->file) - (ca->file < cb->file);
        if (by == 0)
            by = (ca->line > cb->line) - (ca->line < cb->line);
        if (by == 0)
            by = (int)a->instr->row - (int)b->instr->row;
        return by != 0 ? by : strcmp(ca->opcode, cb->opcode);
    }
    return by != 0 ? by : (a->instr > b->instr) - (a->instr < b->instr);
}

static void add_counts(gmsim_counts *sum, const gmsim_counts *part)
{
    sum->requests += part->requests;
    sum->sectors += part->sectors;
    sum->sectors_ideal += part->sectors_ideal;
    sum->wavefronts += part->wavefronts;
    sum->wavefronts_ideal += part->wavefronts_ideal;
}

/* Adds `part` to the line it is of. */
static void merge(hot *line, const hot *part)
{
    add_counts(&line->counts, &part->counts);
    line->instructions++;
    line->excess += part->excess;
    line->cost += part->cost;
    line->work += part->work;
    if (part->instr->worst.work > line->instr->worst.work)
        line->instr = part->instr;
}

/* Verbose reports have every instruction. */
static hot *rank(const gmsim_report *report, const gmsim_result *result, unsigned *count)
{
    const gmsim_gpu *gpu = report->gpu;
    hot *ranked = g_new0(hot, result->instr_count);
    uint64_t all_sms = (uint64_t)GMSIM_SECTOR_BYTES * gpu->gpu_sm_count;
    /* Where the rate of L2 is unknown: a sector of each SM a clock. */
    uint64_t l2_rate = gpu->l2_bytes_per_clock > 0 ? gpu->l2_bytes_per_clock : all_sms;

    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *instr = &result->instr[i];
        uint64_t weight = gmsim_row_is_shared(instr->row) ? l2_rate : all_sms;
        uint64_t excess = gmsim_work_excess(instr->row, &instr->counts);

        ranked[i] = (hot){.instr = instr,
                          .instructions = 1,
                          .counts = instr->counts,
                          .excess = excess,
                          .cost = excess * weight,
                          .work = gmsim_work(instr->row, &instr->counts) * weight};
    }
    *count = result->instr_count;
    if (!report->verbose) {
        *count = 0;
        g_qsort_with_data(ranked, (gint)result->instr_count, sizeof *ranked, by_line,
                          (gpointer)result);
        for (uint32_t i = 0; i < result->instr_count; i++) {
            if (*count > 0 && by_line(&ranked[*count - 1], &ranked[i], (gpointer)result) == 0)
                merge(&ranked[*count - 1], &ranked[i]);
            else
                ranked[(*count)++] = ranked[i];
        }
    }
    qsort(ranked, *count, sizeof *ranked, by_cost);
    return ranked;
}

static uint64_t all_excess(const gmsim_result *result, bool shared)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < result->instr_count; i++) {
        if (gmsim_row_is_shared(result->instr[i].row) == shared)
            sum += gmsim_work_excess(result->instr[i].row, &result->instr[i].counts);
    }
    return sum;
}

static char *why(const gmsim_instr_counts *instr)
{
    gmsim_pattern pattern;

    if (gmsim_row_in(instr->row, GMSIM_ROWS_LOCAL))
        return g_strdup("spill or per-thread array");
    if (instr->worst.work == 0)
        return g_strdup("");
    gmsim_pattern_of(&instr->worst, &pattern);
    return gmsim_pattern_words(&pattern, gmsim_row_is_shared(instr->row));
}

static void put_source(GString *out, const gmsim_report *report, const gmsim_result *result,
                       const gmsim_instr_counts *instr)
{
    const gmtrace_kernel *kernel = result->kernel;
    const gmtrace_instr *code;
    char *text;

    if (instr->instr >= kernel->instr_count)
        return;
    code = &kernel->instr[instr->instr];
    if (code->file >= kernel->file_count)
        return;
    text = gmsim_source_line(report->source, kernel->file[code->file], code->line);
    if (text != NULL && text[0] != 0)
        g_string_append_printf(out, "%9u | %s\n", code->line, text);
    g_free(text);
}

/* "LDG.E x4" */
static char *opcode_of(const gmsim_result *result, const hot *line)
{
    char *opcode = gmsim_clean(gmsim_instr_opcode(result, line->instr), 18), *times, *both;

    if (line->instructions == 1)
        return opcode;
    times = g_strdup_printf(" x%u", line->instructions);
    g_free(opcode);
    opcode = gmsim_clean(gmsim_instr_opcode(result, line->instr), 18 - (unsigned)strlen(times));
    both = g_strconcat(opcode, times, NULL);
    g_free(opcode);
    g_free(times);
    return both;
}

static void put_hot(GString *out, gmsim_table *table, const gmsim_report *report,
                    const gmsim_result *result, const hot *line, const uint64_t all[2])
{
    const gmsim_instr_counts *instr = line->instr;
    const gmsim_counts *counts = &line->counts;
    char *place = gmsim_instr_place(result, instr), *words = why(instr);
    char *opcode = opcode_of(result, line);

    gmsim_table_row(
        table,
        (gmsim_field[]){
            gmsim_number_of(GMSIM_UNIT_COUNT, (double)line->excess),
            gmsim_quotient(GMSIM_UNIT_PERCENT, line->excess, all[gmsim_row_is_shared(instr->row)]),
            gmsim_quotient(GMSIM_UNIT_RATIO, gmsim_work(instr->row, counts), counts->requests),
            gmsim_quotient(GMSIM_UNIT_RATIO, gmsim_work_ideal(instr->row, counts),
                           counts->requests),
            gmsim_words(opcode), gmsim_words(place), gmsim_words(words)});
    if (line->excess > 0 || report->verbose)
        put_source(out, report, result, instr);
    g_free(place);
    g_free(words);
    g_free(opcode);
}

void gmsim_text_hot(GString *out, const gmsim_report *report, const gmsim_result *result)
{
    static const gmsim_column columns[] = {
        {.title = "excess", .width = 12},
        {.title = "share", .width = 7},
        {.title = "per req", .width = 8},
        {.title = "ideal", .width = 6},
        {.title = "op", .width = 18, .gap = 2, .left = true},
        {.title = "source", .width = 18, .gap = 1, .left = true},
        {.title = "worst request", .gap = 1, .left = true},
    };
    const uint64_t all[2] = {all_excess(result, false), all_excess(result, true)};
    unsigned count, shown;
    gmsim_table table;
    hot *ranked;

    if (result->instr_count == 0)
        return;
    ranked = rank(report, result, &count);
    shown = report->verbose ? count : MIN(count, SHOWN);
    gmsim_heading(out, report->color,
                  count < result->instr_count ? "Hot lines" : "Hot instructions");
    g_string_append_printf(
        out, "  %s, %u of %u shown%s\n",
        ranked[0].cost > 0 ? "by excess work" : "by work; none is in excess", shown, count,
        shown < count || count < result->instr_count ? " (--verbose: each instruction)" : "");
    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, columns, G_N_ELEMENTS(columns), out, false);
    for (unsigned i = 0; i < shown; i++)
        put_hot(out, &table, report, result, &ranked[i], all);
    g_string_append_c(out, '\n');
    g_free(ranked);
}

/* --------------------------------------------------------------------------------- histogram */

static void put_bin(GPtrArray *lines, const char *label, uint64_t count, uint64_t all)
{
    GString *line = g_string_new(NULL);

    g_string_append_printf(line, "  %5s %12s %6s ", label, gmsim_count(count).text,
                           gmsim_percentage(count, all).text);
    gmsim_bar(line, count, all, 16);
    g_ptr_array_add(lines, g_string_free(line, FALSE));
}

/* One line a degree, or powers of two where that would take many lines. */
static void histogram(GPtrArray *lines, const gmsim_result *result)
{
    static const unsigned from[] = {1, 2, 3, 5, 9, 17}, to[] = {1, 2, 4, 8, 16, 32};
    uint64_t all = 0;
    unsigned used = 0;
    bool wider = false;
    char label[24];

    for (unsigned i = 0; i < GMSIM_DEGREE_BINS; i++) {
        all += result->degree[i];
        used += result->degree[i] > 0;
    }
    for (uint32_t i = 0; i < result->instr_count; i++)
        wider |= gmsim_row_is_shared(result->instr[i].row) && result->instr[i].worst.work > 32;
    if (used <= G_N_ELEMENTS(from)) {
        for (unsigned i = 0; i < GMSIM_DEGREE_BINS; i++) {
            if (result->degree[i] == 0)
                continue;
            g_snprintf(label, sizeof label, "%u%s", i, i == 32 && wider ? "+" : "");
            put_bin(lines, label, result->degree[i], all);
        }
        return;
    }
    for (unsigned group = 0; group < G_N_ELEMENTS(from); group++) {
        uint64_t count = 0;

        for (unsigned i = from[group]; i <= to[group]; i++)
            count += result->degree[i];
        if (from[group] == to[group])
            g_snprintf(label, sizeof label, "%u", from[group]);
        else
            g_snprintf(label, sizeof label, "%u-%u%s", from[group], to[group],
                       to[group] == 32 && wider ? "+" : "");
        put_bin(lines, label, count, all);
    }
}

/* -------------------------------------------------------------------------------------- strips */

static char digit(unsigned value)
{
    return "0123456789abcdefghijklmnopqrstuv"[value % 32];
}

/* "." none, 1 to 9, then letters; "*" beyond. */
static char count_mark(unsigned count)
{
    if (count == 0)
        return '.';
    return count < 32 ? digit(count) : count == 32 ? 'w' : '*';
}

static void add_strip(GPtrArray *lines, const char *label, const char strip[33], const char *note)
{
    g_ptr_array_add(lines, g_strdup_printf("  %-7s%.32s  %s", label, strip, note));
}

static void strips(GPtrArray *lines, const gmsim_worst *worst, bool shared)
{
    static const char numbers[33] = "0.......8.......16......24......";
    char strip[33] = {0}, *note;
    gmsim_pattern pattern;

    gmsim_pattern_of(worst, &pattern);
    add_strip(lines, "lane", numbers, "");
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        uint8_t value = shared ? pattern.lane_bank[i] : pattern.lane_sector[i];

        strip[i] = value == 0xff ? ' ' : value < 32 ? digit(value) : '*';
    }
    add_strip(lines, shared ? "bank" : "sector", strip, "a=10, v=31");
    if (shared) {
        for (unsigned i = 0; i < GMSIM_BANKS; i++)
            strip[i] = count_mark(pattern.words[i]);
        add_strip(lines, "bank", numbers, "");
        note =
            g_strdup_printf("bank %u: %u", pattern.worst_bank, pattern.words[pattern.worst_bank]);
        add_strip(lines, "words", strip, note);
        g_free(note);
    }
}

static char *request_title(const gmsim_result *result, const gmsim_instr_counts *instr)
{
    const uint32_t *grid = result->launch->grid;
    const gmsim_worst *worst = &instr->worst;
    uint64_t row = grid[0] > 0 ? grid[0] : 1, plane = row * (grid[1] > 0 ? grid[1] : 1);
    char *place = gmsim_instr_place(result, instr), *title;

    title = g_strdup_printf("%s  CTA (%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
                            ",%" G_GUINT64_FORMAT ") warp %u: %u %s",
                            place, worst->cta % row, worst->cta % plane / row, worst->cta / plane,
                            worst->warp, worst->work, gmsim_work_name(instr->row));
    g_free(place);
    return title;
}

/* Two columns of lines side by side. */
static void zip(GString *out, const GPtrArray *left, const GPtrArray *right)
{
    for (guint i = 0; i < MAX(left->len, right->len); i++) {
        const char *l = i < left->len ? (const char *)g_ptr_array_index(left, i) : "";
        const char *r = i < right->len ? (const char *)g_ptr_array_index(right, i) : "";
        gsize start = out->len;

        g_string_append_printf(out, "%-*s%s", (int)(right->len > 0 ? LEFT_COLUMNS : 0), l, r);
        while (out->len > start && out->str[out->len - 1] == ' ')
            g_string_truncate(out, out->len - 1);
        g_string_append_c(out, '\n');
    }
    g_string_append_c(out, '\n');
}

void gmsim_text_lanes(GString *out, const gmsim_report *report, const gmsim_result *result)
{
    GPtrArray *left = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *right = g_ptr_array_new_with_free_func(g_free);
    const gmsim_instr_counts *shared =
        gmsim_rows_worst(result, GMSIM_ROWS_SHARED, gmsim_work_excess);
    const gmsim_instr_counts *global =
        gmsim_rows_worst(result, GMSIM_ROWS_GLOBAL, gmsim_work_excess);
    char *title;

    histogram(left, result);
    if (shared != NULL && shared->worst.work > 0) {
        gmsim_heading(out, report->color, "Bank conflicts");
        title = request_title(result, shared);
        g_string_append_printf(out, "  %-*s  %s\n", (int)(LEFT_COLUMNS - 16),
                               "wavefronts a request", title);
        g_free(title);
        strips(right, &shared->worst, true);
        zip(out, left, right);
    } else if (left->len > 0) {
        gmsim_heading(out, report->color, "Bank conflicts");
        g_string_append(out, "  none; wavefronts a shared request:\n");
        zip(out, left, right);
    }
    if (global != NULL && global->worst.work > 0 && (shared == NULL || report->verbose)) {
        g_ptr_array_set_size(right, 0);
        g_ptr_array_set_size(left, 0);
        gmsim_heading(out, report->color, "Worst global request");
        title = request_title(result, global);
        g_string_append_printf(out, "  %s\n", title);
        g_free(title);
        strips(left, &global->worst, false);
        zip(out, left, right);
    }
    g_ptr_array_unref(left);
    g_ptr_array_unref(right);
}
