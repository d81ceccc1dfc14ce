/* SPDX-License-Identifier: MIT
 *
 * waits.h - what findings cost in time, of a launch that was timed: which of its warps' waits each
 * one explains, and waits that no access pattern explains. Private to sim/analysis.
 *
 * A cost is the share of the warps' clocks that are such waits, as clocks of the launch's time. It
 * is an estimate: waits overlap, and one that goes may uncover another. A bound is not: no launch
 * takes less than its overhead and the least cycles of its resources.
 */
#ifndef GMSIM_WAITS_H
#define GMSIM_WAITS_H

#include "sim/analysis/verdict.h"

G_BEGIN_DECLS

/* Sets waits and cost of a finding whose kind, work and ideal are set. */
void gmsim_waits_explain(const gmsim_gpu *gpu, const gmsim_result *result, gmsim_finding *finding);

/* Appends, from `blank`, what waits alone say: latency, bandwidth, barriers, math, issue, launch;
 * each with its cost. Latency is left out where a grid or occupancy is the reason. */
unsigned gmsim_waits_find(const gmsim_gpu *gpu, const gmsim_result *result,
                          const gmsim_finding *blank, bool latency, gmsim_finding *found);

/* Leaves the finding only what others do not explain. */
void gmsim_waits_leave(const gmsim_result *result, uint32_t explained, gmsim_finding *finding);

G_END_DECLS

#endif
