/* SPDX-License-Identifier: MIT
 *
 * tensor_unit.c - copies through tensor maps, from what the device writes to the trace's record,
 * and the code that makes them visible; encodings and addresses are those that an H200 showed.
 */
#include "tests/capture/card.h"
#include "traces/capture/tensor.h"
#include "traces/capture/tensor_code.h"

/* UTMALDG.2D, UTMALDG.2D.MULTICAST, UTMASTG.3D, UTMAREDG, UTMAPF, and one that is none of them. */
static const uint64_t encoding[][2] = {
    {0x00000014080075b4, 0x0001e20008008000}, {0x00000014080073b4, 0x0001e20008008800},
    {0x00000020160033b5, 0x0001e20008010000}, {0x0000000c040073b6, 0x0003d80008008000},
    {0x000000040a0075b8, 0x0001e40008008000}, {0x0000000000007918, 0x000fc00000000000},
};

enum { LOAD, MULTICAST, STORE, REDUCE, PREFETCH, NONE, COUNT };

static gmtrace_instr table[COUNT];
static const gmc_range range = {0, COUNT, 0};
static const gmc_code code = {table, COUNT, &range, 1};

static void make_table(void)
{
    for (unsigned i = 0; i < COUNT; i++)
        table[i] = (gmtrace_instr){.pc = 16 * i,
                                   .encoding = {encoding[i][0], encoding[i][1]},
                                   .opcode = "",
                                   .operands = "",
                                   .file = GMTRACE_UNKNOWN,
                                   .target = GMTRACE_NO_INSTR,
                                   .predicate = GMTRACE_NO_REGISTER};
}

/* Of rank 3; the CTA is the cluster's second. */
static const gmc_tensor told = {.coordinate = {11, 12, 13, 14, 15},
                                .args = 3u << 16 | 0x21,
                                .rank = 1,
                                .map = {0x7f0000000000, 2u << 4, 2, 3, 4, 5, 6, 7}};

static gmc_cell cell_of(unsigned instr)
{
    return (gmc_cell){.address = (uint64_t)0x01018400 << 32 | 0x01000400,
                      .pc = instr,
                      .mask = 1,
                      .mark = GMC_MARK(GMC_TENSOR, GMC_AFFINE, 0)};
}

static void check(unsigned instr, gmtrace_op op, const gmtrace_tensor_copy *want)
{
    const gmc_cell cell = cell_of(instr);
    gmc_cell payload[GMC_TENSOR_CELLS];
    gmtrace_record record;
    gmtrace_tensor_copy copy;
    uint64_t address[32];
    bool has;
    memcpy(payload, &told, sizeof told);
    g_assert_cmpint(gmc_payload_cells(&cell), ==, GMC_TENSOR_CELLS);
    g_assert_true(gmc_decode(&code, &cell, payload, &record, address, &has));
    g_assert_false(has);
    g_assert_cmpuint(record.kind, ==, GMTRACE_TENSOR);
    g_assert_cmpuint(record.op, ==, op);
    g_assert_cmpuint(record.space, ==, GMTRACE_SPACE_GLOBAL);
    gmtrace_get_tensor_copy(&record, &copy);
    g_assert_cmpint(memcmp(copy.coordinate, want->coordinate, sizeof copy.coordinate), ==, 0);
    g_assert_cmphex(copy.shared, ==, want->shared);
    g_assert_cmphex(copy.barrier, ==, want->barrier);
    g_assert_cmphex(copy.multicast, ==, want->multicast);
    g_assert_cmphex(copy.im2col, ==, want->im2col);
}

/* The operands of a store are told one place later than a load's, of a prefetch two. */
static void test_decode(void)
{
    const gmtrace_tensor_copy load = {.coordinate = {11, 12, 13},
                                      .shared = 0x400,
                                      .barrier = 0x18400,
                                      .multicast = 3,
                                      .im2col = 0x21},
                              store = {.coordinate = {0x01018400, 11, 12}, .shared = 0x400},
                              prefetch = {.coordinate = {0x01000400, 0x01018400, 11}};
    const gmc_cell none = cell_of(NONE), far = cell_of(COUNT);
    gmc_cell payload[GMC_TENSOR_CELLS];
    gmtrace_record record;
    uint64_t address[32];
    bool has;
    check(LOAD, GMTRACE_OP_BULK_LOAD, &load);
    check(MULTICAST, GMTRACE_OP_BULK_LOAD, &load);
    check(STORE, GMTRACE_OP_BULK_STORE, &store);
    check(REDUCE, GMTRACE_OP_BULK_REDUCE, &store);
    check(PREFETCH, GMTRACE_OP_PREFETCH, &prefetch);
    memcpy(payload, &told, sizeof told);
    g_assert_false(gmc_decode(&code, &none, payload, &record, address, &has));
    g_assert_false(gmc_decode(&code, &far, payload, &record, address, &has));
}

/* Through ring and consumer into a trace, each map once. */
static void test_launch(void)
{
    enum { COPIES = 5 };
    gmtrace_error error = {0};
    card *at = card_open(table, COUNT);
    card_launch(at, (gmc_job){.code = &code, .threads = 32}, 1);
    for (unsigned i = 0; i < COPIES; i++) {
        gmc_tensor tensor = told;
        tensor.map[0] += i % 2;
        card_put(at, cell_of(i % 2 ? STORE : LOAD), &tensor, sizeof tensor);
    }
    const gmc_result result = card_finish(at);
    g_assert_true(result.sound);
    g_assert_cmpuint(result.records, ==, COPIES);
    card_written(at);
    gmtrace_reader *reader = card_read(at);
    const gmtrace_launch *read = gmtrace_get_launch(reader, 0);
    g_assert_cmpuint(read->tensor_map_count, ==, 2);
    g_assert_cmpint(memcmp(read->tensor_map[0], told.map, sizeof told.map), ==, 0);
    g_assert_cmphex(read->tensor_map[1][0], ==, told.map[0] + 1);
    const gmtrace_chunk *chunk = gmtrace_chunk_read(reader, 0, &error);
    g_assert_nonnull(chunk);
    g_assert_cmpuint(chunk->record_count, ==, COPIES);
    for (unsigned i = 0; i < COPIES; i++)
        g_assert_cmpuint(chunk->record[i].map, ==, i % 2);
    gmtrace_chunk_release(reader, chunk);
    card_close(at);
}

static void test_mask(void)
{
    static const bool loads[COUNT] = {[LOAD] = true, [MULTICAST] = true};
    static const bool hides[COUNT] = {[STORE] = true, [REDUCE] = true, [PREFETCH] = true};
    for (unsigned i = 0; i < COUNT; i++) {
        g_assert_true(gmc_tensor_loads(encoding[i]) == loads[i]);
        g_assert_true(gmc_tensor_hides(encoding[i]) == hides[i]);
    }
    uint64_t masked[2];
    gmc_tensor_mask(encoding[STORE], masked);
    g_assert_cmphex(masked[0], ==, 0x00000020160035b4);
    g_assert_cmphex(masked[1], ==, 0x0001e20008010000);
}

static void test_target(void)
{
    const uint64_t jump[2] = {0x5eaf7d20006c794a, 0x000fea000380007f};
    const uint64_t back[2] = {0xfffffffc00f07947, 0x000fea000383ffff}; /* BRA to itself */
    g_assert_cmphex(gmc_tensor_target(jump, 0x7f5eaf7c8c80), ==, 0x7f5eaf7d21b0);
    g_assert_cmphex(gmc_tensor_target(back, 0x1000), ==, 0x1000 + 16 - 0x400 + 0x3c0);
    g_assert_cmphex(gmc_tensor_target(encoding[STORE], 0x1000), ==, 0);
}

/* The copy's own predicate and scheduling bits stay. */
static void test_find(void)
{
    enum { LENGTH = 96 };
    uint64_t patch[LENGTH][2] = {{0}}, fixed[2];
    const uint64_t(*at)[2] = (const uint64_t(*)[2])patch;
    g_assert_cmpint(gmc_tensor_find(at, LENGTH, encoding[STORE], fixed), ==, -1);
    patch[66][0] = 0x00000020160075b4;
    patch[66][1] = 0x000fe20008010000;
    g_assert_cmpint(gmc_tensor_find(at, LENGTH, encoding[STORE], fixed), ==, 66);
    g_assert_cmphex(fixed[0], ==, 0x00000020160073b5);
    g_assert_cmphex(fixed[1], ==, 0x000fe20008010000);
    memcpy(patch[10], patch[66], sizeof patch[10]);
    patch[10][0] ^= 1ull << 24; /* another descriptor */
    g_assert_cmpint(gmc_tensor_find(at, LENGTH, encoding[STORE], fixed), ==, 66);
    patch[10][0] ^= 1ull << 24;
    g_assert_cmpint(gmc_tensor_find(at, LENGTH, encoding[STORE], fixed), ==, -1); /* which? */
    patch[10][1] ^= 0x8000;                                                       /* another rank */
    g_assert_cmpint(gmc_tensor_find(at, LENGTH, encoding[STORE], fixed), ==, 66);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    make_table();
    g_test_add_func("/tensor/decode", test_decode);
    g_test_add_func("/tensor/launch", test_launch);
    g_test_add_func("/tensor/mask", test_mask);
    g_test_add_func("/tensor/target", test_target);
    g_test_add_func("/tensor/find", test_find);
    return g_test_run();
}
