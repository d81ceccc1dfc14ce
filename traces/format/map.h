/* SPDX-License-Identifier: MIT
 *
 * map.h - which chunks hold which CTAs of a launch. See map.c.
 */
#ifndef GMTRACE_PRIVATE_MAP_H
#define GMTRACE_PRIVATE_MAP_H

#include "traces/format/internal.h"

/* The bytes of a MAP section, built chunk by chunk. The writer stores them; verify builds them
 * again and compares. */
typedef struct gmt_map_builder {
    gmt_buffer body;
    uint64_t chunks;
    uint64_t end;        /* of the last chunk in the file */
    uint64_t launch_end; /* of the LAUNCH section: what the first chunk's place counts from */
} gmt_map_builder;

void gmt_map_start(gmt_map_builder *builder, uint64_t launch_end);
/* cta[] ascends. */
void gmt_map_add(gmt_map_builder *builder, uint64_t offset, uint64_t length, bool continues,
                 const uint64_t *cta, size_t cta_count);
void gmt_map_finish(const gmt_map_builder *builder, uint32_t launch, gmt_buffer *raw);

#define GMT_NO_CHUNK   UINT32_MAX
#define GMT_LOST_CHUNK (UINT32_MAX - 1) /* the CTA goes on, but the file was cut before */

/* Where a launch's chunks lie, and, once selected, which one each CTA begins in. */
typedef struct gmt_map {
    uint32_t launch; /* GMTRACE_UNKNOWN: nothing is loaded */
    uint32_t chunk_count;
    uint64_t *offset; /* of each chunk's section */
    uint32_t *length; /* section header and payload */
    uint32_t *next;   /* where the CTA of a continuing chunk goes on, or one of the above */
    /* CTA index. Dense: first[cta - base]. Sparse: a hash table, first[] beside number[]. */
    uint64_t base, span;
    uint32_t *first;
    uint64_t *number;   /* NULL where dense */
    uint32_t *tail;     /* while the index is built: last known chunk of the CTA that begins here */
    gmt_budget *budget; /* that `claimed` bytes of the index came out of */
    uint64_t claimed;
} gmt_map;

void gmt_map_init(gmt_map *map);
void gmt_map_clear(gmt_map *map);
bool gmt_map_add_chunk(gmt_map *map, uint64_t offset, uint64_t length);

/* Parses the chunks' places and, with `index`, the CTAs too. */
bool gmt_map_parse(const gmt_buffer *raw, uint64_t at, uint32_t launch, uint64_t launch_end,
                   uint64_t file_size, uint64_t ctas, bool index, gmt_budget *budget, gmt_map *map,
                   gmtrace_error *error);

/* The index by hand: begin with the smallest and largest CTA number and how many there are, put
 * each CTA of each chunk in file order, end. put returns what is wrong, or NULL. */
bool gmt_map_index_begin(gmt_map *map, uint64_t lowest, uint64_t highest, uint64_t count,
                         uint64_t at, gmt_budget *budget, gmtrace_error *error);
const char *gmt_map_index_put(gmt_map *map, uint64_t cta, uint32_t chunk, bool continues);
void gmt_map_index_end(gmt_map *map);
/* The CTAs there are, ascending; the caller frees *cta. False without memory. */
bool gmt_map_list(const gmt_map *map, uint64_t **cta, size_t *count);
/* The chunk a CTA begins in, or GMT_NO_CHUNK. */
uint32_t gmt_map_first(const gmt_map *map, uint64_t cta);

#endif
