/* SPDX-License-Identifier: MIT
 *
 * sink.h - the file a writer writes: beside its place under another name, renamed at the end.
 */
#ifndef GMTRACE_PRIVATE_SINK_H
#define GMTRACE_PRIVATE_SINK_H

#include "traces/format/internal.h"

typedef struct gmt_sink {
    int fd;
    char *path, *temporary;
    uint64_t offset; /* where the next byte goes */
    gmt_buffer buffer;
} gmt_sink;

bool gmt_sink_open(gmt_sink *sink, const char *path, gmtrace_error *error);
/* The same onto an open file, which may have no name: written from its start, never renamed. The
 * caller's descriptor stays open. */
bool gmt_sink_open_fd(gmt_sink *sink, int fd, gmtrace_error *error);
bool gmt_sink_write(gmt_sink *sink, const void *data, size_t size, gmtrace_error *error);
/* Overwrites bytes already written. */
bool gmt_sink_patch(gmt_sink *sink, uint64_t offset, const void *data, size_t size,
                    gmtrace_error *error);
/* Writes a section; *section tells where it went. */
bool gmt_sink_section(gmt_sink *sink, uint32_t type, uint32_t flags, const void *payload,
                      size_t size, gmt_section *section, gmtrace_error *error);
/* Keeps the file or removes it, and frees. */
bool gmt_sink_close(gmt_sink *sink, bool keep, gmtrace_error *error);

#endif
