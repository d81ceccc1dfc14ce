/* SPDX-License-Identifier: MIT
 *
 * writer.c - gmtrace_writer: the order of sections in a file, and which records share a chunk.
 *
 * CTAs that end with few records share chunks. A larger one is cut into slices of time: each chunk
 * holds the next share of every warp's stream, because a replay advances the warps of a CTA
 * together and should have one of its chunks open, not one a warp.
 */
#include "traces/format/encode.h"
#include "traces/format/map.h"
#include "traces/format/origins.h"
#include "traces/format/pending.h"
#include "traces/format/repeats.h"
#include "traces/format/sink.h"
#include "traces/format/tensor.h"

#include <stdlib.h>

#define DEFAULT_LEVEL 1
#define SMALL         128u /* bytes of a section not worth compressing */
#define DEFAULT_LIMIT ((size_t)192 << 20)

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

static bool stop(gmtrace_writer *writer, const gmtrace_error *failure, gmtrace_error *error)
{
    writer->failed = true;
    writer->failure = *failure;
    if (error)
        *error = *failure;
    return false;
}

static bool stop_memory(gmtrace_writer *writer, gmtrace_error *error)
{
    gmtrace_error failure;
    gmt_fail_memory(&failure);
    return stop(writer, &failure, error);
}

/* For functions that may not go on after a failure. */
static bool usable(gmtrace_writer *writer, gmtrace_error *error)
{
    if (writer->failed && error)
        *error = writer->failure;
    return !writer->failed;
}

static bool usage(gmtrace_error *error, const char *problem)
{
    return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "%s", problem);
}

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
        return stop_memory(writer, error);
    if (raw->size > GMT_MAX_RAW)
        return usage(error, "a kernel, launch or index exceeds what a section can hold");
    gmt_put64(payload, raw->size);
    const size_t packed = ZSTD_compressCCtx(writer->pack, payload->data + 8, bound, raw->data,
                                            raw->size, writer->level);
    if (ZSTD_isError(packed)) /* there is room for whatever it makes, so it lacks memory */
        return stop_memory(writer, error);
    gmtrace_error failure;
    bool done;
    if (raw->size >= SMALL && packed + 8 < raw->size)
        done = gmt_sink_section(&writer->sink, type, flags | GMT_FLAG_ZSTD, payload->data,
                                packed + 8, section, &failure);
    else
        done =
            gmt_sink_section(&writer->sink, type, flags, raw->data, raw->size, section, &failure);
    return done || stop(writer, &failure, error);
}

/* Where sections are; 0 where there is none. */
typedef struct places {
    uint64_t index, lost, origins, repeats;
} places;

static void make_header(const gmtrace_writer *writer, const places *at, uint8_t *header)
{
    memset(header, 0, GMT_HEADER_SIZE);
    memcpy(header, GMT_MAGIC, GMT_MAGIC_SIZE);
    gmt_set16(header + GMT_HEADER_MAJOR, GMTRACE_FORMAT_MAJOR);
    gmt_set16(header + GMT_HEADER_MINOR, at->repeats           ? 4
                                         : writer->has_tensors ? 3
                                         : at->origins         ? 2
                                         : at->lost            ? 1
                                                               : 0); /* the least that tells all */
    gmt_set32(header + GMT_HEADER_NEED, writer->has_tensors ? GMT_NEED_TENSORS : 0);
    gmt_set32(header + GMT_HEADER_BYTES, GMT_HEADER_SIZE);
    gmt_set64(header + GMT_HEADER_INDEX, at->index);
    gmt_set32(header + GMT_HEADER_LEVEL, writer->detail);
    gmt_set64(header + GMT_HEADER_LOST, at->lost);
    gmt_set64(header + GMT_HEADER_ORIGINS, at->origins);
    gmt_set64(header + GMT_HEADER_REPEATS, at->repeats);
    gmt_set64(header + GMT_HEADER_HASH, gmt_hash(header, GMT_HEADER_HASH, 0));
}

/* Onto `path`, or onto the open file `fd` where path is NULL. */
static gmtrace_writer *create(const char *path, int fd, const gmtrace_capture *capture,
                              const gmtrace_writer_options *options, gmtrace_error *error)
{
    const char *problem = gmt_check_capture(capture);
    if (problem) {
        usage(error, problem);
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
    if (!usable(writer, error))
        return false;
    const char *problem = gmt_check_kernel(kernel);
    if (problem)
        return usage(error, problem);
    writer->raw.size = 0;
    gmt_put_kernel(&writer->raw, kernel);
    gmt_section section;
    if (!put_section(writer, GMT_KERNEL, 0, &section, error))
        return false;
    gmt_put(&writer->kernel_offsets, &section.offset, sizeof section.offset);
    gmt_put(&writer->kernel_sizes, &kernel->instr_count, sizeof kernel->instr_count);
    if (writer->kernel_offsets.failed || writer->kernel_sizes.failed)
        return stop_memory(writer, error);
    *index = writer->kernel_count++;
    return true;
}

bool gmtrace_writer_begin_launch(gmtrace_writer *writer, const gmtrace_launch *launch,
                                 gmtrace_error *error)
{
    if (!usable(writer, error))
        return false;
    if (writer->open)
        return usage(error, "a launch begins before the last one ended");
    const char *problem = gmt_check_launch(launch, writer->kernel_count);
    if (problem)
        return usage(error, problem);
    const uint32_t *sizes = (const uint32_t *)(const void *)writer->kernel_sizes.data;
    writer->launch = *launch;
    writer->launch.allocation = NULL;
    writer->launch.records = writer->launch.warps = writer->launch.ctas = 0;
    writer->ctas = gmt_launch_ctas(launch);
    writer->instr_count = sizes[launch->kernel];
    if (!gmt_pending_launch(&writer->pending, gmt_launch_warps(launch)) ||
        !gmt_encoder_launch(&writer->encoder, writer->instr_count))
        return stop_memory(writer, error);
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
        return stop_memory(writer, error);
    gmt_put(&writer->repeats.like, &writer->launch_count, sizeof writer->launch_count);
    if (writer->repeats.like.failed)
        return stop_memory(writer, error);
    gmt_tensor_maps_clear(&writer->maps);
    writer->open = true;
    writer->is_lost = false;
    writer->trigger = writer->limit;
    return true;
}

/* -------------------------------------------------------------------------------------- chunks */

/* Writes what the encoder holds; cta[] are its CTAs, ascending. */
static bool finish_chunk(gmtrace_writer *writer, bool continues, const uint64_t *cta,
                         size_t cta_count, gmtrace_error *error)
{
    uint32_t flags;
    const uint64_t records = writer->encoder.record_count;
    const uint64_t warps = writer->encoder.ended_warps;
    if (!gmt_encoder_finish(&writer->encoder, writer->launch_count, continues, &writer->payload,
                            &flags))
        return stop_memory(writer, error);
    gmt_section section;
    gmtrace_error failure;
    if (!gmt_sink_section(&writer->sink, GMT_CHUNK, flags, writer->payload.data,
                          writer->payload.size, &section, &failure))
        return stop(writer, &failure, error);
    gmt_map_add(&writer->map, section.offset, GMT_SECTION_SIZE + section.length, continues, cta,
                cta_count);
    writer->launch.records += records;
    writer->launch.warps += warps;
    writer->launch.ctas += continues ? 0 : cta_count;
    gmt_pending_release(&writer->pending);
    return true;
}

/* Moves the next `count` records of a warp into the encoder. */
static bool encode_warp(gmtrace_writer *writer, gmt_cta *cta, uint32_t warp, uint32_t count,
                        bool last)
{
    if (!gmt_encoder_segment(&writer->encoder, cta->number, warp, count, last))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const gmtrace_record *record = gmt_pending_take(&writer->pending, &cta->stream[warp]);
        if (!gmt_encoder_record(&writer->encoder, record, record + 1))
            return false;
        cta->decoded -= sizeof *record + gmt_lane_bytes(record);
    }
    return true;
}

/* Writes a CTA's records in slices of time. Before its end one record of each warp is kept back, so
 * that the warp's last segment, whenever it comes, has a record to mark. */
static bool write_cta(gmtrace_writer *writer, gmt_cta *cta, bool ended, gmtrace_error *error)
{
    const uint32_t warps = writer->pending.warps;
    const uint32_t kept = ended ? 0 : 1;
    const uint64_t parts = cta->decoded / GMT_CHUNK_TARGET + 1;
    uint32_t total[GMT_MAX_BLOCK / GMTRACE_WARP_LANES];
    for (uint32_t w = 0; w < warps; w++)
        total[w] = cta->stream[w].count ? cta->stream[w].count - kept : 0;
    for (uint64_t part = 0; part < parts; part++) {
        const bool last = ended && part == parts - 1;
        for (uint32_t w = 0; w < warps; w++) {
            const uint32_t count =
                (uint32_t)(total[w] * (part + 1) / parts) - (uint32_t)(total[w] * part / parts);
            if (count && !encode_warp(writer, cta, w, count, last))
                return stop_memory(writer, error);
        }
        if (!writer->encoder.record_count)
            continue;
        if (!finish_chunk(writer, !last, &cta->number, 1, error))
            return false;
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    const gmt_cta *const *left = a, *const *right = b;
    return ((*left)->number > (*right)->number) - ((*left)->number < (*right)->number);
}

/* Writes the ended CTAs that wait, in order of their numbers. */
static bool write_shared(gmtrace_writer *writer, gmtrace_error *error)
{
    if (!writer->shared_count)
        return true;
    writer->order.size = writer->numbers.size = 0;
    for (gmt_cta *cta = writer->shared; cta; cta = cta->next)
        gmt_put(&writer->order, &cta, sizeof(gmt_cta *));
    gmt_cta **order = (gmt_cta **)(void *)writer->order.data;
    if (writer->order.failed)
        return stop_memory(writer, error);
    qsort(order, writer->shared_count, sizeof *order, by_number);
    for (size_t i = 0; i < writer->shared_count; i++) {
        gmt_put64(&writer->numbers, 0);
        if (writer->numbers.failed)
            return stop_memory(writer, error);
        ((uint64_t *)(void *)writer->numbers.data)[i] = order[i]->number;
        for (uint32_t w = 0; w < writer->pending.warps; w++) {
            const uint32_t count = order[i]->stream[w].count;
            if (count && !encode_warp(writer, order[i], w, count, true))
                return stop_memory(writer, error);
        }
    }
    const bool done = finish_chunk(writer, false, (const uint64_t *)(void *)writer->numbers.data,
                                   writer->shared_count, error);
    for (size_t i = 0; i < writer->shared_count; i++)
        gmt_pending_recycle(&writer->pending, order[i]);
    writer->shared = NULL;
    writer->shared_count = 0;
    writer->shared_bytes = 0;
    return done;
}

/* Writes early: every open CTA at least half as large as the largest, in order of their numbers:
 * the table's own is another in each process. */
static bool relieve(gmtrace_writer *writer, gmtrace_error *error)
{
    if (!write_shared(writer, error))
        return false;
    const gmt_pending *pending = &writer->pending;
    uint64_t largest = 0;
    for (size_t i = 0; i < pending->table_size; i++)
        if (pending->table[i] && pending->table[i]->decoded > largest)
            largest = pending->table[i]->decoded;
    gmt_buffer *order = &writer->order;
    order->size = 0;
    for (size_t i = 0; i < pending->table_size; i++)
        if (pending->table[i] && pending->table[i]->decoded >= (largest + 1) / 2)
            gmt_put(order, &pending->table[i], sizeof(gmt_cta *));
    if (order->failed)
        return stop_memory(writer, error);
    gmt_cta **cta = (gmt_cta **)(void *)order->data;
    const size_t count = order->size / sizeof *cta;
    if (count)
        qsort(cta, count, sizeof *cta, by_number);
    for (size_t i = 0; i < count; i++)
        if (!write_cta(writer, cta[i], false, error))
            return false;
    const size_t left = gmt_pending_bytes(pending);
    writer->trigger = left + left / 4 > writer->limit ? left + left / 4 : writer->limit;
    return true;
}

/* ------------------------------------------------------------------------------------- records */

static const char *check_append(const gmtrace_writer *writer, uint64_t cta, uint32_t warp,
                                const gmtrace_record *record, const uint64_t *address)
{
    if (!writer->open)
        return "a record comes outside a launch";
    if (cta >= writer->ctas || warp >= writer->pending.warps)
        return "a record's CTA or warp is outside the launch";
    if (record->mask == 0)
        return "a record's mask is empty";
    const char *problem = gmt_check_record(record, writer->instr_count);
    if (problem)
        return problem;
    if (address)
        return record->kind == GMTRACE_ACCESS ? NULL : "lane addresses come with no access";
    if (record->kind == GMTRACE_TENSOR)
        return record->map >= writer->maps.count       ? "a tensor copy's map was not given before"
               : record->shape || record->log2_columns ? "a record without lanes has a shape"
                                                       : NULL;
    if (record->map)
        return "a record that is no tensor copy has a tensor map";
    if (record->shape > GMTRACE_GRID)
        return "a record's shape needs lane addresses";
    const bool grid = record->shape == GMTRACE_GRID;
    if (grid ? record->log2_columns < 1 || record->log2_columns > 4
             : record->log2_columns || record->stride2)
        return "a record's shape contradicts its columns or second stride";
    if (record->kind != GMTRACE_ACCESS && (grid || record->stride))
        return "a record without lanes has a shape";
    return NULL;
}

bool gmtrace_writer_tensor_map(gmtrace_writer *writer, const uint64_t map[GMTRACE_TENSOR_WORDS],
                               uint16_t *number, gmtrace_error *error)
{
    if (!usable(writer, error))
        return false;
    if (!writer->open)
        return usage(error, "a tensor map comes outside a launch");
    const uint32_t found = gmt_tensor_maps_number(&writer->maps, map);
    if (found == UINT32_MAX)
        return stop_memory(writer, error);
    if (found == GMT_MAX_MAPS)
        return usage(error, "the launch uses more than 65536 tensor maps");
    *number = (uint16_t)found;
    return true;
}

bool gmtrace_writer_append(gmtrace_writer *writer, uint64_t cta, uint32_t warp,
                           const gmtrace_record *record, const uint64_t *address,
                           gmtrace_error *error)
{
    if (!usable(writer, error))
        return false;
    const char *problem = check_append(writer, cta, warp, record, address);
    if (problem)
        return usage(error, problem);
    gmt_pending *pending = &writer->pending;
    gmt_cta *open = gmt_pending_find(pending, cta);
    if (!open) {
        if (gmt_pending_has_ended(pending, cta))
            return usage(error, "a record comes after the end of its CTA");
        open = gmt_pending_open(pending, cta);
    }
    gmtrace_record shaped = *record;
    uint64_t lanes[GMTRACE_WARP_LANES];
    const size_t lane_bytes = address ? gmt_pick_shape(&shaped, address, lanes) : 0;
    if (record->kind != GMTRACE_TENSOR)
        shaped.lanes = 0;
    gmtrace_record *kept = open ? gmt_pending_append(pending, open, warp, lane_bytes) : NULL;
    if (!kept)
        return stop_memory(writer, error);
    *kept = shaped;
    memcpy(kept + 1, lanes, lane_bytes);
    return gmt_pending_bytes(pending) < writer->trigger || relieve(writer, error);
}

static bool end_cta(gmtrace_writer *writer, gmt_cta *cta, gmtrace_error *error)
{
    if (!gmt_pending_end(&writer->pending, cta))
        return stop_memory(writer, error);
    bool done = true;
    if (cta->decoded > GMT_CHUNK_TARGET) {
        done = write_cta(writer, cta, true, error);
        gmt_pending_recycle(&writer->pending, cta);
        return done;
    }
    if (cta->decoded == 0) {
        gmt_pending_recycle(&writer->pending, cta);
        return true;
    }
    if (writer->shared_bytes + cta->decoded > GMT_CHUNK_TARGET)
        done = write_shared(writer, error);
    cta->next = writer->shared;
    writer->shared = cta;
    writer->shared_count++;
    writer->shared_bytes += cta->decoded;
    return done;
}

bool gmtrace_writer_end_cta(gmtrace_writer *writer, uint64_t cta, gmtrace_error *error)
{
    if (!usable(writer, error))
        return false;
    if (!writer->open || cta >= writer->ctas)
        return usage(error, "a CTA ends outside its launch");
    if (gmt_pending_has_ended(&writer->pending, cta))
        return usage(error, "a CTA ends twice");
    gmt_cta *open = gmt_pending_open(&writer->pending, cta);
    return open ? end_cta(writer, open, error) : stop_memory(writer, error);
}

bool gmtrace_writer_lose(gmtrace_writer *writer, const char *why, gmtrace_error *error)
{
    if (!usable(writer, error))
        return false;
    if (!writer->open)
        return usage(error, "no launch is open that could lose records");
    const size_t length = strnlen(why, GMT_MAX_WHY);
    if (writer->is_lost)
        return true;
    gmt_put_varint(&writer->lost, writer->launch_count);
    gmt_put_varint(&writer->lost, length);
    gmt_put(&writer->lost, why, length);
    writer->is_lost = true;
    return !writer->lost.failed || stop_memory(writer, error);
}

bool gmtrace_writer_end_launch(gmtrace_writer *writer, gmtrace_error *error)
{
    if (!usable(writer, error))
        return false;
    if (!writer->open)
        return usage(error, "a launch ends that did not begin");
    /* In order of their numbers, so that equal input gives equal files. */
    gmt_pending *pending = &writer->pending;
    gmt_buffer left = {0};
    for (size_t i = 0; i < pending->table_size; i++)
        if (pending->table[i])
            gmt_put(&left, &pending->table[i], sizeof(gmt_cta *));
    gmt_cta **cta = (gmt_cta **)(void *)left.data;
    const size_t count = left.size / sizeof *cta;
    bool done = !left.failed || stop_memory(writer, error);
    if (done && count)
        qsort(cta, count, sizeof *cta, by_number);
    for (size_t i = 0; i < count && done; i++)
        done = end_cta(writer, cta[i], error);
    gmt_buffer_free(&left);
    if (!done || !write_shared(writer, error))
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
        return stop_memory(writer, error);
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
    if (!usable(writer, error))
        return false;
    uint32_t *like = (uint32_t *)(void *)writer->repeats.like.data;
    if (!writer->open || first >= writer->launch_count || like[first] != first)
        return usage(error, "a launch is like one that is not the first of its kind");
    like[writer->launch_count] = first;
    return true;
}

bool gmtrace_writer_repeat(gmtrace_writer *writer, const gmtrace_repeat *repeat,
                           gmtrace_error *error)
{
    if (!usable(writer, error))
        return false;
    gmt_buffer *all = &writer->repeats.repeat;
    const uint32_t *like = (const uint32_t *)(const void *)writer->repeats.like.data;
    const gmtrace_repeat *list = (const gmtrace_repeat *)(const void *)all->data;
    const size_t count = all->size / sizeof *list;
    if (repeat->launch >= writer->repeats.like.size / sizeof *like ||
        like[repeat->launch] != repeat->launch)
        return usage(error, "a launch repeats one that is not the first of its kind");
    if (count && repeat->ordinal <= list[count - 1].ordinal)
        return usage(error, "repeated launches are not in their order");
    const gmtrace_repeat copy = {.ordinal = repeat->ordinal, .launch = repeat->launch};
    gmt_put(all, &copy, sizeof copy);
    return !all->failed || stop_memory(writer, error);
}

void gmtrace_writer_add_unseen(gmtrace_writer *writer, uint32_t unseen)
{
    writer->unseen |= unseen;
}

/* --------------------------------------------------------------------------------------- close */

/* *offset: where it is, 0 where nothing is known. */
static bool put_origins(gmtrace_writer *writer, uint64_t *offset, gmtrace_error *error)
{
    gmt_section section;
    *offset = 0;
    writer->raw.size = 0;
    if (!gmt_put_origins(&writer->raw, &writer->origins, writer->launch_count))
        return stop_memory(writer, error);
    if (!writer->raw.size)
        return true;
    *offset = writer->sink.offset;
    return put_section(writer, GMT_ORIGINS, GMT_FLAG_OPTIONAL, &section, error);
}

static bool put_repeats(gmtrace_writer *writer, uint64_t *offset, gmtrace_error *error)
{
    gmt_section section;
    *offset = 0;
    writer->raw.size = 0;
    if (!gmt_put_repeats(&writer->raw, &writer->repeats))
        return stop_memory(writer, error);
    if (!writer->raw.size)
        return true;
    *offset = writer->sink.offset;
    return put_section(writer, GMT_REPEATS, GMT_FLAG_OPTIONAL, &section, error);
}

static bool put_index(gmtrace_writer *writer, gmtrace_error *error)
{
    gmt_buffer *raw = &writer->raw;
    places at = {.lost = writer->lost.size ? writer->sink.offset : 0};
    gmt_section section;
    if (at.lost && !gmt_sink_section(&writer->sink, GMT_LOST, GMT_FLAG_OPTIONAL, writer->lost.data,
                                     writer->lost.size, &section, error))
        return false;
    if (!put_origins(writer, &at.origins, error) || !put_repeats(writer, &at.repeats, error))
        return false;
    raw->size = 0;
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
    if (keep && !usable(writer, error))
        done = false;
    else if (keep && writer->open)
        done = usage(error, "the trace is closed inside a launch");
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
