/* SPDX-License-Identifier: MIT
 *
 * finding_what.c - findings as sentences: what, how much, where, and the bound. Says "at least" and
 * "at best" of lower bounds from counts, "some" of what waits suggest, and never promises a time.
 */
#include "sim/report/words.h"

#include "sim/analysis/rows.h"
#include "sim/report/format.h"

/* ", most of them LDS at transpose.cu:8 (32.00 a request, ideal 1.00)" */
static void append_worst(GString *text, const gmsim_result *result, const gmsim_finding *finding,
                         const char *lead)
{
    const gmsim_instr_counts *instr = finding->worst;
    const gmsim_counts *counts;
    char *place, *opcode;

    if (instr == NULL)
        return;
    counts = &instr->counts;
    place = gmsim_instr_place(result, instr);
    opcode = gmsim_clean(gmsim_instr_opcode(result, instr), 32);
    g_string_append_printf(
        text, "%s%s at %s: %s a request, ideal %s", lead, opcode, place,
        gmsim_ratio(gmsim_work(instr->row, counts), counts->requests).text,
        gmsim_ratio(gmsim_work_ideal(instr->row, counts), counts->requests).text);
    g_free(place);
    g_free(opcode);
}

/* ", and its warps wait 41.2% of their clocks for shared memory and L1", longest first. */
static void append_waits(GString *text, const gmsim_result *result, const gmsim_finding *finding,
                         const char *lead)
{
    uint32_t left = finding->cost > 0 ? finding->waits : 0;
    uint64_t clocks = gmsim_waits_clocks(result, left);
    unsigned named = 0;

    if (clocks == 0)
        return;
    g_string_append_printf(text, "%s %s of their clocks for ", lead,
                           gmsim_percentage(clocks, result->timing.warp_active).text);
    while (left != 0 && named < 2) {
        unsigned most = 0;

        for (unsigned i = 1; i < GMSIM_STALLS; i++) {
            if ((left >> i & 1u) &&
                (!(left >> most & 1u) || result->timing.stall[i] > result->timing.stall[most]))
                most = i;
        }
        left &= ~(1u << most);
        if (result->timing.stall[most] * 100 >= result->timing.warp_active * 2 || named == 0)
            g_string_append_printf(text, "%s%s", named++ > 0 ? " and " : "",
                                   gmsim_stall_name((gmsim_stall)most));
    }
}

static uint64_t others(const gmsim_result *result, gmsim_resource but, gmsim_resource *which)
{
    uint64_t most = 0;

    *which = but;
    for (unsigned i = 0; i < GMSIM_RESOURCES; i++) {
        if (i != but && result->min_cycles[i] > most) {
            most = result->min_cycles[i];
            *which = (gmsim_resource)i;
        }
    }
    return most;
}

static void say_conflicts(GString *text, const gmsim_result *result, const gmsim_finding *finding)
{
    gmsim_resource next;
    uint64_t cycles = others(result, GMSIM_RESOURCE_SHARED, &next);

    g_string_append(text, "Shared-memory bank conflicts limit this kernel: ");
    if (finding->cost == 0)
        g_string_append_printf(
            text, "its shared pipe needs at least %s cycles, the next resource (%s) %s, and ",
            gmsim_count(result->min_cycles[GMSIM_RESOURCE_SHARED]).text, gmsim_resource_name(next),
            gmsim_count(cycles).text);
    g_string_append_printf(text, "%s of %sshared wavefronts are conflict replays",
                           gmsim_percentage(finding->work - finding->ideal, finding->work).text,
                           finding->cost == 0 ? "the " : "its ");
    append_waits(text, result, finding, ", and warps wait");
    append_worst(text, result, finding, ". Worst: ");
    g_string_append_c(text, '.');
}

static void say_uncoalesced(GString *text, const gmsim_result *result, const gmsim_finding *finding)
{
    g_string_append_printf(
        text,
        "Uncoalesced global %s limit this kernel: %s of the %s sectors its requests touch would do "
        "if each warp's bytes were packed",
        gmsim_row_table[finding->row].many, gmsim_percentage(finding->ideal, finding->work).text,
        gmsim_count(finding->work).text);
    if (finding->cost == 0)
        g_string_append_printf(text, ", and %s needs at least %s cycles for them",
                               gmsim_resource_name(result->bound), gmsim_count(finding->now).text);
    append_waits(text, result, finding, ", and warps wait");
    append_worst(text, result, finding, ". Worst: ");
    g_string_append_c(text, '.');
}

static void say_atomics(GString *text, const gmsim_result *result, const gmsim_finding *finding)
{
    char *place = finding->worst != NULL ? gmsim_instr_place(result, finding->worst) : NULL;

    g_string_append_printf(
        text,
        "Contended atomics limit this kernel: %s sector updates fall on at most %s sector%s, and "
        "updates of one sector take turns in L2, at least one cycle each",
        gmsim_count(finding->work).text, gmsim_count(finding->ideal).text,
        finding->ideal == 1 ? "" : "s");
    if (place != NULL)
        g_string_append_printf(text, " (%s at %s)", gmsim_instr_opcode(result, finding->worst),
                               place);
    append_waits(text, result, finding, ", and warps wait");
    g_string_append_c(text, '.');
    g_free(place);
}

static void say_local(GString *text, const gmsim_result *result, const gmsim_finding *finding)
{
    uint64_t all = gmsim_rows_work(result, GMSIM_ROWS_GLOBAL | GMSIM_ROWS_LOCAL);

    g_string_append_printf(text,
                           "Local memory limits this kernel: register spills or per-thread arrays "
                           "make %s of the sectors its L1 handles",
                           gmsim_percentage(finding->work, all).text);
    if (result->kernel->local_bytes != GMTRACE_UNKNOWN && result->kernel->local_bytes > 0)
        g_string_append_printf(text, " (%u B a thread)", result->kernel->local_bytes);
    append_waits(text, result, finding, ", and warps wait");
    append_worst(text, result, finding, ". Most: ");
    g_string_append_c(text, '.');
}

static const char *limiter_word(uint32_t limiters)
{
    if (limiters & GMSIM_LIMIT_REGISTERS)
        return "registers";
    if (limiters & GMSIM_LIMIT_SHARED)
        return "shared memory";
    if (limiters & GMSIM_LIMIT_BLOCKS)
        return "the number of blocks";
    if (limiters & GMSIM_LIMIT_BARRIERS)
        return "barriers";
    return "block size";
}

static const char *carrier(gmsim_resource resource)
{
    return resource == GMSIM_RESOURCE_SHARED ? "The shared pipe" : gmsim_resource_name(resource);
}

/* ", 4.0 MiB read and 0 B written" */
static void append_bytes(GString *text, const gmsim_l2_counts *l2, gmsim_resource resource)
{
    bool dram = resource == GMSIM_RESOURCE_DRAM;
    uint64_t read = dram ? l2->dram_read_sectors : l2->read_sectors;
    uint64_t written = dram ? l2->dram_write_sectors : l2->write_sectors;

    if (dram || resource == GMSIM_RESOURCE_L2)
        g_string_append_printf(text, ", %s read and %s written",
                               gmsim_bytes(read * GMSIM_SECTOR_BYTES).text,
                               gmsim_bytes(written * GMSIM_SECTOR_BYTES).text);
}

static void say_nothing(GString *text, const gmsim_result *result, const gmsim_finding *finding)
{
    g_string_append(text, finding->work == 0
                              ? "Nothing to fix in the access pattern. "
                              : "No change of the access pattern would lower the bound. ");
    g_string_append_printf(text, "%s carries the most: at least %s cycles",
                           carrier(finding->then_bound), gmsim_count(finding->now).text);
    append_bytes(text, &result->l2, finding->then_bound);
    g_string_append(text, "; only moving less (narrower types, more reuse in registers or shared "
                          "memory) would lower that.");
}

/* What warps spend clocks on, whatever the memory does. */
static const struct {
    const char *what, *on;
} spent[GMSIM_FINDING_COUNT] = {
    [GMSIM_FINDING_BARRIERS] = {"Waiting at barriers",
                                "waiting for the other warps of their block"},
    [GMSIM_FINDING_MATH] = {"Arithmetic", "waiting for a math pipe"},
    [GMSIM_FINDING_ISSUE] = {"Issue", "issuing, or waiting for their turn or the result before"},
};

static void append_spent(GString *text, const gmsim_result *result, const gmsim_finding *finding)
{
    uint64_t clocks = gmsim_waits_clocks(result, finding->waits);

    g_string_append_printf(text, "warps spend %s of their clocks %s",
                           gmsim_percentage(clocks, result->timing.warp_active).text,
                           spent[finding->kind].on);
}

static void say_latency(GString *text, const gmsim_result *result, const gmsim_finding *finding)
{
    g_string_append_printf(
        text, "Latency limits this kernel: no resource is busy for more than %s of its time (%s)",
        gmsim_percentage(finding->now, result->timing.cycles).text,
        gmsim_resource_name(finding->then_bound));
    append_waits(text, result, finding, ", but warps wait");
    g_string_append_c(text, '.');
}

static void say_bandwidth(GString *text, const gmsim_result *result, const gmsim_finding *finding)
{
    gmsim_resource bound = finding->then_bound;

    g_string_append_printf(
        text, "%s bandwidth limits this kernel: at least %s of its %s cycles",
        bound == GMSIM_RESOURCE_SHARED ? "Shared-memory" : gmsim_resource_name(bound),
        gmsim_count(result->min_cycles[bound]).text, gmsim_count(result->timing.cycles).text);
    append_bytes(text, &result->l2, bound);
    append_waits(text, result, finding, ", and warps wait");
    g_string_append_c(text, '.');
}

static void say_small_grid(GString *text, const gmsim_gpu *gpu, const gmsim_result *result,
                           const gmsim_finding *finding)
{
    uint64_t blocks = gmsim_ctas_of(result);

    g_string_append_printf(text, "The grid is small for this GPU: %s block%s for %u SMs",
                           gmsim_count(blocks).text, blocks == 1 ? "" : "s", gpu->gpu_sm_count);
    if (blocks < gpu->gpu_sm_count)
        g_string_append_printf(text, ", so %u stay idle.", gpu->gpu_sm_count - (unsigned)blocks);
    else
        g_string_append_printf(text,
                               " that could hold %u each, so %.3g %% of the warps that the GPU has "
                               "room for are there to hide the latency of memory.",
                               result->occupancy.blocks,
                               result->occupancy.theoretical_pct * result->waves);
    append_waits(text, result, finding, " Warps wait");
    if (finding->cost > 0)
        g_string_append_c(text, '.');
}

char *gmsim_finding_what(const gmsim_gpu *gpu, const gmsim_result *result,
                         const gmsim_finding *finding)
{
    GString *text = g_string_new(NULL);

    switch (finding->kind) {
    case GMSIM_FINDING_CONFLICTS:
        say_conflicts(text, result, finding);
        break;
    case GMSIM_FINDING_UNCOALESCED:
        say_uncoalesced(text, result, finding);
        break;
    case GMSIM_FINDING_ATOMICS:
        say_atomics(text, result, finding);
        break;
    case GMSIM_FINDING_LOCAL:
        say_local(text, result, finding);
        break;
    case GMSIM_FINDING_SMALL_GRID:
        say_small_grid(text, gpu, result, finding);
        break;
    case GMSIM_FINDING_OCCUPANCY:
        g_string_append_printf(text,
                               "Low occupancy: %u of %u warps on an SM (%.4g %%), limited by %s, "
                               "so few warps are there "
                               "to hide the latency of memory.",
                               result->occupancy.warps, gpu->occupancy_warps_per_sm,
                               result->occupancy.theoretical_pct,
                               limiter_word(result->occupancy.limiters));
        append_waits(text, result, finding, " They wait");
        if (finding->cost > 0)
            g_string_append_c(text, '.');
        break;
    case GMSIM_FINDING_LATENCY:
        say_latency(text, result, finding);
        break;
    case GMSIM_FINDING_BANDWIDTH:
        say_bandwidth(text, result, finding);
        break;
    case GMSIM_FINDING_BARRIERS:
    case GMSIM_FINDING_MATH:
    case GMSIM_FINDING_ISSUE:
        g_string_append_printf(text, "%s limits this kernel: ", spent[finding->kind].what);
        append_spent(text, result, finding);
        g_string_append_c(text, '.');
        break;
    case GMSIM_FINDING_LAUNCH:
        g_string_append_printf(
            text, "Launch overhead limits this kernel: %s of its %s cycles are the launch itself.",
            gmsim_percentage(result->timing.launch_cycles, result->timing.cycles).text,
            gmsim_count(result->timing.cycles).text);
        break;
    case GMSIM_FINDING_NO_MEMORY:
        g_string_append(text, "No memory work: this launch touched no global, local or shared "
                              "memory, so nothing in the memory hierarchy holds it back.");
        break;
    default:
        say_nothing(text, result, finding);
    }
    return g_string_free(text, FALSE);
}

/* The estimate, and what the counts and the launch leave at least. */
static char *bound_in_time(const gmsim_result *result, const gmsim_finding *finding)
{
    const gmsim_timing *timing = &result->timing;
    gmsim_resource bound = finding->then_bound;
    uint64_t then = finding->then;

    if (finding->kind == GMSIM_FINDING_LAUNCH)
        return NULL;
    if (finding->kind == GMSIM_FINDING_BANDWIDTH)
        then = others(result, finding->then_bound, &bound);
    return g_strdup_printf(
        "some %s of %s cycles are at stake; %s stay at least (launch %s, %s %s).",
        gmsim_count(finding->cost).text, gmsim_count(timing->cycles).text,
        gmsim_count(timing->launch_cycles + then).text, gmsim_count(timing->launch_cycles).text,
        gmsim_resource_name(bound), gmsim_count(then).text);
}

char *gmsim_finding_bound(const gmsim_result *result, const gmsim_finding *finding)
{
    if (finding->cost > 0)
        return bound_in_time(result, finding);
    switch (finding->kind) {
    case GMSIM_FINDING_CONFLICTS:
    case GMSIM_FINDING_UNCOALESCED:
    case GMSIM_FINDING_ATOMICS:
    case GMSIM_FINDING_LOCAL:
        return g_strdup_printf("at least %s cycles now, at best %s then (%s).",
                               gmsim_count(finding->now).text, gmsim_count(finding->then).text,
                               gmsim_resource_name(finding->then_bound));
    case GMSIM_FINDING_SMALL_GRID:
    case GMSIM_FINDING_OCCUPANCY:
        return g_strdup_printf(
            "at least %s cycles (%s) as it is; how near the kernel comes to that "
            "depends on latency.",
            gmsim_count(finding->now).text, gmsim_resource_name(result->bound));
    default:
        return NULL;
    }
}

char *gmsim_finding_aside(const gmsim_result *result, const gmsim_finding *finding)
{
    GString *text = g_string_new(NULL);

    switch (finding->kind) {
    case GMSIM_FINDING_CONFLICTS:
        g_string_append_printf(
            text, "bank conflicts replay %s of the shared wavefronts",
            gmsim_percentage(finding->work - finding->ideal, finding->work).text);
        append_worst(text, result, finding, ", worst ");
        break;
    case GMSIM_FINDING_UNCOALESCED:
        g_string_append_printf(
            text, "%s of the sectors that global requests touch are excess",
            gmsim_percentage(finding->work - finding->ideal, finding->work).text);
        append_worst(text, result, finding, ", worst ");
        break;
    case GMSIM_FINDING_ATOMICS:
        g_string_append_printf(text, "%s atomic updates fall on at most %s sector%s",
                               gmsim_count(finding->work).text, gmsim_count(finding->ideal).text,
                               finding->ideal == 1 ? "" : "s");
        break;
    case GMSIM_FINDING_LOCAL:
        g_string_append_printf(text, "local memory (spills or arrays) takes %s sectors of L1",
                               gmsim_count(finding->work).text);
        break;
    case GMSIM_FINDING_SMALL_GRID:
        g_string_append(text, "the grid is small for this GPU");
        break;
    case GMSIM_FINDING_OCCUPANCY:
        g_string_append_printf(text, "occupancy is %.4g %%, limited by %s",
                               result->occupancy.theoretical_pct,
                               limiter_word(result->occupancy.limiters));
        break;
    case GMSIM_FINDING_LAUNCH:
        g_string_append_printf(
            text, "the launch itself takes %s of the cycles",
            gmsim_percentage(result->timing.launch_cycles, result->timing.cycles).text);
        break;
    case GMSIM_FINDING_BANDWIDTH:
        g_string_append_printf(
            text, "%s is busy for %s of the cycles", gmsim_resource_name(finding->then_bound),
            gmsim_percentage(result->min_cycles[finding->then_bound], result->timing.cycles).text);
        break;
    case GMSIM_FINDING_LATENCY:
        append_waits(text, result, finding, "warps wait");
        break;
    case GMSIM_FINDING_BARRIERS:
    case GMSIM_FINDING_MATH:
    case GMSIM_FINDING_ISSUE:
        append_spent(text, result, finding);
        break;
    default:
        break;
    }
    return g_string_free(text, FALSE);
}
