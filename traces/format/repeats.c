/* SPDX-License-Identifier: MIT
 *
 * repeats.c - REPEATS: kinds of launches, each with those of it that were captured, and what
 * happened besides, in order.
 */
#include "traces/format/repeats.h"

#include "traces/format/reader.h"

#define MIN_BYTES 2u /* of a kind, and of a repeat, in the section */

/* ------------------------------------------------------------------------------------- writing */

void gmt_repeats_free(gmt_repeats *repeats)
{
    gmt_buffer_free(&repeats->like);
    gmt_buffer_free(&repeats->repeat);
}

/* The numbers of kinds that repeats name, by their first launch; GMTRACE_UNKNOWN of others. */
static uint32_t number_kinds(const gmtrace_repeat *repeat, size_t count, uint32_t *kind,
                             size_t launches)
{
    uint32_t kinds = 0;
    memset(kind, 0xff, launches * sizeof *kind);
    for (size_t i = 0; i < count; i++)
        kind[repeat[i].launch] = 0;
    for (size_t i = 0; i < launches; i++)
        if (kind[i] == 0)
            kind[i] = kinds++;
    return kinds;
}

static void put_kind(gmt_buffer *b, const uint32_t *like, uint32_t first, uint32_t count)
{
    uint32_t before = first;
    gmt_put_varint(b, count);
    gmt_put_varint(b, first);
    for (uint32_t i = first + 1; count > 1; i++)
        if (like[i] == first) {
            gmt_put_varint(b, i - before - 1);
            before = i;
            count--;
        }
}

bool gmt_put_repeats(gmt_buffer *b, const gmt_repeats *repeats)
{
    const uint32_t launches = (uint32_t)(repeats->like.size / sizeof(uint32_t));
    const uint32_t *like = (const uint32_t *)(const void *)repeats->like.data;
    const size_t count = repeats->repeat.size / sizeof(gmtrace_repeat);
    const gmtrace_repeat *repeat = (const gmtrace_repeat *)(const void *)repeats->repeat.data;
    if (!count)
        return true;
    uint32_t *kind = calloc(2 * (launches + 1u), sizeof *kind), *captured = kind + launches + 1;
    if (!kind)
        return false;
    for (uint32_t i = 0; i < launches; i++)
        captured[like[i]]++;
    gmt_put_varint(b, number_kinds(repeat, count, kind, launches));
    for (uint32_t i = 0; i < launches; i++)
        if (kind[i] != GMTRACE_UNKNOWN)
            put_kind(b, like, i, captured[i]);
    gmt_put_varint(b, count);
    for (size_t i = 0; i < count; i++) {
        gmt_put_varint(b, i ? repeat[i].ordinal - repeat[i - 1].ordinal - 1 : repeat[i].ordinal);
        gmt_put_varint(b, kind[repeat[i].launch]);
    }
    free(kind);
    return !b->failed;
}

/* ------------------------------------------------------------------------------------- reading */

static bool same_shape(const gmtrace_launch *a, const gmtrace_launch *b)
{
    return a->kernel == b->kernel && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 &&
           a->dynamic_shared == b->dynamic_shared;
}

/* The launches of a kind; *first is one of none until now. What they stand for is the kind's number
 * and 1 for now. */
static bool take_kind(gmt_view *view, gmtrace_reader *reader, uint64_t kind, uint32_t *first)
{
    const uint64_t count = gmt_take_varint(view);
    uint64_t at = 0;
    if (view->bad || !count || count > reader->launch_count)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t step = gmt_take_varint(view);
        if (view->bad || step >= reader->launch_count)
            return false;
        at = i ? at + 1 + step : step;
        if (at >= reader->launch_count)
            return false;
        *first = i ? *first : (uint32_t)at;
        gmtrace_launch *launch = &reader->launch[at].launch;
        if (launch->captured || !same_shape(launch, &reader->launch[*first].launch))
            return false;
        launch->like = *first;
        launch->captured = (uint32_t)count;
        launch->stands_for = kind + 1;
    }
    return true;
}

/* Each launch of a kind stands for its share of the kind's repeats: as equal as can be, so that the
 * shares add up. */
static void share(gmtrace_reader *reader, const uint64_t *repeats, uint32_t *shared)
{
    for (uint32_t i = 0; i < reader->launch_count; i++) {
        gmtrace_launch *launch = &reader->launch[i].launch;
        if (!launch->captured)
            continue;
        const uint64_t kind = launch->stands_for - 1;
        launch->stands_for = 1 + repeats[kind] / launch->captured +
                             (shared[kind]++ < repeats[kind] % launch->captured);
    }
}

void gmt_reader_all_captured(gmtrace_reader *reader)
{
    uint64_t next = 0;
    for (uint32_t i = 0; i < reader->launch_count; i++) {
        gmtrace_launch *launch = &reader->launch[i].launch;
        const uint64_t before = next;
        while (next < reader->repeat_count && reader->repeat[next].ordinal < launch->ordinal)
            next++;
        launch->unseen_before = next - before;
        if (!launch->captured) {
            launch->like = i;
            launch->captured = 1;
        }
        if (!launch->stands_for)
            launch->stands_for = 1;
    }
}

static bool take_repeats(gmt_view *view, gmtrace_reader *reader, const uint32_t *first,
                         uint64_t *named, uint64_t kinds)
{
    gmtrace_repeat *repeat = reader->repeat;
    for (uint64_t i = 0; i < reader->repeat_count; i++) {
        const uint64_t step = gmt_take_varint(view), kind = gmt_take_varint(view);
        const uint64_t before = i ? repeat[i - 1].ordinal : 0;
        repeat[i].ordinal = i ? before + 1 + step : step;
        if (view->bad || kind >= kinds ||
            (i && (step == UINT64_MAX || repeat[i].ordinal <= before)))
            return false;
        repeat[i].launch = first[kind];
        named[kind]++;
    }
    for (uint64_t k = 0; k < kinds; k++)
        if (!named[k])
            return false;
    return true;
}

bool gmt_reader_repeats(gmtrace_reader *reader, uint64_t offset, gmtrace_error *error)
{
    gmt_section section;
    if (!gmt_reader_section(reader, offset, GMT_REPEATS, &section, error) ||
        !gmt_reader_payload(reader, &section, error))
        return false;
    gmt_view view = {.next = reader->raw.data, .end = reader->raw.data + reader->raw.size};
    const uint64_t kinds = gmt_take_varint(&view);
    bool good = !view.bad && kinds <= gmt_left(&view) / MIN_BYTES && kinds <= reader->launch_count;
    const size_t size = good ? (size_t)kinds : 0;
    uint32_t *first = malloc((size + 1) * sizeof *first);
    uint64_t *named = calloc(size + 1, sizeof *named);
    bool memory = first && named;
    for (uint64_t k = 0; memory && good && k < kinds; k++)
        good = take_kind(&view, reader, k, &first[k]);
    const uint64_t count = memory && good ? gmt_take_varint(&view) : 0;
    good = good && !view.bad && count && count <= gmt_left(&view) / MIN_BYTES;
    if (memory && good) {
        memory = gmt_claim(&reader->budget, (size_t)count * sizeof *reader->repeat, offset, error);
        reader->repeat = memory ? malloc((size_t)count * sizeof *reader->repeat) : NULL;
        reader->repeat_count = count;
        if (memory && !reader->repeat)
            memory = gmt_fail_memory(error);
        good = memory && take_repeats(&view, reader, first, named, kinds) && !gmt_left(&view);
    } else if (!memory) {
        gmt_fail_memory(error);
    }
    if (memory && good) {
        memset(first, 0, size * sizeof *first);
        share(reader, named, first);
    }
    free(first);
    free(named);
    if (!memory)
        return false;
    return good || gmt_fail(error, GMTRACE_CORRUPT, offset,
                            "section of repeated launches at byte %llu: wrong contents",
                            (unsigned long long)offset);
}

uint64_t gmtrace_repeat_count(const gmtrace_reader *reader)
{
    return reader->repeat_count;
}

const gmtrace_repeat *gmtrace_get_repeats(const gmtrace_reader *reader)
{
    return reader->repeat;
}
