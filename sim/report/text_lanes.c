/* SPDX-License-Identifier: MIT
 *
 * text_lanes.c - which instructions do more work than they need, and what the lanes of the worst
 * request touch. The sum over all requests per bank is not shown: a conflict that moves from bank
 * to bank leaves it flat.
 */
#include <string.h>

#include "sim/analysis/hot_lines.h"
#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/text.h"
#include "sim/report/words.h"

#define SHOWN        4u  /* instructions, unless verbose */
#define LEFT_COLUMNS 44u /* of the histogram */

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
static char *opcode_of(const gmsim_result *result, const gmsim_hot_line *line)
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
                    const gmsim_result *result, const gmsim_hot_line *line, const uint64_t all[2])
{
    const gmsim_instr_counts *instr = line->instr;
    const gmsim_counts *counts = &line->counts;
    char *place = gmsim_instr_place(result, instr), *words = gmsim_worst_words(instr);
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
    const uint64_t all[2] = {gmsim_hot_excess(result, false), gmsim_hot_excess(result, true)};
    unsigned count, shown;
    gmsim_table table;
    gmsim_hot_line *ranked;

    if (result->instr_count == 0)
        return;
    ranked = gmsim_hot_lines(report->gpu, result, report->verbose, &count);
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
    const bool wider = gmsim_wider_degrees(result);
    char label[24];

    for (unsigned i = 0; i < GMSIM_DEGREE_BINS; i++) {
        all += result->degree[i];
        used += result->degree[i] > 0;
    }
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
