/* SPDX-License-Identifier: MIT
 *
 * tensor.c - tensor copies in records, which have a field for each of their numbers, and the tensor
 * maps of a launch. A kernel may edit its maps as it runs, so there may be many.
 */
#include "traces/format/tensor.h"

#include <stdlib.h>

void gmtrace_get_tensor_copy(const gmtrace_record *record, gmtrace_tensor_copy *copy)
{
    *copy = (gmtrace_tensor_copy){
        .coordinate = {(int32_t)record->aux, record->stride, record->stride2,
                       (int32_t)record->lanes, (int32_t)(record->address >> 32)},
        .shared = (uint32_t)record->address,
        .barrier = (uint32_t)record->aux64,
        .multicast = (uint16_t)(record->aux64 >> 32),
        .im2col = (uint16_t)(record->aux64 >> 48),
        .map = record->map,
    };
}

void gmtrace_put_tensor_copy(gmtrace_record *record, const gmtrace_tensor_copy *copy)
{
    record->address = (uint64_t)(uint32_t)copy->coordinate[4] << 32 | copy->shared;
    record->aux64 = (uint64_t)copy->im2col << 48 | (uint64_t)copy->multicast << 32 | copy->barrier;
    record->aux = (uint32_t)copy->coordinate[0];
    record->stride = copy->coordinate[1];
    record->stride2 = copy->coordinate[2];
    record->lanes = (uint32_t)copy->coordinate[3];
    record->map = copy->map;
    record->shape = GMTRACE_AFFINE;
    record->log2_columns = record->size = 0;
}

/* ------------------------------------------------------------------------------------- writing */

void gmt_tensor_maps_clear(gmt_tensor_maps *maps)
{
    if (maps->count)
        memset(maps->table, 0, maps->places * sizeof *maps->table);
    maps->words.size = 0;
    maps->count = maps->last = 0;
}

void gmt_tensor_maps_free(gmt_tensor_maps *maps)
{
    gmt_buffer_free(&maps->words);
    free(maps->table);
}

static const uint8_t *map_at(const gmt_tensor_maps *maps, uint32_t number)
{
    return maps->words.data + number * GMT_MAP_BYTES;
}

/* Where the map is, or would be. There is a free place. */
static uint32_t *find(const gmt_tensor_maps *maps, const uint8_t *bytes)
{
    uint32_t place = (uint32_t)gmt_hash(bytes, GMT_MAP_BYTES, 0) & (maps->places - 1);
    while (maps->table[place] && memcmp(map_at(maps, maps->table[place] - 1), bytes, GMT_MAP_BYTES))
        place = (place + 1) & (maps->places - 1);
    return &maps->table[place];
}

static bool grow(gmt_tensor_maps *maps)
{
    const uint32_t places = maps->places ? maps->places * 2 : 16;
    uint32_t *table = calloc(places, sizeof *table);
    if (!table)
        return false;
    free(maps->table);
    maps->table = table;
    maps->places = places;
    for (uint32_t i = 0; i < maps->count; i++)
        *find(maps, map_at(maps, i)) = i + 1;
    return true;
}

uint32_t gmt_tensor_maps_number(gmt_tensor_maps *maps, const uint64_t map[GMTRACE_TENSOR_WORDS])
{
    uint8_t bytes[GMT_MAP_BYTES];
    for (unsigned i = 0; i < GMTRACE_TENSOR_WORDS; i++)
        gmt_set64(bytes + 8 * i, map[i]);
    if (maps->count && memcmp(map_at(maps, maps->last), bytes, sizeof bytes) == 0)
        return maps->last;
    if (maps->places <= maps->count * 2 && !grow(maps))
        return UINT32_MAX;
    uint32_t *place = find(maps, bytes);
    if (!*place) {
        if (maps->count == GMT_MAX_MAPS)
            return GMT_MAX_MAPS;
        gmt_put(&maps->words, bytes, sizeof bytes);
        if (maps->words.failed)
            return UINT32_MAX;
        *place = ++maps->count;
    }
    return maps->last = *place - 1;
}
