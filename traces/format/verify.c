/* SPDX-License-Identifier: MIT
 *
 * verify.c - checks every byte of a trace: walks all sections in file order, decodes all chunks,
 * and holds what they contain against the totals, the maps and the index.
 */
#include "traces/format/reader.h"

/* A CTA whose records are spread over chunks: which warps have begun and ended. */
typedef struct split_cta {
    uint64_t cta;
    uint32_t begun, ended;
    bool used, done;
} split_cta;

typedef struct check {
    gmtrace_reader *reader;
    gmtrace_error *error;
    uint32_t kernels, launches; /* seen so far */
    bool in_launch;
    gmtrace_launch totals; /* of the open launch: records, warps, ctas counted */
    uint64_t chunks;       /* of the whole file */
    gmt_map_builder builder;
    gmt_buffer numbers, rebuilt;
    split_cta *split; /* open addressing */
    size_t split_size, split_count, split_open;
} check;

static bool bad(check *c, uint64_t offset, const char *problem)
{
    return gmt_fail(c->error, GMTRACE_CORRUPT, offset, "%s, at byte %llu", problem,
                    (unsigned long long)offset);
}

static split_cta *split_slot(split_cta *table, size_t size, uint64_t cta)
{
    size_t i = (size_t)gmt_scatter(cta) & (size - 1);
    while (table[i].used && table[i].cta != cta)
        i = (i + 1) & (size - 1);
    return &table[i];
}

static bool grow_split(check *c)
{
    const size_t size = c->split_size ? c->split_size * 2 : 64;
    split_cta *table = calloc(size, sizeof *table);
    if (!table)
        return gmt_fail_memory(c->error);
    for (size_t i = 0; i < c->split_size; i++)
        if (c->split[i].used)
            *split_slot(table, size, c->split[i].cta) = c->split[i];
    free(c->split);
    c->split = table;
    c->split_size = size;
    return true;
}

/* The segments [first, end) of one CTA in a chunk. */
static bool check_cta(check *c, const gmt_held *held, uint32_t first, uint32_t end)
{
    const gmtrace_chunk *chunk = &held->chunk;
    const uint64_t cta = chunk->segment[first].cta;
    const bool continues = (held->head.flags & GMT_CHUNK_CONTINUES) != 0;
    if (2 * (c->split_count + 1) > c->split_size && !grow_split(c))
        return false;
    split_cta *split = split_slot(c->split, c->split_size, cta);
    if (!split->used && !continues)
        return true; /* whole in this chunk; twice is what gmt_map_index_put() finds */
    if (!split->used) {
        *split = (split_cta){.cta = cta, .used = true};
        c->split_count++;
        c->split_open++;
    }
    if (split->done)
        return bad(c, chunk->offset, "a CTA goes on after its end");
    for (uint32_t i = first; i < end; i++) {
        const uint32_t warp = 1u << chunk->segment[i].warp;
        if (split->ended & warp)
            return bad(c, chunk->offset, "a warp goes on after its end");
        split->begun |= warp;
        if (chunk->segment[i].last)
            split->ended |= warp;
    }
    if (!continues) {
        if (split->begun != split->ended)
            return bad(c, chunk->offset, "a warp of a finished CTA has no end");
        split->done = true;
        c->split_open--;
    }
    return true;
}

static bool check_chunk(check *c, const gmt_section *section, gmt_held *held)
{
    const uint64_t length = GMT_SECTION_SIZE + section->length;
    if (!c->in_launch)
        return bad(c, section->offset, "a chunk lies outside a launch");
    if (!gmt_reader_decode(c->reader, &c->reader->decoder, section->offset, length, c->launches - 1,
                           held, c->error))
        return false;
    const gmtrace_chunk *chunk = &held->chunk;
    c->numbers.size = 0;
    size_t ctas = 0;
    for (uint32_t i = 0, end; i < chunk->segment_count; i = end) {
        for (end = i + 1; end < chunk->segment_count; end++)
            if (chunk->segment[end].cta != chunk->segment[i].cta)
                break;
        if (!check_cta(c, held, i, end))
            return false;
        gmt_put(&c->numbers, &chunk->segment[i].cta, sizeof(uint64_t));
        ctas++;
    }
    if (c->numbers.failed)
        return gmt_fail_memory(c->error);
    gmt_map_add(&c->builder, section->offset, length, (held->head.flags & GMT_CHUNK_CONTINUES) != 0,
                (const uint64_t *)(const void *)c->numbers.data, ctas);
    c->totals.records += held->head.records;
    c->totals.warps += held->head.warps;
    c->totals.ctas += held->head.ctas;
    c->chunks++;
    return true;
}

static bool check_launch_end(check *c, const gmt_section *section)
{
    const uint32_t launch = c->launches - 1;
    const gmt_read_launch *of = &c->reader->launch[launch];
    if (!c->in_launch || of->end_offset != section->offset)
        return bad(c, section->offset, "a launch end is out of place");
    const gmtrace_launch *told = &of->launch;
    if (told->records != c->totals.records || told->warps != c->totals.warps ||
        told->ctas != c->totals.ctas || of->chunk_count != c->builder.chunks)
        return bad(c, section->offset, "a launch's totals are not those of its chunks");
    if (c->split_open)
        return bad(c, section->offset, "a launch ends inside a CTA");
    c->in_launch = false;
    gmt_map map;
    gmt_map_init(&map);
    const bool done = gmt_reader_map(c->reader, launch, true, &map, c->error);
    gmt_map_clear(&map);
    return done;
}

static bool check_map(check *c, const gmt_section *section)
{
    if (c->in_launch || !c->launches ||
        c->reader->launch[c->launches - 1].map_offset != section->offset)
        return bad(c, section->offset, "a map section is out of place");
    c->rebuilt.size = 0;
    gmt_map_finish(&c->builder, c->launches - 1, &c->rebuilt);
    if (c->rebuilt.failed || c->builder.body.failed)
        return gmt_fail_memory(c->error);
    const gmt_buffer *raw = &c->reader->raw;
    if (raw->size != c->rebuilt.size || memcmp(raw->data, c->rebuilt.data, raw->size) != 0)
        return bad(c, section->offset, "a map section does not describe its chunks");
    return true;
}

static bool check_section(check *c, const gmt_section *section, gmt_held *held)
{
    gmtrace_reader *reader = c->reader;
    if (section->type == GMT_CHUNK)
        return check_chunk(c, section, held);
    if (!gmt_reader_payload(reader, section, c->error))
        return false;
    switch (section->type) {
    case GMT_CAPTURE:
        return section->offset == GMT_HEADER_SIZE ||
               bad(c, section->offset, "a capture section is out of place");
    case GMT_KERNEL:
        if (c->kernels == reader->kernel_count ||
            reader->kernel[c->kernels].offset != section->offset)
            return bad(c, section->offset, "a kernel section is not in the index");
        c->kernels++;
        return true;
    case GMT_LAUNCH:
        if (c->in_launch || c->launches == reader->launch_count ||
            reader->launch[c->launches].offset != section->offset)
            return bad(c, section->offset, "a launch section is not in the index");
        c->launches++;
        c->in_launch = true;
        memset(&c->totals, 0, sizeof c->totals);
        free(c->split);
        c->split = NULL;
        c->split_size = c->split_count = c->split_open = 0;
        gmt_map_start(&c->builder, section->offset + GMT_SECTION_SIZE + section->length);
        return true;
    case GMT_LAUNCH_END:
        return check_launch_end(c, section);
    case GMT_MAP:
        return check_map(c, section);
    case GMT_INDEX:
        return true;
    default:
        return section->flags & GMT_FLAG_OPTIONAL ||
               gmt_fail(c->error, GMTRACE_UNSUPPORTED, section->offset,
                        "section type %u at byte %llu is from a newer version; update gmsim",
                        section->type, (unsigned long long)section->offset);
    }
}

static bool check_file(check *c, gmt_held *held)
{
    gmtrace_reader *reader = c->reader;
    const uint64_t whole = reader->damaged ? reader->damage.offset : reader->size;
    uint64_t at = GMT_HEADER_SIZE;
    gmt_section section = {0};
    while (at < whole && section.type != GMT_INDEX) {
        if (!gmt_section_read_header(reader->fd, reader->size, at, &section, c->error) ||
            !check_section(c, &section, held))
            return false;
        at += GMT_SECTION_SIZE + section.length;
    }
    if (reader->damaged) {
        if (c->error)
            *c->error = reader->damage;
        return false;
    }
    uint64_t index;
    const int footer = gmt_reader_footer(reader, at, &index, c->error);
    if (footer < 0)
        return false;
    if (footer == 0 || at + GMT_FOOTER_SIZE != reader->size || index != section.offset ||
        index != reader->index_offset)
        return bad(c, at, "the footer is not where the sections end");
    if (c->kernels != reader->kernel_count || c->launches != reader->launch_count ||
        c->chunks != reader->chunk_count || c->in_launch)
        return bad(c, index, "the index does not describe the file");
    return true;
}

bool gmtrace_verify(gmtrace_reader *reader, gmtrace_error *error)
{
    gmtrace_error local;
    check c = {.reader = reader, .error = error ? error : &local};
    gmt_clear(c.error);
    gmt_held *held = gmt_reader_hold(reader, c.error);
    const bool done = held && check_file(&c, held);
    if (held)
        gmt_reader_drop(reader, held);
    gmt_buffer_free(&c.builder.body);
    gmt_buffer_free(&c.numbers);
    gmt_buffer_free(&c.rebuilt);
    free(c.split);
    return done;
}
