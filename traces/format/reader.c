/* SPDX-License-Identifier: MIT
 *
 * reader.c - opens a trace: header, footer, index, then all metadata. The streams stay on disk.
 */
#include "traces/format/reader.h"

#include "traces/format/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------- opening */

/* A file without a name where temporary files go. */
static int temporary(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    const int length =
        snprintf(path, sizeof path, "%s/gmtrace-XXXXXX", folder && *folder ? folder : "/tmp");
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    sigset_t before;
    gmt_hold(&before);
    const int fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    gmt_release(&before);
    return fd;
}

static bool has_magic(const uint8_t *data, size_t size)
{
    return memcmp(data, GMT_MAGIC, size < GMT_MAGIC_SIZE ? size : GMT_MAGIC_SIZE) == 0;
}

static bool no_trace(gmtrace_error *error)
{
    return gmt_fail(error, GMTRACE_NOT_A_TRACE, GMT_NOWHERE,
                    "it is no gmsim trace; gmcapture makes one, and gmsim --run of a program");
}

/* Copies a pipe to a temporary file, because a trace is read out of order. What is no trace from
 * its first bytes on is not: it may have no end. */
static int spool(int from, gmtrace_error *error)
{
    const int fd = temporary();
    uint64_t seen = 0;
    if (fd < 0) {
        gmt_fail_errno(error, "cannot make a temporary file");
        return -1;
    }
    static const size_t size = 1u << 16;
    uint8_t magic[GMT_MAGIC_SIZE], *buffer = malloc(size);
    bool done = buffer || gmt_fail_memory(error);
    while (done) {
        ssize_t got = read(from, buffer, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            done = gmt_fail_errno(error, "cannot read");
        if (got <= 0)
            break;
        if (done && seen < GMT_MAGIC_SIZE) {
            memcpy(magic + seen, buffer,
                   (size_t)got < GMT_MAGIC_SIZE - seen ? (size_t)got : GMT_MAGIC_SIZE - seen);
            done = has_magic(magic, seen + (size_t)got) || no_trace(error);
        }
        seen += (uint64_t)got;
        for (ssize_t sent = 0; done && sent < got;) {
            ssize_t put = write(fd, buffer + sent, (size_t)(got - sent));
            if (put < 0 && errno != EINTR)
                done = gmt_fail_errno(error, "cannot write a temporary file");
            sent += put > 0 ? put : 0;
        }
    }
    free(buffer);
    if (!done) {
        close(fd);
        return -1;
    }
    return fd;
}

static int open_seekable(const char *path, gmtrace_error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    int fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        gmt_fail_errno(error, "cannot open");
        if (fd >= 0)
            close(fd);
        return -1;
    }
    if (S_ISREG(status.st_mode))
        return fd;
    int spooled = -1;
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        gmt_fail_errno(error, "cannot read");
    } else {
        spooled = spool(fd, error);
    }
    close(fd);
    return spooled;
}

/* Where they are, 0 where the file has none. */
typedef struct optional_sections {
    uint64_t lost, origins, repeats, known;
} optional_sections;

/* The header's layout never changes, so that old readers can tell "newer" from "damaged". */
static bool read_header(gmtrace_reader *reader, uint64_t *index, optional_sections *optional,
                        gmtrace_error *error)
{
    uint8_t header[GMT_HEADER_SIZE];
    const size_t size = reader->size < sizeof header ? (size_t)reader->size : sizeof header;
    if (!gmt_read_at(reader->fd, 0, header, size, error))
        return false;
    if (size == 0)
        return gmt_fail(error, GMTRACE_NOT_A_TRACE, 0, "it is empty; a trace was expected");
    if (!has_magic(header, size))
        return no_trace(error);
    if (size < sizeof header)
        return gmt_fail(error, GMTRACE_TRUNCATED, size,
                        "it ends at byte %zu, inside the header; capture it again", size);
    if (!gmt_hash_is(gmt_get64(header + GMT_HEADER_HASH), gmt_hash(header, GMT_HEADER_HASH, 0)))
        return gmt_fail(error, GMTRACE_CORRUPT, 0, "wrong checksum of the file header at byte 0");
    const unsigned major = gmt_get16(header + GMT_HEADER_MAJOR);
    const unsigned minor = gmt_get16(header + GMT_HEADER_MINOR);
    if (major != GMTRACE_FORMAT_MAJOR)
        return gmt_fail(error, GMTRACE_UNSUPPORTED, GMT_HEADER_MAJOR,
                        "format version %u.%u is %s than this program reads (%u.x); %s", major,
                        minor, major > GMTRACE_FORMAT_MAJOR ? "newer" : "older",
                        GMTRACE_FORMAT_MAJOR,
                        major > GMTRACE_FORMAT_MAJOR ? "update gmsim" : "capture it again");
    const uint32_t need = gmt_get32(header + GMT_HEADER_NEED);
    if (need & ~GMT_KNOWN_NEED)
        return gmt_fail(error, GMTRACE_UNSUPPORTED, GMT_HEADER_NEED,
                        "required flags 0x%x are from a newer version; update gmsim",
                        need & ~GMT_KNOWN_NEED);
    if (gmt_get32(header + GMT_HEADER_BYTES) != GMT_HEADER_SIZE)
        return gmt_fail(error, GMTRACE_CORRUPT, GMT_HEADER_BYTES,
                        "the file header has a wrong length at byte %u", GMT_HEADER_BYTES);
    *index = gmt_get64(header + GMT_HEADER_INDEX);
    *optional = (optional_sections){.lost = gmt_get64(header + GMT_HEADER_LOST),
                                    .origins = gmt_get64(header + GMT_HEADER_ORIGINS),
                                    .repeats = gmt_get64(header + GMT_HEADER_REPEATS),
                                    .known = gmt_get64(header + GMT_HEADER_KNOWN)};
    const uint32_t level = gmt_get32(header + GMT_HEADER_LEVEL);
    reader->capture.detail =
        level == GMTRACE_DETAIL_FULL                         ? GMTRACE_DETAIL_FULL
        : level != GMTRACE_DETAIL_MEMORY                     ? (gmtrace_detail)0 /* refused later */
        : gmt_get32(header + GMT_HEADER_MAY) & GMT_MAY_CALLS ? GMTRACE_DETAIL_CALLS
                                                             : GMTRACE_DETAIL_MEMORY;
    return true;
}

/* ------------------------------------------------------------------------------------ sections */

static bool read_capture(gmtrace_reader *reader, gmtrace_error *error)
{
    gmt_section section;
    if (!gmt_reader_section(reader, GMT_HEADER_SIZE, GMT_CAPTURE, &section, error))
        return false;
    return gmt_reader_payload(reader, &section, error) &&
           gmt_get_capture(&reader->raw, section.offset, &reader->capture, &reader->capture_storage,
                           error);
}

static bool bad_index(gmtrace_error *error, uint64_t offset)
{
    return gmt_fail(error, GMTRACE_CORRUPT, offset, "index at byte %llu: wrong contents",
                    (unsigned long long)offset);
}

static bool read_index(gmtrace_reader *reader, uint64_t offset, gmtrace_error *error)
{
    gmt_section section;
    if (!gmt_reader_section(reader, offset, GMT_INDEX, &section, error) ||
        !gmt_reader_payload(reader, &section, error))
        return false;
    /* The sections that it leads to reuse reader->raw. */
    gmt_buffer index = reader->raw;
    reader->raw = (gmt_buffer){0};
    gmt_view view = {.next = index.data, .end = index.data + index.size};
    reader->capture.unseen |= gmt_take32(&view);
    bool done = true;
    /* A writer names sections in the order of their places; so none is named twice. */
    uint64_t before = 0;
    const uint64_t kernels = gmt_take_varint(&view);
    for (uint64_t i = 0; i < kernels && done; i++) {
        const uint64_t at = gmt_take_varint(&view);
        done = ((!view.bad && at > before) || bad_index(error, offset)) &&
               gmt_reader_section(reader, at, GMT_KERNEL, &section, error) &&
               gmt_reader_add_kernel(reader, &section, error);
        before = at;
    }
    before = 0;
    const uint64_t launches = done ? gmt_take_varint(&view) : 0;
    for (uint64_t i = 0; i < launches && done; i++) {
        uint64_t at[4];
        for (unsigned k = 0; k < 4; k++)
            at[k] = gmt_take_varint(&view);
        if (view.bad || at[3] > reader->size / GMT_SECTION_SIZE || at[0] <= before ||
            at[1] <= at[0]) {
            done = bad_index(error, offset);
            break;
        }
        done = gmt_reader_section(reader, at[0], GMT_LAUNCH, &section, error) &&
               gmt_reader_add_launch(reader, &section, error);
        if (!done)
            break;
        before = at[1];
        gmt_read_launch *launch = &reader->launch[i];
        launch->chunk_count = at[3];
        launch->map_offset = at[2];
        reader->chunk_count += at[3];
        done = gmt_reader_section(reader, at[1], GMT_LAUNCH_END, &section, error) &&
               gmt_reader_end_launch(reader, (uint32_t)i, &section, error);
    }
    if (done && (view.bad || gmt_left(&view)))
        done = bad_index(error, offset);
    gmt_buffer_free(&index);
    reader->index_offset = offset;
    return done;
}

/* Which launches miss records that the capture could not take. */
static bool read_lost(gmtrace_reader *reader, uint64_t offset, gmtrace_error *error)
{
    gmt_section section;
    if (!gmt_reader_section(reader, offset, GMT_LOST, &section, error) ||
        !gmt_reader_payload(reader, &section, error))
        return false;
    gmt_view view = {.next = reader->raw.data, .end = reader->raw.data + reader->raw.size};
    while (gmt_left(&view)) {
        const uint64_t launch = gmt_take_varint(&view), length = gmt_take_varint(&view);
        const uint8_t *why = length <= GMT_MAX_WHY ? gmt_take(&view, (size_t)length) : NULL;
        if (view.bad || !why || launch >= reader->launch_count || memchr(why, 0, (size_t)length))
            return gmt_fail(error, GMTRACE_CORRUPT, offset,
                            "section of lost records at byte %llu: wrong contents",
                            (unsigned long long)offset);
        memcpy(reader->launch[launch].why, why, (size_t)length);
        reader->launch[launch].launch.complete = false;
    }
    for (uint32_t i = 0; i < reader->launch_count; i++)
        if (reader->launch[i].why[0])
            reader->launch[i].launch.lost = reader->launch[i].why;
    return true;
}

gmtrace_reader *gmtrace_open(const char *path, gmtrace_error *error)
{
    return gmtrace_open_with(path, NULL, error);
}

gmtrace_reader *gmtrace_open_with(const char *path, const gmtrace_reader_options *options,
                                  gmtrace_error *error)
{
    gmtrace_error local;
    if (!error)
        error = &local;
    gmt_clear(error);
    const int fd = open_seekable(path, error);
    return fd < 0 ? NULL : gmt_open_fd(fd, options, error);
}

/* Sums that are too large for 64 bits stay at the largest. */
static void count_claims(gmtrace_reader *reader)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < reader->launch_count; i++) {
        const gmtrace_launch *launch = &reader->launch[i].launch;
        uint64_t warps;
        if (__builtin_mul_overflow(gmt_launch_ctas(launch), gmt_launch_warps(launch), &warps))
            warps = UINT64_MAX;
        warps -= launch->warps < warps ? launch->warps : warps;
        warps = sum + warps < sum ? UINT64_MAX : sum + warps;
        sum = warps + reader->kernel[launch->kernel].kernel.instr_count;
        sum = sum < warps ? UINT64_MAX : sum;
        reader->launch[i].claims = sum;
    }
}

gmtrace_reader *gmt_open_fd(int fd, const gmtrace_reader_options *options, gmtrace_error *error)
{
    gmtrace_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        close(fd);
        gmt_fail_memory(error);
        return NULL;
    }
    gmt_map_init(&reader->selected);
    gmt_map_init(&reader->sequential);
    gmt_guard_leave(&reader->guard);
    reader->fd = fd;
    struct stat status;
    uint64_t index = 0, footer_index = 0;
    optional_sections optional = {0};
    bool done = fstat(fd, &status) == 0 || gmt_fail_errno(error, "cannot open");
    if (done) {
        reader->size = (uint64_t)status.st_size;
        done = gmt_decoder_init(&reader->decoder, &reader->budget) || gmt_fail_memory(error);
        reader->idle_decoder = &reader->decoder;
        reader->budget.limit =
            options && options->memory_limit ? options->memory_limit : GMTRACE_DEFAULT_MEMORY_LIMIT;
    }
    done = done && read_header(reader, &index, &optional, error) && read_capture(reader, error);
    if (done) {
        const uint64_t end = reader->size - GMT_FOOTER_SIZE; /* there is more than a header */
        const int footer = gmt_reader_footer(reader, end, &footer_index, error);
        if (footer < 0)
            done = false;
        else if (footer && index && index != footer_index)
            done = gmt_fail(error, GMTRACE_CORRUPT, end,
                            "header and footer disagree on the index's place");
        else
            done =
                footer ? read_index(reader, footer_index, error) : gmt_reader_walk(reader, error);
        done = done && (!optional.lost || read_lost(reader, optional.lost, error)) &&
               (!optional.origins || gmt_reader_origins(reader, optional.origins, error)) &&
               (!optional.repeats || gmt_reader_repeats(reader, optional.repeats, error)) &&
               (!optional.known || gmt_reader_known(reader, optional.known, error));
    }
    if (!done) {
        gmtrace_close(reader);
        return NULL;
    }
    gmt_reader_all_captured(reader);
    count_claims(reader);
    return reader;
}

void gmtrace_close(gmtrace_reader *reader)
{
    if (!reader)
        return;
    gmt_reader_release_all(reader);
    for (gmt_held *held = reader->free_held, *next; held; held = next) {
        next = held->next_free;
        free(held->storage);
        free(held);
    }
    for (uint32_t i = 0; i < reader->kernel_count; i++)
        free(reader->kernel[i].storage);
    for (uint32_t i = 0; i < reader->launch_count; i++) {
        free(reader->launch[i].storage);
        free(reader->launch[i].maps);
        gmt_map_clear(&reader->launch[i].walked);
    }
    free(reader->kernel);
    free(reader->launch);
    free(reader->capture_storage);
    free(reader->origin_storage);
    free(reader->known_storage);
    free(reader->repeat);
    gmt_map_clear(&reader->selected);
    gmt_map_clear(&reader->sequential);
    for (gmt_decoder *decoder = reader->idle_decoder, *next; decoder; decoder = next) {
        next = decoder->next;
        gmt_decoder_free(decoder);
        if (decoder != &reader->decoder)
            free(decoder);
    }
    gmt_buffer_free(&reader->scratch);
    gmt_buffer_free(&reader->raw);
    if (reader->fd >= 0)
        close(reader->fd);
    free(reader);
}

/* What any file may claim. Under sanitizers and libFuzzer 2^24 warps without records take 15 s. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define FREE_CLAIMS (1u << 20)
#else
#define FREE_CLAIMS (1u << 24)
#endif

bool gmtrace_check_claims(const gmtrace_reader *reader, uint32_t launch, gmtrace_error *error)
{
    const uint64_t most = FREE_CLAIMS + ((uint64_t)launch << 16) + 4 * reader->size;
    gmt_clear(error);
    if (launch >= reader->launch_count)
        return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "there is no launch %u", launch);
    if (reader->launch[launch].claims <= most || reader->budget.limit == UINT64_MAX)
        return true;
    return gmt_fail(error, GMTRACE_MEMORY, reader->launch[launch].offset,
                    "launch %u brings warps without records, and code, to %llu, and a file of this "
                    "size may claim %llu; if you trust it, give --limit-memory none",
                    launch, (unsigned long long)reader->launch[launch].claims,
                    (unsigned long long)most);
}

/* ------------------------------------------------------------------------------------- getters */

const gmtrace_error *gmtrace_damage(const gmtrace_reader *reader)
{
    return reader->damaged ? &reader->damage : NULL;
}

const gmtrace_capture *gmtrace_get_capture(const gmtrace_reader *reader)
{
    return &reader->capture;
}

uint32_t gmtrace_kernel_count(const gmtrace_reader *reader)
{
    return reader->kernel_count;
}

const gmtrace_kernel *gmtrace_get_kernel(const gmtrace_reader *reader, uint32_t kernel)
{
    return kernel < reader->kernel_count ? &reader->kernel[kernel].kernel : NULL;
}

uint32_t gmtrace_launch_count(const gmtrace_reader *reader)
{
    return reader->launch_count;
}

const gmtrace_launch *gmtrace_get_launch(const gmtrace_reader *reader, uint32_t launch)
{
    return launch < reader->launch_count ? &reader->launch[launch].launch : NULL;
}

uint64_t gmtrace_file_size(const gmtrace_reader *reader)
{
    return reader->size;
}

uint64_t gmtrace_chunk_count(const gmtrace_reader *reader)
{
    return reader->chunk_count;
}
