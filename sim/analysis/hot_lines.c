/* SPDX-License-Identifier: MIT
 *
 * hot_lines.c - which lines do more work than they need.
 */
#include "sim/analysis/hot_lines.h"

#include <stdlib.h>
#include <string.h>

#include "sim/analysis/rows.h"

static int by_cost(const void *left, const void *right)
{
    const gmsim_hot_line *a = (const gmsim_hot_line *)left, *b = (const gmsim_hot_line *)right;

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
    const gmsim_hot_line *a = left, *b = right;
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
static void merge(gmsim_hot_line *line, const gmsim_hot_line *part)
{
    add_counts(&line->counts, &part->counts);
    line->instructions++;
    line->excess += part->excess;
    line->cost += part->cost;
    line->work += part->work;
    if (part->instr->worst.work > line->instr->worst.work)
        line->instr = part->instr;
}

gmsim_hot_line *gmsim_hot_lines(const gmsim_gpu *gpu, const gmsim_result *result, bool each,
                                unsigned *count)
{
    gmsim_hot_line *ranked = g_new0(gmsim_hot_line, result->instr_count);
    uint64_t all_sms = (uint64_t)GMSIM_SECTOR_BYTES * gpu->gpu_sm_count;
    /* Where the rate of L2 is unknown: a sector of each SM a clock. */
    uint64_t l2_rate = gpu->l2_bytes_per_clock > 0 ? gpu->l2_bytes_per_clock : all_sms;

    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *instr = &result->instr[i];
        uint64_t weight = gmsim_row_is_shared(instr->row) ? l2_rate : all_sms;
        uint64_t excess = gmsim_work_excess(instr->row, &instr->counts);

        ranked[i] = (gmsim_hot_line){.instr = instr,
                                     .instructions = 1,
                                     .counts = instr->counts,
                                     .excess = excess,
                                     .cost = excess * weight,
                                     .work = gmsim_work(instr->row, &instr->counts) * weight};
    }
    *count = result->instr_count;
    if (!each) {
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
    if (*count > 0)
        qsort(ranked, *count, sizeof *ranked, by_cost);
    return ranked;
}

uint64_t gmsim_hot_excess(const gmsim_result *result, bool shared)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < result->instr_count; i++) {
        if (gmsim_row_is_shared(result->instr[i].row) == shared)
            sum += gmsim_work_excess(result->instr[i].row, &result->instr[i].counts);
    }
    return sum;
}
