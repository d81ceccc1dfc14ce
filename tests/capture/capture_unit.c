/* SPDX-License-Identifier: MIT
 *
 * capture_unit.c - gmcapture's host side without a GPU: a thread plays the patched kernels and
 * writes records into a ring; what the consumer makes of them is read back from the trace.
 */
#include "tests/capture/card.h"
#include "traces/capture/open_ctas.h"

/* ------------------------------------------------------------------------------ one record each */

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
        {GMC_CALL, GMTRACE_EXEC, GMTRACE_OP_NONE, 0, 0, 0},
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
    cell = (gmc_cell){.mask = 1, .mark = GMC_MARK(GMC_CALL, GMC_AFFINE, 0), .pc = GMC_FAR_PC};
    g_assert_false(gmc_decode(&code, &cell, NULL, &record, address, &has)); /* of what code? */
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

enum { CTAS = 40, WARPS = 3, ROUNDS = 60 };

static uint64_t far_address(uint32_t cta, unsigned warp, unsigned round, unsigned lane)
{
    return (uint64_t)lane * lane << 34 | (uint64_t)cta << 20 | warp << 16 | round << 2;
}

static int32_t near_distance(unsigned round, unsigned lane)
{
    return (int32_t)(lane * lane * 4) - (int32_t)round * 64;
}

/* Rounds in turn: affine, near, far. The warps of 8 CTAs at a time run mixed. */
static void play(card *at, bool dies)
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
                        card_put(at, cell, NULL, 0);
                    } else if (round % 3 == 0) {
                        cell.address = 0x1000 + round * 128;
                        cell.stride = 4;
                        cell.mark = GMC_MARK(GMC_GLOBAL, GMC_AFFINE, warp);
                        card_put(at, cell, NULL, 0);
                    } else if (round % 3 == 1) {
                        cell.address = 0x100000;
                        cell.mark = GMC_MARK(GMC_GLOBAL, GMC_NEAR, warp);
                        card_put(at, cell, near, 4 * lanes);
                    } else {
                        cell.mark = GMC_MARK(GMC_GLOBAL, GMC_FAR, warp);
                        card_put(at, cell, far, 8 * lanes);
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

static void check_trace(gmtrace_reader *reader)
{
    gmtrace_error error = {0};
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
}

static void run_launch(bool dies)
{
    card *at = card_open(table, G_N_ELEMENTS(table));
    card_launch(at, (gmc_job){.code = &code, .threads = 80}, CTAS);
    play(at, dies);
    const gmc_result result = card_finish(at);
    g_assert_cmpuint(result.tail, ==, at->head);
    g_assert_cmpuint(result.unknown_pc, ==, 0);
    g_assert_true(result.sound == !dies);
    for (unsigned i = 0; i < CELLS; i++) /* the ring is as at the start */
        g_assert_cmphex(at->ring[i].mark, ==, 0);
    if (!dies)
        g_assert_cmpuint(result.records, ==, CTAS * WARPS * ROUNDS);
    card_written(at);
    gmtrace_reader *reader = card_read(at);
    if (!dies)
        check_trace(reader);
    card_close(at);
}

/* Code that no table has may call, too: of that nothing is recorded, and nothing is lost. */
static void test_unknown_call(void)
{
    card *at = card_open(table, G_N_ELEMENTS(table));
    card_launch(at, (gmc_job){.code = &code, .threads = 32}, 1);
    for (unsigned known = 0; known < 2; known++)
        card_put(at,
                 (gmc_cell){.pc = known ? 0 : GMC_FAR_PC,
                            .mask = 7,
                            .mark = GMC_MARK(GMC_CALL, GMC_AFFINE, 0)},
                 NULL, 0);
    card_exit(at, 0, 0, 0, UINT32_MAX);
    const gmc_result result = card_finish(at);
    g_assert_true(result.sound);
    g_assert_cmpuint(result.odd, ==, 0);
    g_assert_cmpuint(result.records, ==, 1);
    card_written(at);
    gmtrace_error error = {0};
    gmtrace_record record[1] = {{0}};
    g_assert_true(gmtrace_select_launch(card_read(at), 0, &error));
    g_assert_cmpuint(card_records(at, 0, 0, record, 1), ==, 1);
    g_assert_cmpuint(record[0].mask, ==, 7);
    card_close(at);
}

/* One launch with a record that no trace can hold, and with lanes that go to several mbarriers: it
 * alone is marked, and what else it did is there. */
static void test_odd_launch(void)
{
    gmtrace_error error = {0};
    card *at = card_open(table, G_N_ELEMENTS(table));
    for (unsigned odd = 0; odd < 2; odd++) {
        card_launch(at, (gmc_job){.code = &code, .threads = 32}, 1);
        card_put(at,
                 (gmc_cell){.address = 64,
                            .stride = 8,
                            .aux = 2,
                            .mask = 7,
                            .mark = GMC_MARK(GMC_MBARRIER, GMC_AFFINE, 0)},
                 NULL, 0);
        card_put(at,
                 (gmc_cell){.address = 64,
                            .aux = (odd ? 24 : 4) | 1 << 8,
                            .pc = GMC_FAR_PC,
                            .mask = 7,
                            .mark = GMC_MARK(GMC_SHARED, GMC_AFFINE, 0)},
                 NULL, 0);
        card_exit(at, 0, 0, 0, UINT32_MAX);
        const gmc_result result = card_finish(at);
        g_assert_true(result.sound);
        g_assert_cmpuint(result.odd, ==, odd);
        g_assert_cmpuint(result.records, ==, 4 - odd);
        if (odd)
            g_assert_true(gmtrace_writer_lose(at->writer, "odd", &error));
        card_written(at);
    }

    gmtrace_reader *reader = card_read(at);
    g_assert_true(gmtrace_get_launch(reader, 0)->complete);
    g_assert_null(gmtrace_get_launch(reader, 0)->lost);
    g_assert_false(gmtrace_get_launch(reader, 1)->complete);
    g_assert_cmpstr(gmtrace_get_launch(reader, 1)->lost, ==, "odd");
    gmtrace_record record[3];
    g_assert_true(gmtrace_select_launch(reader, 1, &error));
    g_assert_cmpuint(card_records(at, 0, 0, record, 3), ==, 3);
    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmpuint(record[i].kind, ==, GMTRACE_MBARRIER);
        g_assert_cmphex(record[i].mask, ==, 1u << i);
        g_assert_cmphex(record[i].address, ==, 64 + 8 * i);
    }
    card_close(at);
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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/capture/decode-affine", test_decode_affine);
    g_test_add_func("/capture/decode-cluster-window", test_decode_cluster_window);
    g_test_add_func("/capture/decode-payload", test_decode_payload);
    g_test_add_func("/capture/decode-events", test_decode_events);
    g_test_add_func("/capture/decode-size", test_decode_size);
    g_test_add_func("/capture/odd-launch", test_odd_launch);
    g_test_add_func("/capture/unknown-call", test_unknown_call);
    g_test_add_func("/capture/open-ctas", test_open_ctas);
    g_test_add_func("/capture/launch", test_launch);
    g_test_add_func("/capture/dying-launch", test_dying_launch);
    return g_test_run();
}
