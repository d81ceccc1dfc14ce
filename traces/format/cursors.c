/* SPDX-License-Identifier: MIT
 *
 * cursors.c - warps' ways through the chunks of the selected launch. A chunk is decoded once for
 * all cursors that stand in it, and for those that are expected. Several threads may move cursors
 * at once: who comes to a chunk first decodes it, alone, and who comes meanwhile waits for it. Only
 * what says which chunks there are is guarded.
 */
#include "traces/format/reader.h"

void gmt_reader_release_all(gmtrace_reader *reader)
{
    reader->idle = reader->idle_oldest = NULL;
    reader->idle_bytes = 0;
    for (uint32_t i = 0; reader->held && i < reader->selected.chunk_count; i++)
        if (reader->held[i])
            gmt_reader_drop(reader, reader->held[i]);
    free(reader->held);
    reader->held = NULL;
}

bool gmtrace_select_launch(gmtrace_reader *reader, uint32_t launch, gmtrace_error *error)
{
    gmt_clear(error);
    if (launch >= reader->launch_count)
        return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "the trace holds no such launch");
    if (reader->selected.launch == launch)
        return true;
    gmt_reader_release_all(reader);
    if (!gmt_reader_map(reader, launch, true, &reader->selected, error))
        return false;
    reader->held = calloc((size_t)reader->selected.chunk_count + 1, sizeof(gmt_held *));
    if (!reader->held) {
        gmt_map_clear(&reader->selected);
        return gmt_fail_memory(error);
    }
    return true;
}

bool gmtrace_list_ctas(const gmtrace_reader *reader, uint64_t **cta, size_t *count,
                       gmtrace_error *error)
{
    gmt_clear(error);
    if (reader->selected.launch >= reader->launch_count)
        return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "no launch is selected");
    return gmt_map_list(&reader->selected, cta, count) || gmt_fail_memory(error);
}

static void take_idle(gmtrace_reader *reader, gmt_held *held)
{
    *(held->newer ? &held->newer->older : &reader->idle) = held->older;
    *(held->older ? &held->older->newer : &reader->idle_oldest) = held->newer;
    held->newer = held->older = NULL;
    reader->idle_bytes -= held->capacity;
}

static void drop_idle(gmtrace_reader *reader, gmt_held *held)
{
    take_idle(reader, held);
    reader->held[held->number] = NULL;
    gmt_reader_drop(reader, held);
}

/* Bytes of chunks that all cursors have left, and that as a part of what the reader may hold. */
#define IDLE_BYTES (32u << 20)
#define IDLE_SHARE 32u

/* Of the chunks that all cursors have left that with the last one stays decoded: who reads warp by
 * warp comes back to it. So do those with segments where no cursor has been yet, the last of them
 * that there is room for: warps that run side by side follow each other. */
static void drop_left(gmtrace_reader *reader)
{
    if (reader->idle && !reader->idle->unread)
        drop_idle(reader, reader->idle); /* its storage is used again */
    const uint64_t limit = reader->budget.limit / IDLE_SHARE;
    while (reader->idle_bytes > (limit < IDLE_BYTES ? limit : IDLE_BYTES))
        drop_idle(reader, reader->idle_oldest);
}

/* One cursor less stands in the chunk, or waits for it. */
static void let_go(gmtrace_reader *reader, gmt_held *held)
{
    gmt_guard_take(&reader->guard);
    if (--held->references == 0 && held->state == GMT_HELD_THERE) {
        drop_left(reader);
        held->older = reader->idle;
        *(held->older ? &held->older->newer : &reader->idle_oldest) = held;
        reader->idle = held;
        reader->idle_bytes += held->capacity;
    } else if (held->references == 0) {
        reader->held[held->number] = NULL;
        gmt_reader_drop(reader, held);
    }
    gmt_guard_leave(&reader->guard);
}

static void leave(gmtrace_reader *reader, gmtrace_cursor *cursor)
{
    if (!cursor->chunk)
        return;
    gmt_held *held = (gmt_held *)(uintptr_t)cursor->chunk;
    cursor->chunk = NULL;
    cursor->next = cursor->end = NULL;
    let_go(reader, held);
}

/* A decoder that nobody uses. Call it, and put that back, with the guard taken. */
static gmt_decoder *take_decoder(gmtrace_reader *reader)
{
    gmt_decoder *decoder = reader->idle_decoder;
    if (decoder) {
        reader->idle_decoder = decoder->next;
        return decoder;
    }
    decoder = malloc(sizeof *decoder);
    if (decoder && !gmt_decoder_init(decoder, &reader->budget)) {
        gmt_decoder_free(decoder);
        free(decoder);
        return NULL;
    }
    return decoder;
}

static void put_decoder(gmtrace_reader *reader, gmt_decoder *decoder)
{
    decoder->next = reader->idle_decoder;
    reader->idle_decoder = decoder;
}

/* The chunk, which nobody else decodes. */
static void decode(gmtrace_reader *reader, gmt_decoder *decoder, gmt_held *held)
{
    const uint32_t number = held->number;
    const bool good = gmt_reader_decode(reader, decoder, reader->selected.offset[number],
                                        reader->selected.length[number], reader->selected.launch,
                                        held, &held->damage);
    held->unread = good ? held->chunk.segment_count : 0;
    atomic_store(&held->state, (uint8_t)(good ? GMT_HELD_THERE : GMT_HELD_DAMAGED));
    gmt_guard_take(&reader->guard);
    put_decoder(reader, decoder);
    gmt_guard_leave(&reader->guard);
}

/* A new one, with the guard taken; its decoder. NULL without memory. */
static gmt_held *begin(gmtrace_reader *reader, uint32_t number, gmt_decoder **decoder)
{
    drop_left(reader);
    gmt_held *held = gmt_reader_hold(reader, NULL);
    *decoder = held ? take_decoder(reader) : NULL;
    if (!*decoder) {
        if (held)
            gmt_reader_drop(reader, held);
        return NULL;
    }
    held->number = number;
    held->state = GMT_HELD_COMES;
    reader->held[number] = held;
    return held;
}

static bool enter(gmtrace_reader *reader, gmtrace_cursor *cursor, uint32_t number,
                  gmtrace_error *error)
{
    gmt_decoder *decoder = NULL;
    gmt_guard_take(&reader->guard);
    gmt_held *held = reader->held[number];
    if (!held)
        held = begin(reader, number, &decoder);
    else if (!held->references)
        take_idle(reader, held);
    if (held)
        held->references++;
    gmt_guard_leave(&reader->guard);
    if (!held)
        return gmt_fail_memory(error);
    if (decoder)
        decode(reader, decoder, held);
    for (unsigned look = 0; atomic_load(&held->state) == GMT_HELD_COMES;)
        gmt_look_again(&look);
    if (held->state == GMT_HELD_DAMAGED) {
        if (error)
            *error = held->damage;
        let_go(reader, held);
        return false;
    }
    cursor->chunk = &held->chunk;
    cursor->part = number;
    return true;
}

/* A cursor has come to one of the chunk's segments. */
static void read_segment(gmtrace_reader *reader, gmt_held *held)
{
    gmt_guard_take(&reader->guard);
    held->unread -= held->unread != 0;
    gmt_guard_leave(&reader->guard);
}

static const gmtrace_segment *find_segment(const gmtrace_chunk *chunk, uint64_t cta, uint32_t warp)
{
    uint32_t low = 0, high = chunk->segment_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const gmtrace_segment *segment = &chunk->segment[middle];
        if (segment->cta == cta && segment->warp == warp)
            return segment;
        if (segment->cta < cta || (segment->cta == cta && segment->warp < warp))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Stands the cursor, which is in no chunk, on the warp's next segment from chunk `number` on.
 * Returns false on damage only. At the end of the stream it is in no chunk, and its part says
 * whether that end is real. */
static bool seek(gmtrace_reader *reader, gmtrace_cursor *cursor, uint32_t number,
                 gmtrace_error *error)
{
    for (; number < reader->selected.chunk_count; number = reader->selected.next[number]) {
        if (!enter(reader, cursor, number, error))
            return false;
        const gmtrace_segment *segment = find_segment(cursor->chunk, cursor->cta, cursor->warp);
        if (segment) {
            cursor->next = cursor->chunk->record + segment->first;
            cursor->end = cursor->next + segment->count;
            read_segment(reader, (gmt_held *)(uintptr_t)cursor->chunk);
            return true;
        }
        leave(reader, cursor);
    }
    cursor->part = number;
    return true;
}

bool gmtrace_cursor_open(gmtrace_reader *reader, gmtrace_cursor *cursor, uint64_t cta,
                         uint32_t warp, gmtrace_error *error)
{
    gmt_clear(error);
    *cursor = (gmtrace_cursor){.cta = cta, .warp = warp, .part = GMT_NO_CHUNK};
    if (reader->selected.launch >= reader->launch_count)
        return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "no launch is selected");
    const gmtrace_launch *launch = &reader->launch[reader->selected.launch].launch;
    if (cta >= gmt_launch_ctas(launch) || warp >= gmt_launch_warps(launch))
        return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "the launch has no such CTA or warp");
    return seek(reader, cursor, gmt_map_first(&reader->selected, cta), error);
}

bool gmtrace_cursor_refill(gmtrace_reader *reader, gmtrace_cursor *cursor, gmtrace_error *error)
{
    gmt_clear(error);
    if (cursor->chunk) {
        const gmtrace_segment *segment = find_segment(cursor->chunk, cursor->cta, cursor->warp);
        const bool last = !segment || segment->last;
        leave(reader, cursor);
        if (last) {
            cursor->part = GMT_NO_CHUNK;
            return false;
        }
        if (!seek(reader, cursor, reader->selected.next[cursor->part], error))
            return false;
    }
    if (cursor->chunk)
        return true;
    if (cursor->part == GMT_LOST_CHUNK)
        gmt_fail(error, GMTRACE_TRUNCATED, reader->size,
                 "the trace is cut short inside CTA %llu, warp %u; capture it again",
                 (unsigned long long)cursor->cta, cursor->warp);
    return false;
}

void gmtrace_cursor_close(gmtrace_reader *reader, gmtrace_cursor *cursor)
{
    leave(reader, cursor);
}
