/* SPDX-License-Identifier: MIT
 *
 * stream.c - chooses the reader of a kernel's trace by the file's name.
 */
#include "traces/import/stream.h"

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
