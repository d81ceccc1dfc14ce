/* SPDX-License-Identifier: MIT
 *
 * l2.h - the L2 cache and the DRAM traffic behind it.
 */
#ifndef GMSIM_L2_H
#define GMSIM_L2_H

#include "sim/model/cache.h"
#include "sim/model/coalesce.h"
#include "sim/model/model.h"

#pragma GCC visibility push(hidden)

typedef struct gmsim_l2 {
    gmsim_cache cache;
    uint32_t fill_sectors; /* brought from DRAM for one missing sector */
    gmsim_l2_counts counts;
} gmsim_l2;

/* Number of entries that gmsim_l2_init() needs. */
size_t gmsim_l2_entries(const gmsim_gpu *gpu);
void gmsim_l2_init(gmsim_l2 *l2, gmsim_entry *entry, const gmsim_gpu *gpu);
/* Empties the cache without writing anything back. */
void gmsim_l2_flush(gmsim_l2 *l2);
/* Zeroes the counts; what is in the cache stays, and with it the count of dirty sectors. */
void gmsim_l2_reset_counts(gmsim_l2 *l2);

/* In all three, set[] are the sets of the footprint's lines (gmsim_cache_sets()). */
void gmsim_l2_read(gmsim_l2 *l2, const gmsim_footprint *footprint, gmsim_entry *const *set);
void gmsim_l2_write(gmsim_l2 *l2, const gmsim_footprint *footprint, gmsim_entry *const *set);
void gmsim_l2_atomic(gmsim_l2 *l2, const gmsim_footprint *footprint, gmsim_entry *const *set,
                     bool reduction);

#pragma GCC visibility pop

#endif
