/* SPDX-License-Identifier: MIT
 *
 * collect.c - sections into the reader's lists of kernels and launches, whether the index led to
 * them or a walk over the file; and the footer, which says where the index is.
 */
#include "traces/format/grow.h"
#include "traces/format/reader.h"

int gmt_reader_footer(gmtrace_reader *reader, uint64_t offset, uint64_t *index,
                      gmtrace_error *error)
{
    uint8_t footer[GMT_FOOTER_SIZE];
    gmt_clear(error);
    if (reader->size < sizeof footer || offset > reader->size - sizeof footer)
        return 0;
    if (!gmt_read_at(reader->fd, offset, footer, sizeof footer, error))
        return -1;
    if (memcmp(footer, GMT_FOOTER_MAGIC, GMT_MAGIC_SIZE) != 0 ||
        !gmt_hash_is(gmt_get64(footer + 24), gmt_hash(footer, 24, 0)))
        return 0;
    if (gmt_get64(footer + 16) != reader->size) {
        gmt_fail(error, GMTRACE_CORRUPT, offset,
                 "the footer at byte %llu tells of a file of %llu bytes, but it has %llu",
                 (unsigned long long)offset, (unsigned long long)gmt_get64(footer + 16),
                 (unsigned long long)reader->size);
        return -1;
    }
    *index = gmt_get64(footer + 8);
    return 1;
}

bool gmt_reader_section(gmtrace_reader *reader, uint64_t offset, uint32_t type,
                        gmt_section *section, gmtrace_error *error)
{
    if (!gmt_section_read_header(reader->fd, reader->size, offset, section, error))
        return false;
    if (section->type != type)
        return gmt_fail(error, GMTRACE_CORRUPT, offset,
                        "section type %u at byte %llu where type %u should be", section->type,
                        (unsigned long long)offset, type);
    return true;
}

bool gmt_reader_payload(gmtrace_reader *reader, const gmt_section *section, gmtrace_error *error)
{
    return gmt_section_read(reader->fd, section, reader->decoder.unpack, &reader->budget,
                            &reader->scratch, &reader->raw, error);
}

bool gmt_reader_add_kernel(gmtrace_reader *reader, const gmt_section *section, gmtrace_error *error)
{
    if (!GMT_GROW(reader->kernel, reader->kernel_count))
        return gmt_fail_memory(error);
    gmt_read_kernel *kernel = &reader->kernel[reader->kernel_count];
    *kernel = (gmt_read_kernel){.offset = section->offset};
    if (!gmt_reader_payload(reader, section, error) ||
        !gmt_get_kernel(&reader->raw, section->offset, &reader->budget, &kernel->kernel,
                        &kernel->storage, error)) {
        free(kernel->storage);
        return false;
    }
    reader->kernel_count++;
    return true;
}

bool gmt_reader_add_launch(gmtrace_reader *reader, const gmt_section *section, gmtrace_error *error)
{
    if (!GMT_GROW(reader->launch, reader->launch_count))
        return gmt_fail_memory(error);
    gmt_read_launch *launch = &reader->launch[reader->launch_count];
    *launch = (gmt_read_launch){.offset = section->offset};
    launch->stored_end = section->offset + GMT_SECTION_SIZE + section->length;
    launch->first_chunk = reader->chunk_count;
    gmt_map_init(&launch->walked);
    if (!gmt_reader_payload(reader, section, error) ||
        !gmt_claim(&reader->budget, 2 * reader->raw.size, section->offset, error) ||
        !gmt_get_launch(&reader->raw, section->offset, reader->kernel_count, &launch->launch,
                        &launch->storage, error)) {
        free(launch->storage);
        return false;
    }
    reader->launch_count++;
    return true;
}

bool gmt_reader_end_launch(gmtrace_reader *reader, uint32_t launch, const gmt_section *section,
                           gmtrace_error *error)
{
    gmtrace_launch totals;
    uint32_t number;
    uint64_t chunks, (*maps)[GMTRACE_TENSOR_WORDS];
    if (!gmt_reader_payload(reader, section, error) ||
        !gmt_get_launch_end(&reader->raw, section->offset, &reader->budget, &number, &totals,
                            &chunks, &maps, error))
        return false;
    gmt_read_launch *to = &reader->launch[launch];
    free(to->maps); /* of an index that names the launch's end twice */
    to->maps = maps;
    if (number != launch || chunks != to->chunk_count)
        return gmt_fail(error, GMTRACE_CORRUPT, section->offset,
                        "launch end at byte %llu: it belongs to another launch",
                        (unsigned long long)section->offset);
    to->launch.records = totals.records;
    to->launch.warps = totals.warps;
    to->launch.ctas = totals.ctas;
    to->launch.tensor_map_count = totals.tensor_map_count;
    to->launch.tensor_map = maps;
    to->launch.complete = true;
    to->end_offset = section->offset;
    return true;
}
