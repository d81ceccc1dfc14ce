/* SPDX-License-Identifier: MIT
 *
 * known.c - KNOWN: the parameters of launches and bytes of memory that stayed as they were, launch
 * by launch. Launches that found the same are not told together: zstd sees to that.
 */
#include "traces/format/known.h"

#include "traces/format/reader.h"

#define MIN_BYTES 4u /* of a launch in the section */

/* ------------------------------------------------------------------------------------- writing */

static uint64_t bytes_of(const gmtrace_known *known)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < known->range_count; i++)
        bytes += known->range[i].size;
    return bytes;
}

static void put_ranges(gmt_buffer *b, const gmtrace_known *found)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < found->range_count; i++) {
        const gmtrace_known_range *range = &found->range[i];
        gmt_put_varint(b, range->base - end);
        gmt_put_varint(b, range->size);
        gmt_put(b, range->bytes, range->size);
        end = range->base + range->size;
    }
}

bool gmt_known_add(gmt_known *known, uint32_t launch, const gmtrace_known *found)
{
    const uint64_t bytes = bytes_of(found);
    const bool fits = found->range_count <= GMT_MAX_KNOWN_RANGES && bytes <= GMT_MAX_KNOWN_BYTES &&
                      known->ranges + found->range_count <= GMT_MAX_FILE_RANGES &&
                      known->range_bytes + bytes <= GMT_MAX_FILE_KNOWN;
    if (known->constants + found->constants_size > GMT_MAX_FILE_KNOWN)
        return true;
    gmt_put_varint(&known->done, launch);
    gmt_put_varint(&known->done, found->constants_offset);
    gmt_put_varint(&known->done, found->constants_size);
    gmt_put(&known->done, found->constants, found->constants_size);
    gmt_put_varint(&known->done, fits ? found->range_count : 0);
    if (fits)
        put_ranges(&known->done, found);
    known->count++;
    known->constants += found->constants_size;
    known->ranges += fits ? found->range_count : 0;
    known->range_bytes += fits ? bytes : 0;
    return !known->done.failed;
}

bool gmt_put_known(gmt_buffer *b, const gmt_known *known)
{
    if (!known->count)
        return true;
    gmt_put_varint(b, known->count);
    gmt_put(b, known->done.data, known->done.size);
    return !b->failed && !known->done.failed;
}

void gmt_known_free(gmt_known *known)
{
    gmt_buffer_free(&known->done);
}

/* ------------------------------------------------------------------------------------- reading */

/* What is larger makes the view bad. */
static uint32_t take_up_to(gmt_view *view, uint32_t most)
{
    const uint64_t value = gmt_take_varint(view);
    view->bad |= value > most;
    return view->bad ? 0 : (uint32_t)value;
}

/* One launch's; its ranges go to `range`, or nowhere where that is NULL. Bytes stay where they are.
 * What lengths alone do not tell, gmt_check_known() does. */
static bool take_known(gmt_view *view, gmtrace_known *known, gmtrace_known_range *range)
{
    uint64_t end = 0;
    known->constants_offset = take_up_to(view, GMT_MAX_CONSTANTS);
    known->constants_size = take_up_to(view, GMT_MAX_CONSTANTS);
    known->constants = gmt_take(view, known->constants_size);
    known->range_count = take_up_to(view, GMT_MAX_KNOWN_RANGES);
    known->range = known->range_count ? range : NULL;
    for (uint32_t i = 0; i < known->range_count && !view->bad; i++) {
        gmtrace_known_range one = {.base = end + gmt_take_varint(view)};
        one.size = take_up_to(view, GMT_MAX_KNOWN_RANGE);
        one.bytes = gmt_take(view, one.size);
        end = one.base + one.size;
        if (range)
            range[i] = one;
    }
    return !view->bad;
}

static gmt_view begin(const uint8_t *bytes, size_t size, uint64_t *count)
{
    gmt_view view = {.next = bytes, .end = bytes + size};
    *count = gmt_take_varint(&view);
    view.bad |= !*count || *count > gmt_left(&view) / MIN_BYTES;
    return view;
}

/* How many ranges there are, so that they can be put in one array. */
static bool count_ranges(const gmt_buffer *raw, uint64_t *launches, uint64_t *ranges)
{
    gmt_view view = begin(raw->data, raw->size, launches);
    gmtrace_known known;
    *ranges = 0;
    for (uint64_t i = 0; i < *launches && !view.bad; i++) {
        gmt_take_varint(&view);
        if (take_known(&view, &known, NULL))
            *ranges += known.range_count;
    }
    return !view.bad && !gmt_left(&view) && *ranges <= GMT_MAX_FILE_RANGES;
}

/* The second time: `bytes` are those that were counted. */
static bool give(gmtrace_reader *reader, const uint8_t *bytes, size_t size, gmtrace_known *known,
                 gmtrace_known_range *range)
{
    uint64_t count, next = 0, constants = 0, memory = 0;
    gmt_view view = begin(bytes, size, &count);
    for (uint64_t i = 0; i < count; i++, known++) {
        const uint64_t launch = gmt_take_varint(&view);
        if (launch < next || launch >= reader->launch_count || !take_known(&view, known, range) ||
            gmt_check_known(known))
            return false;
        const uint64_t found = bytes_of(known);
        constants += known->constants_size;
        memory += found;
        if (found > GMT_MAX_KNOWN_BYTES || memory > GMT_MAX_FILE_KNOWN ||
            constants > GMT_MAX_FILE_KNOWN)
            return false;
        reader->launch[launch].launch.known = known;
        range += known->range_count;
        next = launch + 1;
    }
    return true;
}

bool gmt_reader_known(gmtrace_reader *reader, uint64_t offset, gmtrace_error *error)
{
    gmt_section section;
    if (!gmt_reader_section(reader, offset, GMT_KNOWN, &section, error) ||
        !gmt_reader_payload(reader, &section, error))
        return false;
    const gmt_buffer *raw = &reader->raw;
    uint64_t launches, ranges;
    bool good = count_ranges(raw, &launches, &ranges);
    const size_t structs = good ? (size_t)launches * sizeof(gmtrace_known) : 0;
    const size_t arrays = good ? (size_t)ranges * sizeof(gmtrace_known_range) : 0;
    if (good && !gmt_claim(&reader->budget, structs + arrays + raw->size, offset, error))
        return false;
    gmtrace_known *known = good ? malloc(structs + arrays + raw->size) : NULL;
    if (good && !known)
        return gmt_fail_memory(error);
    reader->known_storage = known;
    if (good) {
        gmtrace_known_range *range = (gmtrace_known_range *)(void *)((char *)known + structs);
        uint8_t *bytes = (uint8_t *)range + arrays;
        memcpy(bytes, raw->data, raw->size);
        good = give(reader, bytes, raw->size, known, range);
    }
    return good || gmt_fail(error, GMTRACE_CORRUPT, offset,
                            "section of what launches found at byte %llu: wrong contents",
                            (unsigned long long)offset);
}
