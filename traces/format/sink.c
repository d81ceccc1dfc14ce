/* SPDX-License-Identifier: MIT
 *
 * sink.c - buffered writing to a file beside its place. Nobody ever sees half a trace under the
 * name that was asked for; after a crash the half lies under the temporary name and is readable.
 */
#include "traces/format/sink.h"

#include "traces/format/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE (256u << 10)

/* Partial files, for a signal handler; more at once than these stay. */
static _Atomic(char *) partial[16];

static void exchange(char *from, char *to)
{
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++) {
        char *expected = from;
        if (atomic_compare_exchange_strong(&partial[i], &expected, to))
            return;
    }
}

void gmtrace_writers_abandon(void)
{
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++) {
        const char *path = partial[i];
        if (path)
            unlink(path);
    }
}

static char *temporary_name(const char *path, unsigned attempt)
{
    const size_t size = strlen(path) + 40;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s.%ld-%u.part", path, (long)getpid(), attempt);
    return name;
}

/* No signal's handler sees the file before gmtrace_writers_abandon() knows it. */
static void create(gmt_sink *sink)
{
    sigset_t before;
    gmt_hold(&before);
    sink->fd = open(sink->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (sink->fd >= 0)
        exchange(NULL, sink->temporary);
    gmt_release(&before);
}

bool gmt_sink_open(gmt_sink *sink, const char *path, gmtrace_error *error)
{
    memset(sink, 0, sizeof *sink);
    sink->fd = -1;
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE,
                        "it exists and is no regular file; name another output");
    sink->path = strdup(path);
    if (!sink->path || !gmt_reserve(&sink->buffer, BUFFER_SIZE))
        return gmt_fail_memory(error);
    for (unsigned attempt = 0; attempt < 100 && sink->fd < 0; attempt++) {
        free(sink->temporary);
        sink->temporary = temporary_name(path, attempt);
        if (!sink->temporary)
            return gmt_fail_memory(error);
        create(sink);
        if (sink->fd < 0 && errno != EEXIST)
            break;
    }
    if (sink->fd < 0) {
        gmt_fail_errno(error, "cannot create");
        free(sink->temporary);
        sink->temporary = NULL;
        return false;
    }
    return true;
}

bool gmt_sink_open_fd(gmt_sink *sink, int fd, gmtrace_error *error)
{
    memset(sink, 0, sizeof *sink);
    sink->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (sink->fd < 0)
        return gmt_fail_errno(error, "cannot write");
    return gmt_reserve(&sink->buffer, BUFFER_SIZE) || gmt_fail_memory(error);
}

static bool write_at(gmt_sink *sink, uint64_t offset, const uint8_t *data, size_t size,
                     gmtrace_error *error)
{
    while (size) {
        ssize_t put = pwrite(sink->fd, data, size, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return gmt_fail_errno(error, "cannot write");
        data += put;
        offset += (uint64_t)put;
        size -= (size_t)put;
    }
    return true;
}

static bool flush(gmt_sink *sink, gmtrace_error *error)
{
    gmt_buffer *b = &sink->buffer;
    if (!write_at(sink, sink->offset - b->size, b->data, b->size, error))
        return false;
    b->size = 0;
    return true;
}

bool gmt_sink_write(gmt_sink *sink, const void *data, size_t size, gmtrace_error *error)
{
    gmt_buffer *b = &sink->buffer;
    if (b->size + size > BUFFER_SIZE && !flush(sink, error))
        return false;
    if (size > BUFFER_SIZE) {
        if (!write_at(sink, sink->offset, data, size, error))
            return false;
    } else {
        gmt_put(b, data, size);
    }
    sink->offset += size;
    return true;
}

bool gmt_sink_patch(gmt_sink *sink, uint64_t offset, const void *data, size_t size,
                    gmtrace_error *error)
{
    return flush(sink, error) && write_at(sink, offset, data, size, error);
}

bool gmt_sink_section(gmt_sink *sink, uint32_t type, uint32_t flags, const void *payload,
                      size_t size, gmt_section *section, gmtrace_error *error)
{
    *section = (gmt_section){.offset = sink->offset,
                             .length = size,
                             .hash = gmt_hash(payload, size, 0),
                             .type = type,
                             .flags = flags};
    uint8_t header[GMT_SECTION_SIZE];
    gmt_section_header(section, header);
    return gmt_sink_write(sink, header, sizeof header, error) &&
           gmt_sink_write(sink, payload, size, error);
}

bool gmt_sink_close(gmt_sink *sink, bool keep, gmtrace_error *error)
{
    bool done = true;
    if (sink->fd >= 0) {
        if (keep)
            done = flush(sink, error);
        if (close(sink->fd) != 0 && keep && done)
            done = gmt_fail_errno(error, "cannot write");
        if (keep && done && sink->temporary && rename(sink->temporary, sink->path) != 0)
            done = gmt_fail_errno(error, "cannot rename into place");
        if (sink->temporary && (!keep || !done))
            unlink(sink->temporary);
    }
    if (sink->temporary)
        exchange(sink->temporary, NULL);
    gmt_buffer_free(&sink->buffer);
    free(sink->temporary);
    free(sink->path);
    memset(sink, 0, sizeof *sink);
    sink->fd = -1;
    return done;
}
