/* SPDX-License-Identifier: MIT
 *
 * metrics.c - a result under Nsight Compute's metric names.
 *
 * Each line of METRICS() is one metric: its name and unit as `ncu --query-metrics --chips gh100`
 * lists them, and where its value comes from: a sum of one counter over some rows, one counter of
 * L2, or a function. Leaves out everything this model does not count (texture, constant,
 * instruction caches).
 *
 * Where a name's meaning is wider than one row, hardware's own grouping is followed: the global
 * side of cp.async is counted with the global loads at L1, its shared side with the shared
 * wavefronts.
 */
#include "sim/analysis/metrics.h"

#include "traces/code/decoded.h"

#include <stddef.h>
#include <string.h>

#define ROW(row) (1u << GMSIM_##row)

#define GLOBAL_READS (ROW(GLOBAL_LOAD) | ROW(GLOBAL_COPY))
#define GLOBAL_ALL   (GLOBAL_READS | ROW(GLOBAL_STORE) | ROW(GLOBAL_ATOMIC) | ROW(GLOBAL_REDUCTION))
#define LOCAL_ALL    (ROW(LOCAL_LOAD) | ROW(LOCAL_STORE))
#define SHARED_ALL                                                                                 \
    (ROW(SHARED_LOAD) | ROW(SHARED_STORE) | ROW(SHARED_ATOMIC) | ROW(SHARED_LDSM) |                \
     ROW(SHARED_STSM) | ROW(SHARED_COPY))

typedef bool (*value_function)(const gmsim_result *result, double *value);

typedef enum source_kind { SOURCE_ROWS, SOURCE_L2, SOURCE_CALL } source_kind;

typedef struct metric_source {
    source_kind kind;
    uint32_t rows;       /* SOURCE_ROWS: bit set of gmsim_row */
    size_t offset;       /* of the counter in gmsim_counts or gmsim_l2_counts */
    value_function call; /* SOURCE_CALL */
} metric_source;

static uint64_t counter_at(const void *base, size_t offset)
{
    uint64_t value;

    memcpy(&value, (const char *)base + offset, sizeof value);
    return value;
}

static uint64_t sum_rows(const gmsim_result *result, uint32_t rows, size_t offset)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < GMSIM_ROWS; i++) {
        if (rows & (1u << i))
            sum += counter_at(&result->row[i], offset);
    }
    return sum;
}

static bool percent(uint64_t part, uint64_t rest, double *value)
{
    uint64_t whole = part + rest;

    if (whole == 0)
        return false;
    *value = 100.0 * (double)part / (double)whole;
    return true;
}

static bool l1_hit_rate(const gmsim_result *result, double *value)
{
    const uint32_t rows = GLOBAL_ALL | LOCAL_ALL;

    return percent(sum_rows(result, rows, offsetof(gmsim_counts, l1_hit_sectors)),
                   sum_rows(result, rows, offsetof(gmsim_counts, l1_miss_sectors)), value);
}

static bool l1_load_hit_rate(const gmsim_result *result, double *value)
{
    return percent(sum_rows(result, GLOBAL_READS, offsetof(gmsim_counts, l1_hit_sectors)),
                   sum_rows(result, GLOBAL_READS, offsetof(gmsim_counts, l1_miss_sectors)), value);
}

static bool l2_hit_rate(const gmsim_result *result, double *value)
{
    const gmsim_l2_counts *l2 = &result->l2;
    /* What crosses the fabric is looked up on both sides, and counted on both. */
    uint64_t writes = l2->write_hit_sectors + l2->fabric_write_sectors;
    uint64_t reads = l2->read_sectors + l2->fabric_read_sectors;
    uint64_t hits = l2->read_hit_sectors + l2->fabric_read_hit_sectors;

    return percent(hits + writes, reads - hits, value);
}

static bool copies_access(const gmsim_result *result, double *value)
{
    const gmsim_counts *copy = &result->row[GMSIM_SHARED_COPY];

    *value = (double)(copy->instructions - copy->copies_bypass);
    return true;
}

/* A class of access that the capture could not see and that the kernel's code has (of bulk copies:
 * with that operation): the counters it belongs to are unknown then, not small. */
static bool is_blind(const gmsim_result *result, uint32_t unseen, gmtrace_op op)
{
    const gmtrace_kernel *kernel = result->kernel;

    if (!(result->unseen & unseen))
        return false;
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        const gmtrace_decoded decoded = gmtrace_decode(&kernel->instr[i]);

        if ((decoded.unseen & unseen) && decoded.op == op)
            return true;
    }
    return false;
}

static bool shared_wavefronts(const gmsim_result *result, double *value)
{
    *value = (double)sum_rows(result, SHARED_ALL, offsetof(gmsim_counts, wavefronts));
    return !is_blind(result, GMTRACE_UNSEEN_WGMMA, GMTRACE_OP_NONE);
}

static bool bulk_loads(const gmsim_result *result, double *value)
{
    *value = (double)result->row[GMSIM_BULK_LOAD].instructions;
    return !is_blind(result, GMTRACE_UNSEEN_TENSOR_COPY, GMTRACE_OP_BULK_LOAD);
}

static bool bulk_stores(const gmsim_result *result, double *value)
{
    uint64_t stores = result->row[GMSIM_BULK_STORE].instructions;

    /* Bulk reductions share the row; ncu counts them apart. */
    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *entry = &result->instr[i];

        if (entry->row == GMSIM_BULK_STORE && entry->instr < result->kernel->instr_count &&
            gmtrace_decode(&result->kernel->instr[entry->instr]).op == GMTRACE_OP_BULK_REDUCE)
            stores -= entry->counts.instructions;
    }
    *value = (double)stores;
    return !is_blind(result, GMTRACE_UNSEEN_TENSOR_COPY, GMTRACE_OP_BULK_STORE);
}

static bool elapsed(const gmsim_result *result, double *value)
{
    *value = (double)result->timing.cycles;
    return result->timed;
}

static bool active(const gmsim_result *result, double *value)
{
    const gmsim_timing *timing = &result->timing;
    *value = timing->sms ? (double)timing->sm_active / timing->sms : 0;
    return result->timed;
}

static bool duration(const gmsim_result *result, double *value)
{
    const gmsim_timing *timing = &result->timing;
    *value = timing->clock_mhz ? (double)timing->cycles * 1000.0 / timing->clock_mhz : 0;
    return result->timed && timing->clock_mhz;
}

static bool achieved_occupancy(const gmsim_result *result, double *value)
{
    const gmsim_timing *timing = &result->timing;
    const double most = (double)timing->sm_active * timing->sm_warps;
    *value = most > 0 ? 100.0 * (double)timing->warp_active / most : 0;
    return result->timed && most > 0;
}

static bool limit(uint32_t blocks, double *value)
{
    *value = blocks;
    return blocks != UINT32_MAX;
}

static bool limit_warps(const gmsim_result *result, double *value)
{
    return limit(result->occupancy.limit_warps, value);
}

static bool limit_blocks(const gmsim_result *result, double *value)
{
    return limit(result->occupancy.limit_blocks, value);
}

static bool limit_registers(const gmsim_result *result, double *value)
{
    return limit(result->occupancy.limit_registers, value);
}

static bool limit_shared(const gmsim_result *result, double *value)
{
    return limit(result->occupancy.limit_shared, value);
}

static bool theoretical_occupancy(const gmsim_result *result, double *value)
{
    *value = result->occupancy.theoretical_pct;
    return true;
}

static bool waves(const gmsim_result *result, double *value)
{
    *value = result->waves;
    return true;
}

static bool grid_size(const gmsim_result *result, double *value)
{
    const uint32_t *grid = result->launch->grid;

    *value = (double)grid[0] * grid[1] * grid[2];
    return true;
}

static bool block_size(const gmsim_result *result, double *value)
{
    const uint32_t *block = result->launch->block;

    *value = (double)block[0] * block[1] * block[2];
    return true;
}

static bool known(uint32_t number, double *value)
{
    *value = number;
    return number != GMTRACE_UNKNOWN;
}

static bool registers(const gmsim_result *result, double *value)
{
    uint32_t asked = result->kernel->registers;
    return known(asked == GMTRACE_UNKNOWN ? asked : gmsim_registers_granted(asked), value);
}

static bool shared_static(const gmsim_result *result, double *value)
{
    return known(result->kernel->static_shared, value);
}

static bool shared_dynamic(const gmsim_result *result, double *value)
{
    return known(result->launch->dynamic_shared, value);
}

static bool shared_allocated(const gmsim_result *result, double *value)
{
    *value = result->occupancy.shared_per_block;
    return true;
}

static bool shared_config(const gmsim_result *result, double *value)
{
    *value = result->occupancy.shared_config;
    return true;
}

#define SUM(rows_, field)                                                                          \
    {                                                                                              \
        .kind = SOURCE_ROWS, .rows = (rows_), .offset = offsetof(gmsim_counts, field)              \
    }
#define L2(field)                                                                                  \
    {                                                                                              \
        .kind = SOURCE_L2, .offset = offsetof(gmsim_l2_counts, field)                              \
    }
#define CALL(function)                                                                             \
    {                                                                                              \
        .kind = SOURCE_CALL, .call = (function)                                                    \
    }

/* clang-format off */
#define METRICS(X)                                                                                 \
    X("smsp__sass_inst_executed_op_global_ld.sum", EXACT, false,                                   \
      "warp instructions that load from global memory",                                            \
      SUM(ROW(GLOBAL_LOAD), instructions))                                                         \
    X("smsp__sass_inst_executed_op_global_st.sum", EXACT, false,                                   \
      "warp instructions that store to global memory",                                             \
      SUM(ROW(GLOBAL_STORE), instructions))                                                        \
    X("smsp__sass_inst_executed_op_global_atom.sum", EXACT, false,                                 \
      "warp atomics on global memory that return a value",                                         \
      SUM(ROW(GLOBAL_ATOMIC), instructions))                                                       \
    X("smsp__sass_inst_executed_op_global_red.sum", EXACT, false,                                  \
      "warp reductions on global memory (nothing returned)",                                       \
      SUM(ROW(GLOBAL_REDUCTION), instructions))                                                    \
    X("smsp__sass_inst_executed_op_local_ld.sum", EXACT, false,                                    \
      "warp instructions that load from local memory",                                             \
      SUM(ROW(LOCAL_LOAD), instructions))                                                          \
    X("smsp__sass_inst_executed_op_local_st.sum", EXACT, false,                                    \
      "warp instructions that store to local memory",                                              \
      SUM(ROW(LOCAL_STORE), instructions))                                                         \
    X("smsp__sass_inst_executed_op_shared_ld.sum", EXACT, false,                                   \
      "warp instructions that load from shared memory",                                            \
      SUM(ROW(SHARED_LOAD), instructions))                                                         \
    X("smsp__sass_inst_executed_op_shared_st.sum", EXACT, false,                                   \
      "warp instructions that store to shared memory",                                             \
      SUM(ROW(SHARED_STORE), instructions))                                                        \
    X("smsp__sass_inst_executed_op_shared_atom.sum", EXACT, false,                                 \
      "warp atomics on shared memory",                                                             \
      SUM(ROW(SHARED_ATOMIC), instructions))                                                       \
    X("smsp__sass_inst_executed_op_ldsm.sum", EXACT, false,                                        \
      "warp matrix loads from shared memory (LDSM)",                                               \
      SUM(ROW(SHARED_LDSM), instructions))                                                         \
    X("smsp__sass_inst_executed_op_shared_stsm.sum", EXACT, false,                                 \
      "warp matrix stores to shared memory (STSM)",                                                \
      SUM(ROW(SHARED_STSM), instructions))                                                         \
    X("smsp__sass_inst_executed_op_ldgsts.sum", EXACT, false,                                      \
      "warp asynchronous copies, global to shared (LDGSTS)",                                       \
      SUM(ROW(SHARED_COPY), instructions))                                                         \
    X("smsp__sass_inst_executed_op_ldgsts_cache_access.sum", EXACT, false,                         \
      "of those, through the L1 cache (LDGSTS.ACCESS)",                                            \
      CALL(copies_access))                                                                         \
    X("smsp__sass_inst_executed_op_ldgsts_cache_bypass.sum", EXACT, false,                         \
      "of those, past the L1 cache (LDGSTS.BYPASS)",                                               \
      SUM(ROW(SHARED_COPY), copies_bypass))                                                        \
    X("smsp__sass_inst_executed_op_dshared.sum", EXACT, false,                                     \
      "warp accesses to another CTA's shared memory",                                              \
      SUM(ROW(REMOTE_SHARED), instructions))                                                       \
    X("smsp__sass_inst_executed_op_tma_ld.sum", EXACT, false,                                      \
      "bulk copies, global to shared",                                                             \
      CALL(bulk_loads))                                                           \
    X("smsp__sass_inst_executed_op_tma_st.sum", EXACT, false,                                      \
      "bulk copies, shared to global",                                                             \
      CALL(bulk_stores))                                                          \
    X("smsp__sass_sectors_mem_global.sum", EXACT, false,                                           \
      "32-byte sectors touched by all global accesses",                                            \
      SUM(GLOBAL_ALL, sectors))                                                                    \
    X("smsp__sass_sectors_mem_local.sum", EXACT, false,                                            \
      "32-byte sectors touched by all local accesses",                                             \
      SUM(LOCAL_ALL, sectors))                                                                     \
    X("smsp__sass_l1tex_tags_mem_global.sum", EXACT, false,                                        \
      "128-byte lines looked up by all global accesses",                                           \
      SUM(GLOBAL_ALL, tags))                                                                       \
    X("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", EXACT, false,                         \
      "passes through the shared-memory banks, all accesses",                                      \
      CALL(shared_wavefronts))                                                                     \
    X("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", EXACT, false,              \
      "of those, loads",                                                                           \
      SUM(ROW(SHARED_LOAD), wavefronts))                                                           \
    X("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", EXACT, false,              \
      "of those, stores",                                                                          \
      SUM(ROW(SHARED_STORE), wavefronts))                                                          \
    X("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", EXACT, false,            \
      "of those, atomics",                                                                         \
      SUM(ROW(SHARED_ATOMIC), wavefronts))                                                         \
    X("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", EXACT, false,            \
      "of those, matrix loads",                                                                    \
      SUM(ROW(SHARED_LDSM), wavefronts))                                                           \
    X("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum", EXACT, false,            \
      "of those, matrix stores",                                                                   \
      SUM(ROW(SHARED_STSM), wavefronts))                                                           \
    X("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", EXACT, false,          \
      "of those, the shared side of asynchronous copies",                                          \
      SUM(ROW(SHARED_COPY), wavefronts))                                                           \
    X("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", EXACT, false,                             \
      "L1 requests of global loads and asynchronous copies",                                       \
      SUM(GLOBAL_READS, requests))                                                                 \
    X("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", EXACT, false,                             \
      "L1 requests of global stores",                                                              \
      SUM(ROW(GLOBAL_STORE), requests))                                                            \
    X("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", EXACT, false,                           \
      "L1 requests of global atomics",                                                             \
      SUM(ROW(GLOBAL_ATOMIC), requests))                                                           \
    X("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", EXACT, false,                            \
      "L1 requests of global reductions",                                                          \
      SUM(ROW(GLOBAL_REDUCTION), requests))                                                        \
    X("l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", EXACT, false,                              \
      "L1 requests of local loads",                                                                \
      SUM(ROW(LOCAL_LOAD), requests))                                                              \
    X("l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", EXACT, false,                              \
      "L1 requests of local stores",                                                               \
      SUM(ROW(LOCAL_STORE), requests))                                                             \
    X("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", EXACT, false,                              \
      "sectors of global loads and asynchronous copies",                                           \
      SUM(GLOBAL_READS, sectors))                                                                  \
    X("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", EXACT, false,                              \
      "sectors of global stores",                                                                  \
      SUM(ROW(GLOBAL_STORE), sectors))                                                             \
    X("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", EXACT, false,                               \
      "sectors of local loads",                                                                    \
      SUM(ROW(LOCAL_LOAD), sectors))                                                               \
    X("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", EXACT, false,                               \
      "sectors of local stores",                                                                   \
      SUM(ROW(LOCAL_STORE), sectors))                                                              \
    X("launch__grid_size", EXACT, false,                                                           \
      "CTAs launched",                                                                             \
      CALL(grid_size))                                                                             \
    X("launch__block_size", EXACT, false,                                                          \
      "threads a CTA",                                                                             \
      CALL(block_size))                                                                            \
    X("launch__registers_per_thread", EXACT, false,                                                \
      "registers allocated a thread",                                                              \
      CALL(registers))                                                                             \
    X("launch__shared_mem_per_block_static", EXACT, false,                                         \
      "static shared memory a CTA, bytes",                                                         \
      CALL(shared_static))                                                                         \
    X("launch__shared_mem_per_block_dynamic", EXACT, false,                                        \
      "dynamic shared memory a CTA, bytes",                                                        \
      CALL(shared_dynamic))                                                                        \
    X("launch__shared_mem_per_block_allocated", EXACT, false,                                      \
      "shared memory a CTA takes, reservation and rounding included, bytes",                       \
      CALL(shared_allocated))                                                                      \
    X("launch__occupancy_limit_warps", EXACT, false,                                               \
      "CTAs an SM can hold by warps",                                                              \
      CALL(limit_warps))                                                                           \
    X("launch__occupancy_limit_blocks", EXACT, false,                                              \
      "CTAs an SM can hold at all",                                                                \
      CALL(limit_blocks))                                                                          \
    X("launch__occupancy_limit_registers", EXACT, false,                                           \
      "CTAs an SM can hold by registers",                                                          \
      CALL(limit_registers))                                                                       \
    X("launch__occupancy_limit_shared_mem", EXACT, false,                                          \
      "CTAs an SM can hold by shared memory",                                                      \
      CALL(limit_shared))                                                                          \
    X("sm__maximum_warps_per_active_cycle_pct", EXACT, true,                                       \
      "theoretical occupancy",                                                                     \
      CALL(theoretical_occupancy))                                                                 \
    X("launch__waves_per_multiprocessor", EXACT, false,                                            \
      "times the grid fills the GPU (a real number)",                                              \
      CALL(waves))                                                                                 \
    X("launch__shared_mem_config_size", MODELLED, false,                                           \
      "carve-out of the SM for shared memory, bytes",                                              \
      CALL(shared_config))                                                                         \
    X("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", MODELLED, false,                \
      "sectors of global loads and asynchronous copies found in L1",                               \
      SUM(GLOBAL_READS, l1_hit_sectors))                                                           \
    X("l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", MODELLED, false,                \
      "sectors of global stores whose line is in L1",                                              \
      SUM(ROW(GLOBAL_STORE), l1_hit_sectors))                                                      \
    X("l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", MODELLED, false,                 \
      "sectors of local loads found in L1",                                                        \
      SUM(ROW(LOCAL_LOAD), l1_hit_sectors))                                                        \
    X("l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", MODELLED, false,                 \
      "sectors of local stores whose line is in L1",                                               \
      SUM(ROW(LOCAL_STORE), l1_hit_sectors))                                                       \
    X("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", MODELLED, true,                    \
      "L1 hit rate of global loads and asynchronous copies",                                       \
      CALL(l1_load_hit_rate))                                                                      \
    X("l1tex__t_sector_hit_rate.pct", MODELLED, true,                                              \
      "L1 hit rate of all global and local accesses",                                              \
      CALL(l1_hit_rate))                                                                           \
    X("l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum", MODELLED, false,                        \
      "sectors that global and local loads fetch from L2 into L1",                                 \
      SUM(GLOBAL_READS | ROW(LOCAL_LOAD), xbar_read_sectors))                                      \
    X("l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum", MODELLED, false,                       \
      "sectors that global and local stores send from L1 to L2",                                   \
      SUM(ROW(GLOBAL_STORE) | ROW(LOCAL_STORE), xbar_write_sectors))                               \
    X("lts__t_sectors_srcunit_tex_op_read.sum", MODELLED, false,                                   \
      "sectors read from L2 by the SMs",                                                           \
      L2(read_sectors))                                                                            \
    X("lts__t_sectors_srcunit_ltcfabric_op_read.sum", MODELLED, false,                             \
      "sectors that one side of L2 asks the other for",                                              \
      L2(fabric_read_sectors))                                                                     \
    X("lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum", MODELLED, false,                  \
      "... and found there", L2(fabric_read_hit_sectors))                                         \
    X("lts__t_sectors_srcunit_tex_op_write.sum", MODELLED, false,                                  \
      "sectors written to L2 by the SMs",                                                          \
      L2(write_sectors))                                                                           \
    X("lts__t_sectors_srcunit_tex_op_atom.sum", MODELLED, false,                                   \
      "sectors of atomics done in L2",                                                             \
      L2(atomic_sectors))                                                                          \
    X("lts__t_sectors_srcunit_tex_op_red.sum", MODELLED, false,                                    \
      "sectors of reductions done in L2",                                                          \
      L2(reduction_sectors))                                                                       \
    X("lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", MODELLED, false,                        \
      "sectors read by the SMs and found on their side of L2",                                                   \
      L2(read_hit_sectors))                                                                        \
    X("lts__t_sector_hit_rate.pct", MODELLED, true,                                                \
      "L2 hit rate of reads and writes",                                                           \
      CALL(l2_hit_rate))                                                                           \
    X("dram__sectors_read.sum", MODELLED, false,                                                   \
      "sectors read from DRAM",                                                                    \
      L2(dram_read_sectors))                                                                       \
    X("dram__sectors_write.sum", MODELLED, false,                                                  \
      "sectors written to DRAM before the launch ends",                                            \
      L2(dram_write_sectors))                                                                      \
    X("gpc__cycles_elapsed.max", MODELLED, false,                                                  \
      "SM clocks from the launch to its end",                                                      \
      CALL(elapsed))                                                                               \
    X("sm__cycles_active.avg", MODELLED, false,                                                    \
      "clocks in which an SM has a warp, mean over SMs (a real number)",                           \
      CALL(active))                                                                                \
    X("gpu__time_duration.sum", MODELLED, false,                                                   \
      "nanoseconds from the launch to its end (a real number)",                                    \
      CALL(duration))                                                                              \
    X("sm__warps_active.avg.pct_of_peak_sustained_active", MODELLED, true,                         \
      "achieved occupancy: warps on an active SM, in percent of those it can hold",                \
      CALL(achieved_occupancy))
/* clang-format on */

#define AS_METRIC(name_, family_, percent_, meaning_, ...)                                         \
    {.name = name_, .family = GMSIM_FAMILY_##family_, .is_percent = percent_, .meaning = meaning_},
#define AS_SOURCE(name_, family_, percent_, meaning_, ...) __VA_ARGS__,

const gmsim_metric gmsim_metrics[] = {METRICS(AS_METRIC)};
static const metric_source sources[] = {METRICS(AS_SOURCE)};
const unsigned gmsim_metric_count = G_N_ELEMENTS(gmsim_metrics);

G_STATIC_ASSERT(G_N_ELEMENTS(gmsim_metrics) == G_N_ELEMENTS(sources));
G_STATIC_ASSERT(GMSIM_ROWS <= 32);

int gmsim_metric_find(const char *name)
{
    for (unsigned i = 0; i < gmsim_metric_count; i++) {
        if (strcmp(gmsim_metrics[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

bool gmsim_metric_value(const gmsim_result *result, unsigned metric, double *value)
{
    const metric_source *source;

    if (metric >= gmsim_metric_count)
        return false;
    source = &sources[metric];
    switch (source->kind) {
    case SOURCE_ROWS:
        *value = (double)sum_rows(result, source->rows, source->offset);
        return true;
    case SOURCE_L2:
        *value = (double)counter_at(&result->l2, source->offset);
        return true;
    case SOURCE_CALL:
        return source->call(result, value);
    }
    return false;
}
