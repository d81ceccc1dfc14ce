/* SPDX-License-Identifier: MIT
 *
 * rows.c - the tables of rows.h, and sums over rows.
 */
#include "sim/analysis/rows.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
const gmsim_row_names gmsim_row_table[GMSIM_ROWS] = {
    [GMSIM_GLOBAL_LOAD]      = {"global load",         "global load",  "loads"},
    [GMSIM_GLOBAL_STORE]     = {"global store",        "global store", "stores"},
    [GMSIM_GLOBAL_ATOMIC]    = {"global atomic",       "global atom",  "atomics"},
    [GMSIM_GLOBAL_REDUCTION] = {"global reduction",    "global red",   "reductions"},
    [GMSIM_GLOBAL_COPY]      = {"global async copy",   "cp.async",     "asynchronous copies"},
    [GMSIM_LOCAL_LOAD]       = {"local load",          "local load",   "loads"},
    [GMSIM_LOCAL_STORE]      = {"local store",         "local store",  "stores"},
    [GMSIM_SHARED_LOAD]      = {"shared load",         "load",         "loads"},
    [GMSIM_SHARED_STORE]     = {"shared store",        "store",        "stores"},
    [GMSIM_SHARED_ATOMIC]    = {"shared atomic",       "atomic",       "atomics"},
    [GMSIM_SHARED_LDSM]      = {"shared matrix load",  "ldmatrix",     "matrix loads"},
    [GMSIM_SHARED_STSM]      = {"shared matrix store", "stmatrix",     "matrix stores"},
    [GMSIM_SHARED_COPY]      = {"shared async copy",   "cp.async",     "asynchronous copies"},
    [GMSIM_REMOTE_SHARED]    = {"remote shared",       "remote",       "remote accesses"},
    [GMSIM_BULK_LOAD]        = {"bulk load",           "bulk load",    "bulk loads"},
    [GMSIM_BULK_STORE]       = {"bulk store",          "bulk store",   "bulk stores"},
};

#define COUNTER(field) #field, offsetof(gmsim_counts, field)
#define BELOW          (GMSIM_ROWS_ALL & ~GMSIM_ROWS_SHARED)
const gmsim_counter gmsim_counters[] = {
    {COUNTER(instructions), GMSIM_ROWS_ALL, false},
    {COUNTER(threads), GMSIM_ROWS_ALL, false},
    {COUNTER(bytes), GMSIM_ROWS_ALL, false},
    {COUNTER(requests), GMSIM_ROWS_ALL, false},
    {COUNTER(wavefronts), GMSIM_ROWS_SHARED, false},
    {COUNTER(wavefronts_ideal), GMSIM_ROWS_SHARED, false},
    {COUNTER(sectors), BELOW, false},
    {COUNTER(sectors_ideal), BELOW, false},
    {COUNTER(tags), BELOW, false},
    {COUNTER(l1_hit_sectors), BELOW, true},
    {COUNTER(l1_miss_sectors), BELOW, true},
    {"l2_read_sectors", offsetof(gmsim_counts, xbar_read_sectors), BELOW, true},
    {"l2_write_sectors", offsetof(gmsim_counts, xbar_write_sectors), BELOW, true},
};
const unsigned gmsim_counter_count = G_N_ELEMENTS(gmsim_counters);

const gmsim_names gmsim_resource_table[GMSIM_RESOURCES] = {
    [GMSIM_RESOURCE_SHARED] = {"shared", "shared"},
    [GMSIM_RESOURCE_L1]     = {"l1", "L1"},
    [GMSIM_RESOURCE_L2]     = {"l2", "L2"},
    [GMSIM_RESOURCE_DRAM]   = {"dram", "DRAM"},
};

const gmsim_names gmsim_stall_table[GMSIM_STALLS] = {
    [GMSIM_STALL_ISSUE]          = {"issue", "issue"},
    [GMSIM_STALL_MATH]           = {"math", "math pipe"},
    [GMSIM_STALL_SHARED]         = {"shared", "shared memory"},
    [GMSIM_STALL_L1]             = {"l1", "L1"},
    [GMSIM_STALL_L2]             = {"l2", "L2"},
    [GMSIM_STALL_DRAM_LATENCY]   = {"dram_latency", "DRAM latency"},
    [GMSIM_STALL_DRAM_BANDWIDTH] = {"dram_bandwidth", "DRAM bandwidth"},
    [GMSIM_STALL_BARRIER]        = {"barrier", "barrier"},
    [GMSIM_STALL_LAUNCH]         = {"launch", "launch"},
};

const gmsim_names gmsim_start_table[GMSIM_STARTS] = {
    [GMSIM_START_COLD]    = {"cold", "cold"},
    [GMSIM_START_WARM]    = {"warm", "warm"},
    [GMSIM_START_FLUSHED] = {"flushed", "flushed"},
    [GMSIM_START_UNKNOWN] = {"unknown", "unknown"},
};

const gmsim_names gmsim_limiter_table[] = {
    {"warps", "warps"},
    {"blocks", "blocks"},
    {"registers", "registers"},
    {"shared_mem", "shared memory"},
    {"barriers", "barriers"},
    {NULL, NULL},
};

const gmsim_names gmsim_unseen_table[] = {
    {"constant", "constant"},
    {"texture", "texture"},
    {"surface", "surface"},
    {"graph launches", "graph launches"},
    {"warpgroup MMA", "warpgroup MMA"},
    {"tensor-map copies", "tensor-map copies"},
    {NULL, NULL},
};
/* clang-format on */

G_STATIC_ASSERT(GMSIM_ROWS < 32);

const char *gmsim_row_name(gmsim_row row)
{
    return gmsim_row_table[row].name;
}

uint64_t gmsim_counter_value(const gmsim_counts *counts, size_t offset)
{
    uint64_t value;

    memcpy(&value, (const char *)counts + offset, sizeof value);
    return value;
}

uint64_t gmsim_rows_sum(const gmsim_result *result, uint32_t rows, size_t offset)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < GMSIM_ROWS; i++)
        sum += rows >> i & 1u ? gmsim_counter_value(&result->row[i], offset) : 0;
    return sum;
}

uint64_t gmsim_rows_work(const gmsim_result *result, uint32_t rows)
{
    return gmsim_rows_sum(result, rows & GMSIM_ROWS_SHARED, offsetof(gmsim_counts, wavefronts)) +
           gmsim_rows_sum(result, rows & ~GMSIM_ROWS_SHARED, offsetof(gmsim_counts, sectors));
}

uint64_t gmsim_rows_excess(const gmsim_result *result, uint32_t rows)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < GMSIM_ROWS; i++)
        sum += rows >> i & 1u ? gmsim_work_excess((gmsim_row)i, &result->row[i]) : 0;
    return sum;
}

bool gmsim_wider_degrees(const gmsim_result *result)
{
    for (uint32_t i = 0; i < result->instr_count; i++) {
        if (gmsim_row_is_shared(result->instr[i].row) &&
            result->instr[i].worst.work >= GMSIM_DEGREE_BINS)
            return true;
    }
    return false;
}

const gmsim_instr_counts *gmsim_rows_worst(const gmsim_result *result, uint32_t rows,
                                           uint64_t (*measure)(gmsim_row, const gmsim_counts *))
{
    const gmsim_instr_counts *worst = NULL;
    uint64_t most = 0;

    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *instr = &result->instr[i];
        uint64_t work = gmsim_row_in(instr->row, rows) ? measure(instr->row, &instr->counts) : 0;

        if (work > most) {
            most = work;
            worst = instr;
        }
    }
    return worst;
}

uint64_t gmsim_work(gmsim_row row, const gmsim_counts *counts)
{
    return gmsim_row_is_shared(row) ? counts->wavefronts : counts->sectors;
}

uint64_t gmsim_work_ideal(gmsim_row row, const gmsim_counts *counts)
{
    return gmsim_row_is_shared(row) ? counts->wavefronts_ideal : counts->sectors_ideal;
}

uint64_t gmsim_work_excess(gmsim_row row, const gmsim_counts *counts)
{
    uint64_t work = gmsim_work(row, counts), ideal = gmsim_work_ideal(row, counts);

    return work > ideal ? work - ideal : 0;
}

const char *gmsim_work_name(gmsim_row row)
{
    return gmsim_row_is_shared(row) ? "wavefronts" : "sectors";
}
