/* SPDX-License-Identifier: MIT
 *
 * decode.h - the payload of a CHUNK into records. See decode.c.
 */
#ifndef GMTRACE_PRIVATE_DECODE_H
#define GMTRACE_PRIVATE_DECODE_H

#include "traces/format/predict.h"

/* The twelve numbers before a chunk's streams. */
typedef struct gmt_chunk_head {
    uint32_t launch, flags, records, segments, offset_groups, full_groups, ctas, warps;
    uint32_t stream[4]; /* bytes of segments, tokens, fields, pool */
} gmt_chunk_head;

/* What a chunk's contents are checked against. */
typedef struct gmt_limits {
    uint64_t ctas;
    uint32_t warps; /* a CTA */
    uint32_t instr_count;
    uint32_t tensor_maps; /* the most there can be, of a launch that is cut short */
} gmt_limits;

/* One cursor's thread decodes it; others that have come to it wait until it is there. */
typedef enum gmt_held_state { GMT_HELD_COMES, GMT_HELD_THERE, GMT_HELD_DAMAGED } gmt_held_state;

/* A decoded chunk and its storage, which is recycled. */
typedef struct gmt_held {
    gmtrace_chunk chunk; /* first: the public pointer leads back here */
    gmt_chunk_head head;
    uint32_t references;
    uint32_t number;       /* in its launch */
    uint32_t unread;       /* segments in which no cursor has been */
    _Atomic uint8_t state; /* gmt_held_state */
    gmtrace_error damage;  /* why it cannot be decoded */
    struct gmt_held *next_free;
    struct gmt_held *newer, *older; /* of those that all cursors have left */
    void *storage;
    size_t capacity;
} gmt_held;

typedef struct gmt_decoder {
    gmt_entry *entry;
    uint32_t entry_count, entry_capacity;
    ZSTD_DCtx *unpack;
    gmt_buffer stored, raw;
    gmt_budget *budget;       /* of the whole reader */
    struct gmt_decoder *next; /* of those that nobody uses */
} gmt_decoder;

bool gmt_decoder_init(gmt_decoder *decoder, gmt_budget *budget);
void gmt_decoder_free(gmt_decoder *decoder);

bool gmt_chunk_head_parse(const uint8_t prefix[GMT_CHUNK_PREFIX], const gmt_section *section,
                          gmt_chunk_head *head, gmtrace_error *error);
/* held->head is set; `payload` is the section's, prefix included. Fills held->chunk. */
bool gmt_decode_chunk(gmt_decoder *decoder, const gmt_section *section, const uint8_t *payload,
                      const gmt_limits *limits, gmt_held *held, gmtrace_error *error);

#endif
