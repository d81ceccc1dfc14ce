/* SPDX-License-Identifier: MIT
 *
 * text_pipe.c - the memory pipe, occupancy and allocation tables of the text report. "Bytes" are
 * what the lanes asked for in shared memory and what moves (sectors of 32 bytes) below it.
 */
#include <inttypes.h>
#include <stddef.h>

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/text.h"
#include "sim/report/words.h"

#define BAR_COLUMNS 7u

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

typedef struct pipe_table {
    const gmsim_result *result;
    gmsim_table table;
    bool shown[GMSIM_RESOURCES];
} pipe_table;

/* Adds the name, and the least cycles of a resource (-1: of none) that no line before showed. */
static void put_line(pipe_table *p, const char *unit, const char *access, int resource,
                     gmsim_field field[G_N_ELEMENTS(pipe_columns)])
{
    char *name = g_strdup_printf("  %-6s %-12s", unit, access);
    GString *bar = g_string_new(NULL);

    field[0] = gmsim_words(name);
    field[8] = gmsim_words("");
    if (resource >= 0 && !p->shown[resource]) {
        uint64_t least = p->result->min_cycles[resource];

        p->shown[resource] = true;
        if (p->result->unseen & GMSIM_UNSEEN_TRAFFIC) {
            field[8] = gmsim_words("-");
        } else {
            field[8] = gmsim_number_of(GMSIM_UNIT_COUNT, (double)least);
            gmsim_bar(bar, least, p->result->min_cycles[p->result->bound], BAR_COLUMNS);
        }
    }
    field[9] = gmsim_words(bar->str);
    gmsim_table_row(&p->table, field);
    g_free(name);
    g_string_free(bar, TRUE);
}

static void put_rows(pipe_table *p, uint32_t rows, const char *unit, int resource)
{
    for (unsigned i = 0; i < GMSIM_ROWS; i++) {
        const gmsim_counts *c = &p->result->row[i];
        gmsim_row row = (gmsim_row)i;
        bool shared = gmsim_row_is_shared(row), remote = row == GMSIM_REMOTE_SHARED;
        uint64_t bytes = shared ? c->bytes : c->sectors * GMSIM_SECTOR_BYTES;
        uint64_t work = gmsim_work(row, c), looked_up = c->l1_hit_sectors + c->l1_miss_sectors;
        gmsim_field field[] = {
            [1] = gmsim_number_of(GMSIM_UNIT_COUNT, (double)c->requests),
            [2] = gmsim_number_of(GMSIM_UNIT_COUNT, (double)work),
            [3] = gmsim_words(shared ? "wave" : "sect"),
            [4] = gmsim_quotient(GMSIM_UNIT_RATIO, work, c->requests),
            [5] = gmsim_quotient(GMSIM_UNIT_RATIO, gmsim_work_ideal(row, c),
                                 remote ? 0 : c->requests),
            [6] = gmsim_quotient(GMSIM_UNIT_PERCENT, c->l1_hit_sectors,
                                 p->result->unseen & GMSIM_UNSEEN_TRAFFIC ? 0 : looked_up),
            [7] = gmsim_number_of(GMSIM_UNIT_BYTES, (double)bytes),
            [9] = gmsim_words(""),
        };

        if (c->requests == 0)
            field[1] = gmsim_words("-");
        if (gmsim_row_in(row, rows) && c->instructions > 0)
            put_line(p, unit, gmsim_row_table[i].access, resource, field);
    }
}

/* Below L1: sectors, and of them hits; UINT64_MAX where nothing is looked up. */
static void put_sectors(pipe_table *p, int resource, const char *unit, const char *access,
                        uint64_t sectors, uint64_t hits)
{
    const gmsim_field none = gmsim_words("-");
    const bool unseen = (p->result->unseen & GMSIM_UNSEEN_TRAFFIC) != 0;
    gmsim_field field[] = {
        [1] = none,
        [2] = unseen ? none : gmsim_number_of(GMSIM_UNIT_COUNT, (double)sectors),
        [3] = gmsim_words("sect"),
        [4] = none,
        [5] = none,
        [6] = gmsim_quotient(GMSIM_UNIT_PERCENT, MIN(hits, sectors),
                             hits == UINT64_MAX || unseen ? 0 : sectors),
        [7] = unseen ? none
                     : gmsim_number_of(GMSIM_UNIT_BYTES, (double)(sectors * GMSIM_SECTOR_BYTES)),
        [9] = none,
    };

    put_line(p, unit, access, resource, field);
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
    uint64_t atomics = l2->atomic_sectors + l2->reduction_sectors;
    pipe_table p = {.result = result};

    if (gmsim_rows_sum(result, GMSIM_ROWS_ALL, offsetof(gmsim_counts, instructions)) == 0)
        return;
    gmsim_table_begin(&p.table, GMSIM_TABLE_TEXT, pipe_columns, G_N_ELEMENTS(pipe_columns), out,
                      report->color);
    put_rows(&p, GMSIM_ROWS_SHARED, "shared", GMSIM_RESOURCE_SHARED);
    put_rows(&p, GMSIM_ROWS_GLOBAL | GMSIM_ROWS_LOCAL, "L1", GMSIM_RESOURCE_L1);
    put_rows(&p, GMSIM_ROWS_BULK, "TMA", -1);
    if (l2->read_sectors > 0)
        put_sectors(&p, GMSIM_RESOURCE_L2, "L2", "read", l2->read_sectors, l2->read_hit_sectors);
    if (l2->write_sectors > 0)
        put_sectors(&p, GMSIM_RESOURCE_L2, "L2", "write", l2->write_sectors, l2->write_hit_sectors);
    if (atomics > 0)
        put_sectors(&p, GMSIM_RESOURCE_L2, "L2", "atomic", atomics, UINT64_MAX);
    if (l2->read_sectors + l2->write_sectors + atomics > 0) {
        put_sectors(&p, GMSIM_RESOURCE_DRAM, "DRAM", "read", l2->dram_read_sectors, UINT64_MAX);
        put_sectors(&p, -1, "DRAM", "write", l2->dram_write_sectors, UINT64_MAX);
    }
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

    if (launch->allocation_count == 0)
        return;
    gmsim_heading(out, report->color, "Allocations");
    g_string_append(out, "  with the instructions whose worst request lies in each\n");
    for (uint32_t i = 0; i < launch->allocation_count; i++) {
        const gmtrace_allocation *allocation = &launch->allocation[i];
        unsigned users = 0;

        g_string_append_printf(out, "  0x%012" PRIx64 "%12s ", allocation->base,
                               gmsim_bytes(allocation->size).text);
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
