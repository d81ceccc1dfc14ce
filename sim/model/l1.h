/* SPDX-License-Identifier: MIT
 *
 * l1.h - the L1 data cache of one SM.
 */
#ifndef GMSIM_L1_H
#define GMSIM_L1_H

#include "sim/model/l2.h"

#pragma GCC visibility push(hidden)

typedef enum gmsim_l1_load {
    GMSIM_L1_ALLOCATE, /* looked up; what misses is kept */
    GMSIM_L1_PASS,     /* looked up; what misses is not kept (.NA) */
    GMSIM_L1_BYPASS,   /* neither looked up nor kept: coherent loads, LDGSTS.BYPASS */
} gmsim_l1_load;

/* Sets of an L1 of `bytes`: gpu.l1_sets is the number for the largest L1, and the ways stay. */
uint32_t gmsim_l1_ways(const gmsim_gpu *gpu);
uint32_t gmsim_l1_sets(const gmsim_gpu *gpu, uint32_t bytes);

/* In both, set[] are the sets of the footprint's lines (gmsim_cache_sets()). */

/* Returns hit sectors. The footprint becomes what has to come from L2: its misses. */
uint32_t gmsim_l1_read(const gmsim_cache *l1, gmsim_footprint *footprint, gmsim_entry *const *set,
                       gmsim_l1_load how);

/* Write-through: every sector goes on to L2. Returns sectors that count as hits. */
uint32_t gmsim_l1_write(const gmsim_cache *l1, const gmsim_footprint *footprint,
                        gmsim_entry *const *set, bool allocate);

#pragma GCC visibility pop

#endif
