/* SPDX-License-Identifier: MIT
 *
 * fault.c - what went wrong in a CTA: the first fault is noted, and told.
 */
#include "traces/ptx/exec.h"

static void note(ptx_warp *w, uint32_t op, unsigned lane, gmptx_fault_kind kind)
{
    ptx_cta *cta = w->cta;
    if (cta->fault.kind != GMPTX_FAULT_NONE)
        return;
    cta->fault.kind = kind;
    cta->fault_op = op;
    cta->fault_lane = lane;
    cta->fault_warp = w->number;
}

void gmptx_fault_at(ptx_warp *w, const ptx_op *op, unsigned lane, gmptx_fault_kind kind)
{
    note(w, (uint32_t)(op - w->kernel->op), lane, kind);
}

void gmptx_fault_of(ptx_warp *w, uint32_t op, gmptx_fault_kind kind)
{
    note(w, op, w->live ? (unsigned)__builtin_ctz(w->live) : 0, kind);
}

const char *gmptx_fault_text(gmptx_fault_kind kind)
{
    static const char *const text[] = {
        [GMPTX_FAULT_ACCESS] = "access outside of memory",
        [GMPTX_FAULT_MISALIGNED] = "misaligned access",
        [GMPTX_FAULT_BARRIER] = "barrier that not all threads reach",
        [GMPTX_FAULT_LIMIT] = "the instruction limit is reached: an endless loop?",
        [GMPTX_FAULT_TRAP] = "trap or failed assertion",
        [GMPTX_FAULT_FREE] = "free() of what malloc() did not give",
        [GMPTX_FAULT_INSTRUCTION] =
            "an operand the instruction does not allow, or lanes it names are elsewhere",
        [GMPTX_FAULT_OTHER] = "calls too deep, or no memory",
    };
    return text[kind];
}
