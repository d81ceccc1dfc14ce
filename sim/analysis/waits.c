/* SPDX-License-Identifier: MIT
 *
 * waits.c - the rules of waits.h. Whether a wait for a pipe is for its rate or for its latency is
 * told by how busy it is: a resource whose least cycles are half of the time is waited for because
 * of its rate. Leaves out chains of waits: a barrier's are its own, whatever the last warp did.
 */
#include "sim/analysis/waits.h"

#include "sim/analysis/rows.h"

#define WAIT(stall) (1u << GMSIM_STALL_##stall)

/* The clocks between overhead and end. */
static uint64_t run_of(const gmsim_result *result)
{
    return result->timing.cycles - MIN(result->timing.cycles, result->timing.launch_cycles);
}

static bool is_busy(const gmsim_result *result, gmsim_resource resource)
{
    return result->min_cycles[resource] * 2 >= run_of(result);
}

static uint64_t scaled(uint64_t clocks, uint64_t part, uint64_t whole)
{
    return whole > 0 ? (uint64_t)((double)clocks * (double)part / (double)whole + 0.5) : 0;
}

static uint64_t cost_of(const gmsim_result *result, uint32_t waits)
{
    return scaled(run_of(result), gmsim_waits_clocks(result, waits), result->timing.warp_active);
}

/* Waits that more warps or more loads under way would hide. */
static uint32_t latency_of(const gmsim_result *result)
{
    return WAIT(DRAM_LATENCY) | (is_busy(result, GMSIM_RESOURCE_SHARED) ? 0 : WAIT(SHARED)) |
           (is_busy(result, GMSIM_RESOURCE_L1) ? 0 : WAIT(L1)) |
           (is_busy(result, GMSIM_RESOURCE_L2) ? 0 : WAIT(L2));
}

void gmsim_waits_leave(const gmsim_result *result, uint32_t explained, gmsim_finding *finding)
{
    if ((finding->waits & explained) == 0)
        return;
    finding->waits &= ~explained;
    finding->cost = cost_of(result, finding->waits);
}

uint64_t gmsim_waits_clocks(const gmsim_result *result, uint32_t waits)
{
    uint64_t clocks = 0;

    for (unsigned i = 0; i < GMSIM_STALLS; i++)
        clocks += waits >> i & 1u ? result->timing.stall[i] : 0;
    return clocks;
}

void gmsim_waits_explain(const gmsim_gpu *gpu, const gmsim_result *result, gmsim_finding *finding)
{
    uint64_t ctas = gmsim_ctas_of(result), part = 1, whole = 1, idle = 0;

    switch (finding->kind) {
    case GMSIM_FINDING_CONFLICTS: /* loads and stores of L1 queue behind the same unit's replays */
        finding->waits = WAIT(SHARED) | WAIT(L1);
        break;
    case GMSIM_FINDING_UNCOALESCED:
        finding->waits = WAIT(L1) | WAIT(L2) | WAIT(DRAM_BANDWIDTH);
        break;
    case GMSIM_FINDING_ATOMICS:
        finding->waits = WAIT(L1) | WAIT(L2);
        break;
    case GMSIM_FINDING_LOCAL:
        finding->waits = WAIT(L1) | WAIT(L2) | WAIT(DRAM_LATENCY) | WAIT(DRAM_BANDWIDTH);
        part = finding->work;
        whole = gmsim_rows_work(result, GMSIM_ROWS_GLOBAL | GMSIM_ROWS_LOCAL);
        break;
    case GMSIM_FINDING_SMALL_GRID:
        if (ctas < gpu->gpu_sm_count)
            idle = scaled(run_of(result), gpu->gpu_sm_count - ctas, gpu->gpu_sm_count);
        finding->waits = latency_of(result);
        break;
    default:
        finding->waits = latency_of(result);
    }
    if (finding->kind == GMSIM_FINDING_CONFLICTS || finding->kind == GMSIM_FINDING_UNCOALESCED ||
        finding->kind == GMSIM_FINDING_ATOMICS) {
        part = finding->work - MIN(finding->ideal, finding->work);
        whole = finding->work;
    }
    finding->cost = scaled(cost_of(result, finding->waits), part, whole);
    finding->cost = MAX(finding->cost, idle);
    /* A pipe that is busy most of the time costs its time, whoever waits. */
    if (finding->now * 2 >= run_of(result))
        finding->cost = MAX(finding->cost, finding->now - MIN(finding->now, finding->then));
}

/* The resource that costs most by its rate. */
static void find_bandwidth(const gmsim_result *result, gmsim_finding *finding)
{
    static const uint32_t waits[GMSIM_RESOURCES] = {
        [GMSIM_RESOURCE_SHARED] = WAIT(SHARED),
        [GMSIM_RESOURCE_L1] = WAIT(L1),
        [GMSIM_RESOURCE_L2] = WAIT(L2),
        [GMSIM_RESOURCE_DRAM] = WAIT(DRAM_BANDWIDTH),
    };

    for (unsigned i = 0; i < GMSIM_RESOURCES; i++) {
        gmsim_resource resource = (gmsim_resource)i;
        uint64_t cost = MAX(cost_of(result, waits[i]), result->min_cycles[i]);

        if ((is_busy(result, resource) || resource == GMSIM_RESOURCE_DRAM) &&
            cost > finding->cost) {
            finding->cost = cost;
            finding->waits = waits[i];
            finding->then_bound = resource;
        }
    }
}

unsigned gmsim_waits_find(const gmsim_gpu *gpu, const gmsim_result *result,
                          const gmsim_finding *blank, bool latency, gmsim_finding *found)
{
    static const struct {
        gmsim_finding_kind kind;
        uint32_t waits;
    } plain[] = {{GMSIM_FINDING_BARRIERS, WAIT(BARRIER)},
                 {GMSIM_FINDING_MATH, WAIT(MATH)},
                 {GMSIM_FINDING_ISSUE, WAIT(ISSUE)}};
    unsigned count = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(plain); i++) {
        found[count] = *blank;
        found[count].kind = plain[i].kind;
        found[count].waits = plain[i].waits;
        found[count++].cost = cost_of(result, plain[i].waits);
    }
    found[count] = *blank;
    found[count].kind = GMSIM_FINDING_BANDWIDTH;
    find_bandwidth(result, &found[count++]);
    if (latency) {
        found[count] = *blank;
        found[count].kind = GMSIM_FINDING_LATENCY;
        found[count].worst =
            gmsim_rows_worst(result, GMSIM_ROWS_READ | GMSIM_ROW(LOCAL_LOAD), gmsim_work);
        gmsim_waits_explain(gpu, result, &found[count++]);
    }
    if (run_of(result) > result->timing.launch_cycles)
        return count;
    found[count] = *blank;
    found[count].kind = GMSIM_FINDING_LAUNCH;
    found[count++].cost = result->timing.launch_cycles;
    return count;
}
