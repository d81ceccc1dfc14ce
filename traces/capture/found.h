/* SPDX-License-Identifier: MIT
 *
 * found.h - the memory that a launch's deciding loads (traces/code/deciding.h) read and nobody
 * wrote, so that it still holds when the launch has ended what they found.
 *
 * The launch's own writes are seen, those of others are not: memory that the host or another GPU
 * changes while the kernel runs is told as it is at the end.
 */
#ifndef GMCAPTURE_FOUND_H
#define GMCAPTURE_FOUND_H

#include "traces/gmtrace.h"

#define GMC_FOUND_SECTOR  32u    /* bytes */
#define GMC_FOUND_SECTORS 65536u /* of a launch; what loads read beyond them is not kept */
#define GMC_FOUND_INDICES 16384u /* of those, that only indices of constants are made of */

typedef struct gmc_found gmc_found;

/* NULL without memory. */
gmc_found *gmc_found_create(void);
void gmc_found_free(gmc_found *found); /* NULL is allowed */

/* A launch begins whose kernel has `count` instructions. deciding[i]: as of gmt_deciding_loads();
 * it must stay until the launch has ended. */
void gmc_found_begin(gmc_found *found, const uint8_t *deciding, uint32_t count);
/* A record of the launch; address: of its lanes, NULL where its shape says them. `shows`: it is of
 * a CTA that gmt_cta_shows() says. */
void gmc_found_record(gmc_found *found, const gmtrace_record *record,
                      const uint64_t address[GMTRACE_WARP_LANES], bool shows);
/* The same of a copy through a tensor map. */
void gmc_found_tensor(gmc_found *found, const gmtrace_record *record,
                      const uint64_t map[GMTRACE_TENSOR_WORDS]);

/* Copies device memory: how many bytes, fewer where an allocation ends, 0 where it cannot. */
typedef size_t (*gmc_found_copy)(void *to, uint64_t from, size_t size);

/* The launch has ended: fills known->range and range_count with what is left of what was read, as
 * far as it can be copied. Valid until the next launch begins. False, and none, without memory. */
bool gmc_found_memory(gmc_found *found, gmc_found_copy copy, gmtrace_known *known);

#endif
