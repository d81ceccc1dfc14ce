/* SPDX-License-Identifier: MIT
 *
 * pending.h - records that a writer holds until their CTA ends. See pending.c.
 */
#ifndef GMTRACE_PRIVATE_PENDING_H
#define GMTRACE_PRIVATE_PENDING_H

#include "traces/format/internal.h"

#define GMT_BLOCK_DATA 1008u /* 21 records without lanes */

typedef struct gmt_block {
    struct gmt_block *next;
    uint64_t used;
    uint8_t data[GMT_BLOCK_DATA];
} gmt_block;

/* A warp's records in order. In a block they lie one after another, each followed by its lanes:
 * 0, 128 or 256 bytes by shape. */
typedef struct gmt_stream {
    gmt_block *head, *tail;
    uint32_t count; /* records not yet taken */
    uint32_t taken; /* bytes of the head block already taken */
} gmt_stream;

typedef struct gmt_cta {
    uint64_t number;
    uint64_t decoded; /* bytes its records take once decoded */
    struct gmt_cta *next;
    gmt_stream stream[];
} gmt_cta;

typedef struct gmt_pending {
    uint32_t warps; /* a CTA */
    size_t cta_size, block_count;
    gmt_cta **table; /* open CTAs by number; open addressing, at most half full */
    size_t table_size, open_count;
    gmt_cta *recent;   /* the CTA of the last look-up */
    gmt_cta *free_cta; /* chains for reuse */
    gmt_block *free_block, *retired;
    uint64_t **ended; /* bit maps of CTAs that ended, 512 to a page */
    size_t ended_pages;
} gmt_pending;

bool gmt_pending_launch(gmt_pending *pending, uint32_t warps);
void gmt_pending_free(gmt_pending *pending);
size_t gmt_pending_bytes(const gmt_pending *pending);

gmt_cta *gmt_pending_find(gmt_pending *pending, uint64_t cta);
/* Finds or opens. NULL when memory is out. */
gmt_cta *gmt_pending_open(gmt_pending *pending, uint64_t cta);
/* Takes a CTA out of the table and remembers that it ended; its records stay. */
bool gmt_pending_end(gmt_pending *pending, gmt_cta *cta);
bool gmt_pending_has_ended(const gmt_pending *pending, uint64_t cta);
/* Gives the struct back. All its records have been taken. */
void gmt_pending_recycle(gmt_pending *pending, gmt_cta *cta);

/* Where to put a record and `lanes` bytes behind it; NULL when memory is out. */
gmtrace_record *gmt_pending_append(gmt_pending *pending, gmt_cta *cta, uint32_t warp, size_t lanes);
/* The stream's next record. Its bytes stay until gmt_pending_release(). */
const gmtrace_record *gmt_pending_take(gmt_pending *pending, gmt_stream *stream);
void gmt_pending_release(gmt_pending *pending);

/* Bytes of lanes behind a pending record, and the record's share of a decoded chunk. */
static inline size_t gmt_lane_bytes(const gmtrace_record *record)
{
    return record->shape == GMTRACE_OFFSETS ? 4 * GMTRACE_WARP_LANES
           : record->shape == GMTRACE_FULL  ? 8 * GMTRACE_WARP_LANES
                                            : 0;
}

#endif
