/* SPDX-License-Identifier: MIT
 *
 * text_pipe.c - the memory pipe, occupancy and allocation tables of the text report.
 */
#include <inttypes.h>

#include "sim/analysis/arrays.h"
#include "sim/analysis/pipe.h"
#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/text.h"
#include "sim/report/words.h"

#define BAR_COLUMNS 7u
#define NAME_WIDTH  20u /* of an allocation */

static const gmsim_column pipe_columns[] = {
    {.title = "Memory pipe", .width = 21, .left = true},
    {.title = "Requests", .width = 11},
    {.title = "Work", .width = 13},
    {.title = "", .width = 4, .gap = 1, .left = true},
    {.title = "per req", .width = 8},
    {.title = "ideal", .width = 6},
    {.title = "hit", .width = 7},
    {.title = "bytes", .width = 10},
    {.title = "min cycles", .width = 11},
    {.title = "share", .gap = 1, .left = true},
};

/* A number, "-" where the line has none. */
static gmsim_field known(gmsim_unit unit, uint64_t value)
{
    return value == GMSIM_PIPE_UNKNOWN ? gmsim_words("-") : gmsim_number_of(unit, (double)value);
}

static void put_line(gmsim_table *table, const gmsim_result *result, const gmsim_pipe_line *line)
{
    const bool of_rows = line->row >= 0,
               shared = of_rows && gmsim_row_is_shared((gmsim_row)line->row);
    const uint64_t requests = line->requests == GMSIM_PIPE_UNKNOWN ? 0 : line->requests;
    char *name = g_strdup_printf("  %-6s %-12s", line->unit, line->access);
    GString *bar = g_string_new(NULL);
    gmsim_field field[] = {
        gmsim_words(name),
        known(GMSIM_UNIT_COUNT, line->requests),
        known(GMSIM_UNIT_COUNT, line->work),
        gmsim_words(shared ? "wave" : "sect"),
        gmsim_quotient(GMSIM_UNIT_RATIO, line->work, requests),
        gmsim_quotient(GMSIM_UNIT_RATIO, line->ideal,
                       line->ideal == GMSIM_PIPE_UNKNOWN ? 0 : requests),
        gmsim_quotient(GMSIM_UNIT_PERCENT, line->hits, line->looked_up),
        known(GMSIM_UNIT_BYTES, line->bytes),
        gmsim_words(""),
        gmsim_words(""),
    };

    if (line->resource >= 0 && (result->unseen & GMSIM_UNSEEN_TRAFFIC)) {
        field[8] = gmsim_words("-");
    } else if (line->resource >= 0) {
        const uint64_t least = result->min_cycles[line->resource];

        field[8] = gmsim_number_of(GMSIM_UNIT_COUNT, (double)least);
        gmsim_bar(bar, least, result->min_cycles[result->bound], BAR_COLUMNS);
        field[9] = gmsim_words(bar->str);
    }
    gmsim_table_row(table, field);
    g_free(name);
    g_string_free(bar, TRUE);
}

/* Says which resource has no "min cycles", where a GPU's description gives no rate for it. */
static void put_unknown(GString *out, const gmsim_gpu *gpu, const char *unit, const char *key,
                        uint32_t rate)
{
    if (rate == 0)
        g_string_append_printf(out,
                               "  the rate of %s is unknown for %s, so it bounds nothing; "
                               "--set %s=N gives one\n",
                               unit, gpu->name, key);
}

void gmsim_text_pipe(GString *out, const gmsim_report *report, const gmsim_result *result)
{
    const gmsim_l2_counts *l2 = &result->l2;
    gmsim_pipe_line line[GMSIM_PIPE_LINES];
    const unsigned count = gmsim_pipe_lines(result, line);
    gmsim_table table;

    if (count == 0)
        return;
    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, pipe_columns, G_N_ELEMENTS(pipe_columns), out,
                      report->color);
    for (unsigned i = 0; i < count; i++)
        put_line(&table, result, &line[i]);
    put_unknown(out, report->gpu, "L2", "l2.bytes_per_clock", report->gpu->l2_bytes_per_clock);
    put_unknown(out, report->gpu, "DRAM", "dram.bytes_per_clock",
                report->gpu->dram_bytes_per_clock);
    if (l2->dirty_sectors > 0 && !(result->unseen & GMSIM_UNSEEN_TRAFFIC))
        g_string_append_printf(out, "  %s written stay in L2 when the launch ends\n",
                               gmsim_bytes(l2->dirty_sectors * GMSIM_SECTOR_BYTES).text);
    g_string_append_c(out, '\n');
}

void gmsim_text_occupancy(GString *out, const gmsim_report *report, const gmsim_result *result)
{
    const gmsim_occupancy *occupancy = &result->occupancy;
    const gmtrace_kernel *kernel = result->kernel;
    unsigned named = 0;

    gmsim_heading(out, report->color, "Occupancy");
    g_string_append_printf(out, "  %u/%u warps an SM (%.4g %%), %u block%s an SM, limited by",
                           occupancy->warps, report->gpu->occupancy_warps_per_sm,
                           occupancy->theoretical_pct, occupancy->blocks,
                           occupancy->blocks == 1 ? "" : "s");
    for (unsigned bit = 0; gmsim_limiter_table[bit].name != NULL; bit++) {
        if (occupancy->limiters >> bit & 1u)
            g_string_append_printf(out, "%s %s", named++ > 0 ? "," : "",
                                   gmsim_limiter_table[bit].name);
    }
    g_string_append_printf(out, "; %.3g wave%s\n", result->waves,
                           result->waves > 1 || result->waves < 1 ? "s" : "");
    g_string_append(out, "           ");
    if (kernel->registers != GMTRACE_UNKNOWN)
        g_string_append_printf(out, "registers/thread %u  ", kernel->registers);
    if (kernel->static_shared != GMTRACE_UNKNOWN &&
        result->launch->dynamic_shared != GMTRACE_UNKNOWN)
        g_string_append_printf(
            out, "shared/block %s B (+%s B system)  ",
            gmsim_count((uint64_t)kernel->static_shared + result->launch->dynamic_shared).text,
            gmsim_count(report->gpu->shared_reserved).text);
    g_string_append_printf(out, "carve-out %s, L1 %s\n\n",
                           gmsim_bytes(occupancy->shared_config).text,
                           gmsim_bytes(occupancy->l1_bytes).text);
}

static bool lies_in(const gmsim_worst *worst, const gmtrace_allocation *allocation)
{
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        if ((worst->mask >> i & 1u) && worst->address[i] >= allocation->base &&
            worst->address[i] - allocation->base < allocation->size)
            return true;
    }
    return false;
}

void gmsim_text_allocations(GString *out, const gmsim_report *report, const gmsim_result *result)
{
    const gmtrace_launch *launch = result->launch;
    bool named = false;

    if (launch->allocation_count == 0)
        return;
    gmsim_heading(out, report->color, "Allocations");
    g_string_append(out, "  with the instructions whose worst request lies in each\n");
    for (uint32_t i = 0; i < launch->allocation_count; i++)
        named = named || launch->allocation[i].origin != NULL;
    for (uint32_t i = 0; i < launch->allocation_count; i++) {
        const gmtrace_allocation *allocation = &launch->allocation[i];
        unsigned users = 0;
        char *name, *clean;

        name = gmsim_origin_name(allocation->origin, true);
        clean = name != NULL ? gmsim_clean(name, NAME_WIDTH) : g_strdup("");
        g_string_append_printf(out, "  0x%012" PRIx64 "%12s ", allocation->base,
                               gmsim_bytes(allocation->size).text);
        if (named)
            g_string_append_printf(out, " %-*s", (int)NAME_WIDTH, clean);
        g_free(clean);
        g_free(name);
        for (uint32_t j = 0; j < result->instr_count; j++) {
            const gmsim_instr_counts *instr = &result->instr[j];
            char *place;

            if (!gmsim_row_in(instr->row, GMSIM_ROWS_GLOBAL) || instr->worst.work == 0 ||
                !lies_in(&instr->worst, allocation))
                continue;
            if (users++ >= 4) {
                g_string_append(out, " ...");
                break;
            }
            place = gmsim_instr_place(result, instr);
            g_string_append_printf(out, " %s", place);
            g_free(place);
        }
        g_string_append_c(out, '\n');
    }
    g_string_append_c(out, '\n');
}
