/* SPDX-License-Identifier: MIT
 *
 * tally.c - counters by instruction. Every instruction of the table has as many entries as rows its
 * class can fall into (an LDGSTS two, a generic load four), so that nothing is allocated or hashed
 * during the replay. Totals by row are the sums of the entries. Records that name no instruction,
 * or one whose class does not fit, are counted by row at the end of the array.
 */
#include "sim/model/count/tally.h"

#include "sim/model/count/banks.h"
#include "sim/model/whatif.h"

#include <string.h>

static uint32_t rows_of(const gmtrace_instr *instr)
{
    switch ((gmtrace_class)instr->op_class) {
    case GMTRACE_CLASS_LOAD:
    case GMTRACE_CLASS_STORE:
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_REDUCTION:
        return instr->space == GMTRACE_SPACE_GLOBAL || instr->space == GMTRACE_SPACE_LOCAL ||
                       instr->space == GMTRACE_SPACE_SHARED
                   ? 1u
                   : 4u;
    case GMTRACE_CLASS_COPY_ASYNC:
    case GMTRACE_CLASS_BULK:
        return 2u;
    default:
        return 0;
    }
}

static gmsim_l1_load load_policy(const gmtrace_instr *instr)
{
    if (instr->bypass_l1)
        return GMSIM_L1_DROP;
    switch ((gmtrace_cache)instr->cache) {
    case GMTRACE_CACHE_STRONG_GPU:
    case GMTRACE_CACHE_STRONG_SYS:
        return GMSIM_L1_DROP;
    case GMTRACE_CACHE_LAST_USE:
    case GMTRACE_CACHE_NO_ALLOCATE:
        return GMSIM_L1_PASS;
    case GMTRACE_CACHE_EVICT_LAST:
        return GMSIM_L1_LAST;
    case GMTRACE_CACHE_EVICT_FIRST:
        return GMSIM_L1_FIRST;
    default:
        return GMSIM_L1_ALLOCATE;
    }
}

static gmsim_bank_use atomic_use(gmtrace_atomic atomic)
{
    switch (atomic) {
    case GMTRACE_ATOMIC_COUNT:
        return GMSIM_BANK_STORE; /* lanes on one word are counted together */
    case GMTRACE_ATOMIC_CAST:
        return GMSIM_BANK_CAST;
    case GMTRACE_ATOMIC_CAS:
        return GMSIM_BANK_CAS;
    default:
        return GMSIM_BANK_ATOMIC;
    }
}

/* Room for meetings only where there may be some. */
static bool find_unsteady(gmsim_tally *tally)
{
    const gmtrace_kernel *kernel = tally->kernel;
    bool any = false;
    if (!gmtrace_find_unsteady(kernel, tally->unsteady))
        return false;
    for (uint32_t i = 0; i < kernel->instr_count && !any; i++)
        any = tally->unsteady[i] != GMTRACE_STEADY;
    if (any && !tally->meet)
        return (tally->meet = g_try_new0(gmsim_meet, 1)) != NULL;
    return true;
}

bool gmsim_tally_begin(gmsim_tally *tally, const gmtrace_kernel *kernel, uint32_t lanes)
{
    uint32_t sites = kernel->instr_count + 1u;
    tally->kernel = kernel;
    tally->none = kernel->instr_count;
    if (sites > tally->sites_allocated) {
        g_free(tally->site);
        g_free(tally->decoded);
        g_free(tally->unsteady);
        tally->site = g_try_new(gmsim_site, sites);
        tally->decoded = g_try_new(gmtrace_decoded, sites);
        tally->unsteady = g_try_new(uint8_t, sites);
        tally->sites_allocated = tally->site && tally->decoded && tally->unsteady ? sites : 0;
        if (!tally->sites_allocated)
            return false;
    }
    gmtrace_decode_kernel(kernel, lanes, tally->decoded);
    if (!find_unsteady(tally))
        return false;
    uint32_t entries = 0;
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        const gmtrace_instr *instr = &kernel->instr[i];
        const gmtrace_decoded *decoded = &tally->decoded[i];
        tally->site[i] = (gmsim_site){
            .first = entries,
            .entries = (uint8_t)rows_of(instr),
            .matrices = instr->matrices,
            .load = (uint8_t)load_policy(instr),
            .atomic = (uint8_t)atomic_use((gmtrace_atomic)decoded->atomic),
            .is_float = decoded->adds_floats,
            .is_swap =
                decoded->atomic == GMTRACE_ATOMIC_CAS || decoded->atomic == GMTRACE_ATOMIC_CAST,
            .unsteady = tally->unsteady[i],
            .copy_bypass = instr->op_class == GMTRACE_CLASS_COPY_ASYNC && instr->bypass_l1,
            .copy_zeros = decoded->fills_zeros,
            .whole_lines = decoded->whole_lines,
            .stall = MAX(instr->stall, 1u),
            .wait_mask = instr->wait_mask,
            .scoreboard = instr->write_barrier,
            .read_scoreboard = instr->read_barrier,
            .arrive_only = decoded->arrives_only,
            .closes_group = decoded->closes_group,
        };
        entries += tally->site[i].entries;
    }
    tally->site[kernel->instr_count] = (gmsim_site){.first = entries,
                                                    .atomic = GMSIM_BANK_ATOMIC,
                                                    .stall = 1u,
                                                    .wait_mask = UINT8_MAX >> 2,
                                                    .scoreboard = UINT8_MAX,
                                                    .read_scoreboard = UINT8_MAX};
    entries += GMSIM_ROWS;
    if (entries > tally->entries_allocated) {
        g_free(tally->entry);
        tally->entry = g_try_new(gmsim_instr_counts, entries);
        tally->entries_allocated = tally->entry ? entries : 0;
        if (!tally->entry)
            return false;
    }
    tally->entries = entries;
    gmsim_tally_reset(tally);
    return true;
}

void gmsim_tally_change(gmsim_tally *tally, const gmsim_whatif *whatif)
{
    for (uint32_t i = 0; i <= tally->kernel->instr_count; i++) {
        gmsim_site *site = &tally->site[i];
        if (whatif->l1_holds && site->load <= GMSIM_L1_PASS)
            site->load = GMSIM_L1_PRESENT;
        if (whatif->no_waiting)
            site->arrive_only = true;
    }
}

void gmsim_tally_reset(gmsim_tally *tally)
{
    memset(tally->entry, 0, tally->entries * sizeof *tally->entry);
    if (tally->meet)
        gmsim_meet_reset(tally->meet);
}

void gmsim_tally_clear(gmsim_tally *tally)
{
    g_free(tally->site);
    g_free(tally->decoded);
    g_free(tally->unsteady);
    g_free(tally->meet);
    g_free(tally->entry);
    memset(tally, 0, sizeof *tally);
}

gmsim_instr_counts *gmsim_tally_claim(gmsim_tally *tally, const gmsim_site *site, uint32_t instr,
                                      gmsim_row row)
{
    for (uint32_t i = 0; i < site->entries; i++) {
        gmsim_instr_counts *entry = &tally->entry[site->first + i];
        if (entry->counts.instructions == 0) {
            entry->instr = instr;
            entry->row = row;
        }
        if (entry->row == row)
            return entry;
    }
    gmsim_instr_counts *entry = &tally->entry[tally->entries - GMSIM_ROWS + (uint32_t)row];
    entry->instr = GMTRACE_NO_INSTR;
    entry->row = row;
    return entry;
}

/* gmsim_counts holds nothing but 64-bit counters. */
static void add(gmsim_counts *sum, const gmsim_counts *counts)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)counts;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

static bool is_nothing(const gmsim_counts *counts)
{
    const uint64_t *of = (const uint64_t *)counts;
    uint64_t any = 0;
    for (size_t i = 0; i < sizeof *counts / sizeof *of; i++)
        any |= of[i];
    return any == 0;
}

bool gmsim_tally_share(gmsim_tally *tally, const gmsim_tally *from)
{
    gmsim_instr_counts *entry = tally->entry;
    uint32_t allocated = tally->entries_allocated;
    gmsim_meet *meet = tally->meet;
    if (from->entries > allocated) {
        g_free(entry);
        entry = g_try_new(gmsim_instr_counts, from->entries);
        allocated = entry ? from->entries : 0;
    }
    if (from->meet && !meet)
        meet = g_try_new(gmsim_meet, 1);
    *tally = *from;
    tally->entry = entry;
    tally->entries_allocated = allocated;
    tally->meet = meet;
    if (!entry || (from->meet && !meet))
        return false;
    gmsim_tally_reset(tally);
    return true;
}

void gmsim_tally_clear_shared(gmsim_tally *tally)
{
    g_free(tally->meet);
    g_free(tally->entry);
    memset(tally, 0, sizeof *tally);
}

void gmsim_tally_add(gmsim_tally *tally, const gmsim_tally *shared)
{
    for (uint32_t i = 0; i < shared->entries; i++) {
        const gmsim_instr_counts *from = &shared->entry[i];
        if (is_nothing(&from->counts))
            continue;
        const gmsim_site *site = gmsim_tally_site(tally, from->instr);
        gmsim_instr_counts *to = gmsim_tally_claim(tally, site, from->instr, from->row);
        const gmsim_worst *one = &to->worst, *other = &from->worst;
        const bool worse =
            other->work > one->work || (other->work == one->work && other->turn < one->turn);
        add(&to->counts, &from->counts);
        if (worse)
            to->worst = from->worst;
    }
    if (tally->meet)
        gmsim_meet_add(tally->meet, shared->meet);
}

/* The entries of one instruction stand in the order in which they were claimed. */
static void sort_rows(gmsim_instr_counts *entry, uint32_t kept)
{
    for (uint32_t i = kept;
         i && entry[i - 1u].instr == entry[i].instr && entry[i - 1u].row > entry[i].row; i--) {
        const gmsim_instr_counts before = entry[i - 1u];
        entry[i - 1u] = entry[i];
        entry[i] = before;
    }
}

uint32_t gmsim_tally_finish(gmsim_tally *tally, gmsim_counts row[GMSIM_ROWS])
{
    uint32_t kept = 0;
    memset(row, 0, GMSIM_ROWS * sizeof *row);
    for (uint32_t i = 0; i < tally->entries; i++) {
        gmsim_instr_counts *entry = &tally->entry[i];
        if (entry->counts.instructions == 0)
            continue;
        add(&row[entry->row], &entry->counts);
        if (kept != i)
            tally->entry[kept] = *entry;
        sort_rows(tally->entry, kept++);
    }
    return kept;
}
