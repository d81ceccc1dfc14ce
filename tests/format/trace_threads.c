/* SPDX-License-Identifier: MIT
 *
 * trace_threads.c - cursors of one reader that several threads move at once read what one reads
 * alone, be chunks shared by warps of all threads or left by one while another comes; and where a
 * chunk is damaged each of them is told so.
 */
#include "tests/support/trace_builder.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

enum { CTAS = 600, WARPS = 4, RECORDS = 40, THREADS = 4, AT_ONCE = 8 };

typedef struct reading {
    gmtrace_reader *reader;
    unsigned first, step; /* of its CTAs */
    uint64_t sum[CTAS][WARPS];
    unsigned failed;
} reading;

static char *build(void)
{
    char *path = gmtest_new_path();
    gmtest_trace t;
    uint64_t address[GMTRACE_WARP_LANES];
    gmtest_open(&t, path);
    gmtest_launch(&t, CTAS, WARPS * 32u);
    for (uint64_t cta = 0; cta < CTAS; cta++)
        for (uint32_t warp = 0; warp < WARPS; warp++)
            for (uint32_t n = 0; n < RECORDS; n++) {
                for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++)
                    address[lane] =
                        0x7f0000000000u + ((cta * 7919u + n) * (lane + 3u) % 8191u) * 4u;
                gmtest_lanes(&t, cta, warp, GMTEST_LDG, UINT32_MAX, address);
            }
    gmtest_close(&t);
    return path;
}

/* As many CTAs are open at once as some SMs would have; each warp's records, one after the other.
 */
static gpointer read_all(gpointer data)
{
    reading *r = data;
    for (unsigned from = r->first; from < CTAS; from += r->step * AT_ONCE) {
        gmtrace_cursor cursor[AT_ONCE][WARPS];
        bool open[AT_ONCE][WARPS] = {{false}};
        gmtrace_error error;
        for (unsigned i = 0; i < AT_ONCE; i++)
            for (unsigned w = 0; w < WARPS; w++) {
                const unsigned cta = from + i * r->step;
                if (cta >= CTAS)
                    continue;
                open[i][w] = gmtrace_cursor_open(r->reader, &cursor[i][w], cta, w, &error);
                r->failed += !open[i][w];
            }
        for (unsigned i = 0; i < AT_ONCE; i++)
            for (unsigned w = 0; w < WARPS; w++) {
                if (!open[i][w])
                    continue;
                uint64_t lane[GMTRACE_WARP_LANES], *sum = &r->sum[from + i * r->step][w];
                do {
                    for (; cursor[i][w].next < cursor[i][w].end; cursor[i][w].next++) {
                        gmtrace_expand(cursor[i][w].chunk, cursor[i][w].next, lane);
                        for (unsigned k = 0; k < GMTRACE_WARP_LANES; k++)
                            *sum = (*sum ^ lane[k]) * 0x9e3779b97f4a7c15u;
                    }
                } while (gmtrace_cursor_refill(r->reader, &cursor[i][w], &error));
                r->failed += error.status != GMTRACE_OK;
                gmtrace_cursor_close(r->reader, &cursor[i][w]);
            }
    }
    return NULL;
}

/* Of a file, read by so many threads; how many warps could not be read. */
static unsigned read_with(const char *path, unsigned threads, uint64_t sum[CTAS][WARPS])
{
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_select_launch(reader, 0, &error));
    reading *r = g_new0(reading, threads);
    GThread *thread[THREADS];
    unsigned failed = 0;
    memset(sum, 0, sizeof(uint64_t[CTAS][WARPS]));
    for (unsigned i = 0; i < threads; i++) {
        r[i] = (reading){.reader = reader, .first = i, .step = threads};
        thread[i] = g_thread_new("read", read_all, &r[i]);
    }
    for (unsigned i = 0; i < threads; i++) {
        g_thread_join(thread[i]);
        failed += r[i].failed;
        for (unsigned cta = i; cta < CTAS; cta += threads)
            memcpy(sum[cta], r[i].sum[cta], sizeof sum[cta]);
    }
    g_free(r);
    gmtrace_close(reader);
    return failed;
}

static uint64_t alone[CTAS][WARPS], shared[CTAS][WARPS];

static void test_reads(void)
{
    g_autofree char *path = build();
    g_assert_cmpuint(read_with(path, 1, alone), ==, 0);
    for (unsigned threads = 2; threads <= THREADS; threads++) {
        g_assert_cmpuint(read_with(path, threads, shared), ==, 0);
        g_assert_true(memcmp(alone, shared, sizeof alone) == 0);
    }
    g_unlink(path);
}

static void test_damage(void)
{
    g_autofree char *path = build();
    char *data;
    gsize size;
    g_assert_true(g_file_get_contents(path, &data, &size, NULL));
    memset(data + size / 2u, 0x5a, 64);
    g_assert_true(g_file_set_contents(path, data, (gssize)size, NULL));
    g_free(data);
    const unsigned failed = read_with(path, 1, alone);
    g_assert_cmpuint(failed, >, 0);
    g_assert_cmpuint(failed, <, CTAS * WARPS / 2);
    for (unsigned threads = 2; threads <= THREADS; threads++) {
        g_assert_cmpuint(read_with(path, threads, shared), ==, failed);
        g_assert_true(memcmp(alone, shared, sizeof alone) == 0);
    }
    g_unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace/threads/reads", test_reads);
    g_test_add_func("/trace/threads/damage", test_damage);
    return g_test_run();
}
