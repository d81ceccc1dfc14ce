/* SPDX-License-Identifier: MIT
 *
 * stream.c - chooses the reader of a kernel's trace by the file's name, and says where a failure
 * is.
 */
#include "traces/import/stream.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

bool accel_stream_open(accel_stream *stream, const char *path, accel_error *error)
{
    memset(stream, 0, sizeof *stream);
    stream->path = path;
    stream->error = error;
    const char *problem;
    if (ends_with(path, ".tracez") ? !accel_tracez_open(stream) : !accel_text_open(stream))
        return false;
    return accel_header_done(&stream->header, &problem) || accel_stream_fail(stream, "%s", problem);
}

accel_event accel_stream_next(accel_stream *stream)
{
    return stream->tracez ? accel_tracez_next(stream) : accel_text_next(stream);
}

void accel_stream_close(accel_stream *stream)
{
    accel_text_close(stream->text);
    accel_tracez_close(stream->tracez);
    memset(stream, 0, sizeof *stream);
}

bool accel_stream_fail(const accel_stream *stream, const char *format, ...)
{
    char problem[300];
    va_list list;
    va_start(list, format);
    vsnprintf(problem, sizeof problem, format, list);
    va_end(list);
    if (!stream->tracez)
        return accel_fail(stream->error, "%.250s:%" PRIu64 ": %s", stream->path, stream->number,
                          problem);
    return accel_fail(stream->error, "%.250s: CTA %u,%u,%u warp %u instruction %" PRIu64 ": %s",
                      stream->path, stream->cta[0], stream->cta[1], stream->cta[2], stream->warp,
                      stream->number, problem);
}
