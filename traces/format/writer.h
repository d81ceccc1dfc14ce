/* SPDX-License-Identifier: MIT
 *
 * writer.h - a gmtrace_writer inside: what writer.c, which puts sections into the file, and
 * writer_records.c, which decides what records share a chunk, both hold.
 */
#ifndef GMTRACE_WRITER_H
#define GMTRACE_WRITER_H

#include "traces/format/encode.h"
#include "traces/format/known.h"
#include "traces/format/map.h"
#include "traces/format/origins.h"
#include "traces/format/pending.h"
#include "traces/format/repeats.h"
#include "traces/format/sink.h"
#include "traces/format/tensor.h"

typedef struct written_launch {
    uint64_t offset, end_offset, map_offset, chunks;
} written_launch;

struct gmtrace_writer {
    gmt_sink sink;
    gmtrace_error failure; /* the first one; nothing works after it */
    bool failed;
    gmtrace_detail detail;
    uint32_t unseen;
    uint32_t kernel_count, launch_count;
    gmt_buffer kernel_offsets, kernel_sizes; /* arrays: uint64_t, uint32_t instructions */
    gmt_buffer launches;                     /* array of written_launch */
    gmt_buffer lost;                         /* of LOST: launches and why */
    bool is_lost;                            /* the open launch is among them */
    gmt_origins origins;
    gmt_repeats repeats;
    gmt_known known;
    bool is_known;         /* what the open launch found is told */
    gmt_tensor_maps maps;  /* of the open launch */
    bool has_tensors;      /* some launch has such maps */
    bool open;             /* a launch is */
    gmtrace_launch launch; /* its sizes and totals so far */
    uint64_t ctas;
    uint32_t instr_count;
    gmt_pending pending;
    size_t limit, trigger; /* of pending bytes; the trigger backs off when little can be freed */
    gmt_cta *shared;       /* ended CTAs that wait for a common chunk */
    size_t shared_count;
    uint64_t shared_bytes;
    gmt_encoder encoder;
    gmt_map_builder map;
    gmt_buffer raw, payload, numbers, order;
    ZSTD_CCtx *pack;
    int level;
};

/* Fails for good with `failure`: false, and *error is set where it is not NULL. */
static inline bool gmt_writer_stop(gmtrace_writer *writer, const gmtrace_error *failure,
                                   gmtrace_error *error)
{
    writer->failed = true;
    writer->failure = *failure;
    if (error)
        *error = *failure;
    return false;
}

static inline bool gmt_writer_stop_memory(gmtrace_writer *writer, gmtrace_error *error)
{
    gmtrace_error failure;
    gmt_fail_memory(&failure);
    return gmt_writer_stop(writer, &failure, error);
}

/* For functions that may not go on after a failure, which *error then tells. */
static inline bool gmt_writer_usable(gmtrace_writer *writer, gmtrace_error *error)
{
    if (writer->failed && error)
        *error = writer->failure;
    return !writer->failed;
}

/* The caller's mistake; the writer goes on. False. */
static inline bool gmt_writer_usage(gmtrace_error *error, const char *problem)
{
    return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "%s", problem);
}

/* Ends the CTAs that are still open and writes all that waits, in order of their numbers, so that
 * equal input gives equal files. */
bool gmt_write_rest(gmtrace_writer *writer, gmtrace_error *error);

#endif
