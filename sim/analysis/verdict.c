/* SPDX-License-Identifier: MIT
 *
 * verdict.c - the rules that turn counts into findings and put the worst first.
 *
 * A rule asks what each resource's least cycles would be if one thing were at its ideal, and
 * compares the largest of them before and after. Without time, a fix that moves the bound by
 * GAIN_PERCENT or more can be the verdict, the largest move first; where none does, few CTAs or few
 * warps are, for then latency decides and not bandwidth. With time, the finding that accounts for
 * most of it is (waits.h).
 */
#include "sim/analysis/verdict.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/analysis/rows.h"
#include "sim/analysis/waits.h"

#define GAIN_PERCENT      10u /* of the bound: smaller moves are asides */
#define EXCESS_PERCENT    5u  /* of a resource's own work: smaller excess is not mentioned */
#define LOCAL_PERCENT     10u /* of L1 sectors */
#define WAIT_PERCENT      25u /* of the time: shorter waits of any kernel are not mentioned */
#define OCCUPANCY_PERCENT 50.0

/* value * part / whole without overflow or loss that matters: counters are below 2^53. */
static uint64_t scale(uint64_t value, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        return value;
    return (uint64_t)((double)value * (double)part / (double)whole + 0.5);
}

static uint64_t largest(const uint64_t cycles[GMSIM_RESOURCES], gmsim_resource *which)
{
    unsigned best = 0;

    for (unsigned i = 1; i < GMSIM_RESOURCES; i++) {
        if (cycles[i] > cycles[best])
            best = i;
    }
    *which = (gmsim_resource)best;
    return cycles[best];
}

/* Sums work and ideal over a set of rows and finds the worst of them. */
static void sum_work(const gmsim_result *result, uint32_t rows, gmsim_finding *finding)
{
    uint64_t most = 0;

    finding->work = gmsim_rows_work(result, rows);
    finding->ideal = finding->work - gmsim_rows_excess(result, rows);
    finding->worst = gmsim_rows_worst(result, rows, gmsim_work_excess);
    for (unsigned i = 0; i < GMSIM_ROWS && finding->worst == NULL; i++) {
        uint64_t excess = gmsim_work_excess((gmsim_row)i, &result->row[i]);

        if (gmsim_row_in((gmsim_row)i, rows) && excess > most) {
            most = excess;
            finding->row = (gmsim_row)i;
        }
    }
    if (finding->worst != NULL)
        finding->row = finding->worst->row;
}

static bool excess_matters(const gmsim_finding *finding)
{
    return (finding->work - finding->ideal) * 100 >= finding->work * EXCESS_PERCENT &&
           finding->work > finding->ideal;
}

static bool find_conflicts(const gmsim_result *result, gmsim_finding *finding)
{
    uint64_t cycles[GMSIM_RESOURCES];

    finding->kind = GMSIM_FINDING_CONFLICTS;
    sum_work(result, GMSIM_ROWS_SHARED, finding);
    if (!excess_matters(finding))
        return false;
    memcpy(cycles, result->min_cycles, sizeof cycles);
    cycles[GMSIM_RESOURCE_SHARED] =
        scale(cycles[GMSIM_RESOURCE_SHARED], finding->ideal, finding->work);
    finding->then = largest(cycles, &finding->then_bound);
    return true;
}

/* Sectors that cross between L1 and L2. */
static uint64_t crossing(const gmsim_counts *counts)
{
    return counts->xbar_read_sectors + counts->xbar_write_sectors;
}

static uint64_t all_crossing(const gmsim_result *result)
{
    return gmsim_rows_sum(result, GMSIM_ROWS_ALL, offsetof(gmsim_counts, xbar_read_sectors)) +
           gmsim_rows_sum(result, GMSIM_ROWS_ALL, offsetof(gmsim_counts, xbar_write_sectors));
}

/* What would cross with every global request at its ideal: no more than now, and no more than the
 * ideal sectors. Where L1 absorbs the excess already nothing is gained. An atomic crosses twice. */
static uint64_t coalesced_crossing(const gmsim_result *result)
{
    uint64_t sectors = 0;

    for (unsigned i = 0; i < GMSIM_ROWS; i++) {
        const gmsim_counts *counts = &result->row[i];
        uint64_t now = crossing(counts), most = counts->sectors_ideal;

        if (i == GMSIM_GLOBAL_ATOMIC)
            most *= 2;
        sectors += gmsim_row_in((gmsim_row)i, GMSIM_ROWS_GLOBAL) ? MIN(now, most) : now;
    }
    return sectors;
}

static uint64_t l1_sectors(const gmsim_result *result)
{
    return gmsim_rows_work(result, GMSIM_ROWS_GLOBAL | GMSIM_ROWS_LOCAL);
}

static bool find_uncoalesced(const gmsim_gpu *gpu, const gmsim_result *result,
                             gmsim_finding *finding)
{
    uint64_t cycles[GMSIM_RESOURCES], l1 = l1_sectors(result), l2 = all_crossing(result);
    uint64_t less_l2 = coalesced_crossing(result);

    finding->kind = GMSIM_FINDING_UNCOALESCED;
    sum_work(result, GMSIM_ROWS_GLOBAL, finding);
    if (!excess_matters(finding))
        return false;
    memcpy(cycles, result->min_cycles, sizeof cycles);
    cycles[GMSIM_RESOURCE_L1] =
        scale(cycles[GMSIM_RESOURCE_L1], l1 - (finding->work - finding->ideal), l1);
    cycles[GMSIM_RESOURCE_L2] = scale(cycles[GMSIM_RESOURCE_L2], less_l2, l2);
    cycles[GMSIM_RESOURCE_DRAM] = scale(cycles[GMSIM_RESOURCE_DRAM], less_l2, l2);
    if (gpu->dram_bytes_per_clock > 0 && less_l2 < l2) {
        uint64_t once = less_l2 * GMSIM_SECTOR_BYTES / gpu->dram_bytes_per_clock;

        cycles[GMSIM_RESOURCE_DRAM] = MIN(cycles[GMSIM_RESOURCE_DRAM], once);
    }
    finding->then = largest(cycles, &finding->then_bound);
    return true;
}

/* A slice of L2 works on one sector at a time, so updates of one sector take a clock each. How many
 * sectors the updates share is bounded by what is dirty or written back in the end. One update a
 * CTA is what a good reduction leaves; that is not held against it. */
static bool find_atomics(const gmsim_result *result, gmsim_finding *finding)
{
    const gmsim_l2_counts *l2 = &result->l2;
    uint64_t updates = gmsim_l2_updates(l2);
    uint64_t places = l2->dirty_sectors + l2->dram_write_sectors;
    uint64_t turns;

    finding->kind = GMSIM_FINDING_ATOMICS;
    if (updates == 0 || places == 0 || updates <= gmsim_ctas_of(result))
        return false;
    turns = updates / places;
    finding->work = updates;
    finding->ideal = places;
    finding->row =
        result->row[GMSIM_GLOBAL_REDUCTION].requests > result->row[GMSIM_GLOBAL_ATOMIC].requests
            ? GMSIM_GLOBAL_REDUCTION
            : GMSIM_GLOBAL_ATOMIC;
    finding->worst = gmsim_rows_worst(result, GMSIM_ROWS_UPDATE, gmsim_work);
    finding->now = MAX(finding->now, turns);
    finding->then = largest(result->min_cycles, &finding->then_bound);
    return turns * 100 >= finding->then * GAIN_PERCENT;
}

static bool find_local(const gmsim_result *result, gmsim_finding *finding)
{
    const gmsim_counts *load = &result->row[GMSIM_LOCAL_LOAD];
    const gmsim_counts *store = &result->row[GMSIM_LOCAL_STORE];
    uint64_t local = load->sectors + store->sectors, l1 = l1_sectors(result);
    uint64_t cycles[GMSIM_RESOURCES], l2 = all_crossing(result);
    uint64_t less_l2 = l2 - crossing(load) - crossing(store);

    finding->kind = GMSIM_FINDING_LOCAL;
    if (local == 0 || local * 100 < l1 * LOCAL_PERCENT)
        return false;
    finding->work = local;
    finding->row = load->sectors >= store->sectors ? GMSIM_LOCAL_LOAD : GMSIM_LOCAL_STORE;
    finding->worst = gmsim_rows_worst(result, GMSIM_ROWS_LOCAL, gmsim_work);
    memcpy(cycles, result->min_cycles, sizeof cycles);
    cycles[GMSIM_RESOURCE_L1] = scale(cycles[GMSIM_RESOURCE_L1], l1 - local, l1);
    cycles[GMSIM_RESOURCE_L2] = scale(cycles[GMSIM_RESOURCE_L2], less_l2, l2);
    cycles[GMSIM_RESOURCE_DRAM] = scale(cycles[GMSIM_RESOURCE_DRAM], less_l2, l2);
    finding->then = largest(cycles, &finding->then_bound);
    return true;
}

static bool gains(const gmsim_finding *finding)
{
    return finding->now > finding->then &&
           (finding->now - finding->then) * 100 >= finding->now * GAIN_PERCENT;
}

static bool is_small_grid(const gmsim_gpu *gpu, const gmsim_result *result)
{
    return gmsim_ctas_of(result) < gpu->gpu_sm_count ||
           (result->waves < 1 &&
            result->occupancy.theoretical_pct * result->waves < OCCUPANCY_PERCENT);
}

static void add(gmsim_verdict *verdict, const gmsim_finding *finding)
{
    verdict->finding[verdict->count++] = *finding;
}

#define PATTERNS 4u

/* The findings that follow from the access pattern; returns how many. */
static unsigned find_patterns(const gmsim_gpu *gpu, const gmsim_result *result,
                              const gmsim_finding *blank, gmsim_finding made[PATTERNS])
{
    unsigned count = 0;

    for (unsigned i = 0; i < PATTERNS; i++)
        made[i] = *blank;
    count += find_conflicts(result, &made[count]);
    made[count] = *blank;
    count += find_uncoalesced(gpu, result, &made[count]);
    made[count] = *blank;
    count += find_atomics(result, &made[count]);
    made[count] = *blank;
    return count + find_local(result, &made[count]);
}

static void judge_by_counts(const gmsim_gpu *gpu, const gmsim_result *result,
                            const gmsim_finding *blank, gmsim_verdict *verdict)
{
    bool few_warps = result->occupancy.theoretical_pct < OCCUPANCY_PERCENT;
    bool shared = result->bound == GMSIM_RESOURCE_SHARED;
    gmsim_finding made[PATTERNS], idle = *blank;
    unsigned count = find_patterns(gpu, result, blank, made);
    int best = -1;

    for (unsigned i = 0; i < count; i++) {
        if (gains(&made[i]) &&
            (best < 0 || made[i].now - made[i].then > made[best].now - made[best].then))
            best = (int)i;
    }
    if (best >= 0)
        add(verdict, &made[best]);
    idle.kind = GMSIM_FINDING_SMALL_GRID;
    if (is_small_grid(gpu, result))
        add(verdict, &idle);
    /* Where the shared pipe binds, a few warps with their data at hand may be meant. */
    idle.kind = GMSIM_FINDING_OCCUPANCY;
    if (few_warps && !shared)
        add(verdict, &idle);
    idle.kind = GMSIM_FINDING_NOTHING;
    idle.work = count;
    if (verdict->count == 0)
        add(verdict, &idle);
    for (unsigned i = 0; i < count; i++) {
        if ((int)i != best)
            add(verdict, &made[i]);
    }
    idle.kind = GMSIM_FINDING_OCCUPANCY;
    if (few_warps && shared)
        add(verdict, &idle);
}

/* A pattern has a cure at hand, so it counts double against waits that only more work under way
 * would hide. */
static uint64_t weight_of(const gmsim_finding *finding)
{
    bool pattern = finding->kind == GMSIM_FINDING_CONFLICTS ||
                   finding->kind == GMSIM_FINDING_UNCOALESCED ||
                   finding->kind == GMSIM_FINDING_ATOMICS || finding->kind == GMSIM_FINDING_LOCAL;

    return finding->cost * (pattern ? 2 : 1);
}

static int by_weight(const void *left, const void *right)
{
    const gmsim_finding *a = left, *b = right;
    uint64_t wa = weight_of(a), wb = weight_of(b);

    return wa != wb ? (wa < wb) - (wa > wb) : (a->kind > b->kind) - (a->kind < b->kind);
}

static void judge_by_time(const gmsim_gpu *gpu, const gmsim_result *result,
                          const gmsim_finding *blank, gmsim_verdict *verdict)
{
    gmsim_finding made[GMSIM_FINDING_COUNT], nothing = *blank;
    bool small = is_small_grid(gpu, result);
    bool few_warps = result->occupancy.theoretical_pct < OCCUPANCY_PERCENT;
    unsigned count = find_patterns(gpu, result, blank, made), waits;
    uint32_t explained = 0; /* waits that patterns do, worth mending */

    nothing.kind = GMSIM_FINDING_NOTHING;
    nothing.work = count;
    made[count] = *blank;
    made[count].kind = GMSIM_FINDING_SMALL_GRID;
    count += small;
    made[count] = *blank;
    made[count].kind = GMSIM_FINDING_OCCUPANCY;
    count += few_warps;
    for (unsigned i = 0; i < count; i++) {
        gmsim_waits_explain(gpu, result, &made[i]);
        if (i < nothing.work && made[i].cost * 100 >= result->timing.cycles * GAIN_PERCENT)
            explained |= made[i].waits;
    }
    waits = count;
    count += gmsim_waits_find(gpu, result, blank, !small && !few_warps, &made[count]);
    for (unsigned i = waits; i < count; i++)
        gmsim_waits_leave(result, explained, &made[i]);
    qsort(made, count, sizeof *made, by_weight);
    add(verdict, made[0].cost * 100 < result->timing.cycles * GAIN_PERCENT ? &nothing : &made[0]);
    /* Of waits that any kernel has, only long ones that the verdict does not explain are news. */
    for (unsigned i = verdict->finding[0].kind == GMSIM_FINDING_NOTHING ? 0 : 1; i < count; i++) {
        if (made[i].kind >= GMSIM_FINDING_LATENCY) {
            gmsim_waits_leave(result, verdict->finding[0].waits, &made[i]);
            if (made[i].cost * 100 < result->timing.cycles * WAIT_PERCENT)
                continue;
        }
        add(verdict, &made[i]);
    }
}

void gmsim_verdict_make(const gmsim_gpu *gpu, const gmsim_result *result, gmsim_verdict *verdict)
{
    gmsim_finding blank = {0};

    memset(verdict, 0, sizeof *verdict);
    blank.now = blank.then = largest(result->min_cycles, &blank.then_bound);
    if (gmsim_rows_sum(result, GMSIM_ROWS_ALL, offsetof(gmsim_counts, instructions)) == 0) {
        blank.kind = GMSIM_FINDING_NO_MEMORY;
        add(verdict, &blank);
    } else if (result->timed && result->timing.warp_active > 0) {
        judge_by_time(gpu, result, &blank, verdict);
    } else {
        judge_by_counts(gpu, result, &blank, verdict);
    }
}

bool gmsim_occupancy_relief(const gmsim_gpu *gpu, const gmsim_result *result, gmsim_relief *relief)
{
    const gmtrace_launch *launch = result->launch;
    gmsim_demand demand = {.threads = launch->block[0] * launch->block[1] * launch->block[2],
                           .registers = result->kernel->registers,
                           .static_shared = result->kernel->static_shared,
                           .dynamic_shared = launch->dynamic_shared,
                           .barriers = result->kernel->barriers,
                           .shared_config = UINT32_MAX,
                           .carveout_percent = -1};
    uint32_t shared, now = result->occupancy.blocks;
    gmsim_occupancy tried;

    if (demand.static_shared == GMTRACE_UNKNOWN || demand.dynamic_shared == GMTRACE_UNKNOWN ||
        demand.registers == GMTRACE_UNKNOWN)
        return false;
    if (demand.barriers == GMTRACE_UNKNOWN)
        demand.barriers = 0;
    relief->registers = (result->occupancy.limiters & GMSIM_LIMIT_REGISTERS) != 0;
    if (result->occupancy.limiters == GMSIM_LIMIT_REGISTERS) {
        while (demand.registers > 16) {
            demand.registers--;
            gmsim_occupancy_compute(gpu, &demand, &tried);
            if (tried.blocks > now) {
                relief->most = demand.registers;
                relief->blocks = tried.blocks;
                return true;
            }
        }
    } else if (result->occupancy.limiters == GMSIM_LIMIT_SHARED) {
        shared = demand.static_shared + demand.dynamic_shared;
        demand.dynamic_shared = 0;
        for (shared -= shared % 128; shared >= 128; shared -= 128) {
            demand.static_shared = shared;
            gmsim_occupancy_compute(gpu, &demand, &tried);
            if (tried.blocks > now) {
                relief->most = shared;
                relief->blocks = tried.blocks;
                return true;
            }
        }
    }
    return false;
}

const char *gmsim_finding_name(gmsim_finding_kind kind)
{
    static const char *const names[GMSIM_FINDING_COUNT] = {
        [GMSIM_FINDING_NO_MEMORY] = "no-memory-work",
        [GMSIM_FINDING_NOTHING] = "nothing-to-fix",
        [GMSIM_FINDING_CONFLICTS] = "bank-conflicts",
        [GMSIM_FINDING_UNCOALESCED] = "uncoalesced",
        [GMSIM_FINDING_ATOMICS] = "contended-atomics",
        [GMSIM_FINDING_LOCAL] = "local-memory",
        [GMSIM_FINDING_SMALL_GRID] = "small-grid",
        [GMSIM_FINDING_OCCUPANCY] = "low-occupancy",
        [GMSIM_FINDING_LATENCY] = "latency",
        [GMSIM_FINDING_BANDWIDTH] = "bandwidth",
        [GMSIM_FINDING_BARRIERS] = "barriers",
        [GMSIM_FINDING_MATH] = "math",
        [GMSIM_FINDING_ISSUE] = "issue",
        [GMSIM_FINDING_LAUNCH] = "launch-overhead",
    };

    return kind < GMSIM_FINDING_COUNT ? names[kind] : "";
}
