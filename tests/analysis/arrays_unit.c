/* SPDX-License-Identifier: MIT
 *
 * arrays_unit.c - traffic by allocation adds up to the launch's, number by number; looking on
 * changes nothing; and what is known of an array by how the kernel is made comes out.
 */
#include "sim/analysis/arrays.h"
#include "sim/analysis/rows.h"
#include "sim/analysis/touched.h"

#include <glib.h>
#include <string.h>

#define ROWS               (GMSIM_ROWS_GLOBAL | GMSIM_ROWS_LOCAL | GMSIM_ROWS_BULK)
#define SUM(result, field) gmsim_rows_sum(result, ROWS, offsetof(gmsim_counts, field))

typedef struct onlooker {
    gmsim_gpu gpu;
    gmtrace_reader *reader;
    gmsim_model *model, *alone;
    gmsim_arrays *arrays;
} onlooker;

static void open_sample(onlooker *o, const char *name, const char *const *set)
{
    GError *error = NULL;
    gmtrace_error reason;
    g_autofree char *path =
        g_build_filename(g_getenv("GMSIM_SRCDIR"), "traces", "samples", name, NULL);
    g_assert_true(gmsim_gpu_load(&o->gpu, "h200", &error));
    g_assert_true(gmsim_gpu_set_all(&o->gpu, (char *const *)set, &error));
    o->arrays = gmsim_arrays_new();
    const gmsim_options options = {.watch = gmsim_arrays_watch(o->arrays)};
    o->model = gmsim_model_new(&o->gpu, &options, &error);
    o->alone = gmsim_model_new(&o->gpu, NULL, &error);
    o->reader = gmtrace_open(path, &reason);
    g_assert_no_error(error);
    g_assert_nonnull(o->reader);
}

static void close_sample(onlooker *o)
{
    gmsim_model_free(o->model);
    gmsim_model_free(o->alone);
    gmsim_arrays_free(o->arrays);
    gmtrace_close(o->reader);
}

static const gmsim_array *run(onlooker *o, uint32_t launch, unsigned *count, gmsim_array *all,
                              const gmsim_result **result)
{
    GError *error = NULL;
    gmsim_arrays_begin(o->arrays, gmtrace_get_launch(o->reader, launch));
    *result = gmsim_model_run(o->model, o->reader, launch, NULL, NULL, &error);
    g_assert_no_error(error);
    return gmsim_arrays_read(o->arrays, count, all);
}

static void check_sums(const gmsim_result *r, const gmsim_array *all)
{
    const gmsim_l2_counts *l2 = &r->l2;
    const uint32_t loads = GMSIM_ROWS_READ | GMSIM_ROW(LOCAL_LOAD);
    const uint32_t stores =
        GMSIM_ROW(GLOBAL_STORE) | GMSIM_ROW(LOCAL_STORE) | GMSIM_ROW(BULK_STORE);
    const size_t bytes = offsetof(gmsim_counts, bytes);
    g_assert_cmpuint(all->bytes_read, ==, gmsim_rows_sum(r, loads | GMSIM_ROW(BULK_LOAD), bytes));
    g_assert_cmpuint(all->bytes_written, ==, gmsim_rows_sum(r, stores, bytes));
    g_assert_cmpuint(all->bytes_updated, ==, gmsim_rows_sum(r, GMSIM_ROWS_UPDATE, bytes));
    g_assert_cmpuint(gmsim_array_useful(all), ==, SUM(r, bytes));
    g_assert_cmpuint(all->sectors, ==, SUM(r, sectors));
    g_assert_cmpuint(all->requests, >=, SUM(r, requests));
    g_assert_cmpuint(all->l1_load_sectors, ==,
                     gmsim_rows_sum(r, loads, offsetof(gmsim_counts, sectors)));
    g_assert_cmpuint(all->l1_missed, ==,
                     gmsim_rows_sum(r, loads, offsetof(gmsim_counts, l1_miss_sectors)));
    g_assert_cmpuint(all->l2_read, ==, l2->read_sectors);
    g_assert_cmpuint(all->l2_read_hit, ==, l2->read_hit_sectors);
    g_assert_cmpuint(all->l2_written, ==, l2->write_sectors);
    g_assert_cmpuint(all->l2_atomics, ==, l2->atomic_sectors + l2->reduction_sectors);
    g_assert_cmpuint(all->dram_read, ==, l2->dram_read_sectors);
    g_assert_cmpuint(all->dram_written, ==, l2->dram_write_sectors);
}

/* A small L2 and a small L1, so that lines of one launch leave for another's. */
static void test_sums(gconstpointer name)
{
    static const char *const small[] = {"l2.size=1M", NULL};
    for (int shrunk = 0; shrunk < 2; shrunk++) {
        onlooker o;
        open_sample(&o, name, shrunk ? small : NULL);
        for (uint32_t i = 0; i < gmtrace_launch_count(o.reader); i++) {
            gmsim_array all;
            const gmsim_result *result;
            unsigned count;
            GError *error = NULL;
            const gmsim_array *array = run(&o, i, &count, &all, &result);
            g_assert_cmpuint(count, >, 0);
            check_sums(result, &all);
            for (unsigned k = 1; k < count; k++)
                g_assert_cmpuint(gmsim_array_moved(&array[k]), <=,
                                 gmsim_array_moved(&array[k - 1]));
            const gmsim_result *alone = gmsim_model_run(o.alone, o.reader, i, NULL, NULL, &error);
            g_assert_no_error(error);
            g_assert_true(memcmp(alone->row, result->row, sizeof alone->row) == 0);
            g_assert_true(memcmp(&alone->l2, &result->l2, sizeof alone->l2) == 0);
            g_assert_cmpuint(alone->timing.cycles, ==, result->timing.cycles);
        }
        close_sample(&o);
    }
}

/* out[x * n + y] = in[y * n + x], 1024 x 1024 floats: each array once, the one in rows, the other
 * in columns. */
static void test_transpose(void)
{
    onlooker o;
    gmsim_array all;
    const gmsim_result *result;
    unsigned count;
    open_sample(&o, "transpose_naive.trc", NULL);
    const gmsim_array *array = run(&o, 0, &count, &all, &result);
    g_assert_cmpuint(count, ==, 2);
    const gmsim_array *out = &array[0], *in = &array[1];
    g_assert_cmpuint(out->kind, ==, GMSIM_ARRAY_ALLOCATION);
    g_assert_cmpuint(out->bytes_written, ==, 4u << 20);
    g_assert_cmpuint(out->bytes_read, ==, 0);
    g_assert_cmpuint(in->bytes_read, ==, 4u << 20);
    g_assert_cmpuint(in->bytes_written, ==, 0);
    g_assert_cmpuint(gmsim_array_moved(in), ==, 4u << 20);
    g_assert_cmpuint(gmsim_array_moved(out), ==, 8u * (4u << 20));
    g_assert_cmpuint(in->touched, ==, (4u << 20) / 32u);
    g_assert_cmpuint(out->touched, ==, (4u << 20) / 32u);
    g_assert_cmpuint(in->dram_read, ==, (4u << 20) / 32u);
    close_sample(&o);
}

static void test_touched(void)
{
    gmsim_touched touched = {0};
    for (int again = 0; again < 2; again++) {
        uint64_t new = 0;
        for (uint64_t i = 0; i < 100000; i++) /* all of some pages, some of others, far apart */
            new += gmsim_touched_add(&touched, i * i % 65537u * 12345u, 1u << i % 4u);
        uint64_t more = gmsim_touched_add(&touched, UINT64_MAX / 128u, 0xfu);
        g_assert_cmpuint(more, ==, 4);
        g_assert_cmpuint(gmsim_touched_add(&touched, UINT64_MAX / 128u, 0x6u), ==, 0);
        GHashTable *set = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
        for (uint64_t i = 0; i < 100000; i++) {
            guint64 key = i * i % 65537u * 12345u * 4u + i % 4u;
            g_hash_table_add(set, g_memdup2(&key, sizeof key));
        }
        g_assert_cmpuint(new, ==, g_hash_table_size(set));
        g_hash_table_unref(set);
        gmsim_touched_reset(&touched);
    }
    gmsim_touched_clear(&touched);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/arrays/touched", test_touched);
    g_test_add_func("/arrays/transpose", test_transpose);
    g_test_add_data_func("/arrays/launches", "pipeline_in_l2.trc", test_sums);
    g_test_add_data_func("/arrays/atomics", "histogram_shared.trc", test_sums);
    g_test_add_data_func("/arrays/gather", "spmv_csr_scalar.trc", test_sums);
    g_test_add_data_func("/arrays/local", "spill_heavy.trc", test_sums);
    g_test_add_data_func("/arrays/copies", "tile_cp_async4.trc", test_sums);
    g_test_add_data_func("/arrays/columns", "transpose_naive.trc", test_sums);
    return g_test_run();
}
