/* SPDX-License-Identifier: MIT
 *
 * finding_fix.c - the one thing to change that a finding suggests, and where.
 */
#include "sim/report/words.h"

#include "sim/analysis/rows.h"
#include "sim/report/format.h"

static char *fix_conflicts(const gmsim_result *result, const gmsim_finding *finding)
{
    gmsim_pattern pattern;
    char *place, *fix;

    if (finding->row == GMSIM_SHARED_ATOMIC)
        return g_strdup("let each warp or lane update its own copy and add the copies up at the "
                        "end.");
    if (finding->worst == NULL)
        return g_strdup("lay the array out so that the lanes of a warp fall in different banks.");
    gmsim_pattern_of(&finding->worst->worst, &pattern);
    place = gmsim_instr_place(result, finding->worst);
    if (pattern.strided && pattern.lanes > 1 && ABS(pattern.stride) % GMSIM_LINE_BYTES == 0)
        fix = g_strdup_printf("pad each row by one element (as in tile[32][33]): at %s lanes are "
                              "%" G_GINT64_FORMAT " B apart, a multiple of all 32 banks.",
                              place, ABS(pattern.stride));
    else if (pattern.strided && pattern.lanes > 1)
        fix =
            g_strdup_printf("let consecutive lanes use consecutive words, or pad to an odd number "
                            "of words: at %s lanes are %" G_GINT64_FORMAT " B apart.",
                            place, ABS(pattern.stride));
    else
        fix = g_strdup_printf("spread the lanes over the banks by padding, or by XORing the column "
                              "with the row: at %s %u lanes share %u bank%s.",
                              place, pattern.lanes, pattern.banks, pattern.banks == 1 ? "" : "s");
    g_free(place);
    return fix;
}

static char *fix_uncoalesced(const gmsim_result *result, const gmsim_finding *finding)
{
    gmsim_pattern pattern;
    char *place, *fix;

    if (finding->worst == NULL)
        return g_strdup("let consecutive lanes use consecutive addresses.");
    gmsim_pattern_of(&finding->worst->worst, &pattern);
    place = gmsim_instr_place(result, finding->worst);
    if (pattern.strided && pattern.lanes > 1 && ABS(pattern.stride) == finding->worst->worst.size)
        fix =
            g_strdup_printf("begin each warp at a multiple of 32 B (pad or shift the array): at %s "
                            "it begins %u B past one.",
                            place, pattern.misaligned);
    else if (pattern.strided && pattern.lanes > 1)
        fix = g_strdup_printf("let consecutive lanes use consecutive elements (swap the indices, "
                              "stage through shared memory, or store a structure of arrays): at %s "
                              "lanes are %" G_GINT64_FORMAT " B apart.",
                              place, ABS(pattern.stride));
    else
        fix =
            g_strdup_printf("order the work so that neighbouring lanes touch neighbouring "
                            "elements (sort the indices, change the layout): at %s %u lanes touch "
                            "%u sectors in %u lines.",
                            place, pattern.lanes, pattern.sectors, pattern.lines);
    g_free(place);
    return fix;
}

static char *fix_occupancy(const gmsim_gpu *gpu, const gmsim_result *result)
{
    gmsim_relief relief;
    uint32_t threads =
        result->launch->block[0] * result->launch->block[1] * result->launch->block[2];

    if (gmsim_occupancy_relief(gpu, result, &relief)) {
        if (relief.registers)
            return g_strdup_printf("use at most %u registers a thread (%u now; __launch_bounds__), "
                                   "then %u blocks fit on an SM instead of %u.",
                                   relief.most, result->kernel->registers, relief.blocks,
                                   result->occupancy.blocks);
        return g_strdup_printf(
            "use at most %s B of shared memory a block (%s now), then %u blocks "
            "fit on an SM instead of %u.",
            gmsim_count(relief.most).text,
            gmsim_count(result->kernel->static_shared + result->launch->dynamic_shared).text,
            relief.blocks, result->occupancy.blocks);
    }
    if (result->occupancy.limiters & GMSIM_LIMIT_BLOCKS)
        return g_strdup_printf(
            "use larger blocks: an SM takes %u blocks, and these have %u threads.",
            gpu->occupancy_blocks_per_sm, threads);
    return NULL;
}

/* Where the first barrier stands, or NULL. */
static char *first_barrier(const gmsim_result *result)
{
    const gmtrace_kernel *kernel = result->kernel;

    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        const gmsim_instr_counts at = {.instr = i};

        if (kernel->instr[i].op_class == GMTRACE_CLASS_BARRIER && kernel->instr[i].line > 0)
            return gmsim_instr_place(result, &at);
    }
    return NULL;
}

/* One sentence of advice, and the place it is about, if any; frees the place. */
static char *advise(const char *advice, char *place)
{
    char *fix = g_strdup_printf(place != NULL ? "%s; see %s." : "%s.", advice, place);

    g_free(place);
    return fix;
}

char *gmsim_finding_fix(const gmsim_gpu *gpu, const gmsim_result *result,
                        const gmsim_finding *finding)
{
    static const char *const advice[GMSIM_FINDING_COUNT] = {
        [GMSIM_FINDING_ATOMICS] =
            "add up in registers or shared memory first, then one atomic a block",
        [GMSIM_FINDING_SMALL_GRID] = "split the work into more blocks",
        [GMSIM_FINDING_LATENCY] = "have more loads under way a warp: issue independent ones before "
                                  "their first use (unroll, wider loads, cp.async)",
        [GMSIM_FINDING_BANDWIDTH] =
            "move less: narrower types, more reuse in registers or shared memory",
        [GMSIM_FINDING_BARRIERS] =
            "give the warps of a block equal work, or have fewer barriers or smaller blocks",
        [GMSIM_FINDING_MATH] = "do fewer or cheaper operations: narrower types, tensor cores, no "
                               "index into constant memory that differs by lane",
        [GMSIM_FINDING_ISSUE] = "execute fewer instructions (wider loads, less index arithmetic, "
                                "less divergence), or more independent ones in a row",
        [GMSIM_FINDING_LAUNCH] = "do more in a launch: merge kernels, or give each more work",
    };
    char *place = NULL;

    switch (finding->kind) {
    case GMSIM_FINDING_CONFLICTS:
        return fix_conflicts(result, finding);
    case GMSIM_FINDING_UNCOALESCED:
        return fix_uncoalesced(result, finding);
    case GMSIM_FINDING_LOCAL:
        if (result->kernel->registers >= MIN(gpu->occupancy_registers_per_thread, 255u))
            return g_strdup(
                "index per-thread arrays with constants so that they stay in registers, "
                "or split the kernel: it has all the registers a thread can have.");
        return g_strdup("allow more registers (-maxrregcount, __launch_bounds__), or index "
                        "per-thread arrays with constants so that they stay in registers.");
    case GMSIM_FINDING_OCCUPANCY:
        return fix_occupancy(gpu, result);
    case GMSIM_FINDING_LATENCY:
        place = finding->worst != NULL ? gmsim_instr_place(result, finding->worst) : NULL;
        break;
    case GMSIM_FINDING_BARRIERS:
        place = first_barrier(result);
        break;
    default:
        break;
    }
    return advice[finding->kind] != NULL ? advise(advice[finding->kind], place) : NULL;
}
