/* SPDX-License-Identifier: MIT
 *
 * stream.h - one kernel's trace as a sequence of events: CTA, warp, instruction lines. Text files
 * and .tracez containers give the same events.
 */
#ifndef GMTRACE_ACCEL_STREAM_H
#define GMTRACE_ACCEL_STREAM_H

#include "traces/import/accel.h"

typedef enum accel_event {
    ACCEL_FAILED = 0,
    ACCEL_CTA,  /* cta and cluster_cta are set */
    ACCEL_WARP, /* warp is set */
    ACCEL_LINE, /* line and length are set: one instruction, ended by NUL */
    ACCEL_CTA_END,
    ACCEL_END,
} accel_event;

typedef struct accel_stream {
    const char *path;
    accel_header header;
    uint32_t cta[3];
    uint32_t cluster_cta[3]; /* place in the cluster, where the trace tells */
    bool clustered;
    uint32_t warp;
    char *line; /* the reader's own: valid until the next event */
    size_t length;
    accel_error *error;
    uint64_t number;         /* of the line in the file, or of the instruction in its warp */
    struct accel_text *text; /* private */
    struct accel_tracez *tracez;
} accel_stream;

/* Opens a kernel's trace and reads its header. Failures go to *error, here and later. */
bool accel_stream_open(accel_stream *stream, const char *path, accel_error *error);
accel_event accel_stream_next(accel_stream *stream);
void accel_stream_close(accel_stream *stream); /* allowed on one that is all zero */

/* header.c: "FILE:LINE: problem" for what the stream stands at; always false. */
bool accel_stream_fail(const accel_stream *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The two kinds of file; used by stream.c alone. */
bool accel_text_open(accel_stream *stream);
accel_event accel_text_next(accel_stream *stream);
void accel_text_close(struct accel_text *text);
bool accel_tracez_open(accel_stream *stream);
accel_event accel_tracez_next(accel_stream *stream);
void accel_tracez_close(struct accel_tracez *tracez);

#endif
