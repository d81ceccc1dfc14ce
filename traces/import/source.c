/* SPDX-License-Identifier: MIT
 *
 * source.c - reads plain, gzip, xz and Zstandard files in pieces. gzip and xz are unpacked by zlib
 * and liblzma where the build has them, else by the tools gzip and xz. Memory is bounded by the
 * decoders' windows, not by the file.
 */
#include "config.h" /* first: it asks for pipe2() */

#include "traces/import/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LIBLZMA
#include <lzma.h>
#endif

#define PIECE     ((size_t)256 << 10)
#define XZ_MEMORY ((uint64_t)512 << 20) /* the largest window accepted */
#define CUT_SHORT "the compressed file is cut short"
#define DAMAGED   "the compressed file is damaged"

typedef enum packing { PLAIN, GZIP, XZ, ZSTD_PACKED, TOOL } packing;

struct accel_source {
    packing packing;
    int fd;
    pid_t tool;
    const char *tool_name;
    bool ended;     /* nothing more to read from fd */
    bool mid_frame; /* the decoder expects more */
    char problem[160];
    size_t have, used; /* of piece */
    ZSTD_DStream *zstd;
#ifdef HAVE_ZLIB
    z_stream gzip;
#endif
#ifdef HAVE_LIBLZMA
    lzma_stream xz;
#endif
    uint8_t piece[PIECE];
};

static ssize_t read_fd(int fd, void *to, size_t size)
{
    ssize_t got;
    do
        got = read(fd, to, size);
    while (got < 0 && errno == EINTR);
    return got;
}

/* What the file begins with; the rest of `to` stays. */
static bool read_first(int fd, uint8_t *to, size_t size)
{
    ssize_t got = 1;
    for (size_t have = 0; have < size && got != 0; have += got > 0 ? (size_t)got : 0) {
        got = pread(fd, to + have, size - have, (off_t)have);
        if (got < 0 && errno != EINTR)
            return false;
    }
    return true;
}

static ssize_t system_problem(accel_source *source, const char **problem)
{
    snprintf(source->problem, sizeof source->problem, "%s", strerror(errno));
    *problem = source->problem;
    return -1;
}

/* ---------------------------------------------------------------------------------- the tools */

#if !defined HAVE_ZLIB || !defined HAVE_LIBLZMA
/* Puts the output of `name -dc` in the file's place. */
static bool start_tool(accel_source *source, const char *name)
{
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return false;
    source->tool = fork();
    if (source->tool == 0) {
        if (dup2(source->fd, STDIN_FILENO) >= 0 && dup2(pipes[1], STDOUT_FILENO) >= 0) {
            int null = open("/dev/null", O_WRONLY);
            if (null >= 0)
                dup2(null, STDERR_FILENO);
            execlp(name, name, "-dc", (char *)NULL);
        }
        _exit(127);
    }
    close(pipes[1]);
    close(source->fd);
    source->fd = pipes[0];
    source->packing = TOOL;
    source->tool_name = name;
    return source->tool > 0;
}
#endif

/* At the tool's end: did it succeed? */
static ssize_t finish_tool(accel_source *source, const char **problem)
{
    int status = 0;
    if (source->tool > 0 && waitpid(source->tool, &status, 0) < 0)
        return system_problem(source, problem);
    source->tool = 0;
    if (status == 0)
        return 0;
    snprintf(source->problem, sizeof source->problem,
             WIFEXITED(status) && WEXITSTATUS(status) == 127
                 ? "needs the tool %s to unpack it, which is not installed"
                 : "%s cannot unpack it: it is damaged or cut short",
             source->tool_name);
    *problem = source->problem;
    return -1;
}

/* ----------------------------------------------------------------------------------- decoders */

#ifdef HAVE_ZLIB
static size_t run_gzip(accel_source *s, void *to, size_t size, const char **problem)
{
    s->gzip.next_in = s->piece + s->used;
    s->gzip.avail_in = (uInt)(s->have - s->used);
    s->gzip.next_out = to;
    s->gzip.avail_out = (uInt)size;
    const int result = inflate(&s->gzip, Z_NO_FLUSH);
    s->used = s->have - s->gzip.avail_in;
    s->mid_frame = result != Z_STREAM_END;
    if (result == Z_STREAM_END) /* another member may follow */
        inflateReset(&s->gzip);
    else if (result != Z_OK && result != Z_BUF_ERROR)
        *problem = result == Z_MEM_ERROR ? "out of memory" : DAMAGED;
    return size - s->gzip.avail_out;
}
#endif

#ifdef HAVE_LIBLZMA
static size_t run_xz(accel_source *s, void *to, size_t size, const char **problem)
{
    s->xz.next_in = s->piece + s->used;
    s->xz.avail_in = s->have - s->used;
    s->xz.next_out = to;
    s->xz.avail_out = size;
    const lzma_ret result = lzma_code(&s->xz, s->ended ? LZMA_FINISH : LZMA_RUN);
    s->used = s->have - s->xz.avail_in;
    s->mid_frame = result != LZMA_STREAM_END;
    if (result == LZMA_MEMLIMIT_ERROR)
        *problem = "needs more than 512 MiB to unpack; compress it again with xz -6";
    else if (result == LZMA_MEM_ERROR)
        *problem = "out of memory";
    else if (result == LZMA_BUF_ERROR && s->ended)
        *problem = CUT_SHORT;
    else if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR)
        *problem = DAMAGED;
    return size - s->xz.avail_out;
}
#endif

static size_t run_zstd(accel_source *s, void *to, size_t size, const char **problem)
{
    ZSTD_inBuffer in = {s->piece, s->have, s->used};
    ZSTD_outBuffer out = {to, size, 0};
    const size_t result = ZSTD_decompressStream(s->zstd, &out, &in);
    s->used = in.pos;
    s->mid_frame = result != 0;
    if (ZSTD_isError(result))
        *problem =
            ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? "out of memory" : DAMAGED;
    return out.pos;
}

static size_t run_decoder(accel_source *source, void *to, size_t size, const char **problem)
{
    switch (source->packing) {
#ifdef HAVE_ZLIB
    case GZIP:
        return run_gzip(source, to, size, problem);
#endif
#ifdef HAVE_LIBLZMA
    case XZ:
        return run_xz(source, to, size, problem);
#endif
    default:
        return run_zstd(source, to, size, problem);
    }
}

static bool start_decoder(accel_source *source)
{
    switch (source->packing) {
    case GZIP:
#ifdef HAVE_ZLIB
        return inflateInit2(&source->gzip, 15 + 16) == Z_OK;
#else
        return start_tool(source, "gzip");
#endif
    case XZ:
#ifdef HAVE_LIBLZMA
        source->xz = (lzma_stream)LZMA_STREAM_INIT;
        return lzma_stream_decoder(&source->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
#else
        return start_tool(source, "xz");
#endif
    case ZSTD_PACKED:
        source->zstd = ZSTD_createDStream();
        return source->zstd != NULL;
    default:
        return true;
    }
}

/* ------------------------------------------------------------------------------------- public */

accel_source *accel_source_open(const char *path, accel_error *error)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        accel_fail(error, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    accel_source *source = S_ISREG(status.st_mode) ? malloc(sizeof *source) : NULL;
    if (!source) {
        accel_fail(error,
                   S_ISREG(status.st_mode) ? "%s: out of memory"
                                           : "%s: is no file; a trace is read twice, which a pipe "
                                             "or folder does not allow",
                   path);
        close(fd);
        return NULL;
    }
    memset(source, 0, offsetof(accel_source, piece));
    source->fd = fd;
    static const uint8_t gzip[] = {0x1f, 0x8b}, xz[] = {0xfd, '7', 'z', 'X', 'Z', 0},
                         zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    uint8_t magic[6] = {0};
    const bool readable = read_first(fd, magic, sizeof magic);
    if (memcmp(magic, gzip, sizeof gzip) == 0)
        source->packing = GZIP;
    else if (memcmp(magic, xz, sizeof xz) == 0)
        source->packing = XZ;
    else if (memcmp(magic, zstd, sizeof zstd) == 0)
        source->packing = ZSTD_PACKED;
    if (!readable || !start_decoder(source)) {
        accel_fail(error, "%s: %s", path, errno ? strerror(errno) : "cannot be read");
        accel_source_close(source);
        return NULL;
    }
    return source;
}

ssize_t accel_source_read(accel_source *source, void *to, size_t size, const char **problem)
{
    *problem = NULL;
    if (source->packing == PLAIN || source->packing == TOOL) {
        const ssize_t got = read_fd(source->fd, to, size);
        if (got < 0)
            return system_problem(source, problem);
        return got || source->packing == PLAIN ? got : finish_tool(source, problem);
    }
    for (;;) {
        if (source->used == source->have && !source->ended) {
            const ssize_t got = read_fd(source->fd, source->piece, PIECE);
            if (got < 0)
                return system_problem(source, problem);
            source->used = 0;
            source->have = (size_t)got;
            source->ended = got == 0;
        }
        const bool begun = source->mid_frame;
        if (source->ended && !begun)
            return 0;
        const size_t got = run_decoder(source, to, size, problem);
        if (*problem)
            return -1;
        if (got)
            return (ssize_t)got;
        if (source->ended && source->mid_frame) {
            *problem = CUT_SHORT;
            return -1;
        }
    }
}

void accel_source_close(accel_source *source)
{
    if (!source)
        return;
    close(source->fd);
    if (source->tool > 0) /* it ends by the closed pipe */
        waitpid(source->tool, NULL, 0);
    ZSTD_freeDStream(source->zstd);
#ifdef HAVE_ZLIB
    if (source->packing == GZIP)
        inflateEnd(&source->gzip);
#endif
#ifdef HAVE_LIBLZMA
    lzma_end(&source->xz);
#endif
    free(source);
}
