/* SPDX-License-Identifier: MIT
 *
 * origins.c - ORIGINS: which call made an allocation and what the program calls it, written once
 * for all launches in a row that have it, and given back to each.
 */
#include "traces/format/origins.h"

#include "traces/format/reader.h"

#define MIN_BYTES 8u /* of an origin in the section */

bool gmtrace_origin_is_function(const gmtrace_origin *origin)
{
    const size_t length = origin && origin->file && !origin->line ? strlen(origin->file) : 0;
    return length > 0 && origin->file[length - 1] == ')';
}

/* ------------------------------------------------------------------------------------- writing */

static void put_origin(gmt_buffer *b, const gmtrace_origin *origin)
{
    gmt_put_varint(b, origin->number);
    gmt_put_varint(b, origin->line);
    gmt_put_string(b, origin->name);
    gmt_put_string(b, origin->call);
    gmt_put_string(b, origin->file);
}

static bool same(const gmt_buffer *a, const gmt_buffer *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* Launch `end` has it no more. */
static void finish(gmt_origins *origins, gmt_origin_run *run, uint32_t end)
{
    gmt_put_varint(&origins->done, run->first);
    gmt_put_varint(&origins->done, end - run->first - 1);
    gmt_put_varint(&origins->done, run->base);
    gmt_put(&origins->done, run->origin.data, run->origin.size);
    gmt_buffer_free(&run->origin);
    origins->count++;
}

static uint32_t count_known(const gmtrace_launch *launch)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < launch->allocation_count; i++)
        known += launch->allocation[i].origin && launch->allocation[i].size;
    return known;
}

bool gmt_origins_launch(gmt_origins *origins, uint32_t number, const gmtrace_launch *launch)
{
    const uint32_t known = count_known(launch);
    gmt_origin_run *before = origins->open, *at = before;
    gmt_origin_run *end = before ? before + origins->open_count : NULL;
    gmt_origin_run *now = known ? calloc(known, sizeof *now) : NULL;
    bool good = now || !known;
    uint32_t count = 0;
    for (uint32_t i = 0; good && known && i < launch->allocation_count; i++) {
        const gmtrace_allocation *a = &launch->allocation[i];
        if (!a->origin || !a->size)
            continue;
        gmt_origin_run *run = &now[count++];
        *run = (gmt_origin_run){.base = a->base, .first = number};
        put_origin(&run->origin, a->origin);
        good = !run->origin.failed;
        for (; at < end && at->base < a->base; at++)
            finish(origins, at, number);
        if (good && at < end && at->base == a->base && same(&at->origin, &run->origin)) {
            gmt_buffer_free(&run->origin);
            *run = *at++;
        }
    }
    for (; at < end; at++)
        finish(origins, at, number);
    free(before);
    origins->open = now;
    origins->open_count = count;
    return good && !origins->done.failed;
}

bool gmt_put_origins(gmt_buffer *b, gmt_origins *origins, uint32_t launches)
{
    for (size_t i = 0; i < origins->open_count; i++)
        finish(origins, &origins->open[i], launches);
    origins->open_count = 0;
    if (!origins->count)
        return true;
    gmt_put_varint(b, origins->count);
    gmt_put(b, origins->done.data, origins->done.size);
    return !b->failed && !origins->done.failed;
}

void gmt_origins_free(gmt_origins *origins)
{
    for (size_t i = 0; i < origins->open_count; i++)
        gmt_buffer_free(&origins->open[i].origin);
    free(origins->open);
    gmt_buffer_free(&origins->done);
}

/* ------------------------------------------------------------------------------------- reading */

/* The launch's allocation that begins at the address, the last one where those before it are empty;
 * or NULL. */
static gmtrace_allocation *find(gmt_read_launch *launch, uint64_t base)
{
    gmtrace_allocation *allocation = launch->storage;
    uint32_t low = 0, high = launch->launch.allocation_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (allocation[middle].base <= base)
            low = middle + 1;
        else
            high = middle;
    }
    return low && allocation[low - 1].base == base ? &allocation[low - 1] : NULL;
}

/* What fits takes an allocation's place, of which a file pays for each: so the work is bounded. */
static bool give(gmtrace_reader *reader, uint64_t first, uint64_t more, uint64_t base,
                 const gmtrace_origin *origin)
{
    if (first >= reader->launch_count || more >= reader->launch_count - first)
        return false;
    for (uint64_t i = first; i <= first + more; i++) {
        gmtrace_allocation *allocation = find(&reader->launch[i], base);
        if (!allocation || allocation->origin)
            return false;
        allocation->origin = origin;
    }
    return true;
}

static bool is_short(const gmtrace_origin *o)
{
    return strlen(o->name) <= GMT_MAX_ORIGIN && strlen(o->call) <= GMT_MAX_ORIGIN &&
           strlen(o->file) <= GMT_MAX_ORIGIN;
}

bool gmt_reader_origins(gmtrace_reader *reader, uint64_t offset, gmtrace_error *error)
{
    gmt_section section;
    if (!gmt_reader_section(reader, offset, GMT_ORIGINS, &section, error) ||
        !gmt_reader_payload(reader, &section, error))
        return false;
    gmt_view view = {.next = reader->raw.data, .end = reader->raw.data + reader->raw.size};
    const uint64_t count = gmt_take_varint(&view);
    bool good = !view.bad && count <= gmt_left(&view) / MIN_BYTES;
    const size_t structs = good ? (size_t)count * sizeof(gmtrace_origin) : 0;
    if (!gmt_claim(&reader->budget, structs + reader->raw.size + 1, offset, error))
        return false;
    gmtrace_origin *origin = malloc(structs + reader->raw.size + 1);
    if (!origin)
        return gmt_fail_memory(error);
    reader->origin_storage = origin;
    char *text = (char *)origin + structs;
    for (uint64_t i = 0; good && i < count; i++) {
        const uint64_t first = gmt_take_varint(&view), more = gmt_take_varint(&view);
        const uint64_t base = gmt_take_varint(&view), number = gmt_take_varint(&view);
        const uint64_t line = gmt_take_varint(&view);
        origin[i] = (gmtrace_origin){.number = number, .line = (uint32_t)line};
        origin[i].name = gmt_take_string(&view, &text);
        origin[i].call = gmt_take_string(&view, &text);
        origin[i].file = gmt_take_string(&view, &text);
        good = !view.bad && line <= UINT32_MAX && is_short(&origin[i]) &&
               give(reader, first, more, base, &origin[i]);
    }
    if (!good || gmt_left(&view))
        return gmt_fail(error, GMTRACE_CORRUPT, offset,
                        "section of allocations' origins at byte %llu: wrong contents",
                        (unsigned long long)offset);
    return true;
}
