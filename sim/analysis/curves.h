/* SPDX-License-Identifier: MIT
 *
 * curves.h - occupancy as a function of one thing that a launch asks for, the others kept: the
 * curves on which its own point lies. The carve-out is the driver's choice as modelled at every
 * point, so that a launch whose trace records another may lie beside its curve.
 */
#ifndef GMSIM_CURVES_H
#define GMSIM_CURVES_H

#include "sim/model/model.h"

G_BEGIN_DECLS

typedef enum gmsim_curve_kind {
    GMSIM_CURVE_REGISTERS, /* a thread */
    GMSIM_CURVE_SHARED,    /* bytes a CTA, static and dynamic */
    GMSIM_CURVE_THREADS,   /* a CTA */
    GMSIM_CURVES
} gmsim_curve_kind;

typedef struct gmsim_curve_step {
    uint32_t from;  /* the first value ... */
    uint32_t warps; /* ... that gives an SM so many */
} gmsim_curve_step;

typedef struct gmsim_curve {
    uint32_t last; /* value of the GPU's limit, where the last step ends */
    uint32_t at;   /* the launch's own; UINT32_MAX where the trace does not say */
    unsigned steps;
    gmsim_curve_step step[256];
} gmsim_curve;

void gmsim_curve_make(const gmsim_gpu *gpu, const gmsim_result *result, gmsim_curve_kind kind,
                      gmsim_curve *curve);

G_END_DECLS

#endif
