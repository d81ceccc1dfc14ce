/* SPDX-License-Identifier: MIT
 *
 * unsteady.c - where warps met and the code depends on who came first, and what ncu counts of lanes
 * that do not execute. The place named is the first in the code that ran and shows the kind.
 */
#include "sim/analysis/unsteady.h"

const gmsim_names gmsim_unsteady_table[GMSIM_UNSTEADY_KINDS] = {
    [GMTRACE_UNSTEADY_SPIN] = {"spin", "warps read an address again until others have changed it"},
    [GMTRACE_UNSTEADY_ORDER] = {"order", "what an atomic returns decides what comes next"},
    [GMSIM_UNSTEADY_COPY] = {"guarded-copy",
                             "a predicate leaves lanes out of a copy past L1; ncu's sass counters "
                             "take what their registers hold for addresses"},
};

/* Lanes are missing from a guarded copy past L1. */
static bool leaves_lanes_out(const gmtrace_instr *instr, const gmsim_instr_counts *entry)
{
    return entry->row == GMSIM_SHARED_COPY && instr->bypass_l1 && instr->predicate < 7u &&
           entry->counts.threads < entry->counts.instructions * GMTRACE_WARP_LANES;
}

gmsim_unsteady gmsim_unsteady_find(const gmsim_result *result)
{
    const gmtrace_kernel *kernel = result->kernel;
    gmsim_unsteady found = {.kinds = 0};

    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *entry = &result->instr[i];
        uint32_t kind;

        if (entry->instr >= kernel->instr_count)
            continue;
        kind = leaves_lanes_out(&kernel->instr[entry->instr], entry) ? GMSIM_UNSTEADY_COPY
               : result->unsteady ? result->unsteady_instr[entry->instr]
                                  : GMTRACE_STEADY;
        if (kind == GMTRACE_STEADY || (found.kinds >> kind & 1u) ||
            (kind < GMTRACE_UNSTEADY_KINDS && !(result->unsteady >> kind & 1u)))
            continue;
        found.kinds |= 1u << kind;
        found.instr[kind] = entry->instr;
    }
    return found;
}
