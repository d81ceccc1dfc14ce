/* SPDX-License-Identifier: MIT
 *
 * chunks.c - decoded chunks of a reader, one at a time for tools (for replay: cursors.c), and where
 * a launch's lie. Storage of a chunk nobody stands in goes to a free list and is used again.
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

bool gmt_reader_decode(gmtrace_reader *reader, gmt_decoder *decoder, uint64_t offset,
                       uint64_t length, uint32_t launch, gmt_held *held, gmtrace_error *error)
{
    gmt_buffer *stored = &decoder->stored;
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
    return gmt_decode_chunk(decoder, &section, payload, &limits, held, error);
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
        done = gmt_reader_decode(reader, &reader->decoder, map->offset[i], map->length[i], launch,
                                 held, error);
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
                               &reader->budget, error);
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
        done = gmt_reader_section(reader, of->map_offset, GMT_MAP, &section, error) &&
               gmt_reader_payload(reader, &section, error) &&
               gmt_map_parse(&reader->raw, section.offset, launch, of->stored_end, reader->size,
                             gmt_launch_ctas(&of->launch), index, &reader->budget, map, error);
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
    if (!gmt_reader_decode(reader, &reader->decoder, reader->sequential.offset[number],
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
