/* SPDX-License-Identifier: MIT
 *
 * writer.c - gmtrace_writer: the sections of a file and their order.
 */
#include "traces/format/writer.h"

#include <stdlib.h>

#define DEFAULT_LEVEL 1
#define SMALL         128u /* bytes of a section not worth compressing */
#define DEFAULT_LIMIT ((size_t)192 << 20)

/* ------------------------------------------------------------------------------------ sections */

/* Writes writer->raw as a section, compressed where that is shorter. */
static bool put_section(gmtrace_writer *writer, uint32_t type, uint32_t flags, gmt_section *section,
                        gmtrace_error *error)
{
    const gmt_buffer *raw = &writer->raw;
    gmt_buffer *payload = &writer->payload;
    const size_t bound = ZSTD_compressBound(raw->size);
    payload->size = 0;
    if (raw->failed || !gmt_reserve(payload, bound + 8))
        return gmt_writer_stop_memory(writer, error);
    if (raw->size > GMT_MAX_RAW)
        return gmt_writer_usage(error, "a kernel, launch or index exceeds what a section can hold");
    gmt_put64(payload, raw->size);
    const size_t packed = ZSTD_compressCCtx(writer->pack, payload->data + 8, bound, raw->data,
                                            raw->size, writer->level);
    if (ZSTD_isError(packed)) /* there is room for whatever it makes, so it lacks memory */
        return gmt_writer_stop_memory(writer, error);
    gmtrace_error failure;
    bool done;
    if (raw->size >= SMALL && packed + 8 < raw->size)
        done = gmt_sink_section(&writer->sink, type, flags | GMT_FLAG_ZSTD, payload->data,
                                packed + 8, section, &failure);
    else
        done =
            gmt_sink_section(&writer->sink, type, flags, raw->data, raw->size, section, &failure);
    return done || gmt_writer_stop(writer, &failure, error);
}

/* Where sections are; 0 where there is none. */
typedef struct places {
    uint64_t index, lost, origins, repeats, known;
} places;

static void make_header(const gmtrace_writer *writer, const places *at, uint8_t *header)
{
    memset(header, 0, GMT_HEADER_SIZE);
    memcpy(header, GMT_MAGIC, GMT_MAGIC_SIZE);
    gmt_set16(header + GMT_HEADER_MAJOR, GMTRACE_FORMAT_MAJOR);
    const bool calls = writer->detail == GMTRACE_DETAIL_CALLS;
    gmt_set16(header + GMT_HEADER_MINOR, calls                 ? 6
                                         : at->known           ? 5
                                         : at->repeats         ? 4
                                         : writer->has_tensors ? 3
                                         : at->origins         ? 2
                                         : at->lost            ? 1
                                                               : 0); /* the least that tells all */
    gmt_set32(header + GMT_HEADER_NEED, writer->has_tensors ? GMT_NEED_TENSORS : 0);
    gmt_set32(header + GMT_HEADER_BYTES, GMT_HEADER_SIZE);
    gmt_set64(header + GMT_HEADER_INDEX, at->index);
    gmt_set32(header + GMT_HEADER_MAY, calls ? GMT_MAY_CALLS : 0);
    gmt_set32(header + GMT_HEADER_LEVEL, calls ? GMTRACE_DETAIL_MEMORY : writer->detail);
    gmt_set64(header + GMT_HEADER_LOST, at->lost);
    gmt_set64(header + GMT_HEADER_ORIGINS, at->origins);
    gmt_set64(header + GMT_HEADER_REPEATS, at->repeats);
    gmt_set64(header + GMT_HEADER_KNOWN, at->known);
    gmt_set64(header + GMT_HEADER_HASH, gmt_hash(header, GMT_HEADER_HASH, 0));
}

/* Onto `path`, or onto the open file `fd` where path is NULL. */
static gmtrace_writer *create(const char *path, int fd, const gmtrace_capture *capture,
                              const gmtrace_writer_options *options, gmtrace_error *error)
{
    const char *problem = gmt_check_capture(capture);
    if (problem) {
        gmt_writer_usage(error, problem);
        return NULL;
    }
    gmtrace_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        gmt_fail_memory(error);
        return NULL;
    }
    writer->sink.fd = -1;
    writer->detail = capture->detail;
    writer->unseen = capture->unseen;
    writer->level = options && options->level ? options->level : DEFAULT_LEVEL;
    writer->limit = options && options->pending_limit ? options->pending_limit : DEFAULT_LIMIT;
    writer->trigger = writer->limit;
    writer->pack = ZSTD_createCCtx();
    uint8_t header[GMT_HEADER_SIZE];
    make_header(writer, &(places){0}, header);
    gmt_section section;
    bool done = writer->pack && gmt_encoder_init(&writer->encoder, writer->level);
    if (!done)
        gmt_fail_memory(error);
    done = done &&
           (path ? gmt_sink_open(&writer->sink, path, error)
                 : gmt_sink_open_fd(&writer->sink, fd, error)) &&
           gmt_sink_write(&writer->sink, header, sizeof header, error);
    if (done) {
        gmt_put_capture(&writer->raw, capture);
        done = put_section(writer, GMT_CAPTURE, 0, &section, error);
    }
    if (!done) {
        gmtrace_writer_close(writer, false, NULL);
        return NULL;
    }
    gmt_clear(error);
    return writer;
}

gmtrace_writer *gmtrace_writer_create(const char *path, const gmtrace_capture *capture,
                                      const gmtrace_writer_options *options, gmtrace_error *error)
{
    return create(path, -1, capture, options, error);
}

gmtrace_writer *gmt_writer_create_fd(int fd, const gmtrace_capture *capture, gmtrace_error *error)
{
    return create(NULL, fd, capture, NULL, error);
}

bool gmtrace_writer_add_kernel(gmtrace_writer *writer, const gmtrace_kernel *kernel,
                               uint32_t *index, gmtrace_error *error)
{
    if (!gmt_writer_usable(writer, error))
        return false;
    const char *problem = gmt_check_kernel(kernel);
    if (problem)
        return gmt_writer_usage(error, problem);
    writer->raw.size = 0;
    gmt_put_kernel(&writer->raw, kernel);
    gmt_section section;
    if (!put_section(writer, GMT_KERNEL, 0, &section, error))
        return false;
    gmt_put(&writer->kernel_offsets, &section.offset, sizeof section.offset);
    gmt_put(&writer->kernel_sizes, &kernel->instr_count, sizeof kernel->instr_count);
    if (writer->kernel_offsets.failed || writer->kernel_sizes.failed)
        return gmt_writer_stop_memory(writer, error);
    *index = writer->kernel_count++;
    return true;
}

bool gmtrace_writer_begin_launch(gmtrace_writer *writer, const gmtrace_launch *launch,
                                 gmtrace_error *error)
{
    if (!gmt_writer_usable(writer, error))
        return false;
    if (writer->open)
        return gmt_writer_usage(error, "a launch begins before the last one ended");
    const char *problem = gmt_check_launch(launch, writer->kernel_count);
    if (problem)
        return gmt_writer_usage(error, problem);
    const uint32_t *sizes = (const uint32_t *)(const void *)writer->kernel_sizes.data;
    writer->launch = *launch;
    writer->launch.allocation = NULL;
    writer->launch.known = NULL;
    writer->launch.records = writer->launch.warps = writer->launch.ctas = 0;
    writer->ctas = gmt_launch_ctas(launch);
    writer->instr_count = sizes[launch->kernel];
    if (!gmt_pending_launch(&writer->pending, gmt_launch_warps(launch)) ||
        !gmt_encoder_launch(&writer->encoder, writer->instr_count))
        return gmt_writer_stop_memory(writer, error);
    writer->raw.size = 0;
    gmt_put_launch(&writer->raw, launch);
    gmt_section section;
    if (!put_section(writer, GMT_LAUNCH, 0, &section, error))
        return false;
    gmt_map_start(&writer->map, writer->sink.offset);
    const written_launch written = {.offset = section.offset};
    gmt_put(&writer->launches, &written, sizeof written);
    if (writer->launches.failed ||
        !gmt_origins_launch(&writer->origins, writer->launch_count, launch))
        return gmt_writer_stop_memory(writer, error);
    gmt_put(&writer->repeats.like, &writer->launch_count, sizeof writer->launch_count);
    if (writer->repeats.like.failed)
        return gmt_writer_stop_memory(writer, error);
    gmt_tensor_maps_clear(&writer->maps);
    writer->open = true;
    writer->is_lost = writer->is_known = false;
    writer->trigger = writer->limit;
    return true;
}

bool gmtrace_writer_lose(gmtrace_writer *writer, const char *why, gmtrace_error *error)
{
    if (!gmt_writer_usable(writer, error))
        return false;
    if (!writer->open)
        return gmt_writer_usage(error, "no launch is open that could lose records");
    const size_t length = strnlen(why, GMT_MAX_WHY);
    if (writer->is_lost)
        return true;
    gmt_put_varint(&writer->lost, writer->launch_count);
    gmt_put_varint(&writer->lost, length);
    gmt_put(&writer->lost, why, length);
    writer->is_lost = true;
    return !writer->lost.failed || gmt_writer_stop_memory(writer, error);
}

bool gmtrace_writer_know(gmtrace_writer *writer, const gmtrace_known *known, gmtrace_error *error)
{
    if (!gmt_writer_usable(writer, error))
        return false;
    if (!writer->open || writer->is_known)
        return gmt_writer_usage(error, "what a launch found is told where none is open, or again");
    const char *problem = gmt_check_known(known);
    if (problem)
        return gmt_writer_usage(error, problem);
    writer->is_known = true;
    return gmt_known_add(&writer->known, writer->launch_count, known) ||
           gmt_writer_stop_memory(writer, error);
}

bool gmtrace_writer_end_launch(gmtrace_writer *writer, gmtrace_error *error)
{
    if (!gmt_writer_usable(writer, error))
        return false;
    if (!writer->open)
        return gmt_writer_usage(error, "a launch ends that did not begin");
    if (!gmt_write_rest(writer, error))
        return false;

    written_launch *written =
        (written_launch *)(void *)writer->launches.data + writer->launch_count;
    gmt_section section;
    written->chunks = writer->map.chunks;
    writer->raw.size = 0;
    writer->launch.tensor_map_count = writer->maps.count;
    writer->has_tensors |= writer->maps.count != 0;
    gmt_put_launch_end(&writer->raw, writer->launch_count, &writer->launch, writer->map.chunks,
                       &writer->maps.words);
    if (!put_section(writer, GMT_LAUNCH_END, 0, &section, error))
        return false;
    written->end_offset = section.offset;
    writer->raw.size = 0;
    if (writer->map.body.failed)
        return gmt_writer_stop_memory(writer, error);
    gmt_map_finish(&writer->map, writer->launch_count, &writer->raw);
    if (!put_section(writer, GMT_MAP, 0, &section, error))
        return false;
    written->map_offset = section.offset;
    writer->open = false;
    writer->launch_count++;
    return true;
}

bool gmtrace_writer_like(gmtrace_writer *writer, uint32_t first, gmtrace_error *error)
{
    if (!gmt_writer_usable(writer, error))
        return false;
    uint32_t *like = (uint32_t *)(void *)writer->repeats.like.data;
    if (!writer->open || first >= writer->launch_count || like[first] != first)
        return gmt_writer_usage(error, "a launch is like one that is not the first of its kind");
    like[writer->launch_count] = first;
    return true;
}

bool gmtrace_writer_repeat(gmtrace_writer *writer, const gmtrace_repeat *repeat,
                           gmtrace_error *error)
{
    if (!gmt_writer_usable(writer, error))
        return false;
    gmt_buffer *all = &writer->repeats.repeat;
    const uint32_t *like = (const uint32_t *)(const void *)writer->repeats.like.data;
    const gmtrace_repeat *list = (const gmtrace_repeat *)(const void *)all->data;
    const size_t count = all->size / sizeof *list;
    if (repeat->launch >= writer->repeats.like.size / sizeof *like ||
        like[repeat->launch] != repeat->launch)
        return gmt_writer_usage(error, "a launch repeats one that is not the first of its kind");
    if (count && repeat->ordinal <= list[count - 1].ordinal)
        return gmt_writer_usage(error, "repeated launches are not in their order");
    const gmtrace_repeat copy = {.ordinal = repeat->ordinal, .launch = repeat->launch};
    gmt_put(all, &copy, sizeof copy);
    return !all->failed || gmt_writer_stop_memory(writer, error);
}

void gmtrace_writer_add_unseen(gmtrace_writer *writer, uint32_t unseen)
{
    writer->unseen |= unseen;
}

/* --------------------------------------------------------------------------------------- close */

/* What was put into the empty raw buffer, and it all could be, becomes a section; *offset: where it
 * is, 0 where there is nothing. The buffer is empty again. */
static bool put_optional(gmtrace_writer *writer, uint32_t type, bool put, uint64_t *offset,
                         gmtrace_error *error)
{
    gmt_section section;
    *offset = 0;
    if (!put)
        return gmt_writer_stop_memory(writer, error);
    if (!writer->raw.size)
        return true;
    *offset = writer->sink.offset;
    const bool done = put_section(writer, type, GMT_FLAG_OPTIONAL, &section, error);
    writer->raw.size = 0;
    return done;
}

static bool put_optionals(gmtrace_writer *writer, places *at, gmtrace_error *error)
{
    gmt_buffer *raw = &writer->raw;
    raw->size = 0;
    return put_optional(writer, GMT_ORIGINS,
                        gmt_put_origins(raw, &writer->origins, writer->launch_count), &at->origins,
                        error) &&
           put_optional(writer, GMT_REPEATS, gmt_put_repeats(raw, &writer->repeats), &at->repeats,
                        error) &&
           put_optional(writer, GMT_KNOWN, gmt_put_known(raw, &writer->known), &at->known, error);
}

static bool put_index(gmtrace_writer *writer, gmtrace_error *error)
{
    gmt_buffer *raw = &writer->raw;
    places at = {.lost = writer->lost.size ? writer->sink.offset : 0};
    gmt_section section;
    if (at.lost && !gmt_sink_section(&writer->sink, GMT_LOST, GMT_FLAG_OPTIONAL, writer->lost.data,
                                     writer->lost.size, &section, error))
        return false;
    if (!put_optionals(writer, &at, error))
        return false;
    gmt_put32(raw, writer->unseen);
    gmt_put_varint(raw, writer->kernel_count);
    const uint64_t *kernel = (const uint64_t *)(const void *)writer->kernel_offsets.data;
    for (uint32_t i = 0; i < writer->kernel_count; i++)
        gmt_put_varint(raw, kernel[i]);
    gmt_put_varint(raw, writer->launch_count);
    const written_launch *launch = (const written_launch *)(const void *)writer->launches.data;
    for (uint32_t i = 0; i < writer->launch_count; i++) {
        gmt_put_varint(raw, launch[i].offset);
        gmt_put_varint(raw, launch[i].end_offset);
        gmt_put_varint(raw, launch[i].map_offset);
        gmt_put_varint(raw, launch[i].chunks);
    }
    if (!put_section(writer, GMT_INDEX, 0, &section, error))
        return false;
    uint8_t footer[GMT_FOOTER_SIZE], header[GMT_HEADER_SIZE];
    memcpy(footer, GMT_FOOTER_MAGIC, GMT_MAGIC_SIZE);
    gmt_set64(footer + 8, section.offset);
    gmt_set64(footer + 16, writer->sink.offset + GMT_FOOTER_SIZE);
    gmt_set64(footer + 24, gmt_hash(footer, 24, 0));
    at.index = section.offset;
    make_header(writer, &at, header);
    return gmt_sink_write(&writer->sink, footer, sizeof footer, error) &&
           gmt_sink_patch(&writer->sink, 0, header, sizeof header, error);
}

bool gmtrace_writer_close(gmtrace_writer *writer, bool keep, gmtrace_error *error)
{
    if (!writer)
        return true;
    bool done = true;
    if (keep && !gmt_writer_usable(writer, error))
        done = false;
    else if (keep && writer->open)
        done = gmt_writer_usage(error, "the trace is closed inside a launch");
    else if (keep)
        done = put_index(writer, error);
    gmtrace_error ignored;
    if (!gmt_sink_close(&writer->sink, keep && done, done ? error : &ignored))
        done = false;
    for (gmt_cta *cta = writer->shared, *next; cta; cta = next) {
        next = cta->next;
        gmt_pending_recycle(&writer->pending, cta);
    }
    gmt_pending_free(&writer->pending);
    gmt_encoder_free(&writer->encoder);
    gmt_buffer_free(&writer->kernel_offsets);
    gmt_buffer_free(&writer->kernel_sizes);
    gmt_buffer_free(&writer->launches);
    gmt_buffer_free(&writer->lost);
    gmt_origins_free(&writer->origins);
    gmt_repeats_free(&writer->repeats);
    gmt_known_free(&writer->known);
    gmt_tensor_maps_free(&writer->maps);
    gmt_buffer_free(&writer->map.body);
    gmt_buffer_free(&writer->raw);
    gmt_buffer_free(&writer->payload);
    gmt_buffer_free(&writer->numbers);
    gmt_buffer_free(&writer->order);
    ZSTD_freeCCtx(writer->pack);
    free(writer);
    return done;
}
