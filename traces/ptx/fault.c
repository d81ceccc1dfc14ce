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
    switch (kind) {
    case GMPTX_FAULT_ACCESS:
        return "access outside of memory";
    case GMPTX_FAULT_MISALIGNED:
        return "misaligned access";
    case GMPTX_FAULT_BARRIER:
        return "barrier that not all threads reach";
    case GMPTX_FAULT_LIMIT:
        return "the instruction limit is reached: an endless loop?";
    case GMPTX_FAULT_TRAP:
        return "trap or failed assertion";
    case GMPTX_FAULT_INSTRUCTION:
        return "an operand the instruction does not allow, or lanes it names are elsewhere";
    default:
        return "calls too deep, or no memory";
    }
}
