/* SPDX-License-Identifier: MIT
 *
 * l2.c - L2 as one sectored, write-back array shared by all SMs. First rules:
 *
 * - A read that misses brings gpu.l2_fill_sectors sectors, aligned, from DRAM (an H200 fetches 64
 *   bytes for a random 4-byte gather).
 * - A write allocates its line and marks its sectors dirty. A sector written whole needs no fill. A
 *   sector written in part whose other bytes are absent is read from DRAM, that one sector alone
 *   (an H200 reads one sector for each scattered 4-byte store).
 * - An atomic or reduction reads what is absent and leaves its sectors dirty.
 * - Evicted dirty sectors are written to DRAM. What is dirty at the end stays and is reported.
 * - A write always counts as a hit, as the hardware's counters have it.
 *
 * Left out: the two partitions and the copies they keep of each other's lines, slices and their
 * hash, merging of concurrent reads between SMs and L2, compression, replacement other than LRU,
 * GPUs whose DRAM has no ECC and so need no read for a partial write.
 */
#include "sim/model/l2.h"

static uint32_t sets_of(const gmsim_gpu *gpu)
{
    uint64_t sets = gpu->l2_size / ((uint64_t)GMSIM_LINE_BYTES * gpu->l2_ways);
    return sets ? (uint32_t)sets : 1u;
}

size_t gmsim_l2_entries(const gmsim_gpu *gpu)
{
    return gmsim_cache_entries(sets_of(gpu), gpu->l2_ways);
}

void gmsim_l2_init(gmsim_l2 *l2, gmsim_entry *entry, const gmsim_gpu *gpu)
{
    gmsim_cache_init(&l2->cache, entry, sets_of(gpu), gpu->l2_ways);
    l2->fill_sectors = gpu->l2_fill_sectors;
    memset(&l2->counts, 0, sizeof l2->counts);
}

void gmsim_l2_flush(gmsim_l2 *l2)
{
    gmsim_cache_clear(&l2->cache);
    l2->counts.dirty_sectors = 0;
}

void gmsim_l2_reset_counts(gmsim_l2 *l2)
{
    l2->counts = (gmsim_l2_counts){.dirty_sectors = l2->counts.dirty_sectors};
}

/* Brings the line to the front of its set, allocating it empty if need be. */
GMSIM_INLINE void bring(gmsim_l2 *l2, gmsim_entry *set, uint64_t line)
{
    if (gmsim_cache_find(&l2->cache, set, line))
        return;
    gmsim_entry victim = gmsim_cache_insert(&l2->cache, set, line, 0);
    uint32_t dirty = gmsim_sector_count((uint32_t)(victim >> GMSIM_ENTRY_DIRTY_SHIFT));
    l2->counts.dram_write_sectors += dirty;
    l2->counts.dirty_sectors -= dirty;
}

/* Sectors that a fill of 1, 2 or 4 sectors brings for each missing one. */
GMSIM_INLINE uint32_t widen(uint32_t missing, uint32_t fill)
{
    if (fill == 1u)
        return missing;
    if (fill == 4u)
        return missing ? 0xfu : 0;
    return (missing & 3u ? 3u : 0) | (missing & 0xcu ? 0xcu : 0);
}

GMSIM_INLINE void fill(gmsim_l2 *l2, gmsim_entry *entry, uint32_t sectors)
{
    uint32_t absent = sectors & ~(uint32_t)*entry & 0xfu;
    l2->counts.dram_read_sectors += gmsim_sector_count(absent);
    *entry |= absent;
}

GMSIM_INLINE void mark_dirty(gmsim_l2 *l2, gmsim_entry *entry, uint32_t sectors)
{
    uint32_t clean = sectors & ~(uint32_t)(*entry >> GMSIM_ENTRY_DIRTY_SHIFT) & 0xfu;
    l2->counts.dirty_sectors += gmsim_sector_count(clean);
    *entry |= (gmsim_entry)sectors << GMSIM_ENTRY_DIRTY_SHIFT | sectors;
}

GMSIM_CLONES void gmsim_l2_read(gmsim_l2 *l2, const gmsim_footprint *footprint,
                                gmsim_entry *const *set)
{
    uint32_t hits = 0;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        bring(l2, set[i], footprint->line[i]);
        uint32_t touched = footprint->touched[i], valid = (uint32_t)*set[i];
        uint32_t missing = touched & ~valid;
        hits += gmsim_sector_count(touched & valid);
        if (missing)
            fill(l2, set[i], widen(missing, l2->fill_sectors));
    }
    l2->counts.read_sectors += footprint->sectors;
    l2->counts.read_hit_sectors += hits;
}

GMSIM_CLONES void gmsim_l2_write(gmsim_l2 *l2, const gmsim_footprint *footprint,
                                 gmsim_entry *const *set)
{
    for (uint32_t i = 0; i < footprint->lines; i++) {
        bring(l2, set[i], footprint->line[i]);
        fill(l2, set[i], (uint32_t)(footprint->touched[i] & ~footprint->full[i]));
        mark_dirty(l2, set[i], footprint->touched[i]);
    }
    l2->counts.write_sectors += footprint->sectors;
    l2->counts.write_hit_sectors += footprint->sectors;
}

GMSIM_CLONES void gmsim_l2_atomic(gmsim_l2 *l2, const gmsim_footprint *footprint,
                                  gmsim_entry *const *set, bool reduction)
{
    for (uint32_t i = 0; i < footprint->lines; i++) {
        bring(l2, set[i], footprint->line[i]);
        fill(l2, set[i], footprint->touched[i]);
        mark_dirty(l2, set[i], footprint->touched[i]);
    }
    if (reduction)
        l2->counts.reduction_sectors += footprint->sectors;
    else
        l2->counts.atomic_sectors += footprint->sectors;
}
