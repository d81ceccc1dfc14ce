/* SPDX-License-Identifier: MIT
 *
 * metrics.c - the table of metrics.h. Nsight Compute's names and units are those of `ncu
 * --query-metrics --chips gh100`. Leaves out everything this model does not count (texture,
 * constant, instruction caches).
 *
 * Where a name's meaning is wider than one row, hardware's own grouping is followed: the global
 * side of cp.async is counted with the global loads at L1, its shared side with the shared
 * wavefronts.
 */
#include "sim/analysis/metrics.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/analysis/rows.h"
#include "traces/code/decoded.h"

#define SUM_OF(result, rows, field) gmsim_rows_sum(result, rows, offsetof(gmsim_counts, field))

/* NaN of nothing. */
static double over(double part, uint64_t whole)
{
    return whole > 0 ? part / (double)whole : (double)NAN;
}

/* Per cent of the sectors that rows looked up in L1. */
static double l1_hits(const gmsim_result *r, uint32_t rows)
{
    uint64_t hits = SUM_OF(r, rows, l1_hit_sectors);

    return over(100.0 * (double)hits, hits + SUM_OF(r, rows, l1_miss_sectors));
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

/* Of what row BULK_STORE has of a counter, the part of reductions: ncu counts them apart. */
static uint64_t reduced(const gmsim_result *result, size_t counter)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *entry = &result->instr[i];

        if (entry->row == GMSIM_BULK_STORE && entry->instr < result->kernel->instr_count &&
            gmtrace_decode(&result->kernel->instr[entry->instr]).op == GMTRACE_OP_BULK_REDUCE)
            sum += *(const uint64_t *)(const void *)((const char *)&entry->counts + counter);
    }
    return sum;
}

#define REDUCED(r, field) reduced(r, offsetof(gmsim_counts, field))

/* Of all accesses. Sectors of atomics count as often as L2 carries them out (explore: 135 kernels
 * with atomics), none of them as a hit. */
static double all_l1_hits(const gmsim_result *r)
{
    const uint32_t others = (GMSIM_ROWS_GLOBAL & ~GMSIM_ROWS_UPDATE) | GMSIM_ROWS_LOCAL;
    const uint64_t updates = gmsim_l2_updates(&r->l2);
    const uint64_t hits = SUM_OF(r, others, l1_hit_sectors);
    const uint64_t sectors = hits + SUM_OF(r, others, l1_miss_sectors) + updates;

    return over(100.0 * (double)hits, sectors - MIN(updates, REDUCED(r, xbar_write_sectors)));
}

static bool conflict_degree(const gmsim_result *result, double *value)
{
    *value = 0;
    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_counts *counts = &result->instr[i].counts;

        if (gmsim_row_is_shared(result->instr[i].row) && counts->wavefronts_ideal > 0)
            *value = MAX(*value, over((double)counts->wavefronts, counts->wavefronts_ideal));
    }
    return *value > 0;
}

/* What each resource moved, in bytes: between DRAM and L2, L2 and the SMs, in sectors; in L1 the
 * sectors of its requests; in shared memory what lanes asked for. */
static uint64_t moved(const gmsim_result *r, gmsim_resource resource)
{
    const gmsim_l2_counts *l2 = &r->l2;

    switch (resource) {
    case GMSIM_RESOURCE_DRAM:
        return (l2->dram_read_sectors + l2->dram_write_sectors) * GMSIM_SECTOR_BYTES;
    case GMSIM_RESOURCE_L2:
        return (l2->read_sectors + l2->write_sectors + gmsim_l2_updates(l2)) * GMSIM_SECTOR_BYTES;
    case GMSIM_RESOURCE_L1:
        return gmsim_rows_work(r, GMSIM_ROWS_GLOBAL | GMSIM_ROWS_LOCAL) * GMSIM_SECTOR_BYTES;
    case GMSIM_RESOURCE_SHARED:
    default:
        return SUM_OF(r, GMSIM_ROWS_SHARED, bytes);
    }
}

static uint64_t useful(const gmsim_result *r)
{
    return SUM_OF(r, GMSIM_ROWS_GLOBAL | GMSIM_ROWS_BULK, bytes);
}

static double per_second(const gmsim_result *r, uint64_t bytes)
{
    return over((double)bytes * r->timing.clock_mhz * 1e6, r->timing.cycles);
}

static double of_peak(const gmsim_result *r, uint64_t bytes, gmsim_resource resource)
{
    return over(100.0 * (double)bytes, r->timing.cycles * r->peak[resource]);
}

static bool executed_known(const gmsim_result *r)
{
    return r->executed.instructions > 0 &&
           r->executed.doubtful * GMSIM_SURE_WAYS <= r->executed.ways;
}

/* A metric of a launch `r` where `known` holds and the value is not NaN. */
#define GIVES(name, known, expression)                                                             \
    static bool name(const gmsim_result *r, double *value)                                         \
    {                                                                                              \
        *value = (double)(expression);                                                             \
        return (known) && !isnan(*value);                                                          \
    }

/* clang-format off */
#define BLIND(unseen, op) is_blind(r, GMTRACE_UNSEEN_##unseen, GMTRACE_OP_##op)
GIVES(load_sectors, true,
      (int64_t)(SUM_OF(r, GMSIM_ROWS_READ, sectors) + r->row[GMSIM_SHARED_COPY].copies_shifted))
GIVES(global_sectors, true,
      (int64_t)(SUM_OF(r, GMSIM_ROWS_GLOBAL, sectors) + r->row[GMSIM_SHARED_COPY].copies_moved))
GIVES(copies_access, true,
      r->row[GMSIM_SHARED_COPY].instructions - r->row[GMSIM_SHARED_COPY].copies_bypass)
GIVES(shared_wavefronts, !BLIND(WGMMA, NONE),
      gmsim_rows_work(r, GMSIM_ROWS_OWN_SHARED) + r->product_wavefronts)
GIVES(bulk_loads, !BLIND(TENSOR_COPY, BULK_LOAD), r->row[GMSIM_BULK_LOAD].instructions)
GIVES(bulk_stores, !BLIND(TENSOR_COPY, BULK_STORE),
      r->row[GMSIM_BULK_STORE].instructions - REDUCED(r, instructions))
GIVES(bulk_reductions, !BLIND(TENSOR_COPY, BULK_REDUCE), REDUCED(r, instructions))
GIVES(bulk_self_sectors, true,
      r->row[GMSIM_BULK_LOAD].xbar_read_sectors - r->row[GMSIM_BULK_LOAD].multicast_sectors)
GIVES(bulk_store_sectors, true,
      r->row[GMSIM_BULK_STORE].xbar_write_sectors - REDUCED(r, xbar_write_sectors))
GIVES(bulk_reduction_sectors, true, REDUCED(r, xbar_write_sectors))
GIVES(elapsed, r->timed, r->timing.cycles)
GIVES(active, r->timed, over((double)r->timing.sm_active, r->timing.sms))
GIVES(duration, r->timed, over((double)r->timing.cycles * 1000.0, r->timing.clock_mhz))
GIVES(achieved_occupancy, r->timed,
      over(100.0 * (double)r->timing.warp_active, r->timing.sm_active * r->timing.sm_warps))
GIVES(executed, executed_known(r), r->executed.instructions)
GIVES(ipc_elapsed, executed_known(r),
      over((double)r->executed.instructions, r->timing.cycles * r->timing.sms))
GIVES(ipc_active, executed_known(r),
      over((double)r->executed.instructions, r->timing.sm_active))
GIVES(theoretical_occupancy, true, r->occupancy.theoretical_pct)
GIVES(waves, true, r->waves)
GIVES(grid_size, true, (double)r->launch->grid[0] * r->launch->grid[1] * r->launch->grid[2])
GIVES(block_size, true, (double)r->launch->block[0] * r->launch->block[1] * r->launch->block[2])
GIVES(registers, r->kernel->registers != GMTRACE_UNKNOWN,
      gmsim_registers_granted(r->kernel->registers))
GIVES(shared_static, r->kernel->static_shared != GMTRACE_UNKNOWN, r->kernel->static_shared)
GIVES(shared_dynamic, r->launch->dynamic_shared != GMTRACE_UNKNOWN, r->launch->dynamic_shared)
GIVES(l1_hit_rate, true, all_l1_hits(r))
GIVES(l1_load_hit_rate, true, l1_hits(r, GMSIM_ROWS_READ))
/* What crosses the fabric is looked up on both sides of L2, and counted on both; what prefetches ask
 * for is looked up, too, and so are atomics and reductions: one that crosses is found where it comes
 * from, and misses, if it does, at home. */
static uint64_t update_lookups(const gmsim_l2_counts *l2)
{
    return gmsim_l2_updates(l2) + l2->fabric_update_sectors;
}
GIVES(l2_hit_rate, true,
      over(100.0 * (double)(r->l2.read_hit_sectors + r->l2.fabric_read_hit_sectors +
                            r->l2.write_hit_sectors + r->l2.fabric_write_sectors +
                            r->l2.prefetch_hit_sectors +
                            (update_lookups(&r->l2) -
                             MIN(update_lookups(&r->l2), r->l2.missed_update_sectors))),
           r->l2.read_sectors + r->l2.fabric_read_sectors + r->l2.write_hit_sectors +
               r->l2.fabric_write_sectors + r->l2.prefetch_sectors + update_lookups(&r->l2)))
GIVES(load_latency, r->timed, over((double)r->timing.load_cycles, r->timing.loads))
GIVES(shared_per_request, true, over((double)gmsim_rows_work(r, GMSIM_ROWS_SHARED),
                                     SUM_OF(r, GMSIM_ROWS_SHARED, requests)))
GIVES(global_per_request, true, over((double)gmsim_rows_work(r, GMSIM_ROWS_GLOBAL),
                                     SUM_OF(r, GMSIM_ROWS_GLOBAL, requests)))
GIVES(shared_excess, true, gmsim_rows_excess(r, GMSIM_ROWS_SHARED))
#define RATES(name, bytes, resource)                                                               \
    GIVES(name##_rate, r->timed && r->timing.clock_mhz > 0, per_second(r, bytes))                  \
    GIVES(name##_peak, r->timed, of_peak(r, bytes, GMSIM_RESOURCE_##resource))
RATES(dram, moved(r, GMSIM_RESOURCE_DRAM), DRAM)
RATES(l2, moved(r, GMSIM_RESOURCE_L2), L2)
RATES(l1, moved(r, GMSIM_RESOURCE_L1), L1)
RATES(shared, moved(r, GMSIM_RESOURCE_SHARED), SHARED)
RATES(useful, useful(r), DRAM)
/* A bulk copy is one thread's; of an asynchronous one the global side is counted. */
#define ROWS_OF_LANES (GMSIM_ROWS_ALL & ~(GMSIM_ROW(SHARED_COPY) | GMSIM_ROWS_BULK))
GIVES(active_threads, true, over((double)SUM_OF(r, ROWS_OF_LANES, threads),
                                 SUM_OF(r, ROWS_OF_LANES, instructions)))
GIVES(updates, true, gmsim_l2_updates(&r->l2))
/* clang-format on */

/* Definitions. */
#define ROW(row)           GMSIM_ROW(row)
#define SUM(rows_, field)  .rows = (rows_), .offset = offsetof(gmsim_counts, field)
#define L2(field)          .offset = offsetof(gmsim_l2_counts, field)
#define L2_BYTES(field)    L2(field), .times = GMSIM_SECTOR_BYTES
#define WORD(field)        .word_at = offsetof(gmsim_result, field)
#define CALL(function)     .call = (function)
#define SHARE(whole_, ...) .part = {__VA_ARGS__}, .whole = (whole_)
/* Words of the lines. */
#define EXACT       GMSIM_FAMILY_EXACT
#define MODELLED    GMSIM_FAMILY_MODELLED
#define COUNT       GMSIM_UNIT_COUNT
#define RATIO       GMSIM_UNIT_RATIO
#define PERCENT     GMSIM_UNIT_PERCENT
#define BYTES       GMSIM_UNIT_BYTES
#define NANOSECONDS GMSIM_UNIT_NANOSECONDS
#define PER_SECOND  GMSIM_UNIT_BYTES_PER_SECOND
#define LESS        .better = -1

/* Lines at the end of the table: gmsim's own, and of them ratios of ncu's. */
#define OWN    24u
#define RATIOS 2u

/* clang-format off */
const gmsim_metric gmsim_metrics[] = {
    {"smsp__sass_inst_executed_op_global_ld.sum", EXACT, COUNT,
     "warp instructions that load from global memory", SUM(ROW(GLOBAL_LOAD), instructions)},
    {"smsp__sass_inst_executed_op_global_st.sum", EXACT, COUNT,
     "warp instructions that store to global memory", SUM(ROW(GLOBAL_STORE), instructions)},
    {"smsp__sass_inst_executed_op_global_atom.sum", EXACT, COUNT,
     "warp atomics on global memory that return a value", SUM(ROW(GLOBAL_ATOMIC), instructions)},
    {"smsp__sass_inst_executed_op_global_red.sum", EXACT, COUNT,
     "warp reductions on global memory (nothing returned)",
     SUM(ROW(GLOBAL_REDUCTION), instructions)},
    {"smsp__sass_inst_executed_op_local_ld.sum", EXACT, COUNT,
     "warp instructions that load from local memory", SUM(ROW(LOCAL_LOAD), instructions)},
    {"smsp__sass_inst_executed_op_local_st.sum", EXACT, COUNT,
     "warp instructions that store to local memory", SUM(ROW(LOCAL_STORE), instructions)},
    {"smsp__sass_inst_executed_op_shared_ld.sum", EXACT, COUNT,
     "warp instructions that load from shared memory", SUM(ROW(SHARED_LOAD), instructions)},
    {"smsp__sass_inst_executed_op_shared_st.sum", EXACT, COUNT,
     "warp instructions that store to shared memory", SUM(ROW(SHARED_STORE), instructions)},
    {"smsp__sass_inst_executed_op_shared_atom.sum", EXACT, COUNT,
     "warp atomics on shared memory", SUM(ROW(SHARED_ATOMIC), instructions)},
    {"smsp__sass_inst_executed_op_ldsm.sum", EXACT, COUNT,
     "warp matrix loads from shared memory (LDSM)", SUM(ROW(SHARED_LDSM), instructions)},
    {"smsp__sass_inst_executed_op_shared_stsm.sum", EXACT, COUNT,
     "warp matrix stores to shared memory (STSM)", SUM(ROW(SHARED_STSM), instructions)},
    {"smsp__sass_inst_executed_op_ldgsts.sum", EXACT, COUNT,
     "warp asynchronous copies, global to shared (LDGSTS)", SUM(ROW(SHARED_COPY), instructions)},
    {"smsp__sass_inst_executed_op_ldgsts_cache_access.sum", EXACT, COUNT,
     "of those, through the L1 cache (LDGSTS.ACCESS)", CALL(copies_access)},
    {"smsp__sass_inst_executed_op_ldgsts_cache_bypass.sum", EXACT, COUNT,
     "of those, past the L1 cache (LDGSTS.BYPASS)", SUM(ROW(SHARED_COPY), copies_bypass)},
    {"smsp__sass_inst_executed_op_dshared.sum", EXACT, COUNT,
     "warp accesses to another CTA's shared memory", SUM(ROW(REMOTE_SHARED), instructions)},
    {"smsp__sass_inst_executed_op_tma_ld.sum", EXACT, COUNT,
     "bulk copies, global to shared", CALL(bulk_loads)},
    {"smsp__sass_inst_executed_op_tma_st.sum", EXACT, COUNT,
     "bulk copies, shared to global", CALL(bulk_stores)},
    {"sm__sass_inst_executed_op_tma_ld.sum", EXACT, COUNT,
     "bulk copies, global to shared, as SMs count them", CALL(bulk_loads)},
    {"sm__sass_inst_executed_op_tma_st.sum", EXACT, COUNT,
     "bulk copies, shared to global, as SMs count them", CALL(bulk_stores)},
    {"sm__sass_inst_executed_op_tma_red.sum", EXACT, COUNT,
     "bulk reductions, shared to global", CALL(bulk_reductions)},
    {"smsp__sass_sectors_mem_global.sum", EXACT, COUNT,
     "32-byte sectors touched by all global accesses", CALL(global_sectors),
     .key = "global.sectors", .word = "sectors", .label = "global sectors", LESS},
    {"smsp__sass_sectors_mem_local.sum", EXACT, COUNT,
     "32-byte sectors touched by all local accesses", SUM(GMSIM_ROWS_LOCAL, sectors),
     .key = "local.sectors", .label = "local sectors", LESS},
    {"smsp__sass_l1tex_tags_mem_global.sum", EXACT, COUNT,
     "128-byte lines looked up by all global accesses", SUM(GMSIM_ROWS_GLOBAL, tags),
     .word = "tags"},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", EXACT, COUNT,
     "passes through the shared-memory banks, all accesses", CALL(shared_wavefronts),
     .key = "shared.wavefronts", .word = "wavefronts", .label = "shared wavefronts", LESS},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", EXACT, COUNT,
     "of those, loads", SUM(ROW(SHARED_LOAD), wavefronts)},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", EXACT, COUNT,
     "of those, stores", SUM(ROW(SHARED_STORE), wavefronts)},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", EXACT, COUNT,
     "of those, atomics", SUM(ROW(SHARED_ATOMIC), wavefronts)},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", EXACT, COUNT,
     "of those, matrix loads", SUM(ROW(SHARED_LDSM), wavefronts)},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum", EXACT, COUNT,
     "of those, matrix stores", SUM(ROW(SHARED_STSM), wavefronts)},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", EXACT, COUNT,
     "of those, the shared side of asynchronous copies", SUM(ROW(SHARED_COPY), wavefronts)},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", EXACT, COUNT,
     "L1 requests of global loads and asynchronous copies", SUM(GMSIM_ROWS_READ, requests)},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", EXACT, COUNT,
     "L1 requests of global stores", SUM(ROW(GLOBAL_STORE), requests)},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", EXACT, COUNT,
     "L1 requests of global atomics", SUM(ROW(GLOBAL_ATOMIC), requests)},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", EXACT, COUNT,
     "L1 requests of global reductions", SUM(ROW(GLOBAL_REDUCTION), requests)},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", EXACT, COUNT,
     "L1 requests of local loads", SUM(ROW(LOCAL_LOAD), requests)},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", EXACT, COUNT,
     "L1 requests of local stores", SUM(ROW(LOCAL_STORE), requests)},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", EXACT, COUNT,
     "sectors of global loads and asynchronous copies", CALL(load_sectors)},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", EXACT, COUNT,
     "sectors of global stores", SUM(ROW(GLOBAL_STORE), sectors)},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", EXACT, COUNT,
     "sectors of local loads", SUM(ROW(LOCAL_LOAD), sectors)},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", EXACT, COUNT,
     "sectors of local stores", SUM(ROW(LOCAL_STORE), sectors)},
    {"launch__grid_size", EXACT, COUNT,
     "CTAs launched", CALL(grid_size)},
    {"launch__block_size", EXACT, COUNT,
     "threads a CTA", CALL(block_size)},
    {"launch__registers_per_thread", EXACT, COUNT,
     "registers allocated a thread", CALL(registers),
     .key = "registers", .label = "registers a thread"},
    {"launch__shared_mem_per_block_static", EXACT, BYTES,
     "static shared memory a CTA, bytes", CALL(shared_static)},
    {"launch__shared_mem_per_block_dynamic", EXACT, BYTES,
     "dynamic shared memory a CTA, bytes", CALL(shared_dynamic)},
    {"launch__shared_mem_per_block_allocated", EXACT, BYTES,
     "shared memory a CTA takes, reservation and rounding included, bytes",
     WORD(occupancy.shared_per_block),
     .key = "shared.per_block", .label = "shared memory a block"},
    {"launch__occupancy_limit_warps", EXACT, COUNT,
     "CTAs an SM can hold by warps", WORD(occupancy.limit_warps)},
    {"launch__occupancy_limit_blocks", EXACT, COUNT,
     "CTAs an SM can hold at all", WORD(occupancy.limit_blocks)},
    {"launch__occupancy_limit_registers", EXACT, COUNT,
     "CTAs an SM can hold by registers", WORD(occupancy.limit_registers)},
    {"launch__occupancy_limit_shared_mem", EXACT, COUNT,
     "CTAs an SM can hold by shared memory", WORD(occupancy.limit_shared)},
    {"sm__maximum_warps_per_active_cycle_pct", EXACT, PERCENT,
     "theoretical occupancy", CALL(theoretical_occupancy),
     .key = "occupancy", .word = "occupancy", .label = "occupancy, theoretical"},
    {"launch__waves_per_multiprocessor", EXACT, COUNT,
     "times the grid fills the GPU (a real number)", CALL(waves)},
    {"launch__shared_mem_config_size", MODELLED, BYTES,
     "carve-out of the SM for shared memory, bytes", WORD(occupancy.shared_config)},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", MODELLED, COUNT,
     "sectors of global loads and asynchronous copies found in L1",
     SUM(GMSIM_ROWS_READ, l1_hit_sectors)},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", MODELLED, COUNT,
     "sectors of global stores whose line is in L1", SUM(ROW(GLOBAL_STORE), l1_hit_sectors)},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", MODELLED, COUNT,
     "sectors of local loads found in L1", SUM(ROW(LOCAL_LOAD), l1_hit_sectors)},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", MODELLED, COUNT,
     "sectors of local stores whose line is in L1", SUM(ROW(LOCAL_STORE), l1_hit_sectors)},
    {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", MODELLED, PERCENT,
     "L1 hit rate of global loads and asynchronous copies", CALL(l1_load_hit_rate)},
    {"l1tex__t_sector_hit_rate.pct", MODELLED, PERCENT,
     "L1 hit rate of all global and local accesses", CALL(l1_hit_rate),
     .key = "l1.hit_rate", .word = "l1-hit", .label = "L1 hit rate"},
    {"l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum", MODELLED, COUNT,
     "sectors that global and local loads fetch from L2 into L1",
     SUM(GMSIM_ROWS_READ | ROW(LOCAL_LOAD), xbar_read_sectors)},
    {"l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum", MODELLED, COUNT,
     "sectors that global and local stores send from L1 to L2",
     SUM(ROW(GLOBAL_STORE) | ROW(LOCAL_STORE), xbar_write_sectors)},
    {"l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum", MODELLED, COUNT,
     "sectors that bulk copies bring to SMs, in each that a multicast goes to",
     SUM(ROW(BULK_LOAD), xbar_read_sectors)},
    {"l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld_dest_self.sum", MODELLED, COUNT,
     "of those, without multicast", CALL(bulk_self_sectors)},
    {"l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld_dest_multicast.sum", MODELLED, COUNT,
     "of those, by multicast", SUM(ROW(BULK_LOAD), multicast_sectors)},
    {"l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum", MODELLED, COUNT,
     "sectors that bulk copies send to L2", CALL(bulk_store_sectors)},
    {"l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red.sum", MODELLED, COUNT,
     "sectors that bulk reductions send to L2", CALL(bulk_reduction_sectors)},
    {"lts__t_sectors_srcunit_tex_op_read.sum", MODELLED, COUNT,
     "sectors read from L2 by the SMs", L2(read_sectors),
     .word = "l2-read"},
    {"lts__t_sectors_srcunit_ltcfabric_op_read.sum", MODELLED, COUNT,
     "sectors that one side of L2 asks the other for", L2(fabric_read_sectors)},
    {"lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum", MODELLED, COUNT,
     "... and found there", L2(fabric_read_hit_sectors)},
    {"lts__t_sectors_srcunit_tex_op_write.sum", MODELLED, COUNT,
     "sectors written to L2 by the SMs", L2(write_sectors),
     .word = "l2-write"},
    {"lts__t_sectors_srcunit_tex_op_atom.sum", MODELLED, COUNT,
     "sectors of atomics done in L2", L2(atomic_sectors)},
    {"lts__t_sectors_srcunit_tex_op_red.sum", MODELLED, COUNT,
     "sectors of reductions done in L2", L2(reduction_sectors)},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", MODELLED, COUNT,
     "sectors read by the SMs and found on their side of L2", L2(read_hit_sectors)},
    {"lts__t_sector_hit_rate.pct", MODELLED, PERCENT,
     "L2 hit rate of reads, writes and atomics", CALL(l2_hit_rate),
     .key = "l2.hit_rate", .word = "l2-hit", .label = "L2 hit rate"},
    {"dram__sectors_read.sum", MODELLED, COUNT,
     "sectors read from DRAM", L2(dram_read_sectors),
     .word = "dram-read"},
    {"dram__sectors_write.sum", MODELLED, COUNT,
     "sectors written to DRAM before the launch ends", L2(dram_write_sectors),
     .word = "dram-write"},
    {"gpc__cycles_elapsed.max", MODELLED, COUNT,
     "SM clocks from the launch to its end", CALL(elapsed),
     .key = "cycles", .word = "cycles", .label = "cycles", LESS},
    {"sm__cycles_active.avg", MODELLED, COUNT,
     "clocks in which an SM has a warp, mean over SMs (a real number)", CALL(active)},
    {"gpu__time_duration.sum", MODELLED, NANOSECONDS,
     "nanoseconds from the launch to its end (a real number)", CALL(duration),
     .key = "time", .word = "time", .label = "time", LESS},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", MODELLED, PERCENT,
     "achieved occupancy: warps on an active SM, in percent of those it can hold",
     CALL(achieved_occupancy),
     .key = "occupancy.achieved", .word = "warps", .label = "  achieved"},
    {"smsp__inst_executed.sum", MODELLED, COUNT,
     "warp instructions executed, reconstructed from the code", CALL(executed),
     .key = "executed", .label = "instructions executed", LESS},
    {"sm__inst_executed.avg.per_cycle_elapsed", MODELLED, RATIO,
     "of those, an SM and a clock of the launch", CALL(ipc_elapsed)},
    {"sm__inst_executed.avg.per_cycle_active", MODELLED, RATIO,
     "of those, an SM and a clock in which it has a warp", CALL(ipc_active),
     .key = "ipc", .word = "ipc", .label = "  a clock of an SM", .better = 1},
    /* Ratios of ncu's counters, which has no single one for them. */
    {"gmsim__l1_global_load_hit_rate.pct", MODELLED, PERCENT,
     "sectors of global loads found in L1, of all (not a metric of ncu)",
     SHARE("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")},
    {"gmsim__l2_logical_read_hit_rate.pct", MODELLED, PERCENT,
     "sectors read by the SMs and found in either partition of L2 (not a metric of ncu)",
     SHARE("lts__t_sectors_srcunit_tex_op_read.sum",
           "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
           "lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum")},
    /* What nothing measures. */
    {"gmsim__load_latency.avg", MODELLED, RATIO,
     "clocks from a load's issue until its data are there, mean", CALL(load_latency),
     .key = "load.latency", .label = "clocks a load waits", LESS},
    {"gmsim__shared_wavefronts_per_request.ratio", EXACT, RATIO,
     "wavefronts a request to shared memory", CALL(shared_per_request),
     .key = "shared.per_request", .label = "  per request", LESS},
    {"gmsim__shared_excess_wavefronts.sum", EXACT, COUNT,
     "wavefronts that bank conflicts add", CALL(shared_excess),
     .key = "shared.excess", .label = "  of bank conflicts", LESS},
    {"gmsim__shared_conflict_degree.max", EXACT, RATIO,
     "wavefronts over their ideal, of the worst instruction", CALL(conflict_degree)},
    {"gmsim__global_sectors_per_request.ratio", EXACT, RATIO,
     "sectors a request to global memory", CALL(global_per_request),
     .key = "global.per_request", .label = "  per request", LESS},
    {"gmsim__atomic_sectors.sum", MODELLED, COUNT, "atomics and reductions done in L2",
     CALL(updates), .key = "atomic.sectors", .label = "updates in L2", LESS},
    {"gmsim__l2_read_bytes.sum", MODELLED, BYTES, "bytes read from L2 by the SMs",
     L2_BYTES(read_sectors), .key = "l2.read", .label = "L2 -> L1 bytes", LESS},
    {"gmsim__l2_write_bytes.sum", MODELLED, BYTES, "bytes written to L2 by the SMs",
     L2_BYTES(write_sectors), .key = "l2.written", .label = "L1 -> L2 bytes", LESS},
    {"gmsim__dram_read_bytes.sum", MODELLED, BYTES, "bytes read from DRAM",
     L2_BYTES(dram_read_sectors), .key = "dram.read", .label = "DRAM -> L2 bytes", LESS},
    {"gmsim__dram_write_bytes.sum", MODELLED, BYTES,
     "bytes written to DRAM before the launch ends",
     L2_BYTES(dram_write_sectors), .key = "dram.written", .label = "L2 -> DRAM bytes", LESS},
    {"gmsim__memory_instructions.sum", EXACT, COUNT,
     "warp instructions that touch memory", SUM(GMSIM_ROWS_ALL & ~ROW(SHARED_COPY), instructions),
     .key = "instructions", .label = "memory instructions", LESS},
    {"gmsim__active_threads_per_memory_instruction.ratio", EXACT, RATIO,
     "threads active in a warp instruction that touches memory, mean", CALL(active_threads),
     .key = "threads.active", .label = "threads active an access"},
#define RATE_OF(name, what, shown)                                                                 \
    {"gmsim__" #name "_bytes.sum.per_second", MODELLED, PER_SECOND, what ", a second",             \
     CALL(name##_rate), .key = #name ".rate", .label = shown}
#define PEAK_OF(name, what, shown)                                                                 \
    {"gmsim__" #name "_bytes.sum.pct_of_peak", MODELLED, PERCENT, what, CALL(name##_peak),         \
     .key = #name ".peak", .label = shown}
    RATE_OF(dram, "bytes read from and written to DRAM", "DRAM throughput"),
    PEAK_OF(dram, "the same in percent of what DRAM can give", "DRAM, of peak"),
    RATE_OF(l2, "bytes read from and written to L2 by the SMs", "L2 throughput"),
    PEAK_OF(l2, "the same in percent of what L2 can give", "L2, of peak"),
    RATE_OF(l1, "bytes of the sectors that global and local requests touch in L1", "L1 throughput"),
    PEAK_OF(l1, "the same in percent of 128 bytes a clock of each SM", "L1, of peak"),
    RATE_OF(shared, "bytes that lanes ask of shared memory", "shared throughput"),
    PEAK_OF(shared, "the same in percent of 128 bytes a clock of each SM", "shared, of peak"),
    RATE_OF(useful, "bytes that lanes ask of global memory", "useful throughput"),
    PEAK_OF(useful, "the same in percent of what DRAM can give", "useful, of DRAM's peak"),
};
/* clang-format on */

const unsigned gmsim_metric_all = G_N_ELEMENTS(gmsim_metrics);
const unsigned gmsim_metric_count = G_N_ELEMENTS(gmsim_metrics) - OWN;
const unsigned gmsim_metric_measurable = G_N_ELEMENTS(gmsim_metrics) - OWN + RATIOS;

int gmsim_metric_find(const char *name)
{
    for (unsigned i = 0; i < gmsim_metric_all; i++) {
        const gmsim_metric *m = &gmsim_metrics[i];

        if (strcmp(m->name, name) == 0 || g_strcmp0(m->key, name) == 0 ||
            g_strcmp0(m->word, name) == 0)
            return (int)i;
    }
    return -1;
}

bool gmsim_metric_named(const gmsim_result *result, const char *name, double *value)
{
    int metric = gmsim_metric_find(name);

    return metric >= 0 && gmsim_metric_value(result, (unsigned)metric, value);
}

static bool share_of(const gmsim_metric *m, const gmsim_result *result, double *value)
{
    double sum = 0, part, whole;

    if (!gmsim_metric_named(result, m->whole, &whole) || whole <= 0)
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(m->part) && m->part[i] != NULL; i++)
        sum += gmsim_metric_named(result, m->part[i], &part) ? part : 0;
    *value = 100 * MIN(sum, whole) / whole;
    return true;
}

bool gmsim_metric_unseen(const gmsim_result *r, unsigned metric)
{
    const gmsim_metric *m = &gmsim_metrics[metric];

    if (m->call == executed || m->call == ipc_elapsed || m->call == ipc_active)
        return (r->timed || (r->unseen & GMSIM_UNSEEN_TRAFFIC)) && !executed_known(r);
    return m->call == shared_wavefronts ? BLIND(WGMMA, NONE)
           : m->call == bulk_loads      ? BLIND(TENSOR_COPY, BULK_LOAD)
           : m->call == bulk_stores     ? BLIND(TENSOR_COPY, BULK_STORE)
           : m->call == bulk_reductions ? BLIND(TENSOR_COPY, BULK_REDUCE)
                                        : m->family == GMSIM_FAMILY_MODELLED && m->word_at == 0 &&
                                              (r->unseen & GMSIM_UNSEEN_TRAFFIC) != 0;
}

bool gmsim_metric_value(const gmsim_result *result, unsigned metric, double *value)
{
    const gmsim_metric *m = &gmsim_metrics[metric];
    uint64_t sum;
    uint32_t word;

    if (metric >= gmsim_metric_all || gmsim_metric_unseen(result, metric))
        return false;
    if (m->call != NULL)
        return m->call(result, value);
    if (m->whole != NULL)
        return share_of(m, result, value);
    if (m->word_at > 0) {
        memcpy(&word, (const char *)result + m->word_at, sizeof word);
        *value = word;
        return word != UINT32_MAX;
    }
    if (m->rows != 0)
        sum = gmsim_rows_sum(result, m->rows, m->offset);
    else
        memcpy(&sum, (const char *)&result->l2 + m->offset, sizeof sum);
    *value = (double)sum * (m->times > 0 ? m->times : 1);
    return true;
}
