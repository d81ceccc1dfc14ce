/* SPDX-License-Identifier: MIT
 *
 * whatif.c - which changes apply to a launch, and what each needs: numbers of the GPU, switches of
 * the model (sim/model/whatif.h), or other addresses (changer.c).
 */
#include "sim/analysis/whatif.h"

#include "sim/analysis/changer.h"
#include "sim/analysis/pattern.h"
#include "sim/analysis/rows.h"

#include <stdlib.h>
#include <string.h>

const gmsim_change_names gmsim_change_table[GMSIM_CHANGES] = {
    [GMSIM_CHANGE_NO_CONFLICTS] = {"no-bank-conflicts", "no bank conflicts", "there are none",
                                   false},
    [GMSIM_CHANGE_COALESCED] = {"coalesced", "perfectly coalesced", "all accesses are", false},
    [GMSIM_CHANGE_L1_HITS] = {"l1-hits", "all loads hit L1", "no load misses it", false},
    [GMSIM_CHANGE_L2_HITS] = {"l2-hits", "all of L2's reads hit", "DRAM reads nothing", false},
    [GMSIM_CHANGE_WIDE_DRAM] = {"dram-x2", "DRAM twice as wide", "DRAM moves nothing", false},
    [GMSIM_CHANGE_OCCUPANCY] = {"full-occupancy", "full occupancy",
                                "nothing but warps and blocks limits it", false},
    [GMSIM_CHANGE_NO_BARRIERS] = {"no-barriers", "no waiting at barriers", "there are none", false},
    [GMSIM_CHANGE_NO_SPILLS] = {"no-spills", "no spills, no local arrays", "there are none", false},
    [GMSIM_CHANGE_FREE_LAUNCH] = {"free-launch", "launch and CTAs for free", "", false},
    [GMSIM_CHANGE_PAD] = {"pad", "pad rows in shared memory", "no bank conflicts", true},
    [GMSIM_CHANGE_SWIZZLE] = {"swizzle", "swizzle shared memory", "no bank conflicts", true},
    [GMSIM_CHANGE_FLOAT4] = {"float4", "four elements an access (float4)",
                             "no loop of coalesced 4-byte accesses, nor only such", true},
    [GMSIM_CHANGE_ONE_ATOMIC] = {"one-atomic", "one atomic a block",
                                 "no reductions of all lanes into one word", true},
};

/* ---------------------------------------------------------------------------------------- facts */

static void add(gmsim_whatif_facts *facts, gmsim_change change, bool applies)
{
    facts->applies |= (uint32_t)applies << change;
}

static uint64_t sum(const gmsim_result *result, uint32_t rows, size_t offset)
{
    return gmsim_rows_sum(result, rows, offset);
}

/* Rows of shared memory lie as far apart as the lanes of the request with most conflicts, where
 * that is a multiple of all banks; else they are taken to be as long as all banks are wide. */
static void look_at_shared(const gmsim_result *result, gmsim_whatif_facts *facts)
{
    const uint32_t banks = GMSIM_LINE_BYTES;
    const gmsim_instr_counts *worst =
        gmsim_rows_worst(result, GMSIM_ROWS_OWN_SHARED, gmsim_work_excess);
    facts->row = banks;
    facts->unit = 4u;
    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *entry = &result->instr[i];
        const bool matrix = entry->row == GMSIM_SHARED_LDSM || entry->row == GMSIM_SHARED_STSM;
        if (gmsim_row_in(entry->row, GMSIM_ROWS_OWN_SHARED))
            facts->unit = MAX(facts->unit, matrix ? 16u : entry->worst.size);
    }
    if (worst) {
        gmsim_pattern pattern;
        gmsim_pattern_of(&worst->worst, &pattern);
        uint64_t stride = (uint64_t)(pattern.stride < 0 ? -pattern.stride : pattern.stride);
        if (pattern.strided && pattern.lanes > 1 && stride % banks == 0 && stride > 0 &&
            stride < 1u << 16)
            facts->row = (uint32_t)stride;
    }
    uint64_t bytes = (uint64_t)result->kernel->static_shared + result->launch->dynamic_shared;
    facts->more_shared = (uint32_t)MIN(bytes / facts->row * facts->unit, UINT32_MAX / 4u);
    add(facts, GMSIM_CHANGE_NO_CONFLICTS, worst != NULL);
    add(facts, GMSIM_CHANGE_SWIZZLE, worst != NULL);
    add(facts, GMSIM_CHANGE_PAD,
        worst != NULL && result->occupancy.shared_per_block + facts->more_shared <=
                             result->occupancy.shared_config);
}

/* Lanes read or write 4 bytes each, side by side, as all warps do that take part. */
static bool is_plain(const gmsim_instr_counts *entry)
{
    const gmsim_counts *counts = &entry->counts;
    return (entry->row == GMSIM_GLOBAL_LOAD || entry->row == GMSIM_GLOBAL_STORE) &&
           entry->worst.size == 4u && counts->sectors * GMSIM_SECTOR_BYTES == counts->bytes;
}

/* Where every warp comes by at least four times, four iterations become one; else four threads'
 * work becomes one's, if there is no other access to global memory that it would change. */
static void look_at_width(const gmsim_result *result, gmsim_whatif_facts *facts)
{
    const uint64_t warps = gmsim_ctas_of(result) * result->occupancy.warps_per_block;
    uint64_t plain = 0, looping = 0,
             all = sum(result, GMSIM_ROWS_GLOBAL, offsetof(gmsim_counts, requests));
    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *entry = &result->instr[i];
        if (is_plain(entry)) {
            plain += entry->counts.requests;
            looping += entry->counts.requests >= 4u * warps ? entry->counts.requests : 0;
        }
    }
    facts->by_cta = looping == 0;
    add(facts, GMSIM_CHANGE_FLOAT4,
        facts->launch->allocation_count > 0 &&
            (facts->by_cta
                 ? plain == all && all > 0 && gmsim_ctas_of(result) >= 4u &&
                       sum(result, GMSIM_ROWS_SHARED, offsetof(gmsim_counts, requests)) == 0
                 : 2u * looping >= all));
    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *entry = &result->instr[i];
        if (is_plain(entry) && entry->instr < facts->kernel->instr_count &&
            (facts->by_cta || entry->counts.requests >= 4u * warps))
            facts->chosen[entry->instr] |= GMSIM_CHOSEN_WIDEN;
    }
}

static void look_at_atomics(const gmsim_result *result, gmsim_whatif_facts *facts)
{
    bool any = false;
    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *entry = &result->instr[i];
        gmsim_pattern pattern;
        if (entry->row != GMSIM_GLOBAL_REDUCTION || entry->instr >= facts->kernel->instr_count ||
            entry->counts.sectors != entry->counts.requests || entry->worst.work == 0)
            continue;
        gmsim_pattern_of(&entry->worst, &pattern);
        if (pattern.addresses != 1u ||
            (pattern.lanes < 2u && result->occupancy.warps_per_block < 2u))
            continue;
        facts->chosen[entry->instr] |= GMSIM_CHOSEN_ATOMIC;
        any = true;
    }
    add(facts, GMSIM_CHANGE_ONE_ATOMIC, any);
}

void gmsim_whatif_look(const gmsim_gpu *gpu, const gmsim_result *result, gmsim_whatif_facts *facts)
{
    const gmsim_l2_counts *l2 = &result->l2;
    const gmsim_occupancy *occupancy = &result->occupancy;
    const uint32_t looked_up = GMSIM_ROWS_READ | GMSIM_ROW(LOCAL_LOAD);
    const uint64_t places = (uint64_t)occupancy->blocks * gpu->gpu_sm_count;
    memset(facts, 0, sizeof *facts);
    if (!result->timed)
        return;
    facts->launch = result->launch;
    facts->kernel = result->kernel;
    facts->chosen = g_new0(uint8_t, result->kernel->instr_count + 1u);
    look_at_shared(result, facts);
    look_at_width(result, facts);
    look_at_atomics(result, facts);
    add(facts, GMSIM_CHANGE_COALESCED,
        gmsim_rows_excess(result, GMSIM_ROWS_READ | GMSIM_ROW(GLOBAL_STORE)) > 0);
    add(facts, GMSIM_CHANGE_L1_HITS,
        sum(result, looked_up, offsetof(gmsim_counts, l1_miss_sectors)) > 0);
    add(facts, GMSIM_CHANGE_L2_HITS, l2->dram_read_sectors > 0);
    add(facts, GMSIM_CHANGE_WIDE_DRAM,
        gpu->dram_bytes_per_clock > 0 && l2->dram_read_sectors + l2->dram_write_sectors > 0);
    add(facts, GMSIM_CHANGE_OCCUPANCY,
        !(occupancy->limiters & (GMSIM_LIMIT_WARPS | GMSIM_LIMIT_BLOCKS)) &&
            gmsim_ctas_of(result) > places);
    add(facts, GMSIM_CHANGE_NO_BARRIERS, result->barriers > 0);
    add(facts, GMSIM_CHANGE_NO_SPILLS,
        sum(result, GMSIM_ROWS_LOCAL, offsetof(gmsim_counts, requests)) > 0);
    add(facts, GMSIM_CHANGE_FREE_LAUNCH, true);
}

void gmsim_whatif_facts_clear(gmsim_whatif_facts *facts)
{
    g_free(facts->chosen);
    memset(facts, 0, sizeof *facts);
}

/* ------------------------------------------------------------------------------------------ GPU */

void gmsim_whatif_gpu(gmsim_change change, gmsim_gpu *gpu)
{
    switch (change) {
    case GMSIM_CHANGE_L2_HITS: /* what DRAM brings takes no longer than a hit, and is no work */
        gpu->dram_latency = gpu->l2_latency;
        gpu->dram_far_latency = gpu->dram_bank_clocks = gpu->dram_refresh_period = 0;
        gpu->dram_bytes_per_clock = 0;
        break;
    case GMSIM_CHANGE_WIDE_DRAM:
        gpu->dram_bytes_per_clock *= 2u;
        break;
    case GMSIM_CHANGE_FREE_LAUNCH:
        gpu->launch_overhead = gpu->launch_settle = gpu->launch_first = gpu->launch_start =
            gpu->launch_half = 0;
        gpu->launch_exit = gpu->launch_refill = gpu->launch_ctas = 0;
        break;
    default:
        break;
    }
}
