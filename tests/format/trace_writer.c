/* SPDX-License-Identifier: MIT
 *
 * trace_writer.c - the writer where it is used in unusual ways: calls out of turn, thousands of
 * CTAs open at once, traces given up half way, records whose fields contradict each other.
 */
#include "tests/support/trace_builder.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

static char *folder, *path;

static gmtrace_error error;

#define REFUSED(call)                                                                              \
    G_STMT_START                                                                                   \
    {                                                                                              \
        memset(&error, 0, sizeof error);                                                           \
        g_assert_false(call);                                                                      \
        g_assert_cmpint(error.status, ==, GMTRACE_USAGE);                                          \
        g_assert_cmpstr(error.text, !=, "");                                                       \
    }                                                                                              \
    G_STMT_END

/* Nothing is left in the folder but, perhaps, what was written last. */
static void assert_files(unsigned count)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    unsigned found = 0;
    while (g_dir_read_name(dir))
        found++;
    g_dir_close(dir);
    g_assert_cmpuint(found, ==, count);
}

static void test_out_of_turn(void)
{
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .cluster = {1, 1, 1}};
    gmtrace_capture capture = *gmtest_capture();
    const uint64_t map[GMTRACE_TENSOR_WORDS] = {0};
    uint16_t number;
    gmtest_trace t;
    capture.detail = (gmtrace_detail)9;
    REFUSED(gmtrace_writer_create(path, &capture, NULL, &error));
    assert_files(0);
    gmtest_open(&t, path);
    REFUSED(gmtrace_writer_lose(t.writer, "why", &error));
    REFUSED(gmtrace_writer_end_cta(t.writer, 0, &error));
    REFUSED(gmtrace_writer_tensor_map(t.writer, map, &number, &error));
    gmtest_launch(&t, 2, 32);
    REFUSED(gmtrace_writer_begin_launch(t.writer, &launch, &error));
    REFUSED(gmtrace_writer_end_cta(t.writer, 2, &error));
    REFUSED(gmtrace_writer_close(t.writer, true, &error)); /* inside a launch: given up */
    assert_files(0);
    g_assert_true(gmtrace_writer_close(NULL, true, &error));
}

static void test_contradictions(void)
{
    static const struct {
        gmtrace_record record; /* what differs from a barrier of the whole warp */
        const char *why;
    } cases[] = {
        {{.kind = GMTRACE_KIND_COUNT}, "kind"},
        {{.kind = GMTRACE_BARRIER, .op = GMTRACE_OP_COUNT}, "operation"},
        {{.kind = GMTRACE_BARRIER, .op = GMTRACE_OP_LOAD}, "no memory"},
        {{.kind = GMTRACE_BARRIER, .stride = 4}, "without lanes"},
        {{.kind = GMTRACE_BARRIER, .shape = GMTRACE_GRID, .log2_columns = 1}, "without lanes"},
        {{.kind = GMTRACE_BARRIER, .stride2 = 4}, "columns"},
        {{.kind = GMTRACE_BARRIER, .shape = GMTRACE_GRID, .log2_columns = 5}, "columns"},
        {{.kind = GMTRACE_BARRIER, .shape = GMTRACE_FULL}, "lane addresses"},
        {{.kind = GMTRACE_BULK, .op = GMTRACE_OP_LOAD}, "bulk"},
        {{.kind = GMTRACE_ACCESS, .space = GMTRACE_SPACE_GLOBAL}, "no operation"},
        {{.kind = GMTRACE_ACCESS, .op = GMTRACE_OP_LOAD}, "no space"},
        {{.kind = GMTRACE_ACCESS, .op = GMTRACE_OP_BULK_LOAD, .space = GMTRACE_SPACE_GLOBAL},
         "operation"},
        {{.kind = GMTRACE_TENSOR, .op = GMTRACE_OP_LOAD, .space = GMTRACE_SPACE_GLOBAL}, "tensor"},
        {{.kind = GMTRACE_TENSOR, .op = GMTRACE_OP_BULK_LOAD}, "another space"},
        {{.kind = GMTRACE_TENSOR, .op = GMTRACE_OP_BULK_LOAD, .space = GMTRACE_SPACE_GLOBAL},
         "map was not given"},
        {{.kind = GMTRACE_BARRIER, .map = 1}, "no tensor copy"},
    };
    uint64_t address[GMTRACE_WARP_LANES] = {0};
    gmtest_trace t;
    gmtest_open(&t, path);
    gmtest_launch(&t, 1, 32);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmtrace_record r = cases[i].record;
        r.instr = GMTEST_BAR;
        r.mask = UINT32_MAX;
        REFUSED(gmtrace_writer_append(t.writer, 0, 0, &r, NULL, &error));
        g_assert_nonnull(strstr(error.text, cases[i].why));
    }
    gmtrace_record barrier = {.kind = GMTRACE_BARRIER, .instr = GMTEST_BAR, .mask = 1};
    REFUSED(gmtrace_writer_append(t.writer, 0, 0, &barrier, address, &error));
    gmtest_barrier(&t, 0, 0); /* the writer is none the worse */
    gmtest_close(&t);
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    g_assert_cmpuint(gmtrace_get_launch(reader, 0)->records, ==, 1);
    gmtrace_close(reader);
    g_unlink(path);
}

enum { OPEN = 6000 };

/* Begun in one order, ended in another: no record is lost, none comes to another CTA. */
static void test_many_open(void)
{
    gmtest_trace t;
    gmtest_open(&t, path);
    gmtest_launch(&t, OPEN, 32);
    for (unsigned round = 0; round < 2; round++)
        for (uint64_t i = 0; i < OPEN; i++) {
            const uint64_t cta = i * 7919 % OPEN;
            gmtest_affine(&t, cta, 0, GMTEST_LDG, UINT32_MAX, cta << 16 | round << 8, 4);
        }
    for (uint64_t i = 0; i < OPEN; i++)
        gmtest_end_cta(&t, i * 4999 % OPEN);
    gmtest_close(&t);
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    g_assert_true(gmtrace_select_launch(reader, 0, &error));
    for (uint64_t cta = 0; cta < OPEN; cta++) {
        gmtrace_cursor cursor;
        unsigned round = 0;
        g_assert_true(gmtrace_cursor_open(reader, &cursor, cta, 0, &error));
        while (cursor.next < cursor.end || gmtrace_cursor_refill(reader, &cursor, &error)) {
            g_assert_cmphex(cursor.next->address, ==, cta << 16 | round << 8);
            cursor.next++;
            round++;
        }
        g_assert_cmpint(error.status, ==, GMTRACE_OK);
        g_assert_cmpuint(round, ==, 2);
        gmtrace_cursor_close(reader, &cursor);
    }
    gmtrace_close(reader);
    g_unlink(path);
}

/* With CTAs open and CTAs that wait for a chunk. */
static void test_given_up(void)
{
    gmtest_trace t;
    gmtest_open(&t, path);
    gmtest_launch(&t, OPEN, 64);
    for (uint64_t cta = 0; cta < OPEN; cta++)
        gmtest_affine(&t, cta, cta % 2, GMTEST_STG, UINT32_MAX, cta << 8, 4);
    for (uint64_t cta = 0; cta < OPEN; cta += 3)
        gmtest_end_cta(&t, cta);
    assert_files(1);
    g_assert_true(gmtrace_writer_close(t.writer, false, &error));
    assert_files(0);
}

/* The first reason stays, and stands in the trace. */
static void test_lost(void)
{
    gmtest_trace t;
    gmtest_open(&t, path);
    gmtest_launch(&t, 1, 32);
    gmtest_barrier(&t, 0, 0);
    g_assert_true(gmtrace_writer_lose(t.writer, "the first reason", &error));
    g_assert_true(gmtrace_writer_lose(t.writer, "another", &error));
    gmtest_launch(&t, 1, 32);
    gmtest_barrier(&t, 0, 0);
    gmtest_close(&t);
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    g_assert_cmpstr(gmtrace_get_launch(reader, 0)->lost, ==, "the first reason");
    g_assert_false(gmtrace_get_launch(reader, 0)->complete);
    g_assert_null(gmtrace_get_launch(reader, 1)->lost);
    g_assert_true(gmtrace_get_launch(reader, 1)->complete);
    gmtrace_close(reader);
    g_unlink(path);
}

static const gmtrace_origin *origin_of(const gmtrace_reader *reader, uint32_t launch, uint32_t at)
{
    return gmtrace_get_launch(reader, launch)->allocation[at].origin;
}

/* Each launch has back what its allocations are called, whatever came and went between; who says
 * nothing writes an older version, and what is too long is refused. */
static void test_origins(void)
{
    const gmtrace_origin x = {"d_x", "cudaMalloc", "/a/t.cu", 7, 1},
                         y = {.name = "\"<b>\033", .number = 2};
    const gmtrace_allocation all[] = {
        {0x1000, 0, &y}, {0x1000, 0x100, &x}, {0x2000, 1, NULL}, {0x3000, 8, &y}};
    gmtest_trace t;
    gmtest_open(&t, path);
    gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}};
    for (unsigned i = 0; i < 4; i++) { /* all; the first two; none; all */
        launch.allocation = all;
        launch.allocation_count = i == 1 ? 2 : i == 2 ? 0 : 4;
        g_assert_true(gmtrace_writer_begin_launch(t.writer, &launch, &error));
        g_assert_true(gmtrace_writer_end_launch(t.writer, &error));
    }
    g_autofree char *name = g_strnfill(4097, 'n');
    const gmtrace_origin long_one = {.name = name};
    const gmtrace_allocation refused = {0x10, 1, &long_one};
    launch.allocation = &refused;
    launch.allocation_count = 1;
    g_assert_false(gmtrace_writer_begin_launch(t.writer, &launch, &error));
    g_assert_cmpint(error.status, ==, GMTRACE_USAGE);
    name[4096] = 0;
    g_assert_true(gmtrace_writer_begin_launch(t.writer, &launch, &error));
    g_assert_true(gmtrace_writer_end_launch(t.writer, &error));
    gmtest_close(&t);

    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    for (unsigned i = 0; i < 4; i += i == 1 ? 2 : 1) {
        const gmtrace_origin *o = origin_of(reader, i, 1);
        g_assert_cmpstr(o->name, ==, "d_x");
        g_assert_cmpstr(o->call, ==, "cudaMalloc");
        g_assert_cmpstr(o->file, ==, "/a/t.cu");
        g_assert_cmpuint(o->line, ==, 7);
        g_assert_cmpuint(o->number, ==, 1);
        g_assert_null(origin_of(reader, i, 0)); /* of no bytes */
        if (i == 1)
            continue;
        g_assert_null(origin_of(reader, i, 2));
        g_assert_cmpstr(origin_of(reader, i, 3)->name, ==, y.name);
        g_assert_cmpstr(origin_of(reader, i, 3)->call, ==, "");
    }
    g_assert_true(origin_of(reader, 0, 1) == origin_of(reader, 1, 1)); /* told once */
    g_assert_cmpstr(origin_of(reader, 4, 0)->name, ==, name);
    gmtrace_close(reader);
    gmtest_open(&t, path);
    gmtest_close(&t);
    g_autofree char *data = NULL;
    g_assert_true(g_file_get_contents(path, &data, NULL, NULL));
    g_assert_cmpint(data[10], ==, 0);
    g_unlink(path);
}

/* No value of an enum is without a word, and none has another's. */
static void test_words(void)
{
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (int i = 0; i <= GMTRACE_CACHE_COUNT; i++) {
        const char *word = gmtrace_cache_name((gmtrace_cache)i);
        g_assert_nonnull(word);
        g_assert_true(g_hash_table_add(seen, (gpointer)word));
    }
    g_hash_table_unref(seen);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("gmtrace-XXXXXX", NULL);
    path = g_build_filename(folder, "t.trc", NULL);
    g_test_add_func("/trace/writer/out-of-turn", test_out_of_turn);
    g_test_add_func("/trace/writer/contradictions", test_contradictions);
    g_test_add_func("/trace/writer/many-open-ctas", test_many_open);
    g_test_add_func("/trace/writer/given-up", test_given_up);
    g_test_add_func("/trace/writer/lost", test_lost);
    g_test_add_func("/trace/writer/origins", test_origins);
    g_test_add_func("/trace/words", test_words);
    const int status = g_test_run();
    g_rmdir(folder);
    g_free(path);
    g_free(folder);
    return status;
}
