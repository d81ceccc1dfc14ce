/* SPDX-License-Identifier: MIT
 *
 * writer_records.c - gmtrace_writer: which records share a chunk.
 *
 * CTAs that end with few records share chunks. A larger one is cut into slices of time: each chunk
 * holds the next share of every warp's stream, because a replay advances the warps of a CTA
 * together and should have one of its chunks open, not one a warp.
 */
#include "traces/format/writer.h"

#include <stdlib.h>

/* -------------------------------------------------------------------------------------- chunks */

/* Writes what the encoder holds; cta[] are its CTAs, ascending. */
static bool finish_chunk(gmtrace_writer *writer, bool continues, const uint64_t *cta,
                         size_t cta_count, gmtrace_error *error)
{
    uint32_t flags;
    const uint64_t records = writer->encoder.record_count;
    const uint64_t warps = writer->encoder.ended_warps;
    if (!gmt_encoder_finish(&writer->encoder, writer->launch_count, continues, &writer->payload,
                            &flags))
        return gmt_writer_stop_memory(writer, error);
    gmt_section section;
    gmtrace_error failure;
    if (!gmt_sink_section(&writer->sink, GMT_CHUNK, flags, writer->payload.data,
                          writer->payload.size, &section, &failure))
        return gmt_writer_stop(writer, &failure, error);
    gmt_map_add(&writer->map, section.offset, GMT_SECTION_SIZE + section.length, continues, cta,
                cta_count);
    writer->launch.records += records;
    writer->launch.warps += warps;
    writer->launch.ctas += continues ? 0 : cta_count;
    gmt_pending_release(&writer->pending);
    return true;
}

/* Moves the next `count` records of a warp into the encoder. */
static bool encode_warp(gmtrace_writer *writer, gmt_cta *cta, uint32_t warp, uint32_t count,
                        bool last)
{
    if (!gmt_encoder_segment(&writer->encoder, cta->number, warp, count, last))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const gmtrace_record *record = gmt_pending_take(&writer->pending, &cta->stream[warp]);
        if (!gmt_encoder_record(&writer->encoder, record, record + 1))
            return false;
        cta->decoded -= sizeof *record + gmt_lane_bytes(record);
    }
    return true;
}

/* Writes a CTA's records in slices of time. Before its end one record of each warp is kept back, so
 * that the warp's last segment, whenever it comes, has a record to mark. */
static bool write_cta(gmtrace_writer *writer, gmt_cta *cta, bool ended, gmtrace_error *error)
{
    const uint32_t warps = writer->pending.warps;
    const uint32_t kept = ended ? 0 : 1;
    const uint64_t parts = cta->decoded / GMT_CHUNK_TARGET + 1;
    uint32_t total[GMT_MAX_BLOCK / GMTRACE_WARP_LANES];
    for (uint32_t w = 0; w < warps; w++)
        total[w] = cta->stream[w].count ? cta->stream[w].count - kept : 0;
    for (uint64_t part = 0; part < parts; part++) {
        const bool last = ended && part == parts - 1;
        for (uint32_t w = 0; w < warps; w++) {
            const uint32_t count =
                (uint32_t)(total[w] * (part + 1) / parts) - (uint32_t)(total[w] * part / parts);
            if (count && !encode_warp(writer, cta, w, count, last))
                return gmt_writer_stop_memory(writer, error);
        }
        if (!writer->encoder.record_count)
            continue;
        if (!finish_chunk(writer, !last, &cta->number, 1, error))
            return false;
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    const gmt_cta *const *left = a, *const *right = b;
    return ((*left)->number > (*right)->number) - ((*left)->number < (*right)->number);
}

/* Writes the ended CTAs that wait, in order of their numbers. */
static bool write_shared(gmtrace_writer *writer, gmtrace_error *error)
{
    if (!writer->shared_count)
        return true;
    writer->order.size = writer->numbers.size = 0;
    for (gmt_cta *cta = writer->shared; cta; cta = cta->next)
        gmt_put(&writer->order, &cta, sizeof(gmt_cta *));
    gmt_cta **order = (gmt_cta **)(void *)writer->order.data;
    if (writer->order.failed)
        return gmt_writer_stop_memory(writer, error);
    qsort(order, writer->shared_count, sizeof *order, by_number);
    for (size_t i = 0; i < writer->shared_count; i++) {
        gmt_put64(&writer->numbers, 0);
        if (writer->numbers.failed)
            return gmt_writer_stop_memory(writer, error);
        ((uint64_t *)(void *)writer->numbers.data)[i] = order[i]->number;
        for (uint32_t w = 0; w < writer->pending.warps; w++) {
            const uint32_t count = order[i]->stream[w].count;
            if (count && !encode_warp(writer, order[i], w, count, true))
                return gmt_writer_stop_memory(writer, error);
        }
    }
    const bool done = finish_chunk(writer, false, (const uint64_t *)(void *)writer->numbers.data,
                                   writer->shared_count, error);
    for (size_t i = 0; i < writer->shared_count; i++)
        gmt_pending_recycle(&writer->pending, order[i]);
    writer->shared = NULL;
    writer->shared_count = 0;
    writer->shared_bytes = 0;
    return done;
}

/* Writes early: every open CTA at least half as large as the largest, in order of their numbers:
 * the table's own is another in each process. */
static bool relieve(gmtrace_writer *writer, gmtrace_error *error)
{
    if (!write_shared(writer, error))
        return false;
    const gmt_pending *pending = &writer->pending;
    uint64_t largest = 0;
    for (size_t i = 0; i < pending->table_size; i++)
        if (pending->table[i] && pending->table[i]->decoded > largest)
            largest = pending->table[i]->decoded;
    gmt_buffer *order = &writer->order;
    order->size = 0;
    for (size_t i = 0; i < pending->table_size; i++)
        if (pending->table[i] && pending->table[i]->decoded >= (largest + 1) / 2)
            gmt_put(order, &pending->table[i], sizeof(gmt_cta *));
    if (order->failed)
        return gmt_writer_stop_memory(writer, error);
    gmt_cta **cta = (gmt_cta **)(void *)order->data;
    const size_t count = order->size / sizeof *cta;
    if (count)
        qsort(cta, count, sizeof *cta, by_number);
    for (size_t i = 0; i < count; i++)
        if (!write_cta(writer, cta[i], false, error))
            return false;
    const size_t left = gmt_pending_bytes(pending);
    writer->trigger = left + left / 4 > writer->limit ? left + left / 4 : writer->limit;
    return true;
}

/* ------------------------------------------------------------------------------------- records */

static const char *check_append(const gmtrace_writer *writer, uint64_t cta, uint32_t warp,
                                const gmtrace_record *record, const uint64_t *address)
{
    if (!writer->open)
        return "a record comes outside a launch";
    if (cta >= writer->ctas || warp >= writer->pending.warps)
        return "a record's CTA or warp is outside the launch";
    if (record->mask == 0)
        return "a record's mask is empty";
    const char *problem = gmt_check_record(record, writer->instr_count);
    if (problem)
        return problem;
    if (address)
        return record->kind == GMTRACE_ACCESS ? NULL : "lane addresses come with no access";
    if (record->kind == GMTRACE_TENSOR)
        return record->map >= writer->maps.count       ? "a tensor copy's map was not given before"
               : record->shape || record->log2_columns ? "a record without lanes has a shape"
                                                       : NULL;
    if (record->map)
        return "a record that is no tensor copy has a tensor map";
    if (record->shape > GMTRACE_GRID)
        return "a record's shape needs lane addresses";
    const bool grid = record->shape == GMTRACE_GRID;
    if (grid ? record->log2_columns < 1 || record->log2_columns > 4
             : record->log2_columns || record->stride2)
        return "a record's shape contradicts its columns or second stride";
    if (record->kind != GMTRACE_ACCESS && (grid || record->stride))
        return "a record without lanes has a shape";
    return NULL;
}

bool gmtrace_writer_tensor_map(gmtrace_writer *writer, const uint64_t map[GMTRACE_TENSOR_WORDS],
                               uint16_t *number, gmtrace_error *error)
{
    if (!gmt_writer_usable(writer, error))
        return false;
    if (!writer->open)
        return gmt_writer_usage(error, "a tensor map comes outside a launch");
    const uint32_t found = gmt_tensor_maps_number(&writer->maps, map);
    if (found == UINT32_MAX)
        return gmt_writer_stop_memory(writer, error);
    if (found == GMT_MAX_MAPS)
        return gmt_writer_usage(error, "the launch uses more than 65536 tensor maps");
    *number = (uint16_t)found;
    return true;
}

bool gmtrace_writer_append(gmtrace_writer *writer, uint64_t cta, uint32_t warp,
                           const gmtrace_record *record, const uint64_t *address,
                           gmtrace_error *error)
{
    if (!gmt_writer_usable(writer, error))
        return false;
    const char *problem = check_append(writer, cta, warp, record, address);
    if (problem)
        return gmt_writer_usage(error, problem);
    gmt_pending *pending = &writer->pending;
    gmt_cta *open = gmt_pending_find(pending, cta);
    if (!open) {
        if (gmt_pending_has_ended(pending, cta))
            return gmt_writer_usage(error, "a record comes after the end of its CTA");
        open = gmt_pending_open(pending, cta);
    }
    gmtrace_record shaped = *record;
    uint64_t lanes[GMTRACE_WARP_LANES];
    const size_t lane_bytes = address ? gmt_pick_shape(&shaped, address, lanes) : 0;
    if (record->kind != GMTRACE_TENSOR)
        shaped.lanes = 0;
    gmtrace_record *kept = open ? gmt_pending_append(pending, open, warp, lane_bytes) : NULL;
    if (!kept)
        return gmt_writer_stop_memory(writer, error);
    *kept = shaped;
    memcpy(kept + 1, lanes, lane_bytes);
    return gmt_pending_bytes(pending) < writer->trigger || relieve(writer, error);
}

static bool end_cta(gmtrace_writer *writer, gmt_cta *cta, gmtrace_error *error)
{
    if (!gmt_pending_end(&writer->pending, cta))
        return gmt_writer_stop_memory(writer, error);
    bool done = true;
    if (cta->decoded > GMT_CHUNK_TARGET) {
        done = write_cta(writer, cta, true, error);
        gmt_pending_recycle(&writer->pending, cta);
        return done;
    }
    if (cta->decoded == 0) {
        gmt_pending_recycle(&writer->pending, cta);
        return true;
    }
    if (writer->shared_bytes + cta->decoded > GMT_CHUNK_TARGET)
        done = write_shared(writer, error);
    cta->next = writer->shared;
    writer->shared = cta;
    writer->shared_count++;
    writer->shared_bytes += cta->decoded;
    return done;
}

bool gmt_write_rest(gmtrace_writer *writer, gmtrace_error *error)
{
    gmt_pending *pending = &writer->pending;
    gmt_buffer left = {0};
    for (size_t i = 0; i < pending->table_size; i++)
        if (pending->table[i])
            gmt_put(&left, &pending->table[i], sizeof(gmt_cta *));
    gmt_cta **cta = (gmt_cta **)(void *)left.data;
    const size_t count = left.size / sizeof *cta;
    bool done = !left.failed || gmt_writer_stop_memory(writer, error);
    if (done && count)
        qsort(cta, count, sizeof *cta, by_number);
    for (size_t i = 0; i < count && done; i++)
        done = end_cta(writer, cta[i], error);
    gmt_buffer_free(&left);
    return done && write_shared(writer, error);
}

bool gmtrace_writer_end_cta(gmtrace_writer *writer, uint64_t cta, gmtrace_error *error)
{
    if (!gmt_writer_usable(writer, error))
        return false;
    if (!writer->open || cta >= writer->ctas)
        return gmt_writer_usage(error, "a CTA ends outside its launch");
    if (gmt_pending_has_ended(&writer->pending, cta))
        return gmt_writer_usage(error, "a CTA ends twice");
    gmt_cta *open = gmt_pending_open(&writer->pending, cta);
    return open ? end_cta(writer, open, error) : gmt_writer_stop_memory(writer, error);
}
