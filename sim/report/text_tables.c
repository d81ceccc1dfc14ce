/* SPDX-License-Identifier: MIT
 *
 * text_tables.c - the memory pipe, occupancy and allocation tables of the text report. "Bytes" are
 * what the lanes asked for in shared memory and what moves (sectors of 32 bytes) below it.
 */
#include <inttypes.h>

#include "sim/report/format.h"
#include "sim/analysis/pattern.h"
#include "sim/report/text.h"
#include "sim/analysis/verdict.h"

#define BAR_COLUMNS 7u

typedef struct pipe_line {
    const char *unit, *access, *work_unit;
    uint64_t requests, work, ideal; /* requests 0: not counted here */
    uint64_t hits, misses, bytes;
    bool shows_ideal, is_counted;
} pipe_line;

static const char *const access_words[GMSIM_ROWS] = {
    [GMSIM_GLOBAL_LOAD] = "global load",   [GMSIM_GLOBAL_STORE] = "global store",
    [GMSIM_GLOBAL_ATOMIC] = "global atom", [GMSIM_GLOBAL_REDUCTION] = "global red",
    [GMSIM_GLOBAL_COPY] = "cp.async",      [GMSIM_LOCAL_LOAD] = "local load",
    [GMSIM_LOCAL_STORE] = "local store",   [GMSIM_SHARED_LOAD] = "load",
    [GMSIM_SHARED_STORE] = "store",        [GMSIM_SHARED_ATOMIC] = "atomic",
    [GMSIM_SHARED_LDSM] = "ldmatrix",      [GMSIM_SHARED_STSM] = "stmatrix",
    [GMSIM_SHARED_COPY] = "cp.async",      [GMSIM_REMOTE_SHARED] = "remote",
    [GMSIM_BULK_LOAD] = "bulk load",       [GMSIM_BULK_STORE] = "bulk store",
};

static void put_line(GString *out, const pipe_line *line)
{
    g_string_append_printf(out, "  %-6s %-12s%11s%13s %-4s%8s%6s%7s%10s", line->unit, line->access,
                           line->requests > 0 ? gmsim_count(line->requests).text : "-",
                           gmsim_count(line->work).text, line->work_unit,
                           gmsim_ratio(line->work, line->requests).text,
                           line->shows_ideal ? gmsim_ratio(line->ideal, line->requests).text : "-",
                           gmsim_percentage(line->hits, line->hits + line->misses).text,
                           gmsim_bytes(line->bytes).text);
}

/* Least cycles and bar stand on the first line of each resource. */
static void end_line(GString *out, const gmsim_result *result, int resource, bool *shown)
{
    uint64_t bound = result->min_cycles[result->bound];

    if (resource >= 0 && !shown[resource]) {
        shown[resource] = true;
        g_string_append_printf(out, "%11s ", gmsim_count(result->min_cycles[resource]).text);
        gmsim_bar(out, result->min_cycles[resource], bound, BAR_COLUMNS);
    }
    g_string_append_c(out, '\n');
}

static void put_row(GString *out, const gmsim_result *result, gmsim_row row, bool *shown)
{
    const gmsim_counts *counts = &result->row[row];
    bool shared = gmsim_row_is_shared(row),
         bulk = row == GMSIM_BULK_LOAD || row == GMSIM_BULK_STORE;
    pipe_line line = {.unit = shared ? "shared"
                              : bulk ? "TMA"
                                     : "L1",
                      .access = access_words[row],
                      .work_unit = shared ? "wave" : "sect",
                      .requests = counts->requests,
                      .work = gmsim_work(row, counts),
                      .ideal = gmsim_work_ideal(row, counts),
                      .hits = counts->l1_hit_sectors,
                      .misses = counts->l1_miss_sectors,
                      .bytes = shared ? counts->bytes : counts->sectors * GMSIM_SECTOR_BYTES,
                      .shows_ideal = row != GMSIM_REMOTE_SHARED,
                      .is_counted = row != GMSIM_REMOTE_SHARED};

    if (counts->instructions == 0)
        return;
    put_line(out, &line);
    end_line(out, result, shared ? GMSIM_RESOURCE_SHARED : bulk ? -1 : GMSIM_RESOURCE_L1, shown);
}

static void put_sectors(GString *out, const gmsim_result *result, int resource, const char *unit,
                        const char *access, uint64_t sectors, uint64_t hits, bool looked_up,
                        bool *shown)
{
    pipe_line line = {.unit = unit,
                      .access = access,
                      .work_unit = "sect",
                      .work = sectors,
                      .hits = looked_up ? hits : 0,
                      .misses = looked_up ? sectors - MIN(hits, sectors) : 0,
                      .bytes = sectors * GMSIM_SECTOR_BYTES,
                      .is_counted = true};

    put_line(out, &line);
    end_line(out, result, resource, shown);
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
    bool shown[GMSIM_RESOURCES] = {false}, empty = true;

    for (unsigned i = 0; i < GMSIM_ROWS; i++)
        empty = empty && result->row[i].instructions == 0;
    if (empty)
        return;
    gmsim_text_heading(out, report, "Memory pipe");
    g_string_append_printf(out, "%21s%13s %-4s%8s%6s%7s%10s%11s share\n", "Requests", "Work", "",
                           "per req", "ideal", "hit", "bytes", "min cycles");
    for (unsigned i = 0; i < GMSIM_ROWS; i++) {
        if (gmsim_row_is_shared((gmsim_row)i))
            put_row(out, result, (gmsim_row)i, shown);
    }
    for (unsigned i = 0; i < GMSIM_ROWS; i++) {
        if (!gmsim_row_is_shared((gmsim_row)i))
            put_row(out, result, (gmsim_row)i, shown);
    }
    if (l2->read_sectors > 0)
        put_sectors(out, result, GMSIM_RESOURCE_L2, "L2", "read", l2->read_sectors,
                    l2->read_hit_sectors, true, shown);
    if (l2->write_sectors > 0)
        put_sectors(out, result, GMSIM_RESOURCE_L2, "L2", "write", l2->write_sectors,
                    l2->write_hit_sectors, true, shown);
    if (atomics > 0)
        put_sectors(out, result, GMSIM_RESOURCE_L2, "L2", "atomic", atomics, 0, false, shown);
    if (l2->read_sectors + l2->write_sectors + atomics > 0) {
        put_sectors(out, result, GMSIM_RESOURCE_DRAM, "DRAM", "read", l2->dram_read_sectors, 0,
                    false, shown);
        put_sectors(out, result, -1, "DRAM", "write", l2->dram_write_sectors, 0, false, shown);
    }
    put_unknown(out, report->gpu, "L2", "l2.bytes_per_clock", report->gpu->l2_bytes_per_clock);
    put_unknown(out, report->gpu, "DRAM", "dram.bytes_per_clock",
                report->gpu->dram_bytes_per_clock);
    if (l2->dirty_sectors > 0)
        g_string_append_printf(out, "  %s written stay in L2 when the launch ends\n",
                               gmsim_bytes(l2->dirty_sectors * GMSIM_SECTOR_BYTES).text);
    g_string_append_c(out, '\n');
}

void gmsim_text_occupancy(GString *out, const gmsim_report *report, const gmsim_result *result)
{
    static const char *const words[] = {"warps", "blocks", "registers", "shared memory",
                                        "barriers"};
    const gmsim_occupancy *occupancy = &result->occupancy;
    const gmtrace_kernel *kernel = result->kernel;
    unsigned named = 0;

    gmsim_text_heading(out, report, "Occupancy");
    g_string_append_printf(out, "  %u/%u warps an SM (%.4g %%), %u block%s an SM, limited by",
                           occupancy->warps, report->gpu->occupancy_warps_per_sm,
                           occupancy->theoretical_pct, occupancy->blocks,
                           occupancy->blocks == 1 ? "" : "s");
    for (unsigned bit = 0; bit < G_N_ELEMENTS(words); bit++) {
        if (occupancy->limiters >> bit & 1u)
            g_string_append_printf(out, "%s %s", named++ > 0 ? "," : "", words[bit]);
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
    gmsim_text_heading(out, report, "Allocations");
    g_string_append(out, "  with the instructions whose worst request lies in each\n");
    for (uint32_t i = 0; i < launch->allocation_count; i++) {
        const gmtrace_allocation *allocation = &launch->allocation[i];
        unsigned users = 0;

        g_string_append_printf(out, "  0x%012" PRIx64 "%12s ", allocation->base,
                               gmsim_bytes(allocation->size).text);
        for (uint32_t j = 0; j < result->instr_count; j++) {
            const gmsim_instr_counts *instr = &result->instr[j];
            char *place;

            if (!gmsim_row_is_global(instr->row) || instr->worst.work == 0 ||
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
