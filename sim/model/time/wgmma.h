/* SPDX-License-Identifier: MIT
 *
 * wgmma.h - warpgroup MMA. A warp issues its part when the tensor pipe of its sub-partition takes
 * it, and goes on: the pipe works as long as the products take (`wgmma` of [pipe], in proportion to
 * n), or as both operands take to come out of shared memory, if that is longer; the sum is there
 * some clocks later. Groups end in order; WARPGROUP.DEPBAR waits until all but so many have
 * (micro/wgmma.cu).
 *
 * Left out: the other three warps of the warpgroup, which do the same at about the same time; other
 * accesses to shared memory, which operands do not delay; operands that are neither swizzled nor in
 * rows of 128 bytes.
 */
#ifndef GMSIM_WGMMA_H
#define GMSIM_WGMMA_H

#include "sim/model/hot.h"
#include "sim/model/time/launch.h"

/* Operands in shared memory of the warpgroup's instruction. */
static inline uint32_t gmsim_wgmma_bytes(const gmtrace_record *record)
{
    return (record->aux & 0xffffu) + (record->aux >> 16);
}

/* The warp's record issues at `now`, or at the clock that is returned. */
static inline uint64_t gmsim_wgmma_issue(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                                         const gmtrace_record *record, uint64_t now)
{
    const gmtrace_kernel *kernel = s->replay->tally.kernel;
    const gmsim_cost *cost = &s->paces->cost[MIN(record->instr, kernel->instr_count)];
    gmsim_sub_partition *part = warp->part;
    const uint64_t begin = MAX(part->pipe_free[GMSIM_PIPE_TENSOR], now);
    const uint32_t operands = gmsim_wgmma_bytes(record) / GMSIM_LINE_BYTES; /* a wavefront each */
    const uint64_t end =
        gmsim_pipe_take(part, GMSIM_PIPE_TENSOR, begin, MAX(cost->clocks, operands));
    sm->timing.stall[GMSIM_STALL_MATH] += begin - now;
    warp->multiplied = end + cost->latency;
    if (gmsim_tally_site(&s->replay->tally, record->instr)->closes_group)
        warp->product[warp->products++ % GMSIM_PRODUCT_GROUPS] = warp->multiplied;
    return begin;
}

/* When all but the last `left` groups are there. */
static inline uint64_t gmsim_wgmma_there(const gmsim_warp *warp, uint32_t left)
{
    if (left >= MIN(warp->products, GMSIM_PRODUCT_GROUPS))
        return 0;
    return warp->product[(warp->products - 1u - left) % GMSIM_PRODUCT_GROUPS];
}

#endif
