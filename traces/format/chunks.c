/* SPDX-License-Identifier: MIT
 *
 * chunks.c - decoded chunks of a reader: one at a time for tools, shared by cursors for replay.
 * Storage of a chunk nobody stands in goes to a free list and is used again.
 */
#include "traces/format/reader.h"

gmt_held *gmt_reader_hold(gmtrace_reader *reader, gmtrace_error *error)
{
    gmt_held *held = reader->free_held;
    if (held) {
        reader->free_held = held->next_free;
        return held;
    }
    held = calloc(1, sizeof *held);
    if (!held)
        gmt_fail_memory(error);
    return held;
}

void gmt_reader_drop(gmtrace_reader *reader, gmt_held *held)
{
    held->references = 0;
    held->newer = held->older = NULL;
    held->next_free = reader->free_held;
    reader->free_held = held;
}

bool gmt_reader_decode(gmtrace_reader *reader, uint64_t offset, uint64_t length, uint32_t launch,
                       gmt_held *held, gmtrace_error *error)
{
    gmt_buffer *stored = &reader->decoder.stored;
    stored->size = 0;
    stored->failed = false;
    if (length < GMT_SECTION_SIZE + GMT_CHUNK_PREFIX || length > GMT_MAX_CHUNK_RAW)
        return gmt_fail(error, GMTRACE_CORRUPT, offset, "chunk at byte %llu: impossible length",
                        (unsigned long long)offset);
    if (!gmt_reserve(stored, (size_t)length))
        return gmt_fail_memory(error);
    gmt_section section;
    if (!gmt_read_at(reader->fd, offset, stored->data, (size_t)length, error) ||
        !gmt_section_parse(stored->data, reader->size, offset, &section, error))
        return false;
    const uint8_t *payload = stored->data + GMT_SECTION_SIZE;
    if (section.type != GMT_CHUNK || section.length != length - GMT_SECTION_SIZE)
        return gmt_fail(error, GMTRACE_CORRUPT, offset,
                        "no chunk of the expected length at byte %llu", (unsigned long long)offset);
    if (!gmt_hash_is(section.hash, gmt_hash(payload, (size_t)section.length, 0)))
        return gmt_fail(error, GMTRACE_CORRUPT, offset, "wrong checksum of the chunk at byte %llu",
                        (unsigned long long)offset);
    if (!gmt_chunk_head_parse(payload, &section, &held->head, error))
        return false;
    if (held->head.launch != launch)
        return gmt_fail(error, GMTRACE_CORRUPT, offset,
                        "chunk at byte %llu: it belongs to another launch",
                        (unsigned long long)offset);
    const gmtrace_launch *of = &reader->launch[launch].launch;
    const gmt_limits limits = {
        .ctas = gmt_launch_ctas(of),
        .warps = gmt_launch_warps(of),
        .instr_count = reader->kernel[of->kernel].kernel.instr_count,
        .tensor_maps = reader->launch[launch].end_offset ? of->tensor_map_count : GMT_MAX_MAPS,
    };
    return gmt_decode_chunk(&reader->decoder, &section, payload, &limits, held, error);
}

/* ------------------------------------------------------------------------------------- the map */

typedef struct seen_cta {
    uint64_t cta;
    uint32_t chunk;
    bool continues;
} seen_cta;

/* Without a MAP the chunks themselves tell which CTAs they hold. */
static bool index_walked(gmtrace_reader *reader, uint32_t launch, gmt_map *map,
                         gmtrace_error *error)
{
    gmt_buffer seen = {0};
    uint64_t lowest = UINT64_MAX, highest = 0;
    gmt_held *held = gmt_reader_hold(reader, error);
    bool done = held != NULL;
    for (uint32_t i = 0; done && i < map->chunk_count; i++) {
        done = gmt_reader_decode(reader, map->offset[i], map->length[i], launch, held, error);
        for (uint32_t s = 0; done && s < held->chunk.segment_count; s++) {
            const uint64_t cta = held->chunk.segment[s].cta;
            if (s && cta == held->chunk.segment[s - 1].cta)
                continue;
            lowest = cta < lowest ? cta : lowest;
            highest = cta > highest ? cta : highest;
            const seen_cta one = {cta, i, (held->head.flags & GMT_CHUNK_CONTINUES) != 0};
            gmt_put(&seen, &one, sizeof one);
        }
    }
    if (held)
        gmt_reader_drop(reader, held);
    const seen_cta *one = (const seen_cta *)(const void *)seen.data;
    const size_t count = seen.size / sizeof *one;
    done = done && (!seen.failed || gmt_fail_memory(error)) &&
           gmt_map_index_begin(map, lowest, highest, count, map->chunk_count ? map->offset[0] : 0,
                               &reader->decoder.budget, error);
    for (size_t i = 0; done && i < count; i++) {
        const char *problem = gmt_map_index_put(map, one[i].cta, one[i].chunk, one[i].continues);
        if (problem)
            done = gmt_fail(error, GMTRACE_CORRUPT, map->offset[one[i].chunk],
                            "chunk at byte %llu: %s", (unsigned long long)map->offset[one[i].chunk],
                            problem);
    }
    gmt_map_index_end(map);
    gmt_buffer_free(&seen);
    return done;
}

bool gmt_reader_map(gmtrace_reader *reader, uint32_t launch, bool index, gmt_map *map,
                    gmtrace_error *error)
{
    const gmt_read_launch *of = &reader->launch[launch];
    gmt_map_clear(map);
    bool done = true;
    if (of->map_offset) {
        gmt_section section;
        done =
            gmt_reader_section(reader, of->map_offset, GMT_MAP, &section, error) &&
            gmt_reader_payload(reader, &section, error) &&
            gmt_map_parse(&reader->raw, section.offset, launch, of->stored_end, reader->size,
                          gmt_launch_ctas(&of->launch), index, &reader->decoder.budget, map, error);
        if (done && map->chunk_count != of->chunk_count)
            done = gmt_fail(error, GMTRACE_CORRUPT, section.offset,
                            "map section at byte %llu: wrong number of chunks",
                            (unsigned long long)section.offset);
    } else {
        for (uint32_t i = 0; done && i < of->walked.chunk_count; i++)
            done = gmt_map_add_chunk(map, of->walked.offset[i], of->walked.length[i]) ||
                   gmt_fail_memory(error);
        map->launch = launch;
        done = done && (!index || index_walked(reader, launch, map, error));
    }
    if (!done)
        gmt_map_clear(map);
    return done;
}

/* ---------------------------------------------------------------------------- chunk by chunk */

const gmtrace_chunk *gmtrace_chunk_read(gmtrace_reader *reader, uint64_t index,
                                        gmtrace_error *error)
{
    gmt_clear(error);
    if (index >= reader->chunk_count) {
        gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "the trace holds no such chunk");
        return NULL;
    }
    uint32_t low = 0, high = reader->launch_count; /* the last launch that begins at or before */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (reader->launch[middle].first_chunk <= index)
            low = middle;
        else
            high = middle;
    }
    if (reader->sequential.launch != low &&
        !gmt_reader_map(reader, low, false, &reader->sequential, error))
        return NULL;
    const uint64_t number = index - reader->launch[low].first_chunk;
    gmt_held *held = gmt_reader_hold(reader, error);
    if (!held)
        return NULL;
    if (!gmt_reader_decode(reader, reader->sequential.offset[number],
                           reader->sequential.length[number], low, held, error)) {
        gmt_reader_drop(reader, held);
        return NULL;
    }
    return &held->chunk;
}

void gmtrace_chunk_release(gmtrace_reader *reader, const gmtrace_chunk *chunk)
{
    if (chunk)
        gmt_reader_drop(reader, (gmt_held *)(uintptr_t)chunk);
}

/* ------------------------------------------------------------------------------------- cursors */

void gmt_reader_release_all(gmtrace_reader *reader)
{
    reader->idle = reader->idle_oldest = NULL;
    reader->idle_bytes = 0;
    for (uint32_t i = 0; reader->held && i < reader->selected.chunk_count; i++)
        if (reader->held[i])
            gmt_reader_drop(reader, reader->held[i]);
    free(reader->held);
    reader->held = NULL;
}

bool gmtrace_select_launch(gmtrace_reader *reader, uint32_t launch, gmtrace_error *error)
{
    gmt_clear(error);
    if (launch >= reader->launch_count)
        return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "the trace holds no such launch");
    if (reader->selected.launch == launch)
        return true;
    gmt_reader_release_all(reader);
    if (!gmt_reader_map(reader, launch, true, &reader->selected, error))
        return false;
    reader->held = calloc((size_t)reader->selected.chunk_count + 1, sizeof(gmt_held *));
    if (!reader->held) {
        gmt_map_clear(&reader->selected);
        return gmt_fail_memory(error);
    }
    return true;
}

bool gmtrace_list_ctas(const gmtrace_reader *reader, uint64_t **cta, size_t *count,
                       gmtrace_error *error)
{
    gmt_clear(error);
    if (reader->selected.launch >= reader->launch_count)
        return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "no launch is selected");
    return gmt_map_list(&reader->selected, cta, count) || gmt_fail_memory(error);
}

static void take_idle(gmtrace_reader *reader, gmt_held *held)
{
    *(held->newer ? &held->newer->older : &reader->idle) = held->older;
    *(held->older ? &held->older->newer : &reader->idle_oldest) = held->newer;
    held->newer = held->older = NULL;
    reader->idle_bytes -= held->capacity;
}

static void drop_idle(gmtrace_reader *reader, gmt_held *held)
{
    take_idle(reader, held);
    reader->held[held->number] = NULL;
    gmt_reader_drop(reader, held);
}

/* Bytes of chunks that all cursors have left, and that as a part of what the reader may hold. */
#define IDLE_BYTES (32u << 20)
#define IDLE_SHARE 32u

/* Of the chunks that all cursors have left that with the last one stays decoded: who reads warp by
 * warp comes back to it. So do those with segments where no cursor has been yet, the last of them
 * that there is room for: warps that run side by side follow each other. */
static void drop_left(gmtrace_reader *reader)
{
    if (reader->idle && !reader->idle->unread)
        drop_idle(reader, reader->idle); /* its storage is used again */
    const uint64_t limit = reader->decoder.budget.limit / IDLE_SHARE;
    while (reader->idle_bytes > (limit < IDLE_BYTES ? limit : IDLE_BYTES))
        drop_idle(reader, reader->idle_oldest);
}

static void leave(gmtrace_reader *reader, gmtrace_cursor *cursor)
{
    if (!cursor->chunk)
        return;
    gmt_held *held = (gmt_held *)(uintptr_t)cursor->chunk;
    cursor->chunk = NULL;
    cursor->next = cursor->end = NULL;
    if (--held->references)
        return;
    drop_left(reader);
    held->older = reader->idle;
    *(held->older ? &held->older->newer : &reader->idle_oldest) = held;
    reader->idle = held;
    reader->idle_bytes += held->capacity;
}

static bool enter(gmtrace_reader *reader, gmtrace_cursor *cursor, uint32_t number,
                  gmtrace_error *error)
{
    gmt_held *held = reader->held[number];
    if (held && !held->references)
        take_idle(reader, held);
    if (!held) {
        drop_left(reader);
        held = gmt_reader_hold(reader, error);
        if (!held)
            return false;
        if (!gmt_reader_decode(reader, reader->selected.offset[number],
                               reader->selected.length[number], reader->selected.launch, held,
                               error)) {
            gmt_reader_drop(reader, held);
            return false;
        }
        held->number = number;
        held->unread = held->chunk.segment_count;
        reader->held[number] = held;
    }
    held->references++;
    cursor->chunk = &held->chunk;
    cursor->part = number;
    return true;
}

static const gmtrace_segment *find_segment(const gmtrace_chunk *chunk, uint64_t cta, uint32_t warp)
{
    uint32_t low = 0, high = chunk->segment_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const gmtrace_segment *segment = &chunk->segment[middle];
        if (segment->cta == cta && segment->warp == warp)
            return segment;
        if (segment->cta < cta || (segment->cta == cta && segment->warp < warp))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Stands the cursor, which is in no chunk, on the warp's next segment from chunk `number` on.
 * Returns false on damage only. At the end of the stream it is in no chunk, and its part says
 * whether that end is real. */
static bool seek(gmtrace_reader *reader, gmtrace_cursor *cursor, uint32_t number,
                 gmtrace_error *error)
{
    for (; number < reader->selected.chunk_count; number = reader->selected.next[number]) {
        if (!enter(reader, cursor, number, error))
            return false;
        const gmtrace_segment *segment = find_segment(cursor->chunk, cursor->cta, cursor->warp);
        if (segment) {
            cursor->next = cursor->chunk->record + segment->first;
            cursor->end = cursor->next + segment->count;
            reader->held[number]->unread -= reader->held[number]->unread != 0;
            return true;
        }
        leave(reader, cursor);
    }
    cursor->part = number;
    return true;
}

bool gmtrace_cursor_open(gmtrace_reader *reader, gmtrace_cursor *cursor, uint64_t cta,
                         uint32_t warp, gmtrace_error *error)
{
    gmt_clear(error);
    *cursor = (gmtrace_cursor){.cta = cta, .warp = warp, .part = GMT_NO_CHUNK};
    if (reader->selected.launch >= reader->launch_count)
        return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "no launch is selected");
    const gmtrace_launch *launch = &reader->launch[reader->selected.launch].launch;
    if (cta >= gmt_launch_ctas(launch) || warp >= gmt_launch_warps(launch))
        return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "the launch has no such CTA or warp");
    return seek(reader, cursor, gmt_map_first(&reader->selected, cta), error);
}

bool gmtrace_cursor_refill(gmtrace_reader *reader, gmtrace_cursor *cursor, gmtrace_error *error)
{
    gmt_clear(error);
    if (cursor->chunk) {
        const gmtrace_segment *segment = find_segment(cursor->chunk, cursor->cta, cursor->warp);
        const bool last = !segment || segment->last;
        leave(reader, cursor);
        if (last) {
            cursor->part = GMT_NO_CHUNK;
            return false;
        }
        if (!seek(reader, cursor, reader->selected.next[cursor->part], error))
            return false;
    }
    if (cursor->chunk)
        return true;
    if (cursor->part == GMT_LOST_CHUNK)
        gmt_fail(error, GMTRACE_TRUNCATED, reader->size,
                 "the trace is cut short inside CTA %llu, warp %u; capture it again",
                 (unsigned long long)cursor->cta, cursor->warp);
    return false;
}

void gmtrace_cursor_close(gmtrace_reader *reader, gmtrace_cursor *cursor)
{
    leave(reader, cursor);
}
