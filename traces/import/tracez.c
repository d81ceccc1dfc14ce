/* SPDX-License-Identifier: MIT
 *
 * tracez.c - reads .tracez files, the container of Accel-Sim 2: text header, Zstandard dictionary,
 * compressed pieces of each warp's instruction lines, and at the end an index that says where they
 * are. The index is followed as it stands; one piece is unpacked at a time.
 */
#include "traces/import/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#define MAX_HEADER     ((size_t)64 << 10)
#define MAX_DICTIONARY ((uint32_t)64 << 20)
#define MAX_PIECE      ((uint64_t)64 << 20) /* unpacked */
#define INDEX_WINDOW   ((size_t)64 << 10)

typedef struct accel_tracez {
    int fd;
    uint64_t size;
    ZSTD_DCtx *unpack;
    uint8_t window[INDEX_WINDOW]; /* of the index */
    uint64_t window_start, at, index_end;
    size_t window_size;
    uint32_t ctas_left, warps_left;
    bool in_cta;
    uint64_t seen_warps;
    uint32_t pieces_left, piece_lines; /* of the warp; lines that are left of the piece */
    uint64_t data_at, warp_lines;      /* next piece; lines that are left of the warp */
    uint8_t *packed;
    size_t packed_size;
    char *plain, *next;
    size_t plain_size, plain_have;
} accel_tracez;

static uint32_t get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool fail(const accel_stream *stream, const char *problem)
{
    return accel_stream_fail(stream, "%s", problem);
}

/* Bytes of the file, all of them or a failure. */
static bool read_at(const accel_stream *stream, uint64_t offset, void *to, size_t size)
{
    const accel_tracez *z = stream->tracez;
    if (offset > z->size || size > z->size - offset)
        return fail(stream, "points behind the end of the file; it is damaged or cut short");
    for (uint8_t *at = to; size;) {
        const ssize_t got = pread(z->fd, at, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail(stream,
                        got ? strerror(errno) : "the file became shorter while it was read");
        at += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

static bool index_read(accel_stream *stream, void *to, size_t size)
{
    accel_tracez *z = stream->tracez;
    if (size > z->index_end - z->at)
        return fail(stream, "the index ends early; the file is damaged");
    if (z->at < z->window_start || z->at + size > z->window_start + z->window_size) {
        const uint64_t left = z->index_end - z->at;
        z->window_start = z->at;
        z->window_size = left < INDEX_WINDOW ? (size_t)left : INDEX_WINDOW;
        if (!read_at(stream, z->at, z->window, z->window_size))
            return false;
    }
    memcpy(to, z->window + (z->at - z->window_start), size);
    z->at += size;
    return true;
}

static bool index_u32(accel_stream *stream, uint32_t *value)
{
    uint8_t bytes[4];
    if (!index_read(stream, bytes, sizeof bytes))
        return false;
    *value = get32(bytes);
    return true;
}

static bool grow(void **buffer, size_t *size, size_t wanted)
{
    if (wanted <= *size)
        return true;
    void *larger = realloc(*buffer, wanted);
    if (!larger)
        return false;
    *buffer = larger;
    *size = wanted;
    return true;
}

/* ------------------------------------------------------------------------------------ the data */

/* Unpacks the warp's next piece. */
static bool next_piece(accel_stream *stream)
{
    accel_tracez *z = stream->tracez;
    uint8_t length[4];
    if (!index_u32(stream, &z->piece_lines) || !read_at(stream, z->data_at, length, sizeof length))
        return false;
    const uint32_t packed = get32(length);
    z->data_at += 4;
    if (packed > z->size - z->data_at || packed > MAX_PIECE)
        return fail(stream, "a piece is longer than the file or 64 MiB; it is damaged");
    if (!grow((void **)&z->packed, &z->packed_size, packed))
        return fail(stream, "out of memory");
    if (!read_at(stream, z->data_at, z->packed, packed))
        return false;
    z->data_at += packed;
    const unsigned long long plain = ZSTD_getFrameContentSize(z->packed, packed);
    if (plain == ZSTD_CONTENTSIZE_ERROR || plain == ZSTD_CONTENTSIZE_UNKNOWN || plain > MAX_PIECE)
        return fail(stream, "a piece does not tell its size, or more than 64 MiB");
    if (!grow((void **)&z->plain, &z->plain_size, (size_t)plain + 1))
        return fail(stream, "out of memory");
    const size_t got = ZSTD_decompressDCtx(z->unpack, z->plain, (size_t)plain, z->packed, packed);
    if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        return fail(stream, "out of memory");
    if (ZSTD_isError(got) || got != plain)
        return fail(stream, "a piece cannot be unpacked; the file is damaged");
    z->plain[got] = '\0';
    z->plain_have = got;
    z->next = z->plain;
    z->pieces_left--;
    return true;
}

static accel_event next_line(accel_stream *stream)
{
    accel_tracez *z = stream->tracez;
    while (z->piece_lines == 0)
        if (!z->pieces_left) {
            fail(stream, "the warp has fewer instructions than the index says");
            return ACCEL_FAILED;
        } else if (!next_piece(stream)) {
            return ACCEL_FAILED;
        }
    stream->number++;
    const char *limit = z->plain + z->plain_have;
    char *start = z->next;
    while (start < limit && (*start == '\n' || *start == '\r'))
        start++;
    if (start == limit) {
        fail(stream, "a piece has fewer lines than the index says");
        return ACCEL_FAILED;
    }
    char *end = memchr(start, '\n', (size_t)(limit - start));
    end = end ? end : z->plain + z->plain_have;
    z->next = end < limit ? end + 1 : end;
    end -= end > start && end[-1] == '\r';
    *end = '\0';
    stream->line = start;
    stream->length = (size_t)(end - start);
    z->piece_lines--;
    z->warp_lines--;
    return ACCEL_LINE;
}

static accel_event next_warp(accel_stream *stream)
{
    accel_tracez *z = stream->tracez;
    const accel_header *h = &stream->header;
    uint8_t entry[16], head[8];
    if (!index_read(stream, entry, sizeof entry))
        return ACCEL_FAILED;
    z->warp_lines = get32(entry);
    z->pieces_left = get32(entry + 4);
    z->data_at = get32(entry + 8) | (uint64_t)get32(entry + 12) << 32;
    z->piece_lines = 0;
    stream->warp = (uint32_t)__builtin_popcountll(z->seen_warps);
    stream->number = 0;
    if (stream->warp >= (h->block[0] * h->block[1] * h->block[2] + 31) / 32) {
        fail(stream, "the block has fewer warps");
        return ACCEL_FAILED;
    }
    z->seen_warps |= 1ull << stream->warp;
    z->warps_left--;
    if (z->pieces_left || z->warp_lines) { /* its own head says the same */
        if (!read_at(stream, z->data_at, head, sizeof head))
            return ACCEL_FAILED;
        if (get32(head) != z->warp_lines || get32(head + 4) != z->pieces_left) {
            fail(stream, "the warp contradicts the index; the file is damaged");
            return ACCEL_FAILED;
        }
        z->data_at += sizeof head;
    }
    return ACCEL_WARP;
}

accel_event accel_tracez_next(accel_stream *stream)
{
    accel_tracez *z = stream->tracez;
    if (z->warp_lines)
        return next_line(stream);
    if (z->in_cta) {
        if (z->piece_lines) {
            fail(stream, "a piece has more lines than its warp; the file is damaged");
            return ACCEL_FAILED;
        }
        /* pieces without lines still have their entry in the index */
        for (uint32_t lines; z->pieces_left; z->pieces_left--)
            if (!index_u32(stream, &lines))
                return ACCEL_FAILED;
        if (z->warps_left)
            return next_warp(stream);
        z->in_cta = false;
        return ACCEL_CTA_END;
    }
    if (!z->ctas_left)
        return ACCEL_END;
    uint32_t field[11];
    for (unsigned i = 0; i < 11; i++)
        if (!index_u32(stream, &field[i]))
            return ACCEL_FAILED;
    memcpy(stream->cta, field, sizeof stream->cta);
    memcpy(stream->cluster_cta, field + 6, sizeof stream->cluster_cta);
    stream->clustered = true;
    stream->warp = 0;
    z->warps_left = field[10];
    z->seen_warps = 0;
    z->in_cta = true;
    z->ctas_left--;
    return ACCEL_CTA;
}

/* ------------------------------------------------------------------------------ open and close */

/* Reads the header and returns where it ends, 0 on failure. */
static uint64_t read_header(accel_stream *stream)
{
    accel_tracez *z = stream->tracez;
    const size_t size = z->size < MAX_HEADER ? (size_t)z->size : MAX_HEADER;
    uint64_t end = 0;
    char *text = malloc(size + 1);
    if (!text || !read_at(stream, 0, text, size)) {
        if (!text)
            fail(stream, "out of memory");
        free(text);
        return 0;
    }
    const char *stop = memchr(text, '\0', size);
    if (!stop) {
        free(text);
        fail(stream, "has no end of its header; is it a .tracez file?");
        return 0;
    }
    end = (uint64_t)(stop - text) + 1;
    const char *problem = NULL;
    char *rest;
    for (char *line = strtok_r(text, "\r\n", &rest); line && !problem;
         line = strtok_r(NULL, "\r\n", &rest))
        if (line[0] == '-')
            accel_header_line(&stream->header, line, &problem);
    free(text);
    if (problem) {
        fail(stream, problem);
        return 0;
    }
    return end;
}

static bool read_dictionary(accel_stream *stream, uint64_t at)
{
    accel_tracez *z = stream->tracez;
    uint8_t head[8];
    if (!read_at(stream, at, head, sizeof head))
        return false;
    const uint32_t size = get32(head);
    if (!size)
        return true;
    if (size > MAX_DICTIONARY)
        return fail(stream, "a dictionary of more than 64 MiB; the file is damaged");
    void *dictionary = malloc(size);
    if (!dictionary)
        return fail(stream, "out of memory");
    bool done = read_at(stream, at + sizeof head, dictionary, size);
    if (done) {
        const size_t result = ZSTD_DCtx_loadDictionary(z->unpack, dictionary, size);
        if (ZSTD_isError(result))
            done = fail(stream, ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation
                                    ? "out of memory"
                                    : "cannot use the dictionary");
    }
    free(dictionary);
    return done;
}

bool accel_tracez_open(accel_stream *stream)
{
    accel_tracez *z = calloc(1, sizeof *z);
    if (!z)
        return accel_fail(stream->error, "%s: out of memory", stream->path);
    stream->tracez = z;
    stream->error->text[0] = '\0';
    struct stat status;
    z->fd = open(stream->path, O_RDONLY | O_CLOEXEC);
    if (z->fd < 0 || fstat(z->fd, &status) != 0 || !S_ISREG(status.st_mode))
        return accel_fail(stream->error, "%s: %s", stream->path,
                          z->fd < 0 ? strerror(errno) : "is no file");
    z->size = (uint64_t)status.st_size;
    z->unpack = ZSTD_createDCtx();
    if (!z->unpack)
        return accel_fail(stream->error, "%s: out of memory", stream->path);
    const uint64_t data = read_header(stream);
    uint8_t footer[8];
    if (!data || !read_dictionary(stream, data))
        return false;
    if (z->size < data + 8 + sizeof footer)
        return fail(stream, "ends before its index; it is cut short");
    if (!read_at(stream, z->size - sizeof footer, footer, sizeof footer))
        return false;
    z->index_end = z->size - sizeof footer;
    z->at = get32(footer) | (uint64_t)get32(footer + 4) << 32;
    if (z->at < data || z->at > z->index_end)
        return fail(stream, "the offset of its index is outside the file; it is damaged or cut "
                            "short");
    return index_u32(stream, &z->ctas_left);
}

void accel_tracez_close(accel_tracez *tracez)
{
    if (!tracez)
        return;
    if (tracez->fd >= 0)
        close(tracez->fd);
    ZSTD_freeDCtx(tracez->unpack);
    free(tracez->packed);
    free(tracez->plain);
    free(tracez);
}
