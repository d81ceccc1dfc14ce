/* SPDX-License-Identifier: MIT
 *
 * occupancy.h - how many CTAs of a launch fit on one SM, and what stops one more. The arithmetic is
 * that of the CUDA toolkit's cuda_occupancy.h; validate/measured/ holds a sweep of it against
 * cudaOccupancyMaxActiveBlocksPerMultiprocessor.
 */
#ifndef GMSIM_OCCUPANCY_H
#define GMSIM_OCCUPANCY_H

#include "sim/device/gpu.h"

G_BEGIN_DECLS

/* What a launch asks for. */
typedef struct gmsim_demand {
    uint32_t threads;         /* a CTA */
    uint32_t registers;       /* a thread */
    uint32_t static_shared;   /* bytes a CTA */
    uint32_t dynamic_shared;  /* bytes a CTA */
    uint32_t barriers;        /* named barriers a CTA uses */
    uint32_t shared_config;   /* the SM's carve-out in bytes if known, else UINT32_MAX */
    int32_t carveout_percent; /* the program's preference, -1 default */
} gmsim_demand;

enum {
    GMSIM_LIMIT_WARPS = 1u << 0,
    GMSIM_LIMIT_BLOCKS = 1u << 1,
    GMSIM_LIMIT_REGISTERS = 1u << 2,
    GMSIM_LIMIT_SHARED = 1u << 3,
    GMSIM_LIMIT_BARRIERS = 1u << 4,
};

typedef struct gmsim_occupancy {
    /* CTAs an SM each resource admits; the names are ncu's launch__occupancy_limit_*. UINT32_MAX
     * where the resource is not used. */
    uint32_t limit_warps, limit_blocks, limit_registers, limit_shared, limit_barriers;
    uint32_t blocks;   /* the least of them: CTAs resident on an SM, 0 = cannot launch */
    uint32_t limiters; /* GMSIM_LIMIT_*: every resource that stops one more */
    uint32_t warps_per_block;
    uint32_t warps;               /* resident on an SM: blocks * warps_per_block */
    double theoretical_pct;       /* sm__maximum_warps_per_active_cycle_pct */
    uint32_t shared_per_block;    /* bytes a CTA takes, reservation and rounding included */
    uint32_t registers_per_block; /* registers a CTA takes, rounding included */
    uint32_t
        shared_config; /* carve-out in bytes: the trace's, or the driver's choice as modelled */
    uint32_t l1_bytes; /* what is left to cache with that carve-out */
} gmsim_occupancy;

/* Registers a thread gets when its kernel asks for this many: what a demand should hold. */
uint32_t gmsim_registers_granted(uint32_t asked);

/* A demand that can never launch (too many threads, registers, shared memory) gives blocks 0 with
 * the limiter set; it is not an error. */
void gmsim_occupancy_compute(const gmsim_gpu *gpu, const gmsim_demand *demand,
                             gmsim_occupancy *result);

G_END_DECLS

#endif
