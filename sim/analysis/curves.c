/* SPDX-License-Identifier: MIT
 *
 * curves.c - occupancy against registers, shared memory and block size: the arithmetic of
 * sim/model/occupancy.h asked again at every value the hardware tells apart.
 */
#include "sim/analysis/curves.h"

static void add(gmsim_curve *curve, uint32_t value, uint32_t warps)
{
    if (curve->steps > 0 && curve->step[curve->steps - 1].warps == warps)
        return;
    if (curve->steps < G_N_ELEMENTS(curve->step))
        curve->step[curve->steps++] = (gmsim_curve_step){value, warps};
}

void gmsim_curve_make(const gmsim_gpu *gpu, const gmsim_result *result, gmsim_curve_kind kind,
                      gmsim_curve *curve)
{
    const gmsim_demand *own = &result->demand;
    const uint32_t warp = GMTRACE_WARP_LANES;
    uint32_t first, by;

    curve->steps = 0;
    switch (kind) {
    case GMSIM_CURVE_REGISTERS:
        first = by = 1;
        curve->last = gpu->occupancy_registers_per_thread;
        curve->at = result->kernel->registers == GMTRACE_UNKNOWN ? UINT32_MAX : own->registers;
        break;
    case GMSIM_CURVE_SHARED:
        first = 0;
        by = MAX(gpu->shared_unit, 1);
        curve->last = gpu->shared_per_block_optin;
        curve->at = own->static_shared == GMTRACE_UNKNOWN || own->dynamic_shared == GMTRACE_UNKNOWN
                        ? UINT32_MAX
                        : own->static_shared + own->dynamic_shared;
        break;
    case GMSIM_CURVE_THREADS:
    default:
        first = by = warp;
        curve->last = gpu->occupancy_threads_per_block;
        curve->at = own->threads;
        break;
    }
    for (uint64_t value = first; value <= curve->last; value += by) {
        gmsim_demand asked = *own;
        gmsim_occupancy occupancy;

        asked.shared_config = UINT32_MAX;
        if (kind == GMSIM_CURVE_REGISTERS) {
            asked.registers = gmsim_registers_granted((uint32_t)value);
        } else if (kind == GMSIM_CURVE_SHARED) {
            asked.static_shared = 0;
            asked.dynamic_shared = (uint32_t)value;
        } else {
            asked.threads = (uint32_t)value;
        }
        gmsim_occupancy_compute(gpu, &asked, &occupancy);
        add(curve, (uint32_t)value, occupancy.warps);
    }
}
