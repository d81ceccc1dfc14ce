/* SPDX-License-Identifier: MIT
 *
 * walk.c - reads a trace that has no index, because its writer was stopped or the file was cut: one
 * section after another, as far as they are whole. Payloads of chunks are looked at later.
 */
#include "traces/format/reader.h"

/* What kind of place the walk has come to. */
typedef struct walk_state {
    gmtrace_reader *reader;
    bool in_launch;
} walk_state;

static bool add_chunk(walk_state *walk, const gmt_section *section, gmtrace_error *error)
{
    gmtrace_reader *reader = walk->reader;
    const uint64_t at = section->offset;
    if (!walk->in_launch)
        return gmt_fail(error, GMTRACE_CORRUPT, at, "chunk at byte %llu outside a launch",
                        (unsigned long long)at);
    uint8_t prefix[GMT_CHUNK_PREFIX];
    gmt_chunk_head head;
    if (section->length < sizeof prefix)
        return gmt_fail(error, GMTRACE_CORRUPT, at, "chunk at byte %llu: impossible length",
                        (unsigned long long)at);
    if (!gmt_read_at(reader->fd, at + GMT_SECTION_SIZE, prefix, sizeof prefix, error) ||
        !gmt_chunk_head_parse(prefix, section, &head, error))
        return false;
    gmt_read_launch *launch = &reader->launch[reader->launch_count - 1];
    launch->launch.records += head.records;
    launch->launch.warps += head.warps;
    launch->launch.ctas += head.ctas;
    launch->chunk_count++;
    reader->chunk_count++;
    return gmt_map_add_chunk(&launch->walked, at, GMT_SECTION_SIZE + section->length) ||
           gmt_fail_memory(error);
}

/* One section. Sets *ended at INDEX. */
static bool step(walk_state *walk, const gmt_section *section, bool *ended, gmtrace_error *error)
{
    gmtrace_reader *reader = walk->reader;
    const uint64_t at = section->offset;
    switch (section->type) {
    case GMT_KERNEL:
        return gmt_reader_add_kernel(reader, section, error);
    case GMT_LAUNCH:
        if (walk->in_launch)
            break;
        walk->in_launch = true;
        return gmt_reader_add_launch(reader, section, error);
    case GMT_CHUNK:
        return add_chunk(walk, section, error);
    case GMT_LAUNCH_END:
        if (!walk->in_launch)
            break;
        walk->in_launch = false;
        return gmt_reader_end_launch(reader, reader->launch_count - 1, section, error);
    case GMT_MAP:
        if (walk->in_launch || !reader->launch_count ||
            reader->launch[reader->launch_count - 1].map_offset)
            break;
        reader->launch[reader->launch_count - 1].map_offset = at;
        gmt_map_clear(&reader->launch[reader->launch_count - 1].walked);
        return true;
    case GMT_INDEX:
        if (walk->in_launch)
            break;
        *ended = true;
        if (!gmt_reader_payload(reader, section, error))
            return false;
        if (reader->raw.size >= 4) /* only the footer is missing: use what the index tells */
            reader->capture.unseen |= gmt_get32(reader->raw.data);
        return true;
    case GMT_CAPTURE:
        break;
    default:
        if (section->flags & GMT_FLAG_OPTIONAL)
            return true;
        return gmt_fail(error, GMTRACE_UNSUPPORTED, at,
                        "section type %u at byte %llu is from a newer version; update gmsim",
                        section->type, (unsigned long long)at);
    }
    return gmt_fail(error, GMTRACE_CORRUPT, at, "section type %u at byte %llu is out of place",
                    section->type, (unsigned long long)at);
}

/* A file that merely ends early is opened; one that contradicts itself is not. */
static bool end_early(gmtrace_reader *reader, uint64_t offset, gmtrace_error *error)
{
    if (error->status != GMTRACE_TRUNCATED)
        return false;
    reader->damaged = true;
    gmt_fail(&reader->damage, GMTRACE_TRUNCATED, offset,
             "it is cut short: whole up to byte %llu of %llu; the rest is missing",
             (unsigned long long)offset, (unsigned long long)reader->size);
    gmt_clear(error);
    return true;
}

bool gmt_reader_walk(gmtrace_reader *reader, gmtrace_error *error)
{
    walk_state walk = {.reader = reader};
    gmt_section section;
    if (!gmt_section_read_header(reader->fd, reader->size, GMT_HEADER_SIZE, &section, error))
        return false;
    uint64_t at = GMT_HEADER_SIZE + GMT_SECTION_SIZE + section.length;
    for (bool ended = false; !ended;) {
        if (!gmt_section_read_header(reader->fd, reader->size, at, &section, error) ||
            !step(&walk, &section, &ended, error))
            return end_early(reader, at, error);
        at += GMT_SECTION_SIZE + section.length;
    }
    /* Everything is there but a sound footer, or gmtrace_open() would have used the index. */
    uint64_t index;
    if (gmt_reader_footer(reader, at, &index, error) < 0)
        return false;
    if (reader->size - at >= GMT_FOOTER_SIZE)
        return gmt_fail(error, GMTRACE_CORRUPT, at, "wrong footer at byte %llu",
                        (unsigned long long)at);
    gmt_fail(error, GMTRACE_TRUNCATED, at, "no footer");
    return end_early(reader, at, error);
}
