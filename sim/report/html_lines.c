/* SPDX-License-Identifier: MIT
 *
 * html_lines.c - lines by excess work, with their source and what the lanes of the worst request of
 * each touch: banks of shared memory, sectors of everything else. Addresses are offsets from the
 * 128-byte line that the lowest lies in, so that requests that do alike are alike.
 */
#include "sim/analysis/hot_lines.h"
#include "sim/analysis/pattern.h"
#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/html.h"
#include "sim/report/text.h"
#include "sim/report/words.h"

static void put_source(gmsim_json *json, const gmsim_report *report, const gmsim_result *result,
                       const gmsim_instr_counts *instr)
{
    const gmtrace_kernel *kernel = result->kernel;
    const gmtrace_instr *code;

    if (instr->instr >= kernel->instr_count)
        return;
    code = &kernel->instr[instr->instr];
    if (code->file >= kernel->file_count)
        return;
    g_autofree char *text = gmsim_source_line(report->source, kernel->file[code->file], code->line);
    if (text != NULL && text[0] != 0)
        gmsim_html_text(json, "source", text);
}

/* Words of each bank, or the sectors of lanes: their first bytes' offsets, and null of lanes that
 * are not active. */
static void put_worst(gmsim_json *json, const gmsim_result *result, const gmsim_instr_counts *instr)
{
    const bool shared = gmsim_row_is_shared(instr->row);
    const gmsim_worst *worst = &instr->worst;
    uint64_t lowest = UINT64_MAX;
    gmsim_pattern pattern;

    gmsim_pattern_of(worst, &pattern);
    gmsim_json_object(json, "worst", true);
    gmsim_json_array(json, "cta", true);
    for (unsigned i = 0, d = 0; i < 3; i++) {
        uint64_t of = worst->cta;

        for (d = 0; d < i; d++)
            of /= MAX(result->launch->grid[d], 1);
        gmsim_json_uint(json, NULL, i < 2 ? of % MAX(result->launch->grid[i], 1) : of);
    }
    gmsim_json_close(json);
    gmsim_json_uint(json, "warp", worst->warp);
    gmsim_json_uint(json, "work", worst->work);
    gmsim_json_uint(json, "size", worst->size);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        if (worst->mask >> i & 1u)
            lowest = MIN(lowest, worst->address[i]);
    }
    lowest -= shared ? 0 : lowest % GMSIM_LINE_BYTES;
    gmsim_json_array(json, "at", true);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        if (!(worst->mask >> i & 1u))
            gmsim_json_null(json, NULL);
        else if (shared)
            gmsim_json_uint(json, NULL, pattern.lane_bank[i]);
        else
            gmsim_json_uint(json, NULL, worst->address[i] - lowest);
    }
    gmsim_json_close(json);
    if (shared) {
        gmsim_json_array(json, "words", true);
        for (unsigned i = 0; i < GMSIM_BANKS; i++)
            gmsim_json_uint(json, NULL, pattern.words[i]);
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
}

static void put_line(gmsim_json *json, const gmsim_report *report, const gmsim_result *result,
                     const gmsim_hot_line *line, const uint64_t all[2])
{
    const gmsim_instr_counts *instr = line->instr;
    const gmsim_row row = instr->row;
    const bool shared = gmsim_row_is_shared(row);
    g_autofree char *place = gmsim_instr_place(result, instr), *words = gmsim_worst_words(instr);
    const uint64_t requests = line->counts.requests;

    gmsim_json_object(json, NULL, true);
    gmsim_json_uint(json, "excess", line->excess);
    if (all[shared] > 0)
        gmsim_html_percent(json, "share", line->excess, all[shared]);
    gmsim_json_string(json, "access", gmsim_row_name(row));
    gmsim_json_string(json, "work_name", gmsim_work_name(row));
    gmsim_json_uint(json, "requests", requests);
    gmsim_json_uint(json, "work", gmsim_work(row, &line->counts));
    if (requests > 0) {
        gmsim_html_number(json, "per", (double)gmsim_work(row, &line->counts) / (double)requests);
        gmsim_html_number(json, "ideal",
                          (double)gmsim_work_ideal(row, &line->counts) / (double)requests);
    }
    gmsim_html_text(json, "opcode", gmsim_instr_opcode(result, instr));
    gmsim_json_uint(json, "instructions", line->instructions);
    gmsim_html_text(json, "place", place);
    gmsim_html_text(json, "why", words);
    put_source(json, report, result, instr);
    if (instr->worst.work > 0 && !gmsim_row_in(row, GMSIM_ROWS_LOCAL))
        put_worst(json, result, instr);
    gmsim_json_close(json);
}

char *gmsim_html_lines(const gmsim_report *report, const gmsim_gpu *gpu, const gmsim_result *result,
                       unsigned most)
{
    const uint64_t all[2] = {gmsim_hot_excess(result, false), gmsim_hot_excess(result, true)};
    GString *text = g_string_new(NULL);
    unsigned count;
    gmsim_hot_line *line = gmsim_hot_lines(gpu, result, report->verbose, &count);
    gmsim_json json;

    gmsim_json_init_text(&json, text);
    json.page = true;
    gmsim_json_object(&json, NULL, true);
    gmsim_json_uint(&json, "count", count);
    gmsim_json_array(&json, "line", true);
    for (unsigned i = 0; i < MIN(count, most); i++)
        put_line(&json, report, result, &line[i], all);
    gmsim_json_close(&json);
    gmsim_json_close(&json);
    g_free(line);
    return g_string_free(text, FALSE);
}
