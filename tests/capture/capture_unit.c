/* SPDX-License-Identifier: MIT
 *
 * capture_unit.c - gmcapture's host side without a GPU: a thread plays the patched kernels and
 * writes records into a ring; what the consumer makes of them is read back from the trace.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/capture/consumer.h"
#include "traces/capture/open_ctas.h"
#include "traces/capture/ranges.h"
#include "traces/capture/settings.h"

/* What the tests' traces say of themselves. */
static const gmtrace_capture capture = {
    .source = "test", .program = "", .gpu = "", .detail = GMTRACE_DETAIL_MEMORY};

/* ------------------------------------------------------------------------------ one record each */

#define INSTR(at, name, kind)                                                                      \
    {                                                                                              \
        .pc = at, .opcode = name, .operands = "", .op_class = kind, .file = GMTRACE_UNKNOWN,       \
        .target = GMTRACE_NO_INSTR, .predicate = GMTRACE_NO_REGISTER                               \
    }

static const gmtrace_instr table[] = {
    INSTR(0, "LDG.E", GMTRACE_CLASS_LOAD),
    INSTR(16, "REDG.E", GMTRACE_CLASS_REDUCTION),
    INSTR(32, "LDS", GMTRACE_CLASS_LOAD),
    INSTR(48, "ATOMG", GMTRACE_CLASS_ATOMIC),
};
static const gmc_range ranges[] = {{0, 3, 0}, {-100, 1, 3}};
static const gmc_code code = {table, 4, ranges, 2};

static gmtrace_record decode(const gmc_cell *cell, const gmc_cell *payload, uint64_t *address,
                             bool *has)
{
    gmtrace_record record;
    g_assert_true(gmc_decode(&code, cell, payload, &record, address, has));
    return record;
}

static void test_decode_affine(void)
{
    uint64_t address[32];
    bool has;
    gmc_cell cell = {.address = 0x7f0000001000,
                     .stride = (uint32_t)-8,
                     .aux = 4 | 1 << 8,
                     .mask = 0xf0,
                     .mark = GMC_MARK(GMC_GLOBAL, GMC_AFFINE, 3)};
    gmtrace_record record = decode(&cell, NULL, address, &has);
    g_assert_false(has);
    g_assert_cmpuint(record.kind, ==, GMTRACE_ACCESS);
    g_assert_cmpuint(record.op, ==, GMTRACE_OP_LOAD);
    g_assert_cmpuint(record.space, ==, GMTRACE_SPACE_GLOBAL);
    g_assert_cmpuint(record.size, ==, 4);
    g_assert_cmpint(record.stride, ==, -8);
    g_assert_cmphex(record.address, ==, 0x7f0000001000);
    g_assert_cmphex(record.mask, ==, 0xf0);
    g_assert_cmpuint(record.instr, ==, 0);

    cell.aux = 4 | 3 << 8; /* reads and writes */
    cell.pc = 1;
    g_assert_cmpuint(decode(&cell, NULL, address, &has).op, ==, GMTRACE_OP_REDUCTION);
    cell.pc = (uint32_t)-100;
    record = decode(&cell, NULL, address, &has);
    g_assert_cmpuint(record.op, ==, GMTRACE_OP_ATOMIC);
    g_assert_cmpuint(record.instr, ==, 3);
    cell.pc = 3; /* behind the kernel */
    g_assert_cmphex(decode(&cell, NULL, address, &has).instr, ==, GMTRACE_NO_INSTR);
    cell.pc = GMC_FAR_PC;
    g_assert_cmphex(decode(&cell, NULL, address, &has).instr, ==, GMTRACE_NO_INSTR);
}

/* In a cluster, shared addresses have the CTA's rank on top; the offset is what counts. */
static void test_decode_cluster_window(void)
{
    uint64_t address[32];
    bool has;
    gmc_cell cell = {.address = 0x3000400 - 16, /* of lane 0, which is not active */
                     .stride = 16,
                     .aux = 4 | 2 << 8,
                     .mask = 2,
                     .mark = GMC_MARK(GMC_SHARED, GMC_AFFINE, 0)};
    gmtrace_record record = decode(&cell, NULL, address, &has);
    g_assert_cmphex(record.address + 16, ==, 0x400);
    cell.mark = GMC_MARK(GMC_REMOTE_SHARED, GMC_AFFINE, 0);
    record = decode(&cell, NULL, address, &has);
    g_assert_cmphex(record.address, ==, 0x3000400 - 16);
    g_assert_cmpuint(record.space, ==, GMTRACE_SPACE_REMOTE_SHARED);
}

static void test_decode_payload(void)
{
    uint64_t address[32];
    bool has;
    gmc_cell payload[8];
    int32_t near[] = {0, -64, 1024};
    memcpy(payload, near, sizeof near);
    gmc_cell cell = {.address = 0x10000,
                     .aux = 16 | 2 << 8,
                     .mask = 1u << 3 | 1u << 9 | 1u << 31,
                     .mark = GMC_MARK(GMC_GLOBAL, GMC_NEAR, 0)};
    g_assert_cmpint(gmc_payload_cells(&cell), ==, 1);
    decode(&cell, payload, address, &has);
    g_assert_true(has);
    g_assert_cmphex(address[3], ==, 0x10000);
    g_assert_cmphex(address[9], ==, 0x10000 - 64);
    g_assert_cmphex(address[31], ==, 0x10400);

    uint64_t far[32];
    for (unsigned i = 0; i < 32; i++)
        far[i] = (uint64_t)i << 36 | i;
    memcpy(payload, far, sizeof far);
    cell.mask = 0xffffffff;
    cell.mark = GMC_MARK(GMC_GLOBAL, GMC_FAR, 0);
    g_assert_cmpint(gmc_payload_cells(&cell), ==, 8);
    decode(&cell, payload, address, &has);
    g_assert_true(memcmp(address, far, sizeof far) == 0);
    cell.mark = GMC_MARK(GMC_GLOBAL, 3, 0);
    g_assert_cmpint(gmc_payload_cells(&cell), ==, -1);
}

static void test_decode_events(void)
{
    static const struct {
        unsigned event;
        gmtrace_kind kind;
        gmtrace_op op;
        uint64_t address, aux64;
        uint32_t aux;
    } cases[] = {
        {GMC_BARRIER, GMTRACE_BARRIER, GMTRACE_OP_NONE, 0x1234, 0, 7},
        {GMC_CLUSTER_ARRIVE, GMTRACE_CLUSTER_ARRIVE, GMTRACE_OP_NONE, 0, 0, 0},
        {GMC_CLUSTER_WAIT, GMTRACE_CLUSTER_WAIT, GMTRACE_OP_NONE, 0, 0, 0},
        {GMC_SYNCWARP, GMTRACE_SYNCWARP, GMTRACE_OP_NONE, 0, 0, 7},
        {GMC_COPY_COMMIT, GMTRACE_COPY_COMMIT, GMTRACE_OP_NONE, 0, 0, 0},
        {GMC_COPY_WAIT, GMTRACE_COPY_WAIT, GMTRACE_OP_NONE, 0, 0, 7},
        {GMC_BULK_LOAD, GMTRACE_BULK, GMTRACE_OP_BULK_LOAD, 0x1234,
         GMTRACE_BULK_TO(0x1230, 0x4568, 3), 112},
        {GMC_BULK_STORE, GMTRACE_BULK, GMTRACE_OP_BULK_STORE, 0x80, 0x1234, 112},
        {GMC_BULK_SHARED, GMTRACE_BULK, GMTRACE_OP_BULK_COPY, 0x1234, 0x80, 112},
        {GMC_BULK_REDUCE_GLOBAL, GMTRACE_BULK, GMTRACE_OP_BULK_REDUCE, 0x80, 0x1234, 112},
        {GMC_WGMMA, GMTRACE_WGMMA, GMTRACE_OP_NONE, 0x1234, 0, 0x80 | 7 << 16},
    };
    uint64_t address[32];
    bool has;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmc_cell cell = {.address = 0x1234,
                         .stride = cases[i].event == GMC_BULK_LOAD ? GMC_TO(0x1230, 0x4568) : 0x80,
                         .aux = cases[i].event == GMC_BULK_LOAD ? 7 | 3 << 16 : 7,
                         .mask = 1,
                         .mark = GMC_MARK(cases[i].event, GMC_AFFINE, 0)};
        gmtrace_record record = decode(&cell, NULL, address, &has);
        g_assert_cmpuint(record.kind, ==, cases[i].kind);
        g_assert_cmpuint(record.op, ==, cases[i].op);
        g_assert_cmphex(record.address, ==, cases[i].address);
        g_assert_cmphex(record.aux64, ==, cases[i].aux64);
        g_assert_cmpuint(record.aux, ==, cases[i].aux);
    }
    gmc_cell cell = {.mask = 1, .mark = GMC_MARK(200, GMC_AFFINE, 0)};
    gmtrace_record record;
    g_assert_false(gmc_decode(&code, &cell, NULL, &record, address, &has));
}

/* ------------------------------------------------------------------------------------ open CTAs */

static void test_open_ctas(void)
{
    gmc_open_ctas open = {0};
    enum { COUNT = 20000 };
    /* Numbers that collide and numbers far apart, removed in another order. */
    for (uint32_t i = 0; i < COUNT; i++)
        g_assert_cmpuint(gmc_open_ctas_add(&open, i * 65536u + i % 3, 32), ==, 32);
    for (uint32_t i = 0; i < COUNT; i += 2)
        gmc_open_ctas_remove(&open, i * 65536u + i % 3);
    gmc_open_ctas_remove(&open, 77); /* never there */
    for (uint32_t i = 1; i < COUNT; i += 2)
        g_assert_cmpuint(gmc_open_ctas_add(&open, i * 65536u + i % 3, 5), ==, 37);
    g_assert_cmpuint(open.used, ==, COUNT / 2);
    gmc_open_ctas_clear(&open);
    g_assert_cmpuint(gmc_open_ctas_add(&open, 65537, 1), ==, 1);
    gmc_open_ctas_free(&open);
}

/* -------------------------------------------------------------------------------- a whole launch
 */

enum { CELLS = 64, CTAS = 40, WARPS = 3, ROUNDS = 60 };

typedef struct device {
    gmc_cell *ring;
    uint64_t *tail, head;
} device;

/* What a patched warp does: claim, wait for room, write, mark. */
static void put(device *at, gmc_cell header, const void *payload, size_t bytes)
{
    uint64_t cells = 1 + (bytes + 31) / 32, position = at->head;
    at->head += cells;
    while (at->head > CELLS + __atomic_load_n(at->tail, __ATOMIC_ACQUIRE))
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

static uint64_t far_address(uint32_t cta, unsigned warp, unsigned round, unsigned lane)
{
    return (uint64_t)lane * lane << 34 | (uint64_t)cta << 20 | warp << 16 | round << 2;
}

static int32_t near_distance(unsigned round, unsigned lane)
{
    return (int32_t)(lane * lane * 4) - (int32_t)round * 64;
}

/* Rounds in turn: affine, near, far. The warps of 8 CTAs at a time run mixed. */
static void play(device *at, bool dies)
{
    for (uint32_t wave = 0; wave < CTAS; wave += 8)
        for (unsigned round = 0; round <= ROUNDS; round++)
            for (uint32_t cta = wave; cta < wave + 8; cta++)
                for (unsigned warp = 0; warp < WARPS; warp++) {
                    uint32_t mask = warp == 2 ? 0xffff : 0xffffffff;
                    gmc_cell cell = {.cta = cta, .pc = round % 3, .aux = 4 | 1 << 8, .mask = mask};
                    int32_t near[32];
                    uint64_t far[32];
                    for (unsigned lane = 0; lane < 32; lane++) {
                        near[lane] = near_distance(round, lane);
                        far[lane] = far_address(cta, warp, round, lane);
                    }
                    unsigned lanes = (unsigned)__builtin_popcount(mask);
                    if (dies && cta == CTAS - 1 && round == ROUNDS / 2) {
                        at->head += 3; /* claimed, never written */
                        return;
                    }
                    if (round == ROUNDS) {
                        cell.mark = GMC_MARK(GMC_EXIT, GMC_AFFINE, warp);
                        put(at, cell, NULL, 0);
                    } else if (round % 3 == 0) {
                        cell.address = 0x1000 + round * 128;
                        cell.stride = 4;
                        cell.mark = GMC_MARK(GMC_GLOBAL, GMC_AFFINE, warp);
                        put(at, cell, NULL, 0);
                    } else if (round % 3 == 1) {
                        cell.address = 0x100000;
                        cell.mark = GMC_MARK(GMC_GLOBAL, GMC_NEAR, warp);
                        put(at, cell, near, 4 * lanes);
                    } else {
                        cell.mark = GMC_MARK(GMC_GLOBAL, GMC_FAR, warp);
                        put(at, cell, far, 8 * lanes);
                    }
                }
}

static uint64_t expected_address(uint32_t cta, unsigned warp, unsigned round, unsigned lane)
{
    if (round % 3 == 0)
        return 0x1000 + round * 128 + 4 * lane;
    if (round % 3 == 1)
        return 0x100000 + (uint64_t)(int64_t)near_distance(round, lane);
    return far_address(cta, warp, round, lane);
}

static void check_trace(const char *path)
{
    gmtrace_error error = {0};
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    g_assert_true(gmtrace_select_launch(reader, 0, &error));
    g_assert_cmpuint(gmtrace_get_launch(reader, 0)->ctas, ==, CTAS);
    for (uint32_t cta = 0; cta < CTAS; cta++)
        for (unsigned warp = 0; warp < WARPS; warp++) {
            gmtrace_cursor cursor;
            unsigned round = 0;
            g_assert_true(gmtrace_cursor_open(reader, &cursor, cta, warp, &error));
            while (cursor.next < cursor.end || gmtrace_cursor_refill(reader, &cursor, &error)) {
                uint64_t address[32];
                gmtrace_expand(cursor.chunk, cursor.next, address);
                g_assert_cmpuint(cursor.next->instr, ==, round % 3);
                for (unsigned lane = 0; lane < 32; lane++)
                    if (cursor.next->mask >> lane & 1)
                        g_assert_cmphex(address[lane], ==,
                                        expected_address(cta, warp, round, lane));
                cursor.next++;
                round++;
            }
            g_assert_cmpuint(round, ==, ROUNDS);
            gmtrace_cursor_close(reader, &cursor);
        }
    gmtrace_close(reader);
}

static void run_launch(bool dies)
{
    g_autofree char *folder = g_dir_make_tmp("capture-unit-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "t.trc", NULL);
    gmtrace_error error = {0};
    const gmtrace_kernel kernel = {
        .mangled = "k", .name = "k", .instr_count = G_N_ELEMENTS(table), .instr = table};
    const gmtrace_launch launch = {
        .grid = {CTAS, 1, 1}, .block = {80, 1, 1}, .cluster = {1, 1, 1}, .carveout_percent = -1};
    uint32_t index;
    gmtrace_writer *writer = gmtrace_writer_create(path, &capture, NULL, &error);
    g_assert_nonnull(writer);
    g_assert_true(gmtrace_writer_add_kernel(writer, &kernel, &index, &error));

    device at = {.ring = g_new0(gmc_cell, CELLS), .tail = g_new0(uint64_t, 1)};
    gmc_consumer *consumer = gmc_consumer_create(at.ring, CELLS, at.tail);
    const gmc_job job = {.writer = writer, .code = &code, .threads = 80};
    gmc_result result;
    g_assert_true(gmtrace_writer_begin_launch(writer, &launch, &error));
    gmc_consumer_start(consumer, &job);
    play(&at, dies);
    gmc_consumer_finish(consumer, at.head, &result);
    g_assert_cmpuint(result.tail, ==, at.head);
    g_assert_cmpuint(result.unknown_pc, ==, 0);
    g_assert_true(result.sound == !dies);
    for (unsigned i = 0; i < CELLS; i++) /* the ring is as at the start */
        g_assert_cmphex(at.ring[i].mark, ==, 0);
    if (!dies)
        g_assert_cmpuint(result.records, ==, CTAS * WARPS * ROUNDS);
    g_assert_true(gmtrace_writer_end_launch(writer, &error));
    g_assert_true(gmtrace_writer_close(writer, true, &error));
    if (!dies)
        check_trace(path);
    gmc_consumer_destroy(consumer);
    g_free(at.ring);
    g_free(at.tail);
    g_unlink(path);
    g_rmdir(folder);
}

/* One launch with a record that no trace can hold, and with lanes that go to several mbarriers: it
 * alone is marked, and what else it did is there. */
static void test_odd_launch(void)
{
    g_autofree char *folder = g_dir_make_tmp("capture-unit-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "t.trc", NULL);
    gmtrace_error error = {0};
    const gmtrace_kernel kernel = {
        .mangled = "k", .name = "k", .instr_count = G_N_ELEMENTS(table), .instr = table};
    const gmtrace_launch launch = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .cluster = {1, 1, 1}, .carveout_percent = -1};
    gmtrace_writer *writer = gmtrace_writer_create(path, &capture, NULL, &error);
    uint32_t index;
    g_assert_true(gmtrace_writer_add_kernel(writer, &kernel, &index, &error));
    device at = {.ring = g_new0(gmc_cell, CELLS), .tail = g_new0(uint64_t, 1)};
    gmc_consumer *consumer = gmc_consumer_create(at.ring, CELLS, at.tail);
    const gmc_job job = {.writer = writer, .code = &code, .threads = 32};
    for (unsigned odd = 0; odd < 2; odd++) {
        gmc_result result;
        g_assert_true(gmtrace_writer_begin_launch(writer, &launch, &error));
        gmc_consumer_start(consumer, &job);
        put(&at,
            (gmc_cell){.address = 64,
                       .stride = 8,
                       .aux = 2,
                       .mask = 7,
                       .mark = GMC_MARK(GMC_MBARRIER, GMC_AFFINE, 0)},
            NULL, 0);
        put(&at,
            (gmc_cell){.address = 64,
                       .aux = (odd ? 24 : 4) | 1 << 8,
                       .pc = GMC_FAR_PC,
                       .mask = 7,
                       .mark = GMC_MARK(GMC_SHARED, GMC_AFFINE, 0)},
            NULL, 0);
        put(&at, (gmc_cell){.mask = UINT32_MAX, .mark = GMC_MARK(GMC_EXIT, GMC_AFFINE, 0)}, NULL,
            0);
        gmc_consumer_finish(consumer, at.head, &result);
        g_assert_true(result.sound);
        g_assert_cmpuint(result.odd, ==, odd);
        g_assert_cmpuint(result.records, ==, 4 - odd);
        if (odd)
            g_assert_true(gmtrace_writer_lose(writer, "odd", &error));
        g_assert_true(gmtrace_writer_end_launch(writer, &error));
    }
    g_assert_true(gmtrace_writer_close(writer, true, &error));
    gmc_consumer_destroy(consumer);

    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    g_assert_null(gmtrace_damage(reader));
    g_assert_true(gmtrace_get_launch(reader, 0)->complete);
    g_assert_null(gmtrace_get_launch(reader, 0)->lost);
    g_assert_false(gmtrace_get_launch(reader, 1)->complete);
    g_assert_cmpstr(gmtrace_get_launch(reader, 1)->lost, ==, "odd");
    gmtrace_cursor cursor;
    g_assert_true(gmtrace_select_launch(reader, 1, &error));
    g_assert_true(gmtrace_cursor_open(reader, &cursor, 0, 0, &error));
    g_assert_cmpint(cursor.end - cursor.next, ==, 3);
    for (unsigned i = 0; i < 3; i++, cursor.next++) {
        g_assert_cmpuint(cursor.next->kind, ==, GMTRACE_MBARRIER);
        g_assert_cmphex(cursor.next->mask, ==, 1u << i);
        g_assert_cmphex(cursor.next->address, ==, 64 + 8 * i);
    }
    gmtrace_cursor_close(reader, &cursor);
    gmtrace_close(reader);
    g_free(at.ring);
    g_free(at.tail);
    g_unlink(path);
    g_rmdir(folder);
}

/* A size that no instruction has is replaced by the opcode's. */
static void test_decode_size(void)
{
    const gmtrace_instr wide = {.opcode = "LDS.128", .op_class = GMTRACE_CLASS_LOAD, .width = 16};
    const gmc_range all = {0, 1, 0};
    const gmc_code one = {&wide, 1, &all, 1};
    const uint32_t sizes[] = {12, 24, 48, 128, 255};
    gmtrace_record record;
    uint64_t address[32];
    bool has;
    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++) {
        gmc_cell cell = {
            .aux = sizes[i] | 1 << 8, .mask = 1, .mark = GMC_MARK(GMC_SHARED, GMC_AFFINE, 0)};
        g_assert_true(gmc_decode(&one, &cell, NULL, &record, address, &has));
        g_assert_cmpuint(record.size, ==, 16);
        g_assert_cmpuint(record.op, ==, GMTRACE_OP_LOAD);
        cell.pc = GMC_FAR_PC;
        g_assert_false(gmc_decode(&one, &cell, NULL, &record, address, &has));
    }
}

static void test_launch(void)
{
    run_launch(false);
}
static void test_dying_launch(void)
{
    run_launch(true);
}

/* ------------------------------------------------------------------------- kernels of a graph */

enum { NODES = 5, LINES = 2 }; /* two stretches: kernels 0, 2, 4 and 1; 3 is never run */

static struct {
    gmtrace_writer *writer;
    gmc_graph_kernel kernel[NODES];
    gmc_result result[NODES];
    uint32_t dynamic_shared[NODES], opened[NODES], count;
} graph;

static gmc_graph_kernel *graph_kernel(uint32_t number)
{
    return number < NODES ? &graph.kernel[number] : NULL;
}

static bool open_graph_launch(uint32_t number, uint32_t dynamic_shared, gmc_job *job)
{
    const gmtrace_launch launch = {.grid = {number + 1, 1, 1},
                                   .block = {32, 1, 1},
                                   .cluster = {1, 1, 1},
                                   .carveout_percent = -1,
                                   .ordinal = number};
    gmtrace_error error = {0};
    graph.opened[graph.count++] = number;
    graph.dynamic_shared[number] = dynamic_shared;
    *job = (gmc_job){.writer = graph.writer, .code = &code, .threads = 32};
    return gmtrace_writer_begin_launch(graph.writer, &launch, &error);
}

static void close_graph_launch(uint32_t number, const gmc_result *result)
{
    gmtrace_error error = {0};
    graph.result[number] = *result;
    g_assert_true(gmtrace_writer_end_launch(graph.writer, &error));
}

/* One report of a kernel in its stretch; the pc counts from the graph's first kernel. */
static void graph_put(device *at, unsigned stretch, uint32_t number, uint32_t event, uint32_t cta)
{
    gmc_cell cell = {.cta = cta,
                     .pc = (uint32_t)graph.kernel[number].entry,
                     .mask = UINT32_MAX,
                     .mark = GMC_MARK(event, GMC_AFFINE, 0) | stretch << 16};
    if (event == GMC_ENTER) {
        cell.address = graph.kernel[number].shape;
        cell.aux = 100 * number;
    } else if (event == GMC_GLOBAL) {
        cell.aux = 4 | 1 << 8;
    }
    put(at, cell, NULL, 0);
}

static void graph_run(device *at, unsigned stretch, uint32_t number)
{
    graph_put(at, stretch, number, GMC_GLOBAL, 0); /* CTA 0 may tell late */
    graph_put(at, stretch, number, GMC_ENTER, 0);
    for (uint32_t cta = 0; cta <= number; cta++) {
        graph_put(at, stretch, number, GMC_GLOBAL, cta);
        graph_put(at, stretch, number, GMC_EXIT, cta);
    }
}

/* Kernels 0 and 2 are one function's, with other grids. Kernel 1 runs beside 0, ends after 2 has
 * begun and before it ends; 4 is not captured. */
static void test_graph(void)
{
    g_autofree char *folder = g_dir_make_tmp("capture-unit-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "t.trc", NULL);
    gmtrace_error error = {0};
    const gmtrace_kernel kernel = {
        .mangled = "k", .name = "k", .instr_count = G_N_ELEMENTS(table), .instr = table};
    const gmc_turn_calls calls = {graph_kernel, open_graph_launch, close_graph_launch, 1 << 20};
    gmc_result left;
    uint32_t index;
    memset(&graph, 0, sizeof graph);
    for (uint32_t i = 0; i < NODES; i++)
        graph.kernel[i] = (gmc_graph_kernel){.entry = i == 2 ? 0 : -1000 * (int32_t)i,
                                             .length = 3,
                                             .shape = GMC_SHAPE(i + 1, 1, 1, 32, 1, 1),
                                             .threads = 32,
                                             .ctas = i + 1,
                                             .captured = i != 4};
    graph.writer = gmtrace_writer_create(path, &capture, NULL, &error);
    g_assert_true(gmtrace_writer_add_kernel(graph.writer, &kernel, &index, &error));
    device at = {.ring = g_new0(gmc_cell, CELLS), .tail = g_new0(uint64_t, 1)};
    gmc_consumer *consumer = gmc_consumer_create(at.ring, CELLS, at.tail);
    g_assert_true(gmc_consumer_start_graph(consumer, &calls));
    graph_put(&at, 1, 1, GMC_ENTER, 0);
    graph_put(&at, 1, 1, GMC_GLOBAL, 1);
    graph_run(&at, 4, 0);
    graph_run(&at, 4, 2);
    graph_put(&at, 1, 1, GMC_EXIT, 1);
    graph_put(&at, 1, 1, GMC_EXIT, 0);
    graph_run(&at, 4, 4);
    graph_put(&at, 3, 0, GMC_GLOBAL, 0); /* of a kernel that has run */
    gmc_consumer_finish(consumer, at.head, &left);
    g_assert_cmpuint(left.odd, ==, 1);
    g_assert_true(gmtrace_writer_close(graph.writer, true, &error));
    gmc_consumer_destroy(consumer);

    const uint32_t order[] = {1, 0, 2}, records[] = {2, 1, 4};
    g_assert_cmpuint(graph.count, ==, G_N_ELEMENTS(order));
    g_assert_false(graph.kernel[3].begun);
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    for (uint32_t i = 0; i < graph.count; i++) {
        const gmtrace_launch *launch = gmtrace_get_launch(reader, i);
        g_assert_cmpuint(launch->ordinal, ==, order[i]);
        g_assert_true(launch->complete);
        g_assert_cmpuint(launch->records, ==, records[order[i]]);
        g_assert_true(graph.result[order[i]].sound);
        g_assert_cmpuint(graph.result[order[i]].unknown_pc, ==, 0);
        g_assert_cmpuint(graph.dynamic_shared[order[i]], ==, 100 * order[i]);
    }
    gmtrace_close(reader);
    g_free(at.ring);
    g_free(at.tail);
    g_unlink(path);
    g_rmdir(folder);
}

/* ------------------------------------------------------------------- what no callback reports */

#define LOCAL(at, name, text, kind)                                                                \
    {                                                                                              \
        .pc = at, .opcode = name, .operands = text, .op_class = kind,                              \
        .space = GMTRACE_SPACE_LOCAL, .width = 4, .file = GMTRACE_UNKNOWN,                         \
        .target = GMTRACE_NO_INSTR, .predicate = GMTRACE_NO_REGISTER                               \
    }

/* Warp 0 makes a record, warp 1 exits without one; 24 of its lanes are threads. */
static void play_spills(device *at)
{
    for (uint32_t cta = 0; cta < CTAS; cta++) {
        gmc_cell cell = {.cta = cta, .pc = 2, .aux = 4 | 1 << 8, .mask = 0xffffffff};
        cell.mark = GMC_MARK(GMC_GLOBAL, GMC_AFFINE, 0);
        put(at, cell, NULL, 0);
        cell.mark = GMC_MARK(GMC_EXIT, GMC_AFFINE, 0);
        put(at, cell, NULL, 0);
        cell.mask = 0xffffff;
        cell.mark = GMC_MARK(GMC_EXIT, GMC_AFFINE, 1);
        put(at, cell, NULL, 0);
    }
}

static void check_warp(gmtrace_reader *reader, uint32_t cta, uint32_t warp, uint32_t mask,
                       const uint32_t *instr, unsigned count)
{
    gmtrace_error error = {0};
    gmtrace_cursor cursor;
    unsigned i = 0;
    g_assert_true(gmtrace_cursor_open(reader, &cursor, cta, warp, &error));
    while (cursor.next < cursor.end || gmtrace_cursor_refill(reader, &cursor, &error)) {
        g_assert_cmpuint(i, <, count);
        g_assert_cmpuint(cursor.next->instr, ==, instr[i++]);
        g_assert_cmphex(cursor.next->mask, ==, mask);
        cursor.next++;
    }
    g_assert_cmpuint(i, ==, count);
    gmtrace_cursor_close(reader, &cursor);
}

static void test_spills(void)
{
    gmtrace_instr spills[] = {LOCAL(0, "STL", "[R1+0x4], R2", GMTRACE_CLASS_STORE),
                              INSTR(16, "EXIT", GMTRACE_CLASS_EXIT),
                              INSTR(32, "LDG.E", GMTRACE_CLASS_LOAD),
                              LOCAL(48, "LDL", "R2, [R1+0x4]", GMTRACE_CLASS_LOAD),
                              INSTR(64, "EXIT", GMTRACE_CLASS_EXIT)};
    spills[1].predicate = 0;
    spills[2].space = GMTRACE_SPACE_GLOBAL;
    const uint32_t whole[] = {0, 2, 3}, early[] = {0};
    const gmc_range range = {0, G_N_ELEMENTS(spills), 0};
    const gmc_code its_code = {spills, G_N_ELEMENTS(spills), &range, 1};
    g_autofree char *folder = g_dir_make_tmp("capture-unit-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "t.trc", NULL);
    gmtrace_error error = {0};
    const gmtrace_kernel kernel = {
        .mangled = "k", .name = "k", .instr_count = G_N_ELEMENTS(spills), .instr = spills};
    const gmtrace_launch launch = {
        .grid = {CTAS, 1, 1}, .block = {56, 1, 1}, .cluster = {1, 1, 1}, .carveout_percent = -1};
    uint32_t index;
    gmtrace_unseen *slots;
    g_assert_true(gmtrace_unseen_create(spills, G_N_ELEMENTS(spills), &slots));
    gmtrace_writer *writer = gmtrace_writer_create(path, &capture, NULL, &error);
    g_assert_nonnull(writer);
    g_assert_true(gmtrace_writer_add_kernel(writer, &kernel, &index, &error));
    device at = {.ring = g_new0(gmc_cell, CELLS), .tail = g_new0(uint64_t, 1)};
    gmc_consumer *consumer = gmc_consumer_create(at.ring, CELLS, at.tail);
    const gmc_job job = {.writer = writer, .code = &its_code, .threads = 56, .slots = slots};
    gmc_result result;
    for (unsigned i = 0; i < 2; i++) { /* a launch leaves nothing behind for the next */
        g_assert_true(gmtrace_writer_begin_launch(writer, &launch, &error));
        gmc_consumer_start(consumer, &job);
        play_spills(&at);
        gmc_consumer_finish(consumer, at.head, &result);
        g_assert_true(result.sound);
        g_assert_cmpuint(result.records, ==, 4 * CTAS);
        g_assert_cmpuint(result.slots.accesses, ==, 3 * CTAS);
        g_assert_cmpuint(result.slots.lost + result.slots.ambiguous, ==, 0);
        g_assert_true(gmtrace_writer_end_launch(writer, &error));
    }
    g_assert_true(gmtrace_writer_close(writer, true, &error));
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    for (uint32_t i = 0; i < 2; i++) {
        g_assert_true(gmtrace_select_launch(reader, i, &error));
        for (uint32_t cta = 0; cta < CTAS; cta++) {
            check_warp(reader, cta, 0, 0xffffffff, whole, G_N_ELEMENTS(whole));
            check_warp(reader, cta, 1, 0xffffff, early, G_N_ELEMENTS(early));
        }
    }
    gmtrace_close(reader);
    gmc_consumer_destroy(consumer);
    gmtrace_unseen_free(slots);
    g_free(at.ring);
    g_free(at.tail);
    g_unlink(path);
    g_rmdir(folder);
}

/* cp.async has two reports; what follows it happens once, and behind both. Two lanes copy nothing.
 */
static void test_spill_behind_copy(void)
{
    gmtrace_instr spills[] = {INSTR(0, "LDGSTS.E", GMTRACE_CLASS_COPY_ASYNC),
                              LOCAL(16, "STL", "[R1+0x4], R2", GMTRACE_CLASS_STORE),
                              INSTR(32, "LDGSTS.E", GMTRACE_CLASS_COPY_ASYNC),
                              INSTR(48, "EXIT", GMTRACE_CLASS_EXIT)};
    const uint32_t wanted[] = {0, 0, 1, 2, 2};
    spills[0].space = spills[2].space = GMTRACE_SPACE_GLOBAL;
    const gmc_range range = {0, G_N_ELEMENTS(spills), 0};
    const gmc_code its_code = {spills, G_N_ELEMENTS(spills), &range, 1};
    g_autofree char *folder = g_dir_make_tmp("capture-unit-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "t.trc", NULL);
    gmtrace_error error = {0};
    const gmtrace_kernel kernel = {
        .mangled = "k", .name = "k", .instr_count = G_N_ELEMENTS(spills), .instr = spills};
    const gmtrace_launch launch = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .cluster = {1, 1, 1}, .carveout_percent = -1};
    uint32_t index;
    gmtrace_unseen *slots;
    gmc_result result;
    g_assert_true(gmtrace_unseen_create(spills, G_N_ELEMENTS(spills), &slots));
    gmtrace_writer *writer = gmtrace_writer_create(path, &capture, NULL, &error);
    g_assert_true(gmtrace_writer_add_kernel(writer, &kernel, &index, &error));
    device at = {.ring = g_new0(gmc_cell, CELLS), .tail = g_new0(uint64_t, 1)};
    gmc_consumer *consumer = gmc_consumer_create(at.ring, CELLS, at.tail);
    const gmc_job job = {.writer = writer, .code = &its_code, .threads = 32, .slots = slots};
    g_assert_true(gmtrace_writer_begin_launch(writer, &launch, &error));
    gmc_consumer_start(consumer, &job);
    for (uint32_t pc = 0; pc <= 2; pc += 2) {
        gmc_cell cell = {.pc = pc, .aux = 4, .mask = pc ? 0xfffffffc : UINT32_MAX};
        cell.mark = GMC_MARK(GMC_COPY_READ, GMC_AFFINE, 0);
        put(&at, cell, NULL, 0);
        cell.mask = UINT32_MAX;
        cell.mark = GMC_MARK(GMC_COPY_WRITE, GMC_AFFINE, 0);
        put(&at, cell, NULL, 0);
    }
    put(&at, (gmc_cell){.pc = 3, .mask = UINT32_MAX, .mark = GMC_MARK(GMC_EXIT, GMC_AFFINE, 0)},
        NULL, 0);
    gmc_consumer_finish(consumer, at.head, &result);
    g_assert_true(result.sound);
    g_assert_cmpuint(result.slots.lost, ==, 0);
    g_assert_true(gmtrace_writer_end_launch(writer, &error));
    g_assert_true(gmtrace_writer_close(writer, true, &error));
    gmtrace_reader *reader = gmtrace_open(path, &error);
    gmtrace_cursor cursor;
    unsigned i = 0;
    g_assert_true(gmtrace_select_launch(reader, 0, &error));
    g_assert_true(gmtrace_cursor_open(reader, &cursor, 0, 0, &error));
    while (cursor.next < cursor.end || gmtrace_cursor_refill(reader, &cursor, &error)) {
        if (i == G_N_ELEMENTS(wanted))
            g_assert_not_reached(); /* more than there are */
        g_assert_cmpuint(cursor.next->instr, ==, wanted[i]);
        g_assert_cmphex(cursor.next->mask, ==, i == 3 ? 0xfffffffc : UINT32_MAX);
        cursor.next++;
        i++;
    }
    gmtrace_cursor_close(reader, &cursor);
    g_assert_cmpuint(i, ==, G_N_ELEMENTS(wanted));
    gmtrace_close(reader);
    gmc_consumer_destroy(consumer);
    gmtrace_unseen_free(slots);
    g_free(at.ring);
    g_free(at.tail);
    g_unlink(path);
    g_rmdir(folder);
}

/* -------------------------------------------------------------------------------------- ranges */

/* NVTX ranges: each domain has its own stack, started ones are the process's. */
static void test_ranges(void)
{
    char reason[100];
    const void *other = reason;
    g_assert_false(gmc_ranges_init("regex:(", false, reason, sizeof reason));
    g_assert_false(gmc_ranges_init("d@/", false, reason, sizeof reason));
    g_assert_true(gmc_ranges_init("step/\nregex:^eval\nmine@part", false, reason, sizeof reason));
    g_assert_false(gmc_ranges_open());
    gmc_ranges_push(NULL, "", "step");
    gmc_ranges_push(other, "mine", "step"); /* of another domain */
    gmc_ranges_pop(NULL);
    g_assert_false(gmc_ranges_open());
    gmc_ranges_push(other, "mine", "part");
    gmc_ranges_pop(NULL); /* there is none */
    g_assert_true(gmc_ranges_open());
    gmc_ranges_profiler(false); /* nobody asked for that */
    g_assert_true(gmc_ranges_open());
    gmc_ranges_pop(other);
    gmc_ranges_pop(other);
    g_assert_false(gmc_ranges_open());
    const uint64_t pushed_only = gmc_ranges_start("", "step"),
                   id = gmc_ranges_start("", "evaluate");
    g_assert_true(gmc_ranges_open());
    gmc_ranges_end(id);
    g_assert_false(gmc_ranges_open());
    gmc_ranges_end(pushed_only);
    for (unsigned i = 0; i < 1000; i++) /* deeper than is kept */
        gmc_ranges_push(NULL, "", i ? "x" : "step");
    for (unsigned i = 0; i < 999; i++)
        gmc_ranges_pop(NULL);
    g_assert_true(gmc_ranges_open());
    gmc_ranges_pop(NULL);
    g_assert_false(gmc_ranges_open());
    g_assert_true(
        gmc_ranges_init(NULL, true, reason, sizeof reason)); /* none besides those above */
    gmc_ranges_push(NULL, "", "step");
    g_assert_false(gmc_ranges_open());
    gmc_ranges_profiler(true);
    g_assert_true(gmc_ranges_open());
    gmc_ranges_profiler(false);
    g_assert_false(gmc_ranges_open());
    gmc_ranges_pop(NULL);
}

/* -------------------------------------------------------------------------------------- settings
 */

static void test_sizes(void)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t size;
    } cases[] = {
        {"4096", true, 4096},       {"64k", true, 65536},     {"64M", true, 64u << 20},
        {"2G", true, 2147483648u},  {"1MiB", true, 1u << 20}, {"", false, 0},
        {"-1", false, 0},           {"64x", false, 0},        {"k", false, 0},
        {"99999999999G", false, 0}, {"1 M", false, 0},        {"0x10", false, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint64_t size = 0;
        g_assert_true(gmc_parse_size(cases[i].text, &size) == cases[i].good);
        if (cases[i].good)
            g_assert_cmpuint(size, ==, cases[i].size);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/capture/decode-affine", test_decode_affine);
    g_test_add_func("/capture/decode-cluster-window", test_decode_cluster_window);
    g_test_add_func("/capture/decode-payload", test_decode_payload);
    g_test_add_func("/capture/decode-events", test_decode_events);
    g_test_add_func("/capture/decode-size", test_decode_size);
    g_test_add_func("/capture/odd-launch", test_odd_launch);
    g_test_add_func("/capture/open-ctas", test_open_ctas);
    g_test_add_func("/capture/launch", test_launch);
    g_test_add_func("/capture/dying-launch", test_dying_launch);
    g_test_add_func("/capture/graph", test_graph);
    g_test_add_func("/capture/spills", test_spills);
    g_test_add_func("/capture/spill-behind-copy", test_spill_behind_copy);
    g_test_add_func("/capture/sizes", test_sizes);
    g_test_add_func("/capture/ranges", test_ranges);
    return g_test_run();
}
