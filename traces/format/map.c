/* SPDX-License-Identifier: MIT
 *
 * map.c - the MAP section (FORMAT.md, "MAP") and the look-up table made of it: a dense array over
 * the launch's CTA numbers, or sorted numbers where a sliced trace leaves large gaps.
 */
#include "traces/format/map.h"
#include "traces/format/grow.h"

void gmt_map_start(gmt_map_builder *builder, uint64_t launch_end)
{
    builder->body.size = 0;
    builder->body.failed = false;
    builder->chunks = 0;
    builder->end = builder->launch_end = launch_end;
}

void gmt_map_add(gmt_map_builder *builder, uint64_t offset, uint64_t length, bool continues,
                 const uint64_t *cta, size_t cta_count)
{
    gmt_buffer *b = &builder->body;
    gmt_put_varint(b, offset - builder->end);
    gmt_put_varint(b, length);
    size_t runs = 0;
    for (size_t i = 0; i < cta_count; i++)
        runs += i == 0 || cta[i] != cta[i - 1] + 1;
    gmt_put_varint(b, (uint64_t)runs << 1 | continues);
    uint64_t after = 0; /* the CTA after the last run */
    for (size_t i = 0; i < cta_count;) {
        size_t end = i + 1;
        while (end < cta_count && cta[end] == cta[end - 1] + 1)
            end++;
        gmt_put_varint(b, cta[i] - after);
        gmt_put_varint(b, end - i - 1);
        after = cta[end - 1] + 1;
        i = end;
    }
    builder->end = offset + length;
    builder->chunks++;
}

void gmt_map_finish(const gmt_map_builder *builder, uint32_t launch, gmt_buffer *raw)
{
    gmt_put_varint(raw, launch);
    gmt_put_varint(raw, builder->chunks);
    gmt_put(raw, builder->body.data, builder->body.size);
}

/* --------------------------------------------------------------------------------------- table */

void gmt_map_init(gmt_map *map)
{
    memset(map, 0, sizeof *map);
    map->launch = GMTRACE_UNKNOWN;
}

void gmt_map_clear(gmt_map *map)
{
    free(map->offset);
    free(map->length);
    free(map->next);
    free(map->first);
    free(map->number);
    free(map->tail);
    if (map->budget)
        gmt_give_back(map->budget, map->claimed);
    gmt_map_init(map);
}

bool gmt_map_add_chunk(gmt_map *map, uint64_t offset, uint64_t length)
{
    if (map->chunk_count == GMT_LOST_CHUNK || !GMT_GROW(map->offset, map->chunk_count) ||
        !GMT_GROW(map->length, map->chunk_count))
        return false;
    map->offset[map->chunk_count] = offset;
    map->length[map->chunk_count] = (uint32_t)length;
    map->chunk_count++;
    return true;
}

static const char no_memory[] = "out of memory";

static bool bad(gmtrace_error *error, uint64_t at, const char *problem)
{
    if (problem == no_memory)
        return gmt_fail_memory(error);
    return gmt_fail(error, GMTRACE_CORRUPT, at, "map section at byte %llu: %s",
                    (unsigned long long)at, problem);
}

/* ----------------------------------------------------------------------------------- CTA index */

bool gmt_map_index_begin(gmt_map *map, uint64_t lowest, uint64_t highest, uint64_t count,
                         uint64_t at, gmt_budget *budget, gmtrace_error *error)
{
    map->base = lowest;
    map->span = count ? highest - lowest + 1 : 0;
    const bool dense = map->span <= 2 * count + 4096;
    if (!dense)
        for (map->span = 64; map->span < 2 * count;)
            map->span *= 2;
    const size_t size = (size_t)map->span + 1, chunks = (size_t)map->chunk_count + 1;
    const uint64_t bytes =
        size * (dense ? sizeof *map->first : sizeof *map->first + sizeof *map->number) +
        chunks * (sizeof *map->next + sizeof *map->tail);
    if (!gmt_claim(budget, bytes, at, error))
        return false;
    map->budget = budget;
    map->claimed = bytes;
    map->first = malloc(size * sizeof *map->first);
    map->number = dense ? NULL : malloc(size * sizeof *map->number);
    map->next = malloc(chunks * sizeof *map->next);
    map->tail = malloc(chunks * sizeof *map->tail);
    if (!map->first || (!dense && !map->number) || !map->next || !map->tail)
        return gmt_fail_memory(error);
    for (size_t i = 0; i < size; i++)
        map->first[i] = GMT_NO_CHUNK;
    for (size_t i = 0; i < chunks; i++)
        map->next[i] = GMT_NO_CHUNK;
    return true;
}

/* The table's place for a CTA: its own, or the free one where it belongs; NULL outside. */
static uint32_t *slot_of(const gmt_map *map, uint64_t cta)
{
    if (!map->number)
        return cta - map->base < map->span ? &map->first[cta - map->base] : NULL;
    const uint64_t last = map->span - 1;
    uint64_t i = gmt_scatter(cta) & last;
    while (map->first[i] != GMT_NO_CHUNK && map->number[i] != cta)
        i = (i + 1) & last;
    return &map->first[i];
}

const char *gmt_map_index_put(gmt_map *map, uint64_t cta, uint32_t chunk, bool continues)
{
    uint32_t *slot = slot_of(map, cta);
    if (!slot)
        return "a CTA number is outside the launch's range";
    if (*slot == GMT_NO_CHUNK) {
        *slot = chunk;
        if (map->number)
            map->number[slot - map->first] = cta;
    } else {
        const uint32_t before = map->tail[*slot];
        if (map->next[*slot] == GMT_NO_CHUNK || map->next[before] != GMT_LOST_CHUNK)
            return "a CTA begins twice";
        map->next[before] = chunk;
    }
    if (continues)
        map->next[chunk] = GMT_LOST_CHUNK; /* until its successor comes */
    if (continues || *slot != chunk)
        map->tail[*slot] = chunk; /* such a chunk begins one CTA alone */
    return NULL;
}

void gmt_map_index_end(gmt_map *map)
{
    free(map->tail);
    map->tail = NULL;
}

uint32_t gmt_map_first(const gmt_map *map, uint64_t cta)
{
    const uint32_t *slot = map->first ? slot_of(map, cta) : NULL;
    return slot ? *slot : GMT_NO_CHUNK;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

bool gmt_map_list(const gmt_map *map, uint64_t **cta, size_t *count)
{
    *cta = NULL;
    *count = 0;
    for (uint64_t i = 0; map->first && i < map->span; i++)
        *count += map->first[i] != GMT_NO_CHUNK;
    if (*count == 0)
        return true;
    *cta = malloc(*count * sizeof **cta);
    if (!*cta)
        return false;
    size_t kept = 0;
    for (uint64_t i = 0; i < map->span; i++)
        if (map->first[i] != GMT_NO_CHUNK)
            (*cta)[kept++] = map->number ? map->number[i] : map->base + i;
    if (map->number)
        qsort(*cta, kept, sizeof **cta, by_number);
    return true;
}

/* --------------------------------------------------------------------------------------- parse */

typedef struct cta_range {
    uint64_t lowest, highest, count;
} cta_range;

/* One pass over the chunks: with map->next NULL it notes their places and measures the CTAs, with
 * the index begun it enters them. */
static const char *take_chunks(gmt_view view, uint64_t end, uint64_t file_size, uint64_t ctas,
                               uint64_t chunks, gmt_map *map, cta_range *range)
{
    const bool enter = map->next != NULL;
    for (uint64_t i = 0; i < chunks; i++) {
        const uint64_t gap = gmt_take_varint(&view), length = gmt_take_varint(&view);
        const uint64_t what = gmt_take_varint(&view), runs = what >> 1;
        if (view.bad || gap > file_size - end || length > file_size - end - gap ||
            length < GMT_SECTION_SIZE + GMT_CHUNK_PREFIX || length > GMT_MAX_CHUNK_RAW)
            return "a chunk lies outside the file";
        if (!enter && !gmt_map_add_chunk(map, end + gap, length))
            return no_memory;
        end += gap + length;
        uint64_t after = 0, count = 0;
        for (uint64_t k = 0; k < runs; k++) {
            const uint64_t skip = gmt_take_varint(&view), more = gmt_take_varint(&view);
            if (view.bad || skip >= ctas - after || more >= ctas - after - skip)
                return "a CTA number is outside the grid";
            const uint64_t first = after + skip;
            after = first + more + 1;
            count += more + 1;
            if (count > GMT_MAX_RECORDS)
                break;
            for (uint64_t cta = first; enter && cta < after; cta++) {
                const char *problem = gmt_map_index_put(map, cta, (uint32_t)i, what & 1);
                if (problem)
                    return problem;
            }
            range->lowest = first < range->lowest ? first : range->lowest;
            range->highest = after - 1 > range->highest ? after - 1 : range->highest;
        }
        if (count == 0 || count > GMT_MAX_RECORDS || (what & 1 && count != 1))
            return "a chunk has a wrong number of CTAs";
        range->count += count;
    }
    return gmt_left(&view) ? "wrong length" : NULL;
}

bool gmt_map_parse(const gmt_buffer *raw, uint64_t at, uint32_t launch, uint64_t launch_end,
                   uint64_t file_size, uint64_t ctas, bool index, gmt_budget *budget, gmt_map *map,
                   gmtrace_error *error)
{
    gmt_view view = {.next = raw->data, .end = raw->data + raw->size};
    if (gmt_take_varint(&view) != launch)
        return bad(error, at, "it belongs to another launch");
    const uint64_t chunks = gmt_take_varint(&view);
    if (view.bad || chunks > gmt_left(&view) / 5)
        return bad(error, at, "its counts exceed its length");
    cta_range range = {.lowest = UINT64_MAX};
    const char *problem = take_chunks(view, launch_end, file_size, ctas, chunks, map, &range);
    if (!problem && index) {
        if (!gmt_map_index_begin(map, range.lowest, range.highest, range.count, at, budget, error))
            return false;
        problem = take_chunks(view, launch_end, file_size, ctas, chunks, map, &range);
        for (uint32_t i = 0; !problem && i < map->chunk_count; i++)
            if (map->next[i] == GMT_LOST_CHUNK)
                problem = "a CTA has no end";
        gmt_map_index_end(map);
    }
    if (problem)
        return bad(error, at, problem);
    map->launch = launch;
    return true;
}
