/* SPDX-License-Identifier: MIT
 *
 * card.h - stands in for a card: a ring that the test fills as patched kernels would, gmcapture's
 * consumer at its other end, and the trace that comes of it.
 */
#ifndef GMSIM_TESTS_CARD_H
#define GMSIM_TESTS_CARD_H

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "traces/capture/consumer.h"

#define INSTR(at, name, kind)                                                                      \
    {                                                                                              \
        .pc = at, .opcode = name, .operands = "", .op_class = kind, .file = GMTRACE_UNKNOWN,       \
        .target = GMTRACE_NO_INSTR, .predicate = GMTRACE_NO_REGISTER                               \
    }

enum { CELLS = 64 };

typedef struct card {
    gmc_cell ring[CELLS];
    uint64_t tail, head;
    gmc_consumer *consumer;
    gmtrace_writer *writer;
    gmtrace_reader *reader;
    char *folder, *path;
} card;

/* A trace with one kernel, and nobody at work yet. */
static inline card *card_open(const gmtrace_instr *instr, uint32_t count)
{
    const gmtrace_capture capture = {
        .source = "test", .program = "", .gpu = "", .detail = GMTRACE_DETAIL_MEMORY};
    const gmtrace_kernel kernel = {
        .mangled = "k", .name = "k", .instr_count = count, .instr = instr};
    gmtrace_error error = {0};
    uint32_t index;
    card *at = g_new0(card, 1);
    at->folder = g_dir_make_tmp("capture-unit-XXXXXX", NULL);
    at->path = g_build_filename(at->folder, "t.trc", NULL);
    at->writer = gmtrace_writer_create(at->path, &capture, NULL, &error);
    g_assert_nonnull(at->writer);
    g_assert_true(gmtrace_writer_add_kernel(at->writer, &kernel, &index, &error));
    at->consumer = gmc_consumer_create(at->ring, CELLS, &at->tail);
    return at;
}

/* A launch begins, of CTAs in a row. */
static inline void card_launch(card *at, gmc_job job, uint32_t ctas)
{
    const gmtrace_launch launch = {.grid = {ctas, 1, 1},
                                   .block = {(uint16_t)job.threads, 1, 1},
                                   .cluster = {1, 1, 1},
                                   .carveout_percent = -1};
    gmtrace_error error = {0};
    g_assert_true(gmtrace_writer_begin_launch(at->writer, &launch, &error));
    job.writer = at->writer;
    gmc_consumer_start(at->consumer, &job);
}

/* What a patched warp does: claim, wait for room, write, mark. */
static inline void card_put(card *at, gmc_cell header, const void *payload, size_t bytes)
{
    uint64_t cells = 1 + (bytes + 31) / 32, position = at->head;
    at->head += cells;
    while (at->head > CELLS + __atomic_load_n(&at->tail, __ATOMIC_ACQUIRE))
        g_thread_yield();
    for (uint64_t i = 1; i < cells; i++) {
        size_t part = MIN(bytes - (i - 1) * 32, 32);
        memcpy(&at->ring[(position + i) % CELLS], (const char *)payload + (i - 1) * 32, part);
    }
    gmc_cell *cell = &at->ring[position % CELLS];
    uint32_t mark = header.mark;
    header.mark = 0;
    memcpy(cell, &header, offsetof(gmc_cell, mark));
    __atomic_store_n(&cell->mark, mark, __ATOMIC_RELEASE);
}

/* A warp's last word. */
static inline void card_exit(card *at, uint32_t cta, uint32_t pc, uint32_t warp, uint32_t mask)
{
    card_put(at,
             (gmc_cell){
                 .cta = cta, .pc = pc, .mask = mask, .mark = GMC_MARK(GMC_EXIT, GMC_AFFINE, warp)},
             NULL, 0);
}

/* The launch has ended; its part of the trace is written by card_written(). */
static inline gmc_result card_finish(card *at)
{
    gmc_result result;
    gmc_consumer_finish(at->consumer, at->head, &result);
    return result;
}

static inline void card_written(card *at)
{
    gmtrace_error error = {0};
    g_assert_true(gmtrace_writer_end_launch(at->writer, &error));
}

/* The trace, complete. */
static inline gmtrace_reader *card_read(card *at)
{
    gmtrace_error error = {0};
    g_assert_true(gmtrace_writer_close(at->writer, true, &error));
    at->reader = gmtrace_open(at->path, &error);
    g_assert_nonnull(at->reader);
    g_assert_true(gmtrace_verify(at->reader, &error));
    g_assert_null(gmtrace_damage(at->reader));
    return at->reader;
}

/* A warp's first records in a row, up to `most`; how many it has. */
static inline unsigned card_records(card *at, uint32_t cta, uint32_t warp, gmtrace_record *record,
                                    unsigned most)
{
    gmtrace_error error = {0};
    gmtrace_cursor cursor;
    unsigned count = 0;
    g_assert_true(gmtrace_cursor_open(at->reader, &cursor, cta, warp, &error));
    for (; cursor.next < cursor.end || gmtrace_cursor_refill(at->reader, &cursor, &error);
         cursor.next++, count++)
        if (count < most)
            record[count] = *cursor.next;
    gmtrace_cursor_close(at->reader, &cursor);
    return count;
}

static inline void card_close(card *at)
{
    gmtrace_close(at->reader);
    gmc_consumer_destroy(at->consumer);
    g_unlink(at->path);
    g_rmdir(at->folder);
    g_free(at->path);
    g_free(at->folder);
    g_free(at);
}

#endif
