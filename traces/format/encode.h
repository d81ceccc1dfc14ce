/* SPDX-License-Identifier: MIT
 *
 * encode.h - records of many warps into the payload of one CHUNK. See encode.c.
 */
#ifndef GMTRACE_PRIVATE_ENCODE_H
#define GMTRACE_PRIVATE_ENCODE_H

#include "traces/format/predict.h"

typedef struct gmt_encoder {
    gmt_entry *entry; /* [0] is GMT_START */
    uint32_t entry_count, entry_capacity;
    uint32_t *head; /* first entry of each instruction; the last slot is GMTRACE_NO_INSTR's */
    uint32_t instr_count;
    gmt_context context;
    gmt_buffer segments, tokens, fields, pool, raw;
    uint32_t run;      /* fully predicted records not yet written as a token */
    uint32_t previous; /* entry of the segment's last record */
    uint64_t cta;
    uint32_t warp, count; /* of the last segment */
    uint32_t record_count, segment_count, offset_groups, full_groups;
    uint32_t ended_warps, ended_ctas;
    ZSTD_CCtx *pack;
} gmt_encoder;

bool gmt_encoder_init(gmt_encoder *encoder, int level);
void gmt_encoder_free(gmt_encoder *encoder);
/* Once a launch: the size of its kernel's instruction table. */
bool gmt_encoder_launch(gmt_encoder *encoder, uint32_t instr_count);

/* Segments come sorted by (cta, warp), each followed by its `count` records. `lanes` are the
 * record's offsets or addresses (its `lanes` index is not looked at) and must stay in place until
 * gmt_encoder_finish(). */
bool gmt_encoder_segment(gmt_encoder *encoder, uint64_t cta, uint32_t warp, uint32_t count,
                         bool last);
bool gmt_encoder_record(gmt_encoder *encoder, const gmtrace_record *record, const void *lanes);

/* Replaces `payload` by the chunk's bytes and starts the next chunk. Returns the section's flags
 * through *flags. */
bool gmt_encoder_finish(gmt_encoder *encoder, uint32_t launch, bool continues, gmt_buffer *payload,
                        uint32_t *flags);

#endif
